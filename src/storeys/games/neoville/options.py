"""Neoville's option: which utilities are in play."""

from itertools import combinations
from typing import Any

from storeys.games.neoville.state import KINDS
from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message
from storeys.kernel.options import Draw, Several
from storeys.kernel.reading import listing, short

IN_PLAY = 2


class Utilities:
    """N-9: two of the three kinds by name, or None for two at random."""

    name = "utilities"
    default = None
    values: tuple[Any, ...] = tuple(map(list, combinations(KINDS, IN_PLAY)))
    several = Several(KINDS, IN_PLAY, (None,), "neoville.kind")
    form = "random | KIND,KIND"

    def draw(self, value: Any, players: int) -> Draw | None:
        """Two of the kinds."""
        return Draw(KINDS, IN_PLAY) if value is None else None

    def settle(self, value: Any, players: int, seed: int) -> list[str]:
        """The two kinds, in the order of the rules page."""
        if drawn := self.draw(value, players):
            return drawn.from_seed(seed)
        chosen = list(value) if isinstance(value, list | tuple) else [value]
        kinds = [kind for kind in KINDS if kind in chosen]
        if len(chosen) != IN_PLAY or len(kinds) != IN_PLAY:
            facts = {"found": short(value), "known": listing(KINDS)}
            raise BadOption(Message("neoville.option.two", **facts), "N-9")
        return kinds
