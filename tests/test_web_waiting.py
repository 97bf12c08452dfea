"""Nobody waits for a writer, nothing is half done, and a table is in memory once."""

import asyncio
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from storeys.match import Match
from storeys.web import tables as tables_module
from storeys.web import workers
from storeys.web.app import create_app
from storeys.web.database import Unavailable, time_left, unavailable, until
from storeys.web.readiness import Readiness
from storeys.web.store import Late, Store
from storeys.web.table import Table
from storeys.web.tables import Tables
from storeys.web.writers import Writers
from tests.posting import event_request, post, table_request

ADA = "a" * 64
HERE = [{"kind": "here"}, {"kind": "here"}]
LONG, SOON = 60.0, 0.05
"""The patience of writes that are to succeed, also on a busy machine, and of those that are not."""


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    made = Tables(Store(f"sqlite:///{tmp_path / 'tables.db'}", LONG))
    yield made
    made.store.close()


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    for method in ("start", "consider"):
        monkeypatch.setattr(workers.Workers, method, lambda *_: None)
    return create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=1, patience=LONG)


@pytest.fixture
def browser(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app) as client:
        yield client


def new_table(tables: Tables) -> Table:
    return tables.create(table_request(game="neoville", seats=HERE), ADA)


def first_move(table: Table) -> Any:
    move = str(table.match.legal_moves[0])
    return event_request(seq=table.seq, id=secrets.token_hex(8), seat=0, kind="move", move=move)


@contextmanager
def impatient(store: Store) -> Iterator[None]:
    """Whoever cannot write now is soon refused."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "patience", SOON)
        yield


@contextmanager
def locked(store: Store) -> Iterator[None]:
    """Somebody else writes to a database and does not come to an end."""
    connection = sqlite3.connect(store.url.removeprefix("sqlite:///"))
    connection.execute("BEGIN IMMEDIATE")
    try:
        with impatient(store):
            yield
    finally:
        connection.close()


class Held:
    """Writing to a store goes on only when it is let go."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        append = store.append

        def slowly(*facts: Any) -> None:
            self.begun.set()
            self.go_on.wait()
            append(*facts)

        monkeypatch.setattr(store, "append", slowly)


# --- one owner of a table


def test_a_table_that_somebody_writes_at_is_never_read_a_second_time(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables_module, "KEPT_AT_HAND", 1)
    table = new_table(tables).id
    held = Held(tables.store, monkeypatch)
    with ThreadPoolExecutor() as pool:
        written = pool.submit(post, tables, table, ADA, first_move(tables.get(table)))
        held.begun.wait()
        new_table(tables)  # pushes the first out of what is kept at hand
        assert table not in tables._at_hand
        seen = tables.get(table)
        held.go_on.set()
        assert written.result() == 1
    assert (seen.seq, seen.match.moves_made) == (1, 1)
    assert tables.get(table) is seen


def test_without_its_registry_an_acknowledged_event_vanishes_from_view(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above, tested: it fails where only what is at hand is found again."""
    monkeypatch.setattr(tables, "_in_memory", tables._at_hand)
    with pytest.raises(AssertionError):
        test_a_table_that_somebody_writes_at_is_never_read_a_second_time(tables, monkeypatch)


def test_a_table_that_nobody_holds_is_let_go(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables_module, "KEPT_AT_HAND", 2)
    made = [new_table(tables).id for _ in range(5)]
    assert list(tables._at_hand) == made[-2:]
    assert set(tables._in_memory) == set(made[-2:])


# --- what cannot be written


def test_a_move_that_cannot_be_written_in_time_is_not_made(tables: Tables) -> None:
    table = new_table(tables)
    move = first_move(table)
    before = table.match.state().tobytes(), table.match.moves, table.match.record()
    with locked(tables.store), pytest.raises(Unavailable, match="try again"):
        post(tables, table.id, ADA, move)
    assert (table.match.state().tobytes(), table.match.moves, table.match.record()) == before
    assert (table.seq, tables.get(table.id)) == (0, table)
    assert post(tables, table.id, ADA, move) == 1  # the same post, once more
    assert post(tables, table.id, ADA, move) == 1


def test_a_take_back_that_cannot_be_written_in_time_is_not_made(tables: Tables) -> None:
    table = new_table(tables)
    post(tables, table.id, ADA, first_move(table))
    before = table.match.state().tobytes(), table.match.moves
    undo = event_request(seq=1, id="take-it-back", seat=0, kind="take-back")
    with locked(tables.store), pytest.raises(Unavailable):
        post(tables, table.id, ADA, undo)
    assert (table.match.state().tobytes(), table.match.moves) == before
    assert post(tables, table.id, ADA, undo) == 2


def test_a_rematch_that_cannot_be_written_leaves_nothing_behind(tables: Tables) -> None:
    table = new_table(tables)
    while table.match.to_move is not None:
        last = str(table.match.legal_moves[-1])
        kind = {"kind": "move", "move": last, "seat": table.match.to_move}
        post(tables, table.id, ADA, event_request(seq=table.seq, id=secrets.token_hex(8), **kind))
    again = event_request(seq=table.seq, id="once-more", seat=0, kind="rematch")
    with locked(tables.store), pytest.raises(Unavailable):
        post(tables, table.id, ADA, again)
    assert table.rematch is None
    assert tables.store.tables_of(ADA) == [table.id]
    post(tables, table.id, ADA, again)
    assert tables.store.tables_of(ADA) == [table.rematch, table.id]


def test_a_write_whose_answer_was_lost_counts_once(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database has committed, and the connection broke before it could say so."""
    table = new_table(tables)
    append = tables.store.append

    def lose_the_answer(*facts: Any) -> None:
        append(*facts)
        raise unavailable()

    monkeypatch.setattr(tables.store, "append", lose_the_answer)
    move = first_move(table)
    with pytest.raises(Unavailable):
        post(tables, table.id, ADA, move)
    assert table.seq == 0
    monkeypatch.setattr(tables.store, "append", append)
    assert tables.get(table.id).seq == 1  # whoever looks finds what was written
    assert post(tables, table.id, ADA, move) == 1
    assert table.match.moves_made == 1


def test_a_post_that_comes_second_by_its_own_event_is_answered(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same post through two processes: whoever is late finds that it is the same."""
    table, other = new_table(tables), Tables(tables.store)
    twin, move = other.get(table.id), first_move(table)
    assert post(tables, table.id, ADA, move) == 1
    assert post(other, table.id, ADA, move) == 1
    assert (twin.seq, twin.match.moves_made) == (1, 1)
    with pytest.raises(Late):
        post(other, table.id, ADA, move.model_copy(update={"id": "another-one"}))


def test_who_waits_for_a_table_waits_no_longer_than_the_patience(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = new_table(tables)
    held = Held(tables.store, monkeypatch)
    with ThreadPoolExecutor() as pool:
        first, second = first_move(table), first_move(table)
        written = pool.submit(post, tables, table.id, ADA, first)
        held.begun.wait()
        with impatient(tables.store), pytest.raises(Unavailable):
            post(tables, table.id, ADA, second)
        held.go_on.set()
        assert written.result() == 1


def test_all_waits_of_a_write_share_one_end() -> None:
    assert time_left(7) == 7
    with until(0):
        assert time_left(7) == 0
    assert time_left(7) == 7


# --- over HTTP


def test_a_locked_database_keeps_nobody_from_reading(app: FastAPI, browser: TestClient) -> None:
    """More writers than there are threads for reading; none of them is waited for."""
    made = [
        browser.post("/api/tables", json={"game": "neoville", "seats": HERE}).json()["table"]
        for _ in range(2)
    ]
    seen = browser.get(f"/api/tables/{made[0]}?seat=0").json()
    content = {"seq": 0, "seat": 0, "kind": "move", "move": seen["choices"][0]["move"]}

    def write(nth: int) -> tuple[int, str | None, str]:
        posted = content | {"id": f"move-number-{nth}"}
        answer = browser.post(f"/api/tables/{made[0]}/events", json=posted)
        return answer.status_code, answer.headers.get("retry-after"), answer.json()["error"]

    with locked(app.state.services.store), ThreadPoolExecutor(60) as pool:
        writes = [pool.submit(write, nth) for nth in range(60)]
        for path in ("/", f"/api/tables/{made[1]}", "/static/style.css", "/api/games"):
            assert browser.get(path).status_code == 200
        refused = {one.result() for one in writes}
    assert {(status, after) for status, after, _ in refused} == {(503, "2")}
    assert all("try again" in sentence for *_, sentence in refused)
    answer = browser.post(f"/api/tables/{made[0]}/events", json=content | {"id": "move-number-7"})
    assert answer.json()["seq"] == 1


def test_writers_have_threads_of_their_own(app: FastAPI, browser: TestClient) -> None:
    """With every writer's thread taken a write is refused, and a read answered."""
    services = app.state.services
    go_on = threading.Event()
    for _ in range(99):
        services.writers._threads.submit(go_on.wait)
    try:
        with impatient(services.store):
            answer = browser.post("/api/tables", json={"game": "neoville", "seats": HERE})
        assert (answer.status_code, browser.get("/").status_code) == (503, 200)
    finally:
        go_on.set()
    assert services.store.open_tables() == []  # what was refused is not done later


class Begun:
    """In the place of threads: what is to be written has begun, and ends when it is let go."""

    def __init__(self) -> None:
        self.writing: Future[int] = Future()
        self.writing.set_running_or_notify_cancel()

    def submit(self, *_: Any) -> "Future[int]":
        return self.writing


def test_a_write_that_has_begun_is_waited_for(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    writers, begun = Writers(tables.store), Begun()
    monkeypatch.setattr(writers, "_threads", begun)

    async def write() -> int:
        with impatient(tables.store):
            answer = asyncio.create_task(writers.run(lambda: 7))
            await asyncio.sleep(3 * SOON)
            assert not answer.done()
        begun.writing.set_result(8)
        return await answer

    assert asyncio.run(write()) == 8


FAULTS = {
    "a full disk": "database or disk is full",
    "a database that is read-only": "attempt to write a readonly database",
    "a lost connection": "server closed the connection unexpectedly",
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_whatever_fails_in_the_database_can_be_tried_again(
    app: FastAPI, browser: TestClient, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    store = app.state.services.store

    def fail(*_: Any) -> None:
        raise OperationalError("INSERT", {}, sqlite3.OperationalError(fault))

    monkeypatch.setattr(store, "_writer", Broken(fail))
    answer = browser.post("/api/tables", json={"game": "neoville", "seats": HERE})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert "\n" not in answer.json()["error"]
    assert "try again" in answer.json()["error"]
    page = browser.post("/delete/nowhere", headers={"accept-language": "de"})
    assert page.status_code == 404
    assert browser.get("/").status_code == 200
    monkeypatch.setattr(store, "_engine", Broken(fail))
    page = browser.get("/", headers={"accept-language": "de"})
    assert (page.status_code, page.headers["refresh"]) == (503, "2")
    assert "versuch es gleich noch einmal" in page.text
    assert browser.get("/api/tables").status_code == 503


class Broken:
    """In the place of an engine: whatever is asked of it fails."""

    def __init__(self, fail: Any) -> None:
        self.begin = self.connect = fail

    def dispose(self) -> None:
        """Nothing to let go."""


# --- readiness


def test_readiness_tries_a_write(app: FastAPI, browser: TestClient) -> None:
    assert (browser.get("/healthz").status_code, browser.get("/healthz").text) == (200, "ok")
    app.state.services.readiness._next = 0.0
    with locked(app.state.services.store):
        answer = browser.get("/healthz")
        assert isinstance(app.state.services.readiness._trial.exception(), Unavailable)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert "try again" in answer.text
    assert browser.get("/healthz").status_code == 503  # That holds for a while.
    app.state.services.readiness._next = 0.0
    assert browser.get("/healthz").text == "ok"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_many_who_ask_cause_few_writes(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, tried = Clock(), []
    monkeypatch.setattr(tables.store, "try_to_write", lambda: tried.append(clock()))
    readiness = Readiness(tables.store, 5, clock)

    async def ask() -> list[object]:
        return await asyncio.gather(*(readiness.problem() for _ in range(20)))

    for clock.now in (0.0, 4.9, 5.0, 9.0):
        assert asyncio.run(ask()) == [None] * 20
    assert tried == [0.0, 5.0]


def test_a_write_that_hangs_is_not_waited_for(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(tables.store, "try_to_write", go_on.wait)
    readiness = Readiness(tables.store)
    with impatient(tables.store):
        for _ in range(2):  # nor is it tried again beside it
            assert isinstance(asyncio.run(readiness.problem()), Unavailable)
    go_on.set()
    trial = readiness._trial
    assert trial is not None
    trial.result()
    assert asyncio.run(readiness.problem()) is None


# --- the tests above, tested: each one fails when its guard is taken away


def test_without_their_threads_a_write_keeps_readers_waiting(
    app: FastAPI, browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Writers, "run", lambda _, write: asyncio.to_thread(write))
    with pytest.raises(AssertionError):
        test_writers_have_threads_of_their_own(app, browser)


def test_without_taking_it_back_a_move_would_be_half_done(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Match, "pop", lambda match: match.moves[-1])
    with pytest.raises(AssertionError):
        test_a_move_that_cannot_be_written_in_time_is_not_made(tables)


def test_without_a_look_at_the_store_a_lost_answer_would_be_told_wrongly(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_catch_up", lambda _: None)
    monkeypatch.setattr(tables, "_look_again", lambda _: None)
    with pytest.raises(AssertionError):
        test_a_write_whose_answer_was_lost_counts_once(tables, monkeypatch)


def test_without_a_write_readiness_would_say_yes(
    app: FastAPI, browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = app.state.services.store
    monkeypatch.setattr(store, "try_to_write", store.open_tables)
    with pytest.raises(AssertionError):
        test_readiness_tries_a_write(app, browser)
