"""What is in Neoville's box: tiles, skyscrapers, utilities, checked against what it prints."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from storeys.games.neoville import state
from storeys.games.neoville.moves import shape_text, utility_label
from storeys.games.neoville.state import KINDS, NEEDS, SHAPE_SIDE, SYMBOLS, TERRAINS, TILES, VALUES
from storeys.kernel.components import read_box, read_kinds
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import Node, noted
from storeys.kernel.record import Records
from storeys.kernel.tiles import box

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
Shape = list[list[int]]


def read_components(document: Node, problems: list[StoreysError]) -> tuple[dict[str, Any], Records]:
    """N-1 … N-6: everything the box prints; which tiles and shapes there are is the owner's."""
    own = {"skyscrapers": _read_skyscrapers, "utilities": _read_utilities}
    content = read_box(document, {"tiles": _read_tiles, **own}, problems)
    return content, _tables(content)


# --- tiles and skyscrapers


def _read_tiles(entries: Node, problems: list[StoreysError]) -> list[dict[str, Any]]:
    return box.read_tiles(entries, _read_square, "N-1", (EQUITY, TILES), problems)


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


def _read_skyscrapers(entries: Node, problems: list[StoreysError]) -> list[dict[str, Any]]:
    """N-2: each value once on each terrain."""
    found = read_kinds(entries, "N-2", ("terrain", TERRAINS, "values"), _read_values, problems)
    return [{"terrain": terrain, "values": found.get(terrain)} for terrain in TERRAINS]


def _read_values(entry: Node) -> list[int]:
    values = sorted(value.whole(0, 99) for value in entry["values"].items())
    if values != list(VALUES):
        known = ", ".join(map(str, VALUES))
        raise entry.fail("neoville.components.values", "N-2", known=known)
    return values


# --- utilities


def _read_utilities(entries: Node, problems: list[StoreysError]) -> list[dict[str, Any]]:
    """N-3: twelve of each kind; how many of each sort is the owner's to say."""
    utilities = box.read_named(entries, _read_utility, "utility", "N-3", problems)
    kinds = Counter(filter(None, map(_kind_of, entries.items())))
    if kinds.total() < len(entries.value):
        return utilities  # what is of no kind would be missing below
    for kind in KINDS:
        if kinds[kind] != OF_A_KIND:
            facts = {"kind": Message(f"neoville.kind.{kind}"), "n": OF_A_KIND, "found": kinds[kind]}
            problems.append(entries.fail("neoville.components.kind", "N-3", **facts))
    return utilities


def _kind_of(entry: Node) -> str | None:
    """The kind of a utility, whatever else is wrong with it."""
    kind = entry.value.get("kind") if isinstance(entry.value, dict) else None
    return kind if kind in KINDS else None


def _read_utility(entry: Node, wrongs: list[StoreysError]) -> dict[str, Any]:
    """N-4 … N-6: what a utility asks for, and the points that are printed for that."""
    utility: dict[str, Any] = {}
    with noted(wrongs):
        utility["id"] = box.read_id(entry["id"])
    utility["kind"] = entry["kind"].one_of(KINDS)
    asks = ASKED[utility["kind"]]
    wrongs += entry.strays("id", "kind", "points", *asks)
    with noted(wrongs):
        utility["points"] = entry["points"].whole(1, 99)
    for key, read in asks.items():
        with noted(wrongs):
            utility[key] = read(entry[key])
    if not wrongs:
        _check_points(entry, utility)
    return utility


def _read_needs(needs: Node) -> list[str]:
    found = {need.one_of(NEEDS) for need in needs.items()}
    return [need for need in NEEDS if need in found]


def _check_points(entry: Node, utility: dict[str, Any]) -> None:
    """N-4, N-5: what is printed; N-6: 5, 6 or 8, and 5 for the L of three squares."""
    points = utility["points"]
    if "shape" in utility:
        shape, turns = utility["shape"], turned_shapes(utility["shape"])
        known = L3_POINTS if L3 in turns else BIOSPHERE_POINTS
        facts = {"shape": shape_text(shape), "known": ", ".join(map(str, known)), "found": points}
        if points not in known:
            raise entry.fail("neoville.components.biosphere", "N-6", **facts)
        return
    if "where" in utility:
        rule, printed = "N-5", WINDMILLS.get(utility["where"])
    else:
        rule, printed = "N-4", BUSES.get((tuple(utility["needs"]), utility["count"]))
    if printed is None:
        raise entry.fail("neoville.components.bus", "N-4", id=utility["id"])
    if points != printed:
        facts = {"sort": utility_label(utility), "printed": printed, "found": points}
        raise entry.fail("neoville.components.points", rule, **facts)


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


ASKED: dict[str, dict[str, Callable[[Node], Any]]] = {
    "bus": {"needs": _read_needs, "count": lambda count: count.whole(1, 16)},
    "windmill": {"where": lambda where: where.one_of(state.WHERE)},
    "biosphere": {"shape": _read_shape},
}
"""What each kind asks for, and how that is read."""


# --- tables


def _tables(content: dict[str, Any]) -> Records:
    tables = np.zeros(1, state.TABLES)
    record, symbols = tables[0], (None, *SYMBOLS)
    for where, squares in box.fill_tables(record, content["tiles"], EQUITY):
        terrains = [TERRAINS.index(square["terrain"]) for square in squares]
        record.terrain[where] = terrains
        record.group[where] = _groups_of(terrains)
        record.sides[where] = sum(terrains[nth // 2] << (8 * nth) for nth in range(8))
        record.symbol[where] = [symbols.index(square["symbol"]) for square in squares]
    terrain, symbol = record.terrain[:, 0, :, None], record.symbol[:, 0, :, None]
    marks = terrain == np.arange(len(TERRAINS)), symbol == (state.PARK, state.SPORT)
    record.marks[:] = np.concatenate(marks, axis=2).reshape(TILES, -1)
    for number, utility in enumerate(content["utilities"]):
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
    record.needs[number] = sum(1 << NEEDS.index(need) for need in utility.get("needs", ()))
    record.count[number] = utility.get("count", 0)
    if "where" in utility:
        record.where[number] = state.WHERE.index(utility["where"])
    if "shape" in utility:
        turns = turned_shapes(utility["shape"])
        record.squares[number] = len(turns[0])
        record.shapes[number] = [sum(1 << (r * SHAPE_SIDE + c) for r, c in turn) for turn in turns]
