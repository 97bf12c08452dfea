"""The database itself: how it is opened, brought up to date, and what is said when it fails."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    create_engine,
    event,
    func,
    insert,
    inspect,
    select,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    ProgrammingError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
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
PATIENCE = 2.0
"""For how many seconds a write may wait in all before it is refused."""
MOMENT = 0.25
"""For how many seconds a read waits for a lock of PostgreSQL: no writer of ours has such a one."""
READERS = 20
"""How many connections to PostgreSQL a process has at most for reading."""
log = structlog.get_logger("storeys.web.database")


class BadDatabase(StoreysError):  # noqa: N818
    """A database that cannot be used."""


class Unavailable(StoreysError):  # noqa: N818
    """The database cannot be asked or written now; nothing was done, and it may be tried again."""


# --- failing


def unavailable() -> Unavailable:
    """What whoever cannot be served now is told."""
    return Unavailable(Message("storeys.web.unavailable"))


@contextmanager
def answering() -> Iterator[None]:
    """Whatever goes wrong with the database in here, unless by our fault, is ``Unavailable``."""
    try:
        yield
    except (IntegrityError, DataError, ProgrammingError):
        raise
    except (DBAPIError, PoolTimeout) as error:
        log.warning("database fails", error=reason_of(error))
        raise unavailable() from error


def reason_of(error: Exception) -> str:
    """What a database says against something, in one line."""
    return str(getattr(error, "orig", None) or error).splitlines()[0]


# --- waiting

_until: ContextVar[float | None] = ContextVar("until", default=None)


@contextmanager
def until(end: float) -> Iterator[None]:
    """Whatever waits in here, it waits no longer than to a time of the monotonic clock."""
    token = _until.set(end)
    try:
        yield
    finally:
        _until.reset(token)


def time_left(patience: float) -> float:
    """For how many seconds one may still wait; all of the patience where no end has been set."""
    end = _until.get()
    return patience if end is None else min(patience, max(0.0, end - time.monotonic()))


# --- opening


def engines_of(url: str, patience: float, writers: int) -> tuple[Engine, Engine]:
    """What a database is read and written by: no reader waits for a connection of a writer."""
    try:
        known = make_url(url)
        if known.get_backend_name() == "postgresql":
            known = known.set(drivername="postgresql+psycopg")  # which can listen
            reading = _postgresql(known, MOMENT, 10 * patience, READERS)
            return reading, _postgresql(known, patience, patience, writers)
        if known.get_backend_name() == "sqlite" and known.database in (None, "", ":memory:"):
            alone = _sqlite(known, poolclass=StaticPool, connect_args={"check_same_thread": False})
            return alone, alone
        if known.get_backend_name() == "sqlite":
            waits = {"timeout": patience}
            return _sqlite(known, connect_args=waits), _sqlite(known, connect_args=waits)
        other = create_engine(known, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        url = shown_url(url)
        raise BadDatabase(Message("storeys.web.driver", url=url, what=str(error.name))) from None
    except (ArgumentError, NoSuchModuleError) as error:
        raise BadDatabase(unusable(url, error)) from None
    return other, other


def _sqlite(url: URL, **options: Any) -> Engine:
    engine = create_engine(url, **options)
    event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _postgresql(url: URL, locked: float, slow: float, most: int) -> Engine:
    """Connections that wait for no lock, no answer and no dead machine for ever."""
    given = url.query.get("options", "")
    limits = f"-c lock_timeout={_ms(locked)} -c statement_timeout={_ms(slow)}"
    connect: dict[str, Any] = {"options": f"{given} {limits}", "tcp_user_timeout": 10_000}
    connect |= {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 2}
    # Less than 2 counts as 2.
    connect["connect_timeout"] = max(2, math.ceil(locked))
    return create_engine(
        url, connect_args=connect, pool_pre_ping=True, pool_size=most, max_overflow=0,
        pool_timeout=slow,
    )  # fmt: skip


def _ms(seconds: float) -> int:
    return max(1, round(1000 * seconds))


def _prepare_sqlite(connection: Any, _: Any) -> None:
    """Readers beside one writer, and what is committed survives a power cut."""
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


# --- bringing up to date

VERSION = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""Where Alembic keeps which migrations have run."""
MIGRATING = 0x5702E5
"""The number by which servers that migrate one database of PostgreSQL know each other."""


def bring_up_to_date(engine: Engine, url: str, metadata: MetaData) -> None:
    """Make what is missing; refuse a database of a newer program."""
    try:
        with engine.connect() as connection:
            if _revision(connection) == REVISIONS[-1]:
                return
            if engine.dialect.name == "postgresql":
                _keep_others_out(connection)
            _bring(connection, url, metadata)
            connection.commit()
    except SQLAlchemyError as error:
        raise BadDatabase(unusable(url, error)) from None


def _revision(connection: Connection) -> str | None:
    """The newest migration that has run, or None."""
    known = inspect(connection).has_table(VERSION.name)
    return connection.scalar(select(VERSION)) if known else None


def _keep_others_out(connection: Connection) -> None:
    """Wait until no other server that starts now migrates, however long it takes."""
    for limit in ("lock_timeout", "statement_timeout"):
        connection.exec_driver_sql(f"SET LOCAL {limit} = 0")
    connection.execute(select(func.pg_advisory_xact_lock(MIGRATING)))


def _bring(connection: Connection, url: str, metadata: MetaData) -> None:
    revision = _revision(connection)
    if revision is not None and revision not in REVISIONS:
        shown = shown_url(url)
        raise BadDatabase(Message("storeys.web.newer", url=shown, revision=revision))
    there = {VERSION.name, *metadata.tables} & set(inspect(connection).get_table_names())
    if not there:
        _make_afresh(connection, metadata)
    elif revision != REVISIONS[-1]:
        migrate(connection)


def _make_afresh(connection: Connection, metadata: MetaData) -> None:
    """All tables in an empty database, as the migrations would leave them: those take longer.

    At once: SQLite would else write each to the disk by itself, while the first page waits.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN")  # Python begins by itself only before it writes rows.
    metadata.create_all(connection)
    VERSION.create(connection)
    connection.execute(insert(VERSION).values(version_num=REVISIONS[-1]))


def migrate(connection: Connection, revision: str = "head") -> None:
    """Run the migrations that are missing, all or up to one."""
    from alembic import command  # takes as long to load as the rest of the database together

    config = alembic_config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def alembic_config() -> "Config":
    """Where the migrations are; a percent sign of the path is no placeholder."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def unusable(url: str, error: Exception) -> Message:
    """Why a database cannot be used, in one line."""
    return Message("storeys.web.database", url=shown_url(url), why=reason_of(error))


def shown_url(url: str) -> str:
    """A database's URL as it may be shown: without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return url.rpartition("@")[2]
