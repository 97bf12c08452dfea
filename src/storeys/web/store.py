"""What is kept: tables, their seats, and append-only events with a running number a table.

An event is committed before anyone is told of it.  Two writers cannot both write event n of a
table: its number is part of the key.  SQLite is the default, with one writer at a time;
PostgreSQL works by its URL.
"""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Row,
    String,
    Table,
    Text,
    UniqueConstraint,
    and_,
    create_engine,
    delete,
    event,
    insert,
    inspect,
    or_,
    select,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).parent / "migrations"
REVISIONS = sorted(
    step.stem.partition("_")[0] for step in (MIGRATIONS / "versions").glob("[0-9]*.py")
)
"""The migrations from the first to the newest, by which Alembic calls them too."""


class BadDatabase(StoreysError):  # noqa: N818
    """A database that cannot be used."""


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
    Index("tables_touched", "touched"),
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


@dataclass(frozen=True)
class EventFacts:
    """An event as it is kept."""

    seq: int
    kind: str
    seat: int | None
    data: Mapping[str, Any]
    client: str


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


@dataclass(frozen=True)
class Outline:
    """What is known of a table without reading what was played at it."""

    id: str
    created: float
    host: str | None
    seats: tuple[SeatFacts, ...]


class Store:
    """The database behind the server."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._engine = _engine_of(url)
        self._writing = threading.Lock()
        try:
            _bring_up_to_date(self._engine, url)
        except BadDatabase:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

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
        now = time.time()
        facts = {"id": table, "kind": kind, "record": record, "created": now, "touched": now}
        facts |= {"previous": previous, "host": host, "to_move": to_move}
        with self._write() as connection:
            connection.execute(insert(TABLES).values(facts))
            for seat in seats:
                connection.execute(insert(SEATS).values(table_id=table, **asdict(seat)))

    def load(self, table: str) -> TableFacts | None:
        """A table with its seats and events, or None; ``BadRow`` if it cannot be read."""
        with self._engine.connect() as connection:
            try:
                return _read(connection, table)
            except (ValueError, TypeError, LookupError, RecursionError) as error:
                connection.invalidate()  # The rest was not fetched: it would go on seeing the past.
                raise BadRow(Message("storeys.web.broken-row")) from error

    def outline(self, table: str) -> Outline | None:
        """Whose table it is, also where the rest cannot be read; None if there is none."""
        known = select(TABLES.c.id, TABLES.c.created, TABLES.c.host).where(TABLES.c.id == table)
        with self._engine.connect() as connection:
            found = connection.execute(known).one_or_none()
            if found is None:
                return None
            return Outline(found.id, found.created, found.host, _seats_at(connection, table))

    def delete(self, table: str) -> None:
        """Remove a table with everything that happened at it."""
        with self._write() as connection:
            for rows in (EVENTS, SEATS):
                connection.execute(delete(rows).where(rows.c.table_id == table))
            connection.execute(delete(TABLES).where(TABLES.c.id == table))

    def leave(self, table: str, owner: str) -> None:
        """Let the seats of a browser at a table belong to nobody."""
        theirs = and_(SEATS.c.table_id == table, SEATS.c.owner == owner)
        with self._write() as connection:
            connection.execute(update(SEATS).where(theirs).values(owner=None))

    def append(
        self,
        table: str,
        entry: EventFacts,
        seat: SeatFacts | None = None,
        to_move: int | None = None,
        ends: bool = False,
    ) -> None:
        """Commit an event, with what it changes of a seat; ``Late`` if its number is taken.

        ``to_move`` is the seat whose turn it is then, and ``ends`` whether the match is over.
        """
        now = time.time()
        facts = {"table_id": table, "seq": entry.seq, "kind": entry.kind, "seat": entry.seat}
        facts |= {"data": dict(entry.data), "client": entry.client, "created": now}
        noted: dict[str, Any] = {"to_move": to_move, "touched": now}
        noted |= {"ended": now} if ends else {}
        try:
            with self._write() as connection:
                connection.execute(insert(EVENTS).values(facts))
                connection.execute(update(TABLES).where(TABLES.c.id == table).values(noted))
                if seat is not None:
                    _change_seat(connection, table, seat)
        except IntegrityError:
            raise Late(Message("storeys.web.late")) from None

    def change_seat(self, table: str, seat: SeatFacts) -> None:
        """Keep what changed of a seat and is no event: the link that gives it."""
        with self._write() as connection:
            _change_seat(connection, table, seat)

    def note_turn(self, table: str, to_move: int | None) -> None:
        """Keep whose turn it is at a table of an earlier release, which kept no such note."""
        with self._write() as connection:
            connection.execute(update(TABLES).where(TABLES.c.id == table).values(to_move=to_move))

    def seat_of_token(self, token: str) -> tuple[str, int] | None:
        """The table and seat that a link gives or gave, or None."""
        by_link = or_(SEATS.c.token == token, SEATS.c.used == token)
        with self._engine.connect() as connection:
            found = connection.execute(select(SEATS).where(by_link)).first()
            return None if found is None else (found.table_id, found.seat)

    def tables_of(self, owner: str, most: int = 30) -> list[str]:
        """The tables at which a browser sits or that it set up, the newest first."""
        seated = select(SEATS.c.table_id).where(SEATS.c.owner == owner)
        ids = (
            select(TABLES.c.id)
            .where(or_(TABLES.c.host == owner, TABLES.c.id.in_(seated)))
            .order_by(TABLES.c.created.desc())
            .limit(most)
        )
        with self._engine.connect() as connection:
            return list(connection.scalars(ids))

    def open_tables(self) -> list[str]:
        """All matches that have not ended."""
        with self._engine.connect() as connection:
            return list(connection.scalars(select(TABLES.c.id).where(IS_OPEN)))

    def answers(self) -> bool:
        """Whether the database can be asked."""
        try:
            with self._engine.connect() as connection:
                connection.execute(select(TABLES.c.id).limit(1))
        except SQLAlchemyError:
            return False
        return True

    @property
    def is_shared(self) -> bool:
        """Whether several processes may serve the database: one serves a SQLite database."""
        return self._engine.dialect.name != "sqlite"

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection to read with."""
        return self._engine.connect()

    def writing(self) -> AbstractContextManager[Connection]:
        """A transaction, committed at the end."""
        return self._write()

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        """One transaction, committed at the end; one writer at a time."""
        with self._writing, self._engine.begin() as connection:
            yield connection


IS_OPEN = and_(TABLES.c.kind == "match", TABLES.c.ended.is_(None))


def _read(connection: Connection, table: str) -> TableFacts | None:
    found = connection.execute(select(TABLES).where(TABLES.c.id == table)).one_or_none()
    if found is None:
        return None
    events = connection.execute(
        select(EVENTS).where(EVENTS.c.table_id == table).order_by(EVENTS.c.seq)
    )
    return TableFacts(
        table,
        found.kind,
        found.record,
        found.previous,
        found.created,
        found.host,
        _seats_at(connection, table),
        tuple(EventFacts(e.seq, e.kind, e.seat, e.data, e.client) for e in events),
    )


def _seats_at(connection: Connection, table: str) -> tuple[SeatFacts, ...]:
    rows = select(SEATS).where(SEATS.c.table_id == table).order_by(SEATS.c.seat)
    return tuple(_seat_of(row) for row in connection.execute(rows))


def _change_seat(connection: Connection, table: str, seat: SeatFacts) -> None:
    """Keep what changed of a seat; ``Late`` if the table has been deleted meanwhile."""
    here = and_(SEATS.c.table_id == table, SEATS.c.seat == seat.seat)
    if not connection.execute(update(SEATS).where(here).values(asdict(seat))).rowcount:
        raise Late(Message("storeys.web.late"))


def _seat_of(row: Row[Any]) -> SeatFacts:
    return SeatFacts(row.seat, row.kind, row.name, row.bot, row.owner, row.token, row.used)


# --- the database itself


def _engine_of(url: str) -> Engine:
    try:
        if url in ("sqlite://", "sqlite:///:memory:"):
            engine = create_engine(
                url, poolclass=StaticPool, connect_args={"check_same_thread": False}
            )
        else:
            engine = create_engine(url, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        url = shown_url(url)
        raise BadDatabase(Message("storeys.web.driver", url=url, what=str(error.name))) from None
    except (ArgumentError, NoSuchModuleError) as error:
        raise BadDatabase(_unusable(url, str(error))) from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _: Any) -> None:
    """Readers beside one writer, and what is committed survives a power cut."""
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
        connection.execute(f"PRAGMA {pragma}")


VERSION = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""Where Alembic keeps which migrations have run."""


def _bring_up_to_date(engine: Engine, url: str) -> None:
    """Make what is missing; refuse a database of a newer program."""
    try:
        with engine.connect() as connection:
            there = set(inspect(connection).get_table_names())
            revision = connection.scalar(select(VERSION)) if VERSION.name in there else None
            if revision == REVISIONS[-1]:
                return
            if revision is not None and revision not in REVISIONS:
                shown = shown_url(url)
                raise BadDatabase(Message("storeys.web.newer", url=shown, revision=revision))
            if there.isdisjoint({VERSION.name, *METADATA.tables}):
                _make_afresh(connection)
            else:
                _migrate(connection)
            connection.commit()
    except SQLAlchemyError as error:
        why = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise BadDatabase(_unusable(url, why)) from None


def _make_afresh(connection: Connection) -> None:
    """All tables in an empty database, as the migrations would leave them: those take longer."""
    METADATA.create_all(connection)
    VERSION.create(connection)
    connection.execute(insert(VERSION).values(version_num=REVISIONS[-1]))


def _migrate(connection: Connection) -> None:
    """Run the migrations that are missing."""
    from alembic import command  # takes as long to load as the rest of the database together

    config = alembic_config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def alembic_config() -> "Config":
    """Where the migrations are; a percent sign of the path is no placeholder."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def _unusable(url: str, why: str) -> Message:
    return Message("storeys.web.database", url=shown_url(url), why=why)


def shown_url(url: str) -> str:
    """A database's URL as it may be shown: without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return url.rpartition("@")[2]
