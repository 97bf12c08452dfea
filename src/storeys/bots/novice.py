"""A beginner, who makes the mistakes that people make who are new to a game, not random ones.

* It counts what a move brings at once (the verb ``score``), and only half feels what it promises.
* It looks at its own city alone: neither at what others get, nor at what they are up to.
* It takes one move after the other and plans no turn: what can still be done and helps comes first,
  then whatever ends the turn.
* It looks closely at one stretch of all that it could do.  Moves that are listed side by side are
  alike, such as those of one tile or one card: who is new takes a piece up and asks where it goes.
  Elsewhere it sees what catches the eye, that is what gains points at once, and not all of that.
* Of moves that look about as good it may take the second best.
* Of what chance brings it imagines one outcome, and believes in it.
"""

import numpy as np

from storeys.bots.doubting import spread_of, swing
from storeys.bots.registry import Bot
from storeys.kernel import entry_points, verbs
from storeys.kernel.chance import random_below
from storeys.kernel.compiling import jit_when_it_pays, jitable
from storeys.kernel.record import IntArray, Records, int64
from storeys.kernel.weighing import goes_on
from storeys.match import Match, Move

STRETCH = 3
"""One of so many moves lies in the stretch that it looks at closely."""
OVERLOOKED = 4
"""Of so many others that gain something at once it overlooks one."""
FELT = 0.5
"""Which part it feels of what a position promises beyond its points."""
MISJUDGED = 0.3
"""How far it usually is out, against how much the moves that it sees differ."""


@jitable
def count_points(
    states: Records,
    tables: Records,
    actions: IntArray,
    points: IntArray,
    quiet: IntArray,
    totals: IntArray,
) -> int:
    """List the legal moves, with the points after each and whether the turn goes on; how many.

    The last points are the present ones.
    """
    seat, count = states[0].to_move, verbs.legal(states[0], tables[0], actions)
    trial = states[:1].copy()
    for nth in range(count):
        trial[0] = states[0]
        verbs.apply(trial[0], tables[0], actions[nth])
        verbs.score(trial[0], tables[0], totals)
        points[nth], quiet[nth] = totals[seat], goes_on(states[0], trial[0], seat)
    verbs.score(states[0], tables[0], totals)
    points[count] = totals[seat]
    return count


@jitable
def look_of(states: Records, tables: Records, seat: int, points: int) -> float:
    """What a position looks like to a beginner who has counted so many points in it."""
    promised = verbs.evaluate_seat(states[0], tables[0], seat)
    return float(points + FELT * (promised - points))


@jitable
def see_some(
    count: int, points: IntArray, quiet: IntArray, kind: bool, seen: IntArray, rng: IntArray
) -> int:
    """Write which moves are seen of those that go on with the turn, or that end it; how many.

    They are those of one stretch, and what catches the eye because it gains something at once.
    """
    of_kind, found, at = int64(0), int64(0), int64(0)
    for nth in range(count):
        of_kind += quiet[nth] == kind
    if of_kind == 0:
        return found
    begins, stretch = random_below(rng, of_kind), (of_kind + STRETCH - 1) // STRETCH
    for nth in range(count):
        if quiet[nth] != kind:
            continue
        is_near = (at - begins) % of_kind < stretch
        if is_near or (points[nth] > points[count] and random_below(rng, OVERLOOKED) > 0):
            seen[found] = nth
            found += 1
        at += 1
    return found


@jitable
def best_seen(
    states: Records,
    tables: Records,
    actions: IntArray,
    points: IntArray,
    seen: IntArray,
    found: int,
    looks: IntArray,
    rng: IntArray,
) -> int:
    """Which of the moves that are seen is taken for the best, with some doubt, by its place."""
    seat, trial = states[0].to_move, states[:1].copy()
    for at in range(found):
        trial[0] = states[0]
        verbs.apply(trial[0], tables[0], actions[seen[at]])
        looks[at] = look_of(trial, tables, seat, int64(points[seen[at]]))
    doubt, best = MISJUDGED * spread_of(looks, found), int64(0)
    for at in range(found):
        looks[at] += doubt * swing(rng)
        if looks[at] > looks[best]:
            best = int64(at)
    return best


@jit_when_it_pays
def choose_as_a_beginner(
    states: Records,
    tables: Records,
    actions: IntArray,
    points: IntArray,
    quiet: IntArray,
    seen: IntArray,
    looks: IntArray,
    totals: IntArray,
    rng: IntArray,
) -> int:
    """Which of the legal moves a beginner makes, by its number; all but the states are room."""
    seat, count = states[0].to_move, count_points(states, tables, actions, points, quiet, totals)
    found = see_some(count, points, quiet, True, seen, rng)
    going_on, look = int64(-1), 0.0
    if found > 0:
        best = best_seen(states, tables, actions, points, seen, found, looks, rng)
        going_on, look = int64(seen[best]), float(looks[best])
        if look > look_of(states, tables, seat, int64(points[count])):
            return going_on
    found = see_some(count, points, quiet, False, seen, rng)
    if found == 0:
        return going_on
    return int64(seen[best_seen(states, tables, actions, points, seen, found, looks, rng)])


class NoviceBot(Bot):
    """Plays what looks best among the moves that it sees."""

    def choose_in(self, world: Match) -> Move:
        """A move that looks good at once."""
        states, tables, rng = world.state(), world.setup.components.tables, self.chance_in(world)
        if world.game.evaluates_chance:
            entry_points.redeal(states, tables, int(states["to_move"][0]), rng)
        size = world.game.actions + 1
        actions, points, seen = np.empty((3, size), np.int64)
        quiet, looks = np.empty(size, bool), np.empty(size)
        totals = np.zeros(world.players, np.int32)
        chosen = choose_as_a_beginner(
            states, tables, actions, points, quiet, seen, looks, totals, rng
        )
        return world.legal_moves[int(chosen)]
