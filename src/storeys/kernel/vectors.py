"""Numbers that compiled code clears and copies many at a time; :mod:`remembering` says what for.

LLVM makes vectors of a loop only where it can tell that nothing is read again that was written, and
a short loop it writes out number by number before it looks: a plane of 64 bytes took 64 loads and
stores.  What is written here says outright that arrays do not overlap.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from storeys.kernel.compiling import Function, jitable
from storeys.kernel.record import IntArray

LANES = 16
"""How many bytes become floats at a time."""
LINE = 64
"""The bytes that a processor takes from memory at once."""
MOST_EXPECTED = 8192
"""Of longer rows the beginning would be gone from the nearest cache before it is written."""
FLOATS = ir.VectorType(ir.FloatType(), LANES)

INTEGER, FLOAT = types.int64, types.float32
made: Any = intrinsic


def form_of(name: str, *kinds: Any) -> Function:
    """The compiled form of a function of :mod:`remembering`, by the types of its arguments."""
    if name in ONE_FORM:
        return ONE_FORM[name]
    same, wider, otherwise = FORMS[name]
    source, out = kinds[0].dtype, kinds[2].dtype
    if source == out:
        return same
    return wider if (source, out) == (types.uint8, types.float32) else otherwise


def clear(out: IntArray, first: int, count: int) -> None:
    """Numbers of any kind."""
    write_zeros(out, first, count)


def expect(out: IntArray) -> None:
    """Ask for one line of the cache after the other."""
    size = out.size * out.itemsize
    if size <= MOST_EXPECTED:
        for place in range(0, size, LINE):
            ask_for(out, place)


def copy(source: IntArray, first: int, out: IntArray, at: int, count: int) -> None:
    """Numbers of one kind."""
    copy_memory(source, first, out, at, count)


@jitable
def copy_each(source: IntArray, first: int, out: IntArray, at: int, count: int) -> None:
    """Numbers of any two kinds."""
    for nth in range(count):
        out[at + nth] = source[first + nth]


def copy_wider(source: IntArray, first: int, out: IntArray, at: int, count: int) -> None:
    """Bytes that become floats; the last block begins early if it would be a short one."""
    if count < LANES:
        copy_each(source, first, out, at, count)
        return
    for nth in range(0, count - LANES + 1, LANES):
        widen(source, first + nth, out, at + nth)
    if count % LANES:
        widen(source, first + count - LANES, out, at + count - LANES)


@jitable
def copy_each_over(
    source: IntArray, first: int, out: IntArray, at: int, count: int, high: float, low: float
) -> None:
    """Numbers of any two kinds, divided."""
    for nth in range(count):
        number = np.float32(source[first + nth])
        out[at + nth] = number * np.float32(high) + number * np.float32(low)


def copy_wider_over(
    source: IntArray, first: int, out: IntArray, at: int, count: int, high: float, low: float
) -> None:
    """Bytes that become floats, divided; likewise in blocks."""
    if count < LANES:
        copy_each_over(source, first, out, at, count, high, low)
        return
    for nth in range(0, count - LANES + 1, LANES):
        widen_over(source, first + nth, out, at + nth, high, low)
    if count % LANES:
        widen_over(source, first + count - LANES, out, at + count - LANES, high, low)


ONE_FORM: dict[str, Function] = {"clear": clear, "expect": expect}
FORMS: dict[str, tuple[Function, Function, Function]] = {
    "copy": (copy, copy_wider, copy_each),
    "copy_over": (copy_each_over, copy_wider_over, copy_each_over),
}
"""For numbers of one kind, for bytes that become floats, for any others."""


# --- what Numba makes of them


@made
def write_zeros(typing: Any, out: Any, first: Any, count: Any) -> Any:
    """So many numbers of any kind."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        to = pointer(context, builder, signature, given, 0)
        size = ir.Constant(given[2].type, size_of(context, out))
        cgutils.memset(builder, to, builder.mul(given[2], size), 0)

    return types.void(out, INTEGER, INTEGER), generate


@made
def ask_for(typing: Any, out: Any, byte: Any) -> Any:
    """Have the line with a byte of an array brought near, to be written."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        data = make_array(out)(context, builder, given[0]).data
        there = builder.gep(builder.bitcast(data, cgutils.voidptr_t), [given[1]])
        number = cgutils.int32_t
        form = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], form)
        # For writing, into the nearest cache, as data.
        builder.call(ask, [there, number(1), number(3), number(1)])

    return types.void(out, INTEGER), generate


@made
def copy_memory(typing: Any, source: Any, first: Any, out: Any, at: Any, count: Any) -> Any:
    """So many numbers of one kind."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        here = pointer(context, builder, signature, given, 0)
        to = pointer(context, builder, signature, given, 2)
        cgutils.raw_memcpy(builder, to, here, given[4], size_of(context, out))

    return types.void(source, INTEGER, out, INTEGER, INTEGER), generate


@made
def widen(typing: Any, source: Any, first: Any, out: Any, at: Any) -> Any:
    """``LANES`` bytes become floats."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        store(context, builder, signature, given, load(context, builder, signature, given))

    return types.void(source, INTEGER, out, INTEGER), generate


@made
def widen_over(typing: Any, source: Any, first: Any, out: Any, at: Any, high: Any, low: Any) -> Any:
    """``LANES`` bytes become floats, each times the sum of two numbers."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        numbers = load(context, builder, signature, given)
        products = [builder.fmul(numbers, in_all_lanes(builder, factor)) for factor in given[4:]]
        store(context, builder, signature, given, builder.fadd(*products))

    return types.void(source, INTEGER, out, INTEGER, FLOAT, FLOAT), generate


# --- LLVM's instructions


def load(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    """``LANES`` bytes of the first array, as floats."""
    bytes_there = ir.VectorType(ir.IntType(8), LANES).as_pointer()
    here = builder.bitcast(pointer(context, builder, signature, given, 0), bytes_there)
    return builder.uitofp(builder.load(here, align=1), FLOATS)


def store(context: Any, builder: Any, signature: Any, given: Any, numbers: Any) -> None:
    """``LANES`` floats into the second array."""
    to = builder.bitcast(pointer(context, builder, signature, given, 2), FLOATS.as_pointer())
    builder.store(numbers, to, align=4)


def in_all_lanes(builder: Any, number: Any) -> Any:
    """One number in every lane of a vector."""
    none = ir.Constant(FLOATS, ir.Undefined)
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
    first = builder.insert_element(none, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, none, lanes)


def pointer(context: Any, builder: Any, signature: Any, given: Any, nth: int) -> Any:
    """Where an entry of the array is that is the nth argument; which entry, the next one says."""
    array = make_array(signature.args[nth])(context, builder, given[nth])
    return builder.gep(array.data, [given[nth + 1]])


def size_of(context: Any, array: Any) -> int:
    """How many bytes a number of an array has."""
    return int(context.get_abi_sizeof(context.get_data_type(array.dtype)))
