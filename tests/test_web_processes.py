"""`storeys serve` as a process: how it starts with a bad bot, how it ends, and who ends with it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="processes are found under /proc"
)
BAD_BOT = """
from storeys.bots import Bot

class Hal(Bot):
    def choose_in(self, *world):
        raise RuntimeError("I am afraid I cannot do that")
"""
QUICKLY = """
from storeys.bots.registry import OURS

OURS["builder"] = OURS["random"]
"""
"""Run by every process at its start: bots are quick."""
PATIENCE = 300


class Served:
    """A server of its own, perhaps with a bot of another package that fails."""

    def __init__(
        self, folder: Path, bad_bot: bool = True, database: str = "", more: Sequence[str] = ()
    ) -> None:
        self.folder, self.said = folder, (folder / "stderr").open("w+")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        install(folder / "site", bad_bot)
        paths = [str(folder / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
        environment["STOREYS_UNCOMPILED"] = "1"  # It plays a turn or two.
        command = [sys.executable, "-m", "storeys.cli", "serve", "--workers", "1", "--pace", "0"]
        database = database or f"sqlite:///{folder / 'web.db'}"
        command += ["--port", str(self.port), "--database", database, *more]
        self.process = subprocess.Popen(command, stderr=self.said, env=environment)

    def wait(self) -> None:
        """Until it answers."""
        wait_for(lambda: self.ask("/healthz") == "ok")

    def stop(self) -> None:
        """End it, if it has not ended yet."""
        self.process.kill()
        self.process.wait()
        self.said.close()

    def ask(self, path: str, content: Any = None) -> Any:
        """What the server answers; None while it does not."""
        address = f"http://127.0.0.1:{self.port}{path}"
        body = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(address, body, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read().decode()
        except OSError:
            assert self.process.poll() is None, self.errors()
            return None
        is_json = answer.headers["content-type"] == "application/json"
        return json.loads(text) if is_json else text

    def new_table(self, bot: str) -> str:
        seats = [{"kind": "bot", "bot": bot}, {"kind": "friend"}, {"kind": "friend"}]
        made = self.ask("/api/tables", {"game": "neoville", "seats": seats})
        for link in made["links"]:
            self.ask(f"/api{link['url']}", {})
        return str(made["table"])

    def errors(self) -> str:
        self.said.seek(0)
        return self.said.read()


def install(site: Path, bad_bot: bool) -> None:
    """Quick bots, and what pip leaves of a package with an entry point."""
    site.mkdir()
    (site / "sitecustomize.py").write_text(QUICKLY)
    if not bad_bot:
        return
    facts = site / "hal-1.0.dist-info"
    facts.mkdir()
    (site / "hal.py").write_text(BAD_BOT)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: hal\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[storeys.bots]\nhal = hal:Hal\n")


def wait_for(condition: Callable[[], object]) -> None:
    patience = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < patience
        time.sleep(0.1)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path)
    try:
        made.wait()
        yield made
    finally:
        made.stop()


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Served]:
    """A server without bots of other packages."""
    made = Served(tmp_path, bad_bot=False)
    try:
        made.wait()
        yield made
    finally:
        made.stop()


def fields_of(process: str) -> list[str]:
    """State, parent and so on of a process, as the kernel lists them."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["Z", "0"]


def children_of(process: int) -> list[str]:
    running = [entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [one for one in running if fields_of(one)[1] == str(process)]


def is_gone(process: str) -> bool:
    return fields_of(process)[0] in "ZX"


def test_no_process_is_started_before_a_bot_is_to_move(plain: Served) -> None:
    assert "<html" in plain.ask("/")
    seats = [{"kind": "me"}, {"kind": "here"}]
    table = plain.ask("/api/tables", {"game": "manhattan", "seats": seats})["table"]
    assert plain.ask(f"/api/tables/{table}")["status"] == "playing"
    assert children_of(plain.process.pid) == []
    table = plain.new_table("random")
    wait_for(lambda: plain.ask(f"/api/tables/{table}")["to_move"] == 1)
    assert children_of(plain.process.pid)


def test_workers_end_with_a_server_that_is_killed(served: Served) -> None:
    table = served.new_table("random")
    wait_for(lambda: served.ask(f"/api/tables/{table}")["to_move"] == 1)
    workers = children_of(served.process.pid)
    assert workers
    served.process.send_signal(signal.SIGKILL)
    served.process.wait()
    wait_for(lambda: all(map(is_gone, workers)))


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_a_bad_bot_is_left_out_and_the_end_leaves_nothing(
    served: Served, end: signal.Signals
) -> None:
    wait_for(lambda: "hal" not in [bot["name"] for bot in served.ask("/api/games")["bots"]])
    wait_for(lambda: "the bot hal failed: RuntimeError" in served.errors())
    table = served.new_table("hal")
    wait_for(lambda: served.ask(f"/api/tables/{table}")["to_move"] == 1)
    [told] = served.ask(f"/api/tables/{table}")["notices"]
    assert told["text"] == "The bot hal at seat 1 failed; builder plays on in its place."
    workers = children_of(served.process.pid)
    served.process.send_signal(end)
    assert served.process.wait(PATIENCE) == 0
    wait_for(lambda: all(map(is_gone, workers)))
    assert "leaked" not in served.errors()
    assert "Traceback" not in served.errors()
