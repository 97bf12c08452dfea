"""Hand-made positions of Cloud City: draw a city as letters, the rest is filled in to fit.

A drawing has a line for each row of squares, a letter for each square: B, G, S for buildings, a dot
for none, a space where no tile lies.  Tiles are cut out of it 2×2; each needs two buildings, which
our own set has in every look.  The first tile of ``order`` (tile rows and columns of the drawing)
must look like the seat's start tile, and lies at (0, 0).
"""

from collections import Counter
from typing import Any

import storeys

COLOURS = {"B": "blue", "G": "green", "S": "sand"}
BOX = storeys.components("cloud-city")
START_LOOKS = {1: ("B.", ".B"), 2: ("B.", ".G"), 3: ("B.", ".S"), 4: ("G.", ".S")}
Look = tuple[str, str]


def turned(look: Look) -> Look:
    """A quarter turn clockwise."""
    top, bottom = look
    return bottom[0] + top[0], bottom[1] + top[1]


def look_of(tile: dict[str, Any]) -> Look:
    letters = {colour: letter for letter, colour in COLOURS.items()} | {None: "."}
    first, second = ("".join(letters[square] for square in row) for row in tile["squares"])
    return first, second


def find_tile(look: Look, used: set[str], start: int | None) -> tuple[str, int]:
    """An unused tile of our set that looks like this, and its turn."""
    for tile in BOX["tiles"]:
        if tile["id"] in used or tile.get("start") != start:
            continue
        now = look_of(tile)
        for turn in range(4):
            if now == look:
                return tile["id"], turn
            now = turned(now)
    raise LookupError(f"no tile {look} left (start {start})")


def cut(drawing: str) -> dict[tuple[int, int], Look]:
    """The tiles of a drawing by their place in it."""
    lines = drawing.splitlines()
    width = max(map(len, lines))
    rows = [line.ljust(width) for line in lines]
    return {
        (r // 2, c // 2): (rows[r][c : c + 2], rows[r + 1][c : c + 2])
        for r in range(0, len(rows), 2)
        for c in range(0, width, 2)
        if rows[r][c : c + 2].strip()
    }


def in_building_order(
    tiles: dict[tuple[int, int], Look], first: tuple[int, int]
) -> list[tuple[int, int]]:
    """The places from the first one on, each beside an earlier one."""
    order = [first]
    while len(order) < len(tiles):
        order.append(
            next(
                place
                for place in sorted(tiles)
                if place not in order
                and any(abs(place[0] - r) + abs(place[1] - c) == 1 for r, c in order)
            )
        )
    return order


def city(
    drawing: str,
    seat: int = 0,
    used: set[str] | None = None,
    walkways: tuple[str, ...] = (),
) -> dict[str, Any]:
    """A city whose start tile is the first place of the drawing that looks like it."""
    used = set() if used is None else used
    tiles = cut(drawing)
    first = next(place for place in sorted(tiles) if is_start(tiles[place], seat))
    laid: list[dict[str, Any]] = []
    for place in in_building_order(tiles, first):
        start = seat + 1 if place == first else None
        tile, turn = find_tile(tiles[place], used, start)
        used.add(tile)
        row, col = place[0] - first[0], place[1] - first[1]
        laid.append({"tile": tile, "row": row, "col": col, "turn": turn})
    buildings = [
        {"colour": COLOURS[letter], "row": 2 * t["row"] + r, "col": 2 * t["col"] + c}
        for t in laid
        for r, line in enumerate(tiles[t["row"] + first[0], t["col"] + first[1]])
        for c, letter in enumerate(line)
        if letter in COLOURS
    ]
    return {"tiles": laid, "buildings": buildings, "walkways": [read(w, first) for w in walkways]}


def is_start(look: Look, seat: int) -> bool:
    """Our start tiles lie as the data file shows them."""
    return look == START_LOOKS[seat + 1]


def read(walkway: str, first: tuple[int, int]) -> dict[str, Any]:
    """A walkway like "blue 0,0 0,2", in rows and columns of the drawing's squares."""
    colour, start, goal = walkway.split()
    ends = [[int(n) for n in end.split(",")] for end in (start, goal)]
    moved = [[row - 2 * first[0], col - 2 * first[1]] for row, col in ends]
    return {"colour": colour, "from": moved[0], "to": moved[1]}


def position(
    drawings: list[str],
    *,
    walkways: list[tuple[str, ...]] | None = None,
    to_move: int | None = 0,
    phase: str = "walkways",
    hands: dict[int, list[str]] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """A position with these cities, as drawn; the round follows from their size."""
    players = len(drawings)
    used: set[str] = set()
    for hand in (hands or {}).values():
        used |= set(hand)
    built = walkways or [()] * players
    cities = [city(drawings[s], s, used, built[s]) for s in range(players)]
    sizes = [len(c["tiles"]) for c in cities]
    round_no = sizes[0] - (1 if to_move is None or to_move > 0 or phase != "place" else 0)
    supply = {entry["colour"]: list(entry["counts"]) for entry in BOX["walkways"]}
    for walkway in (w for c in cities for w in c["walkways"]):
        length = sum(abs(a - b) for a, b in zip(walkway["from"], walkway["to"], strict=True))
        supply[walkway["colour"]][length - 1] -= 1
    free = [t["id"] for t in BOX["tiles"] if "start" not in t and t["id"] not in used]
    dealt = []
    for seat in range(players):
        due = 2 if seat == to_move and phase in ("walkways", "draw") else 3
        hand = list((hands or {}).get(seat, []))
        dealt.append(hand + [free.pop() for _ in range(due - len(hand))])
    row = [free.pop() for _ in range(min(3, len(free)))]
    settled = {"city": "3x3", "requests": [], "edition": "en"} | options
    return {
        "game": "cloud-city",
        "players": players,
        "phase": phase,
        "round": round_no,
        "to_move": to_move,
        "seed": "1",
        "options": settled,
        "cities": cities,
        "hands": dealt,
        "shown": [[] for _ in range(players)],
        "row": row,
        "pile": len(free),
        "supply": supply,
        "requests": settled["requests"],
        "scores": None,
    }


def points_of(match: storeys.Match, seat: int = 0) -> dict[str, int]:
    """The points of a seat by rule."""
    found: Counter[str] = Counter()
    for part in match.score()[seat]["parts"]:
        found[part["rule"]] += part["points"]
    return dict(found)
