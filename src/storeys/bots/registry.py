"""Which bots there are, and what a bot is."""

import functools
from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from typing import Any

from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message
from storeys.kernel.reading import short
from storeys.match import Match, Move, from_position, read_seed

GROUP = "storeys.bots"
OURS = {"random": "storeys.bots.random:RandomBot"}


class Bot(ABC):
    """A player.  ``seconds`` is how long it may think, ``seed`` makes its choices repeatable."""

    def __init__(self, seconds: float | None = None, seed: int | str | None = None) -> None:
        self.seconds = seconds
        self._next_seed = read_seed(seed)

    def choose(self, view: Mapping[str, Any]) -> Move:
        """A move for the seat of the view, which must be the one to move."""
        return self.choose_in(self._world(view))

    def plan(self, view: Mapping[str, Any]) -> list[Move]:
        """The moves of the rest of the turn, up to where something hidden is shown."""
        world = self._world(view)
        seat, drawn, moves = world.to_move, world.chance_used(), []
        while world.to_move == seat and world.chance_used() == drawn:
            moves.append(self.choose_in(world))
            world.push(moves[-1])
        return moves

    @abstractmethod
    def choose_in(self, world: Match) -> Move:
        """A move for the seat to move, in a world that agrees with what it sees."""

    def _world(self, view: Mapping[str, Any]) -> Match:
        """One world that the view allows: what is unknown in it is dealt at random."""
        if view.get("to_move") is None:
            raise BadOption(Message("storeys.over"))
        return from_position(view, seed=self.fresh_seed())

    def fresh_seed(self) -> int:
        """A seed for the next random thing."""
        self._next_seed = (self._next_seed + 1) % (1 << 128)
        return self._next_seed


def bot(name: str, seconds: float | None = None, seed: int | str | None = None) -> Bot:
    """The bot of a name.

    >>> storeys.bot("random", seed=1).choose(match.view(match.to_move))
    """
    entry = _found().get(name)
    if entry is None:
        known = ", ".join(bot_names())
        raise BadOption(Message("storeys.unknown-bot", found=short(name), known=known))
    made: Bot = entry.load()(seconds=seconds, seed=seed)
    return made


def bot_names() -> list[str]:
    """The names of all installed bots."""
    return sorted(_found())


@functools.cache
def _found() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    return found | {name: EntryPoint(name, value, GROUP) for name, value in OURS.items()}
