"""Compiling beside the server: which game when, what is told, and what is left behind."""

import os
import queue
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from storeys.web import compiling
from storeys.web.app import create_app
from storeys.web.compiling import Compiling, Progress
from tests.commands import said_by
from tests.proofs import in_proof

SERVED = """
import secrets, sys
from starlette.testclient import TestClient
from storeys.kernel.compiling import stay_interpreted
from storeys.web.app import create_app
import storeys

stay_interpreted()  # as `storeys serve` does
with TestClient(create_app("sqlite://", workers=1)) as client:
    assert client.get("/").status_code == 200
    for game in storeys.game_names():
        seats = [{"kind": "here"}, {"kind": "here"}]
        table = client.post("/api/tables", json={"game": game, "seats": seats}).json()["table"]
        here = f"/api/tables/{table}"
        for _ in range(8):
            state = client.get(f"{here}?seat={client.get(here).json()['to_move']}").json()
            event = {"seq": state["seq"], "id": secrets.token_hex(8), "kind": "move"}
            event |= {"seat": state["viewer"], "move": state["choices"][0]["move"]}
            assert client.post(f"{here}/events", json=event).status_code == 200
print(sorted(name for name in sys.modules if name in ("numba", "llvmlite", "alembic", "babel")))
"""


def test_the_process_that_answers_loads_no_compiler() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "STOREYS_UNCOMPILED"}
    ended = subprocess.run(
        [sys.executable, "-c", SERVED], capture_output=True, text=True, env=environment, check=True
    )
    assert ended.stdout.splitlines()[-1] == "[]"


class Fake:
    """In the place of a process that compiles a game: it says what it is told to say."""

    running: dict[str, "Fake"]
    begun: list[str]

    def __init__(self, game: str) -> None:
        self.game, self.returncode = game, 0
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.stdout = iter(self._lines.get, "")
        self.running[game] = self
        self.begun.append(game)

    def say(self, line: str) -> None:
        self._lines.put(f"{line}\n")

    def end(self, code: int = 0) -> None:
        self.returncode = code
        del self.running[self.game]
        self._lines.put("")

    def terminate(self) -> None:
        self.end(-15)

    def __enter__(self) -> "Fake":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to wait for."""


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The games that are compiled already; processes are fakes."""
    found: set[str] = set()
    monkeypatch.setattr(compiling, "is_compiled", found.__contains__)
    monkeypatch.setattr(compiling, "_process_for", Fake)
    monkeypatch.setattr(compiling, "BEGINS_AFTER", 0)
    Fake.running, Fake.begun = {}, []
    return found


def until(condition: Callable[[], object]) -> None:
    while not condition():
        time.sleep(0.001)


GAMES = ["cloud-city", "manhattan", "neoville"]


def test_only_what_is_not_compiled_is_and_no_more_at_once_than_there_are_cores(
    ready: set[str],
) -> None:
    ready.add("manhattan")
    work = Compiling(1)
    told: list[Progress] = []
    work.listeners.append(told.append)
    work.start(GAMES)
    until(lambda: "cloud-city" in Fake.running)
    assert set(Fake.running) == {"cloud-city"}
    Fake.running["cloud-city"].say("3 20 push")
    until(lambda: told)
    assert told == [Progress("cloud-city", 3, 20)]
    assert work.progress() == [Progress("cloud-city", 3, 20), Progress("neoville", 0, 1)]
    Fake.running["cloud-city"].end()
    until(lambda: "neoville" in Fake.running)
    Fake.running["neoville"].end()
    until(lambda: not work.is_busy)
    assert Fake.begun == ["cloud-city", "neoville"]


def test_a_game_that_is_played_comes_first_and_who_is_put_off_goes_on_later(
    ready: set[str],
) -> None:
    work = Compiling(1)
    work.start(GAMES)
    until(lambda: "cloud-city" in Fake.running)
    work.prefer("neoville")
    until(lambda: "neoville" in Fake.running)
    assert set(Fake.running) == {"neoville"}
    work.prefer("manhattan")  # Both are played: the first of them is not put off.
    assert set(Fake.running) == {"neoville"}
    for game in ("neoville", "manhattan", "cloud-city"):
        until(lambda game=game: game in Fake.running)  # type: ignore[misc]
        Fake.running[game].end()
    until(lambda: not work.is_busy)
    assert Fake.begun == ["cloud-city", "neoville", "manhattan", "cloud-city"]


def test_a_game_that_cannot_be_compiled_is_left_out(ready: set[str]) -> None:
    work = Compiling(1)
    work.start(GAMES[:2])
    until(lambda: "cloud-city" in Fake.running)
    Fake.running["cloud-city"].say("MemoryError")
    Fake.running["cloud-city"].end(1)
    until(lambda: "manhattan" in Fake.running)
    assert work.progress() == [Progress("manhattan", 0, 1)]
    Fake.running["manhattan"].end()
    until(lambda: not work.is_busy)


def test_the_end_leaves_no_process(ready: set[str]) -> None:
    work = Compiling(2)
    work.start(GAMES)
    until(lambda: len(Fake.running) == 2)
    work.stop()
    until(lambda: not work.is_busy)
    assert Fake.running == {}
    assert len(Fake.begun) == 2


def test_the_page_tells_how_far_it_is_as_long_as_it_is_not_done(
    ready: set[str], tmp_path: Path
) -> None:
    app = create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=1, compiles=True)
    app.state.services.compiling = work = Compiling(1)
    with TestClient(app) as client:
        until(lambda: "cloud-city" in Fake.running)
        Fake.running["cloud-city"].say("3 20 push")
        until(lambda: work.progress()[0].done)
        told = client.get("/api/compiled").json()
        assert told["busy"]
        assert told["games"][0] == {"game": "cloud-city", "done": 3, "steps": 20}
        assert 'id="compiled"' in client.get("/").text
        seats = [{"kind": "me"}, {"kind": "here"}]
        table = client.post("/api/tables", json={"game": "neoville", "seats": seats}).json()
        until(lambda: "neoville" in Fake.running)
        assert 'id="compiled"' in client.get(table["url"]).text
        for game in ("neoville", "manhattan", "cloud-city"):
            until(lambda game=game: game in Fake.running)  # type: ignore[misc]
            Fake.running[game].end()
        until(lambda: not work.is_busy)
        assert not client.get("/api/compiled").json()["busy"]
        assert 'id="compiled"' not in client.get("/").text


DEALT_AGAIN = """
import json, sys
import numba.core.event as event
compiled = []
class Listener(event.Listener):
    def on_start(self, happened):
        compiled.append(str(happened.data["dispatcher"].py_func))
    def on_end(self, happened):
        pass
event.register("numba:compile", Listener())
from storeys.warming import steps_to_play
steps = dict(steps_to_play("manhattan"))
steps["Numba"](), steps["deal"]()
print(json.dumps(compiled))
"""


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="there are no priorities to ask for")
def test_it_takes_what_nobody_else_wants() -> None:
    with compiling._process_for("manhattan") as process:
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == compiling.LOWEST
        process.kill()


def test_it_ends_with_the_server(tmp_path: Path) -> None:
    """However that ends, it lets go of the process's input; again at a priority of its own."""
    with compiling._process_for("manhattan") as process:
        command, held = process.args, process.stdin
        process.kill()
    assert held is not None
    environment = os.environ | {"STOREYS_CACHE": str(tmp_path), "STOREYS_UNCOMPILED": "0"}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()  # It has begun.
        process.stdin.close()
        assert process.wait() == 1


@in_proof  # that what was compiled is found again, test_compiling shows in every run
def test_it_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    """At a priority of its own: at the lowest, a busy machine would never get there."""
    command = [sys.executable, "-m", "storeys.warming", "manhattan"]
    environment = {"STOREYS_CACHE": str(tmp_path), "STOREYS_UNCOMPILED": "0"}
    with subprocess.Popen(
        command, env=os.environ | environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        next(line for line in process.stdout if line.endswith("legal moves\n"))  # all is dealt
        process.kill()
    assert said_by(DEALT_AGAIN, **environment) == []
    assert said_by(DEALT_AGAIN, **environment | {"STOREYS_CACHE": str(tmp_path / "empty")}) != []
