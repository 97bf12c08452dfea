"""What pages show beside a move is what pushing it adds, in every game and with every option."""

import random
from typing import Any

import pytest

import storeys
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
