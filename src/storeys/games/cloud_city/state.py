"""Cloud City's state: the record that the rules work on, and the sizes of the game."""

from storeys.kernel.record import IntArray, field, record_dtype
from storeys.kernel.tiles.cities import BUILD, PLACE_ACTIONS, Cities
from storeys.kernel.tiles.grid import REACH, SQUARES

COLOURS = ("blue", "green", "sand")  # from the lowest buildings to the highest
LENGTHS = 5
VOTES = (1, 2, 3, 5, 8)  # C-3, by length
TILES = 48
ROW = 3
NONE = -1

PHASES = ("place", "walkways", "draw", "over")
WALKWAYS = BUILD

REQUESTS = (
    "valuable-route", "separate-routes", "varied-route", "circuits", "blue-buildings",
    "green-buildings", "minimalist", "crossed-walkways", "solo-buildings", "balanced",
)  # fmt: skip
(
    VALUABLE_ROUTE, SEPARATE_ROUTES, VARIED_ROUTE, CIRCUITS, BLUE_BUILDINGS,
    GREEN_BUILDINGS, MINIMALIST, CROSSED_WALKWAYS, SOLO_BUILDINGS, BALANCED,
) = range(10)  # fmt: skip
COMPARING = (VALUABLE_ROUTE, SEPARATE_ROUTES, BLUE_BUILDINGS, GREEN_BUILDINGS)
MOST_REQUESTS = 2
EDITIONS = ("en", "de", "nl")
EN, DE, NL = range(3)

MOST_BUILDINGS = 2 * 12  # in a 3×4 city
MOST_WALKWAYS = MOST_BUILDINGS  # a building has at most two ends

# What stands on a square: no tile, a tile without a building, or a building of a height 1 … 3.
NO_TILE, OPEN = -1, 0
# Directions, and the bits of the walkways that leave a building in them.
RIGHT, DOWN = 0, 1
TO_RIGHT, TO_BELOW, TO_LEFT, TO_ABOVE = 1, 2, 4, 8


class State(Cities):
    """A match of Cloud City.  Squares are indices as in :mod:`storeys.kernel.tiles.grid`."""

    # Options.
    long_side: int = field("i8")  # the longer side of the target, 3 or 4; the other is 3
    edition: int = field("i8")
    requests: IntArray = field("i2", MOST_REQUESTS)  # numbers of request cards, or NONE

    # Each seat's city.
    ground: IntArray = field("i1", 4, SQUARES)  # NO_TILE, OPEN or a height
    span: IntArray = field("i1", 4, SQUARES)  # walkways over a square: bit 2·colour + direction
    links: IntArray = field("i1", 4, SQUARES)  # walkways that leave a building: bits TO_…
    building: IntArray = field("i2", 4, MOST_BUILDINGS)  # their squares, in order
    walkway: IntArray = field("i2", 4, MOST_WALKWAYS, 4)  # colour, square, direction, length
    walkway_count: IntArray = field("i2", 4)
    # Walkways as bits, 2·n + direction for the nth building: those to build or to look at again,
    # and those that wait for a tile, by direction and row or column of tiles.
    open_walkways: IntArray = field("i8", 4)
    waiting: IntArray = field("i8", 4, 2, 2 * REACH + 1)

    supply: IntArray = field("i2", 3, LENGTHS)  # C-14, by colour and length


STATE = record_dtype("cloud_city", __file__, State)


class Tables:
    """The component set, as the rules read it."""

    squares: IntArray = field("i2", TILES, 4, 4)  # height by tile, turn and square; 0 without
    marks: IntArray = field("u1", TILES, 12)  # as shown: 1 for each square × colour
    turns: IntArray = field("i2", TILES)  # 2 if two quarter turns give the same squares, else 4
    numbered: IntArray = field("i2", TILES)  # the number of a start tile, 0 for any other
    own: IntArray = field("i2", 4)  # the start tile of each seat
    walkways: IntArray = field("i2", 3, LENGTHS)  # pieces by colour and length
    votes: IntArray = field("i2", LENGTHS)


TABLES = record_dtype("cloud_city_tables", __file__, Tables)


# The action space: laying a tile, then walkways by their first square in the city's bounding box.
BOX_SIDE = 8
FIRST_WALKWAY = PLACE_ACTIONS
FIRST_DRAW = FIRST_WALKWAY + BOX_SIDE * BOX_SIDE * 2  # row × column × direction
DRAW_PILE = FIRST_DRAW + ROW
END = DRAW_PILE + 1
ACTIONS = END + 1
