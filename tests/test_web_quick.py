"""What is asked most is read by hand, and answered as FastAPI's way answers it, to the byte."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from storeys.web import quick
from storeys.web.app import create_app
from storeys.web.connections import Whole
from storeys.web.identity import Identities
from storeys.web.limits import Limits
from storeys.web.live import MOST_WAITING, Live
from storeys.web.rates import Allowance

SEATS = [{"kind": "me", "name": "Ada"}, {"kind": "here", "name": "Ben"}]
READ = ("", "view=skyline&turn=1", "seat=1&theme=dark&lang=de", "known=0a%2C0b", "lang=xx")
NOT_READ = ("turn=one", "seat=-1", "seat=", "turn=1&turn=2", "ply=0", "part=0.0", "lang=%C3%A4",
            "known=" + "0" * 2001, "else=1", "seat=0001")  # fmt: skip


@pytest.fixture
def app() -> Iterator[FastAPI]:
    made = create_app(workers=0)
    with TestClient(made):
        yield made


@pytest.fixture
def browser(app: FastAPI) -> TestClient:
    return TestClient(app)


@pytest.fixture
def table(browser: TestClient) -> str:
    made = browser.post("/api/tables", json={"game": "manhattan", "seats": SEATS})
    return str(made.json()["table"])


@pytest.fixture
def long_way(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let nothing be read by hand from now on."""
    return lambda: monkeypatch.setattr(quick, "read_query", lambda text: None)


def told(answer: Any) -> tuple[int, bytes, dict[str, str]]:
    return answer.status_code, answer.content, dict(answer.headers)


def ways(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which queries were read by hand."""
    seen: list[str] = []
    look = quick.look_of

    def note(words: dict[str, str], request: Any) -> Any:
        seen.append(request.scope["query_string"].decode())
        return look(words, request)

    monkeypatch.setattr(quick, "look_of", note)
    return seen


@pytest.mark.parametrize("query", [*READ, *NOT_READ])
def test_both_ways_answer_alike(
    browser: TestClient,
    table: str,
    query: str,
    monkeypatch: pytest.MonkeyPatch,
    long_way: Any,
) -> None:
    by_hand = ways(monkeypatch)
    path = f"/api/tables/{table}?{query}"
    event = {"seq": 0, "id": "never done", "seat": 5, "kind": "move", "move": "redraw"}
    quickly = (
        told(browser.get(path)),
        told(browser.post(f"{path.replace('?', '/events?')}", json=event)),
    )
    assert (query in by_hand) == (query in READ)
    long_way()
    slowly = (
        told(browser.get(path)),
        told(browser.post(f"{path.replace('?', '/events?')}", json=event)),
    )
    assert quickly == slowly


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'{"kind": "dance"}', b'{"kind": "move", "seq": "no"}', b"\xff",
     b'{"kind": "move", "move": "\\ud800"}', b"[" * 50 + b"]" * 50],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["application/json", "text/plain", "application/json; charset=x"])
def test_what_cannot_be_read_is_refused_alike(
    browser: TestClient, table: str, body: bytes, kind: str, long_way: Any
) -> None:
    def post() -> tuple[int, bytes, dict[str, str]]:
        headers = {"content-type": kind}
        return told(browser.post(f"/api/tables/{table}/events", content=body, headers=headers))

    quickly = post()
    long_way()
    assert quickly == post()
    assert quickly[0] == 422


def test_a_move_is_made_once_by_either_way(browser: TestClient, table: str, long_way: Any) -> None:
    seat = browser.get(f"/api/tables/{table}").json()["to_move"]
    state = browser.get(f"/api/tables/{table}?seat={seat}").json()
    event = {"seq": state["seq"], "id": "my first move", "seat": seat, "kind": "move"}
    event["move"] = state["choices"][0]["move"]
    first = browser.post(f"/api/tables/{table}/events?seat={seat}", json=event)
    assert first.status_code == 200, first.text
    long_way()
    again = browser.post(f"/api/tables/{table}/events?seat={seat}", json=event)
    assert told(first) == told(again)
    assert first.json()["seq"] == state["seq"] + 1


def test_no_such_table_is_said_by_both(browser: TestClient, long_way: Any) -> None:
    browser.get("/api/compiled")  # for a cookie
    quickly = told(browser.get("/api/tables/none-such"))
    long_way()
    assert quickly == told(browser.get("/api/tables/none-such"))
    assert quickly[0] == 404


# --- guards

EVENT = {"seq": 0, "id": "never done", "seat": 5, "kind": "move", "move": "redraw"}


def check_foreign(browser: TestClient, table: str) -> None:
    """What another website asks for is not done."""
    elsewhere = {"origin": "https://elsewhere.example"}
    refused = browser.post(f"/api/tables/{table}/events", json=EVENT, headers=elsewhere)
    assert refused.status_code == 403
    assert "set-cookie" not in refused.headers


def check_forged(browser: TestClient, table: str) -> None:
    """A cookie that is not ours makes nobody the person that it names."""
    own = browser.cookies["storeys"]
    state = browser.get(f"/api/tables/{table}").json()
    assert state["mine"] == [0, 1]
    forged = {"storeys": own[:-1] + ("0" if own[-1] != "0" else "1")}
    other = TestClient(browser.app, cookies=forged)
    assert other.get(f"/api/tables/{table}").json()["mine"] == []


def check_rates() -> None:
    """Who has asked often enough is told when to ask again."""
    few = Limits(reads=2, reads_per_minute=1, posts=2, posts_per_minute=1, people_per_address=9)
    with TestClient(create_app(workers=0, limits=few)) as limited:
        asked = [limited.get("/api/tables/none").status_code for _ in range(4)]
        path = "/api/tables/none/events"
        posted = [limited.post(path, json=EVENT).status_code for _ in range(3)]
    assert (asked, posted) == ([404, 404, 404, 429], [404, 404, 429])


def test_the_short_way_has_the_same_guards(browser: TestClient, table: str) -> None:
    check_foreign(browser, table)
    check_rates()
    check_forged(browser, table)


def test_a_short_way_for_other_websites_is_found(
    browser: TestClient, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "is_foreign", lambda request: False)
    with pytest.raises(AssertionError):
        check_foreign(browser, table)


def test_a_short_way_without_limits_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Allowance, "wait_for", lambda self, scope, person: 0.0)
    with pytest.raises(AssertionError):
        check_rates()


def test_a_short_way_for_any_cookie_is_found(
    browser: TestClient, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Identities, "_signed", lambda self, cookie: (*cookie.split("."), "")[1])
    with pytest.raises(AssertionError):
        check_forged(browser, table)


def test_who_sends_something_twice_or_too_much_goes_the_long_way() -> None:
    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": "/api/tables/a/events"}
    scope |= {"query_string": b"", "headers": [(b"content-length", b"99")]}
    assert quick.read_request(scope) == quick.Asked("a", True, {})
    for headers in (
        [],
        [(b"content-length", b"99"), (b"cookie", b"a=1"), (b"cookie", b"a=2")],
        [(b"content-length", b"2000000")],
        [(b"transfer-encoding", b"chunked")],
    ):
        assert quick.read_request(scope | {"headers": headers}) is None


# --- whom nobody asks for


def test_where_people_play_nobody_looks_for_bots(
    app: FastAPI, browser: TestClient, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers, looked = app.state.services.workers, list[str]()
    monkeypatch.setattr(workers.processes, "most", 1)
    monkeypatch.setattr(workers, "_look_again", looked.append)
    workers.consider(table, 1)
    assert not looked
    seats = [SEATS[0], {"kind": "bot", "bot": "random"}]
    other = browser.post("/api/tables", json={"game": "manhattan", "seats": seats}).json()["table"]
    assert looked == [other]


# --- what leaves together


class Wire:
    """A transport that notes what is written to it."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


def test_head_and_body_leave_together_and_nothing_stays_behind() -> None:
    wire = Wire()
    whole = Whole(wire)
    whole.write(HEAD)
    assert wire.written == []
    whole.write(b"body")
    whole.write(b"more")
    assert wire.written == [HEAD + b"body", b"more"]
    whole.write(HEAD)
    whole.flush()
    whole.flush()
    assert wire.written[2:] == [HEAD]
    whole.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    assert wire.written[3:] == [b"HTTP/1.1 100 Continue\r\n\r\n"]
    whole.write(HEAD)
    whole.close()
    assert wire.written[4:] == [HEAD]
    assert whole.is_closing()


# --- streams


def test_only_who_watches_a_table_is_woken() -> None:
    async def listen() -> list[str]:
        live = Live()
        mine, other = live.stream(frozenset({"mine"})), live.stream(frozenset({"other"}))
        heard = [await anext(mine), await anext(other)]
        live._spread("mine", 7)
        heard.append(await anext(mine))
        waits = asyncio.ensure_future(anext(other))
        await asyncio.sleep(0)
        live._spread("mine", 8)
        assert not waits.done()
        live._spread("other", 1)
        heard += [await waits, await anext(mine)]
        await mine.aclose()
        await other.aclose()
        assert live.watching == 0
        assert not live._by_table
        return heard

    heard = asyncio.run(listen())
    assert [text.split("id: ")[1].split("\n")[0] for text in heard[2:]] == ["7", "1", "8"]


def test_who_does_not_read_is_let_go() -> None:
    async def fill() -> int:
        live = Live()
        stream = live.stream(frozenset({"some"}))
        await anext(stream)
        for seq in range(MOST_WAITING + 1):
            live._spread("some", seq)
        return live.watching

    assert asyncio.run(fill()) == 0
