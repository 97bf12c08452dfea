"""What a move brings the seat that makes it, at once and in points: pages show it beside moves."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from storeys.kernel import verbs
from storeys.kernel.record import Records, Rows, fast_record

SeatPoints = Callable[[Any, Any, int], int]
"""What one seat has: of a state, the tables and the seat."""


def score_of_seat(state: Any, tables: Any, seat: int) -> int:
    """One seat's part of what the verb ``score`` writes."""
    totals = np.zeros(state.players, np.int32)
    verbs.score(state, tables, totals)
    return int(totals[seat])


def gains_of(
    states: Records, tables: Records, actions: Sequence[int], seat_points: SeatPoints
) -> list[int]:
    """What each of these legal actions adds to the total of the seat to move.

    Pages ask, of a server that is not compiled: so each is carried out in a copy without being
    checked again, and one seat is counted.

    >>> import storeys
    >>> from storeys.kernel.gaining import gains_of, score_of_seat
    >>> match = storeys.arena.playouts("cloud-city", 1, players=1, seed=3).match(0).at(7)
    >>> actions = [match.action_of(move) for move in match.legal_moves]
    >>> gains_of(match.state(), match.setup.components.tables, actions, score_of_seat)
    [3, 2, 1, 1, 1, 0, 0, 0, 0]
    """
    before, table, trial = Rows(states)[0], fast_record(tables), Rows(states.copy())
    seat, found = before.to_move, []
    now = seat_points(before, table, seat) if len(actions) else 0
    for action in actions:
        trial[0] = before
        verbs.apply(trial[0], table, action)
        found.append(int(seat_points(trial[0], table, seat) - now))
    return found
