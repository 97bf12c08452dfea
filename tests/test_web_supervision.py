"""Bots go on by themselves when what kept them from it has passed."""

import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from sqlalchemy.exc import OperationalError

from storeys.web import failures, processes, thinking, workers
from storeys.web.processes import Process, Processes
from storeys.web.schedule import Schedule
from storeys.web.store import Store
from storeys.web.tables import Tables
from storeys.web.turns import Turns
from storeys.web.workers import Workers
from tests.posting import table_request
from tests.waiting import wait_for

ADA = "a" * 64
ME, BOT = {"kind": "me"}, {"kind": "bot", "bot": "random"}


class Away:
    """A database that cannot be reached while it is away, for reading, writing or both."""

    def __init__(self) -> None:
        self.away = False
        self.attempts: Counter[str] = Counter()

    def keep_from(self, monkeypatch: pytest.MonkeyPatch, where: Any, method: str) -> None:
        really = getattr(where, method)

        def reach(*arguments: Any, **options: Any) -> Any:
            if self.away:
                self.attempts[method] += 1
                raise OperationalError("…", {}, sqlite3.OperationalError("disk I/O error"))
            return really(*arguments, **options)

        monkeypatch.setattr(where, method, reach)


class Party:
    """Bots at tables, without processes."""

    def __init__(self, file: Path) -> None:
        self.tables = Tables(Store(f"sqlite:///{file}"))
        self.registry = CollectorRegistry()
        self.bots = Workers(self.tables, [], count=1, pace=0, registry=self.registry)

    def begin(self) -> None:
        self.tables.listeners.append(self.bots.consider)
        self.bots.resume()

    def seat(self) -> str:
        request = table_request(game="cloud-city", seats=[BOT, ME])
        return self.tables.create(request, ADA).id

    def has_moved(self, table: str) -> bool:
        facts = self.tables.store.load(table)
        return facts is not None and "draw" in "".join(str(one.data) for one in facts.events)

    def retries(self) -> float:
        return self.registry.get_sample_value("storeys_bot_retries_total") or 0.0


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(failures, "LONGEST_PAUSE", 0.05)
    at_once = lambda bots, turn: thinking.think("random", turn.view, turn.seq)  # noqa: E731
    monkeypatch.setattr(Workers, "_thought", at_once)


@pytest.fixture
def party(tmp_path: Path) -> Iterator[Party]:
    made = Party(tmp_path / "web.db")
    yield made
    made.bots.stop()


@pytest.fixture
def away(party: Party, monkeypatch: pytest.MonkeyPatch) -> Away:
    made = Away()
    made.keep_from(monkeypatch, party.tables.store, "append")
    made.keep_from(monkeypatch, party.tables.store, "load")
    made.keep_from(monkeypatch, party.bots._turns, "waiting")
    return made


@pytest.mark.parametrize("what", ["append", "load", "waiting"])
def test_bots_go_on_when_the_database_is_back(
    party: Party, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    away = Away()
    where = party.bots._turns if what == "waiting" else party.tables.store
    tables = [party.seat() for _ in range(10)]
    away.keep_from(monkeypatch, where, what)
    away.away = True
    party.tables._at_hand.clear()
    party.begin()
    wait_for(lambda: away.attempts[what] >= 12)
    assert party.retries() >= 5
    away.away = False
    wait_for(lambda: all(map(party.has_moved, tables)))
    wait_for(lambda: not party.bots._work)


def test_who_does_not_know_that_failures_pass_gives_up(
    party: Party, away: Away, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guard, taken away: the tests above would wait for ever."""
    monkeypatch.setattr(workers, "passes", lambda error: False)
    table = party.seat()
    away.away = True
    party.begin()
    wait_for(lambda: away.attempts["waiting"] > 2)
    party.bots.consider(table, 0)
    wait_for(lambda: table in party.bots._left_out)
    assert not party.bots._work


def test_one_that_succeeds_wakes_all_others(
    party: Party, away: Away, monkeypatch: pytest.MonkeyPatch
) -> None:
    party.begin()
    away.away = True
    for table in (tables := [f"t{number}" for number in range(3)]):
        party.bots.consider(table, 0)
    wait_for(lambda: all(party.bots._work[table].failures > 1 for table in tables))
    monkeypatch.setattr(failures, "LONGEST_PAUSE", 1e6)
    monkeypatch.setattr(failures, "FIRST_PAUSE", 1e6)
    wait_for(lambda: all(party.bots._work[table].retry for table in tables))
    away.away = False
    party.bots._work[tables[0]].retry = None
    party.bots._succeeded(tables[0])
    wait_for(lambda: tables[1] not in party.bots._work and tables[2] not in party.bots._work)


def test_a_table_that_cannot_be_read_is_not_tried_again(party: Party, tmp_path: Path) -> None:
    bad, good = party.seat(), party.seat()
    with sqlite3.connect(tmp_path / "web.db") as connection:
        connection.execute("UPDATE tables SET record = '{' WHERE id = ?", (bad,))
    connection.close()
    party.tables._at_hand.clear()
    party.begin()
    wait_for(lambda: party.has_moved(good) and not party.bots._work)
    assert party.bots._left_out == {bad}
    party.bots._look_at_all()
    assert bad not in party.bots._work
    assert party.retries() == 0


def test_a_table_with_a_fault_of_its_own_is_tried_a_few_times(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = party.seat(), party.seat()
    attempts: list[str] = []
    turn_at = party.bots._turn_at

    def look(table: str) -> Any:
        if table == bad:
            attempts.append(table)
            raise TypeError("a bug")
        return turn_at(table)

    monkeypatch.setattr(party.bots, "_turn_at", look)
    party.begin()
    wait_for(lambda: bad in party.bots._left_out and not party.bots._work)
    assert len(attempts) == failures.MOST_ATTEMPTS + 1
    wait_for(lambda: party.has_moved(good))
    monkeypatch.setattr(party.bots, "_turn_at", turn_at)
    party.bots.consider(bad, 1)  # Something happens there.
    wait_for(lambda: party.has_moved(bad))


def test_a_lost_notice_is_made_good_by_the_next_look(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(party.bots, "_looks_every", 0.01)
    monkeypatch.setattr(workers, "LOOKS_TAKE", 1)
    party.bots.resume()  # It listens to nobody.
    table = party.seat()
    wait_for(lambda: party.has_moved(table))


def test_no_process_to_be_had_is_not_the_bots_fault(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(failures, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(workers, "is_compiled", lambda game: False)
    tries: list[bool] = []

    def begin(compiled: bool) -> Process:
        tries.append(compiled)
        if len(tries) < 3:
            raise OSError("Cannot allocate memory")
        return Process(compiled)

    monkeypatch.setattr(Processes, "_new_one", lambda self, compiled: begin(compiled))
    table = party.seat()
    party.begin()
    wait_for(lambda: party.has_moved(table))
    assert party.tables.get(table).seats[0].bot == "random"


class HangsWhenTried:
    """In the place of a process: a bot that is tried does not come back."""

    go_on = threading.Event()

    def __init__(self, compiled: bool) -> None:
        self.compiled = compiled

    def try_bot(self, name: str, game: str) -> None:
        self.go_on.wait()

    def think(self, name: str, view: Any, seed: int, seconds: float) -> list[str]:
        return thinking.think("random", view, seed)

    def stop(self) -> None:
        self.go_on.set()


@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "unguarded"])
def test_nobody_waits_for_a_bot_that_hangs_when_it_is_tried(
    party: Party, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(processes, "Process", HangsWhenTried)
    monkeypatch.setattr(workers, "bot_names", lambda: ["hal"])
    monkeypatch.setattr(workers, "is_compiled", lambda game: False)
    HangsWhenTried.go_on.clear()
    bots = party.bots
    bots._games = ["any"]
    if not guarded:
        bots._trials = bots.processes
    bots.start()
    wait_for(lambda: bots._trials.running)
    table = party.seat()
    party.begin()
    if guarded:
        wait_for(lambda: party.has_moved(table))
    else:
        wait_for(lambda: bots._work and not bots._queue)  # It waits for the only process.
        assert not party.has_moved(table)
    assert not HangsWhenTried.go_on.is_set()


# --- nobody to think


def test_with_no_workers_the_log_says_that_bots_wait(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    monkeypatch.setattr(workers.log, "warning", lambda what, tables: told.append(tables))
    idle = Workers(party.tables, [], count=0, shared=True)
    party.seat()
    idle._look_at_all()
    assert told == []  # Somebody may be about to.
    for _ in range(3):
        idle._look_at_all()
    assert told == [1]
    other = Turns(party.tables.store, shared=True)
    other.claim(party.seat())
    idle._look_at_all()
    assert told == [1]
    other.release()
    idle._look_at_all()
    assert told == [1, 2]
    idle.stop()


# --- what is done by few threads


def test_what_fails_ends_no_thread() -> None:
    schedule, done = Schedule(1), threading.Event()

    def fail() -> None:
        raise RuntimeError("no")

    schedule.do(fail)
    schedule.do(done.set)
    wait_for(done.is_set)
    schedule.stop()
    schedule.do(fail)
    assert schedule._due == []
