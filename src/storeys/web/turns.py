"""Bots' turns in the database: where one is to move, and which process lets it play.

Processes that share a database claim a table before they let its bot think, for some seconds that
they renew as long as they work at it.  A claim that has run out can be taken by any other.  Time is
the database's, so that clocks need not agree.  A claim only keeps work from being done twice: that
no move is made twice is sure without it, since the number of an event is part of its key.

One process alone claims nothing.  That it is alone is known by the database: only one process
serves a SQLite database.
"""

import os
import secrets
import socket
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Float,
    Select,
    and_,
    bindparam,
    exists,
    func,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.engine import make_url

from storeys.web.database import Unavailable
from storeys.web.queueing import Waiting
from storeys.web.store import IS_OPEN, SEATS, TABLES, Store

HOLDS = 6.0
"""Seconds after which a claim runs out that is not renewed."""
MOST_AT_ONCE = 500
"""How many tables are named in one question."""


CLOCKS = {
    "sqlite": "((julianday('now') - 2440587.5) * 86400.0)",
    "postgresql": "CAST(extract(epoch FROM clock_timestamp()) AS double precision)",
}
"""Seconds since 1970 by the clock of the database."""
_HERE = SEATS.c.table_id == TABLES.c.id
_IS_FULL = ~exists().where(_HERE, SEATS.c.kind == "open")
_HAS_PEOPLE = exists().where(_HERE, SEATS.c.kind == "human")
_HAS_BOTS = exists().where(_HERE, SEATS.c.kind == "bot")
_BOT_TO_MOVE = exists().where(_HERE, SEATS.c.kind == "bot", SEATS.c.seat == TABLES.c.to_move)


class Turns:
    """Which turns of bots wait, and the claims of this process on them."""

    def __init__(self, store: Store, shared: bool | None = None) -> None:
        self._store = store
        self.shared = store.is_shared if shared is None else shared
        """Whether other processes may use the database too."""
        host = socket.gethostname()[:30]
        self.claimant = f"{host}:{os.getpid()}:{secrets.token_hex(4)}"
        self._now = literal_column(CLOCKS[make_url(store.url).get_backend_name()], Float())
        taken, until = TABLES.c.claimant, TABLES.c.claimed_until
        self._free = or_(taken.is_(None), taken == self.claimant, until < self._now)
        """Claimed by nobody, by this process, or for too long."""
        owner = func.coalesce(TABLES.c.host, TABLES.c.id)
        open_and_free = and_(IS_OPEN, _IS_FULL, _BOT_TO_MOVE, self._free)
        self._waiting = (
            select(TABLES.c.id, owner, _HAS_PEOPLE).where(open_and_free).order_by(TABLES.c.touched)
        )
        # Made once: it is asked after every event.
        self._waiting_among = self._waiting.where(
            TABLES.c.id.in_(bindparam("tables", expanding=True))
        )
        self._held: set[str] = set()
        self._lock = threading.Lock()

    # --- looking

    def waiting(self, tables: Collection[str] | None = None) -> list[Waiting]:
        """The tables at which a bot is to move and that no other process has claimed.

        All of them, or those among some, the longest waiting first.
        """
        if tables is None:
            return self._found(self._waiting, {})
        named, found = list(tables), list[Waiting]()
        for first in range(0, len(named), MOST_AT_ONCE):
            some = {"tables": named[first : first + MOST_AT_ONCE]}
            found += self._found(self._waiting_among, some)
        return found

    def _found(self, question: Select[Any], values: dict[str, Any]) -> list[Waiting]:
        with self._store.reading() as connection:
            found = connection.execute(question, values).all()
        return [Waiting(table, owner, bool(people)) for table, owner, people in found]

    def unknown(self) -> Sequence[str]:
        """Tables with bots of an earlier release, which kept no note of whose turn it is."""
        rows = select(TABLES.c.id).where(
            IS_OPEN, _IS_FULL, TABLES.c.to_move.is_(None), _HAS_BOTS, self._free
        )
        with self._store.reading() as connection:
            return list(connection.scalars(rows))

    def anybody_claims(self) -> bool:
        """Whether some process lets bots think now."""
        claims = select(TABLES.c.id).where(TABLES.c.claimed_until >= self._now).limit(1)
        with self._store.reading() as connection:
            return connection.scalar(claims) is not None

    # --- claiming

    def claim(self, table: str) -> bool:
        """Claim a table for this process; False if another one has."""
        if self.shared:
            mine = {"claimant": self.claimant, "claimed_until": self._now + HOLDS}
            free = update(TABLES).where(TABLES.c.id == table, self._free).values(mine)
            with self._store.writing() as connection:
                if not connection.execute(free).rowcount:
                    return False
            with self._lock:
                self._held.add(table)
        return True

    def renew(self) -> None:
        """Keep what this process has claimed and not released."""
        with self._lock:
            held = list(self._held)
        for first in range(0, len(held), MOST_AT_ONCE):
            some = self._mine(held[first : first + MOST_AT_ONCE])
            until = update(TABLES).where(some).values(claimed_until=self._now + HOLDS)
            with self._store.writing() as connection:
                connection.execute(until)

    def release(self, tables: Collection[str] | None = None) -> None:
        """Let others have tables, or all; where that cannot be written the claim runs out."""
        with self._lock:
            held = self._held if tables is None else self._held & set(tables)
            self._held = self._held - held
        if held:
            free = update(TABLES).where(self._mine(list(held)))
            with suppress(Unavailable), self._store.writing() as connection:
                connection.execute(free.values(claimant=None, claimed_until=None))

    def _mine(self, tables: list[str]) -> ColumnElement[bool]:
        return and_(TABLES.c.claimant == self.claimant, TABLES.c.id.in_(tables))
