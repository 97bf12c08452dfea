"""Neoville's state: the record that the rules work on, and the sizes of the game."""

from storeys.kernel.record import IntArray, field, record_dtype
from storeys.kernel.tiles.cities import MOST_LAID, PLACE_ACTIONS, Cities
from storeys.kernel.tiles.grid import SQUARES

TERRAINS = ("earth", "grass", "stone", "water")
SYMBOLS = ("park", "sport")
VALUES = (4, 5, 6, 7, 8, 10, 12)
KINDS = ("bus", "windmill", "biosphere")
BUS, WINDMILL, BIOSPHERE = range(3)
NEEDS = ("park", "sport", "skyscraper", "utility")
WHERE = ("left", "right", "top", "bottom", "corner", "centre")
LEFT, RIGHT, TOP, BOTTOM, CORNER, CENTRE = range(6)

PHASES = ("place", "build", "draw", "over")
TILES = 78
ROW = 4
ROUNDS = 16
SIDE = 4  # tiles of a finished city, in rows and in columns
NONE = -1

# A piece is its number: skyscrapers by terrain and value, then utilities in the set's order.
SKYSCRAPERS = len(TERRAINS) * len(VALUES)
UTILITIES = 36
PIECES = SKYSCRAPERS + UTILITIES

# What is on a square besides its terrain: nothing, a symbol, or a piece (FIRST_PIECE + its number).
NO_TILE, EMPTY, PARK, SPORT, FIRST_PIECE = -1, 0, 1, 2, 3
NEED_PARK, NEED_SPORT, NEED_SKYSCRAPER, NEED_UTILITY = 1, 2, 4, 8

DISTRICTS = 4 * MOST_LAID
SHAPE_SIDE = 4  # a biosphere's shape fits into 4×4 squares


class State(Cities):
    """A match of Neoville.  Squares are indices as in :mod:`storeys.kernel.tiles.grid`."""

    kinds: IntArray = field("i2", len(KINDS))  # N-9: 1 for the two kinds of utilities in play

    # Each seat's city.
    terrain: IntArray = field("i1", 4, SQUARES)  # NO_TILE or a terrain
    content: IntArray = field("i1", 4, SQUARES)
    grounds: IntArray = field("i2", 4, len(SYMBOLS))  # parks and sports grounds
    piece: IntArray = field("i2", 4, MOST_LAID, 2)  # number and square, in order
    piece_count: IntArray = field("i2", 4)

    # Its districts (N-12), kept up as tiles are laid.  A district has the number of its first
    # square: tile by tile, four squares each.
    district: IntArray = field("i1", 4, SQUARES)  # of each square, or NONE
    district_terrain: IntArray = field("i1", 4, DISTRICTS)
    district_size: IntArray = field("i2", 4, DISTRICTS)  # squares; 0 once it is part of another
    skyscrapers_in: IntArray = field("i2", 4, DISTRICTS)

    # The supply, as bits.
    skyscrapers: IntArray = field("i8", len(TERRAINS))  # by index of the value
    utilities: int = field("i8")  # by number


STATE = record_dtype("neoville", __file__, State)


class Tables:
    """The component set, as the rules read it."""

    terrain: IntArray = field("i2", TILES, 4, 4)  # by tile, turn and square
    symbol: IntArray = field("i2", TILES, 4, 4)  # EMPTY, PARK or SPORT
    # Squares of a tile that belong to one district have the same number 0 … 3.
    group: IntArray = field("i2", TILES, 4, 4)
    # The terrain of the tile's square beside each of the eight squares around it, a byte for each.
    sides: IntArray = field("i8", TILES, 4)
    marks: IntArray = field("u1", TILES, 4 * 6)  # as shown: square × terrains, park, sport
    turns: IntArray = field("i2", TILES)  # 1, 2 or 4: how many turns look different
    numbered: IntArray = field("i2", TILES)  # the number of an equity tile, 0 for any other
    own: IntArray = field("i2", 4)  # the equity tile of each seat

    kind: IntArray = field("i2", UTILITIES)
    points: IntArray = field("i2", UTILITIES)
    needs: IntArray = field("i2", UTILITIES)  # a bus: bits NEED_…
    count: IntArray = field("i2", UTILITIES)  # a bus: how many of them
    where: IntArray = field("i2", UTILITIES)  # a windmill: index into WHERE
    squares: IntArray = field("i2", UTILITIES)  # a biosphere: how many squares its shape has
    shapes: IntArray = field("i4", UTILITIES, 4)  # in four turns, as bits of 4×4


TABLES = record_dtype("neoville_tables", __file__, Tables)


# The action space: laying a tile, then a piece on a square of the tile just laid, then draws.
FIRST_BUILD = PLACE_ACTIONS
FIRST_DRAW = FIRST_BUILD + 4 * PIECES  # square × piece
DRAW_PILE = FIRST_DRAW + ROW
END = DRAW_PILE + 1
ACTIONS = END + 1
