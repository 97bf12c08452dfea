"""A match at rest takes little memory, and is the same match in every other way."""

import pickle
import random

import pytest

import storeys
from storeys.match import Match

SMALL = 60_000
"""Bytes; what a match has to be in memory is less than twice its pickle."""


def played(name: str, seed: int, rests: bool) -> Match:
    """A whole match at random, with moves taken back; at rest now and then, or never."""
    match, rng = storeys.new(name, seed=seed), random.Random(seed)
    while match.to_move is not None:
        match.push(rng.choice(match.legal_moves))
        if rests and rng.random() < 0.3:
            match.rest()
        if not rests:
            rng.random()
        if rng.random() < 0.1:
            for _ in range(min(match.moves_made, rng.randrange(5))):
                match.pop()
    return match


@pytest.mark.parametrize("name", storeys.game_names())
def test_a_match_that_rested_is_the_same(name: str) -> None:
    """Interpreted and compiled alike: nothing of the rules is asked again."""
    match, rested = (played(name, 3, rests) for rests in (False, True))
    rested.rest()
    assert len(pickle.dumps(rested)) < SMALL
    assert rested.record() == match.record()
    assert rested.movers == match.movers
    assert rested.state().tobytes() == match.state().tobytes()
    for twin in (rested.clone(), pickle.loads(pickle.dumps(rested)), rested.at(rested.moves_made)):
        assert twin.moves == match.moves
        assert twin.movers == match.movers
    for ply in range(0, match.moves_made, 7):
        then, same = match.at(ply), rested.at(ply)
        assert same.state().tobytes() == then.state().tobytes()
        assert same.moves == then.moves
        assert [same.can_take_back(seat) for seat in range(same.players)] == [
            then.can_take_back(seat) for seat in range(then.players)
        ]
    while match.moves_made:
        assert rested.pop() == match.pop()
        assert rested.state().tobytes() == match.state().tobytes()
    assert rested.movers == rested.moves == []
