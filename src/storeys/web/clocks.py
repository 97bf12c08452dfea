"""Clocks of turns: where a person's time is up, a bot plays that turn and hands the seat back.

When a turn began is the time of an event, and until when it lasts is kept with the table: clocks go
on while a server does not run.  Every server process looks.  Should two find the same turn, one of
them is refused, since the number of an event is part of its key.
"""

import threading

import structlog

from storeys.web.errors import NoTable, Unreadable
from storeys.web.failures import pause_after
from storeys.web.handlers import time_up
from storeys.web.store import Late
from storeys.web.tables import Tables

GRACE = 30.0
"""Seconds after a start in which nobody's time is up: until then nobody could play."""
LONGEST, SHORTEST = 5.0, 0.05
"""Seconds between two looks, at the most and at the least."""
MOST_AT_ONCE = 100
log = structlog.get_logger("storeys.web.clocks")


class Clocks:
    """Looks whose time is up; by the clock of the store."""

    def __init__(self, tables: Tables) -> None:
        self._tables, self._store = tables, tables.store
        self._not_before = 0.0
        self._stopped = threading.Event()

    def start(self) -> None:
        """Look now and then, beside everything else."""
        self._not_before = self._store.clock() + GRACE
        threading.Thread(target=self._look_often, name="clocks", daemon=True).start()

    def stop(self) -> None:
        """Look no more."""
        self._stopped.set()

    def look(self) -> int:
        """Let bots play where somebody's time is up; how many turns that were."""
        if self._store.clock() < self._not_before:
            return 0
        overdue = self._store.overdue(self._store.clock(), MOST_AT_ONCE)
        return sum(self._end_turn(table) for table in overdue)

    def _end_turn(self, table: str) -> bool:
        try:
            return time_up(self._tables, table)
        except Late:
            return False  # Somebody has moved, or another process was quicker.
        except (NoTable, Unreadable):
            self._store.note_deadline(table, None)
            return False

    def _look_often(self) -> None:
        failures, pause = 0, SHORTEST
        while not self._stopped.wait(pause):
            try:
                self.look()
                pause, failures = self._until_next(), 0
            except Exception as error:  # The database may be away; it is tried again.
                failures += 1
                pause = pause_after(failures)
                log.warning("clocks cannot be read", error=repr(error))

    def _until_next(self) -> float:
        """Seconds until somebody's time is up, and not too many."""
        first = self._store.next_deadline()
        if first is None:
            return LONGEST
        due = max(first, self._not_before) - self._store.clock()
        return min(max(due, SHORTEST), LONGEST)
