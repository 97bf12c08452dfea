"""A whole database in one file, and back: the same form for every kind of database.

The file is gzip over lines of JSON: a head that says what wrote it, a line for each row, and an end
that says how many there are.  It is read from one snapshot, so it is consistent while a server
writes on: an event is in it or not, and never without its table.
"""

import gzip
import json
import os
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sqlalchemy import (
    JSON,
    Connection,
    Engine,
    MetaData,
    Table,
    Text,
    cast,
    create_engine,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

import storeys
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import short
from storeys.web.database import (
    REVISIONS,
    VERSION,
    BadDatabase,
    migrate,
    shown_url,
    unusable,
)
from storeys.web.store import METADATA

FORM = 1
AT_ONCE = 500
"""How many rows are written at a time."""
PASSING = {"claimant", "claimed_until"}
"""Columns that mean something to running servers only."""


class BadBackup(StoreysError):  # noqa: N818
    """A file that is no whole backup."""


@dataclass(frozen=True)
class Saved:
    """How much is in a backup."""

    tables: int
    events: int


# --- the database


def _engine_of(url: str) -> Engine:
    """A database as no server opens it: whole databases take longer than any request may."""
    try:
        known = make_url(url)
        if known.get_backend_name() == "postgresql":
            known = known.set(drivername="postgresql+psycopg")
        return create_engine(known, poolclass=NullPool)
    except ModuleNotFoundError as error:
        shown, what = shown_url(url), str(error.name)
        raise BadDatabase(Message("storeys.web.driver", url=shown, what=what)) from None
    except (ArgumentError, NoSuchModuleError) as error:
        raise BadDatabase(unusable(url, error)) from None


def _check_there(engine: Engine, url: str) -> None:
    """Refuse a file that is not there: SQLite would make an empty one."""
    name = engine.url.database
    if engine.dialect.name == "sqlite" and not (name and Path(name).is_file()):
        raise BadDatabase(unusable(url, FileNotFoundError("there is no such file")))


# --- writing


def back_up(url: str, file: Path) -> Saved:
    """Write all of a database to a file; a server may go on writing meanwhile."""
    engine = _engine_of(url)
    _check_there(engine, url)
    unfinished = file.with_name(f"{file.name}.part")
    try:
        with engine.connect() as connection:
            _hold_still(connection)
            _check_current(connection, url)
            # Who reads it can play as anybody and see all hands: it is for its owner alone.
            handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "wb") as raw, gzip.open(raw, "wt", encoding="ascii") as out:
                saved = _write(connection, out)
        unfinished.replace(file)
    except SQLAlchemyError as error:
        raise BadDatabase(unusable(url, error)) from None
    finally:
        unfinished.unlink(missing_ok=True)
        engine.dispose()
    return saved


def _hold_still(connection: Connection) -> None:
    """See the database from now on as it is now."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("BEGIN"))  # Python's driver begins only when it writes.
    else:
        connection.execution_options(isolation_level="REPEATABLE READ")


def _check_current(connection: Connection, url: str) -> None:
    found = set(inspect(connection).get_table_names())
    revision = connection.scalar(select(VERSION)) if VERSION.name in found else None
    if revision != REVISIONS[-1]:
        raise BadDatabase(
            Message(
                "storeys.backup.revision", url=shown_url(url), found=str(revision),
                known=REVISIONS[-1],
            )
        )  # fmt: skip


def _write(connection: Connection, out: IO[str]) -> Saved:
    head = {"storeys-backup": FORM, "version": storeys.__version__, "revision": REVISIONS[-1]}
    print(json.dumps(head | {"created": time.time()}), file=out)
    counts: Counter[str] = Counter()
    for table in METADATA.sorted_tables:
        # JSON as the text that it is: a row that cannot be read is kept as it is, too.
        columns = [
            cast(column, Text).label(column.name) if isinstance(column.type, JSON) else column
            for column in table.columns
            if column.name not in PASSING
        ]
        rows = connection.execution_options(yield_per=AT_ONCE).execute(select(*columns))
        for row in rows.mappings():
            print(json.dumps({"table": table.name, "row": dict(row)}), file=out)
            counts[table.name] += 1
    print(json.dumps({"end": counts}), file=out)
    return Saved(counts["tables"], counts["events"])


# --- reading


def restore(file: Path, url: str) -> Saved:
    """Read a backup, maybe of an earlier release, into an empty database; all of it or nothing."""
    engine = _engine_of(url)
    try:
        lines = _lines_of(file)
        revision = _revision_in(lines, file)
        with engine.connect() as connection:
            _check_empty(connection, url)
            _clear(connection)
            migrate(connection, revision)
            counts = _fill(connection, lines, file)
            migrate(connection, REVISIONS[-1])
            connection.commit()
    except SQLAlchemyError as error:
        raise BadDatabase(unusable(url, error)) from None
    finally:
        engine.dispose()
    return Saved(counts["tables"], counts["events"])


def _lines_of(file: Path) -> Iterator[dict[str, Any]]:
    """The lines of a backup; what cannot be read is said in one sentence."""
    try:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                content = json.loads(line)
                yield content if isinstance(content, dict) else {}
    except (gzip.BadGzipFile, zlib.error, EOFError, ValueError):
        raise _broken(file) from None
    except OSError as error:
        why = error.strerror or str(error)
        raise BadBackup(Message("storeys.backup.unreadable", path=str(file), why=why)) from None


def _broken(file: Path) -> BadBackup:
    return BadBackup(Message("storeys.backup.broken", path=str(file)))


def _revision_in(lines: Iterator[dict[str, Any]], file: Path) -> str:
    """Which migrations had run where a backup was made; it may not be newer than the program."""
    head = next(lines, {})
    revision = head.get("revision")
    if not isinstance(revision, str) or "storeys-backup" not in head:
        raise _broken(file)
    if head["storeys-backup"] != FORM or revision not in REVISIONS:
        version = short(str(head.get("version")))
        raise BadBackup(Message("storeys.backup.newer", path=str(file), version=version))
    return revision


def _check_empty(connection: Connection, url: str) -> None:
    """Refuse a database in which something is kept; a server's own settings are nothing."""
    there = set(inspect(connection).get_table_names())
    counts = [
        connection.scalar(select(func.count()).select_from(table))
        for table in METADATA.sorted_tables
        if table.name in there and table.name != "settings"
    ]
    revision = connection.scalar(select(VERSION)) if VERSION.name in there else None
    if any(counts) or revision not in (None, *REVISIONS):
        raise BadDatabase(Message("storeys.backup.not-empty", url=shown_url(url)))


def _clear(connection: Connection) -> None:
    METADATA.drop_all(connection)
    VERSION.drop(connection, checkfirst=True)


def _fill(connection: Connection, lines: Iterable[Mapping[str, Any]], file: Path) -> Counter[str]:
    """Write the rows of a backup into tables as they were where it was made."""
    kept = MetaData()
    kept.reflect(connection, only=lambda name, _: name in METADATA.tables)
    counts: Counter[str] = Counter()
    waiting: list[dict[str, Any]] = []
    into: Table | None = None
    for line in lines:
        name = str(line.get("table"))
        if into is not None and (into.name != name or len(waiting) >= AT_ONCE):
            connection.execute(insert(into), waiting)
            waiting = []
        if "end" in line:
            if line["end"] != dict(counts):
                raise _broken(file)
            return counts
        if name not in kept.tables:
            raise _broken(file)
        into = kept.tables[name]
        waiting.append(_row_for(into, line.get("row"), file))
        counts[into.name] += 1
    raise _broken(file)


def _row_for(table: Table, row: Any, file: Path) -> dict[str, Any]:
    """A row as the database takes it; every row of a table has the same columns."""
    if not isinstance(row, dict) or not set(row) <= set(table.columns.keys()):
        raise _broken(file)
    filled: dict[str, Any] = {column.name: row.get(column.name) for column in table.columns}
    declared = METADATA.tables[table.name].columns
    for column in declared:
        if isinstance(column.type, JSON):
            filled[column.name] = _json_of(filled[column.name])
    return filled


def _json_of(content: Any) -> Any:
    """What is kept as JSON; what never could be read stays so."""
    try:
        return json.loads(content)
    except (TypeError, ValueError):
        return content
