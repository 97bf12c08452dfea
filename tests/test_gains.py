"""What pages show beside a move is what pushing it adds, in every variant of every game."""

import random

import pytest

import storeys
from storeys.match import Match
from storeys.registry import get_game

VARIANTS = [
    (name, nth) for name in storeys.game_names() for nth in range(len(get_game(name).variants()))
]
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


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_a_gain_is_what_pushing_adds(name: str, variant: int) -> None:
    match = storeys.new(name, seed=variant, **get_game(name).variants()[variant])
    rng = random.Random(variant)
    while match.to_move is not None:
        gains = match.gains()
        if match.moves_made % EVERY == variant % EVERY:
            assert gains == pushed(match), match.record()["moves"]
        # Who takes the best half of the time builds what a random player would never finish.
        best = max(gains)
        good = [move for move, gain in zip(match.legal_moves, gains, strict=True) if gain == best]
        match.push(rng.choice(good if rng.random() < 0.5 else match.legal_moves))
    assert match.gains() == []
