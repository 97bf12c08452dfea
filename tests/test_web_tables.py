"""Tables over the store: events once and in order, seats, links, restarts."""

import json
import re
import secrets
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from sqlalchemy import create_engine

import storeys
from storeys import BadOption, IllegalMove, StoreysError
from storeys.web import models
from storeys.web.database import MIGRATIONS, BadDatabase, alembic_config
from storeys.web.errors import BadPost, NoTable, NotYours
from storeys.web.handlers import play_for_bot
from storeys.web.presence import AWAY, Presence
from storeys.web.seating import called, seats_for
from storeys.web.states import AreaCache, StateQuery, state_of
from storeys.web.store import EventFacts, Late, SeatFacts, Store
from storeys.web.table import Seated, Table
from storeys.web.tables import Tables
from tests.posting import event_request, post, table_request

ADA, BEN, EVE = "a" * 64, "b" * 64, "e" * 64


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    return Tables(Store(f"sqlite:///{tmp_path / 'tables.db'}"))


def event(table: Table, kind: str, seat: int = 0, **content: Any) -> models.EventRequest:
    shared = {"seq": table.seq, "id": secrets.token_hex(8), "kind": kind, "seat": seat}
    return event_request(**shared | content)


def new_table(tables: Tables, *kinds: str, game: str = "neoville", **options: Any) -> Table:
    seats = [{"kind": kind, "name": f"P{nth}"} for nth, kind in enumerate(kinds)]
    return tables.create(table_request(game=game, options=options, seats=seats), ADA)


def first_move(table: Table) -> str:
    return str(table.match.legal_moves[0])


def fresh(tables: Tables) -> Tables:
    """The same store, as after a restart."""
    return Tables(tables.store)


# --- events


def test_a_move_is_kept_and_played_again(tables: Tables) -> None:
    table = new_table(tables, "here", "here")
    answer = post(tables, table.id, ADA, event(table, "move", move=first_move(table)))
    assert answer == 1
    again = fresh(tables).get(table.id)
    assert again.seq == 1
    assert again.match.position() == table.match.position()
    assert again.match.record() == table.match.record()


def test_the_same_post_counts_once(tables: Tables) -> None:
    table = new_table(tables, "here", "here")
    move = event(table, "move", move=first_move(table))
    assert post(tables, table.id, ADA, move) == post(tables, table.id, ADA, move) == 1
    assert table.match.moves_made == 1
    assert post(fresh(tables), table.id, ADA, move) == 1


def test_a_late_post_is_refused(tables: Tables) -> None:
    table = new_table(tables, "here", "here")
    late = event(table, "move", move=first_move(table))
    post(tables, table.id, ADA, event(table, "move", move=first_move(table)))
    with pytest.raises(Late, match="something has happened at the table meanwhile"):
        post(tables, table.id, ADA, late)
    assert table.match.moves_made == 1


def test_two_servers_cannot_both_write_an_event(tables: Tables) -> None:
    table, other = new_table(tables, "here", "here"), fresh(tables)
    twin = other.get(table.id)
    post(tables, table.id, ADA, event(table, "move", move=first_move(table)))
    with pytest.raises(Late):
        post(other, table.id, ADA, event(twin, "move", move=first_move(twin)))
    assert other.get(table.id) is twin  # and has taken in what it did not know
    assert (twin.seq, twin.match.moves_made, twin.match.names) == (1, 1, table.match.names)
    assert twin.match.position() == table.match.position()


def test_nothing_is_changed_by_an_illegal_move(tables: Tables) -> None:
    table = new_table(tables, "here", "here")
    with pytest.raises(IllegalMove, match="N-11: first lay a tile"):
        post(tables, table.id, ADA, event(table, "move", move="draw pile"))
    assert (table.seq, table.match.moves_made, fresh(tables).get(table.id).seq) == (0, 0, 0)


def test_a_move_that_cannot_be_kept_is_not_made(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = new_table(tables, "here", "here")

    def broken(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(tables.store, "append", broken)
    before = table.match.state().tobytes()
    with pytest.raises(OSError, match="disk"):
        post(tables, table.id, ADA, event(table, "move", move=first_move(table)))
    assert table.match.state().tobytes() == before
    assert table.seq == 0


def test_listeners_hear_what_is_committed(tables: Tables) -> None:
    heard: list[tuple[str, int]] = []
    table = new_table(tables, "here", "here")
    tables.listeners.append(lambda name, seq: heard.append((name, seq)))
    post(tables, table.id, ADA, event(table, "move", move=first_move(table)))
    assert heard == [(table.id, 1)]


# --- taking back


def test_taking_back_until_something_hidden_is_shown(tables: Tables) -> None:
    table = new_table(tables, "here", "here")
    start = table.match.state().tobytes()
    post(tables, table.id, ADA, event(table, "move", move=first_move(table)))
    post(tables, table.id, ADA, event(table, "take-back"))
    assert table.match.state().tobytes() == start
    assert fresh(tables).get(table.id).match.state().tobytes() == start
    post(tables, table.id, ADA, event(table, "move", move=first_move(table)))
    post(tables, table.id, ADA, event(table, "move", move="draw 1"))
    with pytest.raises(BadPost, match="cannot be taken back any more"):
        post(tables, table.id, ADA, event(table, "take-back"))


def test_nobody_takes_back_for_another(tables: Tables) -> None:
    table = new_table(tables, "me", "friend")
    tables.join(str(table.seats[1].token), BEN, "Ben")
    post(tables, table.id, ADA, event(table, "move", move=first_move(table)))
    with pytest.raises(BadPost, match="cannot be taken back"):
        post(tables, table.id, BEN, event(table, "take-back", seat=1))


# --- seats


def test_a_seat_belongs_to_who_took_it(tables: Tables) -> None:
    table = new_table(tables, "me", "friend")
    token = str(table.seats[1].token)
    assert table.status == "waiting"
    with pytest.raises(BadPost, match="Waiting for everyone"):
        post(tables, table.id, ADA, event(table, "move", move=first_move(table)))
    tables.join(token, BEN, "  Ben\x07 ")
    assert (table.status, table.match.names[1], table.seats_of(BEN)) == ("playing", "Ben", [1])
    with pytest.raises(NoTable, match="used already"):
        tables.join(token, EVE, "Eve")
    with pytest.raises(NotYours, match="seat 1 is not yours"):
        post(tables, table.id, EVE, event(table, "move", move=first_move(table)))
    with pytest.raises(BadPost, match="it is not your turn"):
        post(tables, table.id, BEN, event(table, "move", seat=1, move=first_move(table)))


def test_a_seat_moves_to_another_device(tables: Tables) -> None:
    table = new_table(tables, "me", "bot")
    with pytest.raises(NotYours):
        tables.make_link(table.id, 0, EVE)
    token = tables.make_link(table.id, 0, ADA)
    tables.join(token, BEN, "")
    assert (table.seats_of(ADA), table.seats_of(BEN), table.seats[0].name) == ([], [0], "P0")


def test_resigning_and_letting_a_bot_take_over(tables: Tables) -> None:
    table = new_table(tables, "me", "here")
    post(tables, table.id, ADA, event(table, "take-over", seat=1, bot="random"))
    assert (table.seats[1].kind, table.seats[1].bot) == ("bot", "random")
    post(tables, table.id, ADA, event(table, "return", seat=1))
    assert table.seats[1].kind == "human"
    post(tables, table.id, ADA, event(table, "resign", seat=0))
    assert (table.seats[0].kind, table.seats[0].owner) == ("bot", None)
    assert fresh(tables).get(table.id).resigned == {0}
    with pytest.raises(NotYours):
        post(tables, table.id, ADA, event(table, "move", move=first_move(table)))


def test_an_open_seat_can_be_given_to_a_bot(tables: Tables) -> None:
    table = new_table(tables, "me", "friend")
    with pytest.raises(NotYours):
        post(tables, table.id, EVE, event(table, "take-over", seat=1))
    post(tables, table.id, ADA, event(table, "take-over", seat=1))
    assert table.status == "playing"


def test_a_table_keeps_the_levels_of_its_bots(tables: Tables) -> None:
    table = new_table(tables, "me", "friend", "friend")
    for seat in (1, 2):
        post(tables, table.id, ADA, event(table, "take-over", seat=seat, bot="foreman"))
    kept = fresh(tables).get(table.id).snapshot
    assert [(seat.kind, seat.bot) for seat in kept.seats[1:]] == [("bot", "foreman")] * 2
    seats = seats_for([models.SeatRequest(kind="bot", bot="foreman")] * 2, ADA)
    assert [called(seat, "de") for seat in seats] == ["Vorarbeiter", "Vorarbeiter 2"]


def check_a_guest_fills_no_other_seat(tables: Tables) -> None:
    """Links to open seats, and bots in them, are for who set the table up to give."""
    table = new_table(tables, "me", "friend", "friend")
    tables.join(str(table.seats[1].token), EVE, "Eve")
    seen = {who: state_of(table, who, StateQuery())["seats"] for who in (ADA, EVE)}
    assert [seat["invite"] for seat in seen[EVE]] == [None, None, None]
    assert seen[ADA][2]["invite"] == f"/join/{table.seats[2].token}"
    with pytest.raises(NotYours):
        post(tables, table.id, EVE, event(table, "take-over", seat=2))
    post(tables, table.id, ADA, event(table, "take-over", seat=2))
    assert table.status == "playing"


def test_a_guest_fills_no_other_seat(tables: Tables) -> None:
    check_a_guest_fills_no_other_seat(tables)


def test_a_guest_with_the_links_of_others_is_found(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Seated, "may_seat", lambda self, owner: bool(self.seats_of(owner)))
    with pytest.raises(AssertionError):
        check_a_guest_fills_no_other_seat(tables)


def test_who_sits_at_a_table_of_nobody_knows_whom_fills_its_seats(tables: Tables) -> None:
    table = new_table(tables, "me", "friend")
    table.host = None
    assert state_of(table, ADA, StateQuery())["seats"][1]["invite"]


def test_in_a_rematch_everybody_moves_on_by_a_seat(tables: Tables) -> None:
    table = new_table(tables, "me", "bot", game="cloud-city", city="3x3")
    with pytest.raises(BadPost, match="not over yet"):
        post(tables, table.id, ADA, event(table, "rematch"))
    play_to_the_end(tables, table)
    post(tables, table.id, ADA, event(table, "rematch"))
    again = tables.get(str(table.rematch))
    assert [seat.owner for seat in again.seats] == [None, ADA]
    assert again.match.setup.options == table.match.setup.options
    assert again.match.seed != table.match.seed
    assert again.previous == table.id


def play_to_the_end(tables: Tables, table: Table) -> None:
    while table.match.to_move is not None:
        seat = table.match.to_move
        play_for_bot(tables, table.id, table.seq, seat, first_move(table))


# --- what a browser sees


def test_a_curtain_between_hidden_hands(tables: Tables) -> None:
    table = new_table(tables, "here", "here")
    closed = state_of(table, ADA, StateQuery())
    assert (closed["curtain"], closed["viewer"], closed["choices"]) == (True, None, [])
    opened = state_of(table, ADA, StateQuery(seat=0))
    assert (opened["curtain"], opened["viewer"], opened["your_turn"]) == (False, 0, True)
    with pytest.raises(BadPost, match="seat 1 is not yours"):
        state_of(table, EVE, StateQuery(seat=0))


def test_known_areas_are_not_sent_again(tables: Tables) -> None:
    table = new_table(tables, "me", "bot")
    first = state_of(table, ADA, StateQuery())
    known = frozenset(area["hash"] for area in first["areas"])
    assert all(area["body"] for area in first["areas"])
    assert not any(area["body"] for area in state_of(table, ADA, StateQuery(known=known))["areas"])


def test_what_an_uploaded_record_was_drawn_with_stays_with_it(tables: Tables) -> None:
    """A record with a set of its own, in which the tile ids mean others, leaves tables alone."""
    ours = storeys.new("neoville", players=2, seed=3, names=["Ada", "Ben"])
    own_set = json.loads(json.dumps(storeys.components("neoville")))
    squares = [tile["squares"] for tile in own_set["tiles"] if "equity" not in tile]
    for tile in own_set["tiles"]:
        if "equity" not in tile:
            tile["squares"] = squares.pop()
    own = storeys.new("neoville", 2, 3, ["Ada", "Ben"], components=own_set)
    assert own.view(None)["row"] == ours.view(None)["row"], "the same ids lie in the row"
    while own.to_move is not None:
        own.push(own.legal_moves[0])
    seats = [SeatFacts(0, "human", "Ada", owner=ADA), SeatFacts(1, "bot", "Ben", "random")]
    table, upload = tables.keep(ours, seats, "match"), tables.replay(own.record())
    plain, cache = state_of(table, ADA, StateQuery())["areas"], AreaCache()
    uploaded = state_of(upload, ADA, StateQuery(ply=0), cache)["areas"]
    assert state_of(table, ADA, StateQuery(), cache)["areas"] == plain
    assert body_of("row", plain) != body_of("row", uploaded)


def body_of(name: str, areas: list[models.Area]) -> str:
    return next(str(area["body"]) for area in areas if area["name"] == name)


# --- several people at one screen


def served(tables: Tables, table: Table, *people: int) -> None:
    """Go round the table: every person gets the choices in turn, nobody else's hand is shown."""
    for _ in range(table.match.players):
        seat = table.match.to_move
        assert seat is not None
        closed = state_of(table, ADA, StateQuery())
        assert closed["curtain"] == (seat in people and len(people) > 1)
        if seat in people:
            opened = state_of(table, ADA, StateQuery(seat=seat)) if len(people) > 1 else closed
            assert (opened["viewer"], opened["your_turn"]) == (seat, True)
            assert opened["choices"]
        else:
            assert not closed["your_turn"]
        for lent in set(table.seats_of(ADA)) - set(people):  # looked through before a bot took it
            assert state_of(table, ADA, StateQuery(seat=lent))["viewer"] == closed["viewer"]
        while table.match.to_move == seat:
            play_for_bot(tables, table.id, table.seq, seat, first_move(table))


@pytest.mark.parametrize("kind", ["take-over", "resign"])
@pytest.mark.parametrize(
    ("bots", "people"), [([0], [1, 2]), ([1], [0, 2]), ([2], [0, 1]), ([0, 1], [2]), ([0, 2], [1])]
)
def test_a_bot_takes_a_seat_at_one_screen(
    tables: Tables, kind: str, bots: list[int], people: list[int]
) -> None:
    table = new_table(tables, "here", "here", "here")
    served(tables, table, 0, 1, 2)
    for seat in bots:
        post(tables, table.id, ADA, event(table, kind, seat=seat))
    served(tables, table, *people)
    if kind == "take-over":
        for seat in bots:
            post(tables, table.id, ADA, event(table, "return", seat=seat))
        served(tables, table, 0, 1, 2)


def test_while_friends_are_waited_for_no_hand_lies_open_at_one_screen(tables: Tables) -> None:
    table = new_table(tables, "here", "here", "friend")
    seen = state_of(table, ADA, StateQuery())
    assert (seen["viewer"], seen["curtain"], seen["status"]) == (None, False, "waiting")


def test_a_part_of_the_score_is_lit(tables: Tables) -> None:
    record = storeys.arena.playouts("neoville", 1, players=2, seed=3).record(0)
    table = tables.replay(record)
    plain, lit = (state_of(table, EVE, StateQuery(part=part)) for part in (None, "0.0"))
    assert plain["areas"][0]["hash"] != lit["areas"][0]["hash"]
    with pytest.raises(BadPost, match=r"no part 9\.9"):
        state_of(table, EVE, StateQuery(part="9.9"))


def test_an_uploaded_record_is_shown_move_by_move(tables: Tables) -> None:
    record = storeys.arena.playouts("cloud-city", 1, players=2, seed=3).record(0)
    table = tables.replay(record)
    state = state_of(table, EVE, StateQuery(ply=3))
    assert (state["status"], state["ply"], state["last_ply"]) == ("over", 3, record["length"])
    assert len(state["log"]) == record["length"]
    record["moves"].pop()
    with pytest.raises(StoreysError):
        tables.replay(record)


# --- set-up and the database


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"game": "chess", "seats": []}, "there is no game “chess”"),
        ({"game": "neoville"}, "post: the entry “seats” is missing"),
        ({"game": "neoville", "seats": [{"kind": "dog"}]}, "post.seats[0].kind: expected one of"),
        ({"game": "neoville", "seats": [{"kind": "me"}], "players": 2}, "expected 2 seat names"),
        ({"game": "neoville", "seats": [{"kind": "bot", "bot": "hal"}]}, "post.seats[0].bot: expe"),
        ({"game": "neoville", "seats": [{"kind": "me", "name": "x" * 99}]}, "a name has 1 to 40 l"),
        ({"game": "neoville", "seats": [{"kind": "me"}], "options": {"components": "/etc/passwd"}},
         "tables on this server are played with its own component sets"),
    ],
)  # fmt: skip
def test_what_cannot_be_set_up(tables: Tables, content: Any, sentence: str) -> None:
    with pytest.raises(StoreysError) as caught:
        tables.create(table_request(**content), ADA)
    assert str(caught.value).startswith(sentence)


def test_a_database_that_cannot_be_used(tmp_path: Path) -> None:
    for url in ("nonsense", "sqlite:////no/such/folder/x.db", "mysterydb://x"):
        with pytest.raises(BadDatabase, match=r"^the database .* cannot be used: "):
            Store(url)
    file = tmp_path / "text.db"
    file.write_text("this is no database" * 100)
    with pytest.raises(BadDatabase, match="cannot be used"):
        Store(f"sqlite:///{file}")


def test_a_database_of_a_newer_program(tmp_path: Path) -> None:
    import sqlite3

    file = tmp_path / "new.db"
    Store(f"sqlite:///{file}").close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(BadDatabase, match=r"belongs to a newer version of storeys \(step 9999\)"):
        Store(f"sqlite:///{file}")


def test_events_are_numbered_once(tables: Tables) -> None:
    table = new_table(tables, "here", "here")
    entry = EventFacts(1, "move", 0, {"move": first_move(table)}, "client-id-1")
    tables.store.append(table.id, entry)
    with pytest.raises(Late):
        tables.store.append(table.id, entry)


def test_the_same_own_id_may_be_used_at_two_tables(tables: Tables) -> None:
    for _ in range(2):
        table = new_table(tables, "here", "here")
        move = event(table, "move", move=first_move(table), id="my-first-move")
        assert post(tables, table.id, ADA, move) == 1


def test_a_database_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    """Its matches are kept, and an end is noted from then on."""
    url = f"sqlite:///{tmp_path / 'old.db'}"
    old = Tables(Store(url))
    table = new_table(old, "here", "here")
    post(old, table.id, ADA, event(table, "move", move=first_move(table)))
    old.store.close()
    migrate(url, "0001")
    again = Tables(Store(url))
    assert again.get(table.id).seq == 1
    assert again.store.open_tables() == [table.id]
    play_to_the_end(again, again.get(table.id))
    assert again.store.open_tables() == []


def migrate(url: str, revision: str) -> None:
    """Take a database back to an older version."""
    config = alembic_config()
    engine = create_engine(url)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)
    engine.dispose()


def test_a_percent_sign_in_the_path_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "100%(sure)s %d"
    shutil.copytree(MIGRATIONS, folder)
    url = f"sqlite:///{tmp_path / 'any.db'}"
    Store(url).close()
    migrate(url, "0001")
    monkeypatch.setattr("storeys.web.database.MIGRATIONS", folder)
    store = Store(url)
    assert store.open_tables() == []
    store.close()


def test_a_database_without_its_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(BadDatabase, match=r"needs psycopg; .* pip install 'storeys\[postgres\]'"):
        Store("postgresql+psycopg://ada:secret@localhost/storeys")


# --- guests


def test_a_link_tapped_again_by_its_guest_leads_to_the_table(tables: Tables) -> None:
    table = new_table(tables, "me", "friend")
    token = str(table.seats[1].token)
    tables.join(token, BEN, "Ben")
    assert tables.join(token, BEN, "Ben").seq == 1
    with pytest.raises(NoTable, match="used already"):
        fresh(tables).join(token, EVE, "Eve")


class Clock:
    """A clock that is put on by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(tables: Tables) -> Clock:
    made = Clock()
    tables.presence = Presence(made)
    return made


def with_guest(tables: Tables) -> Table:
    table = new_table(tables, "me", "friend")
    tables.join(str(table.seats[1].token), BEN, "Ben")
    return table


def test_the_host_lets_a_guest_in_again_who_lost_the_cookie(tables: Tables, clock: Clock) -> None:
    table = with_guest(tables)
    clock.now += AWAY
    link = tables.make_link(table.id, 1, ADA)
    assert table.seats[1].owner == BEN  # until the link is used
    tables.join(link, EVE, "")
    assert (table.seats[1].owner, table.seats[1].name) == (EVE, "Ben")
    for seat, owner in ((0, EVE), (1, BEN), (2, ADA), (-1, ADA)):
        with pytest.raises(NotYours):
            tables.make_link(table.id, seat, owner)


def test_no_link_to_the_seat_of_a_guest_who_plays(tables: Tables, clock: Clock) -> None:
    """Ten minutes after the last sign of the guest, and not before."""
    table = with_guest(tables)
    tables.presence.opened([table.id], BEN)
    clock.now += 10 * AWAY
    with pytest.raises(BadPost, match=r"Ben was at the table .* works in 10 minutes at the earlie"):
        tables.make_link(table.id, 1, ADA)
    tables.presence.closed([table.id], BEN)
    clock.now += AWAY - 60
    with pytest.raises(BadPost, match="works in 1 minute at the earliest, if Ben stays away"):
        tables.make_link(table.id, 1, ADA)
    assert table.seats[1].token is None
    assert table.notices == []
    clock.now += 60
    assert tables.make_link(table.id, 1, ADA)


def test_one_of_two_streams_is_enough_to_be_there(tables: Tables, clock: Clock) -> None:
    table = with_guest(tables)
    for _ in range(2):
        tables.presence.opened([table.id, "another"], BEN)
    tables.presence.closed([table.id, "another"], BEN)
    clock.now += 10 * AWAY
    with pytest.raises(BadPost, match="Ben was at the table"):
        tables.make_link(table.id, 1, ADA)


def test_the_link_of_a_host_is_worth_nothing_while_the_guest_is_back(
    tables: Tables, clock: Clock
) -> None:
    table = with_guest(tables)
    clock.now += AWAY
    link = tables.make_link(table.id, 1, ADA)
    tables.presence.opened([table.id], BEN)
    with pytest.raises(BadPost, match="Ben was at the table"):
        tables.join(link, ADA, "")
    again = fresh(tables)  # The link is known as the host's after a restart too,
    with pytest.raises(BadPost, match="Ben was at the table"):  # and nobody knows who was here.
        again.join(link, ADA, "")
    assert (table.seats_of(BEN), table.seats_of(ADA)) == ([1], [0])
    tables.presence.closed([table.id], BEN)
    clock.now += AWAY
    tables.join(link, EVE, "")
    assert table.seats_of(EVE) == [1]


def test_everybody_is_told_of_a_link_to_a_guests_seat(tables: Tables, clock: Clock) -> None:
    table = with_guest(tables)
    post(tables, table.id, ADA, event(table, "move", move=first_move(table)))
    clock.now += AWAY
    heard: list[tuple[str, int]] = []
    tables.listeners.append(lambda name, seq: heard.append((name, seq)))
    link = tables.make_link(table.id, 1, ADA)
    assert heard == [(table.id, table.seq)]
    for owner in (ADA, BEN, EVE):
        for found in (table, fresh(tables).get(table.id)):
            [told] = state_of(found, owner, StateQuery())["notices"]
            assert (told["seq"], told["ply"], told["seat"]) == (3, 1, 1)
            assert told["text"].startswith("While Ben was away, a link to seat 2 was made")
            assert link not in str(state_of(found, owner, StateQuery()))
    tables.join(link, EVE, "")
    told = state_of(table, BEN, StateQuery(lang="de"))["notices"][-1]
    assert told["text"].startswith("Platz 2 (Ben) wurde mit dem dafür erstellten Link übernommen")


def test_a_link_to_ones_own_seat_works_at_once(tables: Tables, clock: Clock) -> None:
    table = with_guest(tables)
    tables.presence.opened([table.id], BEN)
    tables.join(tables.make_link(table.id, 1, BEN), EVE, "")
    assert table.seats_of(EVE) == [1]
    assert table.notices == []


def test_those_who_were_away_for_long_are_forgotten(clock: Clock, tables: Tables) -> None:
    here = tables.presence
    for nth in range(5):
        here.seen("table", f"owner {nth}")
        clock.now += AWAY / 2
    assert len(here._last) == 2
    assert not here.wait_for("table", "owner 0")


# --- who set a table up without sitting there


def test_the_host_of_others_has_their_links(tables: Tables) -> None:
    table = new_table(tables, "friend", "bot")
    assert table.seats_of(ADA) == []
    invite = state_of(table, ADA, StateQuery())["seats"][0]["invite"]
    assert invite == f"/join/{table.seats[0].token}"
    assert state_of(table, EVE, StateQuery())["seats"][0]["invite"] is None
    assert [found.id for found in tables.of_owner(ADA) if isinstance(found, Table)] == [table.id]
    assert tables.of_owner(EVE) == []
    with pytest.raises(NotYours):
        post(tables, table.id, EVE, event(table, "take-over"))
    post(tables, table.id, ADA, event(table, "take-over"))
    assert table.status == "playing"


def test_who_let_a_bot_take_over_plays_the_rematch(tables: Tables) -> None:
    table = new_table(tables, "me", "bot")
    post(tables, table.id, ADA, event(table, "take-over"))
    play_to_the_end(tables, table)
    post(tables, table.id, ADA, event(table, "rematch"))
    again = tables.get(str(table.rematch))
    assert [(seat.kind, seat.owner) for seat in again.seats] == [("bot", None), ("human", ADA)]
    assert again.host == ADA


def seen_names(table: Table, lang: str) -> list[str]:
    return [seat["name"] for seat in state_of(table, ADA, StateQuery(lang=lang))["seats"]]


def test_the_nameless_are_called_in_the_language_of_whoever_looks(tables: Tables) -> None:
    bot = {"kind": "bot", "bot": "builder"}
    table = tables.create(table_request(game="neoville", seats=[{"kind": "me"}, bot, bot]), ADA)
    assert seen_names(table, "en") == ["Player 1", "Builder", "Builder 2"]
    assert seen_names(table, "de") == ["Spieler 1", "Baumeister", "Baumeister 2"]
    assert seen_names(table, "nl") == ["Speler 1", "Bouwmeester", "Bouwmeester 2"]
    dutch = state_of(table, ADA, StateQuery(lang="nl"))
    pictures = "".join(str(area["body"]) for area in dutch["areas"])
    assert "Speler 1" in pictures
    assert "Bouwmeester 2" in pictures
    assert not any(word in pictures for word in ("seat 0", "builder"))
    # What is kept is the same in every language.
    assert table.match.record()["seats"] == ["seat 0", "builder", "builder 2"]


def test_who_has_a_name_is_called_by_it(tables: Tables) -> None:
    table = new_table(tables, "me", "bot")
    assert seen_names(table, "de") == ["P0", "P1"]
    post(tables, table.id, ADA, event(table, "rename", name="builder"))
    assert seen_names(table, "de") == ["builder", "P1"]


def test_a_replay_calls_nameless_seats_and_bots_in_the_language_of_whoever_looks(
    tables: Tables,
) -> None:
    bot = {"kind": "bot", "bot": "novice"}
    table = tables.create(table_request(game="neoville", seats=[{"kind": "me"}, bot]), ADA)
    play_to_the_end(tables, table)
    again = tables.replay(table.match.record())
    assert seen_names(again, "nl") == ["Speler 1", "Beginner"]
    theirs = state_of(again, BEN, StateQuery(lang="de"))
    assert [seat["name"] for seat in theirs["seats"]] == ["Spieler 1", "Neuling"]


# --- the words of a game


@pytest.mark.rule("C-30")
@pytest.mark.parametrize(
    ("edition", "title"),
    [("en", "Waardevolste route"), ("de", "Langste route"), ("nl", "Waardevolste route")],
)
def test_a_request_is_titled_by_its_edition(tables: Tables, edition: str, title: str) -> None:
    other = {"Waardevolste route", "Langste route"} - {title}
    table = new_table(
        tables, "me", "bot", game="cloud-city", requests=["valuable-route"], edition=edition
    )
    seen = state_of(table, ADA, StateQuery(lang="nl"))
    card = next(str(area["body"]) for area in seen["areas"] if area["name"] == "requests")
    line = next(part["label"] for part in seen["scores"][0]["parts"] if part["rule"] == "C-30")
    picture, screen = table.match.svg(lang="nl"), table.match.board_text(None, "nl")
    for words in (card, picture, screen, line.capitalize()):
        assert title in words
        assert not any(name in words for name in other)
    with pytest.raises(BadOption) as alone:
        storeys.new("cloud-city", players=1, requests=["valuable-route"], edition=edition)
    assert alone.value.text("nl").startswith(f"C-R2: “{title}” vergelijkt spelers")


def test_manhattan_tells_whose_colours_are_whose_and_when_points_came(tables: Tables) -> None:
    table = new_table(tables, "here", "here", game="manhattan")
    seen = state_of(table, ADA, StateQuery())
    assert [[badge["text"] for badge in seat["badges"]] for seat in seen["seats"]] == [
        ["R", "G"],
        ["B", "Y"],
    ]
    play_to_the_end(tables, table)
    labels = [part["label"] for part in state_of(table, ADA, StateQuery())["scores"][0]["parts"]]
    assert labels
    assert [label for label in labels if not re.match("round [1-6]: ", label)] == []
