"""The kernel against the slow referee, which shares no code with it, move by move."""

import random
from typing import Any

import pytest

import storeys
from tests import referee_cloud_city as referee
from tests.variants import enough

BOX = referee.Box(storeys.components("cloud-city"))


def canonical(moves: list[dict[str, Any]]) -> list[str]:
    return sorted(str(sorted(move.items())) for move in moves)


@pytest.mark.parametrize("options", [options for _, options in enough("cloud-city")], ids=str)
def test_random_games(options: dict[str, Any]) -> None:
    rng = random.Random(str(options))
    for _ in range(2):
        match = storeys.new("cloud-city", seed=rng.getrandbits(64), **options)
        while match.to_move is not None:
            before = match.position()
            legal = [move.to_json() for move in match.legal_moves]
            assert canonical(legal) == canonical(referee.legal_moves(before, BOX))
            move = rng.choice(prefer_walkways(legal, rng))
            match.push(move)
            expected = referee.expected_after(before, move, BOX)
            assert referee.agrees(expected, match.position()) == []
            assert referee.box_is_whole(match.position(), BOX) == []
        over = match.position()
        assert [seat["total"] for seat in match.score()] == referee.totals(over, BOX)
        assert match.winners == referee.winners(over, BOX)


def prefer_walkways(legal: list[dict[str, Any]], rng: random.Random) -> list[dict[str, Any]]:
    """Cities with many walkways meet more rules than random ones."""
    walkways = [move for move in legal if move["kind"] == "walkway"]
    return walkways if walkways and rng.random() < 0.8 else legal
