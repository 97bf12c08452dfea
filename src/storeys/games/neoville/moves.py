"""Neoville's moves: what each kind says, and how a person reads it."""

from collections.abc import Mapping
from typing import Any

from storeys.games.neoville.state import ROW, SKYSCRAPERS, TERRAINS, VALUES
from storeys.kernel.compiling import jitable
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.moves import Choice, Field, Kind, Numbers, Words, at, part, parts_after
from storeys.kernel.reading import Node
from storeys.kernel.setup import Setup
from storeys.kernel.tiles import moves
from storeys.kernel.tiles.grid import square_name
from storeys.kernel.tiles.moves import FIRST_OWN_MOVE, KIND, Square

SKYSCRAPER_MOVE, UTILITY_MOVE = FIRST_OWN_MOVE, FIRST_OWN_MOVE + 1
PIECE, PIECE_ROW, PIECE_COL = parts_after(KIND, 6, 4, 4)
SKYSCRAPER_KINDS = [(terrain, value) for terrain in TERRAINS for value in VALUES]


@jitable
def piece_code(piece: int, square: int) -> int:
    """Build a piece on a square."""
    kind = SKYSCRAPER_MOVE if piece < SKYSCRAPERS else UTILITY_MOVE
    return kind | at(piece, PIECE) | moves.square_code(square, PIECE_ROW, PIECE_COL)


@jitable
def square_of(code: int) -> tuple[int, int]:
    """The row and column of the square to build on."""
    return moves.square_in(code, PIECE_ROW, PIECE_COL)


# --- pieces


def utility_ids(components: ComponentSet) -> list[str]:
    """The ids of the utilities, in the order of their numbers."""
    return [utility["id"] for utility in components.content["utilities"]]


def piece_json(piece: int, components: ComponentSet) -> dict[str, Any]:
    """A piece as moves, positions and scores name it."""
    if piece >= SKYSCRAPERS:
        utility = components.content["utilities"][piece - SKYSCRAPERS]
        return {"kind": "utility", "utility": utility["id"]}
    terrain, value = SKYSCRAPER_KINDS[piece]
    return {"kind": "skyscraper", "terrain": terrain, "value": value}


def utility_named(name: str, components: ComponentSet) -> dict[str, Any]:
    """A utility of the box by its id."""
    return next(one for one in components.content["utilities"] if one["id"] == name)


# --- kinds of moves


class Skyscraper(Field):
    """A skyscraper, by its terrain and value."""

    keys = ("terrain", "value")

    def from_json(self, move: Node, setup: Setup) -> Numbers:
        """Terrain and value."""
        kind = move["terrain"].one_of(TERRAINS), move["value"].one_of(VALUES)
        return (SKYSCRAPER_KINDS.index(kind),)

    def to_json(self, numbers: Numbers, components: ComponentSet) -> dict[str, Any]:
        """Terrain and value."""
        return piece_json(numbers[0], components)

    def from_words(self, words: Words, setup: Setup, known: Numbers) -> Numbers:
        """Terrain and value."""
        return (words.one_of(TERRAINS) * len(VALUES) + words.one_of([*map(str, VALUES)]),)

    def to_words(self, numbers: Numbers, components: ComponentSet) -> str:
        """Terrain and value."""
        terrain, value = SKYSCRAPER_KINDS[numbers[0]]
        return f"{terrain} {value}"


_PARTS = (PIECE, PIECE_ROW, PIECE_COL)
BUILDS = (
    Kind("skyscraper", _PARTS, Skyscraper(), Square()),
    Kind("utility", _PARTS, Choice("utility", utility_ids, first=SKYSCRAPERS), Square()),
)
NOTATION = moves.notation_of(ROW, *BUILDS)


# --- labels


def piece_label(piece: Mapping[str, Any], components: ComponentSet) -> Message:
    """A piece as a person calls it."""
    if piece["kind"] == "skyscraper":
        terrain = Message(f"neoville.terrain.{piece['terrain']}")
        return Message("neoville.skyscraper", value=piece["value"], terrain=terrain)
    return utility_label(utility_named(piece["utility"], components))


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


def tile_words(tile: Mapping[str, Any]) -> list[Message]:
    """What is on a tile: its terrains, each once."""
    terrains = dict.fromkeys(square["terrain"] for row in tile["squares"] for square in row)
    return [Message(f"neoville.terrain.{terrain}") for terrain in terrains]


def label(code: int, components: ComponentSet) -> Message:
    """A move as a person reads it."""
    if part(code, KIND) < FIRST_OWN_MOVE:
        return moves.shared_label(code, components, tile_words)
    piece = piece_label(NOTATION.json(code, components), components)
    return Message("neoville.move.build", piece=piece, square=square_name(*square_of(code)))
