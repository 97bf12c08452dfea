"""Words that several threads change at once, in compiled code; Numba has nothing for it itself.

:mod:`storeys.envs.rounds` says what for.
"""

from typing import Any

from numba.core import types
from numba.extending import intrinsic

from storeys.kernel.vectors import pointer

ORDER = "seq_cst"
made: Any = intrinsic


@made
def read(typing: Any, words: Any, nth: Any) -> Any:
    """A word as it is now."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.load_atomic(pointer(context, builder, signature, given, 0), ORDER, 8)

    return types.int64(words, types.int64), generate


@made
def write(typing: Any, words: Any, nth: Any, number: Any) -> Any:
    """Put a number into a word."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        builder.store_atomic(given[2], pointer(context, builder, signature, given, 0), ORDER, 8)

    return types.void(words, types.int64, types.int64), generate


@made
def add(typing: Any, words: Any, nth: Any, number: Any) -> Any:
    """Add a number to a word; gives what it was before."""
    return types.int64(words, types.int64, types.int64), changing("add")


@made
def raise_to(typing: Any, words: Any, nth: Any, number: Any) -> Any:
    """Make a word at least so large; gives what it was before."""
    return types.int64(words, types.int64, types.int64), changing("max")


def changing(how: str) -> Any:
    """The code that changes a word."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        there = pointer(context, builder, signature, given, 0)
        return builder.atomic_rmw(how, there, given[2], ORDER)

    return generate
