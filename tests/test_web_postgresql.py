"""The same store on PostgreSQL: a server of the test's own, where the programs are installed."""

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from storeys.web import backup, people
from storeys.web.admin import running_tables
from storeys.web.backup import back_up, restore
from storeys.web.database import BadDatabase
from storeys.web.handlers import play_for_bot
from storeys.web.store import EventFacts, Late, Store
from storeys.web.tables import Tables
from tests.databases import WHY_NOT, postgresql
from tests.posting import event_request, post, table_request

pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))
ADA, BEN = "a" * 64, "b" * 64


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server of PostgreSQL, for all tests of this file."""
    with postgresql() as address:
        yield address


@pytest.fixture
def open_tables(url: str) -> Iterator[Callable[[], Tables]]:
    """Opens the database as another program would; all are closed in the end."""
    opened: list[Store] = []

    def open_again() -> Tables:
        opened.append(Store(url))
        return Tables(opened[-1])

    yield open_again
    for store in opened:
        store.close()


def test_a_match_is_kept_on_postgresql(open_tables: Callable[[], Tables]) -> None:
    """A table, moves, a take-back, a link, and all of it read again by a fresh program."""
    tables = open_tables()
    seats = [{"kind": "me", "name": "Ada"}, {"kind": "friend"}]
    table = tables.create(table_request(game="neoville", seats=seats), ADA)
    tables.join(str(table.seats[1].token), BEN, "Ben")
    for kind, more in (
        ("move", {"move": str(table.match.legal_moves[0])}),
        ("take-back", {}),
        ("move", {"move": str(table.match.legal_moves[1])}),
    ):
        event = {"seq": table.seq, "id": secrets.token_hex(8), "seat": 0, "kind": kind}
        post(tables, table.id, ADA, event_request(**event, **more))
    again = open_tables().get(table.id)
    assert again.seq == table.seq == 4
    assert again.match.position() == table.match.position()
    assert [seat.name for seat in again.seats] == ["Ada", "Ben"]


def test_a_match_that_is_over_is_not_opened_again(open_tables: Callable[[], Tables]) -> None:
    tables = open_tables()
    seats = [{"kind": "bot", "bot": "random"}, {"kind": "bot", "bot": "random"}]
    table = tables.create(table_request(game="neoville", seats=seats), ADA)
    assert table.id in tables.store.open_tables()
    while (seat := table.match.to_move) is not None:
        play_for_bot(tables, table.id, table.seq, seat, str(table.match.legal_moves[-1]))
    assert table.id not in tables.store.open_tables()


def test_two_servers_cannot_both_write_an_event(open_tables: Callable[[], Tables]) -> None:
    tables, other = open_tables(), open_tables()
    seats = [{"kind": "here", "name": "Ada"}, {"kind": "here", "name": "Ben"}]
    table = tables.create(table_request(game="neoville", seats=seats), ADA)
    twin = other.get(table.id)
    move = str(table.match.legal_moves[0])
    assert play_for_bot(tables, table.id, 0, 0, move)
    assert not play_for_bot(other, table.id, 0, 0, move)
    with pytest.raises(Late, match="meanwhile"):
        other.store.append(table.id, EventFacts(1, "move", 0, {"move": move}, "another"))
    assert other.get(table.id) is twin
    assert (twin.seq, twin.match.moves_made) == (1, 1)


def test_a_password_is_not_shown() -> None:
    with pytest.raises(BadDatabase) as refused:
        Store("postgresql+psycopg://ada:secret@127.0.0.1:1/nothing")
    assert "secret" not in str(refused.value)
    assert "127.0.0.1:1" in str(refused.value)


def test_a_database_is_carried_to_sqlite_and_back(
    open_tables: Callable[[], Tables], url: str, tmp_path: Path
) -> None:
    tables = open_tables()
    seats = [{"kind": "here", "name": "Ada"}, {"kind": "here", "name": "Ben"}]
    table = tables.create(table_request(game="neoville", seats=seats), ADA)
    play_for_bot(tables, table.id, 0, 0, str(table.match.legal_moves[0]))
    elsewhere = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    saved = back_up(url, tmp_path / "first.gz")
    assert restore(tmp_path / "first.gz", elsewhere) == saved
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("CREATE DATABASE again"))
    engine.dispose()
    again = url.replace("/postgres?", "/again?")
    assert back_up(elsewhere, tmp_path / "second.gz") == saved
    assert restore(tmp_path / "second.gz", again) == saved
    with pytest.raises(BadDatabase, match="is kept in the database"):
        restore(tmp_path / "second.gz", again)
    for one in (elsewhere, again):
        store = Store(one)
        found = Tables(store).get(table.id)
        assert (found.seq, found.match.position()) == (1, table.match.position())
        store.close()


def test_a_backup_of_postgresql_sees_one_moment(
    open_tables: Callable[[], Tables], url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = open_tables()
    seats = [{"kind": "here", "name": "Ada"}, {"kind": "here", "name": "Ben"}]
    tables.create(table_request(game="neoville", seats=seats), ADA)
    write = backup._write

    def write_between(connection: Any, out: Any) -> backup.Saved:
        tables.create(table_request(game="neoville", seats=seats), ADA)
        return write(connection, out)

    monkeypatch.setattr(backup, "_write", write_between)
    before = len(people.tables_of(tables.store, ADA))
    assert back_up(url, tmp_path / "kept.gz").tables == before
    monkeypatch.setattr(backup, "_hold_still", lambda _: None)
    assert back_up(url, tmp_path / "torn.gz").tables == before + 2, "without the guard it is torn"


def test_people_are_merged_and_erased_on_postgresql(open_tables: Callable[[], Tables]) -> None:
    tables, other = open_tables(), open_tables()
    cara, dora = "c" * 64, "d" * 64
    seats = [{"kind": "me", "name": "Cara"}, {"kind": "friend"}]
    table = tables.create(table_request(game="neoville", seats=seats), cara).id
    tables.join(str(tables.get(table).seats[1].token), BEN, "Ben")
    assert people.setting(tables.store, "s", "1") == people.setting(other.store, "s", "2") == "1"
    phrase = people.make_phrase(tables.store, dora).words
    assert people.owner_of_phrase(other.store, phrase) == dora
    tables.renew(people.merge(tables.store, cara, dora))
    assert tables.get(table).seats_of(dora) == [0]
    assert not people.is_known(tables.store, cara)
    _, running = running_tables(tables.store, "en")
    assert ["Cara", "Ben"] in [one.names for one in running]
    tables.renew(people.erase(tables.store, dora))
    erased = tables.get(table)
    assert [erased.seats[0].kind, erased.seats[0].name, erased.host] == ["bot", "seat 0", None]
    assert "Cara" not in str(tables.store.load(table))
    assert people.owner_of_phrase(other.store, phrase) is None
