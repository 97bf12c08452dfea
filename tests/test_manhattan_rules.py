"""Every rule of docs/rules/manhattan.md, on positions that a person can check by eye."""

from typing import Any

import pytest

import storeys
from storeys import IllegalMove
from storeys.arena import playouts
from tests.manhattan_positions import CELLS, CITIES, position

Json = dict[str, Any]


def build_targets(match: storeys.Match, size: int | None = None) -> set[str]:
    """The sites where the seat to move can build, like "sydney c2"."""
    moves = [move.to_json() for move in match.legal_moves]
    return {
        f"{CITIES[move['city']]} {CELLS[move['cell'] - 1]}"
        for move in moves
        if move["kind"] == "build" and size in (None, move["size"])
    }


def end_of_round(towers: Json, *rest: str, **facts: Any) -> storeys.Match:
    """A match whose round has just been scored: yellow's last block was a one on cairo c3.

    All other blocks of the round lie below what stands on the sites of ``rest``, by default cairo
    c3: then yellow's tower there is the tallest, and yellow has 3 for it, 2 for Cairo and 1.
    """
    given: Json = {
        "players": 4,
        "starter": 0,
        "to_move": 3,
        "round": 1,
        "rest": rest or ("cairo c3",),
    }
    facts = given | facts
    hands = {3: (7, 7, 7, 7)} | facts.pop("hands", {})  # M-6: card 7 of seat 3 is c3
    start = position(towers=towers, picked={"yellow": [1]}, hands=hands, **facts)
    match = storeys.from_position(start)
    match.push("build yellow 1 cairo c3")
    return match


def points(match: storeys.Match) -> list[int]:
    """The points by colour."""
    return list(match.position()["scores"])


def refusal(match: storeys.Match, move: str | Json) -> str:
    with pytest.raises(IllegalMove) as caught:
        match.push(move)
    return str(caught.value)


# --- components and set-up


@pytest.mark.rule("M-1")
def test_six_cities_of_nine_sites() -> None:
    towers = storeys.new("manhattan", seed=1).position()["towers"]
    assert [len(city) for city in towers] == [9] * 6


@pytest.mark.rule("M-2")
def test_forty_five_cards_five_of_each() -> None:
    cards = storeys.components("manhattan")["cards"]
    assert cards == [{"cell": cell, "copies": 5} for cell in range(1, 10)]


@pytest.mark.rule("M-3")
def test_twenty_four_blocks_of_each_colour() -> None:
    blocks = {b["storeys"]: b["count"] for b in storeys.components("manhattan")["blocks"]}
    assert blocks == {1: 11, 2: 6, 3: 4, 4: 3}
    assert storeys.new("manhattan", seed=1).position()["stock"] == [[11, 6, 4, 3]] * 4


@pytest.mark.rule("M-4")
def test_start_marker_and_score_track() -> None:
    start = storeys.new("manhattan", seed=1).position()
    assert start["starter"] == start["to_move"]
    assert start["scores"] == [0, 0, 0, 0]


@pytest.mark.rule("M-5")
def test_chance_decides_who_starts_and_hands_are_hidden() -> None:
    starters = {storeys.new("manhattan", seed=seed).position()["starter"] for seed in range(40)}
    assert starters == {0, 1, 2, 3}
    match = storeys.new("manhattan", seed=1)
    assert [len(hand) for hand in match.position()["hands"]] == [4] * 4
    assert match.position()["pile"] == 45 - 16
    hands = match.view(2)["hands"]
    assert hands[2] == match.position()["hands"][2]
    assert [hands[seat] for seat in (0, 1, 3)] == [[None] * 4] * 3
    assert match.view(None)["hands"] == [[None] * 4] * 4


# --- cards


SITES_OF_CARDS = {
    0: "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    1: "c1 c2 c3 b1 b2 b3 a1 a2 a3",
    2: "c3 b3 a3 c2 b2 a2 c1 b1 a1",
    3: "a3 a2 a1 b3 b2 b1 c3 c2 c1",
}


@pytest.mark.rule("M-6")
@pytest.mark.parametrize("seat", range(4))
def test_a_card_is_read_from_its_owners_side(seat: int) -> None:
    colour = ("red", "blue", "green", "yellow")[seat]
    for card, cell in enumerate(SITES_OF_CARDS[seat].split(), start=1):
        match = storeys.from_position(
            position(starter=seat, to_move=seat, picked={colour: [1] * 6}, hands={seat: [card] * 4})
        )
        assert build_targets(match) == {f"{city} {cell}" for city in CITIES}
        assert {move.to_json()["card"] for move in match.legal_moves} == {card}


@pytest.mark.rule("M-6")
@pytest.mark.parametrize(("players", "seat"), [(2, 1), (3, 1), (3, 2)])
def test_the_seat_alone_fixes_the_side(players: int, seat: int) -> None:
    colour = ("red", "blue", "green")[seat]
    match = storeys.from_position(
        position(
            players=players, starter=seat, to_move=seat, picked={colour: [1] * 4},
            hands={seat: [1] * 4},
        )
    )  # fmt: skip
    first = SITES_OF_CARDS[seat].split()[0]
    assert build_targets(match) == {f"{city} {first}" for city in CITIES}


@pytest.mark.rule("M-6")
def test_a_card_that_does_not_name_the_cell_is_refused() -> None:
    match = storeys.from_position(position(picked={"red": [1]}, hands={0: (1, 2, 3, 4)}))
    move = {"kind": "build", "colour": 0, "size": 1, "city": 0, "cell": 5, "card": 1}
    assert refusal(match, move) == "M-6: your card 1 means a1, not b2"


@pytest.mark.rule("M-7")
def test_a_played_card_lies_open() -> None:
    match = storeys.from_position(position(picked={"red": [1] * 6}, hands={0: (5, 2, 3, 4)}))
    match.push("build red 1 cairo b2")
    assert match.view(None)["discard"] == [0, 0, 0, 0, 1, 0, 0, 0, 0]


@pytest.mark.rule("M-7")
def test_the_last_card_of_the_pile_turns_the_played_cards_over() -> None:
    # 16 cards in hands, 28 played for the 28 blocks built, 1 in the pile: the pile is empty after
    # the draw, and the 28 and the one just played are the new one.
    start = position(
        round=2,
        picked={"red": [1] * 5},
        hands=dict.fromkeys(range(4), (1, 2, 3, 4)),
        discard=(1, 1, 1, 1, 5, 5, 5, 5, 4),
    )
    assert start["pile"] == 1
    match = storeys.from_position(start)
    match.push("build red 1 cairo a1")
    after = match.position()
    assert after["pile"] == 29
    assert after["discard"] == [0] * 9
    assert sorted(after["hands"][0]) == [2, 3, 4, 9]  # the one card that was left


@pytest.mark.rule("M-7")
def test_with_two_cards_in_the_pile_nothing_is_turned_over() -> None:
    hands = dict.fromkeys(range(4), (1, 2, 3, 4))
    start = position(round=2, to_move=3, picked={"yellow": [1] * 6}, hands=hands,
                     discard=(1, 1, 1, 1, 5, 5, 5, 5, 3))  # fmt: skip
    match = storeys.from_position(start)
    match.push("build yellow 1 cairo a3")
    assert match.position()["pile"] == 1
    assert match.position()["discard"] == [2, 1, 1, 1, 5, 5, 5, 5, 3]


# --- rounds


@pytest.mark.rule("M-8")
def test_everyone_picks_six_blocks_clockwise_from_the_starter() -> None:
    match = storeys.from_position(position(phase="pick", starter=2, to_move=2))
    for colour, seat in (("green", 2), ("yellow", 3), ("red", 0), ("blue", 1)):
        assert match.to_move == seat
        match.push(f"pick {colour} 1 1 2 2 3 4")
    assert match.phase == "build"
    assert match.to_move == 2
    assert match.view(None)["picked"] == [[2, 2, 1, 1]] * 4
    assert match.view(None)["stock"] == [[9, 4, 3, 2]] * 4


@pytest.mark.rule("M-8")
def test_a_pick_is_six_blocks_of_the_own_stock() -> None:
    match = storeys.from_position(position(phase="pick"))
    assert refusal(match, "pick red 1 1 1 1 1") == "M-8: pick 6 blocks; this is 5"
    expected = "M-8: red has 3 blocks of size 4 in stock; you want 4"
    assert refusal(match, "pick red 1 1 4 4 4 4") == expected
    assert refusal(match, "pick blue 1 1 1 1 1 1") == "M-8: now red picks, not blue"
    assert refusal(match, "build red 1 cairo a1") == "M-8: pick your blocks for this round first"
    # 84 ways to pick 6 of 4 sizes, less those with 4 … 6 fours (10) or 5, 6 threes (4).
    assert len(match.legal_moves) == 84 - 10 - 4


@pytest.mark.rule("M-8")
def test_blocks_are_not_picked_while_building() -> None:
    match = storeys.from_position(position(picked={"red": [1]}))
    expected = "M-8: blocks are picked at the start of a round only"
    assert refusal(match, "pick red 1 1 1 1 1 1") == expected


@pytest.mark.rule("M-9")
def test_a_turn_is_a_card_a_block_and_a_new_card() -> None:
    match = storeys.from_position(
        position(starter=1, to_move=1, picked={"blue": [3, 2, 1, 1, 1, 1]}, hands={1: (1, 1, 5, 9)})
    )
    match.push("build blue 3 frankfurt b2")
    after = match.position()
    assert after["towers"][2][4] == [[1, 3]]
    assert after["picked"][1] == [4, 1, 0, 0]
    assert len(after["hands"][1]) == 4
    assert after["pile"] == 45 - 16 - 1
    assert after["to_move"] == 2


@pytest.mark.rule("M-9")
def test_only_own_picked_blocks_and_own_cards_are_played() -> None:
    match = storeys.from_position(position(picked={"red": [3]}, hands={0: (1, 1, 5, 9)}))
    assert refusal(match, "build blue 1 cairo c1") == "M-9: the blue blocks are not yours"
    expected = "M-9: red has no picked block of 1 storey left"
    assert refusal(match, "build red 1 cairo a1") == expected
    assert refusal(match, "build red 3 cairo b1") == "M-9: you do not hold card 2, which means b1"


@pytest.mark.rule("M-9")
def test_equal_cards_are_one_choice() -> None:
    match = storeys.from_position(position(picked={"red": [3]}, hands={0: (5, 5, 5, 5)}))
    assert len(match.legal_moves) == 6


@pytest.mark.rule("M-10")
def test_the_round_ends_with_the_last_block_and_the_marker_moves_on() -> None:
    match = end_of_round({"sydney a1": [("red", 2)]}, hands={0: (1, 2, 3, 4)})
    after = match.position()
    assert (after["round"], after["phase"]) == (2, "pick")
    assert (after["starter"], after["to_move"]) == (1, 1)
    assert after["towers"][0][0] == [[0, 2]]
    assert after["hands"][0] == [1, 2, 3, 4]


@pytest.mark.rule("M-11")
def test_four_players_play_four_rounds_and_the_last_pick_is_forced() -> None:
    match = playouts("manhattan", 1, players=4, seed=3).match(0)
    picks = [move for move in match.moves if move.to_json()["kind"] == "pick"]
    assert len(picks) == 16
    assert len(match.moves) == 16 + 96
    while match.phase != "pick":
        match.pop()
    assert match.position()["round"] == 4
    assert len(match.legal_moves) == 1


# --- building


@pytest.mark.rule("M-12")
def test_the_block_on_top_owns_the_tower() -> None:
    match = end_of_round({"sydney a1": [("red", 2), ("blue", 2)]})
    # Blue: Sydney 2, tower 1. Yellow: tallest 3, Cairo 2, tower 1.
    assert points(match) == [0, 3, 0, 6]


@pytest.mark.rule("M-13")
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_any_block_goes_on_empty_sites_and_own_towers(size: int) -> None:
    own = {"sydney b2": [("blue", 4), ("red", 4)]}
    match = storeys.from_position(
        position(towers=own, picked={"red": [size]}, hands={0: (5, 5, 5, 5)})
    )
    assert build_targets(match) == {f"{city} b2" for city in CITIES}


@pytest.mark.rule("M-14")
def test_a_takeover_needs_as_many_storeys_as_the_owner_has() -> None:
    towers = {"sydney c2": [("red", 1), ("blue", 4), ("blue", 3)]}
    start = position(towers=towers, picked={"red": [4]}, hands={0: (6, 6, 6, 6)})
    match = storeys.from_position(start)
    expected = "M-14: Sydney c2 belongs to blue with 7 storeys; you would have 5"
    assert refusal(match, "build red 4 sydney c2") == expected
    assert "sydney c2" not in build_targets(match)


@pytest.mark.rule("M-14")
def test_exactly_equal_storeys_are_enough() -> None:
    # Red has 3 below, blue 5 on top: a red 2 makes it 5 to 5.
    towers = {"sydney c2": [("red", 3), ("blue", 3), ("blue", 2)]}
    start = position(towers=towers, picked={"red": [1, 2]}, hands={0: (6, 6, 6, 6)})
    match = storeys.from_position(start)
    assert "sydney c2" not in build_targets(match, size=1)
    assert "sydney c2" in build_targets(match, size=2)
    match.push("build red 2 sydney c2")
    assert match.position()["towers"][0][5][-1] == [0, 2]


@pytest.mark.rule("M-14")
def test_only_the_present_owner_counts() -> None:
    # Blue has 4 in it, but green owns it with 2 + 2; a red 4 is enough.
    towers = {"sydney c2": [("blue", 4), ("green", 4), ("green", 1)]}
    start = position(towers=towers, picked={"red": [4]}, hands={0: (6, 6, 6, 6)})
    assert "sydney c2" not in build_targets(storeys.from_position(start))
    towers = {"sydney c2": [("blue", 4), ("green", 4)]}
    start = position(towers=towers, picked={"red": [4]}, hands={0: (6, 6, 6, 6)})
    assert "sydney c2" in build_targets(storeys.from_position(start))


@pytest.mark.rule("M-15")
def test_a_tower_has_no_greatest_height() -> None:
    tower = [("red", 4)] * 3 + [("red", 3)] * 4 + [("red", 2)] * 6 + [("red", 1)] * 4
    match = storeys.from_position(
        position(round=3, towers={"cairo b2": tower}, picked={"red": [1]}, hands={0: (5, 5, 5, 5)})
    )
    match.push("build red 1 cairo b2")
    assert sum(size for _, size in match.position()["towers"][5][4]) == 41


# --- scoring


@pytest.mark.rule("M-16")
def test_the_single_tallest_tower_scores_three() -> None:
    towers = {"sydney a1": [("red", 4)], "frankfurt a1": [("blue", 3)]}
    match = end_of_round(towers, "sydney a1")
    # Red: 3 + Sydney 2 + tower 1. Blue: Frankfurt 2 + tower 1. Yellow: Cairo 2 + tower 1.
    assert points(match) == [6, 3, 0, 3]
    assert match.score()[0]["parts"] == [
        {"rule": "M-16", "label": "tallest tower: Sydney a1", "points": 3, "colour": 0,
         "site": [0, 1], "sites": [[0, 1]], "round": 1},
        {"rule": "M-17", "label": "most towers in Sydney", "points": 2, "colour": 0,
         "city": 0, "sites": [[0, 1]], "round": 1},
        {"rule": "M-18", "label": "1 red tower", "points": 1, "colour": 0,
         "towers": 1, "sites": [[0, 1]], "round": 1},
    ]  # fmt: skip


@pytest.mark.rule("M-16")
@pytest.mark.parametrize("other", ["red", "blue"])
def test_towers_of_equal_height_score_nothing(other: str) -> None:
    # 21 blocks of one storey lie below: ten and eleven, so that both are fourteen high.
    towers = {"sydney a1": [("red", 4)], "frankfurt a1": [(other, 3)]}
    match = end_of_round(towers, "sydney a1", "frankfurt a1")
    board = match.position()["towers"]
    assert [sum(size for _, size in board[city][0]) for city in (0, 2)] == [14, 14]
    assert [board[city][0][-1][0] for city in (0, 2)] == [0, ("red", "blue").index(other)]
    assert not any(part["rule"] == "M-16" for seat in match.score() for part in seat["parts"])


@pytest.mark.rule("M-16")
def test_height_counts_all_colours_of_a_tower() -> None:
    # Frankfurt has twelve storeys of red's alone, Sydney 22 of all, of which eight are blue's.
    towers = {"sydney a1": [("blue", 3)], "frankfurt a1": [("red", 4)] * 3}
    assert points(end_of_round(towers, "sydney a1")) == [3, 6, 0, 3]


@pytest.mark.rule("M-17")
def test_a_city_belongs_to_who_has_most_towers() -> None:
    # Sydney: red 2, blue 1. Manhattan is blue's, Frankfurt green's, the tallest tower yellow's.
    towers = {
        "sydney a1": [("red", 1)], "sydney a2": [("red", 1)], "sydney a3": [("blue", 1)],
        "frankfurt a1": [("green", 4)], "manhattan a1": [("blue", 4)],
    }  # fmt: skip
    assert points(end_of_round(towers)) == [2 + 2, 2 + 2, 2 + 1, 6]


@pytest.mark.rule("M-17")
def test_a_tied_city_belongs_to_nobody() -> None:
    towers = {
        "sydney a1": [("red", 1)], "sydney a2": [("blue", 1)],
        "frankfurt a1": [("green", 4)], "manhattan a1": [("blue", 4)],
    }  # fmt: skip
    match = end_of_round(towers)
    assert points(match) == [1, 2 + 2, 2 + 1, 6]
    assert not any(part.get("city") == 0 for seat in match.score() for part in seat["parts"])


@pytest.mark.rule("M-18")
def test_every_tower_scores_one() -> None:
    towers = {f"sydney {cell}": [("red", 1)] for cell in CELLS}
    match = end_of_round(towers, round=2)
    # Nine towers and Sydney, and a point of the round before.
    assert points(match) == [1 + 9 + 2, 0, 0, 6]


# --- the end


@pytest.mark.rule("M-19")
def test_the_highest_score_wins_after_the_last_round() -> None:
    match = end_of_round({"sydney a1": [("red", 2)]}, round=4, scores=(3, 4, 12, 7))
    assert (match.to_move, match.phase, len(match.legal_moves)) == (None, "over", 0)
    assert points(match) == [6, 4, 12, 13]
    assert match.winners == [3]
    assert refusal(match, "redraw") == "M-19: the match is over"


@pytest.mark.rule("M-19")
def test_nobody_has_won_before_the_end() -> None:
    assert end_of_round({}).winners == []


@pytest.mark.rule("M-20")
def test_a_tie_is_shared_by_default() -> None:
    # Sydney, Manhattan and Frankfurt go to red, blue and green.
    towers = {
        "sydney a1": [("red", 4)], "manhattan a1": [("blue", 4)], "frankfurt a1": [("green", 4)],
    }  # fmt: skip
    match = end_of_round(towers, round=4, scores=(10, 10, 10, 0))
    assert points(match) == [13, 13, 13, 6]
    assert match.winners == [0, 1, 2]


@pytest.mark.rule("M-20")
def test_the_tallest_tower_breaks_a_tie() -> None:
    # Red 7 + 3 + 2 + 1; blue 10 + 2 + 1: 13 each, and red has the tallest tower.
    towers = {"sydney a1": [("red", 4)], "manhattan a1": [("blue", 3)]}
    facts = {"round": 4, "scores": (7, 10, 0, 0)}
    assert points(end_of_round(towers, "sydney a1", **facts))[:2] == [13, 13]
    assert end_of_round(towers, "sydney a1", **facts).winners == [0, 1]
    assert end_of_round(towers, "sydney a1", tiebreak="towers", **facts).winners == [0]


@pytest.mark.rule("M-20")
def test_without_the_tallest_tower_cities_break_a_tie() -> None:
    # Green has the tallest tower but is far behind. Red: two cities, two towers, 6 points; blue:
    # one city with three towers, 5 points.
    towers = {
        "sydney a1": [("red", 1)], "manhattan a1": [("red", 1)],
        "frankfurt a1": [("blue", 1)], "frankfurt a2": [("blue", 1)], "frankfurt a3": [("blue", 1)],
        "hong-kong a1": [("green", 4)],
    }  # fmt: skip
    facts = {"round": 4, "scores": (20, 21, 0, 0)}
    assert points(end_of_round(towers, "hong-kong a1", **facts))[:2] == [26, 26]
    assert end_of_round(towers, "hong-kong a1", **facts).winners == [0, 1]
    assert end_of_round(towers, "hong-kong a1", tiebreak="towers", **facts).winners == [0]


@pytest.mark.rule("M-20")
def test_what_towers_do_not_break_is_shared() -> None:
    towers = {
        "sydney a1": [("red", 1)], "frankfurt a1": [("blue", 1)], "hong-kong a1": [("green", 4)],
    }  # fmt: skip
    facts = {"tiebreak": "towers", "round": 4, "scores": (10, 10, 0, 0)}
    match = end_of_round(towers, "hong-kong a1", **facts)
    assert points(match)[:2] == [13, 13]
    assert match.winners == [0, 1]


# --- fewer players


@pytest.mark.rule("M-21")
def test_three_players_play_six_rounds_of_four() -> None:
    match = playouts("manhattan", 1, players=3, seed=5).match(0)
    moves = [move.to_json() for move in match.moves]
    picks = [move for move in moves if move["kind"] == "pick"]
    assert len(picks) == 18
    assert all(sum(pick["blocks"]) == 4 for pick in picks)
    assert {part["round"] for part in match.score()[0]["parts"]} == {1, 2, 3, 4, 5, 6}
    start = storeys.new("manhattan", players=3, seed=5)
    colour = ("red", "blue", "green")[start.to_move or 0]
    assert refusal(start, f"pick {colour} 1 1 1 1 1 1") == "M-21: pick 4 blocks; this is 6"


@pytest.mark.rule("M-22")
def test_two_players_pick_for_both_colours_the_lower_first() -> None:
    match = storeys.from_position(position(players=2, phase="pick", starter=1, to_move=1))
    assert refusal(match, "pick yellow 1 1 1 1") == "M-22: now blue picks, not yellow"
    for colour, seat in (("blue", 1), ("yellow", 1), ("red", 0), ("green", 0)):
        assert match.to_move == seat
        match.push(f"pick {colour} 1 1 1 1")
    assert (match.phase, match.to_move) == ("build", 1)


@pytest.mark.rule("M-22")
def test_two_players_alternate_in_either_colour() -> None:
    match = storeys.from_position(
        position(players=2, picked={"red": [1, 1], "green": [2, 2]}, hands={0: (5, 5, 5, 5)})
    )
    assert len(match.legal_moves) == 12
    match.push("build green 2 cairo b2")
    assert match.to_move == 1


@pytest.mark.rule("M-22")
def test_ones_own_other_colour_must_be_taken_over_too() -> None:
    towers = {"cairo b2": [("red", 4)]}
    match = storeys.from_position(
        position(players=2, towers=towers, picked={"green": [3, 4]}, hands={0: (5, 5, 5, 5)})
    )
    expected = "M-14: Cairo b2 belongs to red with 4 storeys; you would have 3"
    assert refusal(match, "build green 3 cairo b2") == expected
    match.push("build green 4 cairo b2")


@pytest.mark.rule("M-22")
def test_two_players_add_the_points_of_their_colours() -> None:
    # Red, green and blue have a tower of one, two and three storeys in three cities.
    towers = {
        "sydney a1": [("red", 1)], "manhattan a1": [("green", 2)], "frankfurt a1": [("blue", 3)],
    }  # fmt: skip
    start = position(
        players=2, starter=0, to_move=1, round=6, towers=towers, picked={"yellow": [1]},
        hands={1: (3, 3, 3, 3)}, scores=(8, 15, 20, 9), rest=["frankfurt a1"],
    )  # fmt: skip
    match = storeys.from_position(start)
    match.push("build yellow 1 cairo c3")
    assert points(match) == [11, 21, 23, 12]
    assert [seat["total"] for seat in match.score()] == [34, 33]
    assert match.winners == [0]


@pytest.mark.rule("M-20", "M-22")
def test_a_tie_of_two_players_counts_both_colours_together() -> None:
    # Green has the tallest tower, so seat 0 wins the tie.
    towers = {"sydney a1": [("green", 3)], "manhattan a1": [("blue", 2)]}
    start = position(
        players=2, starter=0, to_move=1, round=6, towers=towers, picked={"yellow": [1]},
        hands={1: (3, 3, 3, 3)}, scores=(10, 10, 10, 10), tiebreak="towers",
        rest=["sydney a1"],
    )  # fmt: skip
    match = storeys.from_position(start)
    match.push("build yellow 1 cairo c3")
    assert [seat["total"] for seat in match.score()] == [26, 26]
    assert match.winners == [0]


# --- rulings


JAMMED = {
    f"{city} b2": [("blue", low), ("blue", 5 - low)]
    for city, low in zip(CITIES, (1, 1, 1, 2, 2, 2), strict=True)
}
"""Every site b2 is blue's with five storeys: no block of red's can go there."""


def jammed(**facts: Any) -> Json:
    given: Json = {
        "hands": {0: (5, 5, 5, 5)}, "picked": {"red": [1, 4]}, "discard": (0,) * 9,
    }  # fmt: skip
    facts = given | facts
    return position(towers=JAMMED, round=3, **facts)


@pytest.mark.rule("M-R1")
def test_a_hand_that_allows_nothing_is_shown_and_redrawn() -> None:
    match = storeys.from_position(jammed())
    assert [str(move) for move in match.legal_moves] == ["redraw"]
    expected = "M-R1: show your hand and draw a new one before you give up a block"
    assert refusal(match, "forfeit red 1") == expected
    assert refusal(match, "build red 4 cairo b2").startswith("M-14: ")
    match.push("redraw")
    after = match.position()
    assert after["redrawn"] is True
    assert after["to_move"] == 0
    assert after["discard"] == [0, 0, 0, 0, 4, 0, 0, 0, 0]
    assert after["pile"] == 45 - 16 - 4
    assert len(after["hands"][0]) == 4


@pytest.mark.rule("M-R1")
def test_after_a_useless_redraw_a_block_is_given_up() -> None:
    match = storeys.from_position(jammed(redrawn=True))
    assert [str(move) for move in match.legal_moves] == ["forfeit red 1", "forfeit red 4"]
    expected = "M-R1: you have drawn a new hand this turn already; give up a block"
    assert refusal(match, "redraw") == expected
    match.push("forfeit red 4")
    after = match.position()
    assert after["picked"][0] == [1, 0, 0, 0]
    assert after["stock"] == jammed()["stock"]
    assert after["hands"][0] == [5, 5, 5, 5]
    assert (after["to_move"], after["redrawn"]) == (1, False)


@pytest.mark.rule("M-R1")
def test_who_can_build_must() -> None:
    match = storeys.from_position(jammed(hands={0: (5, 5, 5, 1)}))
    expected = "M-R1: you can build, so you may neither redraw nor give up a block"
    assert refusal(match, "redraw") == expected
    assert refusal(match, "forfeit red 1") == expected


@pytest.mark.rule("M-R1", "M-7")
def test_a_redraw_may_turn_the_played_cards_over_half_way() -> None:
    # Two cards in the pile; after the second draw 27 played cards and the shown hand are the new
    # pile, and two more are drawn from it.
    start = jammed(discard=(0, 3, 4, 4, 1, 5, 5, 5, 0))
    match = storeys.from_position(start)
    assert start["pile"] == 2
    match.push("redraw")
    after = match.position()
    assert after["discard"] == [0] * 9
    assert after["pile"] == 27 + 4 - 2


@pytest.mark.rule("M-R1", "M-10")
def test_a_round_can_end_with_a_block_given_up() -> None:
    start = jammed(redrawn=True, starter=1, picked={"red": [4]})
    match = storeys.from_position(start)
    match.push("forfeit red 4")
    assert match.position()["round"] == 4
    # Blue: five cities and six towers. Green's tower of all other blocks is the tallest, so that
    # nobody has more towers in Hong Kong. Red had a point for each round before.
    assert points(match) == [2, 10 + 6, 3 + 1, 0]


@pytest.mark.rule("M-R2")
def test_three_players_may_play_four_rounds_of_six() -> None:
    match = playouts("manhattan", 1, players=3, seed=5, rounds="4x6").match(0)
    picks = [m for m in (move.to_json() for move in match.moves) if m["kind"] == "pick"]
    assert len(picks) == 12
    assert all(sum(pick["blocks"]) == 6 for pick in picks)


@pytest.mark.rule("M-R2")
def test_two_players_may_not() -> None:
    with pytest.raises(storeys.BadOption, match="M-R2: two players play six rounds"):
        storeys.new("manhattan", players=2, rounds="4x6")
