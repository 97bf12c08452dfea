"""What is in Neoville's box: tiles, skyscrapers, utilities, checked against what it prints."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from storeys.games.neoville import state
from storeys.games.neoville.moves import shape_text, utility_label
from storeys.games.neoville.state import KINDS, NEEDS, SHAPE_SIDE, SYMBOLS, TERRAINS, TILES, VALUES
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import Node, noted
from storeys.kernel.record import Records
from storeys.kernel.tiles import box
from storeys.kernel.tiles.text import tiles_text

EQUITY = "equity"  # the key of an equity tile's number
OF_A_KIND = 12
BUSES = {  # N-4: the points of what a bus asks for
    (("park",), 4): 8,
    (("sport",), 4): 8,
    (("park", "sport"), 4): 5,
    (("skyscraper",), 3): 5,
    (("skyscraper",), 4): 8,
    (("utility",), 3): 8,
}
WINDMILLS = {"left": 4, "right": 4, "top": 4, "bottom": 4, "corner": 5, "centre": 6}  # N-5
BIOSPHERE_POINTS, L3_POINTS = (5, 6, 8), (5,)  # N-6
L3 = [[0, 0], [1, 0], [1, 1]]
STYLES = {"earth": "red", "grass": "green", "stone": "white", "water": "blue"}
MARKS = {None: " ", "park": "♣", "sport": "○"}

Shape = list[list[int]]


def read_components(document: Node, problems: list[StoreysError]) -> tuple[dict[str, Any], Records]:
    """N-1 … N-6: everything the box prints; which tiles and shapes there are is the owner's."""
    problems += document.strays("game", "tiles", "skyscrapers", "utilities")
    tiles: list[dict[str, Any]] = []
    utilities: list[dict[str, Any]] = []
    with noted(problems):
        tiles = box.read_tiles(document["tiles"], _read_square, "N-1", (EQUITY, TILES), problems)
    with noted(problems):
        _check_skyscrapers(document["skyscrapers"], problems)
    with noted(problems):
        utilities = _read_utilities(document["utilities"], problems)
    if problems:
        raise problems[0]
    content = {
        "game": "neoville",
        "tiles": tiles,
        "skyscrapers": [{"terrain": t, "values": list(VALUES)} for t in TERRAINS],
        "utilities": utilities,
    }
    return content, _tables(tiles, utilities)


# --- tiles and skyscrapers


def _read_square(square: Node, as_word: bool) -> dict[str, Any]:
    """A table, or in TOML a word like "earth" or "earth+park"."""
    if as_word:
        words = [f"{t}{'+' * bool(s)}{s}" for t in TERRAINS for s in ("", *SYMBOLS)]
        terrain, _, symbol = square.one_of(words).partition("+")
        return {"terrain": terrain, "symbol": symbol or None}
    square.only("terrain", "symbol")
    return {
        "terrain": square["terrain"].one_of(TERRAINS),
        "symbol": square["symbol"].one_of([None, *SYMBOLS]),
    }


def _check_skyscrapers(entries: Node, problems: list[StoreysError]) -> None:
    """N-2: each value once on each terrain."""
    found: list[str] = []
    for entry in entries.items():
        with noted(problems):
            problems += entry.strays("terrain", "values")
            with noted(problems):
                found.append(entry["terrain"].one_of(TERRAINS))
                if found[-1] in found[:-1]:
                    raise entry.fail("storeys.components.twice", "N-2", key="terrain", id=found[-1])
            if sorted(value.whole(0, 99) for value in entry["values"].items()) != list(VALUES):
                known = ", ".join(map(str, VALUES))
                raise entry.fail("neoville.components.values", "N-2", known=known)
    if len(found) < len(entries.value):
        return  # what cannot be read would be missing below
    problems += [
        entries.fail("storeys.components.missing", "N-2", key="terrain", id=terrain)
        for terrain in TERRAINS
        if terrain not in found
    ]


# --- utilities


def _read_utilities(entries: Node, problems: list[StoreysError]) -> list[dict[str, Any]]:
    """N-3: twelve of each kind; how many of each sort is the owner's to say."""
    utilities: list[dict[str, Any]] = []
    for entry in entries.items():
        with noted(problems):  # One that cannot be read does not hide the others.
            utilities.append(_read_utility(entry))
    box.check_ids(entries, utilities, "utility", "N-3", problems)
    if len(utilities) < len(entries.value):
        return utilities  # what cannot be read would be missing below
    kinds = Counter(utility["kind"] for utility in utilities)
    for kind in KINDS:
        if kinds[kind] != OF_A_KIND:
            facts = {"kind": Message(f"neoville.kind.{kind}"), "n": OF_A_KIND, "found": kinds[kind]}
            problems.append(entries.fail("neoville.components.kind", "N-3", **facts))
    return utilities


def _read_utility(entry: Node) -> dict[str, Any]:
    """N-4 … N-6: what a utility asks for, and the points that are printed for that."""
    utility: dict[str, Any] = {"id": box.read_id(entry["id"])}
    kind = utility["kind"] = entry["kind"].one_of(KINDS)
    points = utility["points"] = entry["points"].whole(1, 99)
    if kind == "biosphere":
        entry.only("id", "kind", "points", "shape")
        utility["shape"] = _read_shape(entry["shape"])
        _check_biosphere(entry, utility)
        return utility
    if kind == "bus":
        entry.only("id", "kind", "points", "needs", "count")
        needs = {need.one_of(NEEDS) for need in entry["needs"].items()}
        utility["needs"] = [need for need in NEEDS if need in needs]
        utility["count"] = entry["count"].whole(1, 16)
        rule, printed = "N-4", BUSES.get((tuple(utility["needs"]), utility["count"]))
        if printed is None:
            raise entry.fail("neoville.components.bus", "N-4", id=utility["id"])
    else:
        entry.only("id", "kind", "points", "where")
        utility["where"] = entry["where"].one_of(state.WHERE)
        rule, printed = "N-5", WINDMILLS[utility["where"]]
    if points != printed:
        facts = {"sort": utility_label(utility), "printed": printed, "found": points}
        raise entry.fail("neoville.components.points", rule, **facts)
    return utility


def _check_biosphere(entry: Node, utility: dict[str, Any]) -> None:
    """N-6: 5, 6 or 8 points; the L of three squares is known to bring 5."""
    shape, points = utility["shape"], utility["points"]
    known = L3_POINTS if L3 in turned_shapes(shape) else BIOSPHERE_POINTS
    if points not in known:
        facts = {"shape": shape_text(shape), "known": ", ".join(map(str, known)), "found": points}
        raise entry.fail("neoville.components.biosphere", "N-6", **facts)


def _read_shape(shape: Node) -> Shape:
    """Squares as [row, column], or rows of text like "##" and "#."."""
    rows = list(shape.items())
    if rows and all(isinstance(row.value, str) for row in rows):
        squares = [[r, c] for r, row in enumerate(rows) for c in _marked(row)]
    else:
        squares = [row.wholes(2, -99, 99) for row in rows]
    if not _is_shape(squares):
        raise shape.fail("neoville.components.shape", "N-6", n=SHAPE_SIDE)
    return turned_shapes(squares)[0]


def _marked(row: Node) -> list[int]:
    """The columns of a row of text that belong to the shape."""
    if set(row.value) - {"#", "."}:
        raise row.fail("neoville.components.shape-signs", "N-6", found=row.value)
    return [col for col, sign in enumerate(row.value) if sign == "#"]


def _is_shape(squares: Shape) -> bool:
    """Squares that hang together, each once, within 4×4."""
    places = {(r, c) for r, c in squares}
    if not places or len(places) < len(squares):
        return False
    reached, steps = {min(places)}, ((0, 1), (1, 0), (0, -1), (-1, 0))
    for _ in places:  # each time one step further, so that all are reached that can be
        reached |= places & {(r + a, c + b) for r, c in reached for a, b in steps}
    sides = [max(axis) - min(axis) < SHAPE_SIDE for axis in zip(*places, strict=True)]
    return reached == places and all(sides)


def turned_shapes(shape: Shape) -> list[Shape]:
    """A shape in its four quarter turns clockwise, each at 0, 0 and in order; never mirrored."""
    turns = []
    for _ in range(4):
        top, left = map(min, zip(*shape, strict=True))
        turns.append(sorted([r - top, c - left] for r, c in shape))
        shape = [[c, -r] for r, c in shape]
    return turns


# --- tables


def _tables(tiles: list[dict[str, Any]], utilities: list[dict[str, Any]]) -> Records:
    tables = np.zeros(1, state.TABLES)
    record = tables[0]
    box.fill_tables(record, tiles, EQUITY)
    symbols, marks = (None, *SYMBOLS), (*TERRAINS, *SYMBOLS)
    for number, tile in enumerate(tiles[:TILES]):
        turns = [box.turned_squares(tile, turn) for turn in range(4)]
        for turn, squares in enumerate(turns):
            terrains = [TERRAINS.index(square["terrain"]) for square in squares]
            record.terrain[number, turn] = terrains
            record.group[number, turn] = _groups_of(terrains)
            record.symbol[number, turn] = [symbols.index(square["symbol"]) for square in squares]
        record.marks[number] = [mark in square.values() for square in turns[0] for mark in marks]
    for number, utility in enumerate(utilities[: state.UTILITIES]):
        _fill_utility(record, number, utility)
    return tables


def _groups_of(terrains: list[int]) -> list[int]:
    """Which squares of a tile are one district: the number of the first square of each."""
    groups = [0, 1, 2, 3]
    for one, two in ((0, 1), (0, 2), (1, 3), (2, 3)):
        if terrains[one] == terrains[two]:
            kept, gone = sorted((groups[one], groups[two]))
            groups = [kept if group == gone else group for group in groups]
    return groups


def _fill_utility(record: Any, number: int, utility: Mapping[str, Any]) -> None:
    record.kind[number] = KINDS.index(utility["kind"])
    record.points[number] = utility["points"]
    if "needs" in utility:
        record.needs[number] = sum(1 << NEEDS.index(need) for need in utility["needs"])
        record.count[number] = utility["count"]
    elif "where" in utility:
        record.where[number] = state.WHERE.index(utility["where"])
    else:
        record.squares[number] = len(utility["shape"])
        turns = turned_shapes(utility["shape"])
        record.shapes[number] = [sum(1 << (r * SHAPE_SIDE + c) for r, c in turn) for turn in turns]


# --- for people


def show_tiles(tiles: list[dict[str, Any]]) -> str:
    """Tiles side by side as letters and symbols."""
    return tiles_text(tiles, square_text, 2, EQUITY)


def square_text(square: Mapping[str, Any]) -> str:
    """The terrain's letter and the symbol."""
    style = STYLES[square["terrain"]]
    return f"[{style}]{square['terrain'][0].upper()}[/{style}]{MARKS[square['symbol']]}"


def utility_lines(utilities: list[dict[str, Any]], lang: str) -> list[str]:
    """Utilities, those of one sort in one line: points, what they ask for, ids."""
    sorts: dict[tuple[str, int], list[str]] = {}
    for utility in utilities:
        key = (utility_label(utility).text(lang), utility["points"])
        sorts.setdefault(key, []).append(utility["id"])
    return [
        f"{points:>3}  {text}: [dim]{', '.join(ids)}[/dim]" for (text, points), ids in sorts.items()
    ]


def components_text(content: Mapping[str, Any], lang: str) -> str:
    """All tiles, then skyscrapers and utilities."""
    lines = [Message("neoville.components.title", n=len(content["tiles"])).text(lang), ""]
    lines.append(show_tiles(content["tiles"]))
    lines.append(Message("neoville.components.skyscrapers").text(lang))
    for entry in content["skyscrapers"]:
        name = Message(f"neoville.terrain.{entry['terrain']}").text(lang)
        lines.append(f"{name:<6} {' '.join(map(str, entry['values']))}")
    lines.append(Message("neoville.components.utilities").text(lang))
    return "\n".join(lines + utility_lines(content["utilities"], lang))
