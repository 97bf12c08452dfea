"""What is in Cloud City's box: tiles, buildings, walkways, requests, checked against its totals."""

from collections import Counter
from typing import Any

import numpy as np

from storeys.games.cloud_city.state import COLOURS, LENGTHS, REQUESTS, TABLES, TILES, VOTES
from storeys.kernel.components import read_box, read_counts, read_kinds
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import Node, noted
from storeys.kernel.record import Records
from storeys.kernel.tiles import box

BUILDINGS_OF_A_COLOUR, WALKWAYS_OF_A_COLOUR = 32, 31
START = "start"  # the key of a start tile's number
HEIGHTS = (None, *COLOURS)


def read_components(document: Node, problems: list[StoreysError]) -> tuple[dict[str, Any], Records]:
    """C-1 … C-4: everything the box prints; which tiles there are is the owner's to say."""
    readers = {
        "tiles": _read_tiles,
        "buildings": _read_buildings,
        "walkways": _read_walkways,
        "votes": _read_votes,
        "requests": _read_requests,
    }
    content = read_box(document, readers, problems, may_lack=("votes",))
    return content, _tables(content)


def _read_tiles(entries: Node, problems: list[StoreysError]) -> list[dict[str, Any]]:
    """C-1: two buildings on each tile, every colour as often as in the box."""
    tiles = box.read_tiles(entries, _read_square, "C-1", (START, TILES), problems, _check_tile)
    if len(tiles) < len(entries.value):
        return tiles  # what cannot be read would be missing below
    squares = Counter(colour for tile in tiles for row in tile["squares"] for colour in row)
    for colour in COLOURS:
        if squares[colour] != BUILDINGS_OF_A_COLOUR:
            wrong = {"found": squares[colour], "n": BUILDINGS_OF_A_COLOUR}
            problems.append(_wrong_colour(entries, "squares", "C-1", colour, **wrong))
    return tiles


def _wrong_colour(where: Node, what: str, rule: str, colour: str, **facts: Any) -> StoreysError:
    """The error that says of which colour there is too much or too little."""
    called = Message(f"cloud-city.colour.{colour}")
    return where.fail(f"cloud-city.components.{what}", rule, colour=called, **facts)


def _check_tile(entry: Node, tile: dict[str, Any]) -> None:
    count = sum(colour is not None for row in tile["squares"] for colour in row)
    if count != 2:
        raise entry.fail("cloud-city.components.tile", "C-1", id=tile["id"], found=count)


def _read_square(square: Node, as_word: bool) -> str | None:
    """A colour or null; as a word, a dot stands for none."""
    none = "." if as_word else None
    found: str | None = square.one_of([none, *COLOURS])
    return None if found == none else found


def _read_buildings(entries: Node, problems: list[StoreysError]) -> list[dict[str, Any]]:
    """C-2: as many of each colour."""
    shape, total = ("colour", COLOURS, "count"), len(COLOURS) * BUILDINGS_OF_A_COLOUR
    buildings = read_counts(entries, "C-2", shape, total, problems)
    problems += [
        _wrong_colour(entries, "buildings", "C-2", colour, found=count)
        for colour, count in buildings.items()
        if count != BUILDINGS_OF_A_COLOUR
    ]
    return [{"colour": colour, "count": count} for colour, count in buildings.items()]


def _read_walkways(entries: Node, problems: list[StoreysError]) -> list[dict[str, Any]]:
    """C-3: the pieces of each colour by length 1 … 5."""
    shape = ("colour", COLOURS, "counts")
    walkways = read_kinds(entries, "C-3", shape, _read_lengths, problems)
    return [{"colour": colour, "counts": walkways.get(colour)} for colour in COLOURS]


def _read_lengths(entry: Node) -> list[int]:
    """The pieces of one colour by length."""
    counts, total = entry["counts"].wholes(LENGTHS, 0, WALKWAYS_OF_A_COLOUR), WALKWAYS_OF_A_COLOUR
    if sum(counts) != total:
        raise entry.fail("storeys.components.total", "C-3", total=total, found=sum(counts))
    return counts


def _read_votes(votes: Node | None, problems: list[StoreysError]) -> list[int]:
    """C-3: what a walkway of each length brings; it need not be said."""
    if votes is not None and tuple(votes.wholes(LENGTHS, 0, 99)) != VOTES:
        raise votes.fail("cloud-city.components.votes", "C-3")
    return list(VOTES)


def _read_requests(entries: Node, problems: list[StoreysError]) -> list[str]:
    """C-4: each card once."""
    found: list[str] = []
    for card in entries.items():
        with noted(problems):
            found.append(card.one_of(REQUESTS))
    if len(found) == len(entries.value) and sorted(found) != sorted(REQUESTS):
        problems.append(entries.fail("cloud-city.components.requests", "C-4"))
    return list(REQUESTS)


def _tables(content: dict[str, Any]) -> Records:
    tables = np.zeros(1, TABLES)
    record = tables[0]
    for where, squares in box.fill_tables(record, content["tiles"], START):
        record.squares[where] = [HEIGHTS.index(colour) for colour in squares]
    record.marks[:] = (record.squares[:, 0, :, None] == np.arange(1, 4)).reshape(TILES, -1)
    record.walkways[:] = [entry["counts"] for entry in content["walkways"]]
    record.votes[:] = VOTES
    return tables
