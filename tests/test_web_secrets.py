"""Nothing hidden leaves the server: whatever a browser is sent stays the same when what it cannot
know is dealt afresh."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

import storeys
from storeys.kernel import chance, entry_points
from storeys.match import Match
from storeys.web import states, workers
from storeys.web.app import create_app
from storeys.web.handlers import play_for_bot
from storeys.web.table import Seated, Table
from tests.proofs import mostly_long

GAMES = storeys.game_names()
MOVES = {"manhattan": 9, "cloud-city": 10, "neoville": 10}
"""How many moves are made before the browsers look: all hands have changed by then."""


class Party:
    """A table of three: the host with a seat, a guest with another, a bot, and a spectator."""

    def __init__(self, app: FastAPI, game: str) -> None:
        self.services = app.state.services
        self.host, self.guest, self.spectator = (TestClient(app) for _ in range(3))
        seats = [{"kind": "me"}, {"kind": "friend"}, {"kind": "friend"}]
        made = self.host.post("/api/tables", json={"game": game, "seats": seats}).json()
        self.id, links = made["table"], made["links"]
        self.guest.post(f"/api{links[0]['url']}", json={})
        TestClient(app).post(f"/api{links[1]['url']}", json={})
        self.table: Table = self.services.tables.get(self.id)
        for nth in range(MOVES.get(game, 9)):
            legal = self.table.match.legal_moves
            seat = self.table.match.to_move
            assert seat is not None
            play_for_bot(
                self.services.tables, self.id, self.table.seq, seat, str(legal[nth % len(legal)])
            )

    @property
    def browsers(self) -> list[tuple[TestClient, int]]:
        """Every browser with the seat through which it looks, -1 for none."""
        return [(self.host, 0), (self.guest, 1), (self.spectator, -1)]

    def sit_in(self, match: Match) -> None:
        """Let everybody sit in another world."""
        self.services.tables._keep_at_hand(replace(self.table, match=match))


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FastAPI]:
    for method in ("start", "consider"):  # No bot moves while others look.
        monkeypatch.setattr(workers.Workers, method, lambda *_: None)
    made = create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=1, pace=0)
    with TestClient(made):
        yield made


def redealt(match: Match, seat: int, rng: Any) -> Match:
    """Another world that a seat cannot tell from this one, now and at every move before."""
    twin = match.clone()
    deal_afresh(twin, match, seat, rng)
    twin._packed, twin._before = [], []
    for ply in range(match.moves_made):
        past = match.at(ply)
        deal_afresh(past, match.at(ply), seat, rng)
        twin._before.append(past._bytes.tobytes())
    return twin


def deal_afresh(match: Match, true: Match, seat: int, rng: Any) -> None:
    entry_points.redeal(match._state, match._tables, seat, rng)
    for field in ("counter", "word_at"):  # How often chance was asked is no secret.
        match._state[0][field] = true._state[0][field]


def addresses(party: Party) -> list[str]:
    """Everything that a browser can ask for, whether it is refused or not."""
    here = f"/api/tables/{party.id}"
    looks = [f"view={view}&theme={theme}" for view in ("plan", "skyline")
             for theme in ("light", "dark", "colour-blind")]  # fmt: skip
    looks += [f"lang={lang}" for lang in ("de", "nl")]
    looks += [f"ply={ply}" for ply in (0, 3, party.table.match.moves_made - 1)]
    looks += ["part=0.0", "seat=0", "seat=1", "seat=2"]
    found = [f"{here}?{look}" for look in looks]
    found += [f"{here}/view", *(f"{here}/view?seat={seat}" for seat in range(3))]
    found += [f"{here}/picture.png?view={view}" for view in ("plan", "skyline")]
    return [*found, f"{here}/record", f"/t/{party.id}", "/api/tables", "/"]


def check_nothing_hidden_leaves(app: FastAPI, game: str) -> None:
    """Each browser is sent the same in every world that it cannot tell from the true one."""
    party = Party(app, game)
    true, rng = party.table.match, chance.generator(5)
    for browser, seat in party.browsers:
        other = redealt(true, seat, rng)
        assert other.position()["hands"] != true.position()["hands"], "nothing was hidden"
        for address in addresses(party):
            party.sit_in(true)
            here = browser.get(address).content
            party.sit_in(other)
            there = browser.get(address).content
            same = (
                here == there
            )  # Not in the assertion: pytest would compare line by line for long.
            assert same, f"{address} tells seat {seat} what it cannot know"
            assert str(true.seed).encode() not in here, f"{address} tells the seed"


def check_bots_are_asked_with_views(app: FastAPI, game: str) -> None:
    """What a bot is given stays the same in every world that its seat cannot tell apart."""
    party = Party(app, game)
    seat = party.table.match.to_move
    assert seat is not None
    party.table.seats[seat] = replace(party.table.seats[seat], kind="bot", bot="novice")
    party.sit_in(party.table.match)
    asked = app.state.services.workers._turn_at(party.id)
    party.sit_in(redealt(party.table.match, seat, chance.generator(5)))
    again = app.state.services.workers._turn_at(party.id)
    assert asked is not None
    assert asked == again
    assert (asked.view["seed"], asked.view["seat"]) == (None, seat)


@pytest.mark.parametrize("game", mostly_long("neoville"))
def test_nothing_hidden_leaves_the_server(app: FastAPI, game: str) -> None:
    check_nothing_hidden_leaves(app, game)


@pytest.mark.parametrize("game", GAMES)
def test_bots_are_asked_with_views(app: FastAPI, game: str) -> None:
    check_bots_are_asked_with_views(app, game)


# --- the checks must be able to fail


def blind_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_points, "blind", lambda *_: None)


def show_everybody_the_seat_to_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "_viewer", lambda table, *_: (table.match.to_move, False))


def let_everybody_own_all_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Seated, "seats_of", lambda self, _: list(range(self.match.players)))


def call_every_match_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Seated, "status", property(lambda _: "over"))


def draw_for_the_seat_to_move(monkeypatch: pytest.MonkeyPatch) -> None:
    svg = Match.svg
    monkeypatch.setattr(Match, "svg", lambda self, seat, **how: svg(self, self.to_move, **how))


def keep_the_seed_in_views(monkeypatch: pytest.MonkeyPatch) -> None:
    view = Match.view
    monkeypatch.setattr(Match, "view", lambda self, *of: view(self, *of) | {"seed": str(self.seed)})


@pytest.mark.parametrize(
    ("remove_guard", "leak", "game"),
    [
        *((blind_nothing, "what it cannot know", game) for game in GAMES),
        (show_everybody_the_seat_to_move, "what it cannot know", GAMES[0]),
        (let_everybody_own_all_seats, "what it cannot know", GAMES[1]),
        (call_every_match_over, "record tells the seed", GAMES[2]),
        (draw_for_the_seat_to_move, "picture.png.* what it cannot know", GAMES[0]),
        (keep_the_seed_in_views, "view.* tells the seed", GAMES[1]),
    ],
)
def test_what_leaks_without_a_guard_is_found(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, remove_guard: Any, leak: str, game: str
) -> None:
    remove_guard(monkeypatch)
    with pytest.raises(AssertionError, match=leak):
        check_nothing_hidden_leaves(app, game)


@pytest.mark.parametrize("remove_guard", [blind_nothing, keep_the_seed_in_views])
def test_a_bot_that_is_told_more_is_found(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, remove_guard: Any
) -> None:
    remove_guard(monkeypatch)
    with pytest.raises(AssertionError):
        check_bots_are_asked_with_views(app, GAMES[0])
