"""What is in Cloud City's box: tiles, buildings, walkways, requests, checked against its totals."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from storeys.games.cloud_city.state import COLOURS, LENGTHS, REQUESTS, TABLES, TILES
from storeys.kernel.components import read_counts
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import Place
from storeys.kernel.record import Records
from storeys.kernel.tiles import box
from storeys.kernel.tiles.text import tiles_text

BUILDINGS_OF_A_COLOUR, WALKWAYS_OF_A_COLOUR = 32, 31
VOTES = [1, 2, 3, 5, 8]
START = "start"  # the key of a start tile's number
LETTERS = {"blue": "B", "green": "G", "sand": "S", None: "·"}


def read_components(
    document: Place, problems: list[StoreysError]
) -> tuple[dict[str, Any], Records]:
    """C-1 … C-4: everything the box prints; which tiles there are is the owner's to say."""
    document.only("game", "tiles", "buildings", "walkways", "votes", "requests")
    tiles = _read_tiles(document["tiles"], problems)
    total = 3 * BUILDINGS_OF_A_COLOUR
    buildings = read_counts(
        document["buildings"], "C-2", ("colour", COLOURS, "count", total), problems
    )
    for colour, count in buildings.items():
        if count != BUILDINGS_OF_A_COLOUR:
            problems.append(
                document["buildings"].fail(
                    "cloud-city.components.buildings", "C-2", colour=colour, found=count
                )
            )
    walkways = _read_walkways(document["walkways"], problems)
    if document["votes"].wholes(LENGTHS, 0, 99) != VOTES:
        problems.append(document["votes"].fail("cloud-city.components.votes", "C-3"))
    if sorted(card.one_of(REQUESTS) for card in document["requests"].items()) != sorted(REQUESTS):
        problems.append(document["requests"].fail("cloud-city.components.requests", "C-4"))
    content = {
        "game": "cloud-city",
        "tiles": tiles,
        "buildings": [{"colour": c, "count": n} for c, n in buildings.items()],
        "walkways": [{"colour": colour, "counts": walkways[colour]} for colour in COLOURS],
        "votes": VOTES,
        "requests": list(REQUESTS),
    }
    return content, _tables(tiles, walkways)


# --- tiles


def _read_tiles(entries: Place, problems: list[StoreysError]) -> list[dict[str, Any]]:
    """C-1: two buildings on each tile, every colour as often as in the box."""
    tiles = box.read_tiles(entries, _read_square, "C-1", (START, TILES), problems, _check_tile)
    if len(tiles) < len(entries.value):
        return tiles  # what cannot be read would be missing below
    squares = Counter(colour for tile in tiles for row in tile["squares"] for colour in row)
    for colour in COLOURS:
        if squares[colour] != BUILDINGS_OF_A_COLOUR:
            problems.append(
                entries.fail(
                    "cloud-city.components.squares",
                    "C-1",
                    colour=colour,
                    found=squares[colour],
                    n=BUILDINGS_OF_A_COLOUR,
                )
            )
    return tiles


def _check_tile(entry: Place, tile: dict[str, Any]) -> None:
    count = sum(colour is not None for row in tile["squares"] for colour in row)
    if count != 2:
        raise entry.fail("cloud-city.components.tile", "C-1", id=tile["id"], found=count)


def _read_square(square: Place, as_word: bool) -> str | None:
    """A colour or null; as a word, a dot stands for none."""
    none = "." if as_word else None
    found: str | None = square.one_of([none, *COLOURS])
    return None if found == none else found


# --- walkways


def _read_walkways(entries: Place, problems: list[StoreysError]) -> dict[str, list[int]]:
    """C-3: the pieces of each colour by length 1 … 5."""
    found: dict[str, list[int]] = {}
    for entry in entries.items():
        colour = entry.only("colour", "counts")["colour"].one_of(COLOURS)
        if colour in found:
            problems.append(entry.fail("storeys.components.twice", "C-3", key="colour", id=colour))
        found[colour] = entry["counts"].wholes(LENGTHS, 0, WALKWAYS_OF_A_COLOUR)
        if sum(found[colour]) != WALKWAYS_OF_A_COLOUR:
            problems.append(
                entry.fail(
                    "storeys.components.total",
                    "C-3",
                    total=WALKWAYS_OF_A_COLOUR,
                    found=sum(found[colour]),
                )
            )
    for colour in COLOURS:
        if colour not in found:
            problems.append(
                entries.fail("storeys.components.missing", "C-3", key="colour", id=colour)
            )
    return {colour: found.get(colour, [0] * LENGTHS) for colour in COLOURS}


# --- tables


def _tables(tiles: list[dict[str, Any]], walkways: dict[str, list[int]]) -> Records:
    tables = np.zeros(1, TABLES)
    record = tables[0]
    box.fill_tables(record, tiles, START)
    for number, tile in enumerate(tiles[:TILES]):
        for turn in range(4):
            squares = box.turned_squares(tile, turn)
            record.squares[number, turn] = [_height(colour) for colour in squares]
        heights = record.squares[number, 0]
        record.marks[number] = [height == h for height in heights for h in range(1, 4)]
    record.walkways[:] = [walkways[colour] for colour in COLOURS]
    record.votes[:] = VOTES
    return tables


def _height(colour: str | None) -> int:
    return 0 if colour is None else COLOURS.index(colour) + 1


# --- for people


def show_tiles(tiles: list[dict[str, Any]]) -> str:
    """Tiles side by side as letters."""
    return tiles_text(tiles, _square_text, 1, START)


def _square_text(colour: str | None) -> str:
    style = {"blue": "blue", "green": "green", "sand": "yellow", None: "dim"}[colour]
    return f"[{style}]{LETTERS[colour]}[/{style}]"


def components_text(content: Mapping[str, Any], lang: str) -> str:
    """All tiles, then the walkways by colour and length."""
    lines = [Message("cloud-city.components.title", n=len(content["tiles"])).text(lang), ""]
    lines.append(show_tiles(content["tiles"]))
    lines.append(Message("cloud-city.components.walkways").text(lang))
    for entry in content["walkways"]:
        name = Message(f"cloud-city.colour.{entry['colour']}").text(lang)
        counts = "  ".join(
            f"{count}×{'━' * length}" for length, count in enumerate(entry["counts"], start=1)
        )
        lines.append(f"{name:<6} {counts}")
    return "\n".join(lines)
