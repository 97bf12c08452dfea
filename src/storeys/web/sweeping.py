"""An end to what nobody uses: tables and uploads at which nobody has looked for very long.

A table is used when something happens at it and when somebody looks at it.  Of looks it is kept
only on which day the last one was, so that looking hardly ever writes.  Every server process does
this; two that do it at once take nothing from each other.

The time of day may jump, and by years: clocks are set, machines sleep.  After that it is not
believed until it has gone on evenly from one sweep to the next.
"""

import threading
import time
from collections.abc import Callable, Iterable

import structlog
from sqlalchemy import ColumnElement, and_, select, update

from storeys.kernel.errors import StoreysError
from storeys.web.limits import Limits
from storeys.web.store import TABLES, Store, remove
from storeys.web.tables import Tables

DAY = 24 * 3600.0
PERIOD = 600.0
"""After how many seconds it is swept again."""
BITE, PAUSE = 20, 0.2
"""How many tables are looked for at once, and for how many seconds others may write between."""
MOST_LOOKS = 100_000
SLACK = 60.0
"""By how many seconds the time of day may be set between two sweeps and still be believed."""
log = structlog.get_logger("storeys.web")


class Sweeping:
    """Removes what has not been used for so many days as the limits say."""

    def __init__(
        self,
        store: Store,
        tables: Tables,
        limits: Limits,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._tables = store, tables
        self._clock, self._steady = clock, steady
        self._ahead = clock() - steady()
        """How far the time of day was ahead of the clock that never jumps, at the last look."""
        self._days = [
            (TABLES.c.kind == "replay", limits.keep_uploads_days),
            (_match(TABLES.c.ended.is_(None)), limits.keep_unfinished_days),
            (_match(TABLES.c.ended.is_not(None)), limits.keep_finished_days),
        ]
        self._looks: set[str] = set()
        self._lock, self._stopped = threading.Lock(), threading.Event()

    def start(self) -> None:
        """Sweep now and then, beside everything else."""
        threading.Thread(target=self._sweep_often, name="sweeping", daemon=True).start()

    def stop(self) -> None:
        """End it, after the table that is being removed."""
        self._stopped.set()

    def note_look(self, table: str) -> None:
        """Somebody looks at a table."""
        with self._lock:
            if len(self._looks) < MOST_LOOKS:
                self._looks.add(table)

    def sweep(self) -> int:
        """Keep who has been looked at, and remove what is due; how many tables that were.

        Nothing is done after a jump of the clock: looks are kept by the next sweep.
        """
        now = self._clock()
        if abs(jump := self._jump_before(now)) > SLACK:
            log.warning("nothing is swept: the clock has jumped", seconds=round(jump))
            return 0
        self._keep_looks(now)
        return sum(self._remove_all(which, now - days * DAY) for which, days in self._days if days)

    def _jump_before(self, now: float) -> float:
        """By how many seconds the time of day has jumped since the last look."""
        before, self._ahead = self._ahead, now - self._steady()
        return self._ahead - before

    def _sweep_often(self) -> None:
        while not self._stopped.wait(PERIOD):
            try:
                removed = self.sweep()
            except Exception as error:  # The database may be away; it is tried again.
                log.warning("sweeping failed", error=repr(error))
            else:
                log.info("swept", removed=removed)

    def _keep_looks(self, now: float) -> None:
        with self._lock:
            looked, self._looks = self._looks, set()
        for few in _bites(looked | self._tables.presence.watched()):
            seen = and_(TABLES.c.id.in_(few), TABLES.c.touched < now - DAY)
            with self._store.writing() as connection:
                connection.execute(update(TABLES).where(seen).values(touched=now))

    def _remove_all(self, which: ColumnElement[bool], since: float) -> int:
        """Remove the tables of a kind that nobody has used since then, a few at a time."""
        removed, unused = 0, and_(which, TABLES.c.touched < since)
        while not self._stopped.is_set():
            with self._store.reading() as connection:
                few = list(connection.scalars(select(TABLES.c.id).where(unused).limit(BITE)))
            gone = sum(self._remove(table, unused) for table in few)
            removed += gone
            if not gone or self._stopped.wait(PAUSE):
                break
        return removed

    def _remove(self, table: str, unused: ColumnElement[bool]) -> bool:
        """Remove a table, unless it has come to be used in the meantime."""
        if table in self._tables.presence.watched():
            return False
        still = and_(TABLES.c.id == table, unused)
        try:
            with self._store.writing() as connection:
                # From here on the row is held: what others write there came before or is too late.
                held = update(TABLES).where(still).values(touched=TABLES.c.touched)
                if not connection.execute(held).rowcount:
                    return False
                remove(connection, table)
        except StoreysError:  # It cannot be written now.
            return False
        self._tables.forget(table)
        return True


def _match(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return and_(TABLES.c.kind == "match", condition)


def _bites(tables: Iterable[str]) -> list[list[str]]:
    every = sorted(tables)
    return [every[start : start + BITE] for start in range(0, len(every), BITE)]
