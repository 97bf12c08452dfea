"""Leak: all that a seat is sent over whole matches, in two worlds that it cannot tell apart.

Two servers share a database; in the second, whatever the seat cannot know is dealt afresh.  Status,
headers and bytes (compressed as they are sent) must be the same: states, views, pages, pictures and
refusals.  ``tests/test_web_secrets.py`` looks at fewer moments, through more looks.
"""

import copy
import io
import logging
import random
import secrets
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import structlog
from fastapi import FastAPI
from starlette.responses import Response
from starlette.testclient import TestClient

import storeys
from storeys import IllegalMove
from storeys.kernel import chance, entry_points
from storeys.match import Match
from storeys.web import exporting, states, workers
from storeys.web.app import create_app
from storeys.web.handlers import play_for_bot
from tests.proofs import PROOF
from tests.test_web_secrets import Party, redealt

GAMES = storeys.game_names()
SHORT = 13
"""The ply at which the short form looks; the long one looks at all."""
SECONDS_OF_GZIP = slice(4, 8)
"""Where a compressed answer tells the time."""


class Sent(NamedTuple):
    """Everything of an answer."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class Worlds:
    """A party in the true world, and the same in another; its browsers are known in both."""

    def __init__(self, true: FastAPI, other: FastAPI, game: str) -> None:
        self.here = Party(true, game)
        self.there = copy.copy(self.here)
        self.there.services = other.state.services
        self.here.spectator.get("/")  # Who comes for the first time is given a cookie.
        self.clients = [
            (browser, TestClient(other, cookies=dict(browser.cookies)), seat)
            for browser, seat in self.here.browsers
        ]
        self.id = self.here.id

    @property
    def match(self) -> Match:
        """The match as it is."""
        return self.here.table.match


@pytest.fixture
def apps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[FastAPI, FastAPI]]:
    """Two servers on one database, in which no bot moves by itself."""
    for method in ("start", "consider"):
        monkeypatch.setattr(workers.Workers, method, lambda *_: None)
    url = f"sqlite:///{tmp_path / 'web.db'}"
    true, other = (create_app(url, workers=1, pace=0) for _ in range(2))
    # Tens of thousands of requests are not worth a line each.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    try:
        with TestClient(true), TestClient(other):
            yield true, other
    finally:
        structlog.reset_defaults()


def sent(browser: TestClient, method: str, path: str, content: Any = None) -> Sent:
    """What a browser is sent, byte by byte."""
    with browser.stream(method, path, json=content) as answer:
        body = bytearray(b"".join(answer.iter_raw()))
        if answer.headers.get("content-encoding") == "gzip":
            body[SECONDS_OF_GZIP] = bytes(4)
        if answer.headers["content-type"] == "application/zip":
            body = bytearray(unpacked(bytes(body)))
        headers = tuple(sorted((k, v) for k, v in answer.headers.items() if k != "date"))
        return Sent(answer.status_code, headers, bytes(body))


def unpacked(archive: bytes) -> bytes:
    """The files of an archive, without when each was packed."""
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        return repr([(name, files.read(name)) for name in files.namelist()]).encode()


def questions(worlds: Worlds, dice: random.Random, known: str) -> list[str]:
    """What a browser can ask for, at this moment."""
    here, ply = f"/api/tables/{worlds.id}", worlds.match.moves_made
    view = dice.choice(("plan", "skyline"))
    found = [here, f"{here}?view=skyline&theme=dark&lang=de", f"{here}?known={known}"]
    found += [f"{here}?ply={dice.randrange(ply)}", f"{here}?part=0.0&lang=nl"]
    found += [f"{here}?seat={seat}" for seat in range(3)]
    found += [f"{here}/view", *(f"{here}/view?seat={seat}" for seat in range(3))]
    found += [f"{here}/picture.png?view={view}", f"/t/{worlds.id}", f"{here}/record"]
    found += [f"{here}/evening", f"{here}?ply=9999", f"{here}?view=inside"]
    found += ["/", "/matches", "/api/tables", "/api/tables?turn=1", "/api/identity/export"]
    return found


def bad_posts(match: Match, later: list[str], dice: random.Random, seat: int) -> list[Any]:
    """What is refused: moves that are not legal now, moves of others, what comes too late."""
    moves = [move for move in dice.sample(later, 6) if not would_be_taken(match, move)]
    seats = {seat if seat >= 0 else 0, dice.randrange(3)}
    shared = {"id": secrets.token_hex(8), "kind": "move"}
    posts: list[Any] = [
        shared | {"seq": -1, "seat": one, "move": move} for one in seats for move in moves
    ]
    posts += [shared | {"seq": 0, "seat": max(seat, 0), "move": moves[0]}] if moves else []
    return [*posts, {**shared, "seq": -1, "seat": (seat + 1) % 3, "kind": "resign"}]


def would_be_taken(match: Match, move: str) -> bool:
    try:
        match.clone().push(move)
    except IllegalMove:
        return False
    return True


def compare(worlds: Worlds, later: list[str], dice: random.Random) -> int:
    """Ask the same in both worlds; in how many something was hidden."""
    hidden, rng = 0, chance.generator(dice.randrange(1 << 30))
    table = worlds.here.table
    for here, there, seat in worlds.clients:
        other = redealt(worlds.match, seat, rng)
        hidden += other.position() != worlds.match.position()
        worlds.there.table = table
        worlds.there.sit_in(other)
        state = here.get(f"/api/tables/{worlds.id}").json()
        known = ",".join(area["hash"] for area in state["areas"][::2])
        asked: list[tuple[str, str, Any]] = [
            ("GET", address, None) for address in questions(worlds, dice, known)
        ]
        for post in bad_posts(worlds.match, later, dice, seat):
            post["seq"] = table.seq if post["seq"] < 0 else post["seq"]
            asked.append(("POST", f"/api/tables/{worlds.id}/events", post))
        for one in asked:
            same = sent(here, *one) == sent(there, *one)
            assert same, f"{one} tells seat {seat} what it cannot know"
    return hidden


def go_on(worlds: Worlds, dice: random.Random) -> None:
    """The next move, posted by its browser; the answer shows what asking for the state shows."""
    match, table = worlds.match, worlds.here.table
    seat, move = match.to_move, str(dice.choice(match.legal_moves))
    assert seat is not None
    browsers = {seat: browser for browser, seat in worlds.here.browsers if seat >= 0}
    if seat not in browsers:
        play_for_bot(worlds.here.services.tables, worlds.id, table.seq, seat, move)
        return
    post = {"seq": table.seq, "id": secrets.token_hex(8), "seat": seat, "kind": "move"}
    here = f"/api/tables/{worlds.id}"
    told = browsers[seat].post(f"{here}/events", json=post | {"move": move})
    assert told.status_code == 200, told.text
    same = told.json()["state"] == browsers[seat].get(f"{here}?seat={seat}").json()
    assert same, f"the answer to {move} tells seat {seat} more than the state"


def compare_whole_match(apps: tuple[FastAPI, FastAPI], game: str) -> int:
    """Compare all that is sent over a match; how many answers were."""
    worlds, dice, hidden = Worlds(*apps, game), random.Random(f"leak in {game}"), 0
    later = moves_of_a_whole_match(worlds.match, dice)
    while worlds.here.table.status == "playing":
        ply = worlds.match.moves_made
        if PROOF or ply == SHORT:
            hidden += compare(worlds, later, dice)
        if not PROOF and ply == SHORT:
            break
        go_on(worlds, dice)
        worlds.here.table = worlds.here.services.tables.get(worlds.id)
    assert hidden, "nothing was hidden"
    return hidden


def moves_of_a_whole_match(match: Match, dice: random.Random) -> list[str]:
    """Moves with things of all kinds, also those that nobody can know of yet."""
    twin = match.clone()
    while twin.to_move is not None:
        twin.push(dice.choice(twin.legal_moves))
    return sorted({str(move) for move in twin.moves})


@pytest.mark.parametrize("game", GAMES)
def test_nothing_leaks_over_a_whole_match(apps: tuple[FastAPI, FastAPI], game: str) -> None:
    compare_whole_match(apps, game)


# --- the attack must be able to fail


def blind_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_points, "blind", lambda *_: None)


def draw_for_the_seat_to_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the picture to be shared shows too much."""
    svg = Match.svg
    monkeypatch.setattr(Match, "svg", lambda self, seat, **how: svg(self, self.to_move, **how))


def tell_hands_in_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence that says what others hold."""
    push = Match.push

    def push_and_tell(self: Match, move: Any) -> Any:
        try:
            return push(self, move)
        except IllegalMove as error:
            text = f"{error.text('en')} {self.position()['hands']}"
            monkeypatch.setattr(type(error), "text", lambda *_: text)
            raise

    monkeypatch.setattr(Match, "push", push_and_tell)


def tell_hands_by_a_header(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash of the whole state, as a careless ETag would be."""
    last = [0]
    blind, begin = entry_points.blind, Response.init_headers

    def blind_and_note(state: Any, *more: Any) -> None:
        last[0] = hash(state.tobytes())
        blind(state, *more)

    def begin_with_a_tag(self: Response, headers: Any = None) -> None:
        begin(self, {**(headers or {}), "ETag": f'"{last[0]}"'})

    monkeypatch.setattr(entry_points, "blind", blind_and_note)
    monkeypatch.setattr(Response, "init_headers", begin_with_a_tag)


def let_spectators_see_who_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who owns no seat looks through that of the seat to move."""
    viewer = states._viewer

    def other_viewer(table: Any, mine: list[int], seat: int | None) -> tuple[int | None, bool]:
        return viewer(table, mine, seat) if mine else (table.match.to_move, False)

    monkeypatch.setattr(states, "_viewer", other_viewer)


def share_the_view_of_who_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is worked out once for all who look is made of what one seat sees."""
    made = states._common

    def of_a_seat(*given: Any) -> states.Common:
        common = made(*given)
        return replace(common, public=common.board.view(common.board.to_move))

    monkeypatch.setattr(states, "_common", of_a_seat)


def export_every_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is taken home shows too much."""
    monkeypatch.setattr(exporting, "files_of", lambda now, _: {"all.json": now.match.position()})


@pytest.mark.parametrize(
    ("remove_guard", "found"),
    [
        (blind_nothing, "what it cannot know"),
        (draw_for_the_seat_to_move, "picture.png.* what it cannot know"),
        (tell_hands_in_refusals, "events.* what it cannot know"),
        (tell_hands_by_a_header, "GET.* what it cannot know"),
        (let_spectators_see_who_moves, "what it cannot know"),
        (share_the_view_of_who_moves, "what it cannot know"),
        (export_every_hand, "export.* what it cannot know"),
    ],
)
def test_what_leaks_without_a_guard_is_found(
    apps: tuple[FastAPI, FastAPI], monkeypatch: pytest.MonkeyPatch, remove_guard: Any, found: str
) -> None:
    remove_guard(monkeypatch)
    with pytest.raises(AssertionError, match=found):
        compare_whole_match(apps, GAMES[-1])
