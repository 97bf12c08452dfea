"""Numbers that compiled code copies many at a time are those that NumPy copies one by one."""

from typing import Any

import numpy as np
import pytest

from storeys.kernel.compiling import jit
from storeys.kernel.record import IntArray
from storeys.kernel.remembering import clear, copy, copy_over, expect, inverse

LENGTHS = (0, 1, 15, 16, 17, 31, 32, 64, 78, 216)


@jit
def copy_compiled(source: IntArray, first: int, out: IntArray, at: int, count: int) -> None:
    expect(out)
    copy(source, first, out, at, count)


@jit
def copy_over_compiled(
    source: IntArray, first: int, out: IntArray, at: int, count: int, high: float, low: float
) -> None:
    copy_over(source, first, out, at, count, high, low)


@jit
def clear_compiled(out: IntArray, first: int, count: int) -> None:
    clear(out, first, count)


def arrays(kind: Any) -> tuple[IntArray, IntArray]:
    rng = np.random.default_rng(1)
    return rng.integers(0, 256, 300).astype(np.uint8), rng.integers(1, 99, 300).astype(kind)


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32])
@pytest.mark.parametrize("count", LENGTHS)
def test_copies(kind: Any, count: int) -> None:
    """Neither a number less nor one more."""
    source, out = arrays(kind)
    expected = out.copy()
    copy(source, 7, expected, 31, count)
    copy_compiled(source, 7, out, 31, count)
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("scale", [3, 8, 11, 12, 50])
@pytest.mark.parametrize("count", LENGTHS)
def test_quotients(scale: float, count: int) -> None:
    """To the last bit what a division gives."""
    source, out = arrays(np.float32)
    expected = out.copy()
    expected[31 : 31 + count] = source[7 : 7 + count] / np.float32(scale)
    interpreted = out.copy()
    copy_over(source, 7, interpreted, 31, count, *inverse(scale))
    copy_over_compiled(source, 7, out, 31, count, *inverse(scale))
    assert np.array_equal(out, expected)
    assert np.array_equal(interpreted, expected)


@pytest.mark.parametrize("kind", [np.uint8, np.float32])
@pytest.mark.parametrize("count", LENGTHS)
def test_zeros(kind: Any, count: int) -> None:
    _, out = arrays(kind)
    expected = out.copy()
    expected[31 : 31 + count] = 0
    clear_compiled(out, 31, count)
    assert np.array_equal(out, expected)
