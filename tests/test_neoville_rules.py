"""Neoville's rules one by one, in positions that can be checked by eye."""

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest

import storeys
from storeys import IllegalMove
from storeys.kernel import entry_points
from storeys.registry import get_game
from tests.neoville_cities import (
    BOX,
    FILLER,
    HOLE,
    HOLE_TOWERS,
    THROUGH_THE_L,
    filler_city,
    parts_by_rule,
    position,
)

TILES = {tile["id"]: tile for tile in BOX["tiles"]}
ORDINARY = [tile for tile in BOX["tiles"] if "equity" not in tile]
EQUITY = {tile["equity"]: tile for tile in BOX["tiles"] if "equity" in tile}
UTILITIES = {utility["id"]: utility for utility in BOX["utilities"]}

# A city with one hole, at i9, between four districts of earth that stand apart.
RING = """
w w  g s  w w  w w
w w  e e  w w  w w
g e  -- --  e g  w w
s e  -- --  e s  w w
w w  e e  w w  w w
w w  g s  w w  w w
w w  w w  w w  w w
w w  w w  w w  w w
"""
RING_TOWERS = ["earth 4 1,2", "earth 6 2,1", "earth 8 2,4", "earth 10 4,2"]


def squares(tile: dict[str, Any]) -> list[dict[str, Any]]:
    return [square for row in tile["squares"] for square in row]


def symbols(tile: dict[str, Any]) -> tuple[str, ...]:
    return tuple(sorted(square["symbol"] for square in squares(tile) if square["symbol"]))


def clockwise(tile: dict[str, Any]) -> str:
    a, b, c, d = (str(square["terrain"])[0] for square in squares(tile))
    return a + b + d + c


def pattern(tile: dict[str, Any]) -> str:
    """The look of a tile, the same however it is turned."""
    letters = clockwise(tile)
    return min(letters[n:] + letters[:n] for n in range(4))


def refuses(match: storeys.Match, move: str, rule: str, sentence: str) -> None:
    with pytest.raises(IllegalMove) as caught:
        match.push(move)
    assert str(caught.value) == f"{rule}: {sentence}"


def legal(match: storeys.Match, kind: str = "") -> list[str]:
    return [str(move) for move in match.legal_moves if str(move).startswith(kind)]


def scored(drawing: str, *pieces: str, **more: Any) -> list[dict[str, Any]]:
    """The parts of seat 0 alone, with a city and pieces on it."""
    match = storeys.from_position(position(drawing, pieces=[list(pieces)], **more))
    parts: list[dict[str, Any]] = match.score()[0]["parts"]
    return parts


def points(drawing: str, *pieces: str) -> list[int]:
    return [part["points"] for part in scored(drawing, *pieces)]


# --- components


@pytest.mark.rule("N-1")
def test_78_tiles_of_four_terrains() -> None:
    assert len(BOX["tiles"]) == 78
    assert len(ORDINARY) == 74
    assert sorted(EQUITY) == [1, 2, 3, 4]
    terrains = {square["terrain"] for tile in BOX["tiles"] for square in squares(tile)}
    assert terrains == {"earth", "grass", "stone", "water"}
    assert {s["symbol"] for t in BOX["tiles"] for s in squares(t)} == {None, "park", "sport"}


@pytest.mark.rule("N-2")
def test_28_skyscrapers() -> None:
    values = [4, 5, 6, 7, 8, 10, 12]
    assert BOX["skyscrapers"] == [
        {"terrain": terrain, "values": values} for terrain in ("earth", "grass", "stone", "water")
    ]


@pytest.mark.rule("N-3")
def test_12_utilities_of_each_kind() -> None:
    kinds = Counter(utility["kind"] for utility in BOX["utilities"])
    assert kinds == {"bus": 12, "windmill": 12, "biosphere": 12}


@pytest.mark.rule("N-4")
def test_two_buses_of_each_sort() -> None:
    buses = Counter(
        ("+".join(u["needs"]), u["count"], u["points"])
        for u in BOX["utilities"]
        if u["kind"] == "bus"
    )
    assert buses == {
        ("park", 4, 8): 2,
        ("sport", 4, 8): 2,
        ("park+sport", 4, 5): 2,
        ("skyscraper", 3, 5): 2,
        ("skyscraper", 4, 8): 2,
        ("utility", 3, 8): 2,
    }


@pytest.mark.rule("N-5")
def test_two_windmills_of_each_sort() -> None:
    windmills = Counter(
        (u["where"], u["points"]) for u in BOX["utilities"] if u["kind"] == "windmill"
    )
    assert windmills == {
        ("left", 4): 2,
        ("right", 4): 2,
        ("top", 4): 2,
        ("bottom", 4): 2,
        ("corner", 5): 2,
        ("centre", 6): 2,
    }


@pytest.mark.rule("N-6")
def test_the_biospheres() -> None:
    found = Counter(
        (str(sorted(u["shape"])), u["points"]) for u in BOX["utilities"] if "shape" in u
    )
    shapes = {
        "[[0, 0], [1, 0], [1, 1]]": (5, 2),  # L3
        "[[0, 0], [0, 1], [0, 2]]": (5, 2),  # I3
        "[[0, 0], [0, 1], [1, 0], [1, 1]]": (6, 2),  # O4
        "[[0, 0], [0, 1], [0, 2], [1, 1]]": (8, 2),  # T4
        "[[0, 0], [1, 0], [2, 0], [2, 1]]": (6, 1),  # L4
        "[[0, 1], [1, 1], [2, 0], [2, 1]]": (6, 1),  # its mirror image
        "[[0, 1], [0, 2], [1, 0], [1, 1]]": (8, 1),  # S4
        "[[0, 0], [0, 1], [1, 1], [1, 2]]": (8, 1),  # its mirror image
    }
    assert found == {(shape, value): copies for shape, (value, copies) in shapes.items()}


@pytest.mark.rule("N-7")
def test_the_reconstructed_tiles() -> None:
    looks = Counter(map(pattern, ORDINARY))
    assert len(looks) == 66
    assert all(len(set(look)) >= 2 for look in looks)
    twice = {look for look, copies in looks.items() if copies == 2}
    assert len(twice) == 8
    assert twice >= {"eegg", "ssww", "eess", "ggww"}
    assert sum(len(set(look)) == 4 for look in twice) == 4
    assert Counter(s["terrain"] for t in ORDINARY for s in squares(t)) == dict.fromkeys(
        ("earth", "grass", "stone", "water"), 74
    )
    assert Counter(map(symbols, ORDINARY)) == {
        ("park",): 24, ("sport",): 24, ("park", "sport"): 8, (): 18,
    }  # fmt: skip
    spread = Counter((s["terrain"], s["symbol"]) for t in ORDINARY for s in squares(t))
    for terrain in ("earth", "grass", "stone", "water"):
        assert spread[terrain, "park"] == spread[terrain, "sport"] == 8
    assert {number: symbols(tile) for number, tile in EQUITY.items()} == {
        1: (), 2: ("park",), 3: ("sport",), 4: ("park", "sport"),
    }  # fmt: skip
    assert all(len(set(pattern(tile))) == 4 for tile in EQUITY.values())


# --- set-up


@pytest.mark.rule("N-8", "N-R2")
@pytest.mark.parametrize(
    ("players", "values"),
    [
        (1, [4, 6, 8, 10, 12]),
        (2, [4, 6, 8, 10, 12]),
        (3, [4, 5, 6, 8, 10, 12]),
        (4, [4, 5, 6, 7, 8, 10, 12]),
    ],
)
def test_skyscrapers_by_number_of_players(players: int, values: list[int]) -> None:
    supply = storeys.new("neoville", players=players, seed=1).position()["skyscrapers"]
    assert supply == dict.fromkeys(("earth", "grass", "stone", "water"), values)


@pytest.mark.rule("N-9", "N-R2")
@pytest.mark.parametrize(("players", "each"), [(1, 5), (2, 5), (3, 6), (4, 7)])
def test_utilities_by_number_of_players(players: int, each: int) -> None:
    match = storeys.new("neoville", players=players, seed=2, utilities=["biosphere", "bus"])
    position = match.position()
    assert position["options"]["utilities"] == ["bus", "biosphere"]
    kinds = Counter(UTILITIES[utility]["kind"] for utility in position["utilities"])
    assert kinds == {"bus": each, "biosphere": each}


@pytest.mark.rule("N-9")
def test_utilities_at_random() -> None:
    drawn = [storeys.new("neoville", players=2, seed=seed).position() for seed in range(90)]
    pairs = Counter(tuple(p["options"]["utilities"]) for p in drawn)
    assert set(pairs) == {("bus", "windmill"), ("bus", "biosphere"), ("windmill", "biosphere")}
    assert min(pairs.values()) > 15
    # Every utility is in about 5 of 12 draws of its kind, which is in play in 2 of 3 matches.
    often = Counter(utility for p in drawn for utility in p["utilities"])
    assert len(often) == 36
    assert min(often.values()) > 10


@pytest.mark.rule("N-9")
@pytest.mark.parametrize(
    "wrong", ["bus", ["bus"], ["bus", "bus"], ["bus", "tram"], ["bus", "windmill", "biosphere"], 2]
)
def test_utilities_are_two_kinds(wrong: Any) -> None:
    with pytest.raises(storeys.StoreysError, match="N-9: choose two different kinds of utilities"):
        storeys.new("neoville", utilities=wrong)


@pytest.mark.rule("N-10")
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_deal(players: int) -> None:
    position = storeys.new("neoville", players=players, seed=3).position()
    assert len(position["row"]) == 4
    assert position["pile"] == 74 - 4 - 2 * players
    for seat, hand in enumerate(position["hands"]):
        assert hand[0] == f"equity{seat + 1}"
        assert len(hand) == 3
        assert not any(tile.startswith("equity") for tile in hand[1:])
    assert not any(tile.startswith("equity") for tile in position["row"])
    assert (position["to_move"], position["round"], position["phase"]) == (0, 1, "place")


# --- add


@pytest.mark.rule("N-11")
def test_the_first_tile_goes_to_the_middle_of_the_window() -> None:
    match = storeys.new("neoville", players=2, seed=4)
    assert {(m.to_json()["row"], m.to_json()["col"]) for m in match.legal_moves} == {(0, 0)}
    match.push("place equity1 g7 turn 3")
    assert match.position()["cities"][0]["tiles"] == [
        {"tile": "equity1", "row": 0, "col": 0, "turn": 3}
    ]


@pytest.mark.rule("N-11")
def test_a_tile_goes_edge_to_edge_and_terrains_need_not_match() -> None:
    match = storeys.from_position(position(FILLER, phase="place"))
    places = {(m.to_json()["row"], m.to_json()["col"]) for m in match.legal_moves}
    assert places == {(-1, 0), (0, -1), (0, 1), (1, 0)}
    assert len(match.legal_moves) == 3 * 4 * 4  # tiles, places, turns
    refuses(
        match, "place equity1 i9", "N-11", "a tile goes edge to edge with a tile of your city",
    )  # fmt: skip
    refuses(
        match, "place equity1 g7", "N-11", "a tile lies there already",
    )  # fmt: skip
    refuses(match, "place equity2 g9", "N-11", "you do not hold the tile equity2")
    match.push("place equity1 g9 turn 1")
    refuses(match, "place t2 i7", "N-11", "you have laid your tile this turn")


@pytest.mark.rule("N-11")
def test_the_city_is_never_larger_than_four_by_four() -> None:
    match = storeys.from_position(position(filler_city(4), phase="place", first=(0, 1)))
    places = {(m.to_json()["row"], m.to_json()["col"]) for m in match.legal_moves}
    assert places == {(row, col) for row in (-1, 1) for col in (-1, 0, 1, 2)}
    refuses(match, "place equity1 c7", "N-11", "there the city would no longer fit into 4×4 tiles")
    match.push("place equity1 g9")
    match.push("draw pile")
    places = {(m.to_json()["row"], m.to_json()["col"]) for m in match.legal_moves}
    assert (3, 0) not in places  # only edge to edge
    assert (2, 0) in places


@pytest.mark.rule("N-11")
def test_turns_that_look_the_same_are_listed_once() -> None:
    match = storeys.from_position(position(FILLER, phase="place", hand=["e e\ne e", "e g\ng e"]))
    turns = Counter((m.to_json()["tile"], m.to_json()["turn"]) for m in match.legal_moves)
    assert set(turns) == {*(("equity1", n) for n in range(4)), ("t2", 0), ("t3", 0), ("t3", 1)}
    match.push("place t3 i7 turn 3")
    assert match.position()["cities"][0]["tiles"][1]["turn"] == 1


# --- joining districts


@pytest.mark.rule("N-12")
def test_a_join_that_can_be_avoided_is_refused() -> None:
    match = storeys.from_position(
        position(RING, pieces=[RING_TOWERS], phase="place", hand=["g g\ng g", FILLER])
    )
    assert legal(match) == ["place t16 i9 turn 0"]
    sentence = (
        "skyscraper 4 (earth) on i8 and skyscraper 6 (earth) on h9 would meet in one district, "
        "and there is another way to lay a tile"
    )
    refuses(match, "place t17 i9", "N-12", sentence)
    match.push("place t16 i9")


@pytest.mark.rule("N-12")
def test_a_join_that_nothing_avoids_is_allowed_everywhere() -> None:
    match = storeys.from_position(position(RING, pieces=[RING_TOWERS], phase="place"))
    # Whatever corner the earth square of a tile comes to, it touches two of the districts.
    assert len(legal(match)) == 3 * 4
    match.push("place t16 i9 turn 2")
    assert match.score()[0]["parts"][0]["size"] == 2


@pytest.mark.rule("N-12")
@pytest.mark.parametrize("tile", ["e e\ne g", "e e\ne e", "e e\ng g"])
def test_joining_three_or_more_is_judged_the_same(tile: str) -> None:
    match = storeys.from_position(
        position(RING, pieces=[RING_TOWERS], phase="place", hand=[tile, "g g\ng g"])
    )
    assert legal(match) == ["place t17 i9 turn 0"]
    match = storeys.from_position(
        position(RING, pieces=[RING_TOWERS], phase="place", hand=[tile, tile])
    )
    assert "place t16 i9 turn 0" in legal(match)


@pytest.mark.rule("N-12")
def test_another_place_for_another_tile_is_a_way_to_avoid_it() -> None:
    """With room elsewhere even a tile of earth alone can be laid, so the hole stays closed."""
    ring = "\n".join(RING.strip().splitlines()[:6])
    match = storeys.from_position(
        position(ring, pieces=[RING_TOWERS], phase="place", hand=["e e\ne e", "e e\ne e"])
    )
    assert "place t12 i9 turn 0" not in legal(match)
    assert "place t12 g13 turn 0" in legal(match)


CORNER = """
g g s s
g g s e
w w -- --
w e -- --
"""


@pytest.mark.rule("N-12")
def test_squares_that_meet_at_a_corner_join_nothing() -> None:
    match = storeys.from_position(
        position(
            CORNER,
            pieces=[["earth 4 1,3", "earth 6 3,1"]],
            phase="place",
            hand=["g e\ne g", "e e\ne g"],
        )
    )
    assert "place t4 i9 turn 0" in legal(match)
    sentence = (
        "skyscraper 4 (earth) on j8 and skyscraper 6 (earth) on h10 would meet in one district, "
        "and there is another way to lay a tile"
    )
    refuses(match, "place t5 i9", "N-12", sentence)


@pytest.mark.rule("N-12")
@pytest.mark.parametrize("towers", [HOLE_TOWERS, [*HOLE_TOWERS, "earth 8 4,2"]])
def test_squares_of_a_diagonal_join_through_a_district_that_both_touch(towers: list[str]) -> None:
    """The L of earth touches both earth squares of the tile, with or without a skyscraper."""
    match = storeys.from_position(
        position(HOLE, pieces=[towers], phase="place", hand=[THROUGH_THE_L, FILLER])
    )
    assert "place t9 i9 turn 0" not in legal(match)
    assert "place t9 i9 turn 1" in legal(match)  # earth on the other diagonal touches the L only
    with pytest.raises(IllegalMove, match="would meet in one district") as caught:
        match.push("place t9 i9")
    assert caught.value.rule == "N-12"
    match.push("place t9 i9 turn 1")


# The hole at i9 again, in a city that is full but for it: earth on either diagonal of a tile joins
# the districts above it and at its right, on the one through a single square, on the other through
# the L.  The last tile is the equity tile.
FULL_BUT_A_HOLE = """
w w  g s  w w  w w
w w  e e  w w  w w
g e  -- --  e g  w w
s e  -- --  e s  w w
w e  e e  w w  w w
w w  g s  w w  w w
w w  w w  w w  e s
w w  w w  w w  w g
"""


def full_but_a_hole() -> dict[str, Any]:
    """Every tile of the hand has earth on a diagonal: nothing avoids a join."""
    found = position(FULL_BUT_A_HOLE, pieces=[HOLE_TOWERS], phase="place", hand=[THROUGH_THE_L] * 3)
    found["cities"][0]["tiles"][-1]["tile"] = "equity1"
    found["hands"][0].remove("equity1")
    found["shown"] = [[]]
    found["pile"] += 1
    return found


@pytest.mark.rule("N-12")
def test_a_join_through_a_district_is_no_way_to_avoid_one() -> None:
    match = storeys.from_position(full_but_a_hole())
    expected = [f"place t{tile} i9 turn {turn}" for tile in (16, 17, 18) for turn in (0, 1)]
    assert sorted(legal(match)) == expected
    match.push(expected[0])


@pytest.mark.rule("N-12")
def test_matches_of_version_1_go_on_without_seeing_joins_through_a_district() -> None:
    through = {"rules_version": 1} | position(
        HOLE, pieces=[HOLE_TOWERS], phase="place", hand=[THROUGH_THE_L]
    )
    old = storeys.from_position(through)
    assert "place t9 i9 turn 0" in legal(old)
    assert old.view(0)["rules_version"] == old.position()["rules_version"] == 1
    assert sorted(map(str, storeys.from_position(old.view(0)).legal_moves)) == sorted(legal(old))
    old.push("place t9 i9")
    assert old.record()["rules_version"] == 1
    assert storeys.load(old.record()).position() == old.position()
    assert storeys.load(old.record()).record() == old.record()
    assert pickle.loads(pickle.dumps(old)).record() == old.record()
    # What is no join is a way to avoid one: only those placements were allowed.
    avoided = storeys.from_position({"rules_version": 1} | full_but_a_hole())
    assert sorted(legal(avoided)) == [f"place t{tile} i9 turn 0" for tile in (16, 17, 18)]


@pytest.mark.rule("N-12")
def test_districts_without_two_skyscrapers_may_be_joined() -> None:
    joins = "e e\ne g"
    for pieces in (["earth 4 1,3"], ["earth 6 3,1"], ["water 4 3,0", "earth 6 1,3"]):
        match = storeys.from_position(
            position(CORNER, pieces=[pieces], phase="place", hand=[joins])
        )
        assert "place t4 i9 turn 0" in legal(match)


@pytest.mark.rule("N-12")
def test_districts_follow_the_tiles() -> None:
    """The district of every square, against a flood fill, after every tile of random games."""
    for seed in range(6):
        match = storeys.arena.playouts("neoville", 1, players=2, seed=seed).match(0)
        while match.moves_made:
            match.pop()
            state = match.state()[0]
            for seat in range(2):
                assert flooded(state, seat) == kept(state, seat)


def flooded(state: Any, seat: int) -> set[frozenset[int]]:
    left = {square for square in range(256) if state.terrain[seat, square] >= 0}
    found = set()
    while left:
        district, edge = set(), {min(left)}
        while edge:
            district |= edge
            terrain = state.terrain[seat, min(edge)]
            edge = {
                square + step
                for square in edge
                for step in (-16, -1, 1, 16)
                if square + step in left and state.terrain[seat, square + step] == terrain
            } - district
        left -= district
        found.add(frozenset(district))
    return found


def kept(state: Any, seat: int) -> set[frozenset[int]]:
    districts: dict[int, set[int]] = {}
    for square in range(256):
        if state.district[seat, square] >= 0:
            districts.setdefault(int(state.district[seat, square]), set()).add(square)
    assert {d: len(s) for d, s in districts.items()} == {
        d: int(size) for d, size in enumerate(state.district_size[seat]) if size
    }
    return {frozenset(squares) for squares in districts.values()}


# --- build


@pytest.mark.rule("N-13")
def test_one_piece_on_the_tile_just_laid_or_none() -> None:
    match = storeys.from_position(
        position("e ep g g\ne eo g g", supply=["bus-parks-1"], first=(0, 1))
    )
    assert match.position()["phase"] == "build"
    refuses(match, "skyscraper grass 4 g7", "N-13", "build on the tile you have just laid, the one at e7")  # fmt: skip  # noqa: E501
    refuses(match, "utility bus-parks-1 f7", "N-13", "f7 is a park or a sports ground; build on a free square")  # fmt: skip  # noqa: E501
    refuses(match, "utility bus-parks-1 f8", "N-13", "f8 is a park or a sports ground; build on a free square")  # fmt: skip  # noqa: E501
    assert "draw 1" in legal(match)
    match.push("utility bus-parks-1 e7")
    assert match.position()["phase"] == "draw"
    refuses(match, "skyscraper earth 4 e8", "N-13", "you have built this turn; draw a tile")
    assert legal(match) == ["draw 1", "draw 2", "draw 3", "draw 4", "draw pile"]


@pytest.mark.rule("N-13")
def test_a_piece_must_be_in_the_supply() -> None:
    match = storeys.from_position(position("e e\ne e", supply=["bus-parks-1"]))
    refuses(match, "skyscraper earth 5 g7", "N-8", "skyscraper 5 (earth) is not in the supply")
    refuses(match, "utility bus-utilities-2 g7", "N-9", "bus for 3 other utilities is not in the supply")  # fmt: skip  # noqa: E501
    match.push("skyscraper earth 4 g7")
    assert match.position()["skyscrapers"]["earth"] == [6, 8, 10, 12]


@pytest.mark.rule("N-13")
def test_a_tile_without_a_free_square_goes_straight_to_the_draw() -> None:
    match = storeys.from_position(position(FILLER, phase="place", hand=["ep eo\nep eo"]))
    match.push("place t2 g9")
    assert match.position()["phase"] == "draw"


@pytest.mark.rule("N-14")
def test_a_skyscraper_stands_on_its_own_terrain() -> None:
    match = storeys.from_position(position("e g\ns w"))
    assert Counter(move.split()[1] for move in legal(match, "skyscraper")) == dict.fromkeys(
        ("earth", "grass", "stone", "water"), 5
    )
    refuses(match, "skyscraper water 8 g7", "N-14", "skyscraper 8 (water) needs water; g7 is earth")
    match.push("skyscraper water 8 h8")


@pytest.mark.rule("N-14")
def test_a_district_takes_one_skyscraper() -> None:
    match = storeys.from_position(
        position("e e e g\ns s w w", pieces=[["earth 6 0,0"]], supply=["bus-parks-1"])
    )
    refuses(
        match,
        "skyscraper earth 4 i7",
        "N-14",
        "the district already holds skyscraper 6 (earth) on g7",
    )
    assert {move.split()[1] for move in legal(match, "skyscraper")} == {"grass", "water"}


@pytest.mark.rule("N-15")
def test_a_utility_goes_into_any_district() -> None:
    match = storeys.from_position(
        position("e e e g\ns s w w", pieces=[["earth 6 0,0"]], supply=["biosphere-l3-1"])
    )
    assert len(legal(match, "utility biosphere-l3-1")) == 4
    match.push("utility biosphere-l3-1 i7")


# --- draw


@pytest.mark.rule("N-16")
def test_a_draw_from_the_row_is_filled_up_in_place() -> None:
    match = storeys.from_position(position(FILLER, filler_city(0)))
    before = match.position()
    match.push("draw 2")
    after = match.position()
    assert after["hands"][0] == [*before["hands"][0], before["row"][1]]
    assert after["row"][0::2] == before["row"][0::2]
    assert after["row"][1] not in before["row"]
    assert after["pile"] == before["pile"] - 1
    assert (after["to_move"], after["phase"]) == (1, "place")


@pytest.mark.rule("N-16")
def test_sixteen_rounds_and_the_last_draw_is_made_too() -> None:
    for players in (1, 2, 3, 4):
        match = storeys.arena.playouts("neoville", 1, players=players, seed=5).match(0)
        over = match.position()
        assert [len(city["tiles"]) for city in over["cities"]] == [16] * players
        assert [len(hand) for hand in over["hands"]] == [3] * players
        assert (over["phase"], over["round"], over["to_move"]) == ("over", 16, None)
        kind = match.pop().to_json()["kind"]
        assert kind == "draw"
        assert match.to_move == players - 1
        refuses(match, "end", "N-16", "you must draw a tile to end your turn")


@pytest.mark.rule("N-16")
def test_four_players_empty_the_pile_and_the_row_gets_shorter() -> None:
    match = storeys.arena.playouts("neoville", 1, players=4, seed=6).match(0)
    assert (match.position()["pile"], len(match.position()["row"])) == (0, 2)
    match.pop()
    refuses(match, "draw pile", "N-16", "the pile is empty; draw from the row")
    refuses(match, "draw 4", "N-16", "that place of the row is empty")
    refuses(match, "end", "N-16", "you must draw a tile to end your turn")
    assert legal(match, "draw") == ["draw 1", "draw 2", "draw 3"]


@pytest.mark.rule("N-16")
def test_with_nothing_to_draw_the_step_is_skipped() -> None:
    """No match of a full box comes to that, so the tiles are taken away by hand."""
    match = storeys.new("neoville", players=1, seed=7)
    match.push("place equity1 g7")
    state = match.state()
    state["row_size"][0] = state["pile_size"][0] = 0
    box = get_game("neoville").load_components()
    actions, codes = np.empty(800, np.int64), np.empty(800, np.int64)
    count = entry_points.legal_codes(state, box.tables, actions, codes)
    texts = [match.game.notation.text(int(code), box) for code in codes[:count]]
    assert texts[-1] == "end"
    assert not any(text.startswith("draw") for text in texts)
    assert entry_points.push(state, box.tables, int(codes[count - 1]), False) >= 0
    assert (int(state["round_no"][0]), int(state["phase"][0])) == (2, 0)


@pytest.mark.rule("N-16")
def test_after_the_end_nothing_moves() -> None:
    match = storeys.arena.playouts("neoville", 1, players=2, seed=8).match(0)
    refuses(match, "draw 1", "N-16", "the match is over")


# --- skyscrapers score


@pytest.mark.rule("N-17")
def test_a_waterfall_of_8_on_8_water_squares() -> None:
    assert points("w w w w\nw w w w", "water 8 0,2") == [8]


@pytest.mark.rule("N-17")
def test_a_terracotta_of_5_on_4_earth_squares() -> None:
    three = position("e e\ne e", filler_city(0), filler_city(0), pieces=[["earth 5 0,0"], [], []])
    match = storeys.from_position(three)
    part = match.score()[0]["parts"][0]
    assert part["points"] == -5
    assert (part["size"], part["missing"]) == (4, 1)
    assert part["label"] == (
        "skyscraper 5 (earth) on g7: its district has 4 squares, needs 1 more earth square"
    )


@pytest.mark.rule("N-17")
def test_a_stone_of_4_on_2() -> None:
    part = scored("s s e g\nw g w e", "stone 4 0,0")[0]
    assert part["points"] == -4
    assert part["squares"] == [[0, 0], [0, 1]]


@pytest.mark.rule("N-17")
def test_squares_with_symbols_and_pieces_count() -> None:
    city = "wp wo w w\nw w wp w"
    assert points(city, "water 8 1,0", "windmill-left-1 0,2")[0] == 8


@pytest.mark.rule("N-17")
def test_a_district_does_not_go_around_a_corner() -> None:
    assert points("w w e e\nw w e e\ng g w w\ng g w w", "water 6 0,0") == [-6]


@pytest.mark.rule("N-18")
def test_of_several_skyscrapers_the_best_counts() -> None:
    match = storeys.from_position(
        position(RING, pieces=[RING_TOWERS], phase="place", hand=["e e\ne e", "e e\ne e"])
    )
    match.push("place t16 i9")
    # Four districts of 2 and the tile make 12: the 10 counts, the others nothing.
    assert parts_by_rule(match) == {"N-17": [10], "N-18": [0, 0, 0]}
    assert {part["size"] for part in match.score()[0]["parts"]} == {12}
    assert match.score()[0]["parts"][0]["label"].endswith("in this district skyscraper 10 (earth) on i11 counts")  # fmt: skip  # noqa: E501


@pytest.mark.rule("N-18")
def test_if_all_fail_the_smallest_loss_counts() -> None:
    towers = ["earth 12 1,2", "earth 10 2,1", "earth 8 2,4", "earth 6 4,2"]
    match = storeys.from_position(position(RING, pieces=[towers], phase="place"))
    match.push("place t16 i9 turn 0")  # the square at i9 joins the districts above and to the left
    by_value = {part["value"]: part["points"] for part in match.score()[0]["parts"]}
    assert by_value == {12: 0, 10: -10, 8: -8, 6: -6}


# --- utilities score


PARKS = """
e ep g  gp
g s  w  e
sp w  e  g
e  g  s  w
"""


@pytest.mark.rule("N-19")
def test_a_bus_with_4_parks_in_row_and_column() -> None:
    city = "g  ep e gp\ns w  g s\nep g  s w\nsp w  e g"
    part = scored(city, "bus-parks-1 0,0")[0]
    assert part["points"] == 8
    assert part["count"] == 4
    assert part["squares"] == [[0, 1], [0, 3], [2, 0], [3, 0]]
    assert part["label"] == "bus for 4 parks on g7: counts 4 (h7, j7, g9, g10)"


@pytest.mark.rule("N-19")
def test_a_bus_that_finds_too_little() -> None:
    part = scored(PARKS, "bus-parks-1 0,0")[0]
    assert part["points"] == -8
    assert (part["count"], part["missing"]) == (3, 1)
    assert part["label"].endswith("counts 3 (h7, j7, g9), needs 1 more park")


@pytest.mark.rule("N-19")
@pytest.mark.parametrize(
    ("bus", "found"),
    [("bus-parks-1", 2), ("bus-sports-1", 2), ("bus-grounds-1", 4)],
)
def test_a_bus_counts_what_it_asks_for(bus: str, found: int) -> None:
    city = "g  ep e go\ns w  gp s\nep go  s w\nso w  e g"
    part = scored(city, f"{bus} 0,0")[0]
    assert part["count"] == found
    assert part["points"] == (5 if found == 4 else -8)


ROW_OF_TILES = "e g e g e g e g\ns w s w s w s w"


@pytest.mark.rule("N-19")
def test_a_bus_counts_skyscrapers_and_other_utilities_but_not_itself() -> None:
    pieces = ["earth 4 0,0", "bus-skyscrapers3-1 0,3", "earth 6 0,4", "grass 8 0,7"]
    assert points(ROW_OF_TILES, *pieces)[1] == 5
    pieces = ["bus-utilities-1 0,0", "windmill-top-1 0,3", "bus-parks-1 0,4", "bus-parks-2 0,7"]
    parts = scored(ROW_OF_TILES, *pieces)
    assert (parts[0]["count"], parts[0]["points"]) == (3, 8)
    pieces = ["bus-utilities-1 0,0", "windmill-top-1 0,3", "bus-parks-1 0,4", "grass 8 0,7"]
    parts = scored(ROW_OF_TILES, *pieces)
    assert (parts[0]["count"], parts[0]["points"]) == (2, -8)


@pytest.mark.rule("N-19")
def test_one_thing_serves_several_buses_across_gaps() -> None:
    city = """
    gp e  g s  gp e
    s  w  e w  s  w
    e  s  -- -- e s
    g  w  -- -- g w
    gp e  g s  g  e
    s  w  e w  s  w
    """
    parts = scored(city, "bus-parks-1 2,0", "bus-parks-2 0,2")
    assert [part["squares"] for part in parts if part["utility"] == "bus-parks-1"] == [
        [[0, 0], [4, 0]]
    ]
    assert [part["squares"] for part in parts if part["utility"] == "bus-parks-2"] == [
        [[0, 0], [0, 4]]
    ]


@pytest.mark.rule("N-20")
@pytest.mark.parametrize(
    ("windmill", "tile", "expected"),
    [
        ("windmill-left-1", (2, 0), 4),
        ("windmill-left-1", (2, 1), -4),
        ("windmill-right-1", (0, 3), 4),
        ("windmill-right-1", (0, 0), -4),
        ("windmill-top-1", (0, 2), 4),
        ("windmill-top-1", (3, 2), -4),
        ("windmill-bottom-1", (3, 1), 4),
        ("windmill-bottom-1", (2, 1), -4),
        ("windmill-corner-1", (3, 3), 5),
        ("windmill-corner-1", (0, 1), -5),
        ("windmill-corner-1", (1, 1), -5),
        ("windmill-centre-1", (1, 2), 6),
        ("windmill-centre-1", (1, 0), -6),
        ("windmill-centre-1", (0, 0), -6),
    ],
)
def test_a_windmill_wants_its_place(windmill: str, tile: tuple[int, int], expected: int) -> None:
    piece = f"{windmill} {2 * tile[0]},{2 * tile[1]}"
    assert points(filler_city(16), piece) == [expected]


@pytest.mark.rule("N-20")
def test_a_windmill_in_the_left_column() -> None:
    part = scored(filler_city(16), "windmill-left-1 2,0")[0]
    assert part["points"] == 4
    assert part["tile"] == [1, 0]
    assert part["label"] == (
        "windmill for the leftmost column on g9: stands in the leftmost column"
    )
    wrong = scored(filler_city(16), "windmill-left-1 2,2")[0]["label"]
    assert wrong.endswith(
        "should be in the leftmost column, but its tile is in tile row 2, tile column 2"
    )


@pytest.mark.rule("N-21")
def test_a_biosphere_on_an_l_of_3() -> None:
    part = scored("e g w g\ne e s s", "biosphere-l3-1 0,0")[0]
    assert part["points"] == 5
    assert part["squares"] == [[0, 0], [1, 0], [1, 1]]
    assert part["label"] == "biosphere ■□/■■ on g7: its district has this shape"


@pytest.mark.rule("N-21")
@pytest.mark.parametrize("city", ["e e\ne g", "e e\ng e", "g e\ne e", "e g\ne e"])
def test_a_biosphere_may_be_turned(city: str) -> None:
    assert points(city, f"biosphere-l3-1 {'0,0' if city[0] == 'e' else '0,1'}") == [5]


L4 = "e g w w\ne s s g\ne e g w\ns g w s"
J4 = "w e g w\ns e s g\ne e g w\ng s w s"
S4 = "g e e w\ne e s g\nw g w s\ns w g w"
Z4 = "e e g w\ns e e g\nw g w s\ns w g w"


@pytest.mark.rule("N-21")
@pytest.mark.parametrize(
    ("city", "square", "plus", "minus"),
    [
        (L4, "0,0", "biosphere-l4-1", "biosphere-j4-1"),
        (J4, "0,1", "biosphere-j4-1", "biosphere-l4-1"),
        (S4, "0,1", "biosphere-s4-1", "biosphere-z4-1"),
        (Z4, "0,0", "biosphere-z4-1", "biosphere-s4-1"),
    ],
)
def test_a_mirror_image_is_another_shape(city: str, square: str, plus: str, minus: str) -> None:
    right = UTILITIES[plus]["points"]
    assert points(city, f"{plus} {square}") == [right]
    part = scored(city, f"{minus} {square}")[0]
    assert part["points"] == -right
    assert part["label"].endswith("its district has the mirror image of this shape")


@pytest.mark.rule("N-21")
def test_why_a_biosphere_fails() -> None:
    small = scored("e e\ng s", "biosphere-l3-1 0,0")[0]
    assert small["label"].endswith("its district has 2 squares, needs 1 more earth square")
    large = scored("e e\ne e", "biosphere-l3-1 0,0")[0]
    assert large["label"].endswith("its district is 1 square too large")
    other = scored("e e e g\ns w s w", "biosphere-l3-1 0,0")[0]
    line = scored("e e e g\ns w s w", "biosphere-o4-1 0,0")[0]
    assert line["label"].endswith("its district has another shape")  # one more square is no help
    bend = scored("e g\ne e", "biosphere-o4-1 0,0")[0]
    assert bend["label"].endswith("needs 1 more earth square")
    assert other["label"].endswith("its district has another shape")
    assert small["points"] == large["points"] == other["points"] == -5


@pytest.mark.rule("N-21")
def test_two_biospheres_in_one_district() -> None:
    parts = scored("e e e g\ns w s w", "biosphere-i3-1 0,0", "biosphere-i3-2 0,2")
    assert [part["points"] for part in parts] == [5, -5]
    assert parts[1]["label"].endswith("in this district biosphere ■■■ on g7 counts")
    # One that does not fit takes nothing away from one that does.
    assert points("e e e g\ns w s w", "biosphere-l3-1 0,0", "biosphere-i3-1 0,2") == [-5, 5]


@pytest.mark.rule("N-21")
def test_of_two_that_fit_the_better_one_counts() -> None:
    """Only a set of one's own has two values for one shape."""
    given = position("e e e g\ns w s w", pieces=[["biosphere-i3-1 0,0", "biosphere-i3-2 0,2"]])
    own = given["options"]["components"]
    own["utilities"] = [
        utility | {"points": 8} if utility["id"] == "biosphere-i3-2" else utility
        for utility in own["utilities"]
    ]
    parts = storeys.from_position(given).score()[0]["parts"]
    assert [part["points"] for part in parts] == [-5, 8]


# --- majorities and the end


@pytest.mark.rule("N-22")
def test_most_parks_and_sports_grounds() -> None:
    cities = ["ep e\neo e", "gp gp\ng g", "s s\nso s"]
    match = storeys.from_position(position(*cities, to_move=2))
    assert [parts_by_rule(match, seat)["N-22"] for seat in range(3)] == [[0, 5], [5, 0], [0, 5]]
    part = match.score()[1]["parts"][0]
    assert part["squares"] == [[0, 0], [0, 1]]
    assert (part["count"], part["leaders"]) == (2, [1])
    assert part["label"] == "2 parks (most in a city: 2)"


@pytest.mark.rule("N-22")
def test_nobody_scores_for_none_and_nobody_alone() -> None:
    match = storeys.from_position(position("e e\ne e", "g g\ng g", to_move=1))
    assert [parts_by_rule(match, seat)["N-22"] for seat in range(2)] == [[0, 0], [0, 0]]
    assert match.score()[0]["parts"][0]["leaders"] == []
    alone = storeys.from_position(position("ep eo\ne e"))
    assert alone.score()[0] == {"total": 0, "parts": []}


@pytest.mark.rule("N-23")
def test_ties_go_to_more_pieces_then_are_shared() -> None:
    def winners(*pieces: list[str]) -> list[int]:
        cities = [filler_city(16), filler_city(16)]
        given = position(*cities, pieces=list(pieces), to_move=None, phase="over")
        return storeys.from_position(given).winners

    assert winners(["windmill-left-1 0,0"], ["windmill-left-2 0,0"]) == [0, 1]
    tied = position(filler_city(16), filler_city(16), to_move=None, phase="over")
    assert storeys.from_position(tied).score()[1]["parts"][-1] == {
        "rule": "N-23", "label": "tie: 0 pieces in the city", "points": 0, "count": 0,
        "leaders": [0, 1],
    }  # fmt: skip
    assert winners(["windmill-left-1 0,0"], []) == [0]
    # Four points each, with one piece and with three.
    three = ["windmill-left-2 0,0", "windmill-top-1 0,2", "windmill-bottom-1 0,4"]
    assert winners(["windmill-left-1 0,0"], three) == [1]
    assert winners([], ["windmill-top-1 0,2", "windmill-bottom-1 0,4"]) == [1]


# --- rulings


@pytest.mark.rule("N-R1")
def test_building_and_placement_can_be_taken_back_until_the_draw() -> None:
    match = storeys.new("neoville", players=2, seed=9)
    before = match.state().tobytes()
    match.push("place equity1 g7")
    build = match.legal_moves[0]
    match.push(build)
    assert match.pop() == build
    match.pop()
    assert match.state().tobytes() == before
    assert match.game.final_moves == ("draw", "end")
    assert match.game.final_rule == "N-R1"


@pytest.mark.rule("N-R2")
def test_one_player_plays_for_the_best_score() -> None:
    match = storeys.arena.playouts("neoville", 1, players=1, seed=10).match(0)
    assert match.winners == [0]
    assert all(part["rule"] != "N-22" for part in match.score()[0]["parts"])


@pytest.mark.rule("N-R3")
def test_what_everybody_knows_of_a_hand() -> None:
    match = storeys.new("neoville", players=2, seed=11)
    assert match.view(1)["hands"][0] == ["equity1", None, None]
    assert match.view(1)["shown"] == [["equity1"], ["equity2"]]
    match.push("place equity1 g7")
    taken = match.position()["row"][2]
    match.push("draw 3")
    assert match.view(1)["hands"][0] == [taken, None, None]
    assert match.view(0)["hands"][0] == match.position()["hands"][0]
    match.push("place equity2 g7")
    match.push("draw pile")
    assert match.view(0)["hands"][1] == [None, None, None]
    match.push(f"place {taken} g9")
    assert match.view(1)["shown"][0] == []


@pytest.mark.rule("N-R4")
def test_a_windmill_counts_nothing_until_its_place_is_settled() -> None:
    three_wide = scored("e g e g e g\ns w s w s w", "windmill-left-1 0,0")[0]
    assert three_wide["points"] == 0
    assert three_wide["label"].endswith("must end up in the leftmost column")
    assert points(filler_city(4), "windmill-left-1 0,0") == [4]
    assert points(filler_city(4), "windmill-top-1 0,0") == [0]
    # One that cannot come right any more is not settled either, but says so.
    late = scored("e g e g e g\ns w s w s w", "windmill-right-1 0,0")[0]
    assert (late["points"], late["label"][-50:]) == (
        0, "g7: cannot end up in the rightmost column any more",
    )  # fmt: skip
    # A corner and the centre need both directions.
    assert points(filler_city(4), "windmill-corner-1 0,2") == [0]
    assert points(filler_city(13), "windmill-corner-1 0,2") == [-5]
    assert points(filler_city(13), "windmill-centre-1 2,2") == [6]


@pytest.mark.rule("N-R4")
def test_the_score_is_as_if_the_city_ended_now() -> None:
    match = storeys.from_position(position("e e\ne g", pieces=[["earth 6 0,0"]]))
    part = match.score()[0]["parts"][0]
    assert match.score()[0]["total"] == match.position()["scores"][0] == -6
    assert part["label"].endswith("its district has 3 squares, needs 3 more earth squares")
    assert match.score("de")[0]["parts"][0]["label"] == (
        "Wolkenkratzer 6 (Erde) auf g7: das Viertel hat 3 Felder, braucht noch 3 Felder Erde"
    )
    assert match.score("nl")[0]["parts"][0]["label"] == (
        "wolkenkrabber 6 (aarde) op g7: de wijk heeft 3 vakken, heeft nog 3 vakken aarde nodig"
    )
