"""What a move brings the seat that makes it, at once and in points: pages show it beside moves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from storeys.kernel import verbs
from storeys.kernel.messages import Message
from storeys.kernel.record import Records, Rows, as_rows, copy_of

SeatPoints = Callable[[Any, Any, int], int]
"""What one seat has: of a state, the tables and the seat."""


@dataclass(frozen=True, eq=False)
class Preview:
    """What a move changes beside points, or needs for those it promises.

    A game that gives the same one again lets pages write it once.
    """

    badge: Sequence[Message]
    """A line or two, short enough for the board."""
    words: Sequence[Message]
    becomes: Message | None = None
    """What stands on the place then, as short as on the board."""


def score_of_seat(state: Any, tables: Any, seat: int) -> int:
    """One seat's part of what the verb ``score`` writes."""
    totals = np.zeros(state.players, np.int32)
    verbs.score(state, tables, totals)
    return int(totals[seat])


class Trials:
    """Legal actions carried out in one copy of a state, one after the other.

    Pages ask, of a server that is not compiled: so none is checked again, and one seat is counted.

    >>> import storeys
    >>> from storeys.kernel.gaining import Trials, score_of_seat
    >>> match = storeys.new("cloud-city", players=2, seed=7)
    >>> trials = Trials(match.state(), match.setup.components.tables, score_of_seat)
    >>> after = trials.after(match.action_of("place ss5 g5 turn 0"))
    >>> trials.before.phase, after.phase, trials.gain_of(after)
    (0, 2, 0)
    """

    def __init__(self, states: Records, tables: Records, seat_points: SeatPoints) -> None:
        self.before, self._table = Rows(states)[0], as_rows(tables)[0]
        self._trial, self._seat_points = Rows(copy_of(states)), seat_points

    def after(self, action: int) -> Any:
        """The state after an action, until the next one is tried."""
        self._trial[0] = self.before
        verbs.apply(self._trial[0], self._table, action)
        return self._trial[0]

    def gain_of(self, after: Any) -> int:
        """What an action has added to the total of the seat that was to move."""
        return int(self._seat_points(after, self._table, self._seat) - self._now)

    @cached_property
    def _seat(self) -> int:
        return int(self.before.to_move)

    @cached_property
    def _now(self) -> int:
        return self._seat_points(self.before, self._table, self._seat)
