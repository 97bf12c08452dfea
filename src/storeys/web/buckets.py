"""How often something may be done: so many times at once, and so many more every minute.

A bucket fills up again by the minute.  Buckets are few: those that were used last.  One that is let
go would have been full again in most cases.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MOST_BUCKETS = 50_000


@dataclass(frozen=True)
class Rate:
    """How many things may be done at once, and how many more every minute."""

    at_once: int
    per_minute: int

    def times(self, factor: int) -> "Rate":
        """The same for so many."""
        return Rate(self.at_once * factor, self.per_minute * factor)


class Buckets:
    """What is left of a rate to each who asks."""

    def __init__(
        self, rate: Rate, clock: Callable[[], float] = time.monotonic, most: int = MOST_BUCKETS
    ) -> None:
        self._rate, self._clock, self._most = rate, clock, most
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._left)

    def take(self, who: str) -> float:
        """Take one thing, if one is left; otherwise in how many seconds there will be one."""
        now, rate = self._clock(), self._rate
        left, then = self._left.pop(who, (float(rate.at_once), now))
        left = min(rate.at_once, left + (now - then) * rate.per_minute / 60)
        wait = 0.0 if left >= 1 else (1 - left) * 60 / max(rate.per_minute, 1e-9)
        self._left[who] = (left if wait else left - 1, now)
        while len(self._left) > self._most:
            self._left.popitem(last=False)
        return wait
