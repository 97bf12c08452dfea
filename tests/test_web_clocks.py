"""Clocks of turns: a bot plays for who is late, once, and hands back; no test waits for time."""

import secrets
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from storeys.bots import SUBSTITUTE
from storeys.web.app import create_app
from storeys.web.clocks import GRACE, Clocks
from storeys.web.errors import BadPost
from storeys.web.handlers import play_for_bot
from storeys.web.models import EventRequest
from storeys.web.store import Late, Store
from storeys.web.table import Table
from storeys.web.tables import CLOCKS, Tables
from tests.posting import event_request, post, table_request
from tests.waiting import wait_for

ADA, BEN = "a" * 64, "b" * 64
START, LIMIT = 1_000_000.0, 120


class Time:
    """A clock that a test holds."""

    now = START

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def tables(tmp_path: Path, time: Time) -> Tables:
    store = Store(f"sqlite:///{tmp_path / 'tables.db'}")
    store.clock = time
    return Tables(store)


def new_table(
    tables: Tables, *kinds: str, clock: str = "2-minutes", game: str = "neoville"
) -> Table:
    seats = [{"kind": kind, "name": f"P{nth}"} for nth, kind in enumerate(kinds)]
    return tables.create(table_request(game=game, seats=seats, clock=clock), ADA)


def event(table: Table, kind: str, seat: int = 0, **content: Any) -> EventRequest:
    shared = {"seq": table.seq, "id": secrets.token_hex(8), "kind": kind, "seat": seat}
    return event_request(**shared | content)


def move(tables: Tables, table: Table, owner: str = ADA) -> None:
    seat = table.match.to_move
    assert seat is not None
    first = str(table.match.legal_moves[0])
    post(tables, table.id, owner, event(table, "move", seat, move=first))


def end_turn(tables: Tables, table: Table, owner: str = ADA) -> None:
    """Move until it is another seat's turn."""
    seat = table.match.to_move
    while table.match.to_move == seat:
        move(tables, table, owner)


def let_bot_play(tables: Tables, table: Table) -> None:
    """What workers do: all moves of the turn of a bot."""
    seat = table.match.to_move
    assert seat is not None
    assert table.seats[seat].kind == "bot"
    while table.match.to_move == seat:
        assert play_for_bot(tables, table.id, table.seq, seat, str(table.match.legal_moves[0]))


def kept(tables: Tables, table: Table) -> float | None:
    return tables.store.next_deadline()


def as_read_again(tables: Tables, table: Table) -> Table:
    """The table as another process reads it, or the same one after a restart."""
    return Tables(tables.store).get(table.id)


def test_without_a_clock_there_is_no_hurry(tables: Tables, time: Time) -> None:
    table = new_table(tables, "here", "here", clock="none")
    move(tables, table)
    time.now += 365 * 24 * 3600
    assert (table.deadline, kept(tables, table), Clocks(tables).look()) == (None, None, 0)


def test_a_turn_has_one_clock_for_all_its_moves(tables: Tables, time: Time) -> None:
    table = new_table(tables, "here", "here")
    assert table.deadline == kept(tables, table) == START + LIMIT
    time.now += 50
    move(tables, table)  # a tile; a draw is still to come
    assert table.match.to_move == 0
    assert table.deadline == kept(tables, table) == START + LIMIT
    time.now += 50
    end_turn(tables, table)
    assert table.deadline == kept(tables, table) == START + 100 + LIMIT
    assert as_read_again(tables, table).deadline == table.deadline


def test_somebody_with_two_turns_in_a_row_has_two_clocks(tables: Tables, time: Time) -> None:
    """In a match for one every turn is the same seat's."""
    table = new_table(tables, "me")
    before = table.match.round
    while table.match.round == before:
        time.now += 10
        move(tables, table)
    assert table.deadline == time.now + LIMIT
    assert as_read_again(tables, table).deadline == table.deadline


def test_a_bot_plays_for_who_is_late_and_hands_back(tables: Tables, time: Time) -> None:
    table, clocks = new_table(tables, "here", "here"), Clocks(tables)
    time.now += LIMIT - 1
    assert clocks.look() == 0
    time.now += 1
    assert clocks.look() == 1
    assert (table.seats[0].kind, table.seats[0].bot, table.stand_in) == ("bot", SUBSTITUTE, 0)
    assert (table.deadline, kept(tables, table)) == (None, None)
    assert clocks.look() == 0  # once
    let_bot_play(tables, table)
    assert (table.seats[0].kind, table.seats[0].bot, table.stand_in) == ("human", None, None)
    assert table.seats[0].owner == ADA
    assert table.deadline == time.now + LIMIT  # the next seat's
    again = as_read_again(tables, table)
    assert (again.seats, again.stand_in, again.deadline) == (table.seats, None, table.deadline)
    end_turn(tables, table)
    move(tables, table)  # the person's own again
    assert table.seats[0].kind == "human"


def test_the_bot_ends_a_turn_that_was_begun(tables: Tables, time: Time) -> None:
    table, clocks = new_table(tables, "here", "here"), Clocks(tables)
    move(tables, table)
    time.now += LIMIT
    assert clocks.look() == 1
    assert as_read_again(tables, table).stand_in == 0
    let_bot_play(tables, table)
    assert table.seats[0].kind == "human"


def test_everybody_is_told(tables: Tables, time: Time) -> None:
    table = new_table(tables, "here", "here")
    time.now += LIMIT
    Clocks(tables).look()
    [notice] = table.notices
    assert notice.message.text() == "P0 (seat 1) was out of time: a bot played this turn."


def test_a_person_cannot_take_the_seat_back_before_the_bot_has_played(
    tables: Tables, time: Time
) -> None:
    """Otherwise a turn could be drawn out for ever."""
    table = new_table(tables, "here", "here")
    time.now += LIMIT
    Clocks(tables).look()
    with pytest.raises(BadPost, match="a bot plays this turn, and the next one is yours again"):
        post(tables, table.id, ADA, event(table, "return"))
    with pytest.raises(BadPost):
        move(tables, table)
    let_bot_play(tables, table)
    with pytest.raises(BadPost, match="cannot be taken back"):
        post(tables, table.id, ADA, event(table, "take-back"))


def test_who_lets_a_bot_play_for_good_has_no_new_clock_on_coming_back(
    tables: Tables, time: Time
) -> None:
    table, clocks = new_table(tables, "here", "here"), Clocks(tables)
    time.now += 100
    post(tables, table.id, ADA, event(table, "take-over"))
    assert (table.deadline, kept(tables, table)) == (None, None)
    time.now += 10
    post(tables, table.id, ADA, event(table, "return"))
    assert table.deadline == kept(tables, table) == START + LIMIT
    post(tables, table.id, ADA, event(table, "take-over"))
    time.now += 100
    assert clocks.look() == 0
    post(tables, table.id, ADA, event(table, "return"))
    assert clocks.look() == 1


def test_taking_back_gives_no_time(tables: Tables, time: Time) -> None:
    """Choosing blocks shows nothing hidden, so the last choice can be taken back."""
    table = new_table(tables, "here", "here", game="manhattan")
    first = table.match.to_move
    assert first is not None
    time.now += 100
    end_turn(tables, table)
    assert table.match.to_move == 1 - first
    assert table.deadline == time.now + LIMIT
    time.now += 60
    post(tables, table.id, ADA, event(table, "take-back", table.match.movers[-1]))
    assert table.match.to_move == first
    assert table.deadline == time.now + LIMIT - 100  # what was left when the choice was made
    assert as_read_again(tables, table).deadline == table.deadline == kept(tables, table)


def test_taking_back_within_a_turn_gives_no_time(tables: Tables, time: Time) -> None:
    table = new_table(tables, "here", "here")
    time.now += 100
    move(tables, table)
    time.now += 10
    post(tables, table.id, ADA, event(table, "take-back"))
    assert table.deadline == kept(tables, table) == START + LIMIT


def test_the_clock_starts_when_the_last_friend_has_come(tables: Tables, time: Time) -> None:
    table = new_table(tables, "me", "friend")
    assert (table.deadline, kept(tables, table)) == (None, None)
    time.now += 3600
    assert Clocks(tables).look() == 0
    tables.join(str(table.seats[1].token), BEN, "Ben")
    assert table.deadline == kept(tables, table) == time.now + LIMIT
    assert as_read_again(tables, table).deadline == table.deadline


def test_a_bot_has_no_clock(tables: Tables, time: Time) -> None:
    table = new_table(tables, "me", "bot")
    end_turn(tables, table)
    assert (table.deadline, kept(tables, table)) == (None, None)
    time.now += 60
    let_bot_play(tables, table)
    assert table.deadline == kept(tables, table) == time.now + LIMIT


def test_a_clock_goes_on_while_no_server_runs(tables: Tables, time: Time) -> None:
    table = new_table(tables, "here", "here")
    move(tables, table)
    tables.keep_checkpoints()
    time.now += LIMIT + 5
    again = Tables(tables.store)
    clocks = Clocks(again)
    clocks.start()
    clocks.stop()
    assert clocks.look() == 0  # Who could not play has a moment.
    time.now += GRACE
    assert clocks.look() == 1
    assert again.get(table.id).stand_in == 0


def test_two_processes_end_a_turn_once(tables: Tables, time: Time) -> None:
    table, other = new_table(tables, "here", "here"), Tables(tables.store)
    other.get(table.id)
    time.now += LIMIT
    assert Clocks(tables).look() == 1
    tables.store.note_deadline(table.id, time.now)  # as the other one has read it just before
    assert Clocks(other).look() == 0  # It is refused, and takes in what it did not know.
    assert other.get(table.id).seq == table.seq == 1


def test_a_deadline_of_a_match_that_went_on_is_put_right(tables: Tables, time: Time) -> None:
    table = new_table(tables, "me", "bot")
    tables.store.note_deadline(table.id, time.now)
    assert Clocks(tables).look() == 0
    assert kept(tables, table) == START + LIMIT


def test_a_table_that_cannot_be_read_stops_no_clock(tables: Tables, time: Time) -> None:
    bad, good = new_table(tables, "here", "here"), new_table(tables, "here", "here")
    with tables.store.writing() as connection:
        connection.exec_driver_sql("UPDATE tables SET record = '{}' WHERE id = ?", (bad.id,))
    time.now += LIMIT
    again = Tables(tables.store)
    assert Clocks(again).look() == 1
    assert again.get(good.id).stand_in == 0
    assert Clocks(again).look() == 0


def test_a_rematch_has_the_same_clock(tables: Tables, time: Time) -> None:
    table = new_table(tables, "here", "here", clock="day")
    while table.match.to_move is not None:
        move(tables, table)
    assert kept(tables, table) is None
    post(tables, table.id, ADA, event(table, "rematch"))
    assert tables.get(str(table.rematch)).clock == CLOCKS["day"]
    assert kept(tables, table) == time.now + 24 * 3600


def test_an_event_of_a_late_process_is_refused(tables: Tables, time: Time) -> None:
    table = new_table(tables, "here", "here")
    move_now = event(table, "move", move=str(table.match.legal_moves[0]))
    time.now += LIMIT
    Clocks(tables).look()
    with pytest.raises(Late):
        post(tables, table.id, ADA, move_now)


# --- over the web


@pytest.fixture
def browser(tmp_path: Path, time: Time) -> Any:
    app = create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=0)
    app.state.services.store.clock = time
    with TestClient(app) as client:
        yield client


def test_a_state_tells_how_much_time_is_left(browser: TestClient, time: Time) -> None:
    seats = [{"kind": "me"}, {"kind": "here"}]
    asked = {"game": "neoville", "seats": seats, "clock": "2-minutes"}
    table = browser.post("/api/tables", json=asked).json()["table"]
    for later in (0, 30):
        time.now = START + later
        answer = browser.get(f"/api/tables/{table}", headers={"if-none-match": "*"})
        assert answer.json()["clock"] == {
            "kind": "2-minutes", "deadline": START + LIMIT, "now": time.now,
        }  # fmt: skip
    tag = answer.headers["etag"]
    assert browser.get(f"/api/tables/{table}", headers={"if-none-match": tag}).status_code == 200
    [listed] = browser.get("/api/tables").json()
    assert (listed["deadline"], listed["last"]) == (START + LIMIT, START)


def test_an_unknown_clock_is_refused(browser: TestClient) -> None:
    asked = {"game": "neoville", "seats": [{"kind": "me"}], "clock": "an hour"}
    answer = browser.post("/api/tables", json=asked)
    assert answer.status_code == 422
    assert "post.clock" in answer.json()["error"]


def test_a_worker_plays_for_who_is_late(tmp_path: Path, time: Time) -> None:
    """The whole way: time is up, a bot thinks in its process, the seat is the person's again."""

    app = create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=1, pace=0)
    services = app.state.services
    services.store.clock = time
    with TestClient(app) as client:
        asked = {"game": "neoville", "seats": [{"kind": "me"}, {"kind": "here"}]}
        table = client.post("/api/tables", json=asked | {"clock": "2-minutes"}).json()["table"]
        time.now += LIMIT + GRACE
        services.clocks.look()
        wait_for(lambda: client.get(f"/api/tables/{table}").json()["to_move"] == 1)
        state = client.get(f"/api/tables/{table}").json()
    assert [seat["kind"] for seat in state["seats"]] == ["human", "human"]
    assert state["clock"]["deadline"] == time.now + LIMIT


@pytest.mark.parametrize(("clock", "told"), [("2-minutes", True), ("none", False)])
def test_who_is_invited_is_told_of_the_clock(browser: Any, clock: str, told: bool) -> None:
    seats = [{"kind": "me"}, {"kind": "friend"}]
    asked = {"game": "neoville", "seats": seats, "clock": clock}
    table = browser.post("/api/tables", json=asked).json()["table"]
    invite = browser.get(f"/api/tables/{table}").json()["seats"][1]["invite"]
    friend = TestClient(browser.app)  # without the cookie
    page = friend.get(invite).text
    assert ("Time for a turn: 2 minutes. When the time is up, a bot plays" in page) == told
