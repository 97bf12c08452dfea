"""What is worked out once and shown to many is what each of them would have been shown."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

import storeys
from storeys.match import Match
from tests.variants import ENOUGH

EVERY = 7
"""In every so manieth position it is looked at."""


def positions(name: str, options: dict[str, Any], seed: int = 5) -> Iterator[Match]:
    match, rng = storeys.new(name, seed=seed, **options), random.Random(seed)
    while match.to_move is not None:
        yield match
        match.push(rng.choice(match.legal_moves))
    yield match


def check_views(name: str, options: dict[str, Any]) -> None:
    for match in positions(name, options):
        if match.moves_made % EVERY == 0:
            public = match.view(None)
            for seat in range(match.players):
                assert match.view(seat, public) == match.view(seat), match.moves_made
            assert match.view(None) == public, "looking has changed it"


@pytest.mark.parametrize(("name", "options"), ENOUGH, ids=str)
def test_a_view_made_of_what_all_see_is_the_view(name: str, options: dict[str, Any]) -> None:
    check_views(name, options)


@pytest.mark.parametrize("name", storeys.game_names())
def test_a_game_that_leaves_its_hands_out_is_found(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = type(storeys.new(name, players=2).game)
    monkeypatch.setattr(game, "part_to_know", lambda *_: {})
    with pytest.raises(AssertionError):
        check_views(name, {"players": 2})


def check_scores(name: str, options: dict[str, Any]) -> int:
    """How often a score was known before, by its key."""
    known: dict[Any, Any] = {}
    again = 0
    for match in positions(name, options):
        for seat in range(match.players):
            key = match.score_key(seat)
            if key is not None:
                score = match.score_of(seat)
                again += (seat, key) in known
                assert known.setdefault((seat, key), score) == score, match.moves_made
    return again


@pytest.mark.parametrize(("name", "options"), ENOUGH, ids=str)
def test_where_the_key_of_a_score_is_the_same_the_score_is(
    name: str, options: dict[str, Any]
) -> None:
    check_scores(name, options)


@pytest.mark.parametrize("name", storeys.game_names())
def test_most_moves_leave_most_scores_as_they_are(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = storeys.new(name, players=2, seed=5)
    plain: dict[str, Any] = {"requests": []} if name == "cloud-city" else {}
    assert check_scores(name, {"players": 2} | plain) > match.game.most_moves(match.setup) // 2
    monkeypatch.setattr(type(match.game), "score_key", lambda *_: "always the same")
    with pytest.raises(AssertionError):
        check_scores(name, {"players": 2} | plain)
