"""Whole turns of the seat to move, the most promising first: what a search has to choose from.

A turn is what a seat does until another is to move or something hidden is shown.  Unfinished turns
are followed move by move, the most promising ones only; each is judged by the verb ``evaluate`` as
far as the seat sees, and what shows something hidden in several worlds.
"""

from typing import NamedTuple

import numpy as np

from storeys.kernel import verbs
from storeys.kernel.compiling import jitable
from storeys.kernel.record import IntArray, Records, int64
from storeys.kernel.weighing import fraction, goes_on, weigh

MOST_MOVES = 64
"""How many moves a turn may have."""
HALF = 28  # bits of a move code that are spread at once
MIXERS = (0x9E3779B1, 0x85EBCA6B)  # odd: sums of what they make of codes tell sets of them apart
MARKS = (1 << 62) - 1
SAME = 1e-9  # positions are taken for the same that differ by less


@jitable
def mark_of(mark: int, code: int) -> int:
    """The mark of a set of moves with one more: the same in whatever order they are made."""
    low, high = code & ((1 << HALF) - 1), (code >> HALF) & ((1 << HALF) - 1)
    spread = (low + 1) * MIXERS[0] + high * MIXERS[1]
    return (mark + (spread ^ (spread >> 29))) & MARKS


@jitable
def place_for(
    values: IntArray, marks: IntArray, count: int, value: float, mark: int, twins: bool
) -> int:
    """Where something of a value is kept: behind the last, for the worst, or nowhere (-1)."""
    worst = -1
    for nth in range(count):
        if marks[nth] == mark or (not twins and abs(values[nth] - value) < SAME):
            return -1
        if worst < 0 or values[nth] < values[worst]:
            worst = nth
    if count < values.size:
        return count
    return worst if value > values[worst] else -1


@jitable
def place_among(
    values: IntArray, parents: IntArray, count: int, value: float, parent: int, endings: int
) -> int:
    """The same for a whole turn, of which only so many may end what one parent begins."""
    worst, siblings, worst_sibling = -1, 0, -1
    for nth in range(count):
        if worst < 0 or values[nth] < values[worst]:
            worst = nth
        if parents[nth] == parent:
            siblings += 1
            if worst_sibling < 0 or values[nth] < values[worst_sibling]:
                worst_sibling = nth
    if siblings >= endings:
        return worst_sibling if value > values[worst_sibling] else -1
    if count < values.size:
        return count
    return worst if value > values[worst] else -1


@jitable
def weigh_ending(
    worlds: Records,
    tables: Records,
    trial: Records,
    path: IntArray,
    length: int,
    promised: IntArray,
) -> float:
    """What a whole turn is worth on the average of some worlds."""
    seat, total = worlds[0].to_move, 0.0
    for nth in range(worlds.size):
        trial[0] = worlds[nth]
        for at in range(length):
            verbs.apply(trial[0], tables[0], path[at])
        total += weigh(trial, tables, seat, promised)
    return total / worlds.size


class Turns(NamedTuple):
    """Whole turns: their actions, lengths and values, and the number of what each began with."""

    actions: IntArray
    lengths: IntArray
    values: IntArray
    begun: IntArray


class Unfinished(NamedTuple):
    """Unfinished turns that are followed: their actions, what tells them apart, values."""

    actions: IntArray
    marks: IntArray
    values: IntArray


@jitable
def keep_turn(
    turns: Turns, count: int, endings: int, value: float, begun: int, path: IntArray, length: int
) -> int:
    """Take a whole turn if it is good enough; how many there are then."""
    at = place_among(turns.values, turns.begun, count, value, begun, endings)
    if at < 0:
        return count
    turns.values[at], turns.lengths[at], turns.begun[at] = value, length, begun
    for nth in range(length):
        turns.actions[at, nth] = path[nth]
    return max(count, at + 1)


@jitable
def keep_unfinished(
    some: Unfinished,
    count: int,
    twins: bool,
    value: float,
    mark: int,
    path: IntArray,
    length: int,
) -> int:
    """Take an unfinished turn if it is good enough; where it is then, or -1."""
    at = place_for(some.values, some.marks, count, value, mark, twins)
    if at >= 0:
        some.values[at], some.marks[at] = value, mark
        for nth in range(length):
            some.actions[at, nth] = path[nth]
    return at


@jitable
def find_turns(
    worlds: Records,
    tables: Records,
    level: Records,
    following: Records,
    endings: int,
    twins: bool,
    size: int,
    rng: IntArray,
    turns: Turns,
    now: Unfinished,
    then: Unfinished,
) -> int:
    """Write the best turns; says how many there are.

    ``level`` and ``following`` are room for the states of the unfinished turns ``now`` and
    ``then``; the ``worlds`` agree with what the seat to move sees; ``size`` is how many actions the
    game has.
    """
    seat, trial = worlds[0].to_move, worlds[:1].copy()
    actions, promised = np.empty(size, np.int64), np.zeros(int64(worlds[0].players))
    level[0] = worlds[0]
    width, found, begun = int64(1), int64(0), int64(0)
    for depth in range(MOST_MOVES):
        next_width = int64(0)
        for node in range(width):
            begun += 1
            for i in range(verbs.legal(level[node], tables[0], actions)):
                action, path = int64(actions[i]), now.actions[node]
                path[depth] = action
                trial[0] = level[node]
                verbs.apply(trial[0], tables[0], action)
                tie = fraction(rng)
                if not goes_on(level[node], trial[0], seat):
                    value = tie + weigh_ending(worlds, tables, trial, path, depth + 1, promised)
                    found = keep_turn(turns, found, endings, value, begun, path, depth + 1)
                    continue
                value = (tie if twins else 0.0) + weigh(trial, tables, seat, promised)
                mark = mark_of(now.marks[node], verbs.decode(level[node], tables[0], action))
                at = keep_unfinished(then, next_width, twins, value, mark, path, depth + 1)
                if at >= 0:
                    following[at] = level[node]
                    verbs.apply(following[at], tables[0], action)
                    next_width = max(next_width, at + 1)
        width = next_width
        for node in range(width):
            level[node] = following[node]
            now.marks[node] = then.marks[node]
            for nth in range(depth + 1):
                now.actions[node, nth] = then.actions[node, nth]
        if width == 0:
            break
    return found


# --- from Python


def new_turns(count: int) -> Turns:
    """Room for so many."""
    actions, lengths = np.zeros((count, MOST_MOVES), np.int64), np.zeros(count, np.int64)
    return Turns(actions, lengths, np.zeros(count), np.zeros(count, np.int64))


def new_unfinished(count: int) -> Unfinished:
    """Room for so many."""
    actions = np.zeros((count, MOST_MOVES), np.int64)
    return Unfinished(actions, np.zeros(count, np.int64), np.zeros(count))
