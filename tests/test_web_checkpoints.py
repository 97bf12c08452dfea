"""A table is read from where its match stood, and is the same as if all had been played again."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update
from starlette.testclient import TestClient

import storeys
from storeys import match as matches
from storeys.match import Match
from storeys.web import tables as at_hand
from storeys.web.app import create_app
from storeys.web.checkpoints import LEAST_NEW
from storeys.web.store import CHECKPOINTS, EVENTS, Checkpoint, Store
from storeys.web.table import Table, played
from storeys.web.tables import Tables
from tests.posting import event_request, post, table_request

ADA = "ada"


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    found = Tables(Store(f"sqlite:///{tmp_path / 'kept.db'}"))
    yield found
    found.store.close()


def begun(tables: Tables, game: str, moves: int = 12) -> Table:
    """A table with some moves, one of them taken back."""
    request = table_request(game=game, seats=[{"kind": "me"}, {"kind": "me"}])
    table, rng = tables.create(request, ADA), random.Random(game)
    for _ in range(moves):
        play(tables, table, rng)
        seat = table.match.movers[-1]
        if table.match.can_take_back(seat):
            do(tables, table, seat, kind="take-back")
            play(tables, table, rng)
    do(tables, table, 0, kind="rename", name="Grace")
    return table


def play(tables: Tables, table: Table, rng: random.Random) -> None:
    assert table.match.to_move is not None
    do(
        tables,
        table,
        table.match.to_move,
        kind="move",
        move=str(rng.choice(table.match.legal_moves)),
    )


def do(tables: Tables, table: Table, seat: int, **content: Any) -> None:
    event = event_request(seq=table.seq, id=f"my-event-{table.seq}", seat=seat, **content)
    post(tables, table.id, ADA, event)


def keep(tables: Tables, table: Table) -> None:
    tables.checkpoints.stop([table.snapshot])


def all_of(table: Table) -> dict[str, Any]:
    """What there is to know of a table, its past positions included."""
    match = table.match
    known = {name: getattr(table, name) for name in ("seq", "answers", "resigned", "notices")}
    past = [match.at(ply).position() for ply in range(match.moves_made + 1)]
    return known | {"record": match.record(), "past": past, "movers": match.movers}


def read(tables: Tables, table: Table, anew: bool = False) -> Table:
    """A table as it is read, or as it would be without a checkpoint."""
    facts = tables.store.load(table.id)
    assert facts is not None
    assert facts.checkpoint is not None
    return played(without_checkpoint(facts) if anew else facts)


def without_checkpoint(facts: Any) -> Any:
    return type(facts)(**{**vars(facts), "checkpoint": None})


@pytest.fixture
def pushed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The moves that are made from now on."""
    found: list[str] = []
    push = Match.push

    def push_and_note(match: Match, move: Any) -> None:
        found.append(str(move))
        push(match, move)

    monkeypatch.setattr(Match, "push", push_and_note)
    return found


@pytest.mark.parametrize("game", storeys.game_names())
def test_only_what_came_after_is_played(tables: Tables, game: str, pushed: list[str]) -> None:
    table = begun(tables, game)
    keep(tables, table)
    play(tables, table, random.Random(1))
    pushed.clear()
    found = read(tables, table)
    assert len(pushed) == 1
    assert all_of(found) == all_of(read(tables, table, anew=True)) == all_of(table)
    play(tables, table, random.Random(2))
    found.match.push(table.match.moves[-1])  # Chance goes on where it was.
    assert found.match.position() == table.match.position()


def changed(checkpoint: str, **facts: Any) -> str:
    return json.dumps(json.loads(checkpoint) | facts)


BAD: dict[str, Callable[[str], str]] = {
    "another version": lambda content: changed(content, kernel="manhattan_of_old"),
    "other moves": lambda content: changed(content, moves="0" * 64),
    "no JSON": lambda content: content[:-2],
    "too short": lambda content: changed(content, bytes="AAAA"),
    "of another kind": lambda _: "[]",
}


@pytest.mark.parametrize("fault", BAD)
def test_a_checkpoint_that_does_not_fit_is_left_aside(
    tables: Tables, fault: str, pushed: list[str]
) -> None:
    table = begun(tables, "manhattan")
    content = BAD[fault](table.match.checkpoint())
    tables.store.keep_checkpoints([Checkpoint(table.id, table.seq, content)])
    pushed.clear()
    found = read(tables, table)
    assert len(pushed) >= found.match.moves_made
    assert all_of(found) == all_of(table)


def rewritten(tables: Tables) -> Table:
    """A table whose checkpoint is of another move than its events tell, as it is read."""
    table, rng = begun(tables, "manhattan", moves=0), random.Random(3)
    for _ in range(LEAST_NEW):
        play(tables, table, rng)
    keep(tables, table)
    with tables.store.writing() as connection:
        here = EVENTS.c.table_id == table.id, EVENTS.c.seq == 2
        was = connection.execute(select(EVENTS.c.data).where(*here)).scalar_one()
        first = storeys.load(table.match.record()).at(0).legal_moves
        other = next(str(move) for move in first if str(move) != was["move"])
        connection.execute(update(EVENTS).where(*here).values(data={"move": other}))
    found = read(tables, table)
    assert str(found.match.moves[0]) == other
    return found


def test_events_count_and_not_a_checkpoint_of_others(tables: Tables) -> None:
    rewritten(tables)


def test_that_is_so_because_moves_are_compared(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "_digest_of", lambda moves: "the same")
    with pytest.raises(AssertionError):
        rewritten(tables)


def kept(tables: Tables) -> dict[str, int]:
    with tables.store.reading() as connection:
        rows = connection.execute(select(CHECKPOINTS.c.table_id, CHECKPOINTS.c.seq)).all()
    return {row.table_id: row.seq for row in rows}


def test_who_is_let_go_of_is_kept(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_hand, "KEPT_AT_HAND", 1)
    table, few = begun(tables, "manhattan"), begun(tables, "neoville", moves=LEAST_NEW - 3)
    tables.get(begun(tables, "manhattan").id)
    tables.checkpoints.write()
    assert kept(tables) == {table.id: table.seq}
    assert few.match.moves_made < LEAST_NEW


def test_what_has_hardly_changed_is_not_kept_again(tables: Tables) -> None:
    table = begun(tables, "manhattan")
    keep(tables, table)
    before, found = kept(tables), read(tables, table)
    found.seq += 1
    found.publish()
    keep(tables, found)
    assert kept(tables) == before


def test_it_goes_with_its_table(tables: Tables) -> None:
    table = begun(tables, "manhattan")
    keep(tables, table)
    tables.delete(table.id, ADA)
    keep(tables, table)  # It was due before.
    assert kept(tables) == {}


def test_a_server_that_ends_keeps_where_matches_stand(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'ended.db'}"
    app = create_app(database, workers=0)
    with TestClient(app):
        table = begun(app.state.services.tables, "cloud-city")
    tables = Tables(Store(database))
    try:
        assert kept(tables) == {table.id: table.seq}
        assert all_of(tables.get(table.id)) == all_of(table)
    finally:
        tables.store.close()
