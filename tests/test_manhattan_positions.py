"""Manhattan's positions as other programs give them: what contradicts itself is refused."""

from typing import Any

import pytest

import storeys
from storeys import BadPosition
from tests.changing import changed
from tests.manhattan_positions import position
from tests.test_manhattan_rules import jammed

Json = dict[str, Any]


def refusal(start: Json) -> str:
    with pytest.raises(BadPosition) as caught:
        storeys.from_position(start)
    return str(caught.value)


# --- cards


@pytest.mark.rule("M-7")
def test_the_pile_is_never_empty() -> None:
    # 28 cards are played for 28 blocks, and one is left.
    hands = dict.fromkeys(range(4), (1, 2, 3, 4))
    played = (1, 1, 1, 1, 5, 5, 5, 5, 4)
    start = position(round=2, picked={"red": [1] * 5}, hands=hands, discard=played)
    assert storeys.from_position(start).position()["pile"] == 1
    empty = start | {"discard": [*played[:8], 5], "pile": 0}
    expected = "M-7: position.pile: the pile is never empty: with its last card the played ones"
    assert refusal(empty).startswith(expected)


@pytest.mark.rule("M-9")
def test_no_more_cards_are_played_than_blocks_are_built() -> None:
    # Five blocks of each of four colours; the pile has not been used up yet.
    start = position(picked={"red": [1]})
    assert sum(start["discard"]) == 20
    more = changed(start, "discard/0", start["discard"][0] + 1) | {"pile": start["pile"] - 1}
    expected = "M-9: position.discard: cards played: 21; with 20 blocks built and no hand redrawn"
    assert refusal(more).startswith(expected)
    seen = storeys.from_position(start).view(2)
    assert refusal(seen | {"discard": more["discard"], "pile": more["pile"]}).startswith(expected)


@pytest.mark.rule("M-9", "M-7")
def test_fewer_cards_are_played_after_a_new_pile() -> None:
    # 40 blocks are built; with the 29th the 29 cards became a new pile.
    start = position(round=2, picked={"red": [1, 1]})
    assert sum(start["discard"]) == 11
    assert storeys.from_position(start).position() == start


@pytest.mark.rule("M-R1")
def test_where_hands_may_have_been_redrawn_any_number_is_played() -> None:
    for played in (0, 3):
        start = jammed(discard=(0,) * 8 + (played,))
        assert storeys.from_position(start).position() == start


# --- hands that allowed nothing


@pytest.mark.rule("M-R1")
def test_a_hand_is_not_redrawn_on_a_board_that_allows_building() -> None:
    start = position(to_move=1, picked={"blue": [1] * 6}, redrawn=True)
    assert sum(start["discard"]) == 1  # red has built
    expected = "M-R1: position.redrawn: the 4 cards that were shown must allow no building here"
    assert refusal(start).startswith(expected)


@pytest.mark.rule("M-R1")
@pytest.mark.parametrize(
    ("played", "taken"),
    [
        ((0, 0, 0, 0, 4, 0, 0, 0, 0), True),  # b2, where blue keeps red out in every city
        ((1, 0, 0, 0, 4, 0, 0, 0, 0), True),
        ((1, 0, 0, 0, 3, 0, 0, 0, 0), False),  # one of those shown could go to a1
        ((4, 0, 0, 0, 0, 0, 0, 0, 0), False),
        ((0,) * 9, True),  # the pile was used up, the shown cards are in the new one
    ],
)
def test_the_hand_that_was_shown_is_among_the_played_cards(
    played: tuple[int, ...], taken: bool
) -> None:
    hands = {0: (1, 2, 3, 4), **dict.fromkeys((1, 2, 3), (6, 7, 8, 9))}
    start = jammed(redrawn=True, hands=hands, discard=played)
    if taken:
        assert storeys.from_position(start).position() == start
    else:
        assert refusal(start).startswith("M-R1: position.redrawn: the 4 cards that were shown")


@pytest.mark.rule("M-R1")
def test_the_cards_shown_are_not_in_other_hands() -> None:
    start = jammed(redrawn=True, hands={0: (1, 2, 3, 4), 1: (5, 5, 8, 9)})
    assert refusal(start).startswith("M-R1: position.redrawn: ")


@pytest.mark.rule("M-R1")
def test_nothing_is_given_up_on_an_empty_board() -> None:
    start = position(round=2, picked={"red": [1] * 6})
    empty = start | {"towers": [[[] for _ in range(9)] for _ in range(6)]}
    expected = "M-R1: position.towers: red blocks of size 1 that are neither built, picked nor in "
    assert refusal(empty).startswith(expected)


@pytest.mark.rule("M-R1")
def test_blocks_that_are_nowhere_were_given_up() -> None:
    start = jammed(scores=(0, 0, 2, 0))
    others = [block for block in start["towers"][3][6] if block[0] != 0]
    without = changed(start, "towers/3/6", others)
    assert storeys.from_position(without).position() == without


# --- points


@pytest.mark.rule("M-10")
@pytest.mark.parametrize("points", [1, 500])
def test_nobody_has_points_before_the_first_scoring(points: int) -> None:
    start = position(picked={"red": [1]}, scores=(points, 0, 0, 0))
    expected = f"M-10: position.scores: red has {points} points; the rounds scored so far can have "
    assert refusal(start) == f"{expected}given 0 to 0"


ALL_IN_ONE: Json = {"towers": {"sydney a1": [("red", 1)]}, "rest": ["sydney a1"]}
"""Red owns the only tower: a scoring gives red 3 for the tallest, 2 for Sydney and 1."""


@pytest.mark.rule("M-10", "M-16", "M-17", "M-18")
@pytest.mark.parametrize("facts", [{"phase": "pick"}, {"picked": {"red": [1] * 6}}])
def test_after_one_scoring_the_points_are_those_of_the_board(facts: Json) -> None:
    start = position(round=2, **ALL_IN_ONE, **facts)
    right = start | {"scores": [6, 0, 0, 0]}
    assert storeys.from_position(right).position() == right
    for wrong in ([0, 0, 0, 0], [5, 0, 0, 0], [7, 0, 0, 0], [6, 1, 0, 0]):
        assert refusal(start | {"scores": wrong}).startswith("M-10: position.scores: ")


@pytest.mark.rule("M-10", "M-19")
def test_the_points_of_the_last_scoring_are_there_at_the_end() -> None:
    end = position(phase="over", to_move=None, round=4, **ALL_IN_ONE)
    for right in ([9, 0, 0, 0], [6, 3, 0, 0], [6, 6, 6, 6], [24, 0, 0, 0]):
        assert storeys.from_position(end | {"scores": right}).totals == right
    wrong = {
        "red has 0 points; the rounds scored so far can have given 6 to 24": [0, 0, 0, 0],
        "red has 5 points; the rounds scored so far can have given 6 to 24": [5, 9, 9, 9],
        "red has 25 points; the rounds scored so far can have given 6 to 24": [25, 0, 0, 0],
        "blue has 19 points; the rounds scored so far can have given 0 to 18": [6, 19, 0, 0],
        "together they have 8 points; the rounds scored so far can have given 9 to 24": [
            6,
            2,
            0,
            0,
        ],
        "together they have 25 points; the rounds scored so far can have given 9 to 24": [
            9,
            8,
            8,
            0,
        ],
    }
    for sentence, scores in wrong.items():
        assert refusal(end | {"scores": scores}) == f"M-10: position.scores: {sentence}"


@pytest.mark.rule("M-18")
def test_a_colour_that_has_no_block_has_no_points() -> None:
    # Green's blocks were given up, for blue was everywhere on b2.
    start = jammed()
    start["towers"][3][6] = [block for block in start["towers"][3][6] if block[0] != 2]
    assert storeys.from_position(start | {"scores": [2, 0, 0, 0]}).players == 4
    expected = "M-10: position.scores: green has 1 points; the rounds scored so far can have given"
    assert refusal(start | {"scores": [1, 0, 1, 0]}) == f"{expected} 0 to 0"
