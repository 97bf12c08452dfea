"""What is in Cloud City's box: tiles, buildings, walkways, requests, checked against its totals."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from storeys.games.cloud_city.state import COLOURS, LENGTHS, REQUESTS, STARTS, TABLES, TILES
from storeys.kernel.components import read_counts
from storeys.kernel.errors import BadComponents, StoreysError
from storeys.kernel.grid import turned
from storeys.kernel.messages import Message
from storeys.kernel.reading import Place
from storeys.kernel.record import Records

BUILDINGS_OF_A_COLOUR, WALKWAYS_OF_A_COLOUR = 32, 31
VOTES = [1, 2, 3, 5, 8]
LETTERS = {"blue": "B", "green": "G", "sand": "S", None: "·"}

Squares = list[list[str | None]]


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
    tiles = []
    for entry in entries.items():
        try:
            tiles.append(_read_tile(entry, problems))
        except BadComponents as error:  # One tile that cannot be read does not hide the others.
            problems.append(error)
    ids = Counter(tile["id"] for tile in tiles)
    for tile_id, count in ids.items():
        if count > 1:
            problems.append(entries.fail("storeys.components.twice", "C-1", key="tile", id=tile_id))
    if len(tiles) != TILES:
        problems.append(
            entries.fail("storeys.components.total", "C-1", total=TILES, found=len(tiles))
        )
    starts = sorted(tile["start"] for tile in tiles if "start" in tile)
    if starts != [1, 2, 3, 4]:
        problems.append(entries.fail("cloud-city.components.starts", "C-1", found=str(starts)))
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


def _read_tile(entry: Place, problems: list[StoreysError]) -> dict[str, Any]:
    entry.only("id", "squares", "start")
    tile: dict[str, Any] = {"id": _read_id(entry["id"])}
    tile["squares"] = [_read_row(row) for row in entry["squares"].items(2)]
    count = sum(colour is not None for row in tile["squares"] for colour in row)
    if count != 2:
        problems.append(entry.fail("cloud-city.components.tile", "C-1", id=tile["id"], found=count))
    start = entry.get("start")
    if start is not None:
        tile["start"] = start.whole(1, STARTS)
    return tile


def _read_id(place: Place) -> str:
    """An id is typed in moves: small letters, digits and hyphens."""
    tile_id = place.text()
    if not re.fullmatch(r"[a-z0-9-]+", tile_id):
        raise place.fail("storeys.components.id", found=tile_id)
    return tile_id


def _read_row(row: Place) -> list[str | None]:
    """Two squares: a list with null for none, or in TOML a text like "blue ."."""
    if isinstance(row.value, str):
        words = Place(row.value.split(), row.where, row.error)
        found = [square.one_of([".", *COLOURS]) for square in words.items(2)]
        return [None if word == "." else word for word in found]
    return [square.one_of([None, *COLOURS]) for square in row.items(2)]


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
    for number, tile in enumerate(tiles[:TILES]):
        heights = [_height(colour) for row in tile["squares"] for colour in row]
        for turn in range(4):
            record.squares[number, turn] = [heights[turned(s, turn)] for s in range(4)]
        looks_the_same = record.squares[number, 0].tolist() == record.squares[number, 2].tolist()
        record.turns[number] = 2 if looks_the_same else 4
        if "start" in tile:
            record.start[tile["start"] - 1] = number
            record.is_start[number] = 1
    record.walkways[:] = [walkways[colour] for colour in COLOURS]
    record.votes[:] = VOTES
    return tables


def _height(colour: str | None) -> int:
    return 0 if colour is None else COLOURS.index(colour) + 1


# --- for people


def tile_lines(squares: Squares) -> list[str]:
    """A tile as two lines of letters."""
    return [" ".join(_square_text(colour) for colour in row) for row in squares]


def _square_text(colour: str | None) -> str:
    style = {"blue": "blue", "green": "green", "sand": "yellow", None: "dim"}[colour]
    return f"[{style}]{LETTERS[colour]}[/{style}]"


def tiles_text(tiles: list[dict[str, Any]], a_line: int = 8) -> str:
    """Tiles side by side under their ids."""
    lines = []
    width = max((len(_tile_title(tile)) for tile in tiles), default=0) + 2
    gap = " " * max(width - 3, 2)
    for first in range(0, len(tiles), a_line):
        some = tiles[first : first + a_line]
        lines.append("".join(f"{_tile_title(tile):<{3 + len(gap)}}" for tile in some))
        drawn = [tile_lines(tile["squares"]) for tile in some]
        lines += ["".join(pair[row] + gap for pair in drawn) for row in (0, 1)]
        lines.append("")
    return "\n".join(lines)


def _tile_title(tile: Mapping[str, Any]) -> str:
    return f"{tile['id']}{'*' * ('start' in tile)}"


def components_text(content: Mapping[str, Any], lang: str) -> str:
    """All tiles, then the walkways by colour and length."""
    lines = [Message("cloud-city.components.title", n=len(content["tiles"])).text(lang), ""]
    lines.append(tiles_text(content["tiles"]))
    lines.append(Message("cloud-city.components.walkways").text(lang))
    for entry in content["walkways"]:
        name = Message(f"cloud-city.colour.{entry['colour']}").text(lang)
        counts = "  ".join(
            f"{count}×{'━' * length}" for length, count in enumerate(entry["counts"], start=1)
        )
        lines.append(f"{name:<6} {counts}")
    return "\n".join(lines)
