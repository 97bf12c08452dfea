"""Reading: nobody waits for a writer, nothing is shown before it is written, and what is shared
between viewers is made once and shown to nobody else."""

import gzip
import io
import json
import random
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from storeys.kernel.drawing.scene import Area
from storeys.kernel.gaining import Preview
from storeys.match import Match
from storeys.web import states, workers
from storeys.web.app import create_app
from storeys.web.keeping import Keeper
from storeys.web.pieces import Piece, gzipped, plain
from storeys.web.states import AreaCache, Browser, Shape
from storeys.web.store import Store
from storeys.web.table import Snapshot, Table, snapshot_of

SEATS = [{"kind": "me"}, {"kind": "friend"}]
AWHILE = 60.0
"""Seconds after which a test gives up: nothing here takes them unless it is broken."""


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FastAPI]:
    monkeypatch.setattr(workers.Workers, "start", lambda *_: None)
    made = create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=1, pace=0)
    with TestClient(made):
        yield made


class Pair:
    """A table of two, and a spectator."""

    def __init__(self, app: FastAPI, game: str = "cloud-city") -> None:
        self.services = app.state.services
        self.host, self.guest, self.spectator = (TestClient(app) for _ in range(3))
        made = self.host.post("/api/tables", json={"game": game, "seats": SEATS}).json()
        self.id = made["table"]
        self.guest.post(f"/api{made['links'][0]['url']}", json={})

    def ask(self, browser: TestClient, query: str = "") -> dict[str, Any]:
        return dict(browser.get(f"/api/tables/{self.id}{query}").json())

    @property
    def mover(self) -> TestClient:
        """The browser whose turn it is."""
        return (self.host, self.guest)[self.ask(self.spectator)["to_move"]]

    def move(self) -> Any:
        """Let whoever's turn it is make the first legal move."""
        mover = self.mover
        state = self.ask(mover)
        event = {"seq": state["seq"], "id": f"my-move-{state['seq']}", "seat": state["viewer"]}
        event |= {"kind": "move", "move": state["choices"][0]["move"]}
        return mover.post(f"/api/tables/{self.id}/events", json=event)


# --- readers and a writer


class Slow:
    """A store in which writing takes until the test lets it go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.writing, self.go_on = threading.Event(), threading.Event()
        append = Store.append

        def wait_and_append(*arguments: Any, **named: Any) -> Any:
            self.writing.set()
            assert self.go_on.wait(AWHILE)
            return append(*arguments, **named)

        monkeypatch.setattr(Store, "append", wait_and_append)


def views_exported(browser: TestClient) -> list[Any]:
    """Each view among all matches of somebody."""
    with zipfile.ZipFile(io.BytesIO(browser.get("/api/identity/export").content)) as archive:
        views = [name for name in archive.namelist() if name.startswith("views/")]
        return [json.loads(archive.read(name)) for name in views]


def look_while_a_move_is_written(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that can be read is, and shows what was written; then comes the move."""
    pair = Pair(app)
    browsers = (pair.host, pair.guest, pair.spectator)
    before = [pair.ask(browser) for browser in browsers]
    views = views_exported(pair.mover)
    slow = Slow(monkeypatch)
    here = f"/api/tables/{pair.id}"
    others = [f"{here}/view", f"{here}?view=skyline", f"{here}?ply=0", "/api/tables", "/"]
    with ThreadPoolExecutor(1) as pool:
        moving = pool.submit(pair.move)
        try:
            assert slow.writing.wait(AWHILE)
            assert [pair.ask(browser) for browser in browsers] == before, "shown before written"
            assert views_exported(pair.mover) == views, "exported before written"
            for address in [*others, f"/t/{pair.id}", f"{here}/picture.png"]:
                assert pair.host.get(address).status_code == 200
        finally:
            slow.go_on.set()
        assert moving.result(AWHILE).status_code == 200
    assert [pair.ask(browser)["last_ply"] for browser in browsers] == [1, 1, 1]


def test_readers_go_on_while_a_move_is_written(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_while_a_move_is_written(app, monkeypatch)


def read_under_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(self: Table) -> Snapshot:
        assert self.lock.acquire(blocking=False), "a reader waits for a writer"
        self.lock.release()
        return snapshot_of(self)

    monkeypatch.setattr(Table, "snapshot", property(locked, lambda *_: None), raising=False)


def show_what_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "snapshot", property(snapshot_of, lambda *_: None), raising=False)


@pytest.mark.parametrize(
    ("remove_guard", "why"),
    [
        (read_under_the_lock, "a reader waits for a writer"),
        (show_what_is_not_written, "shown before written"),
    ],
)
def test_a_reader_that_waits_or_sees_too_much_is_found(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, remove_guard: Any, why: str
) -> None:
    remove_guard(monkeypatch)
    with pytest.raises(AssertionError, match=why):
        look_while_a_move_is_written(app, monkeypatch)


def test_a_move_that_cannot_be_written_is_never_shown(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = Pair(app)
    before = pair.ask(pair.host)

    def fail(*_: Any, **__: Any) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "append", fail)
        with pytest.raises(OSError, match="full"):
            pair.move()
    assert pair.ask(pair.host) == before
    assert pair.move().status_code == 200


# --- what is shared between viewers


def everything_asked(pair: Pair) -> dict[tuple[int, str], Any]:
    """What each browser is sent for each question; all ask, one after the other."""
    questions = ["", "?view=skyline", "?theme=dark&lang=de", "?ply=1", "?seat=0", "?seat=1"]
    browsers = (pair.host, pair.guest, pair.spectator)
    return {
        (nth, question): pair.ask(browser, question)
        for question in questions
        for nth, browser in enumerate(browsers)
    }


def played(app: FastAPI) -> Pair:
    pair = Pair(app)
    for _ in range(5):
        pair.move()
    pair.services.areas = AreaCache()
    return pair


def check_sharing_changes_nothing(pair: Pair) -> None:
    """A browser is sent the same after others have asked as if nobody had."""
    alone = {}
    shared = everything_asked(pair)
    for (nth, question), answer in shared.items():
        pair.services.areas = AreaCache()
        browser = (pair.host, pair.guest, pair.spectator)[nth]
        alone[nth, question] = pair.ask(browser, question)
        assert answer == alone[nth, question], f"browser {nth} is sent another's {question}"


def test_what_is_shared_is_what_each_would_be_sent_alone(app: FastAPI) -> None:
    check_sharing_changes_nothing(played(app))


def share_with_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Browser, "__hash__", lambda _: 0)
    monkeypatch.setattr(Browser, "__eq__", lambda *_: True)


def share_between_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Browser, "__hash__", lambda _: 0)
    monkeypatch.setattr(
        Browser,
        "__eq__",
        lambda one, two: len(one.mine) == len(two.mine) and one.curtain == two.curtain,
    )


@pytest.mark.parametrize("remove_guard", [share_with_everybody, share_between_seats])
def test_what_is_shared_too_widely_is_found(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, remove_guard: Any
) -> None:
    pair = played(app)
    remove_guard(monkeypatch)
    with pytest.raises(AssertionError, match="is sent another's"):
        check_sharing_changes_nothing(pair)


def test_a_changed_area_is_drawn_once_for_all_who_see_the_same(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    draw = states._drawn

    def draw_and_note(area: Area) -> Shape:
        drawn.append(area.name)
        return draw(area)

    monkeypatch.setattr(states, "_drawn", draw_and_note)
    pair = Pair(app)
    everybody = (pair.spectator, pair.guest, pair.host, TestClient(app))
    for browser in everybody:
        pair.ask(browser)
    drawn.clear()
    pair.move()
    for browser in everybody:
        pair.ask(browser)
    # Its owner sees where tiles can be placed: it is drawn for that seat, and for all others.
    assert [name for name in drawn if name.startswith("city-")] == ["city-0"] * 2


def test_choices_and_gains_are_worked_out_once(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    prospects = Match.prospects

    def count_and_try(match: Match) -> list[tuple[int, Preview | None]]:
        counted.append(match.moves_made)
        return prospects(match)

    monkeypatch.setattr(Match, "prospects", count_and_try)
    pair = Pair(app)
    for query in ("", "?view=skyline", "?theme=dark", ""):
        pair.ask(pair.host, query)
        pair.ask(pair.guest, query)
    assert len(counted) == 1


# --- keeping


def test_a_keeper_keeps_what_was_used_last_and_no_more() -> None:
    keeper = Keeper[int](most=3, weigh=lambda _: 1)

    def get_many(first: int) -> None:
        for nth in range(first, first + 300):
            assert keeper.get(nth % 7, partial(int, nth % 7)) == nth % 7

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(get_many, range(8)))
    assert len(keeper) == keeper.weight == 3


def test_what_is_too_heavy_is_made_and_not_kept() -> None:
    keeper = Keeper[str](most=3, weigh=len)
    assert keeper.get(1, lambda: "abc") == "abc"
    assert keeper.get(2, lambda: "abcd") == "abcd"
    assert (len(keeper), keeper.weight) == (1, 3)


def made_by_two(keeper: Keeper[object]) -> list[object]:
    """What two threads get that ask at the same time for what has to be made."""
    asked, go_on = threading.Semaphore(0), threading.Event()

    def make() -> object:
        asked.release()
        assert go_on.wait(AWHILE)
        return object()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(keeper.get, 1, make)
        assert asked.acquire(timeout=AWHILE)
        second = pool.submit(keeper.get, 1, make)
        while not second.running():
            pass
        go_on.set()
        return [first.result(AWHILE), second.result(AWHILE)]


def test_two_who_ask_at_the_same_time_get_the_same() -> None:
    one, two = made_by_two(Keeper[object](most=3, weigh=lambda _: 1))
    assert one is two


def test_what_cannot_be_made_is_tried_again_by_the_next() -> None:
    keeper = Keeper[int](most=3, weigh=lambda _: 1)
    with pytest.raises(ZeroDivisionError):
        keeper.get(1, lambda: 1 // 0)
    assert keeper.get(1, lambda: 2) == 2


# --- pieces


def test_pieces_are_joined_to_one_gzip_file() -> None:
    rng = random.Random(1)
    for _ in range(50):
        texts = [rng.randbytes(rng.choice([0, 1, 199, 200, 5000])).hex().encode() for _ in range(9)]
        pieces = [Piece(text) for text in texts]
        assert gzip.decompress(gzipped(pieces)) == plain(pieces) == b"".join(texts)


def test_compressed_or_not_a_state_is_the_same(app: FastAPI) -> None:
    pair = Pair(app)
    answers = [
        pair.host.get(f"/api/tables/{pair.id}", headers={"accept-encoding": how})
        for how in ("gzip", "identity")
    ]
    assert [one.headers.get("content-encoding") for one in answers] == ["gzip", None]
    assert all(one.headers["vary"] == "Accept-Encoding" for one in answers)
    assert answers[0].json() == answers[1].json()
    assert int(answers[0].headers["content-length"]) < len(answers[1].content) / 3


# --- nothing new


def test_who_has_seen_it_is_told_so_without_drawing(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = Pair(app)
    here = f"/api/tables/{pair.id}"
    tag = pair.host.get(here).headers["etag"]
    pair.services.areas = AreaCache()
    with monkeypatch.context() as patched:
        patched.setattr(states, "_frame", None)  # Whoever draws, falls.
        again = pair.host.get(here, headers={"if-none-match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)


def test_what_differs_is_never_taken_for_seen(app: FastAPI) -> None:
    """By a move, another question, or another browser; and back again it is the same."""
    pair = Pair(app)
    here, seen = f"/api/tables/{pair.id}", set[str]()
    for _ in range(2):
        for browser in (pair.host, pair.guest, pair.spectator):
            for question in ("", "?view=skyline", "?turn=1", "?theme=dark", "?lang=de", "?ply=0"):
                answer = browser.get(here + question, headers={"if-none-match": ", ".join(seen)})
                assert answer.status_code == 200
                seen.add(answer.headers["etag"])
        pair.move()
    assert len(seen) == 36


def test_a_tag_is_the_same_after_a_restart(app: FastAPI) -> None:
    pair = Pair(app)
    here = f"/api/tables/{pair.id}"
    tag = pair.host.get(here).headers["etag"]
    pair.services.tables._forget(pair.id)
    assert pair.host.get(here, headers={"if-none-match": tag}).status_code == 304
