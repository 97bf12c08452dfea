"""How judgements are blurred: the less somebody plays well, the more."""

import math

from storeys.kernel.chance import WORD, random_word
from storeys.kernel.compiling import jitable
from storeys.kernel.record import IntArray


@jitable
def swing(rng: IntArray) -> float:
    """How far a judgement is out: mostly little, never more than three times what is usual.

    The usual is 1, its standard deviation.
    """
    thirds = random_word(rng) + random_word(rng) + random_word(rng)
    return 2.0 * thirds / (WORD + 1) - 3.0


@jitable
def spread_of(values: IntArray, count: int) -> float:
    """How much some values differ: their standard deviation."""
    total, squares = 0.0, 0.0
    for nth in range(count):
        total += values[nth]
    mean = total / count
    for nth in range(count):
        squares += (values[nth] - mean) * (values[nth] - mean)
    return math.sqrt(squares / count)
