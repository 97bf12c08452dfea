"""A bot's turn in the database: one write where nobody follows it, a move at a time else."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from storeys.kernel.errors import IllegalMove
from storeys.web import thinking
from storeys.web.database import Unavailable, unavailable
from storeys.web.handlers import play_for_bot
from storeys.web.processes import Died, Process
from storeys.web.store import Store
from storeys.web.table import Table
from storeys.web.tables import Tables
from storeys.web.workers import Turn, Workers
from tests.posting import table_request
from tests.waiting import wait_for

ADA = "a" * 64
ME, BOT = {"kind": "me"}, {"kind": "bot", "bot": "random"}


class CountingStore(Store):
    """Counts what is committed of events."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.commits: list[int] = []

    def append(self, table: str, *about: Any, **more: Any) -> None:
        super().append(table, *about, **more)
        facts = self.load(table)
        assert facts is not None
        self.commits.append(len(facts.events))


@pytest.fixture
def store(tmp_path: Path) -> CountingStore:
    return CountingStore(f"sqlite:///{tmp_path / 'tables.db'}")


@pytest.fixture
def tables(store: CountingStore) -> Tables:
    return Tables(store)


def new_table(tables: Tables, *seats: dict[str, str]) -> Table:
    return tables.create(table_request(game="neoville", seats=list(seats)), ADA)


def planned(table: Table) -> list[str]:
    """A turn of several moves."""
    moves = thinking.think("random", table.match.view(0), 0)
    assert len(moves) > 1
    return moves


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Turn]:
    """Bots that think at once, and what they are asked."""
    made: list[Turn] = []

    def at_once(bots: Workers, turn: Turn) -> list[str]:
        made.append(turn)
        return thinking.think("random", turn.view, turn.seq)

    monkeypatch.setattr(Workers, "_thought", at_once)
    return made


def bots_at(tables: Tables, pace: float) -> Workers:
    bots = Workers(tables, [], count=1, pace=pace)
    tables.listeners.append(bots.consider)
    return bots


@pytest.fixture
def ending() -> Iterator[list[Workers]]:
    made: list[Workers] = []
    yield made
    for bots in made:
        bots.stop()


# --- how it is written


@pytest.mark.parametrize(("pace", "watched"), [(0.0, True), (0.01, False)])
def test_a_turn_that_nobody_follows_is_one_write(
    tables: Tables, store: CountingStore, asked: list[Turn], ending: list[Workers],
    pace: float, watched: bool,
) -> None:  # fmt: skip
    ending.append(bots_at(tables, pace))
    told: list[int] = []
    tables.listeners.append(lambda _, seq: told.append(seq))
    table = new_table(tables, BOT, ME)
    if watched:
        tables.presence.opened([table.id], ADA)
    wait_for(lambda: table.snapshot.match.to_move == 1)
    wait_for(lambda: len(told) > table.seq)
    assert len(asked) == 1
    assert store.commits == [table.seq]
    assert table.seq > 1
    assert told == list(range(table.seq + 1))  # that it was set up, and every event


def test_somebody_who_follows_a_turn_sees_move_after_move(
    tables: Tables, store: CountingStore, asked: list[Turn], ending: list[Workers]
) -> None:
    table = new_table(tables, BOT, ME)
    tables.presence.opened([table.id], ADA)
    ending.append(bots_at(tables, 0.01))
    ending[0].consider(table.id, 0)
    wait_for(lambda: table.snapshot.match.to_move == 1)
    assert store.commits == list(range(1, table.seq + 1))
    tables.presence.closed([table.id], ADA)
    assert not tables.presence.is_watched(table.id)


def test_the_database_is_not_asked_whose_turn_it_is_at_a_table_in_memory(
    tables: Tables, asked: list[Turn], ending: list[Workers], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = new_table(tables, BOT, BOT)
    ending.append(bots_at(tables, 0.0))
    looked: list[set[str]] = []

    def look(among: set[str], really: Any = ending[0]._turns.waiting) -> Any:
        looked.append(among)
        return really(among)

    monkeypatch.setattr(ending[0]._turns, "waiting", look)
    ending[0].consider(table.id, 0)
    wait_for(lambda: table.snapshot.match.round > 1)
    ending[0].stop()
    assert looked
    assert set().union(*looked) == set()


# --- all or nothing


def test_what_cannot_be_written_is_not_played(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = new_table(tables, BOT, ME)
    moves, told = planned(table), list[int]()
    tables.listeners.append(lambda _, seq: told.append(seq))

    def fail(*_: Any, **__: Any) -> None:
        raise unavailable()

    with monkeypatch.context() as away:
        away.setattr(tables.store, "append", fail)
        with pytest.raises(Unavailable):
            play_for_bot(tables, table.id, 0, 0, *moves)
    assert (table.seq, table.match.moves_made, told) == (0, 0, [])
    assert play_for_bot(tables, table.id, 0, 0, *moves) == len(moves)
    again = Tables(tables.store).get(table.id)
    assert [str(move) for move in again.match.moves] == moves
    assert (again.seq, again.answers, told) == (
        table.seq,
        table.answers,
        [*range(1, table.seq + 1)],
    )


def test_a_number_that_is_taken_keeps_all_moves_out(tables: Tables, tmp_path: Path) -> None:
    table = new_table(tables, BOT, ME)
    moves = planned(table)
    other = Tables(Store(f"sqlite:///{tmp_path / 'tables.db'}"))
    assert play_for_bot(other, table.id, 0, 0, moves[0]) == 1
    with pytest.raises(Exception, match="meanwhile"):
        play_for_bot(tables, table.id, 0, 0, *moves)
    assert [str(move) for move in tables.get(table.id).match.moves] == moves[:1]


def test_moves_are_made_up_to_one_that_is_not_legal(tables: Tables) -> None:
    table = new_table(tables, BOT, ME)
    first, *rest = planned(table)
    assert play_for_bot(tables, table.id, 0, 0, first, first, *rest) == 1
    assert table.seq == 1
    with pytest.raises(IllegalMove):
        play_for_bot(tables, table.id, 1, 0, first, *rest)
    assert (table.seq, table.match.moves_made) == (1, 1)


def test_moves_after_the_end_of_a_turn_are_not_written_with_it(tables: Tables) -> None:
    table = new_table(tables, {"kind": "bot", "bot": "random"})
    moves = planned(table)
    whole = [*moves]
    world = table.match.clone()
    for move in moves:
        world.push(move)
    while world.round == table.match.round:
        whole.append(str(world.legal_moves[0]))
        world.push(whole[-1])
    following = str(world.legal_moves[0])
    assert world.to_move == 0  # Who plays alone has one turn after the other.
    assert play_for_bot(tables, table.id, 0, 0, *whole, following) == len(whole)


# --- the end


def test_no_quick_bot_plays_for_one_that_ends_with_the_server(
    tables: Tables, ending: list[Workers], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, scheduled = threading.Event(), list[float]()

    def end_with_server(bots: Workers, turn: Turn) -> None:
        begun.set()
        bots._closed.wait()

    monkeypatch.setattr(Workers, "_thought", end_with_server)
    bots, table = bots_at(tables, 0.0), new_table(tables, BOT, ME)
    ending.append(bots)
    bots.consider(table.id, 0)
    begun.wait()
    monkeypatch.setattr(bots._schedule, "later", lambda seconds, task: scheduled.append(seconds))
    bots.stop()
    for thinker in bots._thinkers:
        thinker.join()
    assert scheduled == []


def test_a_process_that_is_gone_is_said_to_have_died() -> None:
    process = Process(compiled=False)
    process.stop()
    with pytest.raises(Died):
        process.try_bot("random", "neoville")
