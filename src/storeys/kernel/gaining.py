"""What a move brings the seat that makes it, at once and in points: pages show it beside moves."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from storeys.kernel import verbs
from storeys.kernel.messages import Message
from storeys.kernel.record import Records, Rows, fast_record

SeatPoints = Callable[[Any, Any, int], int]
"""What one seat has: of a state, the tables and the seat."""


@dataclass(frozen=True)
class Preview:
    """What a move changes beside points, or needs for those it promises."""

    badge: Sequence[Message]
    """A line or two, short enough for the board."""
    words: Sequence[Message]


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
    before, table = Rows(states)[0], fast_record(tables)
    seat = before.to_move
    now = seat_points(before, table, seat) if len(actions) else 0
    after = states_after(states, tables, actions)
    return [int(seat_points(state, table, seat) - now) for state in after]


def states_after(states: Records, tables: Records, actions: Sequence[int]) -> Iterator[Any]:
    """The state after each of these legal actions, until the next one is asked for."""
    before, table, trial = Rows(states)[0], fast_record(tables), Rows(states.copy())
    for action in actions:
        trial[0] = before
        verbs.apply(trial[0], table, action)
        yield trial[0]
