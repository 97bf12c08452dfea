"""What is kept of people: who is known, phrases that carry somebody over, and its erasure.

Whoever sits at a table is changed by an event at that table, so that every copy of it in memory,
here or in another process, is told to be old.
"""

import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    Text,
    and_,
    cast,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from storeys.bots import SUBSTITUTE
from storeys.kernel.messages import Message
from storeys.match import default_name
from storeys.web.mailing import carry_address, forget
from storeys.web.phrases import digest_of_phrase, new_phrase
from storeys.web.store import EVENTS, PHRASES, SEATS, SETTINGS, TABLES, Late, Store

LASTS = 30 * 24 * 3600.0
"""For how many seconds a phrase can be used."""
AGAIN = 600.0
"""For how long after it was used: an answer may be lost on its way, and is asked for again."""
TRIES = 20
"""How often a change is tried while others write events at the same tables."""


@dataclass(frozen=True)
class Phrase:
    """A phrase that carries somebody over to another browser, and when it ends."""

    words: str
    until: float


Changed = list[tuple[str, int]]
"""Tables and the number of their new event."""


def setting(store: Store, name: str, first: str) -> str:
    """A setting on which all server processes agree: whoever comes first says what it is."""
    known = select(SETTINGS.c.value).where(SETTINGS.c.name == name)
    with store.reading() as connection:
        found = connection.scalar(known)
    if found is None:
        with suppress(IntegrityError), store.writing() as connection:  # Another came first.
            connection.execute(insert(SETTINGS).values(name=name, value=first))
        with store.reading() as connection:
            found = connection.scalar(known)
    return str(found)


def is_known(store: Store, owner: str) -> bool:
    """Whether somebody sits at a table or has set one up."""
    sits, hosts = exists().where(SEATS.c.owner == owner), exists().where(TABLES.c.host == owner)
    with store.reading() as connection:
        return bool(connection.scalar(select(or_(sits, hosts))))


def tables_of(store: Store, owner: str) -> list[str]:
    """All tables at which somebody sits or which they have set up."""
    with store.reading() as connection:
        return _tables(connection, owner)


# --- phrases


def make_phrase(store: Store, owner: str) -> Phrase:
    """A phrase that carries somebody over; an earlier one ends."""
    made = Phrase(new_phrase(), time.time() + LASTS)
    ended = or_(PHRASES.c.owner == owner, PHRASES.c.until < time.time())
    facts = {"digest": digest_of_phrase(made.words), "owner": owner, "until": made.until}
    with store.writing() as connection:
        connection.execute(delete(PHRASES).where(ended))
        connection.execute(insert(PHRASES).values(facts))
    return made


def owner_of_phrase(store: Store, typed: str) -> str | None:
    """Whom a phrase carries over, if it is one and has not ended."""
    by_hash = PHRASES.c.digest == digest_of_phrase(typed)
    with store.reading() as connection:
        found = connection.execute(select(PHRASES).where(by_hash)).one_or_none()
    return found.owner if found is not None and found.until > time.time() else None


def end_phrase_soon(store: Store, typed: str) -> None:
    """A phrase that was used works for a few minutes more, then never again."""
    soon = time.time() + AGAIN
    used = and_(PHRASES.c.digest == digest_of_phrase(typed), PHRASES.c.until > soon)
    with store.writing() as connection:
        connection.execute(update(PHRASES).where(used).values(until=soon))


# --- changes at all tables of somebody


def merge(store: Store, old: str, new: str) -> Changed:
    """Everything of one identity belongs to another from now on; all of it or nothing."""
    return _in_one_go(store, lambda connection: _merge(connection, old, new))


def _merge(connection: Connection, old: str, new: str) -> Changed:
    changed = [
        (table, _append(connection, table, "carry", None, {})) for table in _tables(connection, old)
    ]
    for left in _resignations(connection, old):
        _change_data(connection, left, {"by": new})
    for column in (SEATS.c.owner, TABLES.c.host):
        theirs = update(column.table).where(column == old)
        connection.execute(theirs.values({column: new}))
    connection.execute(delete(PHRASES).where(PHRASES.c.owner == old))
    carry_address(connection, old, new)
    return changed


def erase(store: Store, owner: str) -> Changed:
    """Nothing tells any more who somebody was: name and owner are gone, moves stay.

    A bot plays on where a match is not over.
    """
    return _in_one_go(store, lambda connection: _erase(connection, owner))


def _erase(connection: Connection, owner: str) -> Changed:
    left = _resignations(connection, owner)
    tables = {*_tables(connection, owner), *(event.table_id for event in left)}
    changed = [
        (table, _erase_at(connection, table, owner, [e.seat for e in left if e.table_id == table]))
        for table in sorted(tables)
    ]
    for event in left:
        _change_data(connection, event, {"by": None})
    hosts = update(TABLES).where(TABLES.c.host == owner)
    connection.execute(hosts.values(host=None))
    connection.execute(delete(PHRASES).where(PHRASES.c.owner == owner))
    forget(connection, owner)
    return changed


def _erase_at(connection: Connection, table: str, owner: str, left: Sequence[int]) -> int:
    """Erase somebody at a table, also at seats that they have left to a bot."""
    theirs = and_(SEATS.c.table_id == table, SEATS.c.owner == owner)
    seats = list(connection.scalars(select(SEATS.c.seat).where(theirs)))
    is_open = and_(TABLES.c.id == table, TABLES.c.kind == "match", TABLES.c.ended.is_(None))
    goes_on = bool(connection.scalar(select(exists().where(is_open))))
    _erase_record(connection, table, [*seats, *left])
    _erase_events(connection, table, [*seats, *left])
    for seat in [*seats, *left]:
        nobody: dict[str, Any] = {"name": default_name(seat), "owner": None}
        nobody |= {"token": None, "used": None, "face": None}
        if seat in seats and goes_on:
            nobody |= {"kind": "bot", "bot": SUBSTITUTE}
            _append(connection, table, "resign", seat, {"bot": SUBSTITUTE})
        here = and_(SEATS.c.table_id == table, SEATS.c.seat == seat)
        connection.execute(update(SEATS).where(here).values(nobody))
    return _append(connection, table, "erase", None, {})


def _erase_record(connection: Connection, table: str, seats: Sequence[int]) -> None:
    """Forget the names of seats in what a match starts from."""
    this = TABLES.c.id == table
    record = _read_json(connection.scalar(select(cast(TABLES.c.record, Text)).where(this)))
    if isinstance(record.get("seats"), list):
        names = list(record["seats"])
        for seat in seats:
            names[seat : seat + 1] = [default_name(seat)]
        record["seats"] = names
    connection.execute(update(TABLES).where(this).values(record=record))


def _erase_events(connection: Connection, table: str, seats: Sequence[int]) -> None:
    """Forget the names that were said when somebody sat down at seats or was named anew."""
    at_seats = and_(EVENTS.c.table_id == table, EVENTS.c.seat.in_(seats))
    for event in connection.execute(_EVENTS_AS_TEXT.where(at_seats)).all():
        if "name" in _read_json(event.text):
            _change_data(connection, event, {"name": default_name(event.seat)}, ("face",))


_EVENTS_AS_TEXT = select(
    EVENTS.c.table_id, EVENTS.c.seq, EVENTS.c.seat, cast(EVENTS.c.data, Text).label("text")
)


def _resignations(connection: Connection, owner: str) -> Sequence[Row[Any]]:
    """The events by which somebody has left a seat to a bot for good."""
    by_them = and_(EVENTS.c.kind == "resign", cast(EVENTS.c.data, Text).contains(owner))
    return connection.execute(_EVENTS_AS_TEXT.where(by_them)).all()


def _change_data(
    connection: Connection,
    event: Row[Any],
    entries: Mapping[str, Any],
    without: Sequence[str] = (),
) -> None:
    this = and_(EVENTS.c.table_id == event.table_id, EVENTS.c.seq == event.seq)
    before = {key: value for key, value in _read_json(event.text).items() if key not in without}
    data = before | dict(entries)
    connection.execute(update(EVENTS).where(this).values(data=data))


def _read_json(text: Any) -> dict[str, Any]:
    """What is kept as JSON; what cannot be read counts as nothing."""
    try:
        content = json.loads(text)
    except (TypeError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _tables(connection: Connection, owner: str) -> list[str]:
    seated = select(SEATS.c.table_id).where(SEATS.c.owner == owner)
    hosted = select(TABLES.c.id).where(TABLES.c.host == owner)
    return sorted(connection.scalars(seated.union(hosted)))


def _append(
    connection: Connection, table: str, kind: str, seat: int | None, data: Mapping[str, Any]
) -> int:
    """Add an event; its number."""
    last = select(func.max(EVENTS.c.seq)).where(EVENTS.c.table_id == table)
    seq, now = (connection.scalar(last) or 0) + 1, time.time()
    facts = {"table_id": table, "seq": seq, "kind": kind, "seat": seat, "data": dict(data)}
    facts |= {"client": secrets.token_hex(16), "created": now}
    connection.execute(insert(EVENTS).values(facts))
    connection.execute(update(TABLES).where(TABLES.c.id == table).values(touched=now))
    return seq


def _in_one_go(store: Store, change: Callable[[Connection], Changed]) -> Changed:
    """A change in one transaction, tried again when somebody else's event took a number."""
    for _ in range(TRIES):
        with suppress(IntegrityError), store.writing() as connection:
            changed = change(connection)
            for table, seq in changed:
                store.tell_others(connection, table, seq)
            return changed
    raise Late(Message("storeys.web.late"))
