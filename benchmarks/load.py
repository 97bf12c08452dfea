"""Tables under load: moves at a fixed rate, four viewers a table, and how soon they all see them.

``python -m benchmarks.load`` measures the goals, then raises the rate until it breaks and says what
breaks: on SQLite with one process, then on PostgreSQL with two, where that is installed.
"""

import argparse
import asyncio
import contextlib
import gc
import itertools
import json
import os
import random
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zlib
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests import databases

import storeys
from storeys.kernel.compiling import stay_interpreted
from storeys.match import Match
from storeys.web.store import SeatFacts, Store

from .timing import Contender, Effort, Label

VIEWERS, MOVES_A_TABLE = 4, 20
TABLES = 60
"""So many are played at once: at 60 moves a second each of them has a move every second."""
OPENING = (12, 60)
"""How far a match has come when its viewers arrive: in the middle there is most to draw."""
PAGE, WHOLE = "like the page", "whole states"
MODES = (PAGE, WHOLE)
GOALS = {PAGE: (100.0, 40.0), WHOLE: (60.0, 60.0)}
"""Moves a second, and the milliseconds in which 99 of 100 have been seen by the last viewer."""
CURVE = {PAGE: (100, 50, 150, 200, 250, 300, 400), WHOLE: (60, 30, 90, 120, 160, 200)}
"""Moves a second: the goal first, at a fresh server, then more and more."""
KNOWN = 80
"""How many drawings a page keeps."""
HASH = re.compile(rb'"hash":\s*"([0-9a-f]{16})"')
SEQ = re.compile(rb'"seq":\s*(\d+)')
MOVE = re.compile(rb'\{"move":\s*("(?:[^"\\]|\\.)*")')
BROKEN = 1000.0
"""Milliseconds at which nobody would wait any longer, and no higher rate is tried."""
SQLITE, POSTGRESQL = "SQLite, 1 process", "PostgreSQL, 2 processes"
ARRIVING = 4
"""At how many tables people arrive at once, before anything is measured."""


@dataclass(frozen=True)
class Outcome:
    """What came of one rate: times in milliseconds, CPU in cores and milliseconds a move."""

    mode: str
    rate: float
    moves: int
    p50: float
    p99: float
    most: float
    lag_p99: float
    """How late the generator itself was in sending what it could have sent."""
    server_cores: float
    generator_cores: float
    server_ms: float
    """CPU of the server for a move and all who see it."""
    kilobytes: float
    """What was sent for a move to all who see it."""
    failed: int
    processes: int = 1

    @property
    def broken_by(self) -> str:
        """What is at its end."""
        if self.server_cores > 0.85 * self.processes:
            return "server's processor"
        if self.generator_cores > 0.85:
            return "generator's processor"
        return "waiting" if self.p99 > BROKEN else ""


# --- a server as it is started by people


@dataclass
class Running:
    """A server and what it was started on."""

    port: int
    process: subprocess.Popen[bytes]
    processes: int = 1

    def cpu(self) -> float:
        """Seconds of CPU that it has used, with its processes."""
        ticks = os.sysconf("SC_CLK_TCK")
        return sum(map(_ticks_of, _family(self.process.pid))) / ticks


def _ticks_of(process: int) -> int:
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(words[11]) + int(words[12])


def _family(process: int) -> list[int]:
    children = Path(f"/proc/{process}/task/{process}/children")
    try:
        found = [int(child) for child in children.read_text().split()]
    except OSError:
        return [process]
    return [process, *itertools.chain.from_iterable(map(_family, found))]


@contextlib.contextmanager
def serving(database: str, *options: str) -> Iterator[Running]:
    """``storeys serve`` in a process of its own; nothing is compiled meanwhile."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "storeys.cli", "serve", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--database", database, *options],
        env=os.environ | {"STOREYS_UNCOMPILED": "1"},
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, process)
        yield Running(port, process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        with contextlib.suppress(OSError):
            return socket.create_connection(("127.0.0.1", port)).close()
        time.sleep(0.01)
    raise RuntimeError("the server has not started")


# --- tables that are in the middle of a match


_openings: list[Match] = []
"""Matches that were begun for a rate before; the moves that follow are others."""


def plant(database: str, count: int, rng: random.Random) -> list[list[str]]:
    """Write tables with a seat open for each viewer; the links to those seats."""
    games = storeys.game_names()
    for nth in range(len(_openings), count):
        _openings.append(_begun(games[nth % len(games)], rng))
    store = Store(database)
    try:
        return [_planted(store, match) for match in _openings[:count]]
    finally:
        store.close()


def _begun(game: str, rng: random.Random) -> Match:
    match = storeys.new(game, players=VIEWERS, seed=rng.getrandbits(64))
    for _ in range(rng.randint(*OPENING)):
        match.push(rng.choice(match.legal_moves))
    return match


def _planted(store: Store, match: Match) -> list[str]:
    tokens = [secrets.token_urlsafe(18) for _ in range(VIEWERS)]
    seats = [
        SeatFacts(seat, "open", f"viewer {seat + 1}", token=token)
        for seat, token in enumerate(tokens)
    ]
    table = secrets.token_hex(8)
    store.create(table, "match", match.record(), seats, to_move=match.to_move)
    return tokens


# --- talking HTTP with as little work as possible


class Line(asyncio.Protocol):
    """A connection that is kept open: one question at a time, and its answer.

    A server closes it after some idle seconds; then it is opened again, as browsers do.
    """

    received = 0
    """Bytes that came over all of them."""

    def __init__(self, port: int) -> None:
        self._port, self._head, self._buffer = port, 0, bytearray()
        self._answer: asyncio.Future[tuple[int, bytes, bytes]] | None = None
        self._needed = 0
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:  # noqa: D102
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("closed"))

    async def ask(self, question: bytes) -> tuple[int, bytes, bytes]:
        """Status, head and body of what is answered."""
        try:
            return await self._ask_once(question)
        except ConnectionError:  # closed at this very moment; posts carry an id and count once
            return await self._ask_once(question)

    async def _ask_once(self, question: bytes) -> tuple[int, bytes, bytes]:
        loop = asyncio.get_running_loop()
        if self._transport is None or self._transport.is_closing():
            await loop.create_connection(lambda: self, "127.0.0.1", self._port)
        self._answer = loop.create_future()
        self._buffer.clear()
        self._needed = 0
        assert self._transport is not None
        self._transport.write(question)
        return await self._answer

    def data_received(self, data: bytes) -> None:  # noqa: D102
        Line.received += len(data)
        self._buffer += data
        if not self._needed and not self._read_head():
            return
        if len(self._buffer) >= self._needed and self._answer and not self._answer.done():
            head, body = bytes(self._buffer[: self._head]), bytes(self._buffer[self._head :])
            self._answer.set_result((int(head[9:12]), head, body))

    def _read_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        self._head = end + 4
        head = bytes(self._buffer[:end]).lower()
        _, _, length = head.partition(b"content-length: ")
        self._needed = self._head + int(length.split(b"\r\n", 1)[0] or 0)
        return True

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.close()


class Ear(asyncio.Protocol):
    """A stream of events: whoever listens is told the number of each."""

    SEQ = re.compile(rb"^id: (\d+)", re.MULTILINE)

    def __init__(self, heard: Any, opened: "asyncio.Future[None]") -> None:
        self._heard, self._opened = heard, opened
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:  # noqa: D102
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def listen(self, question: bytes) -> None:
        """Ask for the stream."""
        assert self._transport is not None
        self._transport.write(question)

    def data_received(self, data: bytes) -> None:  # noqa: D102
        if not self._opened.done() and b"hello" in data:
            self._opened.set_result(None)
        for seq in self.SEQ.findall(data):
            self._heard(int(seq))

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.close()


# --- people at tables


@dataclass
class Viewer:
    """A person with a seat: hears of news, asks for the state, keeps what drawings it has."""

    port: int
    mode: str
    cookie: str = ""
    table: "Played | None" = None
    seat: int = 0
    seq: int = -1
    asking: bool = False
    posting: bool = False
    newest: int = 0
    known: "deque[bytes]" = field(default_factory=lambda: deque(maxlen=KNOWN))
    ear: Ear | None = None

    def __post_init__(self) -> None:
        self.line = Line(self.port)

    async def arrive(self, token: str) -> str:
        """Take a seat by its link; the table's id."""
        _, head, _ = await self.line.ask(self._get("/api/compiled"))
        found = re.search(rb"(?im)^set-cookie: (storeys=[^;\r]+)", head)
        assert found is not None, head
        self.cookie = found[1].decode()
        status = 503
        while status == 503:  # A busy disk: nothing is measured yet.
            join = self._post(f"/api/join/{token}", {"name": ""})
            status, _, body = await self.line.ask(join)
        joined = json.loads(_plain(body))
        assert status == 200, joined
        self.seat = joined["seats"][0]
        return str(joined["table"])

    async def listen(self, table: "Played") -> None:
        """Open a stream, then look for the first time."""
        self.table, loop = table, asyncio.get_running_loop()
        opened: asyncio.Future[None] = loop.create_future()
        ear = self.ear = Ear(self.hear, opened)
        await loop.create_connection(lambda: ear, "127.0.0.1", self.port)
        ear.listen(self._get(f"/api/stream?tables={table.id}"))
        await opened
        self.asking = True  # The joining of the others may be heard of meanwhile.
        await self._catch_up(look_anyway=True)

    def hear(self, seq: int) -> None:
        """Ask for the state, unless it is here or asked for already."""
        self.newest = max(self.newest, seq)
        if self.newest > self.seq and not self.asking and not self.posting:
            self.asking = True
            asyncio.get_running_loop().create_task(self._catch_up())

    async def _catch_up(self, look_anyway: bool = False) -> None:
        try:
            while look_anyway or (self.newest > self.seq and not self.posting):
                look_anyway = False
                await self.look()
        except OSError:
            assert self.table is not None
            self.table.load.failed += 1
        finally:
            self.asking = False

    async def look(self) -> None:
        """Ask for the state."""
        assert self.table is not None
        path = f"/api/tables/{self.table.id}{self._query()}"
        self._take(*await self.line.ask(self._get(path)))

    async def move(self, move: str) -> None:
        """Make a move on top of what is seen; a page is content with the answer."""
        assert self.table is not None
        event = {"seq": self.seq, "id": secrets.token_hex(8), "seat": self.seat}
        event |= {"kind": "move", "move": move}
        path = f"/api/tables/{self.table.id}/events{self._query()}"
        self.posting = True  # The echo of one's own move is no news.
        try:
            answer = await self.line.ask(self._post(path, event))
        finally:
            self.posting = False
        if self.mode == PAGE or answer[0] != 200:
            self._take(*answer)
        if self.newest > self.seq:
            self.hear(self.newest)

    def _take(self, status: int, head: bytes, body: bytes) -> None:
        """A state has come: note what it brings."""
        assert self.table is not None
        if status != 200:
            self.table.load.failed += 1
            return
        start = _plain(body, 4096)
        found = SEQ.search(start)
        assert found is not None
        self.seq = max(self.seq, int(found[1]))
        mine = re.search(rb'"your_turn":\s*true', start) is not None
        if self.mode == PAGE or mine:
            whole = _plain(body)
            if self.mode == PAGE:
                self._keep(HASH.findall(whole))
            if mine:
                self.table.next = self, self.seq, _moves_in(whole)
        self.table.seen(self)

    def _keep(self, hashes: Sequence[bytes]) -> None:
        for one in hashes:
            with contextlib.suppress(ValueError):
                self.known.remove(one)
            self.known.append(one)

    def _query(self) -> str:
        if self.mode == WHOLE:
            return ""
        known = b",".join(self.known).decode()
        return f"?view=plan&turn=0&theme=light&lang=en&known={known}"

    def _get(self, path: str) -> bytes:
        return (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAccept: application/json\r\n"
            f"Accept-Encoding: gzip\r\nCookie: {self.cookie}\r\n\r\n"
        ).encode()

    def _post(self, path: str, content: Any) -> bytes:
        body = json.dumps(content)
        return (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            f"Accept-Encoding: gzip\r\nCookie: {self.cookie}\r\n\r\n{body}"
        ).encode()


def _plain(body: bytes, most: int = 0) -> bytes:
    """A body, or its first bytes, decompressed where it is compressed."""
    if body[:2] != b"\x1f\x8b":
        return body[:most] if most else body
    return zlib.decompressobj(31).decompress(body, most)


def _moves_in(state: bytes) -> list[bytes]:
    """The notation of the legal moves, as JSON."""
    return MOVE.findall(state, state.find(b'"choices"'))


@dataclass
class Played:
    """A table: who looks on, and which move is under way."""

    id: str
    viewers: list[Viewer]
    load: "Load"
    next: tuple[Viewer, int, list[bytes]] | None = None
    due: float | None = None
    goal: int = 0

    @property
    def is_over(self) -> bool:
        """Whether nobody has a move any more, though everybody has seen the last one."""
        return self.due is None and (self.next is None or not self.next[2])

    def begin(self, due: float, rng: random.Random) -> None:
        """Let whoever's turn it is move."""
        assert self.next is not None
        mover, seq, moves = self.next
        self.due, self.goal, self.next = due, seq + 1, None
        move = json.loads(rng.choice(moves))
        self.load.note(asyncio.get_running_loop().create_task(mover.move(move)))

    def seen(self, viewer: Viewer) -> None:
        """A viewer has a new picture; once all have, the move is done."""
        if self.due is None or viewer.seq < self.goal:
            return
        if all(one.seq >= self.goal for one in self.viewers):
            due, self.due = self.due, None
            self.load.took.append(time.perf_counter() - due)
            self.load.free(self)


@dataclass
class Load:
    """A fixed rate of moves over many tables, whether or not earlier ones are done."""

    rate: float
    seconds: float
    rng: random.Random
    took: list[float] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    failed: int = 0
    waiting: "deque[float]" = field(default_factory=deque)
    ready: "deque[Played]" = field(default_factory=deque)
    tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    def note(self, task: "asyncio.Task[None]") -> None:
        """Keep a task until it is done."""
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def free(self, table: Played) -> None:
        """A table can have its next move; if one is overdue, now."""
        if table.is_over:
            return
        if self.waiting:
            table.begin(self.waiting.popleft(), self.rng)
        else:
            self.ready.append(table)

    async def run(self) -> int:
        """All moves when they are due; how many were."""
        start, count = time.perf_counter(), 0
        while (due := start + count / self.rate) < start + self.seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            if self.ready:
                self.lags.append(time.perf_counter() - due)
                self.ready.popleft().begin(due, self.rng)
            else:
                self.waiting.append(due)
            count += 1
        return count

    async def settle(self, tables: Sequence[Played], most: float = 3.0) -> None:
        """Wait for what is under way; what is not seen even then has taken so long at least."""
        self.ready.clear()
        end = time.perf_counter() + most
        while (under_way := [one.due for one in tables if one.due is not None]) or self.waiting:
            now = time.perf_counter()
            if now > end:
                self.took += [now - due for due in [*under_way, *self.waiting]]
                return
            await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def viewed(
    port: int, mode: str, links: Sequence[Sequence[str]], load: Load
) -> AsyncIterator[list[Played]]:
    """Tables at which all viewers sit, listen, and have seen the first state."""
    door = asyncio.Semaphore(ARRIVING)

    async def arrive(tokens: Sequence[str]) -> Played:
        async with door:
            viewers = [Viewer(port, mode) for _ in tokens]
            [*_, name] = [
                await viewer.arrive(token) for viewer, token in zip(viewers, tokens, strict=True)
            ]
            table = Played(name, viewers, load)
            for viewer in viewers:
                await viewer.listen(table)
            return table

    tables = await asyncio.gather(*map(arrive, links))
    try:
        yield tables
    finally:
        for viewer in itertools.chain.from_iterable(table.viewers for table in tables):
            viewer.line.close()
            if viewer.ear is not None:
                viewer.ear.close()


async def measure(
    server: Running, database: str, mode: str, rate: float, seconds: float
) -> Outcome:
    """One rate in one mode, at tables of its own; the first second does not count."""
    rng = random.Random(f"{mode} {rate}")
    count = max(TABLES, round(rate * (seconds + 1) / MOVES_A_TABLE))
    links = plant(database, count, rng)
    load = Load(rate, 1.0, rng)
    async with viewed(server.port, mode, links, load) as tables:
        for table in tables:
            load.free(table)
        gc.freeze()
        gc.disable()
        await load.run()
        load.seconds, load.failed = seconds, 0
        load.took.clear()
        load.lags.clear()
        before, own, start = server.cpu(), time.process_time(), time.perf_counter()
        received = Line.received
        moves = await load.run()
        wall = time.perf_counter() - start
        busy, own, done = server.cpu() - before, time.process_time() - own, len(load.took)
        sent = (Line.received - received) / 1000 / max(1, done)
        gc.enable()
        await load.settle(tables)
    took, lags = (sorted(1000 * one for one in found) for found in (load.took, load.lags))
    return Outcome(
        mode, rate, moves, _at(took, 0.5), _at(took, 0.99), took[-1], _at(lags, 0.99),
        busy / wall, own / wall, 1000 * busy / max(1, done), sent, load.failed, server.processes,
    )  # fmt: skip


def _at(times: Sequence[float], share: float) -> float:
    """A quantile of sorted times."""
    return times[min(len(times) - 1, int(share * len(times)))] if times else 0.0


# --- for ``make bench``, each in a process of its own


LOAD = "Serving under load, four viewers a table, generator on the same cores"


def contenders(effort: Effort) -> list[Contender]:
    """Both kinds of viewers at the rates to be reached."""
    return [contender(mode, rate, effort) for mode, (rate, _) in GOALS.items()]


def contender(mode: str, rate: float, effort: Effort) -> Contender:
    """One rate in one mode, on SQLite with one process."""
    seconds = max(2, effort.of(10))

    def measure_apart() -> tuple[float, ...]:
        one = run_apart("--mode", mode, "--rate", str(rate), "--seconds", str(seconds))
        return one["p50"], one["p99"], one["most"], one["server_ms"], one["lag_p99"]

    return Contender(LOAD, labels_of(mode, rate), measure_apart)


def labels_of(mode: str, rate: float) -> tuple[Label, ...]:
    """What is measured at a rate; the second is what has a goal."""
    what = f"{rate:g} moves/s, viewers {mode}"
    seen = [Label(f"{what}: seen by the last, {at}", "ms") for at in ("p50", "p99", "max")]
    return (*seen, Label(f"{what}: server's CPU a move", "ms"), Label(f"{what}: own lag", "ms"))


def run_apart(*arguments: str) -> dict[str, Any]:
    """What the command says of one rate."""
    command = [sys.executable, "-m", "benchmarks.load", "--json", *arguments]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return dict(json.loads(answer))


# --- from the command line


def main() -> None:
    """Print the curves, or one rate as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--mode", choices=MODES, help="viewers of one kind only")
    parser.add_argument("--rate", type=float, help="moves a second, instead of more and more")
    parser.add_argument("--seconds", type=float, default=6.0, help="for each rate")
    parser.add_argument("--database", help="SQLAlchemy's URL, instead of fresh ones of both kinds")
    parser.add_argument("--processes", type=int, default=1, help="of the server")
    parser.add_argument("--only", choices=("sqlite", "postgresql"), help="one kind of database")
    parser.add_argument("--json", action="store_true", help="print one object a line")
    arguments = parser.parse_args()
    stay_interpreted()
    with contextlib.ExitStack() as ending:
        for where, database, processes in servers(arguments, ending):
            if not arguments.json:
                print(f"{where}:", flush=True)
            for one in outcomes(arguments, database, processes):
                print(json.dumps(asdict(one)) if arguments.json else told(one), flush=True)


def servers(
    arguments: argparse.Namespace, ending: contextlib.ExitStack
) -> Iterator[tuple[str, str, int]]:
    """What is measured: a name, a database, and how many processes answer."""
    if arguments.database:
        yield arguments.database, arguments.database, arguments.processes
        return
    if arguments.only != "postgresql":
        home = ending.enter_context(tempfile.TemporaryDirectory())
        yield SQLITE, f"sqlite:///{home}/storeys.db", 1
    if arguments.only == "sqlite" or arguments.json:
        return
    if databases.WHY_NOT is not None:
        print(f"{POSTGRESQL}: {databases.WHY_NOT}")
        return
    yield POSTGRESQL, ending.enter_context(databases.postgresql(durable=True)), 2


def outcomes(arguments: argparse.Namespace, database: str, processes: int) -> Iterator[Outcome]:
    """The rates that were asked for until it breaks, each kind of viewers at a fresh server."""
    more = () if processes == 1 else ("--processes", str(processes))
    for mode in [arguments.mode] if arguments.mode else MODES:
        with serving(database, *more) as server:
            server.processes = processes
            for rate in [arguments.rate] if arguments.rate else CURVE[mode]:
                one = asyncio.run(measure(server, database, mode, rate, arguments.seconds))
                yield one
                if one.p99 > BROKEN:
                    break


def told(one: Outcome) -> str:
    """A line for people."""
    return (
        f"{one.mode}, {one.rate:g} moves/s: p50 {one.p50:.1f} ms, p99 {one.p99:.1f}, "
        f"most {one.most:.1f}; server {one.server_cores:.0%} of a core, {one.server_ms:.1f} ms a "
        f"move, {one.kilobytes:.0f} kB; generator {one.generator_cores:.0%}, "
        f"{one.lag_p99:.1f} ms late; "
        f"{one.failed} failed{'; at its end: ' + one.broken_by if one.broken_by else ''}"
    )


if __name__ == "__main__":
    main()
