"""The same store on PostgreSQL: a server of the test's own, where the programs are installed."""

import secrets
from collections.abc import Callable, Iterator

import pytest

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
