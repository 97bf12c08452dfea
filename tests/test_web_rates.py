"""How much people and addresses may ask for, how many may be connected, and for how long."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
import uvicorn
from fastapi import FastAPI
from starlette.testclient import TestClient

from storeys.web import rates
from storeys.web.app import create_app
from storeys.web.buckets import Buckets, Rate
from storeys.web.connections import OWN_FILES, Door, Whole, protocol_of
from storeys.web.limits import Limits
from tests.test_web_limits import made, scope_of


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    return made(tmp_path_factory.mktemp("rates"))


# --- rates


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_is_emptied_and_fills_again() -> None:
    clock = Clock()
    buckets = Buckets(Rate(3, 60), clock, most=2)
    assert [buckets.take("ada") for _ in range(4)] == [0, 0, 0, 1]
    assert buckets.take("ben") == 0
    clock.now = 0.5
    assert buckets.take("ada") == pytest.approx(0.5)  # Asking in vain takes nothing.
    clock.now = 2
    assert [buckets.take("ada") for _ in range(3)] == [0, 0, 1]
    for name in "cde":
        buckets.take(name)
    assert len(buckets) == 2


FEW = Limits(
    reads=4, reads_per_minute=1, posts=3, posts_per_minute=1, tables=2, tables_per_minute=1,
    people_per_address=2, streams=1,
)  # fmt: skip


def asked(browser: TestClient, count: int, method: str, path: str, **more: Any) -> list[int]:
    return [browser.request(method, path, **more).status_code for _ in range(count)]


def check_rates(app: FastAPI) -> None:
    """Each kind has a limit of its own for a person, and twice as much for an address."""
    cookie_of = app.state.services.identities.cookie_of
    with TestClient(app, cookies={"storeys": cookie_of("ada")}) as ada:
        assert asked(ada, 5, "GET", "/api/compiled") == [200, 200, 200, 200, 429]
        assert asked(ada, 4, "POST", "/api/join/none", json={}) == [404, 404, 404, 429]
        assert asked(ada, 3, "POST", "/api/tables", json={}) == [422, 422, 429]
        assert asked(ada, 2, "POST", "/api/replays", json={}) == [429, 429]
        assert asked(ada, 9, "GET", "/static/style.css") == [200] * 9
        assert asked(ada, 9, "GET", "/healthz") == [200] * 9
        answer = ada.get("/api/compiled")
        assert answer.json()["error"].startswith("that was a lot at once; try again in ")
        assert 1 <= int(answer.headers["retry-after"]) <= 60
        page = ada.get("/")
        assert (page.status_code, "that was a lot at once" in page.text) == (429, True)
        assert page.headers["refresh"] == page.headers["retry-after"]
        ben = TestClient(app, cookies={"storeys": cookie_of("ben")})
        assert asked(ben, 5, "GET", "/api/compiled")[-1] == 429  # the rest of the address
        elsewhere = TestClient(app, cookies={"storeys": cookie_of("eva")}, client=("192.0.2.9", 1))
        assert asked(elsewhere, 1, "GET", "/api/compiled") == [200]
        other_name = TestClient(app, cookies={"storeys": "made up"})
        assert asked(other_name, 1, "GET", "/api/compiled") == [429]


def test_who_asks_for_too_much_waits(tmp_path: Path) -> None:
    check_rates(made(tmp_path, FEW))


@pytest.mark.parametrize("guard", ["people", "addresses"])
def test_without_a_limit_too_much_is_let_through(
    tmp_path: Path, guard: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = rates.Allowance.__init__

    def forget(self: Any, *args: Any, **more: Any) -> None:
        plain(self, *args, **more)
        for buckets in getattr(self, guard).values():
            monkeypatch.setattr(buckets, "take", lambda who: 0)

    monkeypatch.setattr(rates.Allowance, "__init__", forget)
    with pytest.raises(AssertionError):
        check_rates(made(tmp_path, FEW))


@pytest.mark.parametrize(
    ("client", "headers", "is_own"),
    [
        ("127.0.0.1", {}, True),
        ("::1", {}, True),
        ("::ffff:127.0.0.1", {}, True),
        ("127.0.0.1", {"x-forwarded-for": "192.0.2.1"}, False),
        ("127.0.0.1", {"via": "1.1 proxy"}, False),
        ("192.0.2.1", {}, False),
        ("testclient", {}, False),
    ],
)
def test_programs_on_this_machine_are_not_limited(
    client: str, headers: dict[str, str], is_own: bool
) -> None:
    named = [(name.encode(), value.encode()) for name, value in headers.items()]
    assert rates.is_own_machine({"client": (client, 1), "headers": named}) == is_own


def test_a_household_has_one_address() -> None:
    one, other = "2001:db8:1:2::1", "2001:db8:1:2:ffff::2"
    assert rates.household_of(one) == rates.household_of(other)
    assert rates.household_of(one) != rates.household_of("2001:db8:1:3::1")
    assert rates.household_of("::ffff:192.0.2.1") == "192.0.2.1"


def check_streams(limits: Limits) -> None:
    """One for a person, two for an address; who closes one may open another."""

    async def hold(scope: Any, receive: Any, send: Any) -> None:
        await opened[scope["nth"]].wait()

    async def ask(nth: int, person: str) -> None:
        scope = scope_of("/api/stream", method="GET") | {"nth": nth, "state": {"person": person}}
        scope["app"] = app

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                refused.append(nth)

        await guard(scope, never, send)

    async def never() -> Any:
        await anyio.sleep_forever()

    async def run() -> None:
        async with anyio.create_task_group() as group:
            for nth, person in enumerate(["ada", "ada", "ben", "eva"]):
                group.start_soon(ask, nth, person)
                await anyio.wait_all_tasks_blocked()
            at_first = list(refused)
            opened[0].set()
            await anyio.wait_all_tasks_blocked()
            await ask(9, "ada")
            for nth in (1, 2, 3):
                opened[nth].set()
        assert (at_first, refused) == ([1, 3], [1, 3])
        assert not guard.allowance.streams

    app = create_app(limits=FEW)
    opened = {nth: anyio.Event() for nth in (0, 1, 2, 3, 9)}
    opened[9].set()
    refused: list[int] = []
    guard = rates.Rates(hold, rates.Allowance(limits))
    anyio.run(run)


def test_streams_are_counted_while_they_are_open() -> None:
    check_streams(Limits(streams=1, people_per_address=2))


def test_streams_that_nobody_counts_are_found() -> None:
    with pytest.raises(AssertionError):
        check_streams(Limits(streams=5, people_per_address=2))


# --- connections


@contextlib.contextmanager
def serving(app: FastAPI, limits: Limits) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = int(probe.getsockname()[1])
    config = uvicorn.Config(
        app, port=free, log_level="warning", http=protocol_of(Door(limits)),
        lifespan="off", timeout_keep_alive=600, forwarded_allow_ips="192.0.2.1",
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield free
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def port(app: FastAPI) -> Iterator[int]:
    """A server that is impatient and lets few in."""
    limits = Limits(head_seconds=1, connections_per_address=3, limit_own_machine=1)
    with serving(app, limits) as found:
        yield found


HEAD = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
HALVES = {
    "nothing": b"",
    "half a head": HEAD,
    "half a second head": HEAD + b"\r\n" + HEAD,
    "half a body that nobody reads": HEAD + b"Content-Length: 10\r\n\r\n12345",
}


def wait_until_closed(port: int, half: str, seconds: float) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(HALVES[half])
        with contextlib.suppress(ConnectionError):
            while connection.recv(10_000):
                connection.sendall(b"x")  # something more now and then is no end


@pytest.mark.parametrize("half", HALVES)
def test_a_connection_that_does_not_finish_is_closed(port: int, half: str) -> None:
    wait_until_closed(port, half, 60)


def test_without_patience_running_out_a_connection_stays_open(app: FastAPI) -> None:
    with serving(app, Limits(head_seconds=600)) as found, pytest.raises(TimeoutError):
        wait_until_closed(found, "half a head", 1.5)


CHUNKED = b"POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
ENDLESS = {
    "an address": b"GET /",
    "the name of a header": HEAD,
    "a header": HEAD + b"X: ",
    "a second head": HEAD + b"\r\n" + HEAD,
    "what follows a body": CHUNKED + b"0\r\nX: ",
    "how long a part is": CHUNKED + b"1;",
}
HEADS_OF_2_KB = Limits(head_seconds=600, head_kilobytes=2)


def send_without_end(port: int, what: str, seconds: float) -> None:
    """Send a good deal of something, and wait until the connection is closed."""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection,
        contextlib.suppress(ConnectionError),
    ):
        connection.sendall(ENDLESS[what])
        for _ in range(400):
            connection.sendall(b"x" * 1000)
        while connection.recv(10_000):
            """Of some requests there is an answer."""


@pytest.fixture(scope="module")
def port_of_small_heads(app: FastAPI) -> Iterator[int]:
    with serving(app, HEADS_OF_2_KB) as found:
        yield found


@pytest.mark.parametrize("what", ENDLESS)
def test_a_head_without_end_is_not_kept(port_of_small_heads: int, what: str) -> None:
    send_without_end(port_of_small_heads, what, 60)


def test_a_head_without_end_that_is_kept_is_found(app: FastAPI) -> None:
    limits = Limits(head_seconds=600, head_kilobytes=1000)
    with serving(app, limits) as found, pytest.raises(TimeoutError):
        send_without_end(found, "a header", 1.5)


def test_only_heads_are_held_to_their_size(port_of_small_heads: int) -> None:
    """Many heads over one connection, in two parts each, and a body of many parts."""
    half = b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 1500
    body = b"POST /api/replays HTTP/1.1\r\nHost: x\r\nContent-Length: 40000\r\n\r\n"
    address = ("127.0.0.1", port_of_small_heads)
    with socket.create_connection(address, timeout=60) as connection:
        for _ in range(3):
            connection.sendall(half)
            connection.sendall(b"\r\nHost: x\r\n\r\n")
            assert connection.recv(10_000).startswith(b"HTTP/1.1 200")
        connection.sendall(body)
        for _ in range(40):
            connection.sendall(b" " * 1000)
        assert connection.recv(10_000).startswith(b"HTTP/1.1 422")


def answer_at(port: int) -> bytes:
    """How the answer to a question over a connection of its own begins; nothing if it is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(HEAD + b"\r\n")
            return connection.recv(12)
        return b""


def test_no_address_takes_all_connections(port: int) -> None:
    """Who is one too many is sent away; when one has gone another may come."""
    held = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(3)]
    try:
        for one in held:  # each is known to be in once it has been answered
            one.sendall(HEAD + b"\r\n")
            assert one.recv(12) == b"HTTP/1.1 200"
        assert answer_at(port) == b""
    finally:
        for one in held:
            one.close()
    patience = time.time() + 60
    while answer_at(port) != b"HTTP/1.1 200":
        assert time.time() < patience


def test_an_address_that_takes_all_connections_is_found(app: FastAPI) -> None:
    limits = Limits(connections_per_address=300, limit_own_machine=1)
    with serving(app, limits) as found, pytest.raises(AssertionError):
        test_no_address_takes_all_connections(found)


def ask_for_a_head(port: int, seconds: float) -> bytes:
    """How the answer to a question begins that has a head and no body."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(b"HEAD /static/style.css HTTP/1.1\r\nHost: x\r\n\r\n")
        return connection.recv(12)


def test_a_head_without_a_body_is_sent(app: FastAPI) -> None:
    with serving(app, Limits()) as found:
        assert ask_for_a_head(found, 60) == b"HTTP/1.1 200"


def test_a_head_that_waits_for_a_body_is_found(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Whole, "flush", lambda self: None)
    with serving(app, Limits()) as found, pytest.raises(TimeoutError):
        ask_for_a_head(found, 1.5)


def test_proxies_that_are_trusted_and_this_machine_bring_any_number() -> None:
    door = Door(Limits(connections=5, connections_per_address=1))
    door.entered("192.0.2.1")
    assert not door.lets_in("192.0.2.1", is_trusted=False)
    assert door.lets_in("192.0.2.1", is_trusted=True)
    assert door.lets_in("192.0.2.2", is_trusted=False)
    door.entered("127.0.0.1")
    assert door.lets_in("127.0.0.1", is_trusted=False)
    for _ in range(3):
        door.entered("127.0.0.1")
    assert not door.lets_in("192.0.2.2", is_trusted=True)
    door.left("192.0.2.1")
    assert door.lets_in("192.0.2.1", is_trusted=False)
    assert Door(Limits(), files=1024).most == 1024 - OWN_FILES
