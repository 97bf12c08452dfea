"""The moves that the tile games share: laying a tile, drawing one, ending a turn without a draw.

A code is an integer that says what a move does; its lowest three bits are its kind, and a game's
own kinds follow the three here.
"""

from collections.abc import Callable, Mapping
from typing import Any

from storeys.kernel.compiling import jitable
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Joined, Message
from storeys.kernel.notation import Words
from storeys.kernel.reading import Place
from storeys.kernel.tiles.draft import FROM_PILE
from storeys.kernel.tiles.grid import REACH, read_square, square_name

KINDS = ("place", "draw", "end")
PLACE_MOVE, DRAW_MOVE, END_MOVE, FIRST_OWN_MOVE = range(4)
EDGE = 2 * REACH  # square rows and columns go from -EDGE to EDGE + 1


# --- codes


@jitable
def place_code(tile: int, row: int, col: int, turn: int) -> int:
    """Lay a tile."""
    return PLACE_MOVE | tile << 3 | (row + REACH) << 10 | (col + REACH) << 13 | turn << 16


@jitable
def draw_code(slot: int) -> int:
    """Draw from a slot of the row, or from the pile."""
    return DRAW_MOVE | slot << 3


@jitable
def kind_of(code: int) -> int:
    """What kind of move it is."""
    return code & 7


@jitable
def tile_of(code: int) -> int:
    """The number of the tile to lay."""
    return (code >> 3) & 127


@jitable
def place_of(code: int) -> tuple[int, int]:
    """The tile row and column of a placement."""
    return ((code >> 10) & 7) - REACH, ((code >> 13) & 7) - REACH


@jitable
def turn_of(code: int) -> int:
    """The quarter turns of a placement."""
    return (code >> 16) & 3


@jitable
def slot_of(code: int) -> int:
    """The slot to draw from."""
    return (code >> 3) & 7


# --- dicts


def move_json(code: int, components: ComponentSet) -> dict[str, Any]:
    """The dict of a code."""
    kind = kind_of(code)
    move: dict[str, Any] = {"kind": KINDS[kind]}
    if kind == PLACE_MOVE:
        row, col = place_of(code)
        tile = components.tile_ids[tile_of(code)]
        return move | {"tile": tile, "row": row, "col": col, "turn": turn_of(code)}
    if kind == DRAW_MOVE:
        slot = slot_of(code)
        return move | {"slot": None if slot == FROM_PILE else slot}
    return move


def read_json(kind: int, move: Place, components: ComponentSet, row_length: int) -> int:
    """The code of a dict of one of these kinds."""
    if kind == PLACE_MOVE:
        move.only("kind", "tile", "row", "col", "turn")
        tile = components.tile_numbers[move["tile"].one_of(components.tile_ids)]
        row, col = (move[key].whole(-REACH, REACH) for key in ("row", "col"))
        return place_code(tile, row, col, move["turn"].whole(0, 3))
    if kind == DRAW_MOVE:
        slot = move.only("kind", "slot")["slot"].one_of([None, *range(row_length)])
        return draw_code(FROM_PILE if slot is None else slot)
    move.only("kind")
    return END_MOVE


# --- notation


def move_text(code: int, components: ComponentSet) -> str:
    """The notation of a code."""
    kind = kind_of(code)
    if kind == PLACE_MOVE:
        tile = components.tile_ids[tile_of(code)]
        return f"place {tile} {place_name(code)} turn {turn_of(code)}"
    if kind == DRAW_MOVE:
        slot = slot_of(code)
        return "draw pile" if slot == FROM_PILE else f"draw {slot + 1}"
    return "end"


def read_words(kind: int, words: Words, components: ComponentSet, row_length: int) -> int:
    """The code of the words after a kind; a tile is not turned unless a turn is named."""
    if kind == PLACE_MOVE:
        tile = words.one_of(components.tile_ids)
        row, col = read_square(words, every=2)
        turn = words.whole(0, 3) if words.skip("turn") else 0
        return place_code(tile, row // 2, col // 2, turn)
    if kind == DRAW_MOVE:
        choice = words.one_of([*(str(slot + 1) for slot in range(row_length)), "pile"])
        return draw_code(FROM_PILE if choice == row_length else choice)
    return END_MOVE


def place_name(code: int) -> str:
    """A tile is named by its top left square."""
    row, col = place_of(code)
    return square_name(2 * row, 2 * col)


# --- labels


def move_label(
    code: int, components: ComponentSet, words_of: Callable[[Mapping[str, Any]], list[Message]]
) -> Message:
    """A move as a person reads it; a tile is called by what is on it."""
    kind = kind_of(code)
    if kind == PLACE_MOVE:
        tile = Joined(words_of(components.content["tiles"][tile_of(code)]))
        where = {"tile": tile, "square": place_name(code)}
        if turn := turn_of(code):
            return Message("storeys.tiles.move.place-turned", degrees=90 * turn, **where)
        return Message("storeys.tiles.move.place", **where)
    if kind == DRAW_MOVE:
        slot = slot_of(code)
        if slot == FROM_PILE:
            return Message("storeys.tiles.move.draw-pile")
        return Message("storeys.tiles.move.draw", number=slot + 1)
    return Message("storeys.tiles.move.end")
