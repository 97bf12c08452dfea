"""`storeys bots --database URL`: bots that play for a server of which they are no part."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import create_engine, text

from tests import databases
from tests.commands import run
from tests.databases import WHY_NOT, postgresql
from tests.test_web_processes import Served, children_of, is_gone
from tests.waiting import wait_for

needs_postgresql = pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))

HELD = """
import os, time
from storeys.bots import Bot, registry

class Held(Bot):
    description = "thinks as long as a file is there"
    def choose_in(self, world):
        open(os.environ["HELD"] + f".{os.getppid()}", "w").close()
        while os.path.exists(os.environ["HELD"]):
            time.sleep(0.01)
        return world.legal_moves[0]

registry.OURS["novice"] = "sitecustomize:Held"
registry.OURS["builder"] = registry.OURS["random"]
"""
"""Run by every process at its start: the novice can be held, others are quick."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgresql() as address:
        yield address


class Elsewhere:
    """A server that lets nobody think, and processes in which bots do."""

    def __init__(self, folder: Path, url: str) -> None:
        self.url, self.held = url, folder / "held"
        (folder / "site").mkdir()
        (folder / "site" / "sitecustomize.py").write_text(HELD)
        paths = [str(folder / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
        self._environment |= {"STOREYS_UNCOMPILED": "1", "HELD": str(self.held)}
        self._folder, self._running = folder, list[subprocess.Popen[bytes]]()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        self.server = Served.__new__(Served)
        self.server.said, self.server.port = (folder / "stderr").open("w+"), port
        self.server.process = self.start("serve", "--workers", "0", "--port", str(port))

    def start(self, *words: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "storeys.cli", *words, "--database", self.url]
        with (self._folder / "stderr").open("a") as said:
            process = subprocess.Popen(
                [*command, "--pace", "0"], env=self._environment, stderr=said, stdout=said
            )
        self._running.append(process)
        return process

    def bots(self) -> "subprocess.Popen[bytes]":
        return self.start("bots", "--workers", "1")

    def next_asked(self, running: "list[subprocess.Popen[bytes]]") -> "subprocess.Popen[bytes]":
        """The next of some processes whose bot is asked, and nobody else's."""
        asked: list[subprocess.Popen[bytes]] = []
        while not asked:
            asked = [one for one in running if Path(f"{self.held}.{one.pid}").exists()]
            time.sleep(0.01)
        running.remove(*asked)
        return asked[0]

    def has_moved(self, table: str) -> bool:
        return self._found(f"SELECT to_move FROM tables WHERE id = '{table}'") == 1

    def said(self) -> str:
        return (self._folder / "stderr").read_text()

    def claims(self) -> int:
        return self._found("SELECT count(*) FROM tables WHERE claimant IS NOT NULL")

    def _found(self, question: str) -> int:
        engine = create_engine(self.url)
        with engine.connect() as connection:
            found = connection.scalar(text(question))
        engine.dispose()
        return int(found)

    def end(self) -> None:
        for process in self._running:
            process.kill()
            process.wait()
        self.server.said.close()


@pytest.fixture
def elsewhere(tmp_path: Path, url: str) -> Iterator[Elsewhere]:
    made = Elsewhere(tmp_path, url)
    try:
        made.server.wait()
        yield made
    finally:
        made.end()


@needs_postgresql
def test_bots_join_die_and_leave_at_any_time(elsewhere: Elsewhere) -> None:
    """One is killed while it thinks, another takes over and is told to end, a third plays on.

    It does so also when PostgreSQL falls and starts again.
    """
    table = elsewhere.server.new_table("novice")
    elsewhere.held.touch()
    wait_for(lambda: "no process lets them think" in elsewhere.said())
    running = [elsewhere.bots() for _ in range(3)]
    first = elsewhere.next_asked(running)
    thinking = children_of(first.pid)
    first.kill()
    second = elsewhere.next_asked(running)
    wait_for(lambda: all(map(is_gone, thinking)))
    assert elsewhere.claims() == 1
    second.send_signal(signal.SIGTERM)
    third = elsewhere.next_asked(running)
    assert second.wait(300) == 0
    elsewhere.held.unlink()
    wait_for(lambda: elsewhere.has_moved(table) and not elsewhere.claims())
    restart(elsewhere.url)
    wait_for(lambda: elsewhere.server.ask("/healthz") == "ok")
    table = elsewhere.server.new_table("random")
    wait_for(lambda: elsewhere.has_moved(table))
    third.send_signal(signal.SIGINT)
    assert third.wait(300) == 0
    assert "Traceback" not in elsewhere.said()


def restart(url: str) -> None:
    """Let PostgreSQL fall and start again."""
    [folder] = parse_qs(urlsplit(url).query)["host"]
    _, prefix = databases.as_user()
    program = str(Path(str(databases.FOUND)).parent / "pg_ctl")
    command = [*prefix, program, "-D", f"{folder}/data", "-m", "immediate", "-w", "restart"]
    command += ["-l", f"{folder}/log"]
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)


# --- what is refused


def test_bots_of_their_own_need_a_database_that_can_be_shared(tmp_path: Path) -> None:
    refused = run("bots", "--database", f"sqlite:///{tmp_path / 'web.db'}")
    assert refused.returncode == 2
    assert "only one process serves a SQLite database" in refused.stderr
    for words in (["--workers", "1"], ["--pace", "1"]):
        refused = run("bots", *words)
        assert (refused.returncode, "--database" in refused.stderr) == (2, True)
