"""A test that may be looked at after every group, and an interval that holds at all times.

What a bot gets against another in a group is a number from 0 to 1.  Gamblers bet on the groups in
order, some that the mean is above ``m``, some that it is below, each always the same share of what
it has.  If the mean is ``m``, the game is fair and nobody gets rich: by Ville's inequality the
capital of either side ever grows to ``2 / alpha`` times what it was with a probability of at most
``alpha / 2``, however long one plays and whenever one looks (Waudby-Smith and Ramdas, *Estimating
means of bounded random variables by betting*, 2023).  Nothing is assumed of the results but that
groups are alike and independent.  The means that have made nobody rich are the interval.
"""

import math
from collections.abc import Iterable

import numpy as np

from storeys.kernel.record import IntArray

STEPS = 1000
"""How finely an interval is told."""
STAKES = np.array([0.03, 0.06, 0.12, 0.25, 0.5, 0.9])
"""What the gamblers stake, as shares of what one may without being ruined at once: small stakes
find small differences, large ones find large differences soon."""


class Betting:
    """The capital of both sides for every mean that there can be, group by group."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self.means = np.append((np.arange(STEPS) + 0.5) / STEPS, 0.5)  # the last is the question
        self._enough = math.log(2 / alpha) + math.log(len(STAKES))
        self._above = np.zeros((len(STAKES), STEPS + 1))  # logarithms
        self._below = self._above.copy()
        self.verdict = 0
        """1 once the mean is found to be above one half, -1 once below."""
        self.low, self.high = 0.0, 1.0

    def add(self, value: float) -> None:
        """Look at a group's result."""
        self._above += _won(self.means, value)
        self._below += _won(1 - self.means, 1 - value)
        above, below = (
            np.logaddexp.reduce(side, axis=0) >= self._enough for side in (self._above, self._below)
        )
        if self.verdict == 0:
            self.verdict = int(above[-1]) - int(below[-1])
        # An interval never grows again: those of all groups hold at once.
        self.low = max(self.low, float(above[:-1].sum()) / STEPS)
        self.high = min(self.high, 1 - float(below[:-1].sum()) / STEPS)


def _won(means: IntArray, value: float) -> IntArray:
    """How the logarithms of the capitals change that bet on more than the mean."""
    return np.log1p(STAKES[:, None] / means * (value - means))


def decide(values: Iterable[float], alpha: float) -> Betting:
    """Look at groups in order.

    >>> from storeys.arena.sequential import decide
    >>> test = decide([1.0] * 20, alpha=0.05)
    >>> test.verdict, round(test.low, 2), test.high
    (1, 0.75, 1.0)
    """
    test = Betting(alpha)
    for value in values:
        test.add(value)
    return test
