"""Tiles in a component set: read and checked, and turned as compiled rules need them."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from storeys.kernel.errors import BadComponents, StoreysError
from storeys.kernel.reading import Node
from storeys.kernel.tiles.grid import turned

SEATS = [1, 2, 3, 4]
ReadSquare = Callable[[Node, bool], Any]
"""Reads a square; the flag says that it is a word of a row written as text."""


def read_tiles(
    entries: Node,
    read_square: ReadSquare,
    rule: str,
    shape: tuple[str, int],
    problems: list[StoreysError],
    check: Callable[[Node, dict[str, Any]], None] = lambda entry, tile: None,
) -> list[dict[str, Any]]:
    """The tiles of a set; ``shape`` is the key of the four that are numbered, and the total.

    ``check`` raises what is wrong with a single tile.
    """
    key, total = shape
    tiles = []
    for entry in entries.items():
        try:
            tiles.append(_read_tile(entry, read_square, key))
            check(entry, tiles[-1])
        except BadComponents as error:  # One tile that cannot be read does not hide the others.
            problems.append(error)
    check_ids(entries, tiles, "tile", rule, problems)
    count = len(entries.value)  # those that cannot be read are there all the same
    if count != total:
        problems.append(entries.fail("storeys.components.total", rule, total=total, found=count))
    if len(tiles) < count:
        return tiles
    numbers = sorted(tile[key] for tile in tiles if key in tile)
    if numbers != SEATS:
        problems.append(
            entries.fail("storeys.tiles.components.numbered", rule, key=key, found=str(numbers))
        )
    return tiles


def check_ids(
    entries: Node, found: list[dict[str, Any]], key: str, rule: str, problems: list[StoreysError]
) -> None:
    """No id is there twice."""
    for one, count in Counter(entry["id"] for entry in found).items():
        if count > 1:
            problems.append(entries.fail("storeys.components.twice", rule, key=key, id=one))


def read_id(place: Node) -> str:
    """An id is typed in moves: small letters, digits and hyphens."""
    found = place.text()
    if not re.fullmatch(r"[a-z0-9-]+", found):
        raise place.fail("storeys.components.id", found=found)
    return found


def _read_tile(entry: Node, read_square: ReadSquare, key: str) -> dict[str, Any]:
    entry.only("id", "squares", key)
    tile: dict[str, Any] = {"id": read_id(entry["id"])}
    tile["squares"] = [_read_row(row, read_square) for row in entry["squares"].items(2)]
    number = entry.get(key)
    if number is not None:
        tile[key] = number.whole(1, len(SEATS))
    return tile


def _read_row(row: Node, read_square: ReadSquare) -> list[Any]:
    """Two squares: a list, or in TOML a text of two words."""
    as_words = isinstance(row.value, str)
    if as_words:
        row = Node(row.value.split(), row.where, row.error)
    return [read_square(square, as_words) for square in row.items(2)]


# --- tables


def fill_tables(record: Any, tiles: list[dict[str, Any]], key: str) -> None:
    """The fields that every tile game's tables have: ``turns``, ``numbered`` and ``own``."""
    for number, tile in enumerate(tiles[: record.turns.size]):
        looks = [tuple(map(str, turned_squares(tile, turn))) for turn in range(4)]
        record.turns[number] = len(set(looks))
        record.numbered[number] = tile.get(key, 0)
        if key in tile:
            record.own[tile[key] - 1] = number


def turned_squares(tile: dict[str, Any], turn: int) -> list[Any]:
    """The four squares of a tile after quarter turns, row by row."""
    squares = [square for row in tile["squares"] for square in row]
    return [squares[turned(nth, turn)] for nth in range(4)]
