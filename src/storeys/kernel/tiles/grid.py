"""Cities of square tiles: a window of 7×7 tiles around the first one, 14×14 squares.

A tile has 2×2 squares; the first tile is at (0, 0), rows grow downwards, columns to the right.
A tile place is a bit of one 64-bit number (8 bits a row, so that neighbours never wrap around); a
square is an index into an array of 16×16, whose rim is never built on, so that no scan needs to
look where it is.

For people a square is a letter and a number, a1 at the top left of the window: the first tile
covers g7, h7, g8 and h8.  A tile is named by its top left square.
"""

from collections.abc import Callable, Sequence

from storeys.kernel.compiling import jitable
from storeys.kernel.record import IntArray

REACH = 3  # tiles in every direction from the first one
STRIDE = 16  # from a square to the one below it
SQUARES = STRIDE * STRIDE
ORIGIN = 7  # the array row and column of square row and column 0
LETTERS = "abcdefghijklmn"
# From the top left square of a tile to those around it, two beside each of its own, row by row: the
# one above or below, the one to the side.
AROUND = (-STRIDE, -1, 1 - STRIDE, 2, 2 * STRIDE, STRIDE - 1, 2 * STRIDE + 1, STRIDE + 2)
Fits = Callable[[int, int], bool]
"""Whether a city of so many tile rows and columns is within the rules."""


# --- tile places, as bits


@jitable
def place_bit(row: int, col: int) -> int:
    """The number of the bit of a tile place."""
    return (row + REACH) * 8 + col + REACH


@jitable
def row_of_place(bit: int) -> int:
    """The tile row of a place."""
    return (bit >> 3) - REACH


@jitable
def col_of_place(bit: int) -> int:
    """The tile column of a place."""
    return (bit & 7) - REACH


@jitable
def places_within(top: int, bottom: int, left: int, right: int) -> int:
    """The bits of all places of a rectangle, cut off at the window."""
    top, bottom = max(top, -REACH), min(bottom, REACH)
    left, right = max(left, -REACH), min(right, REACH)
    if left > right:
        return 0
    row = ((1 << (right - left + 1)) - 1) << (left + REACH)
    bits = 0
    for r in range(top, bottom + 1):
        bits |= row << ((r + REACH) * 8)
    return bits


@jitable
def beside(places: int) -> int:
    """The places edge to edge with any of these, and not one of them."""
    return ((places << 1) | (places >> 1) | (places << 8) | (places >> 8)) & ~places


@jitable
def count_bits(bits: int) -> int:
    """How many bits are set."""
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@jitable
def lowest_bit(bits: int) -> int:
    """The number of the lowest bit that is set."""
    return count_bits((bits & -bits) - 1)


@jitable
def nth_bit(bits: int, nth: int) -> int:
    """The number of the nth bit that is set, from 0."""
    for _ in range(nth):
        bits &= bits - 1
    return lowest_bit(bits)


@jitable
def list_bits(bits: int, first: int, out: IntArray, count: int) -> int:
    """List the numbers of all bits, counted from ``first``, after what is listed already."""
    while bits != 0:
        out[count] = first + lowest_bit(bits)
        bits &= bits - 1
        count += 1
    return count


# --- squares, as indices


@jitable
def square_at(row: int, col: int) -> int:
    """The index of a square."""
    return (row + ORIGIN) * STRIDE + col + ORIGIN


@jitable
def row_of_square(square: int) -> int:
    """The row of a square."""
    return square // STRIDE - ORIGIN


@jitable
def col_of_square(square: int) -> int:
    """The column of a square."""
    return square % STRIDE - ORIGIN


@jitable
def square_of_place(place: int, nth: int) -> int:
    """The nth square of the tile at a place, row by row."""
    return square_at(2 * row_of_place(place) + nth // 2, 2 * col_of_place(place) + nth % 2)


def turned(square: int, turn: int) -> int:
    """Which square (0 … 3, row by row) of a tile lies here after quarter turns clockwise."""
    for _ in range(turn):
        square = (2, 0, 3, 1)[square]
    return square


# --- for drawings


def free_places_of(tiles: Sequence[tuple[int, int]], fits: Fits) -> list[tuple[int, int]]:
    """The places beside a city of tiles where another still fits; for the first one, (0, 0)."""
    if not tiles:
        return [(0, 0)]
    rows, cols = zip(*tiles, strict=True)
    around = {(r + a, c + b) for r, c in tiles for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))}
    return sorted(
        (r, c)
        for r, c in around - set(tiles)
        if fits(max(*rows, r) - min(*rows, r) + 1, max(*cols, c) - min(*cols, c) + 1)
    )


# --- names, for people


def square_name(row: int, col: int) -> str:
    """The name of a square, like g7."""
    return f"{LETTERS[col + 2 * REACH]}{row + 2 * REACH + 1}"
