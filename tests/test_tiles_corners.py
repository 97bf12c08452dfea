"""What the tile games share, where it is easily missed: the window's edges, names, short rows."""

from typing import Any

import numpy as np
import pytest

import storeys
from storeys import NotAMove
from storeys.games.neoville.state import DRAW_PILE, FIRST_DRAW
from storeys.kernel import chance, entry_points
from storeys.kernel.moves import Words, at
from storeys.kernel.tiles import grid
from storeys.kernel.tiles.cities import (
    PILE_EMPTY,
    PLACE_ACTIONS,
    SLOT_EMPTY,
    decode_shared,
    fitting_places,
)
from storeys.kernel.tiles.draft import FROM_PILE, NONE
from storeys.kernel.tiles.moves import DRAW_MOVE, SLOT, Square
from storeys.registry import get_game
from tests.neoville_cities import BOX, FILLER, filler_city, position
from tests.test_neoville_rules import legal, refuses

Place = tuple[int, int]
REACHED = range(-3, 4)
WINDOW = {(row, col) for row in REACHED for col in REACHED}


def bits(places: set[Place]) -> int:
    return sum(1 << grid.place_bit(row, col) for row, col in places)


# --- the window


def test_neoville_and_cloud_city_places_are_bits_of_eight_a_row() -> None:
    assert grid.place_bit(-3, -3) == 0
    assert grid.place_bit(-3, 3) == 6
    assert grid.place_bit(0, 0) == 27
    assert grid.place_bit(3, 3) == 54
    for row, col in WINDOW:
        bit = grid.place_bit(row, col)
        assert (grid.row_of_place(bit), grid.col_of_place(bit)) == (row, col)


def test_neoville_and_cloud_city_squares_have_a_rim() -> None:
    assert grid.SQUARES == 256
    assert grid.square_at(0, 0) == 7 * 16 + 7
    assert grid.square_at(-6, -6) == 17
    assert grid.square_at(7, 7) == 14 * 16 + 14
    for row in range(-6, 8):
        for col in range(-6, 8):
            square = grid.square_at(row, col)
            assert (grid.row_of_square(square), grid.col_of_square(square)) == (row, col)


@pytest.mark.parametrize(
    ("top", "bottom", "left", "right"),
    [(-1, 2, 0, 1), (-3, 3, -3, 3), (-5, -2, -6, -1), (2, 6, 3, 5), (0, 0, 0, 0), (-9, 9, -9, 9)],
)
def test_neoville_and_cloud_city_rectangles_end_at_the_window(
    top: int, bottom: int, left: int, right: int
) -> None:
    inside = {(r, c) for r, c in WINDOW if top <= r <= bottom and left <= c <= right}
    assert grid.places_within(top, bottom, left, right) == bits(inside)


@pytest.mark.parametrize(
    ("top", "bottom", "left", "right"), [(2, 1, 0, 0), (0, 0, 3, -1), (0, 1, 4, 6), (4, 5, 0, 0)]
)
def test_neoville_and_cloud_city_rectangles_may_be_empty(
    top: int, bottom: int, left: int, right: int
) -> None:
    assert grid.places_within(top, bottom, left, right) == 0


@pytest.mark.parametrize(
    "places", [{(0, 0)}, {(-3, -3)}, {(3, 2)}, {(0, 0), (0, 1)}, {(1, -2), (2, -2), (2, -1)}]
)
def test_neoville_and_cloud_city_neighbours_are_edge_to_edge(places: set[Place]) -> None:
    around = {(r + a, c + b) for r, c in places for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))}
    assert grid.beside(bits(places)) & bits(WINDOW) == bits((around - places) & WINDOW)


def test_neoville_and_cloud_city_bits_are_counted_and_found() -> None:
    for number in range(63):
        assert grid.lowest_bit(1 << number) == number
        assert grid.lowest_bit(1 << number | 1 << 62) == number
        assert grid.count_bits(1 << number) == 1
    some = 1 << 3 | 1 << 17 | 1 << 40 | 1 << 54
    assert [grid.nth_bit(some, nth) for nth in range(4)] == [3, 17, 40, 54]
    assert [grid.count_bits(n) for n in (0, some, (1 << 55) - 1)] == [0, 4, 55]


def test_neoville_and_cloud_city_tiles_turn_clockwise() -> None:
    looks = ["".join("abcd"[grid.turned(nth, turn)] for nth in range(4)) for turn in range(4)]
    assert looks == ["abcd", "cadb", "dcba", "bdac"]


# --- for drawings


def within(high: int, wide: int) -> grid.Fits:
    return lambda rows, cols: rows <= high and cols <= wide


@pytest.mark.parametrize(
    ("tiles", "high", "wide", "free"),
    [
        ([], 4, 4, [(0, 0)]),
        ([(0, 0)], 4, 4, [(-1, 0), (0, -1), (0, 1), (1, 0)]),
        ([(0, 0), (0, 1)], 2, 2, [(-1, 0), (-1, 1), (1, 0), (1, 1)]),
        ([(0, 0), (-1, 0)], 2, 2, [(-1, -1), (-1, 1), (0, -1), (0, 1)]),
        ([(0, 0), (0, -1), (1, 0)], 2, 2, [(1, -1)]),
        ([(0, 0), (0, 1), (0, 2)], 1, 4, [(0, -1), (0, 3)]),
        ([(0, 0), (1, 0), (2, 0)], 4, 1, [(-1, 0), (3, 0)]),
    ],
)
def test_free_places_of_neoville_and_cloud_city_as_drawn(
    tiles: list[Place], high: int, wide: int, free: list[Place]
) -> None:
    assert grid.free_places_of(tiles, within(high, wide)) == free


# --- names


def read_square(name: str, size: int = 1) -> tuple[int, int]:
    field, setup = Square(size), storeys.new("neoville").setup
    read = field.to_json(field.from_words(Words(name), setup, []), setup.components)
    return read["row"], read["col"]


def test_names_of_squares_in_neoville_and_cloud_city() -> None:
    assert grid.square_name(0, 0) == "g7"
    assert grid.square_name(-6, -6) == "a1"
    assert grid.square_name(7, 7) == "n14"
    for row in range(-6, 8):
        for col in range(-6, 8):
            name = grid.square_name(row, col)
            assert read_square(name) == (row, col)
            if row % 2 == 0 and col % 2 == 0:
                assert read_square(name, size=2) == (row // 2, col // 2)
            else:
                with pytest.raises(NotAMove, match="a1, c1, e1, … m13"):
                    read_square(name, size=2)


@pytest.mark.parametrize("word", ["a0", "a15", "o1", "7g", "g"])
def test_names_of_no_square_in_neoville_and_cloud_city(word: str) -> None:
    with pytest.raises(NotAMove, match="a1 – n14"):
        read_square(word)


# --- cities


@pytest.mark.parametrize("first", [(0, 0), (0, 3), (3, 0), (3, 3), (1, 2)])
def test_neoville_actions_of_every_place_are_apart(first: Place) -> None:
    """A full square of 3×3 tiles can grow on all sides; its actions are distinct and read back."""
    drawing = "\n".join([" ".join(["e g"] * 3), " ".join(["s w"] * 3)] * 3)
    at = (min(first[0], 2), min(first[1], 2))
    match = storeys.from_position(position(drawing, phase="place", first=at))
    moves = match.legal_moves
    places = {(move.to_json()["row"], move.to_json()["col"]) for move in moves}
    rows, cols = (range(-a, 3 - a) for a in at)
    ring = {(r, c) for r in rows for c in (cols[0] - 1, cols[-1] + 1)}
    ring |= {(r, c) for c in cols for r in (rows[0] - 1, rows[-1] + 1)}
    assert places == {(r, c) for r, c in ring if abs(r) <= 3 and abs(c) <= 3}
    actions = [match.action_of(move) for move in moves]
    assert len(set(actions)) == len(actions)
    assert all(0 <= action < PLACE_ACTIONS for action in actions)
    assert [match.move_of(action) for action in actions] == list(moves)


def test_neoville_numbers_its_actions_without_gaps() -> None:
    """Three tiles, 6×6 places and four turns; four squares and 64 pieces; the row and the pile."""
    match = storeys.from_position(position(FILLER))
    draws = [move for move in match.legal_moves if str(move).startswith("draw")]
    first = 3 * 6 * 6 * 4 + 4 * 64
    assert [match.action_of(move) for move in draws] == list(range(first, first + 5))


def turns(given: dict[str, Any]) -> list[tuple[Any, Any, Any]]:
    """Who is to move, in which round and phase, after this position's draw."""
    match = storeys.from_position(given)
    match.push("draw 1")
    after = match.position()
    return [(after["to_move"], after["round"], after["phase"])]


def test_turns_of_neoville_go_round_and_end() -> None:
    assert turns(position(FILLER, filler_city(0))) == [(1, 1, "place")]
    assert turns(position(FILLER, FILLER, to_move=1)) == [(0, 2, "place")]
    full = [filler_city(16), filler_city(16)]
    assert turns(position(*full[:1], filler_city(15))) == [(1, 16, "place")]
    assert turns(position(*full, to_move=1)) == [(None, 16, "over")]


def test_neoville_refuses_places_by_the_first_rule_they_break() -> None:
    match = storeys.from_position(position(filler_city(4), phase="place"))
    refuses(match, "place equity2 g7", "N-11", "you do not hold the tile equity2")
    refuses(match, "place equity1 m7", "N-11", "a tile lies there already")
    refuses(match, "place equity1 e7", "N-11", "there the city would no longer fit into 4×4 tiles")
    refuses(match, "place equity1 e9", "N-11", "a tile goes edge to edge with a tile of your city")
    assert "place equity1 m9 turn 0" in legal(match)


# --- hands, row and pile


def numbers(array: Any) -> list[int]:
    return [int(number) for number in array]


@pytest.mark.parametrize("slot", range(3))
def test_a_neoville_hand_closes_up(slot: int) -> None:
    match = storeys.new("neoville", players=2, seed=5)
    before = numbers(match.state()[0].hands[0])
    shown = numbers(match.state()[0].shown[0])
    assert shown == [1, 0, 0]
    match.push(f"place {match.position()['hands'][0][slot]} g7")
    after = match.state()[0]
    assert numbers(after.hands[0]) == [*before[:slot], *before[slot + 1 :], NONE]
    assert numbers(after.shown[0]) == [*shown[:slot], *shown[slot + 1 :], 0]


def drawing_state() -> tuple[Any, Any]:
    """The states and tables of a match of which seat 0 has laid its tile, with a set of its own.

    The equity tiles come first in it, so that its last tile is an ordinary one.
    """
    own = BOX | {"tiles": sorted(BOX["tiles"], key=lambda tile: "equity" not in tile)}
    match = storeys.new("neoville", players=2, seed=5, components=own)
    match.push("place equity1 g7")
    return match.state(), match._tables


@pytest.mark.parametrize("slot", range(4))
def test_a_neoville_row_is_filled_up_from_the_pile(slot: int) -> None:
    states, tables = drawing_state()
    row, size = numbers(states[0].row), int(states[0].pile_size)
    pile = set(numbers(states[0].pile)) - {NONE}
    assert entry_points.push(states, tables, DRAW_MOVE | at(slot, SLOT), False) >= 0
    after = states[0]
    new = int(after.row[slot])
    assert numbers(after.row) == [*row[:slot], new, *row[slot + 1 :]]
    assert (int(after.hands[0, 2]), int(after.shown[0, 2])) == (row[slot], 1)
    assert int(after.pile_size) == size - 1
    assert set(numbers(after.pile[: size - 1])) == pile - {new}
    assert set(numbers(after.pile[size - 1 :])) == {NONE}


@pytest.mark.parametrize("slot", range(4))
def test_a_neoville_row_gets_shorter_without_a_pile(slot: int) -> None:
    states, tables = drawing_state()
    row = numbers(states[0].row)
    states["pile"], states["pile_size"] = NONE, 0
    assert entry_points.push(states, tables, DRAW_MOVE | at(slot, SLOT), False) >= 0
    assert numbers(states[0].row) == [*row[:slot], *row[slot + 1 :], NONE]
    assert int(states[0].row_size) == 3
    assert int(states[0].hands[0, 2]) == row[slot]


def test_what_nobody_has_seen_of_a_neoville_match_is_wiped() -> None:
    states, tables = drawing_state()
    hands, size = states[0].hands.copy(), int(states[0].pile_size)
    states["shown"][0, 1] = [0, 1, 0]
    states["shown"][0, 0] = [0, 1, 0]
    entry_points.blind(states, tables, 0)
    assert numbers(states[0].hands[0]) == numbers(hands[0])
    assert numbers(states[0].shown[0]) == [0, 1, 0]
    assert numbers(states[0].hands[1]) == [int(hands[1, 1]), NONE, NONE]
    assert numbers(states[0].shown[1]) == [1, 0, 0]
    assert set(numbers(states[0].pile)) == {NONE}
    assert int(states[0].pile_size) == size
    assert not states["key"].any()


def test_what_a_neoville_seat_sees_is_never_dealt_again() -> None:
    """Both have laid an ordinary tile; of the hand of seat 1 only the last one is hidden."""
    own = BOX | {"tiles": sorted(BOX["tiles"], key=lambda tile: "equity" not in tile)}
    match = storeys.new("neoville", players=2, seed=5, components=own)
    match.push(f"place {match.position()['hands'][0][1]} g7")
    match.push("draw 1")
    match.push(f"place {match.position()['hands'][1][1]} g7")
    states, tables = match.state(), match._tables
    before = states[0].copy()
    assert numbers(before.shown[1]) == [1, 0, 0]
    hidden = {int(before.hands[1, 1]), *numbers(before.pile)} - {NONE}
    found = set()
    for seed in range(12):
        world = states.copy()
        entry_points.redeal(world, tables, 0, chance.generator(seed))
        after = world[0]
        size = int(after.pile_size)
        assert size == int(before.pile_size)
        assert numbers(after.hands[0]) == numbers(before.hands[0])
        assert int(after.hands[1, 0]) == int(before.hands[1, 0])
        assert numbers(after.row) == numbers(before.row)
        assert {int(after.hands[1, 1]), *numbers(after.pile[:size])} == hidden
        assert set(numbers(after.pile[size:])) == {NONE}
        found.add(int(after.hands[1, 1]))
    assert len(found) > 3


def test_neoville_draws_from_no_empty_place() -> None:
    def drawn(slot: int, row: int, pile: int) -> int:
        states, tables = drawing_state()
        states["row_size"], states["pile_size"] = row, pile
        return int(entry_points.push(states, tables, DRAW_MOVE | at(slot, SLOT), False))

    assert drawn(FROM_PILE, 4, 0) == -PILE_EMPTY
    assert drawn(FROM_PILE, 4, 1) == DRAW_PILE
    assert drawn(2, 2, 0) == -SLOT_EMPTY
    assert drawn(1, 2, 0) == FIRST_DRAW + 1


@pytest.mark.parametrize(
    ("row", "pile", "draws"),
    [
        (4, 9, ["draw 1", "draw 2", "draw 3", "draw 4", "draw pile"]),
        (4, 1, ["draw 1", "draw 2", "draw 3", "draw 4", "draw pile"]),
        (2, 9, ["draw 1", "draw 2", "draw pile"]),  # no match comes to that
        (4, 0, ["draw 1", "draw 2", "draw 3", "draw 4"]),
        (2, 0, ["draw 1", "draw 2"]),
        (1, 0, ["draw 1"]),
        (0, 0, ["end"]),
    ],
)
def test_neoville_draws_what_is_there(row: int, pile: int, draws: list[str]) -> None:
    match = storeys.new("neoville", players=2, seed=5)
    match.push("place equity1 g7")
    states = match.state()
    states["row_size"], states["pile_size"] = row, pile
    actions, codes = np.empty(800, np.int64), np.empty(800, np.int64)
    count = entry_points.legal_codes(states, match._tables, actions, codes)
    box = get_game("neoville").load_components()
    texts = [match.game.notation.text(int(code), box) for code in codes[:count]]
    assert [text for text in texts if text.startswith(("draw", "end"))] == draws


# --- where a city may grow


@pytest.mark.parametrize(
    ("high", "wide", "top", "bottom", "left", "right"),
    [(4, 4, -2, 2, -1, 3), (3, 4, -1, 1, -1, 3), (4, 3, -2, 2, 0, 2), (3, 3, -1, 1, 0, 2)],
)
def test_a_neoville_or_cloud_city_box_of_three_by_three_grows(
    high: int, wide: int, top: int, bottom: int, left: int, right: int
) -> None:
    states = storeys.new("neoville", players=2, seed=5).state()
    states["box"][0, 1] = [-1, 1, 0, 2]
    expected = grid.places_within(top, bottom, left, right)
    assert fitting_places(states[0], 1, high, wide) == expected


@pytest.mark.rule("N-11")
@pytest.mark.parametrize("box", [[-1, 1, 0, 2], [-2, 0, -2, 0]], ids=["right", "left"])
@pytest.mark.parametrize(("high", "wide"), [(2, 4), (4, 2), (2, 2)])
def test_a_neoville_or_cloud_city_box_too_large_for_a_side_has_no_place(
    high: int, wide: int, box: list[int]
) -> None:
    states = storeys.new("neoville", players=2, seed=5).state()
    states["box"][0, 1] = box
    assert fitting_places(states[0], 1, high, wide) == 0


@pytest.mark.rule("N-16")
def test_the_code_of_a_neoville_draw_holds_nothing_but_its_slot() -> None:
    match = storeys.new("neoville", players=2, seed=5)
    codes = [
        decode_shared(match.state()[0], FIRST_DRAW + slot, FIRST_DRAW, DRAW_PILE)
        for slot in range(FROM_PILE)
    ]
    assert codes == [DRAW_MOVE | at(slot, SLOT) for slot in range(FROM_PILE)]
