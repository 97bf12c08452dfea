"""What composed verbs do with numbers that they keep, copy and scale, in compiled code.

Places are counted in unsigned integers: compiled code then need not ask whether they count from the
end, and writes many numbers at once.
"""

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from storeys.kernel.compiling import Function, compiler, jitable
from storeys.kernel.record import IntArray, int64

SEATS = 4
COUNTED = 16
"""The lowest bits of a number of changes that count what was added."""
MOST_COUNTED = (1 << COUNTED) - 1

uint64 = cast(Callable[[Any], int], np.uint64)
float32 = cast(Callable[[Any], float], np.float32)


def clear(out: IntArray, first: int, count: int) -> None:
    """Zeros, from a place on."""
    out[first : first + count] = 0


def expect(out: IntArray) -> None:
    """Say that an array will soon be written: compiled code has it brought near meanwhile."""


def copy(source: IntArray, first: int, out: IntArray, at: int, count: int) -> None:
    """Numbers as they are, from one array to another."""
    out[at : at + count] = source[first : first + count]


def copy_over(
    source: IntArray, first: int, out: IntArray, at: int, count: int, high: float, low: float
) -> None:
    """Bytes over a scale, as :func:`inverse` gives it, from one array to another."""
    numbers = source[first : first + count].astype(np.float32)
    out[at : at + count] = numbers * float32(high) + numbers * float32(low)


def _in_vectors(name: str) -> Function:
    def resolve(*kinds: Any) -> Function:
        from storeys.kernel import vectors  # loads the compiler

        return vectors.form_of(name, *kinds)

    return resolve


for function in (clear, copy, copy_over, expect):
    compiler.add(function, _in_vectors(function.__name__))


def inverse(scale: float) -> tuple[float, float]:
    """Two numbers by which a byte is multiplied, and the products added, to divide it by a scale.

    The sum is what a division gives, to the last bit, and dividing takes several times as long: the
    first has 16 bits, so that its product is exact, and the second is all that is missing.

    >>> from storeys.kernel.remembering import inverse
    >>> inverse(8), inverse(12)[0]
    ((0.125, 0.0), 0.08333396911621094)
    """
    mantissa, exponent = math.frexp(1 / scale)
    high = math.ldexp(round(math.ldexp(mantissa, 16)), exponent - 16)
    return high, float(np.float32(1 / scale - high))


@jitable
def divide(out: IntArray, first: int, count: int, scale: float) -> None:
    """Numbers become what they are over a scale."""
    for place in range(uint64(first), uint64(first + count)):
        out[place] = float(out[place]) / scale


@jitable
def multiply(floats: IntArray, out: IntArray, first: int, count: int, scale: float) -> None:
    """Whole numbers again, as bytes, of what was divided by a scale."""
    for place in range(uint64(first), uint64(first + count)):
        out[place] = int64(min(max(round(floats[place] * scale), 0), 255))


@jitable
def cut_off(number: int, out: IntArray) -> int:
    """A number as far as it fits: as a byte it lies between 0 and 255."""
    return min(max(int64(number), 0), 255) if out.itemsize == 1 else int64(number)


@jitable
def nth_seat(viewer: int, nth: int, players: int) -> int:
    """The seat that is the nth from the viewer on."""
    seat = viewer + nth
    return seat - players if seat >= players else seat


@jitable
def seats_on(viewer: int, seat: int, players: int) -> int:
    """How many seats after the viewer's another one is."""
    return seat - viewer if seat >= viewer else seat - viewer + players
