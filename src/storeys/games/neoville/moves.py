"""Neoville's moves: as codes for the rules, as dicts for programs, as notation for people."""

from collections.abc import Mapping
from typing import Any

from storeys.games.neoville.state import ROW, SKYSCRAPERS, TERRAINS, VALUES
from storeys.kernel.compiling import jitable
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.notation import Words
from storeys.kernel.reading import Place
from storeys.kernel.tiles import moves as shared
from storeys.kernel.tiles.grid import read_square, square_name
from storeys.kernel.tiles.moves import EDGE, FIRST_OWN_MOVE, kind_of

KINDS = (*shared.KINDS, "skyscraper", "utility")
SKYSCRAPER_MOVE, UTILITY_MOVE = FIRST_OWN_MOVE, FIRST_OWN_MOVE + 1


# --- codes


@jitable
def piece_code(piece: int, row: int, col: int) -> int:
    """Build a piece on a square."""
    kind = SKYSCRAPER_MOVE if piece < SKYSCRAPERS else UTILITY_MOVE
    return kind | piece << 3 | (row + EDGE) << 9 | (col + EDGE) << 13


@jitable
def piece_of(code: int) -> int:
    """The number of the piece to build."""
    return (code >> 3) & 63


@jitable
def square_of(code: int) -> tuple[int, int]:
    """The row and column of the square to build on."""
    return ((code >> 9) & 15) - EDGE, ((code >> 13) & 15) - EDGE


# --- pieces


def utility_ids(components: ComponentSet) -> list[str]:
    """The ids of the utilities, in the order of their numbers."""
    return [utility["id"] for utility in components.content["utilities"]]


def piece_json(piece: int, components: ComponentSet) -> dict[str, Any]:
    """A piece as moves, positions and scores name it."""
    if piece >= SKYSCRAPERS:
        utility = components.content["utilities"][piece - SKYSCRAPERS]
        return {"kind": "utility", "utility": utility["id"]}
    terrain, value = divmod(piece, len(VALUES))
    return {"kind": "skyscraper", "terrain": TERRAINS[terrain], "value": VALUES[value]}


def piece_number(piece: Mapping[str, Any], components: ComponentSet) -> int:
    """The number of a piece of a position, which has been checked."""
    if piece["kind"] == "utility":
        return SKYSCRAPERS + utility_ids(components).index(piece["utility"])
    return TERRAINS.index(piece["terrain"]) * len(VALUES) + VALUES.index(piece["value"])


def read_piece(entry: Place, components: ComponentSet) -> int:
    """The number of a piece from its dict, which also names a square."""
    if entry["kind"].one_of(KINDS[FIRST_OWN_MOVE:]) == "utility":
        entry.only("kind", "utility", "row", "col")
        ids = utility_ids(components)
        return SKYSCRAPERS + ids.index(entry["utility"].one_of(ids))
    entry.only("kind", "terrain", "value", "row", "col")
    terrain = TERRAINS.index(entry["terrain"].one_of(TERRAINS))
    return terrain * len(VALUES) + VALUES.index(entry["value"].one_of(VALUES))


def read_square_of(entry: Place) -> tuple[int, int]:
    """The row and column of a square from a dict."""
    return entry["row"].whole(-EDGE, EDGE + 1), entry["col"].whole(-EDGE, EDGE + 1)


def piece_label(piece: int, components: ComponentSet) -> Message:
    """A piece as a person calls it."""
    if piece < SKYSCRAPERS:
        terrain, value = divmod(piece, len(VALUES))
        return Message(f"neoville.skyscraper.{TERRAINS[terrain]}", value=VALUES[value])
    return utility_label(components.content["utilities"][piece - SKYSCRAPERS])


def utility_label(utility: dict[str, Any]) -> Message:
    """A utility as a person calls it: its kind and what it asks for."""
    if utility["kind"] == "bus":
        return Message(f"neoville.bus.{'-'.join(utility['needs'])}", n=utility["count"])
    if utility["kind"] == "windmill":
        return Message(f"neoville.windmill.{utility['where']}")
    return Message("neoville.biosphere", shape=shape_text(utility["shape"]))


def shape_text(shape: list[list[int]]) -> str:
    """A shape in one line, its rows apart: ■□/■■."""
    rows, cols = (range(max(square[axis] for square in shape) + 1) for axis in (0, 1))
    return "/".join("".join("■" if [r, c] in shape else "□" for c in cols) for r in rows)


# --- dicts


def move_json(code: int, components: ComponentSet) -> dict[str, Any]:
    """The dict of a code."""
    if kind_of(code) < FIRST_OWN_MOVE:
        return shared.move_json(code, components)
    row, col = square_of(code)
    return piece_json(piece_of(code), components) | {"row": row, "col": col}


def read_json(move: Place, components: ComponentSet) -> int:
    """The code of a dict."""
    kind = KINDS.index(move["kind"].one_of(KINDS))
    if kind < FIRST_OWN_MOVE:
        return shared.read_json(kind, move, components, ROW)
    return piece_code(read_piece(move, components), *read_square_of(move))


# --- notation


def move_text(code: int, components: ComponentSet) -> str:
    """The notation of a code."""
    if kind_of(code) < FIRST_OWN_MOVE:
        return shared.move_text(code, components)
    named = " ".join(map(str, piece_json(piece_of(code), components).values()))
    return f"{named} {square_name(*square_of(code))}"


def read_text(text: str, components: ComponentSet) -> int:
    """The code of a notation."""
    words = Words(text)
    kind = words.one_of(KINDS)
    if kind == SKYSCRAPER_MOVE:
        terrain = words.one_of(TERRAINS)
        piece = terrain * len(VALUES) + words.one_of([str(value) for value in VALUES])
        code = piece_code(piece, *read_square(words))
    elif kind == UTILITY_MOVE:
        piece = SKYSCRAPERS + words.one_of(utility_ids(components))
        code = piece_code(piece, *read_square(words))
    else:
        code = shared.read_words(kind, words, components, ROW)
    words.end()
    return code


# --- labels


def tile_words(tile: Mapping[str, Any]) -> list[Message]:
    """What is on a tile: its terrains, each once."""
    terrains = dict.fromkeys(square["terrain"] for row in tile["squares"] for square in row)
    return [Message(f"neoville.terrain.{terrain}") for terrain in terrains]


def move_label(code: int, components: ComponentSet) -> Message:
    """A move as a person reads it."""
    if kind_of(code) < FIRST_OWN_MOVE:
        return shared.move_label(code, components, tile_words)
    piece = piece_label(piece_of(code), components)
    return Message("neoville.move.build", piece=piece, square=square_name(*square_of(code)))
