"""What a move costs the server, with the four who see it: CPU for each game and kind of viewers.

``python -m benchmarks.moving`` runs the server as ``storeys serve`` does, but for the network: what
would come over a connection is given to it, and what it writes is read, in one process.  Moves
follow each other, so that a busy machine matters little; the same ones in every run, and a digest
says whether the answers are the same too.
"""

import argparse
import asyncio
import cProfile
import gc
import hashlib
import json
import pstats
import random
import re
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import uvloop
from uvicorn.config import Config
from uvicorn.server import ServerState

import storeys
from storeys.cli.serving import GARBAGE, SWITCHES, _write_logs
from storeys.kernel.compiling import stay_interpreted
from storeys.web.app import create_app
from storeys.web.connections import Door, protocol_of
from storeys.web.limits import Limits
from storeys.web.store import SeatFacts, Store

from .load import HASH, KNOWN, MODES, OPENING, PAGE, SEQ, VIEWERS, _moves_in, _plain

TABLES, MOVES = 12, 16
"""Tables of each game, and moves at each."""
IDS = re.compile(rb"^id: (\d+)", re.MULTILINE)


class Wire:
    """A connection without a network: what the server writes is here at once."""

    def __init__(self, server: "Served") -> None:
        self.came, self.waits = bytearray(), server.loop.create_future()
        make: Any = server.config.http_protocol_class
        self.protocol: Any = make(config=server.config, server_state=server.state, app_state={})
        self.loop, self.whole = server.loop, True
        self.protocol.connection_made(self)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Who is connected: somebody on this machine."""
        return {"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)}.get(name, default)

    def write(self, data: bytes) -> None:
        """Something is sent; an answer is there once it is as long as it says."""
        self.came += data
        if not self.waits.done() and (not self.whole or self._is_whole()):
            self.waits.set_result(None)

    def _is_whole(self) -> bool:
        head, end, body = self.came.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        return bool(end) and len(body) >= int(length[1] if length else 0)

    def is_closing(self) -> bool:
        """It stays open."""
        return False

    def close(self) -> None:
        """There is nothing to close."""

    abort = pause_reading = resume_reading = close

    async def ask(self, question: bytes) -> tuple[bytes, bytes]:
        """Head and body of the answer."""
        self.came.clear()
        self.waits = self.loop.create_future()
        self.protocol.data_received(question)
        await self.waits
        head, _, body = bytes(self.came).partition(b"\r\n\r\n")
        return head, body


class Stream(Wire):
    """A stream of events, and the number of the last one."""

    async def open(self, question: bytes) -> None:
        """Ask for it, and wait for its first word."""
        self.whole = False
        self.protocol.data_received(question)
        while b"hello" not in self.came:
            await asyncio.sleep(0)

    async def hear(self, seq: int) -> None:
        """Wait for the news of an event."""
        while not any(int(one) >= seq for one in IDS.findall(self.came)):
            await asyncio.sleep(0)
        self.came.clear()


@dataclass
class Served:
    """The server, with which one talks by wires."""

    config: Config
    loop: asyncio.AbstractEventLoop
    state: ServerState = field(default_factory=ServerState)


@dataclass
class Person:
    """Somebody with a seat, what they have seen, and the drawings they have."""

    mode: str
    wire: Wire
    stream: Stream
    cookie: str = ""
    seat: int = 0
    known: "deque[bytes]" = field(default_factory=lambda: deque(maxlen=KNOWN))
    seq: int = 0
    moves: list[bytes] = field(default_factory=list)

    async def arrive(self, token: str, table: str) -> None:
        """Take a seat by its link, and listen."""
        head, _ = await self.wire.ask(self.question("GET", "/api/compiled"))
        found = re.search(rb"(?im)^set-cookie: (storeys=[^;\r]+)", head)
        assert found is not None, head
        self.cookie = found[1].decode()
        _, body = await self.wire.ask(self.question("POST", f"/api/join/{token}", {"name": ""}))
        self.seat = json.loads(_plain(body))["seats"][0]
        await self.stream.open(self.question("GET", f"/api/stream?tables={table}"))

    def question(self, method: str, path: str, content: Any = None) -> bytes:
        """A request as a browser writes it."""
        body = b"" if content is None else json.dumps(content).encode()
        about = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
        return (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nAccept: application/json\r\n"
            f"Accept-Encoding: gzip\r\n{about}Cookie: {self.cookie}\r\n\r\n"
        ).encode() + body

    def look(self, table: str) -> bytes:
        """The question for the state."""
        return self.question("GET", f"/api/tables/{table}{self._query()}")

    def move(self, table: str, move: str) -> bytes:
        """The question that makes a move."""
        event = {"seq": self.seq, "id": f"{table}-{self.seq}", "seat": self.seat}
        event |= {"kind": "move", "move": move}
        return self.question("POST", f"/api/tables/{table}/events{self._query()}", event)

    def _query(self) -> str:
        if self.mode != PAGE:
            return ""
        known = b",".join(self.known).decode()
        return f"?view=plan&turn=0&theme=light&lang=en&known={known}"

    def take(self, body: bytes) -> bytes:
        """A state has come; as it is."""
        whole = _plain(body)
        found = SEQ.search(whole)
        assert found is not None, whole[:300]
        self.seq = int(found[1])
        for one in HASH.findall(whole) if self.mode == PAGE else ():
            if one in self.known:
                self.known.remove(one)
            self.known.append(one)
        mine = re.search(rb'"your_turn":\s*true', whole) is not None
        self.moves = _moves_in(whole) if mine else []
        return whole


@dataclass
class Costs:
    """CPU of the server in milliseconds, move by move, and what it has said."""

    posts: list[float] = field(default_factory=list)
    looks: list[float] = field(default_factory=list)
    sent: int = 0
    said: Any = field(default_factory=hashlib.sha256)
    profile: cProfile.Profile | None = None

    @property
    def moves(self) -> list[float]:
        """Of each move, all that it cost."""
        return [sum(pair) for pair in zip(self.posts, self.looks, strict=True)]

    async def measured(self, answers: Any) -> tuple[Any, float]:
        """What is answered, and the milliseconds it took."""
        if self.profile is not None:
            self.profile.enable()
        start = time.process_time()
        found = await answers
        took = 1000 * (time.process_time() - start)
        if self.profile is not None:
            self.profile.disable()
        return found, took

    def note(self, body: bytes, state: bytes) -> None:
        """Take what was sent."""
        self.sent += len(body)
        self.said.update(state)


@dataclass
class Played:
    """A table with its people."""

    id: str
    people: list[Person]

    async def move(self, rng: random.Random, costs: Costs) -> bool:
        """One move, until all have seen it; False if the match is over."""
        movers = [person for person in self.people if person.moves]
        if not movers:
            return False
        [mover] = movers
        question = mover.move(self.id, json.loads(rng.choice(mover.moves)))

        async def post() -> bytes:
            _, body = await mover.wire.ask(question)
            for person in self.people:
                await person.stream.hear(mover.seq + 1)
            return body

        body, took = await costs.measured(post())
        costs.posts.append(took)
        costs.note(body, mover.take(body))
        lookers = [one for one in self.people if one is not mover or one.mode != PAGE]
        questions = [person.look(self.id) for person in lookers]

        async def look() -> list[bytes]:
            return [
                (await person.wire.ask(question))[1]
                for person, question in zip(lookers, questions, strict=True)
            ]

        bodies, took = await costs.measured(look())
        costs.looks.append(took)
        for person, body in zip(lookers, bodies, strict=True):
            costs.note(body, person.take(body))
        return True


async def play(game: str, mode: str, tables: int, costs: Costs) -> None:
    """Moves at tables of a game that are in the middle, one after the other."""
    loop, rng = asyncio.get_running_loop(), random.Random(f"{game} {mode}")
    with tempfile.TemporaryDirectory() as home:
        database = f"sqlite:///{home}/storeys.db"
        planted = dict(plant(game, database, tables, rng))
        app = create_app(database)
        http = protocol_of(Door(Limits.from_settings()))
        config = Config(app, http=http, log_config=None, access_log=False)
        config.load()
        server = Served(config, loop)
        async with app.router.lifespan_context(app):
            played = [await seated(server, mode, *one) for one in planted.items()]
            for table in played:  # Nothing is new to this process any more.
                await table.move(rng, Costs())
            gc.collect()
            gc.freeze()
            for _ in range(MOVES):
                for table in played:
                    await table.move(rng, costs)
            gc.unfreeze()
            for person in chain.from_iterable(table.people for table in played):
                person.stream.protocol.connection_lost(None)
            while app.state.services.live.watching:
                await asyncio.sleep(0)


def plant(
    game: str, database: str, count: int, rng: random.Random
) -> Iterator[tuple[str, list[str]]]:
    """Write tables with open seats; their ids and links."""
    store = Store(database)
    for nth in range(count):
        match = storeys.new(game, players=VIEWERS, seed=rng.getrandbits(64))
        for _ in range(rng.randint(*OPENING)):
            match.push(rng.choice(match.legal_moves))
        tokens = [f"{game}-{nth}-{seat}" for seat in range(VIEWERS)]
        seats = [
            SeatFacts(seat, "open", f"viewer {seat + 1}", token=token)
            for seat, token in enumerate(tokens)
        ]
        table = f"{game}-{nth}"
        store.create(table, "match", match.record(), seats, to_move=match.to_move)
        yield table, tokens
    store.close()


async def seated(server: Served, mode: str, table: str, tokens: list[str]) -> Played:
    """A table at which everybody sits and has seen the state."""
    people = [Person(mode, Wire(server), Stream(server)) for _ in tokens]
    for person, token in zip(people, tokens, strict=True):
        await person.arrive(token, table)
    for person in people:
        person.take((await person.wire.ask(person.look(table)))[1])
    return Played(table, people)


def main() -> None:
    """A line for each game and kind of viewers."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.moving", description=__doc__)
    parser.add_argument("--game", choices=storeys.game_names(), help="one game only")
    parser.add_argument("--mode", choices=MODES, help="viewers of one kind only")
    parser.add_argument("--tables", type=int, default=TABLES, help="of each game")
    parser.add_argument("--profile", type=int, help="so many of the dearest functions instead")
    parser.add_argument("--sort", default="tottime", help="those functions by another figure")
    parser.add_argument("--json", action="store_true", help="print an object a line, move by move")
    arguments = parser.parse_args()
    stay_interpreted()
    _write_logs("warning")
    sys.setswitchinterval(SWITCHES)
    gc.set_threshold(*GARBAGE)
    for mode in [arguments.mode] if arguments.mode else MODES:
        for game in [arguments.game] if arguments.game else storeys.game_names():
            costs = Costs(profile=cProfile.Profile(time.thread_time) if arguments.profile else None)
            uvloop.run(play(game, mode, arguments.tables, costs))
            print(
                as_json(game, mode, costs) if arguments.json else told(game, mode, costs),
                flush=True,
            )
            if costs.profile is not None:
                pstats.Stats(costs.profile).sort_stats(arguments.sort).print_stats(
                    arguments.profile
                )


def as_json(game: str, mode: str, costs: Costs) -> str:
    """A line for programs, which take the least of each move over several runs."""
    found = {"game": game, "mode": mode, "posts": costs.posts, "looks": costs.looks}
    return json.dumps(found | {"answers": costs.said.hexdigest(), "sent": costs.sent})


def told(game: str, mode: str, costs: Costs) -> str:
    """A line for people."""
    mean = statistics.fmean
    return (
        f"{mode}, {game}: {mean(costs.moves):.2f} ms a move (median "
        f"{statistics.median(costs.moves):.2f}): {mean(costs.posts):.2f} the post, "
        f"{mean(costs.looks):.2f} who look; {costs.sent / 1000 / len(costs.moves):.1f} kB; "
        f"{len(costs.moves)} moves, answers {costs.said.hexdigest()[:12]}"
    )


if __name__ == "__main__":
    main()
