"""Cloud City's state: the record that the rules work on, and the sizes of the game."""

from storeys.kernel.draft import HAND, Draft
from storeys.kernel.grid import SQUARES
from storeys.kernel.record import IntArray, field, record_dtype

COLOURS = ("blue", "green", "sand")  # from the lowest buildings to the highest
LENGTHS = 5
TILES = 48
STARTS = 4
ROW = 3
NONE = -1

PHASES = ("place", "walkways", "draw", "over")
PLACE, WALKWAYS, DRAW, OVER = range(4)

REQUESTS = (
    "valuable-route",
    "separate-routes",
    "varied-route",
    "circuits",
    "blue-buildings",
    "green-buildings",
    "minimalist",
    "crossed-walkways",
    "solo-buildings",
    "balanced",
)
(
    VALUABLE_ROUTE,
    SEPARATE_ROUTES,
    VARIED_ROUTE,
    CIRCUITS,
    BLUE_BUILDINGS,
    GREEN_BUILDINGS,
    MINIMALIST,
    CROSSED_WALKWAYS,
    SOLO_BUILDINGS,
    BALANCED,
) = range(10)
COMPARING = (VALUABLE_ROUTE, SEPARATE_ROUTES, BLUE_BUILDINGS, GREEN_BUILDINGS)
MOST_REQUESTS = 2
EDITIONS = ("en", "de", "nl")
EN, DE, NL = range(3)

MOST_LAID = 12  # tiles of a 3×4 city
MOST_BUILDINGS = 2 * MOST_LAID
MOST_WALKWAYS = MOST_BUILDINGS  # a building has at most two ends

# What stands on a square: no tile, a tile without a building, or a building of a height 1 … 3.
NO_TILE, OPEN = -1, 0
# Directions, and the bits of the walkways that leave a building in them.
RIGHT, DOWN = 0, 1
TO_RIGHT, TO_BELOW, TO_LEFT, TO_ABOVE = 1, 2, 4, 8


class State(Draft):
    """A match of Cloud City.  Squares are indices as in :mod:`storeys.kernel.grid`."""

    # Options.
    rounds: int = field("i8")  # C-6, C-22: 8, or 11
    long_side: int = field("i8")  # the longer side of the target, 3 or 4; the other is 3
    edition: int = field("i8")
    requests: IntArray = field("i2", MOST_REQUESTS)  # numbers of request cards, or NONE

    # Each seat's city.
    laid: IntArray = field("i2", 4, MOST_LAID, 3)  # tile, bit of its place, turn, in order
    laid_count: IntArray = field("i2", 4)
    places: IntArray = field("i8", 4)  # bits of the places that hold a tile
    box: IntArray = field("i2", 4, 4)  # first and last tile row, first and last tile column
    ground: IntArray = field("i1", 4, SQUARES)  # NO_TILE, OPEN or a height
    span: IntArray = field(
        "i1", 4, SQUARES
    )  # walkways between their ends: bit 2·colour + direction
    links: IntArray = field("i1", 4, SQUARES)  # walkways that leave a building: bits TO_…
    building: IntArray = field("i2", 4, MOST_BUILDINGS)  # their squares, in order
    walkway: IntArray = field("i2", 4, MOST_WALKWAYS, 4)  # colour, square, direction, length
    walkway_count: IntArray = field("i2", 4)

    supply: IntArray = field("i2", 3, LENGTHS)  # C-14, by colour and length
    # The walkways that the seat to move may build: square × 2 + direction.
    open_walkways: IntArray = field("i2", 2 * MOST_BUILDINGS)
    open_count: int = field("i8")


STATE = record_dtype("cloud_city", __file__, State)


class Tables:
    """The component set, as the rules read it."""

    squares: IntArray = field("i2", TILES, 4, 4)  # height by tile, turn and square; 0 without
    turns: IntArray = field("i2", TILES)  # 2 if two quarter turns give the same squares, else 4
    start: IntArray = field("i2", STARTS)  # the start tiles
    is_start: IntArray = field("i2", TILES)
    walkways: IntArray = field("i2", 3, LENGTHS)  # pieces by colour and length
    votes: IntArray = field("i2", LENGTHS)


TABLES = record_dtype("cloud_city_tables", __file__, Tables)


# The action space.  A tile goes to a place relative to the city's bounding box, from one row above
# it to one below (rows and columns -1 … 4); a walkway starts at a square of that box.
PLACE_SIDE, BOX_SIDE = 6, 8
FIRST_WALKWAY = HAND * PLACE_SIDE * PLACE_SIDE * 4  # slot × row × column × turn
FIRST_DRAW = FIRST_WALKWAY + BOX_SIDE * BOX_SIDE * 2  # row × column × direction
DRAW_PILE = FIRST_DRAW + ROW
END = DRAW_PILE + 1
ACTIONS = END + 1
