"""Who is at which table: a browser is there while it has a stream open, and when it asks."""

import math
import threading
import time
from collections.abc import Callable, Iterable

AWAY = 600.0
"""After how many seconds without a sign of a guest the host may give the seat to somebody."""


class Presence:
    """When browsers were last at tables.  Nothing is kept of those who have been away for long."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, away: float = AWAY) -> None:
        self.clock, self.away = clock, away
        self._open: dict[tuple[str, str], int] = {}  # streams, by table and browser
        self._last: dict[tuple[str, str], float] = {}
        self._start = clock()  # Who was here before that is not known.
        self._lock = threading.Lock()

    def seen(self, table: str, owner: str) -> None:
        """A browser has asked for a table or done something there."""
        with self._lock:
            self._note(table, owner)

    def opened(self, tables: Iterable[str], owner: str) -> None:
        """A browser watches these tables from now on."""
        with self._lock:
            for table in tables:
                self._open[table, owner] = self._open.get((table, owner), 0) + 1

    def closed(self, tables: Iterable[str], owner: str) -> None:
        """One of the streams of a browser has ended."""
        with self._lock:
            for table in tables:
                self._open[table, owner] -= 1
                if not self._open[table, owner]:
                    del self._open[table, owner]
                self._note(table, owner)

    def watched(self) -> set[str]:
        """The tables that somebody has open."""
        with self._lock:
            return {table for table, _ in self._open}

    def wait_for(self, table: str, owner: str) -> float:
        """For how many seconds a browser has still to be missed; 0 once it is away."""
        with self._lock:
            if (table, owner) in self._open:
                return self.away
            missed = self.clock() - self._last.get((table, owner), self._start)
            return max(0.0, self.away - missed)

    def minutes_for(self, table: str, owner: str) -> int:
        """The same in minutes that have begun."""
        return math.ceil(self.wait_for(table, owner) / 60)

    def _note(self, table: str, owner: str) -> None:
        now = self.clock()
        self._last.pop((table, owner), None)
        self._last[table, owner] = now
        while self._last and (oldest := next(iter(self._last))):  # in the order of time
            if now - self._last[oldest] < self.away:
                break
            del self._last[oldest]
