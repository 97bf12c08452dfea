"""The kernel against the slow referee, which shares no code with it, move by move."""

import random
from typing import Any

import pytest

import storeys
from tests import referee_neoville as referee
from tests.variants import enough

BOX = referee.Box(storeys.components("neoville"))


def canonical(moves: list[dict[str, Any]]) -> list[str]:
    return sorted(str(sorted(move.items())) for move in moves)


@pytest.mark.parametrize("options", [options for _, options in enough("neoville")], ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_random_games(options: dict[str, Any], seed: int) -> None:
    rng = random.Random(f"{options} {seed}")
    match = storeys.new("neoville", seed=rng.getrandbits(64), **options)
    while match.to_move is not None:
        before = match.position()
        legal = [move.to_json() for move in match.legal_moves]
        assert canonical(legal) == canonical(referee.legal_moves(before, BOX))
        move = rng.choice(prefer_skyscrapers(legal, rng))
        match.push(move)
        expected = referee.expected_after(before, move, BOX)
        assert referee.agrees(expected, match.position()) == []
        assert referee.box_is_whole(match.position(), BOX) == []
        check_parts(match)
    assert match.winners == referee.winners(match.position(), BOX)


def prefer_skyscrapers(legal: list[dict[str, Any]], rng: random.Random) -> list[dict[str, Any]]:
    """Cities with many skyscrapers meet the rule of joined districts more often."""
    skyscrapers = [move for move in legal if move["kind"] == "skyscraper"]
    return skyscrapers if skyscrapers and rng.random() < 0.8 else legal


def check_parts(match: storeys.Match) -> None:
    """What a score explains is what the referee counts, rule by rule."""
    position = match.position()
    for seat, score in enumerate(match.score()):
        found = dict.fromkeys(("N-17", "N-19", "N-20", "N-21", "N-22"), 0)
        for part in (part for part in score["parts"] if part["rule"] != "N-23"):
            found[part["rule"].replace("N-18", "N-17")] += part["points"]
        assert found == referee.parts(position, seat, BOX)
        assert sum(found.values()) == score["total"]
