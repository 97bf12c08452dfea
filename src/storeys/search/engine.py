"""From what a seat knows to its turns, each with what it was found to be worth."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from storeys.kernel import entry_points
from storeys.kernel.chance import seed_generator
from storeys.kernel.compiling import jit_when_it_pays
from storeys.kernel.record import IntArray, Records, int64
from storeys.kernel.searching import SearchSettings
from storeys.match import Match, Move
from storeys.search.halving import Tally, Used, halve
from storeys.search.rollouts import share_of, simulate
from storeys.search.turns import Turns, Unfinished, find_turns, new_turns, new_unfinished

WORLDS = 4
"""In how many worlds a turn that shows something hidden is weighed before it is tried."""


@dataclass(frozen=True)
class TriedTurn:
    """A whole turn, and what came of trying it.

    >>> import storeys
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> plan = storeys.bot("architect", simulations=64, seed=1).plan(match.view(match.to_move))
    >>> best = plan.turns[0]
    >>> [str(move) for move in best.moves] == [str(move) for move in plan], best.visits > 4
    (True, True)
    """

    moves: tuple[Move, ...]
    value: float | None
    """Which share of the others it is likely to beat, or alone how many points it brings."""
    spread: float | None
    """The standard deviation of that from one simulation to the next."""
    visits: int
    """How often it was tried."""


@jit_when_it_pays
def look_ahead(
    states: Records,
    tables: Records,
    worlds: Records,
    level: Records,
    following: Records,
    settings: SearchSettings,
    turns: Turns,
    now: Unfinished,
    then: Unfinished,
    size: int,
    key: IntArray,
    nth: int,
    deal: int,
) -> float:
    """What a turn is worth in a deal; without a turn (-1) find those to try, and say how many.

    Both in one, since every entry point makes machine code of all that it calls.
    """
    if nth < 0:
        endings, twins, rng = settings.endings, settings.twins, np.zeros(4, np.uint32)
        seed_generator(rng, int64(key[0]), int64(key[1]), 0)
        found = find_turns(
            worlds, tables, level, following, endings, twins, size, rng, turns, now, then
        )
        return float(found)
    return simulate(
        states,
        tables,
        turns.actions[nth],
        int64(turns.lengths[nth]),
        settings.rounds * int64(states[0].players),
        settings.own,
        settings.tries,
        worlds.size > 1,
        settings.scale,
        size,
        key,
        deal,
    )


def search_turn(
    world: Match, settings: SearchSettings, rng: IntArray, used: Used, threads: int
) -> list[TriedTurn]:
    """The turns that the seat to move should think of, the best first.

    Of the world only what the seat knows is used; ``used`` says how much of the time is.
    """
    seat, tables = world.to_move or 0, world.setup.components.tables
    states = world.blinded(seat)
    worlds = np.repeat(states, WORLDS if world.game.evaluates_chance else 1)
    for nth in range(len(worlds)):
        entry_points.redeal(worlds[nth : nth + 1], tables, seat, rng)
    turns, room = new_turns(settings.width), np.repeat(states, 2 * settings.beam)
    level, following = room[: settings.beam], room[settings.beam :]
    now, then = new_unfinished(settings.beam), new_unfinished(settings.beam)

    def ask(nth: int, deal: int) -> float:
        return look_ahead(
            states, tables, worlds, level, following, settings, turns, now, then,
            world.game.actions + 1, rng, nth, deal,
        )  # fmt: skip

    values = turns.values[: int(ask(-1, -1))].tolist()
    priors = values if world.players == 1 else [share_of(one, settings.scale) for one in values]
    return [_in_words(world, turns, tally) for tally in halve(priors, ask, used, threads)]


def _in_words(world: Match, turns: Turns, tally: Tally) -> TriedTurn:
    actions = turns.actions[tally.nth, : turns.lengths[tally.nth]].tolist()
    return TriedTurn(tuple(_moves_of(world, actions)), tally.value, tally.spread, tally.visits)


def _moves_of(world: Match, actions: list[int]) -> Iterator[Move]:
    going = world.clone()
    for action in actions:
        move = going.move_of(action)
        yield move
        going.push(move)
