"""What may be seen of a city from its squares: rows and columns as bits, and walkways to come.

Every building, and every square that a tile may bring one to, looks in four directions, five
squares far, for each of the three heights.  A city is therefore written down once as lines of bits,
as they are met on the way; where a walkway ends is then the lowest bit, and what squares still to
come are worth stands in a table, by which of the next five they are.
"""

import numpy as np

from storeys.games.cloud_city.box import WALKWAYS_OF_A_COLOUR
from storeys.games.cloud_city.scoring import ends_of, walkways_at
from storeys.games.cloud_city.state import COLOURS, LENGTHS, VOTES, State
from storeys.kernel.compiling import jitable
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles import grid
from storeys.kernel.tiles.grid import STRIDE

# These were tuned by playing alone.
WAITING = 0.61  # a walkway that can be built now or later, against one that is built
OFF_THE_BOX = 0.53  # that a place outside the present bounding box becomes part of the city
SAME_COLOUR = 0.23  # that a square still to come brings a building of a wanted colour
HIGHER = np.array([0.31, 0.17, 0.0])  # that it brings one in the way (C-19), by colour
TO_COME = 1.03  # the same for each end of a walkway whose other end is to come

# C-14: the votes of a walkway by how likely one is left when it is wanted: by the number of other
# seats, the pieces left and the length.
WORTH = np.array(
    [
        [
            [left / (left + 0.15 * others) * votes if left else 0.0 for votes in VOTES]
            for left in range(WALKWAYS_OF_A_COLOUR + 1)
        ]
        for others in range(4)
    ]
)

HEIGHTS = len(COLOURS)
LINE = (1 << STRIDE) - 1
STEPS = np.array([1, STRIDE])  # by direction
PASSED = 1 - SAME_COLOUR - HIGHER  # that a square still to come leaves the way free, by colour
SETS = 1 << LENGTHS  # the next five squares, as sets of bits
# How free the way is behind some of the next squares that are still to come, by colour and set.
FREE = np.ones((HEIGHTS, SETS))
for some in range(1, SETS):
    FREE[:, some] = FREE[:, some & (some - 1)] * PASSED

# A line is a row or a column as it is met in one of the four directions (in the order of the bits
# TO_…).  Its words: where a walkway ends or cannot pass, and where a building waits for one, both
# with 16 bits for each height; the squares with a tile; the squares outside the bounding box.
ENDS, WAITS, TILED, OUTSIDE = range(4)
ANY_HEIGHT = sum(1 << STRIDE * nth for nth in range(HEIGHTS))
UP_TO = np.array([ANY_HEIGHT & ((1 << STRIDE * height) - 1) for height in range(HEIGHTS + 1)])


# --- what squares to come are worth


@jitable
def find_sums(state: State) -> IntArray:
    """By colour: what any set of the next squares promises, if a tile in the box brings them.

    Behind the sets follow the votes of a walkway that ends at a square, by the bit of the square.
    """
    others, sums = state.players - 1, np.zeros((HEIGHTS, 2 * SETS))
    for colour in range(HEIGHTS):
        for nth in range(LENGTHS):
            votes, last = WORTH[others, state.supply[colour, nth], nth], 1 << nth
            sums[colour, SETS + last] = votes
            for before in range(last):
                worth = FREE[colour, before] * SAME_COLOUR * votes * TO_COME
                sums[colour, last | before] = sums[colour, before] + worth
    return sums


@jitable
def add_up(
    sums: IntArray, colour: int, empty: int, outside: int, there: float
) -> tuple[float, float]:
    """The same for squares that may never be part of the city; and how free the way is then."""
    worth, free = 0.0, 1.0
    while empty != 0:
        bit = empty & -empty
        chance = there * OFF_THE_BOX if outside & bit else there
        worth += free * chance * SAME_COLOUR * sums[colour, SETS + bit] * TO_COME
        free *= chance * PASSED[colour]
        empty -= bit
    return worth, free


# --- a city as lines


@jitable
def most_tiles(state: State, seat: int, axis: int) -> int:
    """C-8, C-22: how many tiles the city may be high (axis 0) or wide (1)."""
    other = 2 * (1 - axis)
    across = int64(state.box[seat, other + 1]) - int64(state.box[seat, other]) + 1
    return 3 if across > 3 else state.long_side


@jitable
def squares_of(first: int, last: int) -> int:
    """The bits of the squares of some tiles in a line."""
    return (1 << (2 * last + 2 + grid.ORIGIN)) - (1 << (2 * first + grid.ORIGIN))


@jitable
def backwards(squares: int) -> int:
    """The bits of a line as they are met the other way."""
    found = 0
    for nth in range(STRIDE):
        found |= ((squares >> nth) & 1) << (STRIDE - 1 - nth)
    return found


@jitable
def new_lines() -> IntArray:
    """Room for the lines of a city, by direction, row or column, and word."""
    return np.empty((4, STRIDE, 4), np.int64)


@jitable
def clear_lines(state: State, seat: int, lines: IntArray) -> None:
    """C-8: lines without a tile, which end where the city cannot grow."""
    for axis in range(2):
        first, last = int64(state.box[seat, 2 * axis]), int64(state.box[seat, 2 * axis + 1])
        most = most_tiles(state, seat, axis)
        inside = squares_of(first, last)
        within = inside | squares_of(last - most + 1, first + most - 1)
        for direction in (1 - axis, 3 - axis):  # the rows of a box are the squares of a column
            for line in range(STRIDE):
                lines[direction, line, ENDS] = ANY_HEIGHT * (LINE & ~within)
                lines[direction, line, WAITS] = 0
                lines[direction, line, TILED] = 0
                lines[direction, line, OUTSIDE] = LINE & ~inside
            inside, within = backwards(inside), backwards(within)


@jitable
def mark(lines: IntArray, square: int, axis: int, word: int, bits: int) -> None:
    """Set a square's bits in its row (axis 0) or column (1), as they are met in both directions."""
    row, col = square // STRIDE, square % STRIDE
    line, at = (col, row) if axis else (row, col)
    lines[axis, line, word] |= bits << at
    lines[axis + 2, line, word] |= bits << (STRIDE - 1 - at)


@jitable
def find_lines(state: State, seat: int, lines: IntArray) -> None:
    """All lines of a city: tiles, buildings, and walkways that no other of a colour may cross."""
    clear_lines(state, seat, lines)
    for nth in range(4 * int64(state.laid_count[seat])):
        square = grid.square_of_place(int64(state.laid[seat, nth // 4, 1]), nth % 4)
        for axis in range(2):
            mark(lines, square, axis, TILED, 1)
    for nth in range(2 * int64(state.laid_count[seat])):
        square = int64(state.building[seat, nth])
        height = int64(state.ground[seat, square])
        waits = walkways_at(state, seat, square) < 2  # C-18
        for axis in range(2):
            mark(lines, square, axis, ENDS, UP_TO[height])
            mark(lines, square, axis, WAITS, int64(waits) << STRIDE * (height - 1))
    for nth in range(state.walkway_count[seat]):
        colour, direction = int64(state.walkway[seat, nth, 0]), int64(state.walkway[seat, nth, 2])
        start, goal = ends_of(state, seat, nth)
        for square in range(start + STEPS[direction], goal, STEPS[direction]):  # C-17
            mark(lines, square, 1 - direction, ENDS, 1 << STRIDE * colour)


# --- looking along them


@jitable
def look_along(
    lines: IntArray, sums: IntArray, square: int, direction: int, colour: int, there: float
) -> float:
    """What an end of a walkway from here in a direction is worth, C-13 … C-19.

    ``there`` is how likely this line is part of the city.
    """
    row, col = square // STRIDE, square % STRIDE
    line, at = (col, row) if direction % 2 else (row, col)
    ahead = 1 + (at if direction < 2 else STRIDE - 1 - at)
    ends = (lines[direction, line, ENDS] >> (STRIDE * colour + ahead)) | SETS
    end = ends & -ends
    empty = ~(lines[direction, line, TILED] >> ahead) & (end - 1)
    outside = (lines[direction, line, OUTSIDE] >> ahead) & empty
    waiting = (lines[direction, line, WAITS] >> (STRIDE * colour + ahead)) & end & (SETS - 1)
    worth, free = sums[colour, empty], FREE[colour, empty]
    if outside != 0 or there != 1:
        worth, free = add_up(sums, colour, empty, outside, there)
    return float(worth + free * sums[colour, SETS + waiting] * WAITING / 2)


@jitable
def two_best(one: float, two: float, three: float, four: float) -> float:
    """The sum of the two largest."""
    most, least = max(one, two), min(one, two)
    other_most, other_least = max(three, four), min(three, four)
    return max(most, other_most) + max(min(most, other_most), least, other_least)
