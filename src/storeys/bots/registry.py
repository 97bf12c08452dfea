"""Which bots there are, and what a bot is."""

import functools
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint
from typing import Any

from storeys.kernel import chance
from storeys.kernel.errors import BadOption, BadPosition
from storeys.kernel.messages import Message
from storeys.kernel.reading import Place, short
from storeys.kernel.record import IntArray
from storeys.match import Match, Move, from_position, read_seed

GROUP = "storeys.bots"
OURS = {
    "random": "storeys.bots.random:RandomBot",
    "novice": "storeys.bots.novice:NoviceBot",
    "builder": "storeys.bots.builder:BuilderBot",
}
"""From the weakest to the strongest."""


class Bot(ABC):
    """A player.  ``seconds`` is how long it may think, ``seed`` makes its choices repeatable.

    Nothing is kept between calls: what chance a call needs comes from the seed and the view.
    """

    should_stop: Callable[[], bool] | None = None
    """Asked now and then while thinking; once it says yes, the best move found so far is taken."""

    def __init__(self, seconds: float | None = None, seed: int | str | None = None) -> None:
        if seconds is not None and not (isinstance(seconds, int | float) and seconds > 0):
            raise BadOption(Message("storeys.bad-seconds", found=short(seconds)))
        self.seconds = seconds
        self.seed = read_seed(seed)

    def choose(self, view: Mapping[str, Any]) -> Move:
        """A move for the seat of the view, which must be the one to move."""
        return self.choose_in(*self.open_view(view))

    def plan(self, view: Mapping[str, Any]) -> list[Move]:
        """The moves of the rest of the turn, up to where something hidden is shown."""
        world, rng = self.open_view(view)
        seat, drawn, moves = world.to_move, world.chance_used(), []
        while world.to_move == seat and world.chance_used() == drawn:
            moves.append(self.choose_in(world, rng))
            world.push(moves[-1])
        return moves

    @abstractmethod
    def choose_in(self, world: Match, rng: IntArray) -> Move:
        """A move for the seat to move, in one world that agrees with what it sees."""

    def open_view(self, view: Mapping[str, Any]) -> tuple[Match, IntArray]:
        """One world that the view allows, and a generator: both follow from view and seed."""
        seed = self._seed_for(view)
        return _world(view, seed), chance.generator(seed)

    def _seed_for(self, view: Mapping[str, Any]) -> int:
        text = json.dumps([str(self.seed), view], sort_keys=True, default=str)
        return int.from_bytes(hashlib.sha256(text.encode()).digest())


def _world(view: Mapping[str, Any], seed: int) -> Match:
    """A world that the view allows: what is unknown in it is dealt at random."""
    place = Place(dict(view) if isinstance(view, Mapping) else view, "view", BadPosition)
    if place["to_move"].value is None:
        raise BadPosition(Message("storeys.over"))
    if place["seat"].value != place["to_move"].value:
        raise place["seat"].fail("storeys.not-to-move", seat=place["to_move"].value)
    return from_position(place.table(), seed=seed)


def bot(name: str, seconds: float | None = None, seed: int | str | None = None) -> Bot:
    """The bot of a name.

    >>> storeys.bot("random", seed=1).choose(match.view(match.to_move))
    """
    entry = _found().get(name) if isinstance(name, str) else None
    if entry is None:
        known = ", ".join(bot_names())
        raise BadOption(Message("storeys.unknown-bot", found=short(name), known=known))
    made: Bot = entry.load()(seconds=seconds, seed=seed)
    return made


def bot_names() -> list[str]:
    """The names of all installed bots: ours, the weakest first, then those of other packages."""
    return [*OURS, *sorted(set(_found()) - set(OURS))]


@functools.cache
def _found() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    return found | {name: EntryPoint(name, value, GROUP) for name, value in OURS.items()}
