"""What a log tells of a move beside the move itself: what it has taken from others."""

import pickle
import random
from typing import Any

import pytest

import storeys
from storeys.match import Match, resumed
from storeys.web.pieces import plain
from storeys.web.written import Words, log
from tests.test_previews import leader

GAMES = [("manhattan", 2), ("manhattan", 4), ("neoville", 2), ("neoville", 3)]
FOR_THE_MOST = 5


def played(game: str, players: int, seed: int = 1) -> Match:
    """A match to its end, by chance."""
    match, rng = storeys.new(game, players=players, seed=seed), random.Random(seed)
    while match.to_move is not None:
        match.push(rng.choice(match.legal_moves))
    return match


def told(match: Match) -> list[list[str]]:
    return [[change.text() for change in changes] for changes in match.changes()]


def manhattan_changes(before: Match, after: Match, move: dict[str, Any]) -> list[str]:
    """By the towers alone: whose was taken over, and whether somebody leads no more."""
    if move["kind"] != "build":
        return []
    towers, then = (one.position()["towers"][move["city"]] for one in (before, after))
    tower, found = towers[move["cell"] - 1], []
    if tower and tower[-1][0] != move["colour"]:
        found.append("takes the tower over from")
    was, now = leader(towers), leader(then)
    if was is not None and was != now:
        found.append("nobody leads in" if now is None else "majority in")
    return found


def neoville_changes(before: Match, after: Match, move: dict[str, Any]) -> list[str]:
    """By the scores alone: who gets the points for the most of something."""
    assert before.to_move is not None
    if move["kind"] != "place":
        return []
    found = []
    for symbol, name in (("park", "parks"), ("sport", "sports grounds")):
        was, now = (leaders_in(match, symbol) for match in (before, after))
        if was != now:
            alone = now == [before.to_move]
            found.append(
                f"now has the most {name} (" if alone else f"now has the most {name} too ("
            )
    return found


def leaders_in(match: Match, symbol: str) -> list[int]:
    """Who gets points for the most of a symbol."""
    return [
        seat
        for seat, score in enumerate(match.score())
        for part in score["parts"]
        if part.get("symbol") == symbol and part["points"] == FOR_THE_MOST
    ]


EXPECTED = {"manhattan": manhattan_changes, "neoville": neoville_changes}


@pytest.mark.parametrize(("game", "players"), GAMES)
def test_a_change_is_told_as_making_the_move_shows_it(game: str, players: int) -> None:
    match, kinds = played(game, players), set[str]()
    moves = list(zip(match.moves, told(match), strict=True))
    for ply, (move, said) in enumerate(moves[:60]):
        before, after = match.at(ply), match.at(ply + 1)
        expected = EXPECTED[game](before, after, move.to_json())
        assert len(said) == len(expected), (str(move), said, expected)
        assert all(words in one for words, one in zip(expected, said, strict=True))
        kinds.update(expected)
    assert len(kinds) > 1


@pytest.mark.parametrize(("game", "players"), GAMES[::2])
def test_changes_follow_from_the_moves_however_the_match_is_kept(game: str, players: int) -> None:
    match = played(game, players)
    expected = told(match)
    packed = match.clone()
    packed.rest()
    again = resumed(match.record(), [str(move) for move in match.moves], match.checkpoint())
    for one in (packed, pickle.loads(pickle.dumps(packed)), again):
        assert one is not None
        assert told(one) == expected
    for _ in range(7):
        packed.pop()
    assert told(packed) == expected[:-7]
    fresh = pickle.loads(pickle.dumps(packed))
    fresh.push(match.moves[len(expected) - 7])  # the first states are packed, the last is not
    assert told(fresh) == expected[:-6]


def test_the_log_of_a_page_tells_them_behind_the_move() -> None:
    match = played("manhattan", 2)
    ply, changes = next(one for one in enumerate(told(match)) if len(one[1]) > 1)
    said = plain(log(match, "en", Words())).decode()
    assert f'{match.moves[ply].label(0)}, {", ".join(changes)}"' in said


def test_what_was_written_of_a_match_is_not_told_of_another_one() -> None:
    """The same moves, from another beginning, may have changed nothing."""
    match, words = played("manhattan", 2), Words()
    other = match.clone()
    other._changes = [() for _ in match.moves]
    texts = [plain(log(one, "en", words)).decode() for one in (match, other)]
    assert ["takes the tower over" in text for text in texts] == [True, False]
