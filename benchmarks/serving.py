"""What a person waits for: the server in fresh processes and fresh homes, and a page's state."""

import json
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import storeys
from storeys.kernel.caching import cache_root
from storeys.registry import get_game

from .starts import as_installed, run_python
from .timing import Contender, Effort, Figure, Label, ratios_of, seconds_of

SERVING = "Serving, in fresh processes and fresh homes"
LIBRARIES = (
    "import fastapi, uvicorn, sqlalchemy, jinja2, pydantic, structlog, prometheus_client, numpy"
)
IMPORTED = "the server's libraries imported"
FIRST_PAGE = "storeys serve to the first page, nothing compiled"
SECOND_PAGE = "storeys serve to the first page, second start"
CROWDED_PAGE = "storeys serve to the first page, 2,000 open tables"
CROWD = 2000
ANSWERED = "storeys serve to the last of 2,000 answers, a bot to move at every table"
LONGEST = 60.0
"""Seconds after which nobody waits for the last of them any longer."""
AT_REST = 20
"""So many matches are kept, since a process keeps some things for all of them."""
STATES = """
import random, time
from storeys.kernel.compiling import stay_interpreted
stay_interpreted()
import storeys
from storeys.web.states import AreaCache, StateQuery, browser_at, pieces_of
from storeys.web.store import SeatFacts
from storeys.web.table import Table

took = []
for seed in range({matches}):
    match = storeys.new({game!r}, seed=seed, **{chosen})
    rng, cache = random.Random(seed), AreaCache()
    seats = [SeatFacts(nth, "human", str(nth), owner="me") for nth in range(match.players)]
    table = Table("t", "match", None, 0.0, "me", match, seats)
    while True:
        start = time.perf_counter()
        browser = browser_at(table.snapshot, "me", match.to_move)
        pieces_of(table.snapshot, browser, StateQuery(), cache)
        took.append(time.perf_counter() - start)
        if match.to_move is None:
            break
        match.push(rng.choice(match.legal_moves))
        table.publish()
took.sort()
print(1000 * took[len(took) // 2], 1000 * took[int(0.99 * len(took))])
"""
REST = """
import gc, random, tracemalloc
from storeys.kernel.compiling import stay_interpreted
stay_interpreted()
import storeys
match, rng = storeys.new({game!r}, players=4, seed=1), random.Random(1)
while match.to_move is not None:
    match.push(rng.choice(match.legal_moves))
record = match.record()
gc.collect()
tracemalloc.start()
kept = [storeys.load(record) for _ in range({matches})]
for one in kept:
    one.rest()
gc.collect()
print(tracemalloc.get_traced_memory()[0] / 1000 / len(kept))
"""


def contenders(effort: Effort) -> list[Contender]:
    """The start beside its libraries, the first moves, what it takes in memory, and states."""
    libraries()  # Both write bytecode, which an installed package has.
    pages()
    return [
        Contender(SERVING, (Label(IMPORTED, "s"),), libraries),
        Contender(SERVING, (Label(FIRST_PAGE, "s"), Label(SECOND_PAGE, "s")), pages),
        Contender(SERVING, (Label(CROWDED_PAGE, "s"),), page_with_many_tables),
        Contender(SERVING, (Label(ANSWERED, "s"),), answers_at_many_tables),
        Contender(SERVING, (Label("the first move of every game, nothing compiled", "s"),), moves),
        Contender(
            SERVING,
            (Label("the server with all games", "MB"), Label("a bot's process", "MB")),
            memory,
        ),
        *(at_rest(game) for game in storeys.game_names()),
        *(states(game, effort) for game in storeys.game_names()),
    ]


class Server:
    """A server in a home of its own."""

    def __init__(self, home: Path, **environment: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        homes = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), str(home))
        command = [sys.executable, "-m", "storeys.cli", "serve", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, "--pace", "0"],
            env=as_installed(**homes, **environment),
            stdout=subprocess.DEVNULL,
        )
        cookies = urllib.request.HTTPCookieProcessor(CookieJar())
        self._opener = urllib.request.build_opener(cookies)

    def ask(self, path: str, content: Any = None) -> Any:
        """What it answers."""
        body = None if content is None else json.dumps(content).encode()
        address = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(address, body, {"content-type": "application/json"})
        with self._opener.open(request, timeout=60) as answer:
            text = answer.read()
            return json.loads(text) if "json" in answer.headers["content-type"] else text

    def wait(self) -> None:
        """Until the first page is there."""
        answered = False
        while not answered:
            try:
                answered = bool(self.ask("/"))
            except OSError:
                time.sleep(0.005)

    def play(self, game: str, *seats: dict[str, str]) -> str:
        """Make the first turn of a new match; its table."""
        made = self.ask("/api/tables", {"game": game, "seats": [{"kind": "here"}, *seats]})
        table, moved = str(made["table"]), False
        while not moved or self.ask(f"/api/tables/{table}")["your_turn"]:
            state = self.ask(f"/api/tables/{table}")
            if state["to_move"] not in state["mine"]:  # A bot begins.
                time.sleep(0.05)
                continue
            state = self.ask(f"/api/tables/{table}?seat={state['to_move']}")
            event = {"seq": state["seq"], "id": f"my-move-{state['seq']}", "kind": "move"}
            event |= {"seat": state["viewer"], "move": state["choices"][-1]["move"]}
            self.ask(f"/api/tables/{table}/events", event)
            moved = True
        return table


@contextmanager
def served(home: Path, **environment: str) -> Iterator[Server]:
    server = Server(home, **environment)
    try:
        server.wait()
        yield server
    finally:
        server.process.send_signal(signal.SIGTERM)
        server.process.wait()


def libraries() -> tuple[float]:
    return (seconds_of(partial(run_python, LIBRARIES)),)


def seconds_to_a_page(home: Path) -> float:
    start = time.perf_counter()
    with served(home):
        return time.perf_counter() - start


def pages() -> list[float]:
    with tempfile.TemporaryDirectory() as home:
        return [seconds_to_a_page(Path(home)) for _ in range(2)]


def page_with_many_tables() -> tuple[float]:
    with tempfile.TemporaryDirectory() as home:
        run_python(MANY_TABLES.format(count=CROWD), XDG_DATA_HOME=home)
        return (seconds_to_a_page(Path(home)),)


MANY_TABLES = """
import itertools
import storeys
from storeys.cli.serving import own_database
from storeys.web.store import SeatFacts, Store

store, games = Store(own_database()), itertools.cycle(storeys.game_names())
seats = [SeatFacts(0, "human", "Ada", owner="ada"), SeatFacts(1, "bot", "Bot", bot="builder")]
for number, game in zip(range({count}), games):
    match = storeys.new(game, players=2, seed=number)
    store.create(f"table-{{number}}", "match", match.record(), seats, to_move=0)
"""


def answers_at_many_tables() -> tuple[float]:
    """From the start of the server to where a bot has made a move at each of many tables.

    Where that takes too long, so long at least.
    """
    warm()
    with tempfile.TemporaryDirectory() as home:
        run_python(MANY_BOTS.format(count=CROWD), XDG_DATA_HOME=home)
        database = f"file:{Path(home, 'storeys', 'storeys.db')}?mode=ro"
        count = "SELECT count(DISTINCT table_id) FROM events"
        start = time.perf_counter()
        with (
            served(Path(home), STOREYS_CACHE=str(cache_root())),
            closing(sqlite3.connect(database, uri=True)) as connection,
        ):
            while (
                connection.execute(count).fetchone()[0] < CROWD and seconds_since(start) < LONGEST
            ):
                time.sleep(0.05)
            return (seconds_since(start),)


def seconds_since(start: float) -> float:
    return time.perf_counter() - start


MANY_BOTS = """
import itertools, random
import storeys
from storeys.cli.serving import own_database
from storeys.web.store import Checkpoint, SeatFacts, Store

def half_way(game, seed):
    match, rng = storeys.new(game, players=2, seed=seed), random.Random(seed)
    for _ in range(20):
        match.push(rng.choice(match.legal_moves))
    return match

store = Store(own_database())
matches = [half_way(game, seed) for game in storeys.game_names() for seed in range(20)]
for number, match in zip(range({count}), itertools.cycle(matches)):
    seats = [SeatFacts(seat, "human", "Ada", owner=str(number)) for seat in range(2)]
    seats[match.to_move] = SeatFacts(match.to_move, "bot", "Bot", bot="builder")
    store.create(f"table-{{number}}", "match", match.record(), seats, to_move=match.to_move)
stands = [match.checkpoint() for match in matches]  # as a server keeps them that has ended
kept = zip(range({count}), itertools.cycle(stands))
store.keep_checkpoints([Checkpoint(f"table-{{nth}}", 0, content) for nth, content in kept])
"""


def moves() -> tuple[float]:
    """From the start of the server to the answer to the first move of the last game."""
    with tempfile.TemporaryDirectory() as home:
        start = time.perf_counter()
        with served(Path(home)) as server:
            for game in storeys.game_names():
                server.play(game, {"kind": "here"})
            return (time.perf_counter() - start,)


def memory() -> tuple[float, float]:
    """After a move in every game, answered by a bot in compiled code."""
    warm()
    with (
        tempfile.TemporaryDirectory() as home,
        served(Path(home), STOREYS_CACHE=str(cache_root())) as server,
    ):
        most = 0.0
        for game in storeys.game_names():
            table = server.play(game, {"kind": "bot", "bot": "builder"})
            while not server.ask(f"/api/tables/{table}")["your_turn"]:
                time.sleep(0.1)
            most = max([most, *map(memory_of, bots_of(server.process.pid))])
        return memory_of(server.process.pid), most


def warm() -> None:
    """Compile all games, unless that was done."""
    for game in storeys.game_names():
        command = [sys.executable, "-m", "storeys.warming", game]
        subprocess.run(command, check=True, env=as_installed(), stdout=subprocess.DEVNULL)


def bots_of(server: int) -> list[int]:
    """The processes of a server that bots think in, where the system lists processes."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = entry.joinpath("stat").read_text().rpartition(")")[2].split()[1]
            command = entry.joinpath("cmdline").read_text()
        except OSError:
            continue
        if parent == str(server) and "spawn_main" in command:
            found.append(int(entry.name))
    return found


def memory_of(process: int) -> float:
    """In MB, with its part of what it shares with others, such as the pages of libraries."""
    found = Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(found.partition("Pss:")[2].split()[0]) / 1000


def at_rest(game: str) -> Contender:
    def measure() -> tuple[float]:
        return (float(run_python(REST.format(game=game, matches=AT_REST))),)

    return Contender(SERVING, (Label(f"{game} match at rest", "kB"),), measure)


def states(game: str, effort: Effort) -> Contender:
    """States of whole matches, with as much as a set-up can have in it."""
    richest = {"cloud-city": {"requests": 2}}.get(game, {})
    chosen = {"players": max(get_game(game).seats)} | richest
    code = STATES.format(game=game, chosen=chosen, matches=effort.of(10))

    def measure() -> list[float]:
        return [float(number) for number in run_python(code).split()]

    labels = (Label(f"{game} state, interpreted", "ms"), Label(f"{game} state, p99", "ms"))
    return Contender(SERVING, labels, measure)


def ratios(section: str, found: dict[Label, Figure]) -> list[Figure]:
    """What the server adds to its libraries, and open tables to the server."""
    sides = [(FIRST_PAGE, IMPORTED), (SECOND_PAGE, IMPORTED), (CROWDED_PAGE, FIRST_PAGE)]
    pairs = [(f"{above} ÷ {below}", Label(above, "s"), Label(below, "s")) for above, below in sides]
    return ratios_of(section, pairs, found)
