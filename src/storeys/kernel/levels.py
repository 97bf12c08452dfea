"""What a game says about levels between its bots: found in the arena, so that steps are even."""

from typing import NamedTuple


class Levels(NamedTuple):
    """How well each level plays; what stands here serves a game that says nothing.

    >>> from storeys.kernel.levels import Levels
    >>> Levels(simulations=24).simulations
    24
    """

    blurs: tuple[float, float, float] = (0.9, 0.6, 0.3)
    """How far those usually misjudge a move who look to the end of their turn, the weakest first.

    It is said in standard deviations of what all moves are worth.
    """
    simulations: int = 32
    """How many simulations of a turn one has who looks ahead a little."""
