"""Reading tables back: nobody waits for another's, and bots are found without reading them all."""

import secrets
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from storeys.web import processes, thinking
from storeys.web.app import create_app
from storeys.web.errors import NoTable
from storeys.web.store import Store, TableFacts
from storeys.web.table import Table
from storeys.web.tables import Tables
from storeys.web.turns import Turns
from tests.posting import event_request, post, table_request

ADA = "a" * 64
ME, BOT, FRIEND = {"kind": "me"}, {"kind": "bot", "bot": "random"}, {"kind": "friend"}


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    return Tables(Store(f"sqlite:///{tmp_path / 'tables.db'}"))


def new_table(tables: Tables, *seats: dict[str, str]) -> Table:
    return tables.create(table_request(game="cloud-city", seats=list(seats)), ADA)


def do(tables: Tables, table: Table, kind: str, **content: Any) -> None:
    shared = {"seq": table.seq, "id": secrets.token_hex(8), "kind": kind, "seat": 0}
    post(tables, table.id, ADA, event_request(**shared | content))


class Held:
    """A store whose reading of one table goes on until it is let go."""

    def __init__(self, tables: Tables, held: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.go_on, self.reads = threading.Event(), threading.Event(), Counter[str]()
        load = tables.store.load

        def slowly(table: str) -> TableFacts | None:
            self.reads[table] += 1
            facts = load(table)
            if table == held:
                self.begun.set()
                self.go_on.wait()
            return facts

        monkeypatch.setattr(tables.store, "load", slowly)


# --- reading


def test_no_lock_is_held_while_a_table_is_read(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, other = new_table(tables, ME, BOT).id, new_table(tables, ME, BOT).id
    again = Tables(tables.store)
    held = Held(again, slow, monkeypatch)
    with ThreadPoolExecutor() as pool:
        waiting = [pool.submit(again.get, slow) for _ in range(3)]
        held.begun.wait()
        assert again.get(other).id == other  # would never come back if a lock were held
        assert not any(one.done() for one in waiting)
        held.go_on.set()
        found = {id(one.result()) for one in waiting}
    assert found == {id(again.get(slow))}
    assert held.reads == {slow: 1, other: 1}


def test_who_waits_for_a_table_that_cannot_be_read_is_told_so_too(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(tables, "nowhere", monkeypatch)
    with ThreadPoolExecutor() as pool:
        waiting = [pool.submit(tables.get, "nowhere") for _ in range(2)]
        held.begun.wait()
        held.go_on.set()
        for one in waiting:
            with pytest.raises(NoTable):
                one.result()
    with pytest.raises(NoTable):
        tables.get("nowhere")


def test_a_table_that_is_deleted_while_it_is_read_does_not_come_back(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = new_table(tables, ME, BOT).id
    again = Tables(tables.store)
    held = Held(again, table, monkeypatch)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(again.get, table)
        held.begun.wait()
        again.store.delete(table)
        again._forget(table)
        held.go_on.set()
        waiting.result()
    with pytest.raises(NoTable):
        again.get(table)


# --- whose turn it is


def waiting_at(tables: Tables) -> set[str]:
    return {waiting.table for waiting in Turns(tables.store).waiting()}


def test_the_store_knows_where_a_bot_is_to_move(tables: Tables) -> None:
    mine, bots = new_table(tables, ME, BOT), new_table(tables, BOT, ME)
    new_table(tables, BOT, FRIEND)  # waits for a friend
    assert waiting_at(tables) == {bots.id}
    do(tables, mine, "take-over", bot="novice")
    assert waiting_at(tables) == {mine.id, bots.id}
    do(tables, mine, "return")
    assert waiting_at(tables) == {bots.id}
    do(tables, mine, "move", move=str(mine.match.legal_moves[0]))
    do(tables, mine, "move", move="draw pile")
    assert waiting_at(tables) == {mine.id, bots.id}


class AtOnce:
    """In the place of a process: a bot that plays at random."""

    def __init__(self, compiled: bool) -> None:
        self.compiled = compiled

    def think(self, name: str, view: Any, seed: int, seconds: float) -> list[str]:
        return thinking.think("random", view, seed)

    def stop(self) -> None:
        """Nothing to end."""


def test_after_a_restart_only_tables_with_a_bot_to_move_are_read(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "Process", AtOnce)
    for _ in range(10):
        new_table(tables, ME, BOT)
        new_table(tables, ME, ME)
    bots = {new_table(tables, BOT, ME).id for _ in range(3)}
    app = create_app(tables.store.url, workers=1, pace=0)
    restarted: Tables = app.state.services.tables
    held = Held(restarted, "", monkeypatch)
    with TestClient(app):
        while {one for one in bots if restarted.store.load(one).events} != bots:  # type: ignore[union-attr]
            pass
        assert set(held.reads) == bots


def test_a_table_of_an_earlier_release_is_read_once_and_then_noted(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "Process", AtOnce)
    table = new_table(tables, ME, BOT).id
    tables.store.note_turn(table, None)
    turns = Turns(tables.store)
    assert (turns.waiting(), turns.unknown()) == ([], [table])
    app = create_app(tables.store.url, workers=1, pace=0)
    with TestClient(app):
        while turns.waiting() or turns.unknown():
            pass
