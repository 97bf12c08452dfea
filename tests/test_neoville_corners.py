"""Neoville's rules where they are easily missed: at the edges of a city, with nothing left."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

import storeys
from storeys.games.neoville.rules import districts_met, is_one
from storeys.games.neoville.scoring import shape_of_district
from storeys.games.neoville.state import NO_TILE
from storeys.kernel import chance, verbs
from storeys.kernel.tiles.grid import square_at
from storeys.testing import _check_frequencies
from tests.neoville_cities import (
    BOX,
    FILLER,
    HOLE,
    HOLE_TOWERS,
    THROUGH_THE_L,
    filler_city,
    in_building_order,
    position,
)
from tests.test_neoville_rules import RING, RING_TOWERS, flooded, kept, legal, refuses

Place = tuple[int, int]
PLACES = {(row, col) for row in range(4) for col in range(4)}
FIRST_TILES = [(0, 0), (0, 3), (3, 0), (3, 3)]
"""Where in the drawing the first tile of a full city may lie: the city grows away from it."""
from_every_corner = pytest.mark.parametrize("first", FIRST_TILES)


def full_city(**squares: str) -> str:
    """Sixteen tiles in which every square is its own district, but for these: a1, b1, … h8."""
    rows = [line.split() for line in filler_city(16).splitlines()]
    for name, word in squares.items():
        rows[int(name[1]) - 1]["abcdefgh".index(name[0])] = word
    return "\n".join(map(" ".join, rows))


def points(given: dict[str, Any]) -> dict[str, int]:
    """What the pieces of seat 0 bring, by name."""
    match = storeys.from_position(given)
    parts = match.score()[0]["parts"]
    assert match.position()["scores"] == [sum(part["points"] for part in parts)]
    return {
        part.get("utility") or f"{part['terrain']} {part['value']}": part["points"]
        for part in parts
    }


def scored(drawing: str, *pieces: str, **more: Any) -> list[int]:
    """The points of the pieces of a city, in the order in which they are named."""
    found = points(position(drawing, pieces=[list(pieces)], **more))
    return [found[piece.rpartition(" ")[0]] for piece in pieces]


def turned(drawing: str) -> str:
    """A drawing after a quarter turn clockwise."""
    rows = [line.split() for line in drawing.strip().splitlines()]
    return "\n".join(" ".join(row[col] for row in rows[::-1]) for col in range(len(rows[0])))


def turned_pieces(pieces: list[str]) -> list[str]:
    """The pieces of a drawing of 6×6 squares after a quarter turn clockwise."""
    return [f"{piece[:-4]} {piece[-1]},{5 - int(piece[-3])}" for piece in pieces]


# --- set-up


@pytest.mark.rule("N-10")
def test_equity_tiles_may_lie_anywhere_in_a_set() -> None:
    own = BOX | {"tiles": sorted(BOX["tiles"], key=lambda tile: "equity" not in tile)}
    match = storeys.new("neoville", players=2, seed=1, components=own)
    assert [hand[0] for hand in match.position()["hands"]] == ["equity1", "equity2"]
    assert match.position()["pile"] == 74 - 4 - 2 * 2


# --- districts


@pytest.mark.rule("N-12")
def test_both_squares_of_a_new_tile_join_an_older_district() -> None:
    assert scored("e e e e\ns w s w", "earth 4 0,0", first=(0, 1)) == [4]


@pytest.mark.rule("N-12")
@from_every_corner
def test_a_tile_joins_a_district_from_edge_to_edge_to_an_older_one(first: Place) -> None:
    """All is earth but the first tile, of which one square meets the tile laid last."""
    row, col = first
    earth = full_city(**{f"{letter}{n}": "e" for letter in "abcdefgh" for n in range(1, 9)})
    rows = [line.split() for line in earth.splitlines()]
    for r in (2 * row, 2 * row + 1):
        rows[r][2 * col : 2 * col + 2] = ["s", "s"]
    rows[2 * row][1 if col == 0 else 6] = "e"
    last = (row, 1 if col == 0 else 2)
    order = [*in_building_order(PLACES - {last}, first), last]
    match = storeys.from_position(position("\n".join(map(" ".join, rows)), order=order))
    state = match.state()[0]
    assert flooded(state, 0) == kept(state, 0)
    assert sorted(map(len, kept(state, 0))) == [3, 61]


@pytest.mark.rule("N-12")
def test_a_district_that_became_part_of_another_is_none_any_more() -> None:
    match = storeys.from_position(
        position(RING, pieces=[RING_TOWERS], phase="place", hand=["e e\ne e", "e e\ne e"])
    )
    match.push("place t16 i9")
    state = match.state()[0]
    numbers = {int(number) for number in state.district[0] if number >= 0}
    for number in set(range(64)) - numbers:
        assert state.district_size[0, number] == 0
        assert state.skyscrapers_in[0, number] == 0
        assert state.district_terrain[0, number] == NO_TILE
    joined = int(state.district[0, state.piece[0, 0, 1]])
    assert state.skyscrapers_in[0].sum() == state.skyscrapers_in[0, joined] == 4


@pytest.mark.rule("N-12")
@pytest.mark.parametrize("nth", range(8))
def test_a_square_meets_the_district_beside_it_if_that_has_its_terrain(nth: int) -> None:
    tables = storeys.new("neoville", players=2, seed=5).setup.components.tables[0]
    for tile, terrain, number in product(range(8), range(4), (1, 2, 63, 64)):
        district = number << (8 * nth)
        around = district, terrain << (8 * nth), 0
        same = tables.terrain[tile, 0, nth // 2] == terrain
        assert districts_met(tables, around, tile, 0) == (district if same else 0)


@pytest.mark.rule("N-11")
def test_the_place_at_the_corner_of_the_window_is_listed_once() -> None:
    """The city has grown up and to the left as far as can be, and its corner is left."""
    drawing = full_city(a1="--", b1="--", a2="--", b2="--")
    match = storeys.from_position(position(drawing, first=(3, 3), phase="place", hand=[FILLER]))
    moves = sorted(map(str, match.legal_moves))
    assert {move.split()[2] for move in moves} == {"a1"}
    assert [move for move in moves if "t16" in move] == [
        f"place t16 a1 turn {turn}" for turn in range(4)
    ]


@pytest.mark.rule("N-12")
def test_districts_around_a_tile_are_one_if_all_that_are_there_are_the_same() -> None:
    for nth, other, number in product(range(8), range(8), (1, 2, 63, 64)):
        assert is_one(number << (8 * nth))
        assert is_one(number << (8 * nth) | number << (8 * other))
        if nth != other:
            assert not is_one(number << (8 * nth) | (number % 64 + 1) << (8 * other))


@pytest.mark.rule("N-12")
@pytest.mark.parametrize("turns", range(4))
def test_a_join_through_a_district_from_every_side(turns: int) -> None:
    """The hole between an L of earth and two towers of earth, turned round."""
    drawing, towers = HOLE, HOLE_TOWERS
    for _ in range(turns):
        drawing = turned(drawing)
        towers = turned_pieces(towers)
    match = storeys.from_position(
        position(drawing, pieces=[towers], phase="place", hand=[THROUGH_THE_L])
    )
    joining, other = turns % 2, (turns + 1) % 2
    assert f"place t9 i9 turn {joining}" not in legal(match)
    assert f"place t9 i9 turn {other}" in legal(match)


ABOVE_BY_ITS_CORNER = RING.replace("g s", "g e", 1)
"""The district above the hole begins with its square at the upper right."""
TOP_LEFT = """
e e -- --
w g -- --
s w e g
g s w s
"""
APART = """
w w g s w w
w w g s w w
g e -- -- s g
s g -- -- w s
s s g e s s
s s g e s s
"""


@pytest.mark.rule("N-12")
def test_a_district_that_begins_at_an_odd_square_is_joined_too() -> None:
    match = storeys.from_position(
        position(
            ABOVE_BY_ITS_CORNER, pieces=[RING_TOWERS], phase="place", hand=["g g\ng g", FILLER]
        )
    )
    sentence = (
        "skyscraper 4 (earth) on i8 and skyscraper 6 (earth) on h9 would meet in one district, "
        "and there is another way to lay a tile"
    )
    refuses(match, "place t17 i9", "N-12", sentence)


@pytest.mark.rule("N-12")
def test_the_district_of_the_first_square_is_joined_too() -> None:
    match = storeys.from_position(
        position(
            TOP_LEFT, pieces=[["earth 4 0,0", "earth 6 2,2"]], phase="place", hand=["e g\ne s"]
        )
    )
    sentence = (
        "skyscraper 4 (earth) on g7 and skyscraper 6 (earth) on i9 would meet in one district, "
        "and there is another way to lay a tile"
    )
    refuses(match, "place t4 i7", "N-12", sentence)


@pytest.mark.rule("N-12")
def test_squares_that_touch_other_terrains_do_not_meet_outside() -> None:
    """Earth touches the tower of earth, water that of water, and all else differs."""
    match = storeys.from_position(
        position(APART, pieces=[["earth 4 2,1", "water 4 3,4"]], phase="place", hand=[FILLER])
    )
    assert "place t9 i9 turn 0" in legal(match)


AROUND_THE_UPPER_RIGHT = """
w w e e e w
w w e e e w
g w -- -- e g
s g -- -- e s
w w s s w w
w w s s w w
"""
"""Earth from above the hole to its right, grass at the left of its lower row."""


@pytest.mark.rule("N-12")
@pytest.mark.parametrize("turns", range(4))
def test_a_corner_between_two_squares_of_a_diagonal_stays_apart(turns: int) -> None:
    """The tile's three earth squares are one with the earth outside; its grass is not."""
    drawing, towers = AROUND_THE_UPPER_RIGHT, ["earth 4 3,4", "grass 4 3,1"]
    for _ in range(turns):
        drawing = turned(drawing)
        towers = turned_pieces(towers)
    match = storeys.from_position(
        position(drawing, pieces=[towers], phase="place", hand=["e e\ng e"])
    )
    assert f"place t9 i9 turn {turns}" in legal(match)


@pytest.mark.rule("N-12")
def test_two_squares_of_a_tile_join_what_lies_at_its_sides() -> None:
    towers = ["earth 6 2,1", "earth 8 2,4"]
    match = storeys.from_position(
        position(RING, pieces=[towers], phase="place", hand=["e e\ng s", "g g\ng g"])
    )
    sentence = (
        "skyscraper 6 (earth) on h9 and skyscraper 8 (earth) on k9 would meet in one district, "
        "and there is another way to lay a tile"
    )
    refuses(match, "place t16 i9", "N-12", sentence)


BOTH_SIDES = """
w w s s w w
w w s s w w
g e -- -- g s
s e -- -- w s
s w w w s s
s w w w s s
"""


@pytest.mark.rule("N-12")
def test_a_district_touched_twice_is_joined_to_nothing() -> None:
    """Earth at both squares of the left side, grass at the upper one of the right side."""
    match = storeys.from_position(
        position(
            BOTH_SIDES, pieces=[["earth 4 2,1", "grass 4 2,4"]], phase="place", hand=["e g\ne s"]
        )
    )
    assert "place t9 i9 turn 0" in legal(match)


# --- build


ALL_UTILITIES = [
    "bus-parks-1 0,0", "bus-parks-2 0,2", "bus-sports-1 0,4", "bus-sports-2 0,6",
    "bus-grounds-1 2,0",
    "windmill-left-1 2,2", "windmill-left-2 2,4", "windmill-right-1 2,6", "windmill-top-1 4,2",
    "windmill-top-2 4,4",
]  # fmt: skip
"""As many as one player has, on ten tiles."""
GUARDED_BELOW = filler_city(8) + "\ns w e g e g e g\ne g s w s w s w"


@pytest.mark.rule("N-13")
@pytest.mark.parametrize(
    ("tile", "phase"),
    [
        ("e e\ne e", "draw"),  # all of it joins the district of the tower
        ("e e\ne wp", "draw"),  # water has no tower, but a park
        ("e e\ne w", "build"),
        ("g g\ng g", "build"),
    ],
)
def test_with_no_utility_left_a_guarded_tile_takes_nothing(tile: str, phase: str) -> None:
    pieces = [*ALL_UTILITIES, "earth 4 5,0"]
    given = position(GUARDED_BELOW, pieces=[pieces], phase="place", hand=[tile])
    assert given["utilities"] == []
    match = storeys.from_position(given)
    match.push("place t13 g13")
    assert match.position()["phase"] == phase
    assert bool(legal(match, "skyscraper")) == (phase == "build")


@pytest.mark.rule("N-13")
def test_with_no_skyscraper_left_for_its_terrain_a_tile_takes_a_utility_only() -> None:
    towers = ["earth 4 0,0", "earth 6 0,2", "earth 8 0,4", "earth 10 0,6", "earth 12 2,0"]
    given = position(filler_city(8), pieces=[towers], phase="place", hand=["e e\ne e"])
    match = storeys.from_position(given)
    match.push("place t9 g11")
    assert match.position()["skyscrapers"]["earth"] == []
    assert legal(match, "skyscraper") == []
    assert len(legal(match, "utility")) == 4 * 10
    refuses(match, "skyscraper earth 4 g11", "N-8", "skyscraper 4 (earth) is not in the supply")


# --- skyscrapers score


@pytest.mark.rule("N-18")
def test_a_utility_among_towers_is_none_of_them() -> None:
    """The tile laid last joins two districts of two squares; on it stands the set's first bus."""
    drawing = RING.replace("-- --", "e s", 1).replace("-- --", "g w", 1)
    order = [*in_building_order(PLACES - {(1, 1)}, (0, 0)), (1, 1)]
    pieces = ["earth 12 1,2", "earth 10 2,1", "bus-parks-1 2,2"]
    assert scored(drawing, *pieces, order=order) == [0, -10, -8]


# --- buses score


@pytest.mark.rule("N-19")
@from_every_corner
def test_a_bus_looks_to_the_far_ends_of_its_row_and_column(first: Place) -> None:
    """One bus at the top left, one at the bottom right: each needs the first and the last park."""
    parks = {"b1": "gp", "h1": "gp", "a2": "sp", "a8": "sp", "g8": "sp", "h7": "gp"}
    buses = ["bus-parks-1 0,0", "bus-parks-2 7,7"]
    assert scored(full_city(**parks), *buses, first=first) == [8, 8]
    del parks["b1"], parks["g8"]
    assert scored(full_city(**parks), *buses, first=first) == [-8, -8]


# --- windmills score


@pytest.mark.rule("N-20")
@from_every_corner
@pytest.mark.parametrize(
    ("windmills", "expected"),
    [
        (["left-1 3,0", "right-1 4,7", "top-1 0,3", "bottom-1 7,4", "corner-1 0,7"],
         [4, 4, 4, 4, 5]),
        (["left-1 3,7", "right-1 4,0", "top-1 7,3", "bottom-1 0,4", "centre-1 3,3"],
         [-4, -4, -4, -4, 6]),
        (["corner-1 0,3", "corner-2 3,0", "centre-1 4,7", "centre-2 7,3", "left-1 3,3"],
         [-5, -5, -6, -6, -4]),
        (["corner-1 7,0", "corner-2 7,7", "centre-1 4,4", "centre-2 3,5", "top-1 2,6"],
         [5, 5, 6, 6, -4]),
        (["corner-1 5,7", "corner-2 7,5", "centre-1 0,4", "centre-2 2,1", "right-1 4,4"],
         [-5, -5, -6, -6, -4]),
    ],
)  # fmt: skip
def test_windmills_of_a_full_city(first: Place, windmills: list[str], expected: list[int]) -> None:
    pieces = [f"windmill-{windmill}" for windmill in windmills]
    assert scored(filler_city(16), *pieces, first=first) == expected


ALONG = {
    "windmill-left-1 0,0": 4, "windmill-right-1 0,7": 4, "windmill-top-1 0,3": 0,
    "windmill-bottom-1 0,5": 0,
}  # fmt: skip
DOWN = {
    "windmill-top-1 0,0": 4, "windmill-bottom-1 7,0": 4, "windmill-left-1 3,0": 0,
    "windmill-right-1 5,0": 0,
}  # fmt: skip


@pytest.mark.rule("N-R4")
@pytest.mark.parametrize("end", [0, 3])
def test_four_tiles_in_a_line_settle_one_direction(end: int) -> None:
    line = filler_city(4)
    assert scored(line, *ALONG, first=(0, end)) == list(ALONG.values())
    column = turned(line)
    assert scored(column, *DOWN, first=(end, 0)) == list(DOWN.values())
    for city, first in ((line, (0, end)), (column, (end, 0))):
        pieces = [
            "windmill-corner-1 0,0",
            "windmill-centre-1 " + ("0,2" if city == line else "2,0"),
        ]
        assert scored(city, *pieces, first=first) == [0, 0]


# --- biospheres score


@pytest.mark.rule("N-21")
@from_every_corner
def test_biospheres_in_the_corners_of_a_full_city(first: Place) -> None:
    falling = full_city(a1="g", b1="g", a2="g", b2="w", g7="e", h7="e", g8="s", h8="e")
    rising = full_city(g1="w", h1="w", g2="s", h2="w", a7="g", b7="w", a8="g", b8="g")
    pieces = ["biosphere-l3-1 0,0", "biosphere-l3-2 7,7"]
    assert scored(falling, *pieces, first=first) == [5, 5]
    pieces = ["biosphere-l3-1 0,7", "biosphere-l3-2 7,0"]
    assert scored(rising, *pieces, first=first) == [5, 5]
    # The same squares without the one at the city's corner are another shape.
    assert scored(falling, "biosphere-i3-1 0,0", "biosphere-i3-2 7,7", first=first) == [-5, -5]


@pytest.mark.rule("N-21")
@from_every_corner
def test_a_biosphere_that_reaches_out_in_its_last_row_and_column_only(first: Place) -> None:
    """Its upper square is in the last column of the city, its left one in the last row."""
    drawing = full_city(g7="s", h7="e", g8="e", h8="e")
    assert scored(drawing, "biosphere-l3-1 7,7", first=first) == [5]


THREE = "g s e e e g\nw g s w s w"


@pytest.mark.rule("N-21")
@from_every_corner
def test_the_last_square_of_a_city_alone_has_a_shape(first: Place) -> None:
    """A biosphere that stands there and is not finished is measured by it."""
    state = storeys.from_position(position(full_city(), first=first)).state()[0]
    row, col = 7 - 2 * first[0], 7 - 2 * first[1]
    district = int(state.district[0, square_at(row, col)])
    assert shape_of_district(state, 0, district) == (row, col, 1)


@pytest.mark.rule("N-22")
def test_the_most_parks_and_the_most_sports_grounds_are_part_of_a_total() -> None:
    """The first and the third city tie with a sports ground, the second has two parks."""
    match = storeys.from_position(position("ep e\neo e", "gp gp\ng g", "s s\nso s", to_move=2))
    assert match.totals == [5, 5, 5]


@pytest.mark.rule("N-21")
@pytest.mark.parametrize("earlier", ["windmill-left-1 0,0", "grass 4 0,0", "stone 12 0,1"])
def test_a_piece_elsewhere_does_not_hide_the_better_biosphere(earlier: str) -> None:
    pieces = [earlier, "biosphere-i3-1 0,2", "biosphere-i3-2 0,4"]
    assert scored(THREE, *pieces)[1:] == [5, -5]


def with_utilities(given: dict[str, Any], utilities: list[dict[str, Any]]) -> dict[str, Any]:
    given["options"]["components"]["utilities"] = utilities
    return given


@pytest.mark.rule("N-21")
def test_a_set_may_begin_with_a_biosphere() -> None:
    given = position("e e e g\ns w s w", pieces=[["biosphere-i3-1 0,0", "biosphere-i3-2 0,2"]])
    ordered = sorted(BOX["utilities"], key=lambda utility: utility["id"] != "biosphere-i3-1")
    found = points(with_utilities(given, ordered))
    assert found == {"biosphere-i3-1": 5, "biosphere-i3-2": -5}


@pytest.mark.rule("N-21")
def test_a_tower_is_no_biosphere() -> None:
    """The last skyscraper, and the last biosphere of the set, in one district of its shape."""
    drawing = "w w e s\ng w w s\n"
    assert scored(drawing, "water 12 0,0", "biosphere-z4-1 1,2") == [-12, 8]


HOOK = [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0]]


@pytest.mark.rule("N-21")
@pytest.mark.parametrize(
    ("drawing", "expected"), [("e e e e\ne w s w", 8), ("e e e e e g\ns w s w s w", -8)]
)
def test_five_squares_in_a_line_are_no_hook(drawing: str, expected: int) -> None:
    """Only a set of one's own has shapes of five squares."""
    given = position(drawing, pieces=[["biosphere-i3-1 0,0"]])
    utilities = [
        utility | {"shape": HOOK, "points": 8} if utility["id"] == "biosphere-i3-1" else utility
        for utility in BOX["utilities"]
    ]
    assert points(with_utilities(given, utilities)) == {"biosphere-i3-1": expected}


# --- random moves, and the end


def samples(match: storeys.Match, count: int) -> Counter[storeys.Move]:
    rng = chance.generator(7)
    return Counter(match.random_move(rng) for _ in range(count))


@pytest.mark.rule("N-11")
def test_random_placements_of_tiles_that_look_alike_in_some_turns() -> None:
    match = storeys.from_position(position(FILLER, phase="place", hand=["e e\ne e", "e g\ng e"]))
    assert len(match.legal_moves) == 4 * (4 + 1 + 2)
    found = samples(match, 25 * len(match.legal_moves))
    _check_frequencies(found, Counter(match.legal_moves), "placements")


@pytest.mark.rule("N-12")
def test_random_placements_join_nothing_if_that_can_be_avoided() -> None:
    match = storeys.from_position(
        position(RING, pieces=[RING_TOWERS], phase="place", hand=["g g\ng g", FILLER])
    )
    assert list(map(str, samples(match, 80))) == ["place t16 i9 turn 0"]


@pytest.mark.rule("N-16")
def test_a_finished_city_takes_no_move() -> None:
    match = storeys.from_position(position(filler_city(16), to_move=None, phase="over"))
    assert list(match.legal_moves) == []
    refuses(match, "draw 1", "N-16", "the match is over")


# --- evaluation


def test_a_city_at_the_top_of_the_window_is_judged() -> None:
    """Beside its uppermost squares there is no place; uncompiled code cannot even ask for it."""
    match = storeys.new("neoville", players=1, seed=7)
    for row in (0, -1, -2, -3):
        places = [move for move in match.legal_moves if move.kind == "place"]
        match.push(next(m for m in places if (m.to_json()["row"], m.to_json()["col"]) == (row, 0)))
        match.push("draw pile")
    promised = np.zeros(1)
    verbs.evaluate(match.state()[0], match.setup.components.tables[0], promised)
    assert promised[0] >= match.totals[0]
