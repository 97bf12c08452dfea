"""What is in Cloud City's box: tiles, buildings, walkways, requests, checked against its totals."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from storeys.games.cloud_city.state import COLOURS, LENGTHS, REQUESTS, TABLES, TILES, VOTES
from storeys.kernel.components import read_counts
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import Node, noted
from storeys.kernel.record import Records
from storeys.kernel.tiles import box
from storeys.kernel.tiles.text import styled, tiles_text

BUILDINGS_OF_A_COLOUR, WALKWAYS_OF_A_COLOUR = 32, 31
START = "start"  # the key of a start tile's number
LETTERS = {"blue": "B", "green": "G", "sand": "S", None: "·"}
STYLES = {"blue": "blue", "green": "green", "sand": "yellow", None: "dim"}


def read_components(document: Node, problems: list[StoreysError]) -> tuple[dict[str, Any], Records]:
    """C-1 … C-4: everything the box prints; which tiles there are is the owner's to say."""
    problems += document.strays("game", "tiles", "buildings", "walkways", "votes", "requests")
    tiles: list[dict[str, Any]] = []
    walkways: dict[str, list[int]] = {}
    with noted(problems):
        tiles = _read_tiles(document["tiles"], problems)
    with noted(problems):
        _check_buildings(document["buildings"], problems)
    with noted(problems):
        walkways = _read_walkways(document["walkways"], problems)
    with noted(problems):
        votes = document.get("votes")  # They need not be said.
        if votes is not None and tuple(votes.wholes(LENGTHS, 0, 99)) != VOTES:
            raise votes.fail("cloud-city.components.votes", "C-3")
    with noted(problems):
        _check_requests(document["requests"], problems)
    if problems:
        raise problems[0]
    content = {
        "game": "cloud-city",
        "tiles": tiles,
        "buildings": [{"colour": c, "count": BUILDINGS_OF_A_COLOUR} for c in COLOURS],
        "walkways": [{"colour": colour, "counts": walkways[colour]} for colour in COLOURS],
        "votes": list(VOTES),
        "requests": list(REQUESTS),
    }
    return content, _tables(tiles, walkways)


# --- tiles


def _read_tiles(entries: Node, problems: list[StoreysError]) -> list[dict[str, Any]]:
    """C-1: two buildings on each tile, every colour as often as in the box."""
    tiles = box.read_tiles(entries, _read_square, "C-1", (START, TILES), problems, _check_tile)
    if len(tiles) < len(entries.value):
        return tiles  # what cannot be read would be missing below
    squares = Counter(colour for tile in tiles for row in tile["squares"] for colour in row)
    for colour in COLOURS:
        if squares[colour] != BUILDINGS_OF_A_COLOUR:
            wrong = {"colour": colour, "found": squares[colour], "n": BUILDINGS_OF_A_COLOUR}
            problems.append(entries.fail("cloud-city.components.squares", "C-1", **wrong))
    return tiles


def _check_tile(entry: Node, tile: dict[str, Any]) -> None:
    count = sum(colour is not None for row in tile["squares"] for colour in row)
    if count != 2:
        raise entry.fail("cloud-city.components.tile", "C-1", id=tile["id"], found=count)


def _read_square(square: Node, as_word: bool) -> str | None:
    """A colour or null; as a word, a dot stands for none."""
    none = "." if as_word else None
    found: str | None = square.one_of([none, *COLOURS])
    return None if found == none else found


# --- buildings, walkways, requests


def _check_buildings(entries: Node, problems: list[StoreysError]) -> None:
    """C-2: as many of each colour."""
    total = 3 * BUILDINGS_OF_A_COLOUR
    buildings = read_counts(entries, "C-2", ("colour", COLOURS, "count", total), problems)
    problems += [
        entries.fail("cloud-city.components.buildings", "C-2", colour=colour, found=count)
        for colour, count in buildings.items()
        if count != BUILDINGS_OF_A_COLOUR
    ]


def _read_walkways(entries: Node, problems: list[StoreysError]) -> dict[str, list[int]]:
    """C-3: the pieces of each colour by length 1 … 5."""
    seen: list[str] = []
    counts: list[list[int]] = []
    for entry in entries.items():
        with noted(problems):
            problems += entry.strays("colour", "counts")
            with noted(problems):
                seen.append(entry["colour"].one_of(COLOURS))
                if seen[-1] in seen[:-1]:
                    raise entry.fail("storeys.components.twice", "C-3", key="colour", id=seen[-1])
            counts.append(_read_lengths(entry))
    if len(seen) == len(entries.value):  # what cannot be read would be missing
        problems += [
            entries.fail("storeys.components.missing", "C-3", key="colour", id=colour)
            for colour in COLOURS
            if colour not in seen
        ]
    return dict(zip(seen, counts, strict=False))  # as long as each other in a sound set


def _read_lengths(entry: Node) -> list[int]:
    """The pieces of one colour by length."""
    counts, total = entry["counts"].wholes(LENGTHS, 0, WALKWAYS_OF_A_COLOUR), WALKWAYS_OF_A_COLOUR
    if sum(counts) != total:
        raise entry.fail("storeys.components.total", "C-3", total=total, found=sum(counts))
    return counts


def _check_requests(entries: Node, problems: list[StoreysError]) -> None:
    """C-4: each card once."""
    found: list[str] = []
    for card in entries.items():
        with noted(problems):
            found.append(card.one_of(REQUESTS))
    if len(found) == len(entries.value) and sorted(found) != sorted(REQUESTS):
        problems.append(entries.fail("cloud-city.components.requests", "C-4"))


# --- tables


def _tables(tiles: list[dict[str, Any]], walkways: dict[str, list[int]]) -> Records:
    tables = np.zeros(1, TABLES)
    record = tables[0]
    box.fill_tables(record, tiles, START)
    heights = {colour: height for height, colour in enumerate((None, *COLOURS))}
    for number, tile in enumerate(tiles[:TILES]):
        for turn in range(4):
            squares = box.turned_squares(tile, turn)
            record.squares[number, turn] = [heights[colour] for colour in squares]
        shown = record.squares[number, 0]
        record.marks[number] = [height == h for height in shown for h in range(1, 4)]
    record.walkways[:] = [walkways[colour] for colour in COLOURS]
    record.votes[:] = VOTES
    return tables


# --- for people


def show_tiles(tiles: list[dict[str, Any]]) -> str:
    """Tiles side by side as letters."""
    return tiles_text(tiles, lambda colour: styled(LETTERS[colour], STYLES[colour]), 1, START)


def piece_counts(counts: Sequence[int]) -> str:
    """Walkways of one colour, by length."""
    return "  ".join(f"{count}×{'━' * length}" for length, count in enumerate(counts, 1))


def components_text(content: Mapping[str, Any], lang: str) -> str:
    """All tiles, then the walkways by colour and length."""
    lines = [Message("cloud-city.components.title", n=len(content["tiles"])).text(lang), ""]
    lines.append(show_tiles(content["tiles"]))
    lines.append(Message("cloud-city.components.walkways").text(lang))
    for entry in content["walkways"]:
        name = Message(f"cloud-city.colour.{entry['colour']}").text(lang)
        lines.append(f"{name:<6} {piece_counts(entry['counts'])}")
    return "\n".join(lines)
