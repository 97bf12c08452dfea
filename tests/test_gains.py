"""What pages show beside a move is what pushing it adds, in every game and with every option."""

import random
from typing import Any

import pytest

import storeys
from storeys.games.neoville.gains import Gains
from storeys.kernel.gaining import Trials
from storeys.match import Match
from tests.variants import ENOUGH

EVERY = 9
"""In every so manieth position all moves are made as well, which takes its time."""


def pushed(match: Match) -> list[int]:
    """What each legal move adds to the total of its seat, found by making it."""
    seat, found = match.to_move, []
    assert seat is not None
    for move in match.legal_moves:
        trial = match.clone()
        trial.push(move)
        hidden = move.kind in match.game.final_moves
        found.append(0 if hidden else trial.totals[seat] - match.totals[seat])
    return found


@pytest.mark.parametrize(("name", "options"), ENOUGH, ids=str)
def test_a_gain_is_what_pushing_adds(name: str, options: dict[str, Any]) -> None:
    match, rng = storeys.new(name, seed=1, **options), random.Random(1)
    while match.to_move is not None:
        gains = match.gains()
        if match.moves_made % EVERY == 0:
            assert gains == pushed(match), match.record()["moves"]
        # Who takes the best half of the time builds what a random player would never finish.
        best = max(gains)
        good = [move for move, gain in zip(match.legal_moves, gains, strict=True) if gain == best]
        match.push(rng.choice(good if rng.random() < 0.5 else match.legal_moves))
    assert match.gains() == []


def check_told(name: str, options: dict[str, Any], seed: int) -> int:
    """Compare what games say sooner with what trying says, in every position; how often."""
    match, rng, compared = storeys.new(name, seed=seed, **options), random.Random(seed), 0
    while match.to_move is not None:
        game, legal, gains = match.game, match.legal_moves, match.gains()
        trials = Trials(match.state(), match.setup.components.tables, game.seat_points)
        told = game.gains(trials.before, trials.table)
        for move, action, gain in zip(legal, legal.actions, gains, strict=True):
            if move.kind in told:
                assert gain == trials.gain_of(trials.after(action)), (match, move)
                compared += 1
        good = [move for move, gain in zip(legal, gains, strict=True) if gain == max(gains)]
        match.push(rng.choice(good if rng.random() < 0.5 else legal))
    return compared


TOLD = [
    ("neoville", {"players": players, "utilities": utilities}, seed)
    for seed, (players, utilities) in enumerate(
        [(1, ["bus", "biosphere"]), (2, ["bus", "windmill"]), (4, ["windmill", "biosphere"])]
    )
]


@pytest.mark.parametrize(("name", "options", "seed"), TOLD, ids=str)
def test_what_a_game_says_sooner_is_what_trying_says(
    name: str, options: dict[str, Any], seed: int
) -> None:
    assert check_told(name, options, seed) > 500


@pytest.mark.parametrize(
    "part", ["_by_joining", "_by_windmills", "_by_buses", "_by_grounds", "_alone"]
)
def test_a_part_that_is_not_counted_is_found(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Gains, part, lambda *_: 0)
    with pytest.raises(AssertionError):
        assert all(check_told(*told) for told in TOLD)
