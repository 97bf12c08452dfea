"""Cloud City's moves: as codes for the rules, as dicts for programs, as notation for people."""

from collections.abc import Mapping
from typing import Any

from storeys.games.cloud_city.state import COLOURS, ROW
from storeys.kernel.compiling import jitable
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.notation import Words
from storeys.kernel.reading import Place
from storeys.kernel.tiles import moves as shared
from storeys.kernel.tiles.grid import read_square, square_name
from storeys.kernel.tiles.moves import EDGE, FIRST_OWN_MOVE, kind_of

KINDS = (*shared.KINDS, "walkway")
WALKWAY_MOVE = FIRST_OWN_MOVE


# --- codes


@jitable
def walkway_code(colour: int, row: int, col: int, to_row: int, to_col: int) -> int:
    """Build a walkway between two squares."""
    start = (row + EDGE) << 5 | (col + EDGE) << 9
    return WALKWAY_MOVE | colour << 3 | start | (to_row + EDGE) << 13 | (to_col + EDGE) << 17


@jitable
def colour_of(code: int) -> int:
    """The colour of a walkway."""
    return (code >> 3) & 3


@jitable
def start_of(code: int) -> tuple[int, int]:
    """The square row and column where a walkway starts."""
    return ((code >> 5) & 15) - EDGE, ((code >> 9) & 15) - EDGE


@jitable
def goal_of(code: int) -> tuple[int, int]:
    """The square row and column where a walkway ends."""
    return ((code >> 13) & 15) - EDGE, ((code >> 17) & 15) - EDGE


# --- dicts


def move_json(code: int, components: ComponentSet) -> dict[str, Any]:
    """The dict of a code."""
    if kind_of(code) != WALKWAY_MOVE:
        return shared.move_json(code, components)
    ends = {"from": list(start_of(code)), "to": list(goal_of(code))}
    return {"kind": "walkway", "colour": COLOURS[colour_of(code)]} | ends


def read_json(move: Place, components: ComponentSet) -> int:
    """The code of a dict; a walkway may be named from either end."""
    kind = KINDS.index(move["kind"].one_of(KINDS))
    if kind != WALKWAY_MOVE:
        return shared.read_json(kind, move, components, ROW)
    move.only("kind", "colour", "from", "to")
    colour = COLOURS.index(move["colour"].one_of(COLOURS))
    ends = sorted(tuple(move[key].wholes(2, -EDGE, EDGE + 1)) for key in ("from", "to"))
    return walkway_code(colour, *ends[0], *ends[1])


# --- notation


def move_text(code: int, components: ComponentSet) -> str:
    """The notation of a code."""
    if kind_of(code) != WALKWAY_MOVE:
        return shared.move_text(code, components)
    ends = f"{square_name(*start_of(code))} {square_name(*goal_of(code))}"
    return f"walkway {COLOURS[colour_of(code)]} {ends}"


def read_text(text: str, components: ComponentSet) -> int:
    """The code of a notation."""
    words = Words(text)
    kind = words.one_of(KINDS)
    if kind == WALKWAY_MOVE:
        colour = words.one_of(COLOURS)
        ends = sorted([read_square(words), read_square(words)])
        code = walkway_code(colour, *ends[0], *ends[1])
    else:
        code = shared.read_words(kind, words, components, ROW)
    words.end()
    return code


# --- labels


def colour_label(colour: int) -> Message:
    """A colour's name."""
    return Message(f"cloud-city.colour.{COLOURS[colour]}")


def tile_words(tile: Mapping[str, Any]) -> list[Message]:
    """What is on a tile: the colours of its buildings."""
    squares = [square for row in tile["squares"] for square in row]
    return [Message(f"cloud-city.colour.{square}") for square in squares if square is not None]


def move_label(code: int, components: ComponentSet) -> Message:
    """A move as a person reads it."""
    if kind_of(code) != WALKWAY_MOVE:
        return shared.move_label(code, components, tile_words)
    (row, col), (to_row, to_col) = start_of(code), goal_of(code)
    return Message(
        "cloud-city.move.walkway",
        colour=colour_label(colour_of(code)),
        start=square_name(row, col),
        goal=square_name(to_row, to_col),
        length=to_row - row + to_col - col,
    )
