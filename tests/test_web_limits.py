"""What a server takes from whom: sizes, times, texts, and what every answer has."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import anyio
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

import storeys
from storeys.kernel import errors
from storeys.kernel.errors import BadOption, StoreysError
from storeys.web import contents, intake, refusing, uploads, watching
from storeys.web.app import create_app
from storeys.web.limits import Limits
from storeys.web.store import Store
from storeys.web.tables import Tables
from storeys.web.uploads import check_record

GUARDS = {"content-security-policy", "x-content-type-options", "referrer-policy"}
JSON = {"content-type": "application/json"}
SMALL, USUAL = Limits(request_kilobytes=50), Limits()


def made(folder: Path, limits: Limits = SMALL) -> FastAPI:
    return create_app(f"sqlite:///{folder / 'web.db'}", workers=1, pace=0, limits=limits)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    """One server for all tests that leave nothing behind: making one takes its time."""
    return made(tmp_path_factory.mktemp("limits"))


@pytest.fixture(scope="module")
def browser(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def chunks(count: int, head: bytes = b"") -> Iterator[bytes]:
    """A body whose length nobody states."""
    yield head
    for _ in range(count):
        yield b" " * 10_000


# --- sizes and times


def check_large_bodies_are_refused(browser: TestClient) -> None:
    for path in ("/api/tables", "/api/replays", "/api/join/token", "/api/tables/some/events"):
        for kind in ("application/json", "text/plain"):
            answer = browser.post(path, content=chunks(8), headers={"content-type": kind})
            assert answer.status_code == 413, (path, kind, answer.text)
    head = b'--x\r\nContent-Disposition: form-data; name="name"; filename="x"\r\n\r\n'
    form = {"content-type": "multipart/form-data; boundary=x"}
    uploaded = browser.post("/join/token", content=chunks(8, head), headers=form)
    assert uploaded.status_code == 413
    answer = browser.post("/api/tables", content=b" " * 60_000)
    assert answer.status_code == 413
    assert answer.json()["error"] == "the request is too large; at most 50 kB are taken"


def test_large_bodies_are_refused_while_they_are_read(browser: TestClient) -> None:
    check_large_bodies_are_refused(browser)
    fits = browser.post("/api/tables", content=chunks(4))
    assert fits.status_code == 422


def test_a_large_body_that_nobody_counts_is_found(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "BODY_HEADERS", ())
    with pytest.raises(AssertionError):
        check_large_bodies_are_refused(browser)


def sent_slowly(app: FastAPI, seconds: float) -> int:
    """The status of the answer to a body that never ends; 0 if none has come for so long."""

    async def ask() -> int:
        statuses: list[int] = []
        parts = [b"{", b""]

        async def receive() -> dict[str, Any]:
            if not parts:
                await anyio.sleep_forever()
            return {"type": "http.request", "body": parts.pop(0), "more_body": True}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        with anyio.move_on_after(seconds):
            await app(scope_of("/api/tables", (b"transfer-encoding", b"chunked")), receive, send)
        return statuses[0] if statuses else 0

    return anyio.run(ask)


def scope_of(path: str, *headers: tuple[bytes, bytes], method: str = "POST") -> dict[str, Any]:
    return {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(),
        "query_string": b"", "headers": [*headers], "client": ("192.0.2.7", 1),
        "server": ("localhost", 80), "scheme": "http", "http_version": "1.1", "root_path": "",
        "asgi": {"version": "3.0"}, "state": {},
    }  # fmt: skip


def test_a_body_that_does_not_come_in_time_is_refused(app: FastAPI, tmp_path: Path) -> None:
    assert sent_slowly(made(tmp_path, Limits(request_seconds=0)), 600) == 408
    assert sent_slowly(app, 1) == 0  # longer than this test waits.


# --- records


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    """The record of a match that is over."""
    match = storeys.new("manhattan", players=2, seed=5)
    while match.to_move is not None:
        match.push(match.legal_moves[0])
    return match.record()


LONG = "x" * 5000


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"seats": [LONG[:900], "Ben"]}, "a name has 1 to 40 letters"),
        ({"seats": [LONG, "Ben"]}, "the record has a text of 5000 signs; 1000 are taken at most"),
        ({"seed": LONG}, "the record has a text of 5000 signs"),
        ({"moves": [LONG]}, "the record has a text of 5000 signs"),
        ({"moves": ["redraw"] * 6000}, "record.moves: at most 5000 moves are taken, found 6000"),
        ({"components": [[0] * 9] * 2500}, "the record has more than 20000 entries"),
        ({"options": {LONG: 1}}, "the record has a text of 5000 signs"),
        ({"options": {LONG[:900]: 1}}, "the record cannot be set up: there is no option “xxx"),
        ({"game": LONG[:900]}, "there is no game “xxx"),
        ({"moves": [LONG[:900]], "length": 1}, "move 1 (“xxx"),
        ({"components": LONG[:900]}, "the record was played with the component set xxx"),
    ],
    ids=range(11),
)
def test_what_a_record_may_not_have(
    record: dict[str, Any], changed: dict[str, Any], sentence: str
) -> None:
    answer = uploaded(record | changed)
    assert answer.startswith(sentence), answer
    assert len(answer) < 500


def uploaded(record: dict[str, Any], limits: Limits = USUAL) -> str:
    """What is said to who uploads a record; nothing if it is taken."""
    tables = Tables(Store("sqlite://"))
    try:
        check_record(record, limits)
        tables.replay(record)
    except StoreysError as error:
        return str(error)
    finally:
        tables.store.close()
    return ""


def test_a_record_of_a_usual_size_is_taken(record: dict[str, Any]) -> None:
    assert uploaded(record) == ""


def test_a_record_that_nobody_measures_is_found(
    record: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MOST_SIGNS", 10_000)
    assert not uploaded(record | {"seed": LONG}).startswith("the record has a text")
    generous = Limits(record_moves=10_000, record_entries=100_000)
    many_moves, much = {"moves": ["redraw"] * 6000}, {"components": [[0] * 9] * 2500}
    assert "5000 moves are taken" not in uploaded(record | many_moves, generous)
    assert "entries" not in uploaded(record | much, generous)


def test_an_error_that_repeats_everything_is_found(
    record: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "MOST_QUOTED", 10_000)
    with pytest.raises(AssertionError):
        test_what_a_record_may_not_have(record, {"components": LONG[:900]}, "the record was")


# --- texts


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('{"game": "\\ud800", "seats": []}', "a text has a sign that cannot be kept"),
        ('{"game": "a\\u0000b", "seats": []}', "a text has a sign that cannot be kept"),
        ('{"\\udfff": 1}', "a text has a sign that cannot be kept"),
        ('{"options": [{"a": ["\\u0000"]}]}', "a text has a sign that cannot be kept"),
        ('{"players": NaN}', "a number is not finite"),
        ('{"players": 1e999}', "a number is not finite"),
        ("[" * 40 + "]" * 40, "the request is nested too deeply"),
        ("[" * 20_000 + "]" * 20_000, "the request is nested too deeply"),
        ("1" * 10_000, "the request cannot be read at body"),
        (b'{"game": "\xed\xa0\x80"}', "the request cannot be read at body"),
        (b"\xff", "the request cannot be read at body"),
    ],
    ids=range(11),
)
def test_what_cannot_be_kept_is_refused_by_a_sentence(
    browser: TestClient, content: str | bytes, sentence: str
) -> None:
    for path in ("/api/tables", "/api/replays", "/api/tables/some/events", "/api/join/token"):
        answer = browser.post(path, content=content, headers=JSON)
        assert answer.status_code == 422, answer.text
        assert answer.json()["error"].startswith(sentence), answer.text
        assert len(answer.text) < 400


def test_signs_of_other_planes_are_no_half_signs(browser: TestClient) -> None:
    name = json.dumps({"game": "chess 🏙", "seats": []})
    assert "\\ud83c\\udfd9" in name
    answer = browser.post("/api/tables", content=name, headers=JSON)
    assert answer.json()["error"].startswith("there is no game “chess 🏙”")


@pytest.mark.parametrize(
    "address", ["/api/tables/a%00b", "/t/%00", "/join/%00", "/api/stream?tables=%00", "/%00"]
)
def test_an_address_has_no_nul(browser: TestClient, address: str) -> None:
    answer = browser.get(address)
    assert answer.status_code == 422
    assert "a text has a sign that cannot be kept" in answer.text


def test_a_form_has_no_nul(browser: TestClient) -> None:
    assert browser.post("/join/token", data={"name": "a\0b"}).status_code == 422
    assert browser.post("/join/token", data={"name": "Ada"}).status_code == 404


def test_texts_that_nobody_checks_are_found(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "is_text", lambda text: True)
    with pytest.raises(AssertionError):
        test_what_cannot_be_kept_is_refused_by_a_sentence(
            browser, '{"game": "\\ud800", "seats": []}', "a text has"
        )


# --- what every answer has


def fail(*_: Any) -> None:
    raise OSError("the disk is full")


def check_every_answer_is_looked_after(
    browser: TestClient, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.state.services.store, "load", fail)
    asked = [
        ("GET", "/", 200),
        ("GET", "/docs", 200),
        ("GET", "/static/style.css", 200),
        ("GET", "/nothing", 404),
        ("GET", "/static/nothing", 404),
        ("PATCH", "/api/tables", 405),
        ("POST", "/api/tables", 413),
        ("GET", "/t/%00", 422),
        ("GET", "/t/some", 500),
        ("GET", "/api/tables/some", 500),
    ]
    for method, path, status in asked:
        content = b" " * 60_000 if status == 413 else None
        before = browser.get("/metrics").text
        answer = browser.request(method, path, content=content)
        assert answer.status_code == status, (path, answer.text)
        assert set(answer.headers) >= GUARDS, path
        counted = f'storeys_requests_total{{method="{method}",status="{status}"}}'
        assert counts(browser.get("/metrics").text, counted) > counts(before, counted)


def counts(figures: str, name: str) -> float:
    found = [line for line in figures.splitlines() if line.startswith(name)]
    return float(found[0].rsplit(" ", 1)[1]) if found else 0.0


def test_every_answer_is_guarded_and_counted(
    browser: TestClient, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_every_answer_is_looked_after(browser, app, monkeypatch)


def test_an_answer_that_passes_by_is_found(
    browser: TestClient, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "GUARDS", [])
    with pytest.raises(AssertionError):
        check_every_answer_is_looked_after(browser, app, monkeypatch)


def test_made_up_methods_are_counted_as_one(browser: TestClient) -> None:
    for nth in range(20):
        browser.request(f"METHOD{nth}", "/")
    figures = browser.get("/metrics").text
    assert 'method="other",status="405"} 20.0' in figures
    assert "METHOD" not in figures


class Everything(frozenset[str]):
    """It has whatever one looks for."""

    def __contains__(self, _: object) -> bool:
        return True


def test_made_up_methods_that_are_counted_apart_are_found(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "METHODS", Everything())
    with pytest.raises(AssertionError):
        test_made_up_methods_are_counted_as_one(browser)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PATCH", "/api/tables", "GET, POST"),
        ("PUT", "/api/tables/some", "DELETE, GET"),
        ("DELETE", "/join/token", "GET, POST"),
        ("POST", "/healthz", "GET"),
        ("POST", "/static/style.css", "GET, HEAD"),
    ],
)
def test_what_cannot_be_asked_says_what_can(
    browser: TestClient, method: str, path: str, allowed: str
) -> None:
    answer = browser.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


def test_an_answer_that_names_the_methods_of_one_route_is_found(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusing, "methods_at", lambda request: ["GET"])
    with pytest.raises(AssertionError):
        test_what_cannot_be_asked_says_what_can(browser, "PATCH", "/api/tables", "GET, POST")


@pytest.mark.parametrize("path", ["/api/tables/", "/static", "/docs/", "/healthz/"])
def test_nothing_repeats_the_host(browser: TestClient, path: str) -> None:
    answer = browser.get(path, headers={"host": "evil.example"}, follow_redirects=False)
    assert answer.status_code == 404
    assert "evil.example" not in answer.text + str(answer.headers)


def test_a_redirect_that_repeats_the_host_is_found(tmp_path: Path) -> None:
    careless = made(tmp_path)
    careless.router.redirect_slashes = True
    with pytest.raises(AssertionError):
        test_nothing_repeats_the_host(TestClient(careless), "/api/tables/")


def test_the_description_of_the_api_loads_nothing_from_elsewhere(browser: TestClient) -> None:
    page = browser.get("/docs").text
    assert "://" not in page
    loaded = re.findall(r'(?:src|href)="(/static/[^"#]+)"', page)
    assert {"/static/swagger/swagger-ui-bundle.js", "/static/docs.js"} <= set(loaded)
    for address in loaded:
        assert browser.get(address).status_code == 200, address
    inline = re.findall(r"<script([^>]*)>[^<]", page)
    assert all('type="application/json"' in attributes for attributes in inline)
    assert browser.get("/redoc").status_code == 404


# --- settings


def test_limits_are_settings() -> None:
    limits = Limits.from_settings({"STOREYS_REQUEST_KILOBYTES": "7", "STOREYS_READS": ""})
    assert limits == Limits(request_kilobytes=7)
    for wrong in ("-1", "x", "1.5", "9" * 20):
        with pytest.raises(BadOption, match=r"^the setting STOREYS_READS cannot be “"):
            Limits.from_settings({"STOREYS_READS": wrong})


def test_every_setting_is_told_of() -> None:
    page = (Path(__file__).parent.parent / "docs" / "web.md").read_text("utf-8")
    for one in fields(Limits):
        assert f"| `STOREYS_{one.name.upper()}` | " in page, one.name
        assert f" | {one.default} |" in page
