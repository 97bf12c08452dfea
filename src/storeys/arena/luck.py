"""The luck of a game: what chance gave a seat beyond what it gives on the average.

Whenever chance acts (at the deal, at a draw), the evaluation of what came is compared with the mean
over some other futures of the same position and move.  The real future is one like the others, so
the difference is nothing on the average, however good or bad the evaluation is and whoever plays:
taking a multiple of it off a result changes its spread and never its mean.
"""

import numpy as np

from storeys.kernel import chance, verbs
from storeys.kernel.compiling import jit_when_it_pays
from storeys.kernel.record import IntArray, Records
from storeys.kernel.setup import Setup
from storeys.match import Match, deal

FUTURES = 16
"""With how many other futures the real one is compared."""


NOTHING = -1
"""The action of who only looks."""


@jit_when_it_pays
def promise(
    states: Records, tables: Records, action: int, rng: IntArray, futures: int, out: IntArray
) -> None:
    """What a position promises each seat, or an action in it on the average of some futures."""
    if action == NOTHING:
        verbs.evaluate(states[0], tables[0], out)
        return
    promised, trial = out.copy(), states[:1].copy()
    out[:] = 0
    for _ in range(futures):
        trial[0] = states[0]
        chance.rekey(trial[0], rng)
        verbs.apply(trial[0], tables[0], action)
        verbs.evaluate(trial[0], tables[0], promised)
        for seat in range(out.size):
            out[seat] += promised[seat] / futures


class Luck:
    """The luck of the seats of one match, in points; it is told of every move."""

    def __init__(self, match: Match, seed: int) -> None:
        self.points = np.zeros(match.players)
        self._match, self._tables = match, match.setup.components.tables
        self._rng = chance.generator(seed)
        # An evaluation that does not look at what chance deals finds no luck in it.
        self.can_tell = match.game.evaluates_chance
        if self.can_tell:
            given = self._promise(match.state(), NOTHING)
            self.points += given - self._of_other_deals(match.setup, seed)

    def push(self, move: str) -> None:
        """Make a move; what chance gave is noted."""
        match = self._match
        used, before, action = match.chance_used(), match.state(), match.action_of(move)
        match.push(move)
        if self.can_tell and match.chance_used() != used:
            expected = self._promise(before, action)
            self.points += self._promise(match.state(), NOTHING) - expected

    def _promise(self, states: Records, action: int) -> IntArray:
        promised = np.zeros(self._match.players)
        promise(states, self._tables, action, self._rng, FUTURES, promised)
        return promised

    def _of_other_deals(self, setup: Setup, seed: int) -> IntArray:
        key = chance.key_of_seed(seed)
        seeds = (chance.seed_of_game(key, nth) for nth in range(FUTURES))
        dealt = (deal(self._match.game, setup, other) for other in seeds)
        deals = [self._promise(states, NOTHING) for states in dealt]
        mean: IntArray = np.mean(deals, axis=0)
        return mean

    def margins(self) -> list[float]:
        """For each seat its luck less the others' on the average."""
        total, others = self.points.sum(), len(self.points) - 1
        # Compiled and interpreted sums differ in their last digits.
        return [round(float(own - (total - own) / others), 6) for own in self.points]
