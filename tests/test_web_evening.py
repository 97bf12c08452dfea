"""Faces, and the results of an evening: the same people, moved on by a seat."""

import secrets
from typing import Any

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from storeys.bots import bot_names
from storeys.raster import to_png
from storeys.web.faces import FACES, face_svg
from storeys.web.store import EVENTS, SEATS
from storeys.web.tables import Tables
from tests.posting import event_request, post, table_request

ADA = "a" * 64
ME, BOT = {"kind": "me", "name": "Ada"}, {"kind": "bot", "bot": "random"}


@pytest.fixture
def tables(app: Any) -> Tables:
    found: Tables = app.state.services.tables
    return found


def do(tables: Tables, table: str, kind: str, seat: int = 0, **content: Any) -> None:
    shared = {"seq": tables.get(table).seq, "id": secrets.token_hex(8), "kind": kind, "seat": seat}
    post(tables, table, ADA, event_request(**shared | content))


def play_out(tables: Tables, table: str) -> None:
    while (seat := tables.get(table).match.to_move) is not None:
        legal = tables.get(table).match.legal_moves
        do(tables, table, "move", seat, move=str(legal[len(legal) // 2]))


def set_up(tables: Tables, *names: str) -> str:
    seats = [{"kind": "here", "name": name} for name in names]
    return tables.create(table_request(game="cloud-city", seats=seats), ADA).id


# --- the evening


def test_an_evening_sums_up_matches_whose_seats_move_on(
    tables: Tables, browser: TestClient
) -> None:
    row = [set_up(tables, "Ada", "Ben", "Cleo")]
    for _ in range(2):
        play_out(tables, row[-1])
        do(tables, row[-1], "rematch")
        row.append(str(tables.get(row[-1]).rematch))
    orders = [[seat.name for seat in tables.get(table).seats] for table in row]
    assert orders == [["Ada", "Ben", "Cleo"], ["Cleo", "Ada", "Ben"], ["Ben", "Cleo", "Ada"]]
    assert list(tables.get(row[2]).match.names) == orders[2]
    evening = browser.get(f"/api/tables/{row[2]}/evening").json()
    assert [match["table"] for match in evening["matches"]] == row
    assert [match["over"] for match in evening["matches"]] == [True, True, False]
    assert evening["names"] == orders[2]
    for nth, name in enumerate(orders[2]):
        matches = [tables.get(table).match for table in row[:2]]
        places = [order.index(name) for order in orders[:2]]
        points = sum(m.totals[at] for m, at in zip(matches, places, strict=True))
        wins = sum(at in m.winners for m, at in zip(matches, places, strict=True))
        assert (evening["points"][nth], evening["wins"][nth]) == (points, wins)
    state = browser.get(f"/api/tables/{row[2]}").json()
    assert (state["previous"], state["rematch"]) == (row[1], None)


def test_an_evening_goes_back_to_what_is_still_there(tables: Tables, browser: TestClient) -> None:
    first = set_up(tables, "Ada", "Ben")
    play_out(tables, first)
    do(tables, first, "rematch")
    second = str(tables.get(first).rematch)
    tables.delete(first, ADA)
    evening = browser.get(f"/api/tables/{second}/evening").json()
    assert [match["table"] for match in evening["matches"]] == [second]
    assert browser.get("/api/tables/nothing/evening").status_code == 404


def test_who_has_no_name_is_called_by_the_new_seat(tables: Tables) -> None:
    seats = [{"kind": "here"}, {"kind": "here", "name": "Ben"}]
    first = tables.create(table_request(game="cloud-city", seats=seats), ADA).id
    play_out(tables, first)
    do(tables, first, "rematch")
    again = tables.get(str(tables.get(first).rematch))
    assert [seat.name for seat in again.seats] == ["Ben", "seat 1"]


# --- faces


def test_all_faces_differ_and_can_be_drawn() -> None:
    names = [*FACES, *(f"bot-{bot}" for bot in bot_names())]
    drawn = {face_svg(name) for name in names}
    assert len(drawn) == len(names)
    for name in names[::9] + names[-4:]:
        assert to_png(face_svg(name)).startswith(b"\x89PNG")


def test_a_face_is_chosen_and_kept_for_the_rematch(tables: Tables, browser: TestClient) -> None:
    seats = [ME | {"face": "dome-teal"}, BOT]
    table = browser.post("/api/tables", json={"game": "cloud-city", "seats": seats}).json()["table"]
    state = browser.get(f"/api/tables/{table}").json()
    assert [seat["face"] for seat in state["seats"]] == [
        "/faces/dome-teal.svg", "/faces/bot-random.svg",
    ]  # fmt: skip
    named = {"seq": 0, "id": "an-id-of-mine", "seat": 0, "kind": "rename", "name": "Ada"}
    answer = browser.post(f"/api/tables/{table}/events", json=named | {"face": "spire-red"})
    assert answer.json()["state"]["seats"][0]["face"] == "/faces/spire-red.svg"
    assert Tables(tables.store).get(table).seats[0].face == "spire-red"


@pytest.mark.parametrize("face", ["dome-mauve", "bot-builder", "../x", 7, "dome-teal" * 99])
def test_no_other_face_can_be_chosen(browser: TestClient, face: Any) -> None:
    seats = [ME | {"face": face}, BOT]
    answer = browser.post("/api/tables", json={"game": "cloud-city", "seats": seats})
    assert answer.status_code == 422
    assert "post.seats[0].face is no face" in answer.json()["error"]


@pytest.mark.parametrize("name", ["dome-mauve", "bot-", "x", "bot-" + "x" * 65])
def test_there_is_no_picture_of_what_is_no_face(browser: TestClient, name: str) -> None:
    assert browser.get(f"/faces/{name}.svg").status_code == 404


def test_a_face_is_the_same_for_everybody_and_sets_no_cookie(browser: TestClient) -> None:
    answer = browser.get("/faces/bot-%3Cscript%3E.svg")
    assert answer.status_code == 200
    assert "script" not in answer.text
    assert "set-cookie" not in answer.headers


def test_who_has_chosen_no_face_has_another_at_every_table(browser: TestClient) -> None:
    """A face must not tell that two seats are the same person's."""
    asked = {"game": "cloud-city", "seats": [ME, BOT]}
    tables = [browser.post("/api/tables", json=asked).json()["table"] for _ in range(12)]
    faces = {browser.get(f"/api/tables/{table}").json()["seats"][0]["face"] for table in tables}
    assert len(faces) > 1


def test_erasing_takes_the_face_too(tables: Tables, browser: TestClient) -> None:
    seats = [ME | {"face": "dome-teal"}, BOT]
    table = browser.post("/api/tables", json={"game": "cloud-city", "seats": seats}).json()["table"]
    named = {"seq": 0, "id": "an-id-of-mine", "seat": 0, "kind": "rename", "name": "Ada"}
    browser.post(f"/api/tables/{table}/events", json=named | {"face": "spire-red"})
    browser.delete("/api/identity")
    with tables.store.reading() as connection:
        kept = [
            *connection.scalars(select(SEATS.c.face)),
            *connection.scalars(select(EVENTS.c.data)),
        ]
    assert "spire-red" not in str(kept)
    assert "dome-teal" not in str(kept)
