"""Several processes on one database: each turn of a bot is played once, whoever dies."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from storeys.web import thinking, turns, workers
from storeys.web.queueing import Waiting
from storeys.web.store import Store
from storeys.web.table import Table
from storeys.web.tables import Tables
from storeys.web.turns import Turns
from storeys.web.workers import Turn, Workers
from tests.posting import table_request
from tests.waiting import wait_for

ADA = "a" * 64
ME, BOT = {"kind": "me"}, {"kind": "bot", "bot": "novice"}


class Shared(Tables):
    """Tables that others write to as well, as on PostgreSQL: what they have written is taken in."""

    def get(self, table: str) -> Table:
        self._unsure.add(table)
        return super().get(table)


class Process:
    """What a server process has of its own, here beside others in one."""

    def __init__(self, file: Path) -> None:
        self.tables = Shared(Store(f"sqlite:///{file}"))
        self.bots = Workers(self.tables, [], count=1, pace=0, shared=True)

    def end(self) -> None:
        self.bots.stop()
        self.tables.store.close()


class Party:
    """Processes that all hear of everything, and how often each turn was thought over."""

    def __init__(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.processes = [Process(file), Process(file)]
        self.go_on = threading.Event()
        self.asked: Counter[tuple[str, int]] = Counter()
        self.by: list[Workers] = []
        monkeypatch.setattr(Workers, "_thought", self._think())
        for process in self.processes:
            for other in self.processes:
                process.tables.listeners.append(other.bots.consider)

    def _think(self) -> Callable[[Workers, Turn], list[str]]:
        def think(bots: Workers, turn: Turn) -> list[str]:
            self.asked[turn.table, turn.seq] += 1
            self.by.append(bots)
            self.go_on.wait()
            return thinking.think("random", turn.view, turn.seq)

        return think

    def seat(self, *seats: dict[str, str]) -> str:
        tables = self.processes[0].tables
        return tables.create(table_request(game="cloud-city", seats=list(seats)), ADA).id

    def moves(self, table: str) -> list[str]:
        facts = self.processes[0].tables.store.load(table)
        return [] if facts is None else [str(event.data["move"]) for event in facts.events]

    def is_quiet(self) -> bool:
        waiting = self.processes[0].bots._turns.waiting()
        return not waiting and not any(process.bots._work for process in self.processes)


@pytest.fixture
def party(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Party]:
    monkeypatch.setattr(workers, "LOOKS_EVERY", 0.02)
    monkeypatch.setattr(turns, "HOLDS", 600.0)  # Nothing runs out on a busy machine.
    made = Party(tmp_path / "web.db", monkeypatch)
    yield made
    made.go_on.set()
    for process in made.processes:
        process.end()


def pair(party: Party) -> tuple[Turns, Turns]:
    """The claims of both, whose bots hear of nothing: they would release what a test claims."""
    for process in party.processes:
        process.tables.listeners.clear()
    first, second = (process.bots._turns for process in party.processes)
    return first, second


def test_a_table_is_claimed_by_one_until_it_is_released(party: Party) -> None:
    first, second = pair(party)
    table = (
        party.processes[0].tables.create(table_request(game="cloud-city", seats=[ME, BOT]), ADA).id
    )
    assert first.claim(table)
    assert first.claim(table)
    assert not second.claim(table)
    assert second.anybody_claims()
    second.release([table])  # which is not its own
    assert not second.claim(table)
    first.release([table])
    assert second.claim(table)
    second.release()
    assert not first.anybody_claims()


def test_a_claim_runs_out_unless_it_is_renewed(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = pair(party)
    table = party.seat(ME, BOT)
    monkeypatch.setattr(turns, "HOLDS", 0.0)
    assert first.claim(table)
    monkeypatch.setattr(turns, "HOLDS", 600.0)
    wait_for(lambda: not first.anybody_claims())
    first.renew()
    assert not second.claim(table)
    monkeypatch.setattr(turns, "HOLDS", 0.0)
    first.renew()
    wait_for(lambda: second.claim(table))
    monkeypatch.setattr(turns, "HOLDS", 600.0)
    first.renew()  # It is not its own any more.
    assert second.claim(table)


def test_each_turn_is_thought_over_once(party: Party) -> None:
    """A bot alone with a bot, heard of and looked for by both processes."""
    party.go_on.set()
    for process in party.processes:
        process.bots.resume()
    tables = [party.seat(BOT, BOT, ME) for _ in range(6)]
    wait_for(lambda: all(len(party.moves(table)) >= 4 for table in tables) and party.is_quiet())
    assert set(party.asked.values()) == {1}
    assert not party.processes[0].bots._turns.anybody_claims()


def test_without_claims_no_move_is_made_twice_either(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that think over the same turn: the number of the event is the fence."""
    monkeypatch.setattr(Turns, "claim", lambda *_: True)
    table = party.seat(BOT, ME)
    for process in party.processes:
        process.bots.consider(table, 0)
    wait_for(lambda: party.asked[table, 0] == 2)
    party.go_on.set()
    wait_for(party.is_quiet)
    moves = party.moves(table)
    assert [move.split()[0] for move in moves].count("draw") == 1
    assert moves[-1].startswith("draw")


def test_who_dies_is_succeeded_by_another(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    dying, heir = (process.bots for process in party.processes)
    monkeypatch.setattr(turns, "HOLDS", 0.1)
    party.processes[0].tables.listeners.remove(heir.consider)
    table = party.seat(BOT, ME)
    wait_for(lambda: party.by == [dying])  # It thinks for ever, and renews nothing.
    heir.resume()
    wait_for(lambda: party.by == [dying, heir])
    party.go_on.set()
    wait_for(lambda: party.is_quiet() and party.moves(table)[-1:])
    assert [move.split()[0] for move in party.moves(table)].count("draw") == 1


def test_who_renews_is_not_succeeded(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (process.bots for process in party.processes)
    party.processes[0].tables.listeners.remove(second.consider)
    table = party.seat(BOT, ME)
    wait_for(lambda: party.by == [first])
    looks: list[int] = []
    waiting = second._turns.waiting

    def look(*some: list[str]) -> list[Waiting]:
        looks.append(1)
        return waiting(*some)

    monkeypatch.setattr(second._turns, "waiting", look)
    second.resume()
    wait_for(lambda: len(looks) >= 3)
    assert party.asked == {(table, 0): 1}


def test_the_end_releases_what_is_claimed(party: Party) -> None:
    first, second = party.processes
    first.tables.listeners.remove(second.bots.consider)
    table = party.seat(BOT, ME)
    wait_for(lambda: party.by == [first.bots])
    assert not second.bots._turns.claim(table)
    first.bots.stop()
    assert second.bots._turns.claim(table)


def test_one_process_alone_writes_no_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = Tables(Store(f"sqlite:///{tmp_path / 'web.db'}"))
    alone = Turns(tables.store)
    table = tables.create(table_request(game="cloud-city", seats=[BOT, ME]), ADA).id
    monkeypatch.delattr(Store, "writing")
    assert alone.claim(table)
    alone.renew()
    alone.release()
    assert not alone.anybody_claims()
