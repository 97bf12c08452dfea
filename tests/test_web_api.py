"""The JSON API and the pages over HTTP: cookies, links, streams, bots that fail."""

import json
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

import storeys
from storeys.web import workers
from storeys.web.app import create_app


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    return create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=1)


@pytest.fixture
def browser(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A browser at a server whose bots answer at once, without processes of their own."""
    monkeypatch.setattr(workers.Workers, "start", lambda self: None)
    monkeypatch.setattr(workers.Workers, "_thought", lambda self, *_: None)
    with TestClient(app) as client:
        yield client


def another(app: FastAPI) -> TestClient:
    """A second browser at the same server."""
    return TestClient(app)


def new_table(browser: TestClient, *seats: dict[str, str], game: str = "neoville") -> str:
    answer = browser.post("/api/tables", json={"game": game, "seats": list(seats)})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["table"])


def state(browser: TestClient, table: str, **wish: Any) -> dict[str, Any]:
    answer = browser.get(f"/api/tables/{table}", params=wish)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def post(browser: TestClient, table: str, seen: dict[str, Any], **event: Any) -> Any:
    content = {"seq": seen["seq"], "id": secrets.token_hex(8), "seat": 0} | event
    return browser.post(f"/api/tables/{table}/events", json=content)


ME, BOT, FRIEND = (
    {"kind": "me", "name": "Ada"},
    {"kind": "bot", "bot": "random"},
    {"kind": "friend"},
)


@pytest.mark.parametrize("game", storeys.game_names())
def test_a_whole_match_against_a_bot(browser: TestClient, game: str) -> None:
    table = new_table(browser, ME, BOT, game=game)
    seen, patience = state(browser, table), time.time() + 120
    while seen["status"] != "over" and time.time() < patience:
        if seen["your_turn"]:
            answer = post(browser, table, seen, kind="move", move=seen["choices"][-1]["move"])
            assert answer.status_code == 200, answer.text
        seen = state(browser, table)
    assert seen["winners"]
    record = browser.get(f"/api/tables/{table}/record").json()
    assert storeys.load(record).winners == seen["winners"]
    assert browser.get(f"/api/tables/{table}/picture.png").content.startswith(b"\x89PNG")


def test_the_cookie_is_a_seat(app: FastAPI, browser: TestClient) -> None:
    table = new_table(browser, ME, FRIEND)
    mine, friend = state(browser, table), another(app)
    invite = mine["seats"][1]["invite"]
    assert invite.startswith("/join/")
    seen = state(friend, table)
    assert (seen["mine"], seen["seats"][1]["invite"], seen["status"]) == ([], None, "waiting")
    token = invite.removeprefix("/join/")
    joined = friend.post(f"/api/join/{token}", json={"name": "Ben"})
    assert joined.json() == {"table": table, "seats": [1]}
    assert friend.post(f"/api/join/{token}", json={}).status_code == 404
    assert state(browser, table)["seats"][1]["name"] == "Ben"
    assert state(friend, table)["viewer"] == 1
    cookie = browser.get("/healthz").headers.get("set-cookie", "")
    assert cookie == "", "the cookie is there already"
    fresh = another(app).get("/healthz").headers["set-cookie"]
    assert "HttpOnly" in fresh
    assert "SameSite=lax" in fresh


def test_refusals_are_one_sentence(app: FastAPI, browser: TestClient) -> None:
    table = new_table(browser, ME, BOT)
    seen = state(browser, table)
    cases = [
        (post(browser, table, seen, kind="move", move="draw pile"), 422, "N-11: first lay a tile"),
        (post(browser, table, seen, kind="move", move="jump"), 422, "“jump” (word 1 of “jump”)"),
        (post(browser, table, seen | {"seq": 7}, kind="move", move="x"), 409, "something has hap"),
        (post(another(app), table, seen, kind="move", move="x"), 403, "seat 1 is not yours"),
        (post(browser, table, seen, kind="dance"), 422, "post.kind: expected one of move, take-"),
        (browser.get("/api/tables/nope"), 404, "there is no table “nope”"),
        (browser.get(f"/api/tables/{table}/record"), 422, "the match is not over yet"),
        (browser.get(f"/api/tables/{table}", params={"view": "side"}), 422, "the option view can"),
        (browser.get(f"/api/tables/{table}", params={"ply": 99}), 422, "the record has 0 moves"),
        (browser.post("/api/replays", json={"game": "chess"}), 422, "there is no game “chess”"),
    ]
    for answer, status, sentence in cases:
        assert answer.status_code == status, answer.text
        assert answer.json()["error"].startswith(sentence)
    german = browser.get("/api/tables/nope", headers={"accept-language": "de-AT,de;q=0.9"})
    assert german.json()["error"] == "es gibt keinen Tisch “nope”"


def test_a_strict_policy_on_every_answer(browser: TestClient) -> None:
    headers = browser.get("/healthz").headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def test_health_figures_and_the_description(browser: TestClient) -> None:
    assert browser.get("/healthz").text == "ok"
    new_table(browser, ME, BOT)
    assert "storeys_events_total" in browser.get("/metrics").text
    paths = browser.get("/openapi.json").json()["paths"]
    assert {"/api/tables", "/api/tables/{table}/events", "/api/stream"} <= set(paths)


def test_the_server_goes_on_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match between bots is played on from where it was."""
    monkeypatch.setattr(workers.Workers, "start", lambda self: None)
    monkeypatch.setattr(workers.Workers, "_thought", lambda self, *_: None)
    url = f"sqlite:///{tmp_path / 'kept.db'}"
    with TestClient(create_app(url, workers=1)) as client:
        table = new_table(client, ME, BOT)
        post(client, table, state(client, table), kind="take-over", seat=0)
        cookies = dict(client.cookies)
    with TestClient(create_app(url, workers=1), cookies=cookies) as client:
        patience = time.time() + 60
        while state(client, table)["status"] != "over" and time.time() < patience:
            time.sleep(0.05)
        assert state(client, table)["status"] == "over"


# --- bots that fail


def die(*_: Any) -> list[str]:
    os._exit(1)


def hang(*_: Any) -> list[str]:
    time.sleep(60)
    return []


def fail(*_: Any) -> list[str]:
    raise RuntimeError("out of ideas")


@pytest.mark.parametrize("broken", [die, hang, fail])
def test_a_bot_that_fails_is_replaced(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, broken: Any
) -> None:
    monkeypatch.setattr(workers.Workers, "start", lambda self: None)
    monkeypatch.setattr(workers, "PATIENCE", 4.0)

    house = app.state.house
    monkeypatch.setattr(house.workers, "_pool", house.workers._new_pool())
    submit = house.workers._pool.submit
    monkeypatch.setattr(house.workers._pool, "submit", lambda _, *rest: submit(broken, *rest))
    with TestClient(app) as client:
        table = new_table(client, BOT, ME, game="cloud-city")
        patience = time.time() + 60
        while not state(client, table)["your_turn"] and time.time() < patience:
            time.sleep(0.1)
        assert state(client, table)["your_turn"]


def test_a_bot_of_ones_own_over_http(browser: TestClient) -> None:
    table = new_table(browser, ME, BOT)
    answer = browser.get(f"/api/tables/{table}/view", params={"seat": 0}).json()
    move = storeys.bot("random", seed=1).choose(answer["view"])
    assert post(browser, table, answer, kind="move", move=str(move)).status_code == 200
    assert json.dumps(answer["view"]["hands"][1]).count("null") == 2
