"""Which of some turns is the best: all are tried, then the better half of them, and so on.

Every turn that is still in is tried in the same deals.  What decides how many there are is a
number of simulations or a clock, and both are given here as how much of them is used.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

Trial = Callable[[int, int], float]
"""What a turn is worth in a deal: of the numbers of both."""
Used = Callable[[int], float]
"""Which share of the time is used when so many simulations are done; above 1 it is up."""
PRIOR_VISITS = 4
"""As how many simulations counts what was thought of a turn before."""


@dataclass
class Tally:
    """What was found of one turn."""

    nth: int
    prior: float
    """What it was thought to be worth before it was tried."""
    visits: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> None:
        """Count one simulation."""
        self.visits += 1
        self.total += value
        self.squares += value * value

    @property
    def value(self) -> float | None:
        """The mean of all simulations; None without any."""
        return self.total / self.visits if self.visits else None

    @property
    def likely(self) -> float:
        """The same with what was thought before, as if that came from some simulations."""
        return (self.total + PRIOR_VISITS * self.prior) / (self.visits + PRIOR_VISITS)

    @property
    def spread(self) -> float | None:
        """The standard deviation of one simulation."""
        if not self.visits:
            return None
        mean = self.total / self.visits
        return math.sqrt(max(0.0, self.squares / self.visits - mean * mean))


def halve(priors: Sequence[float], trial: Trial, used: Used, threads: int) -> list[Tally]:
    """Try turns, of each of which something is thought before, as long as there is time.

    They come back with the best first; those that were tried longer stand before the others.
    """
    tallies = _best_first([Tally(nth, prior) for nth, prior in enumerate(priors)])
    alive, stage, done, deal = len(tallies), 1, 0, 0
    stages = max(1, math.ceil(math.log2(alive)))
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(threads)) if threads > 1 else None
        while alive > 1 and used(done + alive) <= 1:
            values = _try_all(tallies[:alive], deal, trial, lambda: used(0) > 1, pool)
            if None in values:
                break  # A deal counts for all or for none.
            for tally, value in zip(tallies, values, strict=False):
                tally.add(value or 0.0)
            deal, done = deal + 1, done + alive
            if used(done) >= stage / stages:
                tallies[:alive] = _best_first(tallies[:alive])
                alive, stage = (alive + 1) // 2, stage + 1
        tallies[:alive] = _best_first(tallies[:alive])
    return tallies


def _best_first(tallies: list[Tally]) -> list[Tally]:
    return sorted(tallies, key=lambda tally: -tally.likely)


def _try_all(
    tallies: list[Tally],
    deal: int,
    trial: Trial,
    must_stop: Callable[[], bool],
    pool: ThreadPoolExecutor | None,
) -> list[float | None]:
    """What each turn is worth in a deal, or None where there was no time for it."""

    def try_one(tally: Tally) -> float | None:
        return None if must_stop() else trial(tally.nth, deal)

    return list(map(try_one, tallies) if pool is None else pool.map(try_one, tallies))
