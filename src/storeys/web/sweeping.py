"""An end to what nobody uses: tables and uploads at which nobody has looked for very long.

A table is used when something happens at it and when somebody looks at it.  Of looks it is kept
only on which day the last one was, so that looking hardly ever writes.  Every server process does
this; two that do it at once take nothing from each other.
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
log = structlog.get_logger("storeys.web")


class Sweeping:
    """Removes what has not been used for so many days as the limits say."""

    def __init__(
        self, store: Store, tables: Tables, limits: Limits, clock: Callable[[], float] = time.time
    ) -> None:
        self._store, self._tables, self._clock = store, tables, clock
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
        """Keep who has been looked at, and remove what is due; how many tables that were."""
        self._keep_looks()
        return sum(self._remove_all(which, days) for which, days in self._days if days)

    def _sweep_often(self) -> None:
        while not self._stopped.wait(PERIOD):
            try:
                removed = self.sweep()
            except Exception as error:  # The database may be away; it is tried again.
                log.warning("sweeping failed", error=repr(error))
            else:
                log.info("swept", removed=removed)

    def _keep_looks(self) -> None:
        with self._lock:
            looked, self._looks = self._looks, set()
        now = self._clock()
        for few in _bites(looked | self._tables.presence.watched()):
            seen = and_(TABLES.c.id.in_(few), TABLES.c.touched < now - DAY)
            with self._store.writing() as connection:
                connection.execute(update(TABLES).where(seen).values(touched=now))

    def _remove_all(self, which: ColumnElement[bool], days: int) -> int:
        """Remove the tables of a kind that nobody has used for so many days, a few at a time."""
        removed, unused = 0, and_(which, TABLES.c.touched < self._clock() - days * DAY)
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
