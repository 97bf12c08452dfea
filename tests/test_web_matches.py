"""One's matches in lists, and links as pictures."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from storeys.web.identity import logged_path
from storeys.web.pages import PER_PAGE
from storeys.web.qr import qr_svg

ME, HERE, FRIEND = {"kind": "me", "name": "Ada"}, {"kind": "here"}, {"kind": "friend"}
BOT = {"kind": "bot", "bot": "random"}


def set_up(browser: TestClient, *seats: dict[str, str]) -> dict[str, Any]:
    asked = {"game": "neoville", "seats": list(seats)}
    made: dict[str, Any] = browser.post("/api/tables", json=asked).json()
    return made


def listed(browser: TestClient, query: str = "") -> list[str]:
    return [one["id"] for one in browser.get(f"/api/tables?{query}").json()]


# --- where one is to move


def test_all_tables_where_it_is_my_turn(app: Any, browser: TestClient) -> None:
    mine = [set_up(browser, ME, BOT)["table"] for _ in range(PER_PAGE + 3)]
    waiting = set_up(browser, ME, FRIEND)["table"]
    bots = set_up(browser, BOT, ME)["table"]
    assert listed(browser, "turn=true") == mine  # the longest waiting first, and however many
    assert len(listed(browser)) == 30
    assert listed(browser, "skip=30") == mine[:5][::-1]
    assert {waiting, bots}.isdisjoint(listed(browser, "turn=true"))
    assert listed(TestClient(app), "turn=true") == []


def test_a_seat_that_a_bot_plays_for_me_is_not_my_turn(browser: TestClient) -> None:
    table = set_up(browser, ME, HERE)["table"]
    event = {"seq": 0, "id": "an-id-of-mine", "seat": 0, "kind": "take-over"}
    assert browser.post(f"/api/tables/{table}/events", json=event).status_code == 200
    assert listed(browser, "turn=true") == []


def test_the_page_of_my_matches(app: Any, browser: TestClient) -> None:
    tables = [set_up(browser, ME, BOT)["table"] for _ in range(PER_PAGE + 2)]
    waiting = set_up(browser, ME, FRIEND)["table"]
    first = browser.get("/matches").text
    assert all(f"/t/{table}" in first for table in [*tables, waiting])
    assert first.count(f'href="/t/{tables[-1]}"') == 1  # found twice, and shown once
    assert f"/matches?skip={PER_PAGE}" in first
    second = browser.get(f"/matches?skip={PER_PAGE}").text
    assert f"/t/{tables[0]}" in second
    assert f"/t/{tables[-1]}" not in second
    assert 'href="/matches"' in second
    assert "/t/" not in TestClient(app).get("/matches").text
    assert browser.get("/matches?skip=-1").status_code == 422


def test_what_was_carried_over_is_listed_on_the_other_device(app: Any, browser: TestClient) -> None:
    table, other = set_up(browser, ME, BOT)["table"], TestClient(app)
    phrase = browser.post("/api/identity/phrase").json()["phrase"]
    assert other.post("/api/identity/carry", json={"phrase": phrase}).json() == {"tables": 1}
    assert listed(other, "turn=true") == [table]


# --- pictures of links


def test_a_link_as_a_picture_at_the_address_that_the_browser_knows(browser: TestClient) -> None:
    [link] = set_up(browser, ME, FRIEND)["links"]
    answer = browser.get(f"{link['url']}/qr.svg", headers={"host": "games.example:8000"})
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.content == qr_svg(f"http://games.example:8000{link['url']}")


@pytest.mark.parametrize("secret", ["a" * 101, "a%20b", "a%22b", "ä"])
def test_no_picture_of_what_is_no_link(browser: TestClient, secret: str) -> None:
    assert browser.get(f"/join/{secret}/qr.svg").status_code == 404


def test_a_log_leaves_the_secret_of_a_picture_out() -> None:
    assert logged_path("/join/vS7hQ2/qr.svg") == "/join/…/qr.svg"
    assert logged_path("/carry/lusab-babad/qr.svg") == "/carry/…/qr.svg"
