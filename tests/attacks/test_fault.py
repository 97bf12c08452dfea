"""Fault: the disk is full or does not write, the database locked or read-only, the clock wrong.

The server answers whoever only looks, refuses what it cannot keep with 503 and a sentence, does
nothing by halves, and everybody goes on by themselves when it is over, bots too.
"""

import io
import os
import resource
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest

from storeys.cli.logs import Log
from storeys.web.store import Store
from tests.attacks.ledger import Ledger
from tests.attacks.people import BOT, HERE, Crowd, Person
from tests.attacks.scale import PATIENCE
from tests.attacks.server import Server
from tests.attacks.test_kill import SOON, check_and_keep, let_bots_play, wait_for_bots
from tests.attacks.test_race import renaming
from tests.proofs import in_proof, long_case

PEOPLE = 2
YEARS = 365 * 24 * 3600.0
Fault = Callable[[Server], AbstractContextManager[None]]


@contextmanager
def switched(server: Server, name: str, content: str = "") -> Iterator[None]:
    """A fault that the changed server makes itself as long as a file is there."""
    switch = server.folder / name
    switch.write_text(content)
    try:
        yield
    finally:
        switch.unlink()


@contextmanager
def nothing_more_fits(server: Server) -> Iterator[None]:
    """No file may become longer."""
    kind = resource.RLIMIT_FSIZE
    before = resource.prlimit(server.pid, kind, (1, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        resource.prlimit(server.pid, kind, before)


@contextmanager
def full_disk(server: Server) -> Iterator[None]:
    """The disk that the database lies on has no room left."""
    filling = database_file(server).parent / "filling"
    with filling.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass
    try:
        yield
    finally:
        filling.unlink()


@contextmanager
def locked(server: Server) -> Iterator[None]:
    """Another program holds the database."""
    other = sqlite3.connect(database_file(server), timeout=PATIENCE, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.rollback()
        other.close()


def read_only(server: Server) -> AbstractContextManager[None]:
    return switched(server, "read-only")


def slow(server: Server) -> AbstractContextManager[None]:
    return switched(server, "slow")


def database_file(server: Server) -> Path:
    return Path(server.database.removeprefix("sqlite:///"))


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of a few megabytes."""
    place = folder / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


# --- the attack


class Onlooker:
    """Somebody who writes, and somebody who only looks and waits no longer than a patience."""

    def __init__(self, url: str, patience: float) -> None:
        self.ledger, self.patience = Ledger(), patience
        self.writer, self.reader = Person(url, self.ledger), Person(url, self.ledger)
        self.table = self.writer.new_table("neoville", HERE, HERE)
        self.read("/")

    def try_to_write(self) -> int:
        """The status that a post gets."""
        seq = self.read(f"/api/tables/{self.table}").json()["seq"]
        address = f"/api/tables/{self.table}/events"
        return self.writer.web.post(address, json=renaming(self.table, seq)).status_code

    def look(self) -> None:
        """All that only reads is answered."""
        for path in ("/", f"/t/{self.table}", f"/api/tables/{self.table}", "/api/games",
                     f"/api/tables/{self.table}/picture.png", "/static/style.css", "/metrics",
                     f"/api/tables/{self.table}/view"):  # fmt: skip
            self.read(path)

    def read(self, path: str) -> httpx2.Response:
        try:
            answer = self.reader.web.get(path, timeout=self.patience)
        except httpx2.TimeoutException:
            raise AssertionError(f"{path} waits for a writer") from None
        assert answer.status_code == 200, path
        return answer

    def close(self) -> None:
        self.writer.close()
        self.reader.close()


def run_through(
    server: Server, fault: Fault, for_bots: float = PATIENCE, for_reads: float = PATIENCE
) -> None:
    """Let people and bots play through a fault.

    How long to wait for bots that do not go on, and for what is not answered, can be said.
    """
    server.start()
    crowd, store, all_so_far = Crowd(server.url, PEOPLE), Store(server.database), Ledger()
    onlooker = Onlooker(server.url, for_reads)
    try:
        crowd.start()
        crowd.wait_for_posts(PEOPLE)
        let_bots_play(crowd, store, for_bots)  # In a process: a fault may let none start.
        held = ExitStack()
        held.enter_context(switched(server, "bots-held"))
        bots = crowd.host.new_table("manhattan", BOT, BOT, BOT, BOT)
        with held, ThreadPoolExecutor(1) as pool, fault(server):
            held.close()
            waiting = pool.submit(onlooker.try_to_write)
            onlooker.look()  # also while somebody waits to write
            crowd.wait_for(lambda: onlooker.try_to_write() == 503, "writes are refused")
            crowd.wait_for_refusals(1)
            if fault is not slow:  # There the bot's move may be the one that is being written.
                crowd.wait_for((server.folder / f"failed-{bots}").exists, "a bot's move fails")
            onlooker.look()
        assert waiting.result() in (200, 409, 503)
        crowd.wait_for(lambda: onlooker.try_to_write() == 200, "writes are taken again")
        wait_for_bots(crowd, store, bots, patience=for_bots)
    finally:
        onlooker.close()
        server.clear_away()  # First, so that nobody still waits for an answer.
        crowd.leave()
    check_and_keep(crowd, store, all_so_far)
    store.close()


FAULTS: dict[str, Fault] = {
    "no file may grow": nothing_more_fits,
    "locked": locked,
    "read-only": read_only,
    "slow": slow,
}


@pytest.mark.parametrize(
    "fault", ["locked", "read-only", long_case("no file may grow"), long_case("slow")]
)
def test_everybody_goes_on_after_a_fault(tmp_path: Path, fault: str) -> None:
    run_through(Server(tmp_path, changed="faults_on_demand"), FAULTS[fault])


def test_everybody_goes_on_after_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path) as place:
        run_through(
            Server(tmp_path, f"sqlite:///{place / 'web.db'}", changed="faults_on_demand"), full_disk
        )


def play_while_the_clock_jumps(server: Server, for_bots: float = PATIENCE) -> None:
    """The time of day jumps forth and back by years: nobody notices, and nothing is removed."""
    server.start()
    crowd, store, all_so_far = Crowd(server.url, PEOPLE), Store(server.database), Ledger()
    try:
        unwatched = crowd.host.new_table("neoville", HERE, HERE)
        crowd.start()
        crowd.wait_for(lambda: len(crowd.at_tables) == PEOPLE, "all sit down")
        for years in (10, -20, 0):
            bots = let_bots_play(crowd, store, for_bots)
            with switched(server, "clock", str(years * YEARS)):
                crowd.wait_for_posts(crowd.acknowledged + 3)
                wait_for_bots(crowd, store, bots, patience=for_bots)
                let_sweep(server, crowd)
                assert unwatched in store.open_tables(), "a match that nobody watches is removed"
    finally:
        server.clear_away()  # First, so that nobody still waits for an answer.
        crowd.leave()
    check_and_keep(crowd, store, all_so_far)
    store.close()


def let_sweep(server: Server, crowd: Crowd) -> None:
    """Have the server remove what nobody uses, and wait until it has."""
    asked = server.folder / "sweep"
    asked.touch()
    crowd.wait_for(lambda: not asked.exists(), "the server sweeps")


def test_nobody_notices_that_the_clock_jumps(tmp_path: Path) -> None:
    play_while_the_clock_jumps(Server(tmp_path, changed="faults_on_demand"))


class FullDisk(io.StringIO):
    """A file that takes nothing more."""

    def write(self, text: str) -> int:
        raise OSError(28, os.strerror(28))


def test_logs_on_a_full_disk_break_nothing() -> None:
    log = Log(FullDisk())
    print("something worth telling", file=log, flush=True)


# --- the attack must be able to fail


@pytest.mark.parametrize(
    ("changed", "fault", "found", "patience"),
    [
        ("break_instead_of_refusing", read_only, "POST /api/tables/", {}),
        long_case("give_up_on_bots", locked, "bots go on", {"for_bots": SOON}),
        long_case("read_after_writers", slow, "waits for a writer", {"for_reads": SOON}),
        long_case("stop_where_logs_cannot_be_written", nothing_more_fits, "POST /api/tables/", {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_without_its_guard_a_fault_is_found_out(
    tmp_path: Path, changed: str, fault: Fault, found: str, patience: dict[str, float]
) -> None:
    server = Server(tmp_path, changed=f"faults_on_demand,{changed}")
    with pytest.raises(AssertionError, match=found):
        run_through(server, fault, **patience)


@in_proof
@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ("play_by_the_time_of_day", r"bots (begin|go on)"),
        ("sweep_by_any_clock", "a match that nobody watches is removed"),
    ],
)
def test_without_its_guard_a_clock_that_jumps_is_noticed(
    tmp_path: Path, changed: str, found: str
) -> None:
    server = Server(tmp_path, changed=f"faults_on_demand,{changed}")
    with pytest.raises(AssertionError, match=found):
        play_while_the_clock_jumps(server, for_bots=4 * SOON)
