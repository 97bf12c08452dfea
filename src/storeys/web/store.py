"""What is kept: tables, their seats, and append-only events with a running number a table.

An event is committed before anyone is told of it.  Two writers cannot both write event n of a
table: its number is part of the key.  SQLite is the default, with one writer at a time;
PostgreSQL works by its URL.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Row,
    String,
    Table,
    Text,
    UniqueConstraint,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.web.database import (
    PATIENCE,
    BadDatabase,
    answering,
    bring_up_to_date,
    engines_of,
    time_left,
    unavailable,
)

WRITERS = 8
"""How many may write to PostgreSQL at once, each over a connection of its own."""
EVENTS_CHANNEL = "storeys_events"
"""Where PostgreSQL tells all server processes of events: of which table, and their number."""


class Late(StoreysError):  # noqa: N818
    """Something was posted on top of an event that is not the last one any more."""


class BadRow(StoreysError):  # noqa: N818
    """A row of the database that cannot be read."""


METADATA = MetaData()

TABLES = Table(
    "tables",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("kind", String(16), nullable=False),  # match, or replay of an uploaded record
    Column("record", JSON, nullable=False),  # what the match starts from, as a record
    Column("created", Float, nullable=False),
    Column("previous", String(32)),  # the table that this is a rematch of
    Column("ended", Float),  # when the match was over
    Column("host", String(64)),  # a hash of the cookie of who set it up
    Column("to_move", Integer),  # the seat, after the last event; null if that was never noted
    Column("touched", Float),  # when something last happened there
    Column("claimant", String(64)),  # who lets its bots play now
    Column("claimed_until", Float),  # and until when, unless it says so again
    Column("clock", Integer),  # seconds that a person has for a turn; null: as long as they like
    Column("turn", Integer),  # the event by which the turn began that somebody has now
    Column("began", Float),  # and when that was; null where it is a bot's
    Column("deadline", Float),  # when a bot plays for who has not
    Column("mailed", Integer),  # the turn of which a reminder was written
    Index("tables_touched", "touched"),
    Index("tables_deadline", "deadline"),
    Index("tables_host", "host"),
)
"""One table: a match as it was set up."""

SEATS = Table(
    "seats",
    METADATA,
    Column("table_id", String(32), ForeignKey("tables.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),  # human, bot, open
    Column("name", Text, nullable=False),
    Column("bot", String(64)),
    Column("owner", String(64), index=True),  # a hash of the cookie
    Column("token", String(64), unique=True),  # of the link that gives it
    Column("used", String(64), index=True),  # of the link that gave it
    Column("face", String(32)),  # that somebody chose
)
"""Who sits where now; the events tell how it came about."""

EVENTS = Table(
    "events",
    METADATA,
    Column("table_id", String(32), ForeignKey("tables.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("seat", Integer),
    Column("data", JSON, nullable=False),
    Column("client", String(64), nullable=False),  # the poster's own id of it
    Column("created", Float, nullable=False),
    UniqueConstraint("table_id", "client", name="events_table_client_key"),
)
"""What happened at a table."""

CHECKPOINTS = Table(
    "checkpoints",
    METADATA,
    Column("table_id", String(32), ForeignKey("tables.id"), primary_key=True),
    Column("seq", Integer, nullable=False),  # the event after which it was made
    Column("content", Text, nullable=False),
)
"""Where a match stood, for a program of the same version."""

SETTINGS = Table(
    "settings",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)
"""What all server processes of a database must agree on."""

PHRASES = Table(
    "phrases",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("until", Float, nullable=False),
)
"""Phrases that carry an identity over to another browser, by their hash."""

ADDRESSES = Table(
    "addresses",
    METADATA,
    Column("owner", String(64), primary_key=True),
    Column("address", String(254), nullable=False, index=True),
    Column("token", String(64), nullable=False, unique=True),  # of links in mails
    Column("lang", String(8), nullable=False),
    Column("asked", Float, nullable=False),
    Column("confirmed", Float),  # by the link in a mail
)
"""Where people want to be reminded of their turns."""

MAILS = Table(
    "mails",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("owner", String(64), nullable=False, index=True),
    Column("table_id", String(32)),  # null: the mail by which an address is confirmed
    Column("turn", Integer),
    Column("due", Float, nullable=False, index=True),
    Column("tries", Integer, nullable=False),
)
"""Mails that are to be sent; none is kept that was."""


# What happens most is put together once.
ADD_EVENT = insert(EVENTS)
NOTE_TURN = update(TABLES).where(TABLES.c.id == bindparam("of_table"))
FIND_TABLE = (
    select(TABLES, CHECKPOINTS.c.seq, CHECKPOINTS.c.content)
    .outerjoin(CHECKPOINTS)
    .where(TABLES.c.id == bindparam("of_table"))
)
FIND_EVENTS = (
    select(EVENTS)
    .where(EVENTS.c.table_id == bindparam("of_table"), EVENTS.c.seq > bindparam("after"))
    .order_by(EVENTS.c.seq)
)
FIND_SEATS = select(SEATS).where(SEATS.c.table_id == bindparam("of_table")).order_by(SEATS.c.seat)


@dataclass(frozen=True)
class SeatFacts:
    """A seat as it is kept."""

    seat: int
    kind: str
    name: str
    bot: str | None = None
    owner: str | None = None
    token: str | None = None
    used: str | None = None
    face: str | None = None


@dataclass(frozen=True)
class SeatChange:
    """What changes of a seat."""

    before: SeatFacts
    after: SeatFacts


@dataclass(frozen=True)
class EventFacts:
    """An event as it is kept."""

    seq: int
    kind: str
    seat: int | None
    data: Mapping[str, Any]
    client: str
    created: float = 0.0


@dataclass(frozen=True)
class Timing:
    """Since which event it is somebody's turn, since when, and until when; nothing for bots."""

    turn: int | None
    began: float | None
    deadline: float | None


@dataclass(frozen=True)
class NewTable:
    """A table that is to be kept."""

    id: str
    kind: str
    record: dict[str, Any]
    seats: Sequence[SeatFacts]
    previous: str | None
    host: str | None
    to_move: int | None
    clock: int | None = None
    waits_for_person: bool = False
    """Whether the first turn is a person's, and begins at once."""


@dataclass(frozen=True)
class Checkpoint:
    """Where the match of a table stood after an event."""

    table: str
    seq: int
    content: str


@dataclass(frozen=True)
class TableFacts:
    """A table with everything that happened at it."""

    id: str
    kind: str
    record: dict[str, Any]
    previous: str | None
    created: float
    host: str | None
    seats: tuple[SeatFacts, ...]
    events: tuple[EventFacts, ...]
    checkpoint: Checkpoint | None = None
    clock: int | None = None


@dataclass(frozen=True)
class Outline:
    """What is known of a table without reading what was played at it."""

    id: str
    created: float
    host: str | None
    seats: tuple[SeatFacts, ...]


class Store:
    """The database behind the server."""

    def __init__(self, url: str, patience: float = PATIENCE, up_to_date: bool = False) -> None:
        """Open a database; a write that waits longer than the patience, in seconds, is refused.

        One that somebody has brought ``up_to_date`` is not asked for anything yet.
        """
        self.url, self.patience = url, patience
        self.clock: Callable[[], float] = time.time
        """Seconds since 1970; tests hold it."""
        self._engine, self._writer = engines_of(url, patience, WRITERS)
        self.is_shared = self._engine.dialect.name == "postgresql"
        """Whether other server processes may write to it too."""
        self._writing = threading.BoundedSemaphore(WRITERS if self.is_shared else 1)
        # In memory there is one connection for all: who ends reading would undo what is written.
        in_memory = self._engine is self._writer and self._engine.dialect.name == "sqlite"
        self._alone: AbstractContextManager[Any] = threading.RLock() if in_memory else nullcontext()
        try:
            if not up_to_date:
                bring_up_to_date(self._engine, url, METADATA)
        except BadDatabase:
            self.close()
            raise

    def now(self) -> float:
        """Seconds since 1970."""
        return self.clock()

    def close(self) -> None:
        """Let go of the database; one in memory has a single connection, which may be in use."""
        with self._alone:
            self._engine.dispose()
            self._writer.dispose()

    def create(
        self,
        table: str,
        kind: str,
        record: dict[str, Any],
        seats: Sequence[SeatFacts],
        previous: str | None = None,
        host: str | None = None,
        to_move: int | None = None,
    ) -> None:
        """Keep a new table."""
        self.add(NewTable(table, kind, record, seats, previous, host, to_move))

    def add(self, new: NewTable) -> None:
        """Keep a new table."""
        with self._write() as connection:
            _add(connection, new, self.clock())

    def load(self, table: str) -> TableFacts | None:
        """A table with its seats and events, or None; ``BadRow`` if it cannot be read."""
        with self._read() as connection, _rows_that_make_sense(connection):
            return _facts(connection, table)

    def newest(self, table: str) -> int | None:
        """The number of the last event at a table, 0 if there was none; None without a table."""
        last = select(func.max(EVENTS.c.seq)).where(EVENTS.c.table_id == table).scalar_subquery()
        asked = select(func.coalesce(last, 0)).where(TABLES.c.id == table)
        with self._read() as connection:
            seq: int | None = connection.scalar(asked)
            return seq

    def newest_of(self, tables: Sequence[str]) -> dict[str, int]:
        """The number of the last event at each of some tables, where there was one."""
        asked = select(EVENTS.c.table_id, func.max(EVENTS.c.seq)).group_by(EVENTS.c.table_id)
        with self._read() as connection:
            found = connection.execute(asked.where(EVENTS.c.table_id.in_(tables)))
            return {row[0]: row[1] for row in found}

    def since(self, table: str, seq: int) -> tuple[list[EventFacts], tuple[SeatFacts, ...]] | None:
        """What has happened at a table after an event, and who sits there; None without it."""
        with self._read() as connection, _rows_that_make_sense(connection):
            events = _events_at(connection, table, seq)
            seats = _seats_at(connection, table)  # never older than the events
            return (events, seats) if seats else None

    def outline(self, table: str) -> Outline | None:
        """Whose table it is, also where the rest cannot be read; None if there is none."""
        known = select(TABLES.c.id, TABLES.c.created, TABLES.c.host).where(TABLES.c.id == table)
        with self._read() as connection:
            found = connection.execute(known).one_or_none()
            if found is None:
                return None
            return Outline(found.id, found.created, found.host, _seats_at(connection, table))

    def delete(self, table: str, seq: int = 0) -> None:
        """Remove a table with everything that happened at it, up to an event of that number."""
        with self._write() as connection:
            remove(connection, table)
            self.tell_others(connection, table, seq + 1)

    def leave(self, table: str, owner: str) -> None:
        """Let the seats of a browser at a table belong to nobody."""
        theirs = and_(SEATS.c.table_id == table, SEATS.c.owner == owner)
        with self._write() as connection:
            connection.execute(update(SEATS).where(theirs).values(owner=None))

    def append(
        self,
        table: str,
        entry: EventFacts,
        seat: SeatChange | None = None,
        to_move: int | None = None,
        ends: bool = False,
        rematch: NewTable | None = None,
        timing: Timing | None = None,
        before: Sequence[EventFacts] = (),
    ) -> None:
        """Commit an event, with what it changes of a seat; ``Late`` if its number is taken.

        ``to_move`` is the seat whose turn it is then, ``ends`` whether the match is over, and
        ``timing`` since when it is somebody's turn, where that changes; a ``rematch`` is kept with
        the event that tells of it.  Events ``before`` it that change nothing else are committed
        with it: all of them, or none.
        """
        now, entries = entry.created or self.clock(), (*before, entry)
        noted: dict[str, Any] = {"of_table": table, "to_move": to_move, "touched": now}
        noted |= {"ended": now} if ends else {}  # A column that is given is written.
        noted |= {} if timing is None else asdict(timing)
        try:
            with self._write() as connection:
                connection.execute(ADD_EVENT, [_row_of(table, one, now) for one in entries])
                connection.execute(NOTE_TURN, noted)
                if seat is not None:
                    _change_seat(connection, table, seat)
                if rematch is not None:
                    _add(connection, rematch, now)
                for one in entries:
                    self.tell_others(connection, table, one.seq)
        except IntegrityError:
            raise Late(Message("storeys.web.late")) from None

    def keep_checkpoints(self, made: Iterable[Checkpoint]) -> None:
        """Keep where matches stand, each in the place of what was kept before."""
        rows = [{"table_id": one.table, "seq": one.seq, "content": one.content} for one in made]
        tables = [row["table_id"] for row in rows]
        with self._write() as connection:
            # One that is removed meanwhile is waited for, or waits.
            held = (
                select(TABLES.c.id)
                .where(TABLES.c.id.in_(tables))
                .with_for_update(read=True, key_share=True)
            )
            there = {*connection.scalars(held)}
            connection.execute(delete(CHECKPOINTS).where(CHECKPOINTS.c.table_id.in_(tables)))
            if kept := [row for row in rows if row["table_id"] in there]:
                connection.execute(insert(CHECKPOINTS), kept)

    def change_seat(self, table: str, change: SeatChange) -> None:
        """Keep what changed of a seat and is no event: the link that gives it."""
        with self._write() as connection:
            _change_seat(connection, table, change)

    def note_turn(self, table: str, to_move: int | None) -> None:
        """Keep whose turn it is at a table of an earlier release, which kept no such note."""
        with self._write() as connection:
            connection.execute(update(TABLES).where(TABLES.c.id == table).values(to_move=to_move))

    def overdue(self, now: float, most: int) -> list[str]:
        """Tables at which somebody's time is up, the longest first; not more than so many."""
        late = select(TABLES.c.id).where(IS_OPEN, TABLES.c.deadline <= now)
        with self._read() as connection:
            return list(connection.scalars(late.order_by(TABLES.c.deadline).limit(most)))

    def next_deadline(self) -> float | None:
        """When somebody's time is up next."""
        with self._read() as connection:
            asked = select(func.min(TABLES.c.deadline)).where(IS_OPEN)
            first: float | None = connection.scalar(asked)
            return first

    def note_deadline(self, table: str, deadline: float | None) -> None:
        """Keep until when a person has time, where that was noted wrongly."""
        with self._write() as connection:
            connection.execute(update(TABLES).where(TABLES.c.id == table).values(deadline=deadline))

    def seat_of_token(self, token: str) -> tuple[str, int] | None:
        """The table and seat that a link gives or gave, or None."""
        by_link = or_(SEATS.c.token == token, SEATS.c.used == token)
        with self._read() as connection:
            found = connection.execute(select(SEATS).where(by_link)).first()
            return None if found is None else (found.table_id, found.seat)

    def tables_of(self, owner: str, most: int = 30, skip: int = 0) -> list[str]:
        """The tables at which a browser sits or that it set up, the newest first."""
        seated = select(SEATS.c.table_id).where(SEATS.c.owner == owner)
        ids = (
            select(TABLES.c.id)
            .where(or_(TABLES.c.host == owner, TABLES.c.id.in_(seated)))
            .order_by(TABLES.c.created.desc(), TABLES.c.id)
            .offset(skip)
            .limit(most)
        )
        with self._read() as connection:
            return list(connection.scalars(ids))

    def turns_of(self, owner: str, most: int = 200) -> list[str]:
        """The tables at which a browser is to move, those first that wait for the longest."""
        sits_there = and_(
            SEATS.c.table_id == TABLES.c.id, SEATS.c.seat == TABLES.c.to_move,
            SEATS.c.owner == owner, SEATS.c.kind == "human",
        )  # fmt: skip
        here = SEATS.alias()
        is_full = ~exists().where(here.c.table_id == TABLES.c.id, here.c.kind == "open")
        ids = (
            select(TABLES.c.id)
            .join(SEATS, sits_there)
            .where(IS_OPEN, is_full)
            .order_by(TABLES.c.touched)
            .limit(most)
        )
        with self._read() as connection:
            return list(connection.scalars(ids))

    def open_tables(self) -> list[str]:
        """All matches that have not ended."""
        with self._read() as connection:
            return list(connection.scalars(select(TABLES.c.id).where(IS_OPEN)))

    def try_to_write(self) -> None:
        """Write something that nobody reads; ``Unavailable`` if that is not possible."""
        name, now = "written", str(time.time())
        with self._write() as connection:
            there = update(SETTINGS).where(SETTINGS.c.name == name).values(value=now)
            if not connection.execute(there).rowcount:
                connection.execute(insert(SETTINGS).values(name=name, value=now))

    def listener(self) -> Any:
        """A connection of psycopg's for its user alone, to listen on; PostgreSQL only."""
        with answering():
            pooled = self._engine.raw_connection()
        connection: Any = pooled.driver_connection
        pooled.detach()
        connection.rollback()
        connection.autocommit = True
        return connection

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        """A connection to read by; ``Unavailable`` if the database does not answer."""
        with self._alone, answering(), self._engine.connect() as connection:
            yield connection

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection to ask the database."""
        return self._read()

    def writing(self) -> AbstractContextManager[Connection]:
        """One transaction, committed at the end."""
        return self._write()

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        """One transaction, committed at the end; ``Unavailable`` if it takes too long.

        One writer at a time on SQLite, a few on PostgreSQL.
        """
        if not self._writing.acquire(timeout=time_left(self.patience)):
            raise unavailable()
        try:
            with self._alone, answering(), self._writer.begin() as connection:
                if not self.is_shared:
                    self._wait_no_longer(connection)
                yield connection
        finally:
            self._writing.release()

    def _wait_no_longer(self, connection: Connection) -> None:
        """Let SQLite wait for others as long as there is patience, down to a tenth of a second."""
        wait = 100 * int(10 * time_left(self.patience))
        if self._writer.dialect.name == "sqlite" and connection.info.get("waits") != wait:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={wait}")
            connection.info["waits"] = wait

    def tell_others(self, connection: Connection, table: str, seq: int) -> None:
        """Let other server processes know of an event, once it is committed."""
        if self.is_shared:
            connection.execute(select(func.pg_notify(EVENTS_CHANNEL, f"{table} {seq}")))


@contextmanager
def _rows_that_make_sense(connection: Connection) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        connection.invalidate()  # The rest was not fetched: it would go on seeing the past.
        raise BadRow(Message("storeys.web.broken-row")) from error


IS_OPEN = and_(TABLES.c.kind == "match", TABLES.c.ended.is_(None))


def remove(connection: Connection, table: str) -> None:
    """Remove a table with all that is kept of it."""
    for rows in (EVENTS, SEATS, CHECKPOINTS, MAILS):
        connection.execute(delete(rows).where(rows.c.table_id == table))
    connection.execute(delete(TABLES).where(TABLES.c.id == table))


def _add(connection: Connection, new: NewTable, now: float) -> None:
    facts = {"id": new.id, "kind": new.kind, "record": new.record, "created": now, "touched": now}
    facts |= {"previous": new.previous, "host": new.host, "to_move": new.to_move}
    facts["clock"] = new.clock
    if new.waits_for_person:
        facts |= {"turn": 0, "began": now, "deadline": now + new.clock if new.clock else None}
    connection.execute(insert(TABLES).values(facts))
    for seat in new.seats:
        connection.execute(insert(SEATS).values(table_id=new.id, **asdict(seat)))


def _row_of(table: str, event: EventFacts, now: float) -> dict[str, Any]:
    row = {"table_id": table, "seq": event.seq, "kind": event.kind, "seat": event.seat}
    return row | {"data": dict(event.data), "client": event.client, "created": now}


def _facts(connection: Connection, table: str) -> TableFacts | None:
    # All rows are fetched before any is read: one that cannot be read leaves nothing open, which
    # would go on seeing the past.
    rows = connection.execute(FIND_TABLE, {"of_table": table}).all()
    if not rows:
        return None
    [found] = rows
    events = tuple(_events_at(connection, table))
    seats = _seats_at(connection, table)  # never older than the events
    whose = (found.previous, found.created, found.host)
    kept = None if found.content is None else Checkpoint(table, found.seq, found.content)
    return TableFacts(table, found.kind, found.record, *whose, seats, events, kept, found.clock)


def _events_at(connection: Connection, table: str, after: int = 0) -> list[EventFacts]:
    rows = connection.execute(FIND_EVENTS, {"of_table": table, "after": after}).all()
    return [
        EventFacts(row.seq, row.kind, row.seat, row.data, row.client, row.created) for row in rows
    ]


def _seats_at(connection: Connection, table: str) -> tuple[SeatFacts, ...]:
    return tuple(_seat_of(row) for row in connection.execute(FIND_SEATS, {"of_table": table}))


def _change_seat(connection: Connection, table: str, change: SeatChange) -> None:
    """Keep what changed of a seat; ``Late`` if it has been changed or deleted meanwhile."""
    before, after = change.before, asdict(change.after)
    here = and_(SEATS.c.table_id == table, SEATS.c.seat == before.seat)
    as_before = and_(SEATS.c.owner == before.owner, SEATS.c.token == before.token)
    if not connection.execute(update(SEATS).where(here, as_before).values(after)).rowcount:
        raise Late(Message("storeys.web.late"))


def _seat_of(row: Row[Any]) -> SeatFacts:
    return SeatFacts(
        row.seat, row.kind, row.name, row.bot, row.owner, row.token, row.used, row.face
    )
