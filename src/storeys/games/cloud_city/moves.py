"""Cloud City's moves: as codes for the rules, as dicts for programs, as notation for people."""

from typing import Any

from storeys.games.cloud_city.state import COLOURS, ROW
from storeys.kernel.compiling import jitable
from storeys.kernel.components import ComponentSet
from storeys.kernel.draft import FROM_PILE
from storeys.kernel.grid import REACH, read_square, square_name
from storeys.kernel.messages import Message
from storeys.kernel.notation import Words
from storeys.kernel.reading import Place

KINDS = ("place", "walkway", "draw", "end")
PLACE_MOVE, WALKWAY_MOVE, DRAW_MOVE, END_MOVE = range(4)
EDGE = 2 * REACH  # square rows and columns go from -EDGE to EDGE + 1


# --- codes


@jitable
def place_code(tile: int, row: int, col: int, turn: int) -> int:
    """Lay a tile."""
    return PLACE_MOVE | tile << 2 | (row + REACH) << 9 | (col + REACH) << 12 | turn << 15


@jitable
def walkway_code(colour: int, row: int, col: int, to_row: int, to_col: int) -> int:
    """Build a walkway between two squares."""
    start = (row + EDGE) << 4 | (col + EDGE) << 8
    return WALKWAY_MOVE | colour << 2 | start | (to_row + EDGE) << 12 | (to_col + EDGE) << 16


@jitable
def draw_code(slot: int) -> int:
    """Draw from a slot of the row, or from the pile."""
    return DRAW_MOVE | slot << 2


@jitable
def kind_of(code: int) -> int:
    """What kind of move it is."""
    return code & 3


@jitable
def tile_of(code: int) -> int:
    """The number of the tile to lay."""
    return (code >> 2) & 127


@jitable
def place_of(code: int) -> tuple[int, int]:
    """The tile row and column of a placement."""
    return ((code >> 9) & 7) - REACH, ((code >> 12) & 7) - REACH


@jitable
def turn_of(code: int) -> int:
    """The quarter turns of a placement."""
    return (code >> 15) & 3


@jitable
def colour_of(code: int) -> int:
    """The colour of a walkway."""
    return (code >> 2) & 3


@jitable
def start_of(code: int) -> tuple[int, int]:
    """The square row and column where a walkway starts."""
    return ((code >> 4) & 15) - EDGE, ((code >> 8) & 15) - EDGE


@jitable
def goal_of(code: int) -> tuple[int, int]:
    """The square row and column where a walkway ends."""
    return ((code >> 12) & 15) - EDGE, ((code >> 16) & 15) - EDGE


@jitable
def slot_of(code: int) -> int:
    """The slot to draw from."""
    return (code >> 2) & 7


# --- dicts


def move_json(code: int, components: ComponentSet) -> dict[str, Any]:
    """The dict of a code."""
    kind = kind_of(code)
    move: dict[str, Any] = {"kind": KINDS[kind]}
    if kind == PLACE_MOVE:
        row, col = place_of(code)
        tile = components.tile_ids[tile_of(code)]
        return move | {"tile": tile, "row": row, "col": col, "turn": turn_of(code)}
    if kind == WALKWAY_MOVE:
        ends = {"from": list(start_of(code)), "to": list(goal_of(code))}
        return move | {"colour": COLOURS[colour_of(code)]} | ends
    if kind == DRAW_MOVE:
        slot = slot_of(code)
        return move | {"slot": None if slot == FROM_PILE else slot}
    return move


def read_json(move: Place, components: ComponentSet) -> int:
    """The code of a dict; a walkway may be named from either end."""
    kind = KINDS.index(move["kind"].one_of(KINDS))
    if kind == PLACE_MOVE:
        move.only("kind", "tile", "row", "col", "turn")
        tile = components.tile_numbers[move["tile"].one_of(components.tile_ids)]
        row, col = (move[key].whole(-REACH, REACH) for key in ("row", "col"))
        return place_code(tile, row, col, move["turn"].whole(0, 3))
    if kind == WALKWAY_MOVE:
        move.only("kind", "colour", "from", "to")
        colour = COLOURS.index(move["colour"].one_of(COLOURS))
        ends = sorted(tuple(move[key].wholes(2, -EDGE, EDGE + 1)) for key in ("from", "to"))
        return walkway_code(colour, *ends[0], *ends[1])
    if kind == DRAW_MOVE:
        slot = move.only("kind", "slot")["slot"].one_of([None, *range(ROW)])
        return draw_code(FROM_PILE if slot is None else slot)
    move.only("kind")
    return END_MOVE


# --- notation


def move_text(code: int, components: ComponentSet) -> str:
    """The notation of a code."""
    kind = kind_of(code)
    if kind == PLACE_MOVE:
        tile = components.tile_ids[tile_of(code)]
        return f"place {tile} {_place_name(code)} turn {turn_of(code)}"
    if kind == WALKWAY_MOVE:
        ends = f"{square_name(*start_of(code))} {square_name(*goal_of(code))}"
        return f"walkway {COLOURS[colour_of(code)]} {ends}"
    if kind == DRAW_MOVE:
        slot = slot_of(code)
        return "draw pile" if slot == FROM_PILE else f"draw {slot + 1}"
    return "end"


def read_text(text: str, components: ComponentSet) -> int:
    """The code of a notation; a tile lies as its data file shows it unless a turn is named."""
    words = Words(text)
    kind = words.one_of(KINDS)
    code = _READERS[kind](words, components)
    words.end()
    return code


def _read_place(words: Words, components: ComponentSet) -> int:
    tile = words.one_of(components.tile_ids)
    row, col = read_square(words, every=2)
    turn = words.whole(0, 3) if words.skip("turn") else 0
    return place_code(tile, row // 2, col // 2, turn)


def _read_walkway(words: Words, components: ComponentSet) -> int:
    colour = words.one_of(COLOURS)
    ends = sorted([read_square(words), read_square(words)])
    return walkway_code(colour, *ends[0], *ends[1])


def _read_draw(words: Words, components: ComponentSet) -> int:
    choice = words.one_of([*(str(slot + 1) for slot in range(ROW)), "pile"])
    return draw_code(FROM_PILE if choice == ROW else choice)


def _read_end(words: Words, components: ComponentSet) -> int:
    return END_MOVE


_READERS = (_read_place, _read_walkway, _read_draw, _read_end)


def _place_name(code: int) -> str:
    """A tile is named by its top left square."""
    row, col = place_of(code)
    return square_name(2 * row, 2 * col)


# --- labels


def colour_label(colour: int) -> Message:
    """A colour's name."""
    return Message(f"cloud-city.colour.{COLOURS[colour]}")


def move_label(code: int, seat: int, components: ComponentSet) -> Message:
    """A move as a person reads it."""
    kind = kind_of(code)
    if kind == PLACE_MOVE:
        tile = components.tile_ids[tile_of(code)]
        return Message("cloud-city.move.place", tile=tile, square=_place_name(code))
    if kind == WALKWAY_MOVE:
        (row, col), (to_row, to_col) = start_of(code), goal_of(code)
        return Message(
            "cloud-city.move.walkway",
            colour=colour_label(colour_of(code)),
            start=square_name(row, col),
            goal=square_name(to_row, to_col),
            length=to_row - row + to_col - col,
        )
    if kind == DRAW_MOVE:
        slot = slot_of(code)
        if slot == FROM_PILE:
            return Message("cloud-city.move.draw-pile")
        return Message("cloud-city.move.draw", number=slot + 1)
    return Message("cloud-city.move.end")
