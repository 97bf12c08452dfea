"""The moves that the tile games share: laying a tile, drawing one, ending a turn without a draw.

A game's own kinds follow these three.
"""

from collections.abc import Callable, Mapping
from typing import Any

from storeys.kernel.compiling import jitable
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Joined, Message
from storeys.kernel.moves import (
    Cell,
    Choice,
    Field,
    Kind,
    Notation,
    Numbers,
    Part,
    Words,
    at,
    part,
    parts_after,
)
from storeys.kernel.reading import Node
from storeys.kernel.setup import Setup
from storeys.kernel.tiles import grid
from storeys.kernel.tiles.draft import FROM_PILE
from storeys.kernel.tiles.grid import LETTERS, REACH, square_name

PLACE_MOVE, DRAW_MOVE, END_MOVE, FIRST_OWN_MOVE = range(4)
KIND = (0, 7)
# Rows and columns in a code count from the window's edge, so that none is negative.
TILE, ROW, COL, TURN = parts_after(KIND, 7, 3, 3, 2)
(SLOT,) = parts_after(KIND, 3)
EDGE = 2 * REACH  # square rows and columns go from -EDGE to EDGE + 1


# --- codes


@jitable
def place_of(code: int) -> tuple[int, int]:
    """The tile row and column of a placement."""
    return part(code, ROW) - REACH, part(code, COL) - REACH


@jitable
def place_code(tile: int, place: int, turn: int) -> int:
    """Lay a tile at a place."""
    row, col = grid.row_of_place(place) + REACH, grid.col_of_place(place) + REACH
    return PLACE_MOVE | at(tile, TILE) | at(row, ROW) | at(col, COL) | at(turn, TURN)


@jitable
def square_in(code: int, row: Part, col: Part) -> tuple[int, int]:
    """The row and column of a square that stands in these parts of a code."""
    return part(code, row) - EDGE, part(code, col) - EDGE


@jitable
def square_code(square: int, row: Part, col: Part) -> int:
    """A square where it stands in a code."""
    return at(grid.row_of_square(square) + EDGE, row) | at(grid.col_of_square(square) + EDGE, col)


# --- fields


class Square(Cell):
    """A square of a city, or a tile of 2×2 squares, which words call by its top left one."""

    def __init__(self, size: int = 1) -> None:
        side = len(LETTERS) // size
        known_as = "a1 – n14" if size == 1 else "a1, c1, e1, … m13"
        super().__init__(side, side, -EDGE // size, size, known_as)


class Turn(Choice):
    """Quarter turns clockwise; none unless words name one."""

    def __init__(self) -> None:
        super().__init__("turn", "0123", range(4), known_as="0–3")

    def from_words(self, words: Words, setup: Setup, known: Numbers) -> Numbers:
        """The word turn and a number, or neither."""
        return super().from_words(words, setup, known) if words.skip("turn") else (0,)

    def to_words(self, numbers: Numbers, components: ComponentSet) -> str:
        """The word turn and the number."""
        return f"turn {numbers[0]}"


class Slot(Field):
    """A slot of a row of so many tiles, or the pile."""

    keys = ("slot",)

    def __init__(self, row_length: int) -> None:
        self.slots = [None, *range(row_length)]
        self.names = [*(str(slot + 1) for slot in range(row_length)), "pile"]

    def from_json(self, move: Node, setup: Setup) -> Numbers:
        """The slot, null for the pile."""
        slot = move["slot"].one_of(self.slots)
        return (FROM_PILE if slot is None else slot,)

    def to_json(self, numbers: Numbers, components: ComponentSet) -> dict[str, Any]:
        """The slot, null for the pile."""
        return {"slot": None if numbers[0] == FROM_PILE else numbers[0]}

    def from_words(self, words: Words, setup: Setup, known: Numbers) -> Numbers:
        """The slot as people count, or the word pile."""
        slot = words.one_of(self.names)
        return (FROM_PILE if self.names[slot] == "pile" else slot,)

    def to_words(self, numbers: Numbers, components: ComponentSet) -> str:
        """The slot as people count, or the word pile."""
        return "pile" if numbers[0] == FROM_PILE else str(numbers[0] + 1)


def notation_of(row_length: int, *own: Kind) -> Notation:
    """The moves of a game whose row has so many tiles: the shared kinds, then its own."""
    tile = Choice("tile", lambda components: components.tile_ids)
    place = Kind("place", (TILE, ROW, COL, TURN), tile, Square(2), Turn())
    return Notation(KIND, place, Kind("draw", (SLOT,), Slot(row_length)), Kind("end"), *own)


# --- labels


def shared_label(
    code: int, components: ComponentSet, words_of: Callable[[Mapping[str, Any]], list[Message]]
) -> Message:
    """A move as a person reads it; a tile is called by what is on it."""
    kind = part(code, KIND)
    if kind == PLACE_MOVE:
        tile = Joined(words_of(components.content["tiles"][part(code, TILE)]))
        row, col = place_of(code)
        where = {"tile": tile, "square": square_name(2 * row, 2 * col)}
        if turn := part(code, TURN):
            return Message("storeys.tiles.move.place-turned", degrees=90 * turn, **where)
        return Message("storeys.tiles.move.place", **where)
    if kind == DRAW_MOVE:
        slot = part(code, SLOT)
        if slot == FROM_PILE:
            return Message("storeys.tiles.move.draw-pile")
        return Message("storeys.tiles.move.draw", number=slot + 1)
    return Message("storeys.tiles.move.end")
