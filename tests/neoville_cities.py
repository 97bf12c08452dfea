"""Hand-made positions of Neoville: draw a city as letters, the rest is filled in to fit.

A drawing has a line for each row of squares and a word for each square: its terrain e, g, s or w,
followed by p for a park or o for a sports ground; ``--`` where no tile lies.  Tiles are cut out of
it 2×2 and put into a component set of their own, filled up with tiles of four terrains that match
no neighbour of their kind.  The first tile in reading order lies at (0, 0), unless ``first`` says
another; pieces are named by the squares of the drawing, row and column from 0.
"""

from collections import Counter
from itertools import count
from typing import Any

import storeys

TERRAINS = {"e": "earth", "g": "grass", "s": "stone", "w": "water"}
SYMBOLS = {"p": "park", "o": "sport"}
BOX = storeys.components("neoville")
FILLER = "e g\ns w"
Place = tuple[int, int]

HOLE = """
g g s s g g
w w e s w w
s e -- -- s g
g e -- -- e w
w e e e s g
s g s g w s
"""
"""A hole in a city: an L of earth left of it and below, and earth above it and at its right."""
HOLE_TOWERS = ["earth 4 1,2", "earth 6 3,4"]
THROUGH_THE_L = "e g\ng e"
"""A tile that joins both earth districts with a skyscraper through the L, which has none."""


def square_of(word: str) -> dict[str, Any]:
    """A square of a drawing as component sets have it."""
    return {"terrain": TERRAINS[word[0]], "symbol": SYMBOLS.get(word[1:])}


def cut(drawing: str) -> dict[Place, list[list[dict[str, Any]]]]:
    """The tiles of a drawing by their place in it."""
    rows = [line.split() for line in drawing.strip().splitlines()]
    return {
        (r // 2, c // 2): [[square_of(rows[r + a][c + b]) for b in (0, 1)] for a in (0, 1)]
        for r in range(0, len(rows), 2)
        for c in range(0, len(rows[r]), 2)
        if rows[r][c] != "--"
    }


def in_building_order(places: set[Place], first: Place) -> list[Place]:
    """The places from the first one on, each beside an earlier one."""
    order = [first]
    while len(order) < len(places):
        order.append(
            next(
                place
                for place in sorted(places - set(order))
                if any(abs(place[0] - r) + abs(place[1] - c) == 1 for r, c in order)
            )
        )
    return order


def filler_city(tiles: int) -> str:
    """A city of so many tiles without symbols, in which every square is its own district."""
    places = [(n // 4, n % 4) for n in range(tiles)]
    return "\n".join(
        " ".join(
            FILLER.split()[2 * half + side] if (row, col) in places else "--"
            for col in range(4)
            for side in (0, 1)
        )
        for row in range((tiles + 3) // 4)
        for half in (0, 1)
    )


class Table:
    """A position under construction: the tiles that its set has so far."""

    def __init__(self) -> None:
        self.tiles: list[dict[str, Any]] = []
        self.numbers = count(1)

    def add(self, squares: list[list[dict[str, Any]]]) -> str:
        """Put a tile into the set."""
        tile_id = f"t{next(self.numbers)}"
        self.tiles.append({"id": tile_id, "squares": squares})
        return tile_id

    def city(
        self, drawing: str, pieces: list[str], first: Place | None, order: list[Place] | None
    ) -> dict[str, Any]:
        """A city as drawn."""
        tiles = cut(drawing)
        start = first or (min(tiles) if tiles else (0, 0))
        laid = order or (in_building_order(set(tiles), start) if tiles else [])
        places = [(r - laid[0][0], c - laid[0][1]) for r, c in laid]
        by_place: dict[Place, list[dict[str, Any]]] = {place: [] for place in laid}
        by_place |= _by_place(pieces)
        built = [
            piece | {"row": piece["row"] - 2 * laid[0][0], "col": piece["col"] - 2 * laid[0][1]}
            for place in laid
            for piece in by_place[place]
        ]
        return {
            "tiles": [
                {"tile": self.add(tiles[drawn]), "row": row, "col": col, "turn": 0}
                for drawn, (row, col) in zip(laid, places, strict=True)
            ],
            "pieces": built,
        }


def _by_place(pieces: list[str]) -> dict[Place, list[dict[str, Any]]]:
    """Pieces like "water 8 0,2" and "bus-parks-1 0,2" by the place of their square."""
    found: dict[Place, list[dict[str, Any]]] = {}
    for text in pieces:
        *name, square = text.split()
        row, col = (int(n) for n in square.split(","))
        if len(name) == 2:
            piece = {"kind": "skyscraper", "terrain": name[0], "value": int(name[1])}
        else:
            piece = {"kind": "utility", "utility": name[0]}
        found.setdefault((row // 2, col // 2), []).append(piece | {"row": row, "col": col})
    return found


def position(
    *drawings: str,
    pieces: list[list[str]] | None = None,
    to_move: int | None = 0,
    phase: str = "laid",
    hand: list[str] | None = None,
    first: Place | None = None,
    order: list[Place] | None = None,
    supply: list[str] | None = None,
) -> dict[str, Any]:
    """A position with these cities; ``hand`` are tiles of the seat to move, ``supply`` utilities.

    The phase "laid" is to build, or to draw if the last tile of the seat to move has a piece.

    ``first`` and ``order`` are those of seat 0; the round follows from the size of its city.
    """
    players, table = len(drawings), Table()
    built = pieces or [[] for _ in drawings]
    cities = [
        table.city(drawing, built[s], first if s == 0 else None, order if s == 0 else None)
        for s, drawing in enumerate(drawings)
    ]
    if phase == "laid":
        phase = "draw" if to_move is not None and _built_last(cities[to_move]) else "build"
    hands = [[f"equity{seat + 1}"] for seat in range(players)]
    for seat in range(players):
        due = 2 if seat == to_move and phase in ("build", "draw") else 3
        mine = [table.add(cut(tile)[0, 0]) for tile in (hand or [] if seat == to_move else [])]
        while len(hands[seat]) + len(mine) < due:
            mine.append(table.add(cut(FILLER)[0, 0]))
        hands[seat] += mine
    row = [table.add(cut(FILLER)[0, 0]) for _ in range(4)]
    pile = 74 - len(table.tiles)
    for _ in range(pile):
        table.add(cut(FILLER)[0, 0])
    laid = len(cities[0]["tiles"])
    finished = to_move is None or to_move > 0 or phase != "place"
    used = [piece for city in cities for piece in city["pieces"]]
    kinds, left = utilities(players, used, supply or [])
    equity = [tile for tile in BOX["tiles"] if "equity" in tile]
    return {
        "game": "neoville",
        "players": players,
        "phase": phase,
        "round": laid + (0 if finished else 1),
        "to_move": to_move,
        "seed": "1",
        "options": {"utilities": kinds, "components": BOX | {"tiles": table.tiles + equity}},
        "cities": cities,
        "hands": hands,
        "shown": [[f"equity{seat + 1}"] for seat in range(players)],
        "row": row,
        "pile": pile,
        "skyscrapers": skyscrapers(players, used),
        "utilities": left,
        "scores": None,
    }


def _built_last(city: dict[str, Any]) -> bool:
    last = city["tiles"][-1]
    return any(
        (piece["row"] // 2, piece["col"] // 2) == (last["row"], last["col"])
        for piece in city["pieces"]
    )


def skyscrapers(players: int, used: list[dict[str, Any]]) -> dict[str, list[int]]:
    """The supply of N-8 without what is built."""
    left_out = {1: (5, 7), 2: (5, 7), 3: (7,), 4: ()}[players]
    built = {(piece["terrain"], piece["value"]) for piece in used if "terrain" in piece}
    return {
        entry["terrain"]: [
            value
            for value in entry["values"]
            if value not in left_out and (entry["terrain"], value) not in built
        ]
        for entry in BOX["skyscrapers"]
    }


def utilities(
    players: int, used: list[dict[str, Any]], wanted: list[str]
) -> tuple[list[str], list[str]]:
    """Two kinds that hold what is built and wanted, and a supply of them as N-9 asks for."""
    kind_of = {utility["id"]: utility["kind"] for utility in BOX["utilities"]}
    built = [piece["utility"] for piece in used if "utility" in piece]
    named = {kind_of[utility] for utility in [*built, *wanted]}
    kinds = ["bus", "windmill", "biosphere"]
    in_play = sorted(kinds, key=lambda kind: (kind not in named, kinds.index(kind)))[:2]
    due = max(players, 2) + 3
    there = Counter(kind_of[utility] for utility in [*built, *wanted])
    chosen = list(wanted)
    for utility, kind in kind_of.items():
        if kind in in_play and there[kind] < due and utility not in [*built, *wanted]:
            chosen.append(utility)
            there[kind] += 1
    order = list(kind_of)
    return sorted(in_play, key=kinds.index), sorted(chosen, key=order.index)


def parts_by_rule(match: storeys.Match, seat: int = 0) -> dict[str, list[int]]:
    """The points of a seat's parts by rule, in their order."""
    found: dict[str, list[int]] = {}
    for part in match.score()[seat]["parts"]:
        found.setdefault(part["rule"], []).append(part["points"])
    return found
