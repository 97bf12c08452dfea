"""A decent greedy player: it looks to the end of its own turn and no further.

Every legal move is carried out in a copy of the world and judged by the verb ``evaluate``: what the
own seat is promised, less what the others are.  A move after which the turn goes on is followed by
the best further moves, as long as they help; one that shows something hidden, or ends the turn, is
judged in several worlds dealt afresh, so that the real future is never used.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from storeys.bots.doubting import spread_of, swing
from storeys.bots.registry import Bot
from storeys.kernel import entry_points, verbs
from storeys.kernel.compiling import jit_when_it_pays, jitable
from storeys.kernel.record import IntArray, Records, int64
from storeys.kernel.weighing import fraction, goes_on, weigh
from storeys.match import Match, Move

WORLDS = 12
"""In how many worlds a move that shows something hidden is judged."""
MOST_STEPS = 64
"""How many moves of one turn are looked ahead."""


# --- compiled


@jit_when_it_pays
def weigh_moves(
    states: Records,
    tables: Records,
    worlds: Records,
    nth: int,
    actions: IntArray,
    values: IntArray,
    quiet: IntArray,
    own_actions: IntArray,
    promised: IntArray,
) -> float:
    """List the legal actions and weigh them at once, and say how many; or weigh one further.

    Which one is meant is ``nth``, or all of them by -1.  It is one entry point for both, since each
    makes machine code of all that it calls.
    """
    if nth < 0:
        return float(weigh_at_once(states, tables, actions, values, quiet, promised))
    action, worth = int64(actions[nth]), values[nth]
    if quiet[nth]:
        return weigh_to_the_end(states, tables, action, worth, own_actions, promised)
    return weigh_in_worlds(worlds, tables, action, promised)


@jitable
def weigh_at_once(
    states: Records,
    tables: Records,
    actions: IntArray,
    values: IntArray,
    quiet: IntArray,
    promised: IntArray,
) -> int:
    """List the legal actions, say how many; note what each is worth at once, and if it is quiet.

    A quiet action is one after which the turn goes on.  The last value is the present position's.
    """
    seat = states[0].to_move
    count = verbs.legal(states[0], tables[0], actions)
    trial = states[:1].copy()
    for i in range(count):
        trial[0] = states[0]
        verbs.apply(trial[0], tables[0], actions[i])
        quiet[i] = goes_on(states[0], trial[0], seat)
        values[i] = weigh(trial, tables, seat, promised)
    trial[0] = states[0]
    values[count] = weigh(trial, tables, seat, promised)
    return count


@jitable
def weigh_to_the_end(
    states: Records,
    tables: Records,
    action: int,
    worth: float,
    actions: IntArray,
    promised: IntArray,
) -> float:
    """What a quiet action is worth, with the best quiet ones after it as long as they help.

    ``worth`` is what it is worth at once.
    """
    seat, going, trial = states[0].to_move, states[:1].copy(), states[:1].copy()
    for _ in range(MOST_STEPS):
        verbs.apply(going[0], tables[0], action)
        best, may_stop = worth, False
        action = -1
        for i in range(verbs.legal(going[0], tables[0], actions)):
            trial[0] = going[0]
            verbs.apply(trial[0], tables[0], actions[i])
            if not goes_on(going[0], trial[0], seat):
                may_stop = True
                continue
            value = weigh(trial, tables, seat, promised)
            if action < 0 or value > best:
                action, best = actions[i], value
        if action < 0 or (may_stop and best <= worth):
            break
        worth = best
    return worth


@jitable
def weigh_in_worlds(worlds: Records, tables: Records, action: int, promised: IntArray) -> float:
    """What an action is worth on the average of some worlds."""
    trial, total = worlds[:1].copy(), 0.0
    for nth in range(worlds.size):
        trial[0] = worlds[nth]
        verbs.apply(trial[0], tables[0], action)
        total += weigh(trial, tables, worlds[nth].to_move, promised)
    return total / worlds.size


@jit_when_it_pays
def add_fractions(values: IntArray, blur: float, rng: IntArray) -> None:
    """Let chance decide among values that are as good as each other, or blurred look so."""
    doubt = blur * spread_of(values, values.size) if blur > 0 else 0.0
    for i in range(values.size):
        values[i] += fraction(rng)
        if doubt > 0:
            values[i] += doubt * swing(rng)


# --- from Python


class Weighing:
    """The legal moves of a world, weighed at once by what the seat to move sees."""

    def __init__(self, world: Match) -> None:
        size, self._states = world.game.actions + 1, world.state()
        self._tables = world.setup.components.tables
        self._actions, self._own_actions = np.empty((2, size), np.int64)
        self._values, self._quiet = np.empty(size), np.empty(size, bool)
        self._promised = np.zeros(world.players)
        count = int(self._ask(self._states, -1))
        self.values, self.quiet = self._values[:count], self._quiet[:count]
        self._stand = float(self._values[count])

    def further(self, worlds: Records, nth: int) -> None:
        """Look on: to the end of the turn, or in several worlds at what a move shows."""
        self.values[nth] = self._ask(worlds, nth)

    def add_ending(self) -> None:
        """Add to the moves that go on with the turn what the best one that ends it adds."""
        if not self.quiet.all():
            self.values[self.quiet] += self.values[~self.quiet].max() - self._stand

    def _ask(self, worlds: Records, nth: int) -> float:
        return weigh_moves(
            self._states,
            self._tables,
            worlds,
            nth,
            self._actions,
            self._values,
            self._quiet,
            self._own_actions,
            self._promised,
        )


def deal_worlds(states: Records, tables: Records, rng: IntArray) -> Records:
    """Worlds in which all that the seat to move cannot know is dealt afresh, the future too."""
    seat, worlds = int(states["to_move"][0]), np.repeat(states, WORLDS)
    own_rng = rng.copy()  # the generator has other things to decide
    for nth in range(WORLDS):
        entry_points.redeal(worlds[nth : nth + 1], tables, seat, own_rng)
    return worlds


class BuilderBot(Bot):
    """Plays the move that promises the most by the end of its turn."""

    blur: float = 0.0
    """How far it usually misjudges a move, against how much the moves differ."""

    def choose_in(self, world: Match) -> Move:
        """The best move, of equal ones any."""
        weighed = self._weigh(world)
        return world.legal_moves[int(weighed.argmax())]

    def values(self, view: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Every legal move in notation with what it is worth in points, the best first."""
        world = self.open_view(view)
        weighed = self._weigh(world).tolist()
        found = [
            {"move": str(move), "value": value}
            for move, value in zip(world.legal_moves, weighed, strict=True)
        ]
        return sorted(found, key=lambda entry: -entry["value"])

    def _weigh(self, world: Match) -> IntArray:
        """The values of the legal moves, as far as there is time; the most promising come first."""
        must_stop, rng, weighing = self._clock(), self.chance_in(world), Weighing(world)
        weighed, is_quiet = weighing.values, weighing.quiet
        # What chance deals is the same to an evaluation that does not look at it.
        in_worlds = world.game.evaluates_chance and not is_quiet.all()
        states, tables = world.state(), world.setup.components.tables
        worlds = deal_worlds(states, tables, rng) if in_worlds else states
        # The moves that end the turn go first: what they add is added to all others.
        for nth in np.lexsort((-weighed, is_quiet)).tolist():
            if must_stop():
                break
            if is_quiet[nth] or in_worlds:
                weighing.further(worlds, nth)
        weighing.add_ending()
        add_fractions(weighed, self.blur, rng)
        return weighed

    def _clock(self) -> Callable[[], bool]:
        """Says whether the time is up, or the one who asked has lost interest."""
        until = None if self.seconds is None else self.now() + self.seconds
        asked = self.should_stop

        def must_stop() -> bool:
            late = until is not None and self.now() >= until
            return late or (asked is not None and asked())

        return must_stop
