"""What a position is worth to one seat among others, for bots and searches over any game."""

from typing import Any

from storeys.kernel import verbs
from storeys.kernel.chance import WORD, random_word
from storeys.kernel.compiling import jitable
from storeys.kernel.record import Header, IntArray, Records

TIE_BREAK = 0.001
"""Moves that differ by less than this many points are as good as each other."""


@jitable
def margin(state: Header, tables: Any, seat: int, promised: IntArray) -> float:
    """What a seat is promised, less what the others are; of many, each counts the less."""
    verbs.evaluate(state, tables, promised)
    others = 0.0
    for other in range(state.players):
        if other != seat:
            others += promised[other]
    return float(promised[seat] - others / max(state.players - 1, 1) ** 2)


@jitable
def goes_on(before: Header, after: Header, seat: int) -> bool:
    """Whether the turn of a seat goes on, with nothing hidden shown."""
    return bool(
        after.to_move == seat
        and after.round_no == before.round_no
        and after.counter == before.counter
        and after.word_at == before.word_at
    )


@jitable
def weigh(states: Records, tables: Records, seat: int, promised: IntArray) -> float:
    """What a position is worth to a seat by what it sees; what it does not is wiped."""
    verbs.blind(states[0], tables[0], seat)
    return margin(states[0], tables[0], seat, promised)


@jitable
def fraction(rng: IntArray) -> float:
    """At random, less than the least difference that matters: it chooses among equal values."""
    return TIE_BREAK * (random_word(rng) / (WORD + 1))
