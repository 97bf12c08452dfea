"""The verbs that follow from what a game declares, for those that its rules leave out."""

from typing import Any

import numpy as np

from storeys.kernel import verbs
from storeys.kernel.chance import random_below
from storeys.kernel.compiling import jitable
from storeys.kernel.composing import Function, compose
from storeys.kernel.record import IntArray, int64


@jitable
def keep_best(points: IntArray, out: IntArray) -> None:
    """Of the seats that are in the running, only those with most points stay there."""
    best = -(1 << 31)
    for seat in range(out.size):
        if out[seat]:
            best = max(best, int64(points[seat]))
    for seat in range(out.size):
        out[seat] = out[seat] and points[seat] == best


def over(state: Any) -> bool:
    """Whether nobody is to move."""
    return bool(state.to_move < 0)


def evaluate(state: Any, tables: Any, out: IntArray) -> None:
    """The score as if the game ended now."""
    verbs.score(state, tables, out)


def evaluate_each(state: Any, tables: Any, out: IntArray) -> None:
    """Seat by seat, for a game whose rules can evaluate one."""
    for seat in range(out.size):
        out[seat] = verbs.evaluate_seat(state, tables, seat)


def evaluate_seat(state: Any, tables: Any, seat: int) -> float:
    """One of all, for a game whose rules evaluate all seats together."""
    promised = np.zeros(int64(state.players))
    verbs.evaluate(state, tables, promised)
    return float(promised[seat])


def winners(state: Any, tables: Any, out: IntArray) -> None:
    """Those with most points."""
    # With the kind of array that others pass, so that the score is compiled only once.
    points = np.zeros(out.size, np.int32)
    verbs.score(state, tables, points)
    out[:] = True
    keep_best(points, out)


def sample_verb(actions: int, title: str) -> Function:
    """The verb ``sample``: list what is legal, take one."""
    lines = [
        f"actions = np.empty({actions}, np.int64)",
        "count = legal(state, tables, actions)",
        "return actions[random_below(rng, count)]",
    ]
    names = {"np": np, "legal": verbs.legal, "random_below": random_below}
    return compose("sample", "state, tables, rng", lines, names, title)
