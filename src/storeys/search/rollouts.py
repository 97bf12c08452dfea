"""One simulation: a turn is made in a world dealt afresh, and everybody plays on as it promises.

After so many turns in all the position is judged.  The deal, what chance brings after it, and what
decides among equals in each turn follow from the number of the deal alone: whoever compares turns,
compares them in the same worlds, and who is not touched by one plays on as after another.
"""

import math

import numpy as np

from storeys.kernel import verbs
from storeys.kernel.chance import random_below, rekey, seed_generator
from storeys.kernel.compiling import jitable
from storeys.kernel.record import IntArray, Records, int64
from storeys.kernel.weighing import fraction, goes_on, margin
from storeys.search.turns import MOST_MOVES

MOST_TURNS = 256
"""How many turns of one deal have chance of their own."""
BY_POINTS = 0.002
"""What a point more is worth, where the same seats are beaten."""


@jitable
def judge(states: Records, tables: Records, seat: int, own: bool, promised: IntArray) -> float:
    """What a seat makes of a position while it plays on."""
    if own:
        return float(verbs.evaluate_seat(states[0], tables[0], seat))
    return margin(states[0], tables[0], seat, promised)


@jitable
def likely_action(
    states: Records,
    tables: Records,
    trial: Records,
    own: bool,
    tries: int,
    by_chance: bool,
    actions: IntArray,
    promised: IntArray,
    rng: IntArray,
) -> int:
    """The action that promises the most; one that goes on with the turn only if it helps.

    What an action shows that was hidden is not known before: it is judged by another future.
    """
    seat, count = states[0].to_move, verbs.legal(states[0], tables[0], actions)
    if count == 1:
        return int64(actions[0])
    quiet, best_quiet, ending, best_ending = int64(-1), 0.0, int64(-1), 0.0
    looks = count if tries == 0 else min(count, tries)
    for i in range(looks):
        if looks < count:
            other = i + random_below(rng, count - i)
            actions[i], actions[other] = actions[other], actions[i]
        action = int64(actions[i])
        trial[0] = states[0]
        verbs.apply(trial[0], tables[0], action)
        stays = goes_on(states[0], trial[0], seat)
        if by_chance and not stays:
            trial[0] = states[0]
            rekey(trial[0], rng)
            verbs.apply(trial[0], tables[0], action)
        value = judge(trial, tables, seat, own, promised) + fraction(rng)
        if stays and (quiet < 0 or value > best_quiet):
            quiet, best_quiet = action, value
        elif not stays and (ending < 0 or value > best_ending):
            ending, best_ending = action, value
    if quiet >= 0 and ending >= 0:
        return quiet if best_quiet > judge(states, tables, seat, own, promised) else ending
    return max(quiet, ending)


@jitable
def play_turn(
    states: Records,
    tables: Records,
    before: Records,
    own: bool,
    tries: int,
    by_chance: bool,
    actions: IntArray,
    promised: IntArray,
    rng: IntArray,
) -> None:
    """One whole turn, move by move."""
    seat = states[0].to_move
    for _ in range(MOST_MOVES):
        action = likely_action(
            states, tables, before, own, tries, by_chance, actions, promised, rng
        )
        before[0] = states[0]
        verbs.apply(states[0], tables[0], action)
        if not goes_on(before[0], states[0], seat):
            return


@jitable
def share_of(lead: float, scale: float) -> float:
    """How likely a lead is kept."""
    return 1.0 / (1.0 + math.exp(-min(max(lead / scale, -30.0), 30.0)))


@jitable
def result_of(ahead: float, won: bool, other_won: bool) -> float:
    """Which part of beating another a seat has in the end: all, half or none."""
    if won != other_won:
        return 1.0 if won else 0.0
    if ahead == 0 or won:
        return 0.5
    return 1.0 if ahead > 0 else 0.0


@jitable
def worth(
    states: Records, tables: Records, seat: int, scale: float, promised: IntArray, won: IntArray
) -> float:
    """Which share of the others a seat is likely to beat, and a little for points; alone, points.

    In the end it is known who wins, by all rules for ties.
    """
    state = states[0]
    verbs.evaluate(state, tables[0], promised)
    if state.players == 1:
        return float(promised[0])
    is_over, beaten, lead = verbs.over(state), 0.0, 0.0
    if is_over:
        verbs.winners(state, tables[0], won)
    for other in range(state.players):
        if other == seat:
            continue
        ahead = float(promised[seat] - promised[other])
        lead += ahead
        share = share_of(ahead, scale)
        if is_over:
            # How it came out, and how clearly: nobody plays on exactly as is thought here.
            share = (share + result_of(ahead, won[seat], won[other])) / 2
        beaten += share
    return float((beaten + BY_POINTS * lead) / (state.players - 1))


@jitable
def simulate(
    states: Records,
    tables: Records,
    turn: IntArray,
    length: int,
    turns: int,
    own: bool,
    tries: int,
    by_chance: bool,
    scale: float,
    size: int,
    key: IntArray,
    deal: int,
) -> float:
    """What a turn is worth in one deal, after so many turns of anybody in all.

    ``size`` is how many actions the game has.
    """
    seat, players = states[0].to_move, int64(states[0].players)
    world, before, rng = states[:1].copy(), states[:1].copy(), np.zeros(4, np.uint32)
    actions, promised, won = (
        np.empty(size, np.int64),
        np.zeros(players),
        np.zeros(players, np.bool_),
    )
    first = (deal + 1) * MOST_TURNS
    seed_generator(rng, int64(key[0]), int64(key[1]), first)
    verbs.redeal(world[0], tables[0], seat, rng)
    for at in range(length):
        verbs.apply(world[0], tables[0], turn[at])
    for nth in range(1, turns):
        if verbs.over(world[0]):
            break
        seed_generator(rng, int64(key[0]), int64(key[1]), first + nth)
        play_turn(world, tables, before, own, tries, by_chance, actions, promised, rng)
    # The array, not its record: compiled code lets go of an array where it is last named.
    return worth(world, tables, seat, scale, promised, won)
