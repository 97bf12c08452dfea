"""The levels between the bots: the same thoughts with less care, or less time for them.

Up to the builder judgements are blurred, in proportion to how much the moves of a position differ:
a move that is far better than all others is found by everybody, one of many good ones is missed.
Above it the architect's turns are tried less often.  By how much is each game's own, and was found
in the arena, so that every level beats the one below it about equally often.
"""

import math
from collections.abc import Callable
from typing import ClassVar

from storeys.bots.architect import ArchitectBot, Plan
from storeys.bots.builder import BuilderBot
from storeys.kernel.record import IntArray
from storeys.match import Match


class BlurredBot(BuilderBot):
    """A builder who misjudges moves by as much as a game says of a level."""

    nth: ClassVar[int]
    """Which of the game's levels it is, from 0."""

    def _weigh(self, world: Match) -> IntArray:
        self.blur = world.game.levels.blurs[self.nth]
        return super()._weigh(world)


class ApprenticeBot(BlurredBot):
    """Looks to the end of its turn, and often misjudges it."""

    nth = 0


class JourneymanBot(BlurredBot):
    """Looks to the end of its turn, and misjudges it now and then."""

    nth = 1


class ForemanBot(BlurredBot):
    """Looks to the end of its turn, and judges most of it well."""

    nth = 2


class EngineerBot(ArchitectBot):
    """Tries its best turns in a few worlds.

    It needs no clock, and the same seed leads to the same moves.
    """

    pace = math.inf

    def __init__(self, seconds: float | None = None, seed: int | str | None = None) -> None:
        super().__init__(seconds=seconds, seed=seed)
        self._budget = 0

    def _plan_in(self, world: Match) -> Plan:
        self._budget = world.game.levels.simulations
        return super()._plan_in(world)

    def _share_used(self) -> Callable[[int], float]:
        by_clock, budget = super()._share_used(), self._budget
        return lambda done: max(by_clock(done), done / budget)
