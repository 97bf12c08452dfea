"""The kernel against the slow referee, which shares no code with it, move by move."""

import random
from typing import Any

import pytest

import storeys
from tests import referee_manhattan as referee
from tests.test_manhattan_rules import jammed

VARIANTS: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 2, "tiebreak": "towers"},
    {"players": 3},
    {"players": 3, "rounds": "4x6", "tiebreak": "towers"},
    {"players": 4},
    {"players": 4, "tiebreak": "towers"},
]
CARDS, BLOCKS = [5] * 9, [11, 6, 4, 3]


def canonical(moves: list[dict[str, Any]]) -> list[str]:
    return sorted(str(sorted(move.items())) for move in moves)


def follow(match: storeys.Match, rng: random.Random) -> None:
    """Play to the end; before and after every move the referee must agree."""
    while match.to_move is not None:
        before = match.position()
        legal = [move.to_json() for move in match.legal_moves]
        assert canonical(legal) == canonical(referee.legal_moves(before))
        move = rng.choice(legal)
        match.push(move)
        assert referee.agrees(referee.expected_after(before, move), match.position()) == []
        assert referee.box_is_whole(match.position(), CARDS, BLOCKS) == []
    over = match.position()
    assert referee.legal_moves(over) == []
    assert [seat["total"] for seat in match.score()] == referee.final_totals(over)
    assert match.winners == referee.winners(over)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_random_games(options: dict[str, Any]) -> None:
    rng = random.Random(str(options))
    for _ in range(8):
        follow(storeys.new("manhattan", seed=rng.getrandbits(64), **options), rng)


@pytest.mark.parametrize("redrawn", [False, True])
def test_games_from_a_jammed_board(redrawn: bool) -> None:
    rng = random.Random(redrawn)
    for seed in range(10):
        follow(storeys.from_position(jammed(redrawn=redrawn), seed=seed), rng)
