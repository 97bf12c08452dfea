"""What is kept: tables, their seats, and append-only events with a running number a table.

An event is committed before anyone is told of it.  Two writers cannot both write event n of a
table: its number is part of the key.  SQLite is the default, with one writer at a time;
PostgreSQL works by its URL.
"""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Text,
    UniqueConstraint,
    create_engine,
    delete,
    event,
    insert,
    inspect,
    or_,
    select,
    update,
)
from sqlalchemy import Table as SchemaTable
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
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


class Base(DeclarativeBase):
    """The tables of the database."""


class TableRow(Base):
    """One table: a match as it was set up."""

    __tablename__ = "tables"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))  # match, or replay of an uploaded record
    record: Mapped[dict[str, Any]] = mapped_column(JSON)  # what the match starts from, as a record
    created: Mapped[float] = mapped_column(Float)
    previous: Mapped[str | None] = mapped_column(String(32))  # the table that this is a rematch of
    ended: Mapped[float | None] = mapped_column(Float)  # when the match was over
    host: Mapped[str | None] = mapped_column(String(64))  # a hash of the cookie of who set it up


class SeatRow(Base):
    """Who sits where now; the events tell how it came about."""

    __tablename__ = "seats"

    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))  # human, bot, open
    name: Mapped[str] = mapped_column(Text)
    bot: Mapped[str | None] = mapped_column(String(64))
    owner: Mapped[str | None] = mapped_column(String(64), index=True)  # a hash of the cookie
    token: Mapped[str | None] = mapped_column(String(64), unique=True)  # of the link that gives it
    used: Mapped[str | None] = mapped_column(String(64), index=True)  # of the link that gave it


class EventRow(Base):
    """Something that happened at a table."""

    __tablename__ = "events"
    __table_args__ = (UniqueConstraint("table_id", "client", name="events_table_client_key"),)

    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id"), primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    seat: Mapped[int | None]
    data: Mapped[dict[str, Any]] = mapped_column(JSON)
    client: Mapped[str] = mapped_column(String(64))  # the poster's own id of it
    created: Mapped[float] = mapped_column(Float)


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
    ) -> None:
        """Keep a new table."""
        row = TableRow(id=table, kind=kind, record=record, previous=previous, host=host)
        row.created = time.time()
        with self._write() as session:
            session.add(row)
            session.flush()
            session.add_all(_row_of(table, seat) for seat in seats)

    def load(self, table: str) -> TableFacts | None:
        """A table with its seats and events, or None; ``BadRow`` if it cannot be read."""
        try:
            with Session(self._engine) as session:
                return _read(session, table)
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise BadRow(Message("storeys.web.broken-row")) from error

    def outline(self, table: str) -> Outline | None:
        """Whose table it is, also where the rest cannot be read; None if there is none."""
        known = select(TableRow.id, TableRow.created, TableRow.host).where(TableRow.id == table)
        with Session(self._engine) as session:
            found = session.execute(known).one_or_none()
            if found is None:
                return None
            return Outline(found.id, found.created, found.host, _seats_at(session, table))

    def delete(self, table: str) -> None:
        """Remove a table with everything that happened at it."""
        with self._write() as session:
            for rows in (EventRow, SeatRow):
                session.execute(delete(rows).where(rows.table_id == table))
            session.execute(delete(TableRow).where(TableRow.id == table))

    def leave(self, table: str, owner: str) -> None:
        """Let the seats of a browser at a table belong to nobody."""
        with self._write() as session:
            session.execute(
                update(SeatRow)
                .where(SeatRow.table_id == table, SeatRow.owner == owner)
                .values(owner=None)
            )

    def append(
        self, table: str, entry: EventFacts, seat: SeatFacts | None = None, ends: bool = False
    ) -> None:
        """Commit an event, with what it changes of a seat; ``Late`` if its number is taken."""
        try:
            with self._write() as session:
                session.add(
                    EventRow(
                        table_id=table,
                        seq=entry.seq,
                        kind=entry.kind,
                        seat=entry.seat,
                        data=dict(entry.data),
                        client=entry.client,
                        created=time.time(),
                    )
                )
                if seat is not None:
                    session.merge(_row_of(table, seat))
                if ends:
                    _note_end(session, table)
        except IntegrityError:
            raise Late(Message("storeys.web.late")) from None

    def change_seat(self, table: str, seat: SeatFacts) -> None:
        """Keep what changed of a seat and is no event: the link that gives it."""
        try:
            with self._write() as session:
                session.merge(_row_of(table, seat))
        except IntegrityError:  # The table has been deleted meanwhile.
            raise Late(Message("storeys.web.late")) from None

    def seat_of_token(self, token: str) -> tuple[str, int] | None:
        """The table and seat that a link gives or gave, or None."""
        with Session(self._engine) as session:
            found = session.scalar(
                select(SeatRow).where(or_(SeatRow.token == token, SeatRow.used == token))
            )
            return None if found is None else (found.table_id, found.seat)

    def tables_of(self, owner: str, most: int = 30) -> list[str]:
        """The tables at which a browser sits or that it set up, the newest first."""
        seated = select(SeatRow.table_id).where(SeatRow.owner == owner)
        with Session(self._engine) as session:
            ids = (
                select(TableRow.id)
                .where(or_(TableRow.host == owner, TableRow.id.in_(seated)))
                .order_by(TableRow.created.desc())
                .limit(most)
            )
            return list(session.scalars(ids))

    def open_tables(self) -> list[str]:
        """All matches that have not ended, for bots to go on with after a restart."""
        still_open = select(TableRow.id).where(TableRow.kind == "match", TableRow.ended.is_(None))
        with Session(self._engine) as session:
            return list(session.scalars(still_open))

    def answers(self) -> bool:
        """Whether the database can be asked."""
        try:
            with Session(self._engine) as session:
                session.execute(select(TableRow.id).limit(1))
        except SQLAlchemyError:
            return False
        return True

    @contextmanager
    def _write(self) -> Iterator[Session]:
        """One transaction, committed at the end; one writer at a time."""
        with self._writing, Session(self._engine) as session, session.begin():
            yield session


def _read(session: Session, table: str) -> TableFacts | None:
    found = session.get(TableRow, table)
    if found is None:
        return None
    events = session.scalars(
        select(EventRow).where(EventRow.table_id == table).order_by(EventRow.seq)
    )
    return TableFacts(
        table,
        found.kind,
        found.record,
        found.previous,
        found.created,
        found.host,
        _seats_at(session, table),
        tuple(EventFacts(e.seq, e.kind, e.seat, e.data, e.client) for e in events),
    )


def _seats_at(session: Session, table: str) -> tuple[SeatFacts, ...]:
    rows = select(SeatRow).where(SeatRow.table_id == table).order_by(SeatRow.seat)
    return tuple(_seat_of(row) for row in session.scalars(rows))


def _note_end(session: Session, table: str) -> None:
    session.execute(update(TableRow).where(TableRow.id == table).values(ended=time.time()))


def _row_of(table: str, seat: SeatFacts) -> SeatRow:
    return SeatRow(
        table_id=table,
        seat=seat.seat,
        kind=seat.kind,
        name=seat.name,
        bot=seat.bot,
        owner=seat.owner,
        token=seat.token,
        used=seat.used,
    )


def _seat_of(row: SeatRow) -> SeatFacts:
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


VERSION = SchemaTable(
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
            if there.isdisjoint({VERSION.name, *Base.metadata.tables}):
                _make_afresh(connection)
            else:
                _migrate(connection)
            connection.commit()
    except SQLAlchemyError as error:
        why = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise BadDatabase(_unusable(url, why)) from None


def _make_afresh(connection: Connection) -> None:
    """All tables in an empty database, as the migrations would leave them: those take longer."""
    Base.metadata.create_all(connection)
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
