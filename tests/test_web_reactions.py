"""Quick reactions: told to who looks on, by who sits there, not too often, and kept nowhere."""

import asyncio
import json
from typing import Any

import pytest
from sqlalchemy import func, select
from starlette.testclient import TestClient

from storeys.web.live import Live
from storeys.web.reactions import RATE
from storeys.web.store import EVENTS

ME, HERE = {"kind": "me", "name": "Ada"}, {"kind": "here", "name": "Ben"}


@pytest.fixture
def table(browser: TestClient) -> str:
    asked = {"game": "neoville", "seats": [ME, HERE]}
    return str(browser.post("/api/tables", json=asked).json()["table"])


def test_a_reaction_is_passed_on_and_kept_nowhere(
    app: Any, browser: TestClient, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, int, str]] = []
    live = app.state.services.live
    monkeypatch.setattr(live, "tell_reaction", lambda *words: told.append(words))
    sent = {"seat": 1, "reaction": "bravo"}
    answer = browser.post(f"/api/tables/{table}/reactions", json=sent)
    assert (answer.status_code, answer.json()) == (200, sent)
    assert told == [(table, 1, "bravo")]
    with app.state.services.store.reading() as connection:
        assert connection.scalar(select(func.count()).select_from(EVENTS)) == 0
    assert browser.get(f"/api/tables/{table}").json()["seq"] == 0


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ({"seat": 0, "reaction": "rude words"}, 422),
        ({"seat": 0, "reaction": "bravo", "text": "hi"}, 422),
        ({"seat": 5, "reaction": "bravo"}, 403),
        ({"seat": -1, "reaction": "bravo"}, 422),
        ({"reaction": "bravo"}, 422),
    ],
)
def test_nothing_else_can_be_said(
    browser: TestClient, table: str, content: Any, status: int
) -> None:
    assert browser.post(f"/api/tables/{table}/reactions", json=content).status_code == status


def test_who_looks_on_does_not_react(app: Any, table: str) -> None:
    sent = {"seat": 0, "reaction": "bravo"}
    assert TestClient(app).post(f"/api/tables/{table}/reactions", json=sent).status_code == 403


def test_no_other_website_reacts(browser: TestClient, table: str) -> None:
    sent, elsewhere = {"seat": 0, "reaction": "bravo"}, {"sec-fetch-site": "cross-site"}
    answer = browser.post(f"/api/tables/{table}/reactions", json=sent, headers=elsewhere)
    assert answer.status_code == 403


def test_not_too_often(browser: TestClient, table: str) -> None:
    sent = {"seat": 0, "reaction": "haha"}
    answers = [
        browser.post(f"/api/tables/{table}/reactions", json=sent) for _ in range(RATE.at_once + 1)
    ]
    assert [answer.status_code for answer in answers] == [200] * RATE.at_once + [429]
    assert int(answers[-1].headers["retry-after"]) > 0
    other = browser.post("/api/tables", json={"game": "neoville", "seats": [ME, HERE]}).json()
    answer = browser.post(f"/api/tables/{other['table']}/reactions", json=sent)
    assert answer.status_code == 200  # at another table


def test_a_stream_tells_reactions_between_events() -> None:
    async def listen() -> list[str]:
        live = Live()
        live.start()
        stream = live.stream(frozenset(["a"]))
        said = [await anext(stream)]
        live.tell("a", 7)
        live.tell_reaction("a", 1, "wow")
        live.tell_reaction("b", 0, "wow")
        said += [await anext(stream), await anext(stream)]
        await stream.aclose()
        return said

    _, event, reaction = asyncio.run(listen())
    assert event.startswith("event: table\nid: 7\n")
    kind, data, *_ = reaction.splitlines()
    assert kind == "event: reaction"
    found = json.loads(data.removeprefix("data: "))
    assert found == {"table": "a", "seat": 1, "reaction": "wow"}


def test_what_another_process_says_is_passed_on(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, int, str]] = []
    services = app.state.services
    monkeypatch.setattr(services.live, "tell_reaction", lambda *words: told.append(words))
    services.reactions.hear("Xa3kP0qZ 2 oops")
    assert told == [("Xa3kP0qZ", 2, "oops")]
