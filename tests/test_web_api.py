"""The JSON API and the pages over HTTP: cookies, links, streams, bots that fail."""

import json
import os
import re
import secrets
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

import storeys
from storeys.web import processes, thinking, workers
from storeys.web.app import create_app
from tests.attacks.scale import eventually
from tests.attacks.server import is_gone


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    return create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=1, pace=0)


@pytest.fixture
def browser(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A browser at a server whose bots answer at once, without processes of their own."""
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


def state(browser: TestClient, table: str, **query: Any) -> dict[str, Any]:
    answer = browser.get(f"/api/tables/{table}", params=query)
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
    seen, patience = state(browser, table), time.time() + 600
    while seen["status"] != "over" and time.time() < patience:
        if seen["your_turn"]:
            answer = post(browser, table, seen, kind="move", move=seen["choices"][-1]["move"])
            assert answer.status_code == 200, answer.text
        else:
            time.sleep(0.01)  # Whoever asks without a pause is refused.
        seen = state(browser, table)
    assert seen["winners"]
    record = browser.get(f"/api/tables/{table}/record").json()
    assert storeys.load(record).winners == seen["winners"]
    assert browser.get(f"/api/tables/{table}/picture.png").content.startswith(b"\x89PNG")


def test_a_match_names_all_its_scripts(browser: TestClient) -> None:
    """So that a browser fetches them at once, not each when the one before has told of it."""
    text = browser.get(f"/t/{new_table(browser, ME)}").text
    named = set(re.findall(r'<link rel="modulepreload" href="/static/([^"]+)">', text))
    assert "match.js" in named
    for script in named:
        lines = browser.get(f"/static/{script}").text.splitlines()
        imports = [line for line in lines if line.startswith(("import ", "} from"))]
        assert {line.rpartition("./")[2].rstrip('";') for line in imports} <= named, script


@pytest.mark.parametrize("game", storeys.game_names())
def test_a_match_comes_with_its_picture(browser: TestClient, game: str) -> None:
    """Every drawing is in the page once, as it would be sent, and what is to be done is said."""
    table = new_table(browser, ME, {"kind": "bot", "bot": "random"}, game=game)
    while not (seen := state(browser, table))["your_turn"]:
        time.sleep(0.01)
    text = browser.get(f"/t/{table}").text
    _, _, data = text.rpartition('<script type="application/json" id="state">')
    told = json.loads(data.partition("</script>")[0])
    for area, in_data in zip(seen["areas"], told["areas"], strict=True):
        assert f'data-area="{area["name"]}" data-hash="{area["hash"]}"' in text
        assert text.count(area["body"]) == 1
        assert (in_data["hash"], in_data["body"]) == (area["hash"], None)
    assert text.count(seen["defs"]["body"]) == 1
    assert told["defs"]["body"] is None
    assert f'<p id="prompt" role="status" aria-live="polite">{seen["prompt"]}</p>' in text
    assert re.search(r'<p id="choice" aria-live="polite">Pick .*\.</p>', text)


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
    assert friend.post(f"/api/join/{token}", json={}).json() == joined.json()
    assert friend.get(invite, follow_redirects=False).headers["location"] == f"/t/{table}"
    eve = another(app)
    assert eve.get(invite).status_code == 404
    assert eve.post(f"/api/join/{token}", json={}).status_code == 404
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
    assert german.json()["error"] == "es gibt keinen Tisch „nope“"


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
    monkeypatch.setattr(workers.Workers, "_thought", lambda self, *_: None)
    url = f"sqlite:///{tmp_path / 'kept.db'}"
    with TestClient(create_app(url, workers=1, pace=0)) as client:
        table = new_table(client, ME, BOT)
        post(client, table, state(client, table), kind="take-over", seat=0)
        cookies = dict(client.cookies)
    with TestClient(create_app(url, workers=1, pace=0), cookies=cookies) as client:
        patience = time.time() + 600
        while state(client, table)["status"] != "over" and time.time() < patience:
            time.sleep(0.05)
        assert state(client, table)["status"] == "over"


# --- bad input


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "sentence"),
    [
        ("GET", "/api/nothing", None, 404, "there is nothing at /api/nothing"),
        ("DELETE", "/api/tables", None, 405, "/docs tells how"),
        ("POST", "/api/tables", "{", 422, "the request cannot be read at body"),
        ("POST", "/api/tables", "[1]", 422, "the request cannot be read at body"),
        ("POST", "/api/tables", "{}", 422, "seats"),
        ("POST", "/api/replays", '{"game": "go"}', 422, "game"),
        ("GET", "/api/tables/nothing", None, 404, "there is no table"),
        ("GET", "/api/tables/nothing?turn=x", None, 422, "query.turn"),
        ("POST", "/api/replays", '{"x": "' + 2_100_000 * "x" + '"}', 413, "too large"),
    ],
    ids=range(9),
)
def test_a_bad_request_gets_one_sentence(
    browser: TestClient, method: str, path: str, body: str | None, status: int, sentence: str
) -> None:
    headers = {"content-type": "application/json"}
    answer = browser.request(method, path, content=body, headers=headers)
    assert answer.status_code == status
    assert sentence in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def test_a_wrong_address_gets_a_page(browser: TestClient) -> None:
    answer = browser.get("/nothing", headers={"accept-language": "de"})
    assert answer.status_code == 404
    assert "unter /nothing gibt es nichts" in answer.text
    assert "<html" in answer.text


def test_a_fault_of_the_server_is_one_sentence_too(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:

    def broken(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(app.state.services.store, "load", broken)
    with TestClient(app, raise_server_exceptions=False) as client:
        answer = client.get("/api/tables/some")
    assert answer.status_code == 500
    assert answer.json()["error"].startswith("something went wrong on the server")


@pytest.mark.parametrize("lang", ["en", "de", "nl"])
def test_what_cannot_be_chosen_is_told_in_words_of_the_page(browser: TestClient, lang: str) -> None:
    """Not by the names that programs use."""
    games = browser.get("/api/games", headers={"accept-language": lang}).json()["games"]
    found = 0
    for option in (option for game in games for option in game["options"]):
        ids = {str(value["value"]) for value in option["values"]}
        for sentence in (why for value in option["values"] for why in value["barred"].values()):
            words = set(sentence.replace(";", " ").replace(".", " ").split())
            assert not words & ids, sentence
            found += 1
    assert found >= 3


def test_a_program_finds_games_bots_and_its_tables(browser: TestClient) -> None:
    found = browser.get("/api/games").json()
    assert [game["name"] for game in found["games"]] == storeys.game_names()
    assert {"random", "novice", "builder"} <= {bot["name"] for bot in found["bots"]}
    table = new_table(browser, ME, BOT)
    assert [one["id"] for one in browser.get("/api/tables").json()] == [table]


# --- bots that fail


def die(*_: Any) -> list[str]:
    os._exit(1)


def hang(*_: Any) -> list[str]:
    threading.Event().wait()
    return []


def fail(*_: Any) -> list[str]:
    raise RuntimeError("out of ideas")


@pytest.mark.parametrize("broken", [die, hang, fail])
def test_a_bot_that_fails_is_replaced(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, broken: Any
) -> None:
    if broken is hang:  # The others must not be found slow on a busy machine.
        monkeypatch.setattr(processes, "PATIENCE", 4.0)
    monkeypatch.setattr(processes.Process, "task", staticmethod(broken))
    with TestClient(app) as client:
        table = new_table(client, BOT, ME, game="cloud-city")
        wait_for_my_turn(client, table)
        why = {die: "died", hang: "slow", fail: "failed"}[broken]
        figure = f'storeys_bots_replaced_total{{bot="random",why="{why}"}}'
        assert figure in client.get("/metrics").text
        assert len(app.state.services.workers.processes.running) == (broken is fail)


def wait_for_my_turn(client: TestClient, table: str) -> None:
    patience = time.time() + 600
    while not state(client, table)["your_turn"] and time.time() < patience:
        time.sleep(0.1)
    assert state(client, table)["your_turn"]


MEETING = "STOREYS_TEST_MEETING"
"""The variable that names the folder in which bots of two processes wait for each other."""


def die_if_novice(name: str, view: Any, seed: int, seconds: float) -> list[str]:
    """Let the novice fall while the other one is at its table, who goes on once it has fallen."""
    at_table, fallen = (Path(os.environ[MEETING], word) for word in ("at-table", "fallen"))
    if name == "novice":
        eventually(at_table.exists, "the other one sits down")
        fallen.write_text(str(os.getpid()), "utf-8")
        os._exit(1)
    at_table.touch()
    eventually(lambda: fallen.exists() and fallen.read_text("utf-8") != "", "the novice falls")
    eventually(lambda: is_gone(int(fallen.read_text("utf-8"))), "the novice is gone")
    return thinking.think(name, view, seed, seconds)


def test_a_bot_that_dies_takes_no_other_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "PATIENCE", 600.0)  # Nobody is slow here, only the machine.
    monkeypatch.setattr(processes.Process, "task", staticmethod(die_if_novice))
    monkeypatch.setenv(MEETING, str(tmp_path))
    app = create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=2, pace=0)
    with TestClient(app) as client:
        good = new_table(client, {"kind": "bot", "bot": "random"}, ME)
        bad = new_table(client, {"kind": "bot", "bot": "novice"}, ME)
        wait_for_my_turn(client, bad)
        wait_for_my_turn(client, good)
        told = client.get("/metrics").text
        assert 'storeys_bots_replaced_total{bot="novice",why="died"}' in told
        assert 'storeys_bots_replaced_total{bot="random"' not in told


def test_a_bot_of_ones_own_over_http(browser: TestClient) -> None:
    table = new_table(browser, ME, BOT)
    answer = browser.get(f"/api/tables/{table}/view", params={"seat": 0}).json()
    move = storeys.bot("random", seed=1).choose(answer["view"])
    assert post(browser, table, answer, kind="move", move=str(move)).status_code == 200
    assert json.dumps(answer["view"]["hands"][1]).count("null") == 2
