"""Who is at which table: a browser is there while it has a stream open, and when it asks.

Where several server processes share a database, each says who is with it (``to_say``) and hears who
is with the others (``hear``).  While one cannot hear them it takes nobody for away.
"""

import hashlib
import math
import threading
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

AWAY = 600.0
"""After how many seconds without a sign of a guest the host may give the seat to somebody."""
SAID_EVERY = 60.0
"""After how many seconds it is said again that a browser is there."""

K = TypeVar("K")
Pair = tuple[str, str]
"""A table and a browser."""


class Presence:
    """When browsers were last at tables.  Nothing is kept of those who have been away for long."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, away: float = AWAY) -> None:
        self.clock, self.away = clock, away
        self._open: dict[Pair, int] = {}  # streams, by table and browser
        self._last: dict[Pair, float] = {}
        self._start = clock()  # Who was here before that is not known.
        self._shared = self._deaf = False
        self._unsaid: set[Pair] = set()
        self._said: dict[Pair, float] = {}
        self._elsewhere: dict[str, float] = {}  # when others have seen whom, by marks
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

    def is_watched(self, table: str) -> bool:
        """Whether somebody has a table open, of those who are with this process."""
        with self._lock:
            return any(open_table == table for open_table, _ in self._open)

    def watched(self) -> set[str]:
        """The tables that somebody has open."""
        with self._lock:
            return {table for table, _ in self._open}

    def wait_for(self, table: str, owner: str) -> float:
        """For how many seconds a browser has still to be missed; 0 once it is away."""
        with self._lock:
            if self._deaf or (table, owner) in self._open:
                return self.away
            here = self._last.get((table, owner), self._start)
            elsewhere = self._elsewhere.get(mark_of(table, owner), self._start)
            return max(0.0, self.away - (self.clock() - max(here, elsewhere, self._start)))

    def minutes_for(self, table: str, owner: str) -> int:
        """The same in minutes that have begun."""
        return math.ceil(self.wait_for(table, owner) / 60)

    def _note(self, table: str, owner: str) -> None:
        now = self.clock()
        _renew(self._last, (table, owner), now, now - self.away)
        if self._shared:
            self._unsaid.add((table, owner))

    # --- several processes

    def share(self) -> None:
        """Others see browsers too; nothing has been heard of them yet."""
        with self._lock:
            self._shared = self._deaf = True

    def lost(self) -> None:
        """Nothing can be heard of the others, nor said to them."""
        with self._lock:
            self._deaf = True
            self._say_all_again()

    def not_said(self) -> None:
        """What was to be said has reached nobody; it is said again."""
        with self._lock:
            self._say_all_again()

    def _say_all_again(self) -> None:
        self._unsaid.update(self._said)
        self._said.clear()

    def found(self) -> None:
        """The others can be heard; whom they saw before is not known."""
        with self._lock:
            if self._deaf:
                self._deaf, self._start = False, self.clock()

    def to_say(self) -> dict[str, float]:
        """Who is here, or was since it was last said: seconds since then, by marks."""
        with self._lock:
            now = self.clock()
            due = [
                pair
                for pair in {*self._unsaid, *self._open}
                if now - self._said.get(pair, -math.inf) >= SAID_EVERY
            ]
            for pair in due:
                _renew(self._said, pair, now, now - self.away)
            self._unsaid.difference_update(due)
            ages = {pair: now - self._last.get(pair, now - self.away) for pair in due}
            return {mark_of(*pair): 0.0 if pair in self._open else ages[pair] for pair in due}

    def hear(self, marks: Iterable[tuple[str, float]]) -> None:
        """What another process says; its own words come back to a process too."""
        with self._lock:
            now = self.clock()
            for mark, age in marks:
                seen = max(now - age, self._elsewhere.get(mark, -math.inf))
                _renew(self._elsewhere, mark, seen, now - self.away)


def mark_of(table: str, owner: str) -> str:
    """By what processes speak of a browser at a table."""
    return hashlib.sha256(f"{table} {owner}".encode()).hexdigest()[:24]


def _renew(times: dict[K, float], key: K, now: float, oldest: float) -> None:
    """Note a time as the last one, and drop those that are too old: first come the first noted."""
    times.pop(key, None)
    times[key] = now
    while (first := next(iter(times))) != key and times[first] <= oldest:
        del times[first]
