"""Every rule of docs/rules/cloud-city.md, on cities that a person can check by eye.

Squares in moves and sentences are named as players name them: the top left square of the start tile
is g7.  A drawing whose first tile is the start tile thus begins at g7.
"""

from collections import Counter
from typing import Any

import pytest

import storeys
from storeys import BadOption, IllegalMove
from storeys.arena import playouts
from tests.cloud_cities import BOX, points_of, position

Json = dict[str, Any]


def refusal(match: storeys.Match, move: str | Json) -> str:
    with pytest.raises(IllegalMove) as caught:
        match.push(move)
    return str(caught.value)


def alone(drawing: str, *walkways: str, **facts: Any) -> storeys.Match:
    """A solo match with this city."""
    return storeys.from_position(position([drawing], walkways=[walkways], **facts))


def walkways_of(match: storeys.Match) -> set[str]:
    return {str(move) for move in match.legal_moves if move.to_json()["kind"] == "walkway"}


def places_of(match: storeys.Match) -> set[tuple[int, int]]:
    moves = (move.to_json() for move in match.legal_moves)
    return {(move["row"], move["col"]) for move in moves if move["kind"] == "place"}


# --- components and set-up


@pytest.mark.rule("C-1")
def test_forty_eight_tiles_with_two_buildings_each() -> None:
    tiles = BOX["tiles"]
    squares = Counter(c for tile in tiles for row in tile["squares"] for c in row)
    assert len(tiles) == 48
    assert squares == {"blue": 32, "green": 32, "sand": 32, None: 96}
    assert sorted(tile["start"] for tile in tiles if "start" in tile) == [1, 2, 3, 4]
    for tile in tiles:
        assert sum(c is not None for row in tile["squares"] for c in row) == 2


@pytest.mark.rule("C-2")
def test_thirty_two_buildings_of_each_colour() -> None:
    assert {b["colour"]: b["count"] for b in BOX["buildings"]} == {
        "blue": 32, "green": 32, "sand": 32,
    }  # fmt: skip


@pytest.mark.rule("C-3")
def test_ninety_three_walkways_and_what_they_are_worth() -> None:
    for entry in BOX["walkways"]:
        assert entry["counts"] == [6, 8, 8, 6, 3]
    assert BOX["votes"] == [1, 2, 3, 5, 8]
    assert storeys.new("cloud-city", seed=1).position()["supply"]["sand"] == [6, 8, 8, 6, 3]


@pytest.mark.rule("C-4")
def test_ten_different_requests() -> None:
    assert len(set(BOX["requests"])) == 10


@pytest.mark.rule("C-5")
def test_the_reconstruction_has_eight_tiles_of_each_pair() -> None:
    looks = Counter(tile["id"][:2] for tile in BOX["tiles"])
    assert looks == dict.fromkeys(("bb", "gg", "ss", "bg", "bs", "gs"), 8)
    diagonal = [t for t in BOX["tiles"] if t["squares"][0][0] and t["squares"][1][1]]
    assert Counter(tile["id"][:2] for tile in diagonal) == dict.fromkeys(looks, 4)
    assert {t["start"]: t["id"] for t in diagonal if "start" in t} == {
        1: "bb8", 2: "bg8", 3: "bs8", 4: "gs8",
    }  # fmt: skip
    # Clockwise of the second means to its right in the upper row.
    assert next(t for t in BOX["tiles"] if t["id"] == "bg1")["squares"][0] == ["green", "blue"]
    assert next(t for t in BOX["tiles"] if t["id"] == "bg3")["squares"][0] == ["blue", "green"]


@pytest.mark.rule("C-6")
def test_start_tiles_row_and_hidden_hands() -> None:
    match = storeys.new("cloud-city", players=3, seed=1)
    start = match.position()
    assert [city["tiles"][0]["tile"] for city in start["cities"]] == ["bb8", "bg8", "bs8"]
    assert start["cities"][1]["buildings"] == [
        {"colour": "blue", "row": 0, "col": 0}, {"colour": "green", "row": 1, "col": 1},
    ]  # fmt: skip
    assert [len(hand) for hand in start["hands"]] == [3, 3, 3]
    assert len(start["row"]) == 3
    assert start["pile"] == 44 - 9 - 3
    assert match.to_move == 0
    assert match.view(1)["hands"][0] == [None, None, None]


# --- expand and build


@pytest.mark.rule("C-7")
def test_a_hand_tile_goes_edge_to_edge_in_any_turn() -> None:
    match = alone("B.\n.B", phase="place", hands={0: ["bg1", "bb5", "gs1"]})
    assert places_of(match) == {(-1, 0), (1, 0), (0, -1), (0, 1)}
    turns = Counter(move.to_json()["tile"] for move in match.legal_moves)
    # Two quarter turns do not change a diagonal tile of one colour.
    assert turns == {"bg1": 16, "bb5": 8, "gs1": 16}
    assert refusal(match, "place ss1 g9") == "C-7: you do not hold the tile ss1"
    expected = "C-7: a tile goes edge to edge with a tile of your city"
    assert refusal(match, "place bg1 i9") == expected
    assert refusal(match, "place bg1 g7") == "C-7: a tile lies there already"
    assert refusal(match, "draw pile") == "C-7: first lay a tile from your hand"
    match.push("place bb5 g9 turn 3")
    assert str(match.moves[-1]) == "place bb5 g9 turn 1"
    assert refusal(match, "place bg1 g11") == "C-7: you have laid your tile this turn"


@pytest.mark.rule("C-8")
def test_the_city_never_outgrows_three_by_three() -> None:
    match = alone("B.BGBG\n.B....", phase="place")
    assert places_of(match) == {(row, col) for row in (-1, 1) for col in (0, 1, 2)}
    expected = "C-8: there the city would no longer fit into 3×3 tiles"
    tile = match.position()["hands"][0][0]
    assert refusal(match, f"place {tile} m7") == expected
    tall = alone("B.\n.B\nGG\n..\nGG\n..", phase="place")
    assert {row for row, _ in places_of(tall)} == {0, 1, 2}


@pytest.mark.rule("C-9")
def test_both_buildings_of_a_tile_stand_at_once() -> None:
    match = alone("B.\n.B", phase="place", hands={0: ["gs1"]})
    match.push("place gs1 g9 turn 1")
    # gs1 shows sand and green in its upper row; a quarter turn puts them into its right column.
    assert match.position()["cities"][0]["buildings"][2:] == [
        {"colour": "sand", "row": 2, "col": 1}, {"colour": "green", "row": 3, "col": 1},
    ]  # fmt: skip


# --- walkways


ROW_OF_BLUE = "B.B.BG\n.B.G.."


@pytest.mark.rule("C-10")
def test_any_number_of_walkways_before_the_draw() -> None:
    match = alone(ROW_OF_BLUE)
    assert walkways_of(match) == {"walkway blue g7 i7", "walkway blue i7 k7"}
    assert {"draw pile", "draw 1"} <= {str(move) for move in match.legal_moves}
    match.push("walkway blue g7 i7")
    assert match.phase == "walkways"
    match.push("walkway blue k7 i7")
    assert str(match.moves[-1]) == "walkway blue i7 k7"
    assert match.phase == "draw"
    assert walkways_of(match) == set()
    match.push("draw pile")
    assert match.phase == "place"


@pytest.mark.rule("C-11")
def test_a_drawn_place_is_filled_again() -> None:
    match = alone(ROW_OF_BLUE)
    before = match.position()
    match.push("draw 2")
    after = match.position()
    assert after["hands"][0] == [*before["hands"][0], before["row"][1]]
    assert (after["row"][0], after["row"][2]) == (before["row"][0], before["row"][2])
    assert after["row"][1] not in before["row"]
    assert after["pile"] == before["pile"] - 1
    match = alone(ROW_OF_BLUE)
    match.push("draw pile")
    assert match.position()["row"] == before["row"]


@pytest.mark.rule("C-11")
def test_four_players_draw_exactly_all_tiles() -> None:
    match = playouts("cloud-city", 1, players=4, seed=3).match(0)
    over = match.position()
    assert (over["row"], over["pile"]) == ([], 0)
    assert [len(hand) for hand in over["hands"]] == [3] * 4
    lengths = []
    while match.position()["pile"] == 0:
        lengths.append(len(match.position()["row"]))
        match.pop()
    assert sorted(set(lengths)) == [0, 1, 2, 3]


@pytest.mark.rule("C-11")
def test_who_can_draw_must() -> None:
    match = alone(ROW_OF_BLUE)
    assert refusal(match, "end") == "C-11: you must draw a tile to end your turn"


@pytest.mark.rule("C-11")
def test_an_empty_place_cannot_be_drawn() -> None:
    match = playouts("cloud-city", 1, players=4, seed=3).match(0)
    match.pop()
    while match.phase == "place":
        match.pop()
    assert len(match.position()["row"]) == 1
    assert refusal(match, "draw 2") == "C-11: that place of the row is empty"
    assert refusal(match, "draw pile") == "C-11: the pile is empty; draw from the row"


@pytest.mark.rule("C-12")
def test_seats_in_order_and_seat_0_begins_every_round() -> None:
    match = playouts("cloud-city", 1, players=3, seed=3).match(0)
    placers = []
    while match.moves_made:
        move = match.pop()
        if move.to_json()["kind"] == "place":
            placers.append(match.to_move)
    assert placers[::-1] == [0, 1, 2] * 8


@pytest.mark.rule("C-13")
def test_a_walkway_joins_two_buildings_of_its_colour_in_line() -> None:
    match = alone(ROW_OF_BLUE)
    expected = "C-13: a walkway joins two buildings of one row or one column"
    assert refusal(match, "walkway blue g7 h8") == expected
    assert refusal(match, "walkway blue g7 g7") == expected
    assert refusal(match, "walkway blue g7 h7") == "C-13: there is no blue building at h7"
    assert refusal(match, "walkway green g7 i7") == "C-13: there is no green building at g7"


@pytest.mark.rule("C-13")
def test_no_walkway_is_longer_than_five() -> None:
    match = alone("B....B\n.BGGG.", city="3x4")
    assert "walkway blue g7 l7" in walkways_of(match)
    long = alone("B....GB.\n.BGGG..G", city="3x4")
    assert refusal(long, "walkway blue g7 m7") == (
        "C-13: the distance is 6; the longest walkway has 5"
    )


@pytest.mark.rule("C-14")
def test_a_piece_of_that_length_must_be_left() -> None:
    box = dict(BOX)
    box["walkways"] = [
        {"colour": c, "counts": [6, 8, 8, 6, 3] if c != "blue" else [14, 0, 8, 6, 3]}
        for c in ("blue", "green", "sand")
    ]
    start = position([ROW_OF_BLUE])
    start["options"]["components"] = box
    start["supply"]["blue"] = [14, 0, 8, 6, 3]
    start["phase"] = "draw"
    match = storeys.from_position(start)
    assert refusal(match, "walkway blue g7 i7") == "C-14: no blue walkway of length 2 is left"


@pytest.mark.rule("C-15")
def test_every_square_under_it_needs_a_tile() -> None:
    match = alone("B.  .G\n.B  B.\nGGSSGG\n......")
    assert refusal(match, "walkway blue h8 k8") == "C-15: there is no tile under it at i8"


@pytest.mark.rule("C-16")
def test_no_building_of_its_colour_stands_between() -> None:
    match = alone(ROW_OF_BLUE)
    expected = "C-16: the blue building at i7 stands between them"
    assert refusal(match, "walkway blue g7 k7") == expected


CROSS = ".BS.\nB..B\nG.S.\n.B.S\nB.  \n.B  "
"""Blue a2–d2 and b1–b4 meet between their ends; the start tile is the lowest, so b1 is at h3."""


@pytest.mark.rule("C-17")
def test_walkways_of_one_colour_do_not_cross() -> None:
    match = alone(CROSS)
    assert {"walkway blue g4 j4", "walkway blue h3 h6"} <= walkways_of(match)
    match.push("walkway blue g4 j4")
    expected = "C-17: it would cross a blue walkway at h4"
    assert refusal(match, "walkway blue h3 h6") == expected
    assert refusal(match, "walkway blue g4 j4") == "C-17: these two buildings are joined already"
    match.pop()
    match.push("walkway blue h3 h6")
    assert refusal(match, "walkway blue g4 j4") == expected


@pytest.mark.rule("C-18")
def test_a_building_has_two_walkways_at_most() -> None:
    match = alone("B.B.BG\n.B.G..\n  B.  \n  .S  ")
    match.push("walkway blue g7 i7")
    assert "walkway blue i7 i9" in walkways_of(match)
    match.push("walkway blue i7 k7")
    assert "walkway blue i7 i9" not in walkways_of(match)
    expected = "C-18: the building at i7 has two walkways already"
    assert refusal(match, "walkway blue i7 i9") == expected


@pytest.mark.rule("C-19")
def test_higher_buildings_block_and_lower_ones_do_not() -> None:
    match = alone("B.S.BG\n.B.G..", phase="draw")
    expected = "C-19: the sand building at i7 stands in the way"
    assert refusal(match, "walkway blue g7 k7") == expected
    # A sand walkway over a green building.
    match = alone("B.BS\n.B..\nS.GS\n.G..")
    assert "walkway sand g9 j9" in walkways_of(match)


@pytest.mark.rule("C-20")
def test_a_walkway_stays() -> None:
    match = alone(ROW_OF_BLUE, "blue 0,0 0,2", phase="place")
    before = match.position()["cities"][0]["walkways"]
    match.push(match.legal_moves[0])
    match.push("draw pile")
    assert match.position()["cities"][0]["walkways"][:1] == before


# --- end and scoring


FULL_0 = "B.BBBB\n.B....\nGGGGSS\n......\nSSG.S.\n...G.S"
FULL_1 = "B.BBBB\n.G....\nGGGGSS\n......\nSSG.S.\n...G.S"


def finished(first: tuple[str, ...], second: tuple[str, ...], **options: Any) -> storeys.Match:
    """A match of two that is over, with these walkways in the two full cities."""
    start = position([FULL_0, FULL_1], walkways=[first, second], to_move=1, **options)
    match = storeys.from_position(start)
    match.push("draw pile")
    assert match.to_move is None
    return match


BLUE_2, GREEN_2, GREEN_3 = "blue 0,0 0,2", "green 2,2 4,2", "green 2,3 5,3"
SAND_2, SAND_3, SAND_OVER = "sand 2,4 4,4", "sand 2,5 5,5", "sand 4,1 4,4"
BLUE_1 = "blue 0,2 0,3"


@pytest.mark.rule("C-21")
def test_votes_of_walkways_decide() -> None:
    match = finished((BLUE_2, GREEN_3), (SAND_2,))
    assert [seat["total"] for seat in match.score()] == [5, 2]
    assert match.winners == [0]
    assert match.score()[0]["parts"][0] == {
        "rule": "C-21", "label": "blue walkway g7 – i7", "points": 2,
        "colour": "blue", "from": [0, 0], "to": [0, 2],
    }  # fmt: skip
    assert refusal(match, "end") == "C-21: the match is over"


@pytest.mark.rule("C-21")
@pytest.mark.parametrize(
    ("first", "second", "winners"),
    [
        ((BLUE_2,), (GREEN_2,), [0]),
        ((GREEN_2,), (BLUE_2,), [1]),
        ((SAND_2,), (GREEN_2,), [1]),
        ((BLUE_2, SAND_3), (BLUE_2, GREEN_3), [1]),
        ((SAND_2,), (SAND_2,), [0, 1]),
    ],
)
def test_ties_go_to_river_then_forest_then_sand(
    first: tuple[str, ...], second: tuple[str, ...], winners: list[int]
) -> None:
    match = finished(first, second)
    assert len({seat["total"] for seat in match.score()}) == 1
    assert match.winners == winners


@pytest.mark.rule("C-22")
def test_the_rectangle_city_may_lie_either_way() -> None:
    wide = alone("B.BGBGGS\n.B......", phase="place", city="3x4")
    assert places_of(wide) == {(row, col) for row in (-1, 1) for col in range(4)}
    expected = "C-22: there the city would no longer fit into 3×4 tiles"
    tile = wide.position()["hands"][0][0]
    move = {"kind": "place", "tile": tile, "row": 0, "col": -1, "turn": 0}
    assert refusal(wide, move) == expected
    # A full row and a full column of three can still become 3×4 or 4×3.
    corner = alone("B.BGBG\n.B....\nGG    \n..    \nGG    \n..    ", phase="place", city="3x4")
    assert {(0, 3), (3, 0), (-1, 0), (0, -1)} <= places_of(corner)
    # With a fourth column there is no room for a fourth row.
    settled = alone("B.BGBGGS\n.B......\nGG      \n..      \nGG      \n..      ",
                    phase="place", city="3x4")  # fmt: skip
    assert {row for row, _ in places_of(settled)} <= {0, 1, 2}


@pytest.mark.rule("C-22")
def test_the_rectangle_city_has_eleven_rounds_and_not_for_four() -> None:
    match = playouts("cloud-city", 1, players=2, seed=1, city="3x4").match(0)
    assert match.position()["round"] == 11
    assert [len(city["tiles"]) for city in match.position()["cities"]] == [12, 12]
    with pytest.raises(BadOption, match="C-22: four players have too few tiles"):
        storeys.new("cloud-city", players=4, city="3x4")


# --- requests


@pytest.mark.rule("C-23")
def test_one_or_two_requests_by_name_or_by_chance() -> None:
    assert storeys.new("cloud-city", seed=1).position()["requests"] == []
    match = storeys.new("cloud-city", seed=1, requests=["circuits", "balanced"])
    assert match.view(None)["requests"] == ["circuits", "balanced"]
    drawn = [
        storeys.new("cloud-city", seed=s, requests=2).position()["requests"] for s in range(60)
    ]
    assert all(len(set(pair)) == 2 for pair in drawn)
    assert {card for pair in drawn for card in pair} == set(BOX["requests"])
    same = storeys.new("cloud-city", seed=5, requests=1)
    assert same.record()["options"]["requests"] == same.position()["requests"]
    assert storeys.load(same.record()).position() == same.position()


@pytest.mark.rule("C-23")
@pytest.mark.parametrize(
    ("requests", "sentence"),
    [
        (3, "C-23: choose no, one or two different requests, or a number from 0 to 2, not 3"),
        (["circuits"] * 2, "C-23: choose no, one or two different requests"),
        (["circuits", "balanced", "minimalist"], "C-23: choose no, one or two different requests"),
        (["bridges"], "C-4: there is no request “bridges”; known are valuable-route, "),
        ("circuit", "C-4: there is no request “circuit”; known are"),
        (True, "C-23: choose no, one or two different requests, or a number from 0 to 2, not True"),
        (None, "C-23: choose no, one or two different requests"),
    ],
)
def test_bad_requests(requests: Any, sentence: str) -> None:
    with pytest.raises(BadOption) as caught:
        storeys.new("cloud-city", requests=requests)
    assert str(caught.value).startswith(sentence)


@pytest.mark.rule("C-23", "C-21")
def test_the_tie_break_looks_at_walkways_only() -> None:
    # Seat 0: 3 on sand, and 6 for the most blue buildings. Seat 1: 9 on walkways, 2 of them blue.
    match = finished((SAND_3,), (BLUE_2, SAND_2, SAND_3, BLUE_1, "green 2,0 2,1"),
                     requests=["blue-buildings"])  # fmt: skip
    assert [seat["total"] for seat in match.score()] == [9, 9]
    assert match.winners == [1]


def both(rule: str, match: storeys.Match) -> list[int]:
    return [points_of(match, seat).get(rule, 0) for seat in range(2)]


@pytest.mark.rule("C-30")
@pytest.mark.parametrize(("edition", "expected"), [("en", [3, 3]), ("nl", [3, 3]), ("de", [6, 0])])
def test_most_valuable_or_longest_route(edition: str, expected: list[int]) -> None:
    # A route of two walkways worth 3 against one walkway worth 3.
    match = finished((BLUE_2, BLUE_1), (GREEN_3,), requests=["valuable-route"], edition=edition)
    assert both("C-30", match) == expected


@pytest.mark.rule("C-30", "C-40")
def test_only_river_and_forest_routes_are_valuable() -> None:
    match = finished((BLUE_1,), (SAND_3,), requests=["valuable-route"])
    assert both("C-30", match) == [6, 0]
    assert both("C-30", finished((SAND_2,), (SAND_3,), requests=["valuable-route"])) == [0, 0]
    part = match.score()[0]["parts"][-1]
    assert part["leaders"] == [0]
    assert part["routes"] == [[{"colour": "blue", "from": [0, 2], "to": [0, 3]}]]


@pytest.mark.rule("C-31", "C-40")
@pytest.mark.parametrize(("edition", "expected"), [("en", [6, 0]), ("nl", [6, 0]), ("de", [0, 6])])
def test_most_separate_routes(edition: str, expected: list[int]) -> None:
    # Two routes of one walkway against one route of two.
    second = ("green 2,0 2,1", "green 2,1 2,2")
    match = finished((BLUE_2, "green 2,0 2,1"), second, requests=["separate-routes"],
                     edition=edition)  # fmt: skip
    assert both("C-31", match) == expected
    none = finished((), (), requests=["separate-routes"], edition=edition)
    assert both("C-31", none) == [0, 0]


VARIED = (
    "BB.B..B.\n"
    "..S.SS.S\n"
    "B.SSSS.S\n"
    ".B.....S\n"
    ".B....B.\n"
    "G.GGGG.G"
)  # fmt: skip
LENGTHS_1_TO_5 = (
    "blue 0,0 0,1", "blue 0,1 0,3", "blue 0,3 0,6", "blue 0,6 4,6", "blue 4,1 4,6",
)  # fmt: skip


@pytest.mark.rule("C-32")
@pytest.mark.parametrize("edition", ["en", "de", "nl"])
@pytest.mark.parametrize(("lengths", "points"), [(3, 0), (4, 6), (5, 8)])
def test_varied_route(edition: str, lengths: int, points: int) -> None:
    match = alone(VARIED, *LENGTHS_1_TO_5[:lengths], city="3x4", requests=["varied-route"],
                  edition=edition)  # fmt: skip
    assert points_of(match)["C-32"] == points
    assert match.score()[0]["parts"][-1]["count"] == lengths


@pytest.mark.rule("C-32")
def test_a_varied_route_counts_different_lengths_of_one_route() -> None:
    # Lengths 1, 2, 3 and 5, but the 5 is not joined to the others.
    apart = (*LENGTHS_1_TO_5[:3], LENGTHS_1_TO_5[4])
    match = alone(VARIED, *apart, city="3x4", requests=["varied-route"])
    assert points_of(match)["C-32"] == 0


RING = "B..B\n.BS.\n.SS.\nB..B"
RING_WALKWAYS = ("blue 0,0 0,3", "blue 0,0 3,0", "blue 3,0 3,3", "blue 0,3 3,3")


@pytest.mark.rule("C-33")
@pytest.mark.parametrize("edition", ["en", "de", "nl"])
def test_circuits(edition: str) -> None:
    match = alone(RING, *RING_WALKWAYS, requests=["circuits"], edition=edition)
    assert points_of(match) == {"C-21": 12, "C-33": 3}
    part = match.score()[0]["parts"][-1]
    assert len(part["routes"]) == 1
    assert len(part["routes"][0]) == 4
    open_ring = alone(RING, *RING_WALKWAYS[:3], requests=["circuits"], edition=edition)
    assert points_of(open_ring)["C-33"] == 0


@pytest.mark.rule("C-34")
@pytest.mark.parametrize("edition", ["en", "de", "nl"])
def test_most_blue_buildings(edition: str) -> None:
    match = finished((), (), requests=["blue-buildings"], edition=edition)  # 6 against 5
    assert both("C-34", match) == [6, 0]
    assert len(match.score()[0]["parts"][-1]["squares"]) == 6


@pytest.mark.rule("C-35")
@pytest.mark.parametrize("edition", ["en", "de", "nl"])
def test_most_green_buildings(edition: str) -> None:
    match = finished((), (), requests=["green-buildings"], edition=edition)  # 6 against 7
    assert both("C-35", match) == [0, 6]


@pytest.mark.rule("C-40", "C-34")
def test_who_ties_for_the_most_gets_three() -> None:
    start = position(["B.GG\n.B..", "B.BS\n.G.."], phase="place", requests=["blue-buildings"])
    match = storeys.from_position(start)
    assert both("C-34", match) == [3, 3]
    assert match.score()[0]["parts"][-1]["leaders"] == [0, 1]


@pytest.mark.rule("C-36")
@pytest.mark.parametrize("edition", ["en", "de", "nl"])
def test_minimalist(edition: str) -> None:
    one = alone(ROW_OF_BLUE, "blue 0,0 0,2", requests=["minimalist"], edition=edition)
    assert points_of(one) == {"C-21": 2, "C-36": 4}
    assert one.score()[0]["parts"][-1]["squares"] == [[0, 0], [0, 2]]
    # The building in the middle has two now.
    two = alone(ROW_OF_BLUE, "blue 0,0 0,2", "blue 0,2 0,4", requests=["minimalist"],
                edition=edition, phase="draw")  # fmt: skip
    assert points_of(two) == {"C-21": 4, "C-36": 4}


@pytest.mark.rule("C-37", "C-41")
@pytest.mark.parametrize(("edition", "points"), [("en", -4), ("de", -2), ("nl", -2)])
def test_one_crossing(edition: str, points: int) -> None:
    match = finished((GREEN_3, SAND_OVER), (), requests=["crossed-walkways"], edition=edition)
    assert both("C-37", match) == [points, 0]
    part = match.score()[0]["parts"][-1]
    assert part["squares"] == [[4, 3]]
    assert len(part["walkways"]) == 2


@pytest.mark.rule("C-37", "C-41")
@pytest.mark.parametrize(("edition", "points"), [("en", -6), ("de", -4), ("nl", -2)])
def test_one_walkway_that_crosses_two(edition: str, points: int) -> None:
    # A sand walkway along the third row, over two green ones along the columns.
    match = alone(
        "B.GGBB\n.B....\nS....S\n.SGGS.", "sand 2,0 2,5", "green 0,2 3,2", "green 0,3 3,3",
        requests=["crossed-walkways"], edition=edition,
    )  # fmt: skip
    assert points_of(match)["C-37"] == points


@pytest.mark.rule("C-41")
def test_what_ends_below_or_lies_above_does_not_cross() -> None:
    # Sand passes over the green building where a green walkway ends.
    match = finished((GREEN_2, SAND_OVER), (), requests=["crossed-walkways"])
    assert both("C-37", match) == [0, 0]


@pytest.mark.rule("C-38")
@pytest.mark.parametrize("edition", ["en", "de", "nl"])
def test_solo_buildings(edition: str) -> None:
    match = alone(ROW_OF_BLUE, "blue 0,0 0,2", requests=["solo-buildings"], edition=edition)
    # Six buildings, two of them joined.
    assert points_of(match)["C-38"] == -8
    assert len(match.score()[0]["parts"][-1]["squares"]) == 4


@pytest.mark.rule("C-39")
@pytest.mark.parametrize("edition", ["en", "de", "nl"])
def test_balanced(edition: str) -> None:
    match = alone(VARIED, *LENGTHS_1_TO_5, city="3x4", requests=["balanced"], edition=edition)
    assert points_of(match)["C-39"] == -4
    part = match.score()[0]["parts"][-1]
    assert part["lengths"] == [1, 1, 1, 1, 1]
    # Those of three, four and five squares are what it looks at, and light up at both ends.
    looked_at = match.view(0)["cities"][0]["walkways"][2:]
    assert part["walkways"] == looked_at
    ends = {(0, *end) for walkway in looked_at for end in (walkway["from"], walkway["to"])}
    assert set(match.game.lit(part, 0)) == ends
    # Five sand walkways of three, a blue one of four, a green one of five.
    drawing = "S..SB.G.\nS..S.B.G\nS..S.G.B\nS..S.G.B\nS..SB..G\n.SS..BG."
    walkways = [*(f"sand {row},0 {row},3" for row in range(5)), "blue 0,4 4,4", "green 0,6 5,6"]
    options = {"city": "3x4", "requests": ["balanced"], "edition": edition}
    assert points_of(alone(drawing, *walkways, **options)) == {"C-21": 15 + 5 + 8, "C-39": 0}
    for missing in range(len(walkways)):
        fewer = walkways[:missing] + walkways[missing + 1 :]
        assert points_of(alone(drawing, *fewer, **options))["C-39"] == -4


# --- rulings


@pytest.mark.rule("C-R1")
def test_walkways_and_placement_can_be_taken_back_until_the_draw() -> None:
    match = alone("B.BG\n.B..", phase="place")
    before = match.position()
    match.push(match.legal_moves[0])
    for move in list(match.legal_moves):
        if move.to_json()["kind"] == "walkway":
            match.push(move)
            match.pop()
    match.pop()
    assert match.position() == before


@pytest.mark.rule("C-R2")
def test_solo_play_without_comparing_requests() -> None:
    match = playouts("cloud-city", 1, players=1, seed=3).match(0)
    assert match.winners == [0]
    for name in ("valuable-route", "separate-routes", "blue-buildings", "green-buildings"):
        with pytest.raises(BadOption, match=r"C-R2: .* compares players"):
            storeys.new("cloud-city", players=1, requests=[name])
    drawn = {
        card
        for seed in range(60)
        for card in storeys.new("cloud-city", 1, seed, requests=2).position()["requests"]
    }
    assert drawn == {
        "varied-route", "circuits", "minimalist", "crossed-walkways", "solo-buildings", "balanced",
    }  # fmt: skip


@pytest.mark.rule("C-R3")
def test_a_tile_from_the_row_is_known_until_it_is_laid() -> None:
    match = storeys.from_position(position(["B.BB\n.B..", "B.\n.G"], phase="walkways"))
    taken = match.position()["row"][0]
    match.push("draw 1")
    assert match.position()["shown"] == [[taken], []]
    # What is known comes first: the place of a hidden tile would tell when it was drawn.
    assert match.view(1)["hands"][0] == [taken, None, None]
    assert match.view(None)["hands"][0] == [taken, None, None]
    match.push(match.legal_moves[0])
    match.push("draw pile")
    assert match.position()["shown"][1] == []
    match.push(next(m for m in match.legal_moves if m.to_json()["tile"] == taken))
    assert match.position()["shown"][0] == []
