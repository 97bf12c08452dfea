"""Compiled code counts who holds an array only where it has to, and then frees all it makes."""

import importlib
from typing import Any

import numpy as np
import pytest

from storeys.kernel import borrowing
from storeys.kernel.compiling import jitable, tell_numba
from storeys.kernel.record import IntArray

COUNTING = {"adds", "fresh", "uses_fresh", "tail", "copies", "fills"}
BORROWING = {"sums_tail", "writes", "of_tuple"}


@jitable
def adds(array: IntArray) -> int:
    return (array + array)[0]  # type: ignore[no-any-return]


@jitable
def fresh(size: int) -> IntArray:
    return np.arange(size)


@jitable
def uses_fresh(size: int) -> int:
    return fresh(size)[2]  # type: ignore[no-any-return]


@jitable
def tail(array: IntArray) -> IntArray:
    return array[1:]


@jitable
def copies(array: IntArray) -> int:
    return array.copy()[3]  # type: ignore[no-any-return]


@jitable
def fills(array: IntArray, other: IntArray) -> None:
    array[:] = other


@jitable
def sums_tail(array: IntArray) -> int:
    last = array[2:]
    return last[0] + last.sum()  # type: ignore[no-any-return]


@jitable
def writes(array: IntArray) -> None:
    row = array[:2]
    row[0] = 7


@jitable
def of_tuple(arrays: tuple[IntArray, IntArray]) -> int:
    one, other = arrays
    return one[0] + other[0]  # type: ignore[no-any-return]


def all_of_them(array: IntArray) -> int:
    writes(array)
    fills(array, array)
    found = adds(array) + uses_fresh(5) + tail(array)[1] + copies(array) + sums_tail(array)
    return int(found + of_tuple((array, array)))


def compiled_anew(function: Any) -> Any:
    """Not kept on disk: what is decided here shall be decided in every run."""
    import numba

    tell_numba()
    return numba.njit(function)


@pytest.fixture
def decided(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    decide, found = borrowing.borrows, {}

    def noting(context: Any, fndesc: Any, func_ir: Any) -> bool:
        found[fndesc.qualname] = decide(context, fndesc, func_ir)
        return found[fndesc.qualname]

    monkeypatch.setattr(borrowing, "borrows", noting)
    return found


def test_functions_count_only_where_they_must_and_free_what_they_make(
    decided: dict[str, bool],
) -> None:
    runtime: Any = importlib.import_module("numba.core.runtime.nrt").rtsys
    importlib.import_module("numba.core.runtime._nrt_python").memsys_enable_stats()
    compiled = compiled_anew(all_of_them)
    expected = all_of_them(np.arange(3, 9))
    assert compiled(np.arange(3, 9)) == expected
    own = {name.rsplit(".")[-1]: borrows for name, borrows in decided.items()}
    assert {name for name, borrows in own.items() if borrows} == BORROWING
    assert {name for name, borrows in own.items() if not borrows} == COUNTING

    before = runtime.get_allocation_stats()
    for _ in range(100):
        assert compiled(np.arange(3, 9)) == expected
    after = runtime.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free > 100
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free


def test_what_cannot_be_done_without_counting_is_done_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(borrowing, "borrows", lambda *_: True)

    @jitable
    def lays(array: IntArray, other: IntArray) -> None:
        array[:] = other

    def entry(array: IntArray, other: IntArray) -> int:
        lays(array, other)
        return array[0]  # type: ignore[no-any-return]

    assert compiled_anew(entry)(np.zeros(2), np.ones(2)) == 1
