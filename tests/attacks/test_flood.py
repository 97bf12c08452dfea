"""Flood: thousands of tables, a thousand streams, readers that do not read, half-sent requests.

Others are served all the while, memory has a bound, and everything is let go afterwards.
"""

import contextlib
import json
import selectors
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from storeys.match import make_match
from storeys.web.store import SeatFacts, Store
from tests.attacks.ledger import Ledger, check
from tests.attacks.people import HERE, Person
from tests.attacks.scale import PATIENCE, eventually, scaled
from tests.attacks.server import Server, Usage, allow_many_files
from tests.attacks.test_kill import SOON
from tests.attacks.test_race import renaming
from tests.proofs import long_case

TABLES, ASKED = scaled(300, 10_000), scaled(60, 3_000)
STREAMS, SLOW, HALVES = scaled(60, 1_000), scaled(10, 200), scaled(20, 300)
POSTS = scaled(10, 300)
MOST_A_STREAM, MOST_A_TABLE = 200, 100
"""Kilobytes that an open stream may take, and a table at hand."""
MOST_BESIDES = 60_000
"""Kilobytes for what is drawn and kept, whatever is asked for."""
SPARE = 20
"""Files and threads that the server may keep for later."""
SECONDS_TO_ASK = {"STOREYS_HEAD_SECONDS": "2", "STOREYS_REQUEST_SECONDS": "2"}
"""The server gives up early those who do not finish what they have begun to ask."""
PATIENT = {"STOREYS_HEAD_SECONDS": "9999", "STOREYS_REQUEST_SECONDS": "9999"}
HALF_SENT = (
    b"GET / HTTP/1.1\r\nHost: x\r\nX-More: ",
    b"POST /api/tables HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b'Content-Length: 1000\r\n\r\n{"game": ',
)


def fill(url: str, count: int) -> list[str]:
    """So many tables, kept without asking a server."""
    store = Store(url)
    match = make_match("neoville", 2, 3, ["Ada", "Ben"], {})
    record = match.record()
    seats = [SeatFacts(nth, "human", name) for nth, name in enumerate(match.names)]
    made = [f"flood{nth:05}" for nth in range(count)]
    for table in made:
        store.create(table, "match", record, [replace(seat) for seat in seats], to_move=0)
    store.close()
    return made


class Streams:
    """Many open streams over plain sockets; some are never read."""

    def __init__(self, server: Server, table: str) -> None:
        self._port, self._table = server.port, table
        self.read: list[socket.socket] = []
        self.unread: list[socket.socket] = []
        self.halves: list[socket.socket] = []

    def _connect(self, room: int | None = None) -> socket.socket:
        made = socket.socket()
        made.settimeout(PATIENCE)
        if room:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        made.connect(("127.0.0.1", self._port))
        return made

    def open(self, count: int, unread: int) -> None:
        """Ask for streams; those that are read have begun then."""
        asking = f"GET /api/stream?tables={self._table} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        for nth in range(count):
            made = self._connect(1024 if nth < unread else None)
            made.sendall(asking)
            (self.unread if nth < unread else self.read).append(made)
        for one in self.read:
            while b"hello" not in one.recv(4096):
                pass

    def send_halves(self, count: int) -> None:
        """Begin requests that never end."""
        for nth in range(count):
            self.halves.append(self._connect())
            self.halves[-1].sendall(HALF_SENT[nth % len(HALF_SENT)])

    def wait_until_told(self, seq: int) -> None:
        """Until every stream that is read has told of an event."""
        with selectors.DefaultSelector() as waiting:
            for one in self.read:
                waiting.register(one, selectors.EVENT_READ, bytearray())
            while waiting.get_map():
                ready = waiting.select(PATIENCE)
                assert ready, f"{len(waiting.get_map())} streams do not tell of event {seq}"
                for key, _ in ready:
                    heard = key.fileobj.recv(65536)  # type: ignore[union-attr]
                    assert heard, "a stream that is read has ended"
                    key.data.extend(heard)
                    if json.dumps({"table": self._table, "seq": seq}).encode() in key.data:
                        waiting.unregister(key.fileobj)

    def wait_until_halves_end(self, patience: float) -> None:
        """Until the server has closed all connections on which a request does not end."""
        for one in self.halves:
            one.settimeout(patience)
            try:
                with contextlib.suppress(ConnectionError):
                    while one.recv(65536):  # what it says of that
                        pass
            except TimeoutError:
                raise AssertionError("a half-sent request stays open") from None

    def close(self) -> None:
        """Go away without a word."""
        for one in (*self.read, *self.unread, *self.halves):
            with contextlib.suppress(OSError):
                one.close()


def check_let_go(server: Server, before: Usage, patience: float = PATIENCE) -> None:
    """Nothing is kept for those who have gone."""

    def is_let_go() -> bool:
        now = server.usage()
        return (
            server.figure("storeys_streams") == 0
            and now.files <= before.files + SPARE
            and now.threads <= before.threads + SPARE
        )

    eventually(is_let_go, "everything is let go", patience)


def flood(server: Server, patience: float = PATIENCE) -> Iterator[str]:
    """Flood a server and see that others are served; what was measured, as it goes."""
    tables = fill(server.database, TABLES)
    server.start()
    ledger, store = Ledger(), Store(server.database)
    host, looker = Person(server.url, ledger), Person(server.url, ledger)
    table = host.new_table("neoville", HERE, HERE)
    streams = Streams(server, table)
    try:
        for one in tables[:SPARE]:
            looker.state(one)
        before = server.usage()
        yield f"{TABLES} tables, before: {before}"
        for one in tables[:ASKED]:
            looker.state(one)
        asked = server.usage()
        yield f"{ASKED} of them asked for: {asked}"
        most = min(ASKED, 500) * MOST_A_TABLE + MOST_BESIDES
        assert asked.kilobytes < before.kilobytes + most, f"memory has no bound: {asked}"
        streams.open(STREAMS, SLOW)
        eventually(lambda: server.figure("storeys_streams") >= STREAMS, "streams are open")
        streams.send_halves(HALVES)
        for seq in range(POSTS):
            assert host.send(table, renaming(table, seq)) == seq + 1
            assert looker.state(table)["seq"] == seq + 1
        streams.wait_until_told(POSTS)
        during = server.usage()
        yield f"{STREAMS} streams, {SLOW} of them unread, {HALVES} half-sent requests: {during}"
        most = (STREAMS + HALVES) * MOST_A_STREAM + MOST_BESIDES
        assert during.kilobytes < asked.kilobytes + most, f"memory has no bound: {during}"
        streams.wait_until_halves_end(patience)
        streams.close()
        check_let_go(server, before, patience)
        yield f"afterwards: {server.usage()}"
    finally:
        streams.close()
        host.close()
        looker.close()
        server.clear_away()
    check(ledger.take(), store)
    store.close()


def test_others_are_served_in_a_flood(tmp_path: Path) -> None:
    allow_many_files()
    for measured in flood(Server(tmp_path, **SECONDS_TO_ASK)):
        print(measured)


def end_amid_streams(server: Server) -> None:
    """A server that is told to end says nothing about those who listen, and ends."""
    server.start()
    host = Person(server.url, Ledger())
    streams = Streams(server, host.new_table("neoville", HERE, HERE))
    try:
        streams.open(STREAMS, SLOW)
        server.end()
        assert not server.said(), f"it complains: {server.said()[-300:]}"
    finally:
        streams.close()
        host.close()
        server.clear_away()


def test_a_server_that_ends_ends_its_streams(tmp_path: Path) -> None:
    end_amid_streams(Server(tmp_path))


# --- the attack must be able to fail


@pytest.mark.parametrize(
    ("changed", "settings", "found"),
    [
        ("hoard_memory", SECONDS_TO_ASK, "memory has no bound"),
        long_case("keep_streams", SECONDS_TO_ASK, "everything is let go"),
        long_case("", PATIENT, "a half-sent request stays open"),
    ],
)
def test_without_its_guard_a_flood_is_found_out(
    tmp_path: Path, changed: str, settings: dict[str, str], found: str
) -> None:
    with pytest.raises(AssertionError, match=found):
        list(flood(Server(tmp_path, changed=changed, **settings), patience=3 * SOON))


def test_without_its_guard_a_server_that_ends_complains(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="it complains"):
        end_amid_streams(Server(tmp_path, changed="wait_for_streams"))
