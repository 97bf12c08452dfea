"""Make Neoville's default component set and print it as TOML.

    python tools/make_neoville_components.py > src/storeys/games/neoville/components.toml

Nobody has published the exact tiles, so they are reconstructed by the rule N-7. A tile is written
as its four terrain letters (e g s w), clockwise from the top left square; turning the tile turns
the word around, and the turn that comes first in the alphabet names the tile. `check_all` makes
sure of every total before anything is printed. The script uses no chance: it always prints the
same text.
"""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from typing import NamedTuple

TERRAINS = {"e": "earth", "g": "grass", "s": "stone", "w": "water"}

# N-7: the eight patterns that are in the box twice: four of the six with all terrains, and halves
# of earth/grass, stone/water, earth/stone and grass/water.
TWICE = ["egsw", "egws", "esgw", "eswg", "eegg", "ssww", "eess", "ggww"]

# How many tiles of each shape (see `shape_of`) carry which symbols: in all 24, 24, 8 and 18 (N-7),
# and in each shape about the same share of every kind.
SYMBOLS = {
    "aaab": {"park": 4, "sport": 4, "park sport": 1, "": 3},  # 12 tiles: three and one
    "aabb": {"park": 3, "sport": 3, "park sport": 1, "": 3},  # 10 tiles: halves
    "aabc": {"park": 8, "sport": 8, "park sport": 3, "": 5},  # 24 tiles: three terrains
    "abac": {"park": 4, "sport": 4, "park sport": 1, "": 3},  # 12 tiles: three, the pair crosswise
    "abab": {"park": 2, "sport": 2, "park sport": 1, "": 1},  # 6 tiles: crosswise
    "abcd": {"park": 3, "sport": 3, "park sport": 1, "": 3},  # 10 tiles: all four
}

SKYSCRAPER_VALUES = [4, 5, 6, 7, 8, 10, 12]

# N-4: name, points, what the bus needs, how many of them; two of each.
BUSES = [
    ("parks", 8, ["park"], 4),
    ("sports", 8, ["sport"], 4),
    ("grounds", 5, ["park", "sport"], 4),
    ("skyscrapers3", 5, ["skyscraper"], 3),
    ("skyscrapers4", 8, ["skyscraper"], 4),
    ("utilities", 8, ["utility"], 3),
]

# N-5: place and points; two of each.
WINDMILLS = [("left", 4), ("right", 4), ("top", 4), ("bottom", 4), ("corner", 5), ("centre", 6)]

# N-6: name, copies, points, shape.
BIOSPHERES = [
    ("l3", 2, 5, ["#.", "##"]),
    ("i3", 2, 5, ["###"]),
    ("o4", 2, 6, ["##", "##"]),
    ("t4", 2, 8, ["###", ".#."]),
    ("l4", 1, 6, ["#.", "#.", "##"]),
    ("j4", 1, 6, [".#", ".#", "##"]),
    ("s4", 1, 8, [".##", "##."]),
    ("z4", 1, 8, ["##.", ".##"]),
]

HEAD = """\
# What is in a Neoville box. Nobody has published the exact tiles, so these 78 are a reconstruction
# (N-7) that meets every total the box prints. To play with your own box, copy this file, write
# down your tiles and pass its path as `components`; `storeys components check FILE` tells what is
# still missing. This file was made by tools/make_neoville_components.py.

game = "neoville"
"""

TILES_COMMENT = """
# N-1: a tile is two rows of two squares: earth, grass, stone or water, with `+park` or `+sport`
# where the square has a park or a sports ground. The id is only a name; here it is the four
# terrains clockwise from the top left, and a 2 for the second tile of a pattern. `equity` marks
# the equity tiles by their number.
"""

SKYSCRAPERS_COMMENT = """
# N-2: the skyscrapers of each terrain by their value.
"""

UTILITIES_COMMENT = """
# N-3: the utilities.
# N-4: a bus needs `count` of the things in `needs` in its row and column.
# N-5: a windmill wants to stand on a tile in this place of the finished city.
# N-6: a biosphere wants a district of exactly this shape, # for a square and . for none. It may be
# turned; its mirror image is another shape.
"""


class Tile(NamedTuple):
    """A tile: its id, its terrain letters clockwise, and the symbols by the square they are on."""

    name: str
    word: str
    symbols: dict[int, str]


# The tiles


def turns(word: str) -> list[str]:
    """Return a tile in its four turns."""
    return [word[turn:] + word[:turn] for turn in range(4)]


def first_turn(word: str) -> str:
    """Return the one of a tile's four turns that comes first in the alphabet."""
    return min(turns(word))


def shape_of(word: str) -> str:
    """Return how a tile's terrains lie, whichever they are: "aaab" for eeeg and for gsss."""
    shapes = []
    for turn in turns(word):
        order = list(dict.fromkeys(turn))  # the terrains as they first come up
        shapes.append("".join("abcd"[order.index(letter)] for letter in turn))
    return min(shapes)


def patterns() -> list[str]:
    """Return every different tile with at least two terrains."""
    words = ("".join(letters) for letters in product(TERRAINS, repeat=4))
    return sorted({first_turn(word) for word in words if len(set(word)) >= 2})


def spread(counts: dict[str, int]) -> list[str]:
    """Return the kinds as often as counted, each at even distances: park, sport, none, park..."""
    places = [(Fraction(2 * i + 1, 2 * n), kind) for kind, n in counts.items() for i in range(n)]
    return [kind for _, kind in sorted(places, key=lambda place: place[0])]


def ordinary_tiles() -> list[Tile]:
    """Return the 74 ordinary tiles in the order of their ids.

    They get their symbols shape by shape. Each symbol goes to the terrain on the tile that has the
    fewest of it so far, so that the tiles with all four terrains, which come last, make every
    terrain's number the same.
    """
    names = sorted(patterns() + [word + "2" for word in TWICE])
    tiles: list[Tile] = []
    seen: Counter[tuple[str, str]] = Counter()  # (symbol, terrain letter)
    for shape, counts in SYMBOLS.items():
        group = [name for name in names if shape_of(name[:4]) == shape]
        for name, kind in zip(group, spread(counts), strict=True):
            tile = Tile(name, name[:4], {})
            for symbol in kind.split():
                square = best_square(tile, symbol, seen, start=len(tiles))
                tile.symbols[square] = symbol
                seen[symbol, tile.word[square]] += 1
            tiles.append(tile)
    return sorted(tiles)


def best_square(tile: Tile, symbol: str, seen: Counter[tuple[str, str]], start: int) -> int:
    """Return the square whose terrain has the symbol least; of equals the next from start.

    The two symbols of one tile are on different terrains.
    """
    taken = {tile.word[square] for square in tile.symbols}
    squares = [(start + step) % 4 for step in range(4)]
    free = [square for square in squares if tile.word[square] not in taken]
    return min(free, key=lambda square: seen[symbol, tile.word[square]])


def equity_tiles() -> list[Tile]:
    """Return the four equity tiles; their four symbols are on four different terrains."""
    return [
        Tile("equity1", "esgw", {}),
        Tile("equity2", "eswg", {"eswg".index("g"): "park"}),
        Tile("equity3", "ewgs", {"ewgs".index("s"): "sport"}),
        Tile("equity4", "ewsg", {"ewsg".index("w"): "park", "ewsg".index("e"): "sport"}),
    ]


# The text


def quoted(words: Iterable[str]) -> str:
    """Return a TOML list of strings."""
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"


def array(name: str, entries: Iterable[str]) -> str:
    """Return a TOML list of tables, one on a line."""
    return f"{name} = [\n" + "".join(f"    {{ {entry} }},\n" for entry in entries) + "]\n"


def rows(tile: Tile) -> list[str]:
    """Return a tile's two rows in words."""
    squares = [TERRAINS[letter] for letter in tile.word]
    for square, symbol in tile.symbols.items():
        squares[square] += "+" + symbol
    top_left, top_right, bottom_right, bottom_left = squares
    return [f"{top_left} {top_right}", f"{bottom_left} {bottom_right}"]


def tile_entries(ordinary: list[Tile], equity: list[Tile]) -> list[str]:
    """Return the lines of all the tiles, the equity tiles last."""
    lines = [f'id = "{tile.name}", squares = {quoted(rows(tile))}' for tile in ordinary + equity]
    numbers = [""] * len(ordinary) + [f", equity = {i + 1}" for i in range(len(equity))]
    return [line + number for line, number in zip(lines, numbers, strict=True)]


def skyscraper_entries() -> list[str]:
    """Return the lines of the skyscrapers."""
    return [f'terrain = "{name}", values = {SKYSCRAPER_VALUES}' for name in TERRAINS.values()]


def utility_entries() -> list[str]:
    """Return the lines of the utilities: buses, windmills, biospheres."""
    lines = []
    for name, points, needs, count in BUSES:
        rest = f"needs = {quoted(needs)}, count = {count}"
        lines += copies("bus", name, 2, points, rest)
    for where, points in WINDMILLS:
        lines += copies("windmill", where, 2, points, f'where = "{where}"')
    for name, number, points, shape in BIOSPHERES:
        lines += copies("biosphere", name, number, points, f"shape = {quoted(shape)}")
    return lines


def copies(kind: str, name: str, number: int, points: int, rest: str) -> list[str]:
    """Return the lines of one utility's copies, which differ in the number behind the id."""
    return [
        f'id = "{kind}-{name}-{copy}", kind = "{kind}", points = {points}, {rest}'
        for copy in range(1, number + 1)
    ]


# The totals


def check(what: str, found: object, wanted: object) -> None:
    """Stop if a total is not what it should be."""
    if found != wanted:
        raise SystemExit(f"{what}: {found} instead of {wanted}")


def check_all(ordinary: list[Tile], equity: list[Tile]) -> None:
    """Check the totals of the rules N-1 to N-7."""
    check_patterns(ordinary)
    check_symbols(ordinary)
    check_equity(equity)
    check_pieces()


def check_patterns(tiles: list[Tile]) -> None:
    """Check which tiles there are, and that every terrain is on 74 squares."""
    check("patterns", len(patterns()), 66)
    check("ordinary tiles", len(tiles), 74)
    check("different ids", len({tile.name for tile in tiles}), 74)
    check("different patterns", sorted({tile.word for tile in tiles}), patterns())
    twice = [word for word, number in Counter(tile.word for tile in tiles).items() if number == 2]
    check("doubled patterns", sorted(twice), sorted(TWICE))
    squares = Counter("".join(tile.word for tile in tiles))
    check("squares of each terrain", squares, dict.fromkeys(TERRAINS, 74))


def check_symbols(tiles: list[Tile]) -> None:
    """Check the numbers of parks and sports grounds, and how they are spread."""
    kinds = Counter(" ".join(sorted(tile.symbols.values())) for tile in tiles)
    check("kinds of tile", kinds, {"park": 24, "sport": 24, "park sport": 8, "": 18})
    seen = Counter((mark, tile.word[at]) for tile in tiles for at, mark in tile.symbols.items())
    check("symbols", seen, dict.fromkeys(product(["park", "sport"], TERRAINS), 8))
    symbols = {tile.name: sorted(tile.symbols.values()) for tile in tiles}
    alike = [word for word in TWICE if symbols[word] == symbols[word + "2"]]
    check("doubled patterns with the same symbols", alike, [])


def check_equity(tiles: list[Tile]) -> None:
    """Check that the equity tiles are four different ones with all terrains, the best one last."""
    check("equity patterns", len({first_turn(tile.word) for tile in tiles}), 4)
    check("equity terrains", [len(set(tile.word)) for tile in tiles], [4, 4, 4, 4])
    symbols = [sorted(tile.symbols.values()) for tile in tiles]
    check("equity symbols", symbols, [[], ["park"], ["sport"], ["park", "sport"]])


def check_pieces() -> None:
    """Check the numbers of skyscrapers and utilities, and the shapes of the biospheres."""
    check("skyscrapers", len(TERRAINS) * len(SKYSCRAPER_VALUES), 28)
    check("buses", 2 * len(BUSES), 12)
    check("windmills", 2 * len(WINDMILLS), 12)
    check("biospheres", sum(number for _, number, _, _ in BIOSPHERES), 12)
    check("utilities", len(utility_entries()), 36)
    shapes = {name: shape for name, _, _, shape in BIOSPHERES}
    for name, shape in shapes.items():
        check(f"squares of {name}", "".join(shape).count("#"), int(name[1]))
    check("mirror image of l4", [row[::-1] for row in shapes["l4"]], shapes["j4"])
    check("mirror image of s4", [row[::-1] for row in shapes["s4"]], shapes["z4"])


def document() -> str:
    """Return the component set as TOML, after a check of all its totals."""
    ordinary, equity = ordinary_tiles(), equity_tiles()
    check_all(ordinary, equity)
    return "".join(
        [
            HEAD,
            TILES_COMMENT,
            array("tiles", tile_entries(ordinary, equity)),
            SKYSCRAPERS_COMMENT,
            array("skyscrapers", skyscraper_entries()),
            UTILITIES_COMMENT,
            array("utilities", utility_entries()),
        ]
    )


def main() -> None:
    """Print the component set."""
    print(document(), end="")


if __name__ == "__main__":
    main()
