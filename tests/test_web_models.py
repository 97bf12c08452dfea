"""The API's description: complete, true to what is answered, and what the page's types are from."""

import gzip
import json
import re
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from pydantic import TypeAdapter, ValidationError
from starlette.testclient import TestClient
from tools.make_page_types import FILE as TYPES
from tools.make_page_types import types_of

import storeys
from storeys.web import models, workers
from storeys.web.api import KINDS
from storeys.web.app import create_app
from tests.make_golden import FOLDER as GOLDEN

ME, HERE, FRIEND = {"kind": "me", "name": "Ada"}, {"kind": "here"}, {"kind": "friend"}
FREE_FORM = {"TableView.view", "Record.options", "Record.start"}
"""Objects in answers that only a game can describe: positions and options."""


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    for step in ("start", "consider"):  # No bot moves.
        monkeypatch.setattr(workers.Workers, step, lambda *_: None)
    return create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=1, pace=0)


@pytest.fixture
def browser(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app) as client:
        yield client


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    return create_app().openapi()


def new_table(browser: TestClient, *seats: dict[str, str], game: str = "neoville") -> str:
    answer = browser.post("/api/tables", json={"game": game, "seats": list(seats)})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["table"])


def post(browser: TestClient, table: str, query: str = "", **event: Any) -> Any:
    content = {"id": secrets.token_hex(8), "seat": 0} | event
    return browser.post(f"/api/tables/{table}/events{query}", json=content)


def state(browser: TestClient, table: str, query: str = "") -> Any:
    return browser.get(f"/api/tables/{table}{query}").json()


# --- answers are what the models say


def check(model: Any, answer: Any) -> None:
    """An answer has everything that its model names, of that type, and nothing else."""
    adapter = TypeAdapter(model)
    assert adapter.validate_python(answer, strict=True) == answer


def record_of(game: str) -> Any:
    file = next(iter(sorted(GOLDEN.glob(f"{game}-v*-2*.json"))))
    return json.loads(file.read_text("utf-8"))["record"]


@pytest.mark.parametrize("game", storeys.game_names())
def test_answers_are_what_the_models_say(browser: TestClient, game: str) -> None:
    made = browser.post("/api/tables", json={"game": game, "seats": [ME, FRIEND]}).json()
    check(models.TableMade, made)
    here = f"/api/tables/{made['table']}"
    check(models.Joined, browser.post(f"/api{made['links'][0]['url']}", json={}).json())
    seat = state(browser, made["table"])["to_move"]
    seen = state(browser, made["table"], f"?seat={seat}")
    assert seen["choices"]
    check(models.State, seen)
    check(models.State, state(browser, made["table"], "?view=skyline&lang=de"))
    move = seen["choices"][0]["move"]
    moved = post(browser, made["table"], seq=1, seat=seat, kind="move", move=move)
    check(models.Posted, moved.json())
    check(models.Refusal, post(browser, made["table"], seq=1, seat=2, kind="resign").json())
    stranger = TestClient(browser.app)
    check(models.Refusal, post(stranger, made["table"], seq=2, kind="resign").json())
    check(models.TableView, browser.get(f"{here}/view?seat=0").json())
    check(models.LinkMade, browser.post(f"{here}/seats/0/link").json())
    check(list[models.TableFacts], browser.get("/api/tables").json())
    check(models.TableDeleted, browser.delete(here).json())
    check(models.Games, browser.get("/api/games").json())
    replay = browser.post("/api/replays", json=record_of(game)).json()
    check(models.ReplayMade, replay)
    check(models.State, state(browser, replay["table"], "?part=0.0&ply=20"))
    check(models.Record, browser.get(f"/api/tables/{replay['table']}/record").json())


def test_what_does_not_fit_a_model_is_found(browser: TestClient) -> None:
    seen = state(browser, new_table(browser, ME, HERE), "?seat=0")
    for wrong in ({"more": 1}, {"seq": "1"}, {"status": "asleep"}, {"choices": [{"move": "x"}]}):
        with pytest.raises((ValidationError, AssertionError)):
            check(models.State, seen | wrong)
    del seen["round"]
    with pytest.raises(ValidationError):
        check(models.State, seen)


# --- the description


def schemas_in(node: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Every schema in a part of the description, with where it stands."""
    if isinstance(node, dict):
        yield where, node
        for key, value in node.items():
            inner = where if key in ("properties", "items", "anyOf", "oneOf") else f"{where}.{key}"
            yield from schemas_in(value, inner)
    elif isinstance(node, list):
        for value in node:
            yield from schemas_in(value, where)


def operations(description: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (path, operation)
        for path, methods in description["paths"].items()
        for operation in methods.values()
    ]


def test_every_reference_leads_somewhere(description: dict[str, Any]) -> None:
    schemas = description["components"]["schemas"]
    found = {node["$ref"] for _, node in schemas_in(description, "") if "$ref" in node}
    found = {ref for ref in found if isinstance(ref, str)}
    assert found == {f"#/components/schemas/{name}" for name in schemas}
    assert all(re.fullmatch("[A-Z][A-Za-z]+", name) for name in schemas)


def test_every_answer_and_request_is_named(description: dict[str, Any]) -> None:
    """What comes as JSON is a schema by name, or a list of such."""
    for path, operation in operations(description):
        if not path.startswith("/api/"):
            continue
        parts = [*operation["responses"].values(), operation.get("requestBody", {})]
        for part in parts:
            if "application/json" in part.get("content", {}):
                schema = part["content"]["application/json"]["schema"]
                assert "$ref" in schema or "$ref" in schema["items"], path


def test_only_positions_and_options_are_free(description: dict[str, Any]) -> None:
    requests = {"TableRequest.options", "MoveEvent.move"}
    free = {
        where
        for name, schema in description["components"]["schemas"].items()
        for where, node in schemas_in(schema, name)
        if node.get("type") == "object" and node.get("additionalProperties") is True
    }
    assert free == FREE_FORM | requests


PLAIN = {"text/plain": {"type": "string"}}


def test_every_endpoint_says_how_it_is_called_and_what_it_refuses(
    description: dict[str, Any],
) -> None:
    names = [operation["operationId"] for _, operation in operations(description)]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", name) for name in names)
    refusal = {"$ref": "#/components/schemas/Refusal"}
    for path, operation in operations(description):
        assert operation["description"], path
        refused = {status: one for status, one in operation["responses"].items() if status >= "400"}
        assert {"422", "500", "503"} <= set(refused) or not path.startswith("/api/")
        names_something = "{table}" in path or "{token}" in path or path.endswith("/carry")
        assert ("404" in refused) == names_something
        for one in refused.values():
            kind = "text/plain" if path == "/healthz" else "application/json"
            assert one["content"][kind]["schema"] == PLAIN.get(kind, refusal)
    for path, methods in description["paths"].items():  # other websites, bodies large and slow
        for changing in methods.keys() & {"post", "delete"}:
            assert {"403", "408", "413"} <= set(methods[changing]["responses"]), path
    late = [
        ("/tables/{table}/events", "post"),
        ("/identity/carry", "post"),
        ("/identity", "delete"),
    ]
    for path, method in late:
        assert "409" in description["paths"][f"/api{path}"][method]["responses"], path


def test_an_event_is_told_by_its_kind(description: dict[str, Any]) -> None:
    event = description["components"]["schemas"]["TableEvent"]
    assert event["discriminator"]["propertyName"] == "kind"
    kinds = event["discriminator"]["mapping"]
    assert set(kinds) == set(KINDS)
    for kind, ref in kinds.items():
        model = description["components"]["schemas"][ref.rsplit("/", 1)[-1]]
        assert model["properties"]["kind"]["const"] == kind
        assert {"id", "seq", "seat", "kind"} <= set(model["required"])


# --- the page's types


def test_the_types_of_the_page_are_those_of_the_api(description: dict[str, Any]) -> None:
    """Make them anew with `python -m tools.make_page_types`."""
    assert TYPES.read_text("utf-8") == types_of(description)


def test_the_types_of_the_page_change_with_the_api(description: dict[str, Any]) -> None:
    other = json.loads(json.dumps(description))
    del other["components"]["schemas"]["State"]["properties"]["seq"]
    assert types_of(other) != types_of(description)


# --- what the models cannot read

RENAME = {"kind": "rename", "id": "an-id-of-mine", "seq": 0, "seat": 0, "name": "Eva"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({}, "post: the entry “kind” is missing"),
        ({"kind": "move"}, "post: the entry “id” is missing"),
        ({"kind": 3}, "post.kind: expected one of move, take-back, resign, take-over, return, "
                      "rename, rematch; found 3"),
        (RENAME | {"id": "short"}, "an event needs an id of your own of 8 to 64 signs"),
        (RENAME | {"id": "x" * 65}, "an event needs an id of your own of 8 to 64 signs"),
        (RENAME | {"id": 3}, "post.id: expected a text, found 3"),
        (RENAME | {"seq": "0"}, "post.seq: expected a whole number from 0 to 1099511627776, "
                                "found “0”"),
        (RENAME | {"seq": True}, "post.seq: expected a whole number"),
        (RENAME | {"seat": 2}, "post.seat: expected a whole number from 0 to 1, found 2"),
        (RENAME | {"seat": None}, "post.seat: expected a whole number from 0 to 1, found None"),
        (RENAME | {"name": 3}, "post.name: expected a text, found 3"),
        (RENAME | {"kind": "move"}, "post: the entry “move” is missing"),
        (RENAME | {"kind": "take-over", "bot": 3}, "post.bot: expected one of random"),
        ([], "the request cannot be read at body: Input should be"),
    ],
)  # fmt: skip
def test_what_the_models_cannot_read_is_told_in_our_words(
    browser: TestClient, content: Any, sentence: str
) -> None:
    table = new_table(browser, ME, FRIEND)
    answer = browser.post(f"/api/tables/{table}/events", json=content)
    assert (answer.status_code, answer.json()["rule"]) == (422, None)
    assert answer.json()["error"].startswith(sentence)
    assert state(browser, table)["seq"] == 0


def test_what_the_models_cannot_read_is_told_in_the_reader_s_language(browser: TestClient) -> None:
    table, german = new_table(browser, ME, FRIEND), {"accept-language": "de"}
    answer = browser.post(f"/api/tables/{table}/events", json={"kind": "dance"}, headers=german)
    assert answer.json()["error"].startswith("post.kind: erwartet wird eins von move")


# --- a post is answered with the state


def test_a_post_is_answered_with_the_state_since(browser: TestClient) -> None:
    table = new_table(browser, ME, FRIEND)
    query = "?view=skyline&turn=1&theme=dark&lang=de"
    answer = post(browser, table, query, seq=0, kind="rename", name="Eva").json()
    assert (answer["seq"], answer["state"]) == (1, state(browser, table, query))
    assert answer["state"]["seats"][0]["name"] == "Eva"
    known = ",".join(area["hash"] for area in answer["state"]["areas"])
    short = post(browser, table, f"{query}&known={known}", seq=1, kind="rename", name="Eva").json()
    assert {area["body"] for area in short["state"]["areas"]} == {None}


def test_a_post_sent_again_is_answered_with_the_state_of_now(browser: TestClient) -> None:
    table = new_table(browser, ME, HERE)
    first = post(browser, table, seq=0, kind="rename", name="Eva", id="the-first").json()
    post(browser, table, seq=1, kind="rename", name="Zoe")
    again = post(browser, table, seq=0, kind="rename", name="Eva", id="the-first").json()
    assert (first["seq"], first["state"]["seq"]) == (1, 1)
    assert (again["seq"], again["state"]["seq"]) == (1, 2)
    assert again["state"]["seats"][0]["name"] == "Zoe"
    stranger = TestClient(browser.app)
    seen = post(stranger, table, seq=0, kind="rename", name="Eva", id="the-first").json()
    assert (seen["seq"], seen["state"]) == (1, state(stranger, table))
    assert (seen["state"]["viewer"], seen["state"]["mine"]) == (None, [])


def test_without_a_query_the_seat_that_has_posted_sees_the_table(browser: TestClient) -> None:
    """At one screen a page would see a curtain, since it asks as a browser and for no seat."""
    table = new_table(browser, ME, HERE)
    move = state(browser, table, "?seat=0")["choices"][0]["move"]
    answer = post(browser, table, seq=0, kind="move", move=move).json()
    assert answer["state"] == state(browser, table, "?seat=0")
    taken_back = post(browser, table, "?view=plan", seq=1, kind="take-back").json()
    assert taken_back["state"] == state(browser, table, "?view=plan")
    assert taken_back["state"]["curtain"]


def test_who_has_left_a_seat_sees_the_table_as_a_spectator(browser: TestClient) -> None:
    table = new_table(browser, ME, FRIEND, FRIEND)
    gone = post(browser, table, "?seat=0", seq=0, kind="resign").json()
    assert (gone["state"]["mine"], gone["state"]["viewer"]) == ([], None)


@pytest.mark.parametrize(
    ("query", "status"),
    [("?view=side", 422), ("?theme=pink", 422), ("?seat=1", 403), ("?turn=x", 422)],
)
def test_what_cannot_be_shown_is_refused_before_anything_is_done(
    browser: TestClient, query: str, status: int
) -> None:
    table = new_table(browser, ME, FRIEND)
    assert post(browser, table, query, seq=0, kind="rename", name="Eva").status_code == status
    assert state(browser, table)["seq"] == 0


def test_programs_that_post_first_need_no_cookie(app: FastAPI, browser: TestClient) -> None:
    """Whoever sets up or joins with its first request has a seat, and goes on with the cookie."""
    host, guest, stranger = (TestClient(app) for _ in range(3))
    made = host.post("/api/tables", json={"game": "neoville", "seats": [ME, FRIEND]}).json()
    joined = guest.post(f"/api{made['links'][0]['url']}", json={"name": "Ben"}).json()
    assert joined["seats"] == [1]
    move = state(host, made["table"])["choices"][0]["move"]
    refused = post(stranger, made["table"], seq=1, kind="move", move=move)
    assert (refused.status_code, refused.json()["seat"]) == (403, 0)
    assert stranger.cookies
    moved = post(host, made["table"], seq=1, kind="move", move=move).json()
    assert (moved["seq"], moved["state"]["viewer"]) == (2, 0)
    named = post(guest, made["table"], seq=2, seat=1, kind="rename", name="Bo").json()
    assert (named["seq"], named["state"]["viewer"]) == (3, 1)


# --- over the wire


@pytest.fixture
def served(app: FastAPI) -> Iterator[int]:
    """The port of a real server."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield port
    server.should_exit = True
    thread.join()


@contextmanager
def asked(port: int, address: str, content: Any = None) -> Iterator[HTTPResponse]:
    """An answer as it comes over the wire, for a client that reads gzip."""
    headers = {"Accept-Encoding": "gzip", "Content-Type": "application/json"}
    body = None if content is None else json.dumps(content)
    with closing(HTTPConnection("127.0.0.1", port, timeout=300)) as connection:
        connection.request("GET" if content is None else "POST", address, body, headers)
        with connection.getresponse() as answer:
            yield answer


def new_table_at(port: int) -> Any:
    content = {"game": "neoville", "seats": [FRIEND, FRIEND]}
    with asked(port, "/api/tables", content) as answer:
        return json.loads(answer.read())


def encoding_of(port: int, address: str) -> str | None:
    with asked(port, address) as answer:
        return answer.headers["Content-Encoding"]


def test_answers_are_compressed_but_no_pictures(served: int) -> None:
    table = new_table_at(served)["table"]
    with asked(served, f"/api/tables/{table}") as answer:
        packed = answer.read()
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert int(answer.headers["Content-Length"]) == len(packed)
    unpacked = gzip.decompress(packed)
    assert json.loads(unpacked)["table"] == table
    assert len(packed) < len(unpacked) / 4
    assert encoding_of(served, "/static/match.js") == "gzip"
    assert encoding_of(served, "/healthz") is None
    assert encoding_of(served, f"/api/tables/{table}/picture.png") is None


def test_the_stream_is_not_compressed_and_news_arrive_while_it_is_open(served: int) -> None:
    made = new_table_at(served)
    with asked(served, f"/api/stream?tables={made['table']}") as stream:
        assert stream.headers["Content-Encoding"] is None
        assert stream.readline() == b": hello\n"
        with asked(served, f"/api{made['links'][0]['url']}", {"name": "Ben"}) as answer:
            assert answer.status == 200
        lines = [stream.readline() for _ in range(4)]
    assert lines[1:3] == [b"event: table\n", b"id: 1\n"]
    assert json.loads(lines[3].removeprefix(b"data: ")) == {"table": made["table"], "seq": 1}
