"""Tiles in a component set: read and checked, and turned as compiled rules need them."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from storeys.kernel.errors import StoreysError
from storeys.kernel.reading import Node, noted
from storeys.kernel.tiles.grid import turned

SEATS = [1, 2, 3, 4]
Piece = dict[str, Any]
ReadSquare = Callable[[Node, bool], Any]
"""Reads a square; the flag says that it is a word of a row written as text."""
ReadPiece = Callable[[Node, list[StoreysError]], Piece]
"""Reads a piece as far as it can be read, and notes or raises what is wrong with it."""


def read_named(
    entries: Node,
    read: ReadPiece,
    key: str,
    rule: str,
    problems: list[StoreysError],
    check: Callable[[Node, Piece], None] = lambda entry, piece: None,
) -> list[Piece]:
    """Pieces with an id, which none has twice; ``check`` raises what is wrong with a single one."""
    found = []
    for entry in entries.items():
        wrongs: list[StoreysError] = []
        with noted(wrongs):  # One that cannot be read does not hide the others.
            piece = read(entry, wrongs)
            if not wrongs:
                found.append(piece)
                check(entry, piece)
        problems += wrongs
    for one, count in Counter(piece["id"] for piece in found).items():
        if count > 1:
            problems.append(entries.fail("storeys.components.twice", rule, key=key, id=one))
    return found


def read_tiles(
    entries: Node,
    read_square: ReadSquare,
    rule: str,
    shape: tuple[str, int],
    problems: list[StoreysError],
    check: Callable[[Node, Piece], None] = lambda entry, tile: None,
) -> list[Piece]:
    """The tiles of a set; ``shape`` is the key of the four that are numbered, and the total."""
    key, total = shape
    tiles = read_named(
        entries,
        lambda entry, wrongs: _read_tile(entry, read_square, key, wrongs),
        "tile",
        rule,
        problems,
        check,
    )
    count = len(entries.value)  # those that cannot be read are there all the same
    if count != total:
        problems.append(entries.fail("storeys.components.total", rule, total=total, found=count))
    numbers = sorted(tile[key] for tile in tiles if key in tile)
    if len(tiles) == count and numbers != SEATS:
        problems.append(
            entries.fail("storeys.tiles.components.numbered", rule, key=key, found=str(numbers))
        )
    return tiles


def read_id(place: Node) -> str:
    """An id is typed in moves: small letters, digits and hyphens."""
    found = place.text()
    if not re.fullmatch(r"[a-z0-9-]+", found):
        raise place.fail("storeys.components.id", found=found)
    return found


def _read_tile(entry: Node, read_square: ReadSquare, key: str, wrongs: list[StoreysError]) -> Piece:
    tile: Piece = {}
    wrongs += entry.strays("id", "squares", key)
    with noted(wrongs):
        tile["id"] = read_id(entry["id"])
    with noted(wrongs):
        rows = entry["squares"].items(2)
        tile["squares"] = [_read_row(row, read_square, wrongs) for row in rows]
    number = entry.get(key)
    if number is not None:
        with noted(wrongs):
            tile[key] = number.whole(1, len(SEATS))
    return tile


def _read_row(row: Node, read_square: ReadSquare, wrongs: list[StoreysError]) -> list[Any]:
    """Two squares: a list, or in TOML a text of two words."""
    as_words = isinstance(row.value, str)
    if as_words:
        row = Node(row.value.split(), row.where, row.error)
    squares = []
    for square in row.items(2):
        with noted(wrongs):
            squares.append(read_square(square, as_words))
    return squares


# --- tables


def fill_tables(
    record: Any, tiles: list[Piece], key: str
) -> Iterator[tuple[tuple[int, int], list[Any]]]:
    """Fill the fields that every tile game's tables have: ``turns``, ``numbered`` and ``own``.

    Gives the squares of each tile and turn, for the game's own fields.
    """
    for number, tile in enumerate(tiles):
        turns = [turned_squares(tile, turn) for turn in range(4)]
        record.turns[number] = len({str(squares) for squares in turns})
        record.numbered[number] = tile.get(key, 0)
        if key in tile:
            record.own[tile[key] - 1] = number
        for turn, squares in enumerate(turns):
            yield (number, turn), squares


def turned_squares(tile: Piece, turn: int) -> list[Any]:
    """The four squares of a tile after quarter turns, row by row."""
    squares = [square for row in tile["squares"] for square in row]
    return [squares[turned(nth, turn)] for nth in range(4)]
