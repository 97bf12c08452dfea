"""Which bots there are, and what a bot is."""

import functools
import hashlib
import inspect
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any, ClassVar

from storeys.kernel import chance
from storeys.kernel.errors import BadOption, BadPosition, StoreysError
from storeys.kernel.messages import DEFAULT_LANGUAGE, Message
from storeys.kernel.reading import Node, short
from storeys.kernel.record import IntArray
from storeys.match import Match, Move, from_position, read_seed, world_of
from storeys.registry import announced

GROUP = "storeys.bots"
OURS = {
    "random": "storeys.bots.random:RandomBot",
    "novice": "storeys.bots.novice:NoviceBot",
    "apprentice": "storeys.bots.levels:ApprenticeBot",
    "journeyman": "storeys.bots.levels:JourneymanBot",
    "foreman": "storeys.bots.levels:ForemanBot",
    "builder": "storeys.bots.builder:BuilderBot",
    "engineer": "storeys.bots.levels:EngineerBot",
    "architect": "storeys.bots.architect:ArchitectBot",
}
"""From the weakest to the strongest."""
LEVELS = tuple(name for name in OURS if name != "random")
"""Those who play to win, from the weakest to the strongest: each step is about as large."""
SUBSTITUTE = "builder"
"""Who plays in the place of a bot that fails, or of somebody who resigns."""
MOST_SIGNS = 200
"""How much of a foreign error is quoted."""


class BotFailed(StoreysError):  # noqa: N818
    """A bot that cannot be loaded or asked; the sentence names it and says what went wrong.

    >>> import storeys
    >>> from storeys.bots import Bot, BotFailed, ask
    >>> class SulkingBot(Bot):
    ...     def choose_in(self, world):
    ...         raise RuntimeError("no")
    >>> try:
    ...     ask(SulkingBot(), storeys.new("manhattan", seed=7))
    ... except BotFailed as error:
    ...     print(error.bot, "–", error)
    SulkingBot – the bot SulkingBot failed: RuntimeError: no
    """

    @property
    def bot(self) -> str:
        """The name of the bot."""
        return str(self.message.params["bot"])


def failed(name: str, why: BaseException | Message) -> BotFailed:
    """A bot that failed, with what went wrong in one line."""
    said: Any = why
    if not isinstance(why, Message | StoreysError):
        said = " ".join(f"{type(why).__name__}: {why}".split())
        said = said if len(said) <= MOST_SIGNS else said[: MOST_SIGNS - 1] + "…"
    return BotFailed(Message("storeys.bot-failed", bot=name, why=said))


class Bot(ABC):
    """A player.  ``seconds`` is how long it may think, ``seed`` makes its choices repeatable.

    A subclass says in :meth:`choose_in` what it plays, and in ``description``, or else in the first
    line of its docstring, what it is.  Nothing is kept between calls but the rest of a turn that
    was planned: what chance a call needs comes from the seed and the view.

    >>> import storeys
    >>> from storeys.bots import Bot
    >>> class FirstBot(Bot):
    ...     description = "plays whatever is listed first"
    ...     def choose_in(self, world):
    ...         return world.legal_moves[0]
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> FirstBot(seed=1).choose(match.view(match.to_move))
    <manhattan move: pick red 3 4 4 4>
    """

    name: str = ""
    """What it was asked for by."""
    description: ClassVar[str] = ""
    """What it is, in a few words."""
    pace: ClassVar[float | None] = None
    """How many seconds it thinks over a turn unless it is told; None: as long as it needs."""
    should_stop: Callable[[], bool] | None = None
    """Asked now and then while thinking; once it says yes, the best move found so far is taken."""
    now: Callable[[], float] = staticmethod(time.monotonic)
    """The clock by which it thinks, in seconds."""

    def __init__(self, seconds: float | None = None, seed: int | str | None = None) -> None:
        self.seconds = _checked_seconds(seconds)
        self.seed = read_seed(seed)

    def choose(self, view: Mapping[str, Any]) -> Move:
        """A move for the seat of the view, which must be the one to move.

        >>> import storeys
        >>> match = storeys.new("neoville", players=2, seed=7)
        >>> storeys.bot("random", seed=1).choose(match.view(match.to_move))
        <neoville move: place swww g7 turn 0>
        """
        return self._next_move(self.open_view(view))

    def choose_for(self, match: Match) -> Move:
        """A move for the seat to move of a match, of which the bot is given what the seat knows.

        It is the move that :meth:`choose` finds for the view, without reading the view as JSON.

        >>> import storeys
        >>> match = storeys.new("neoville", players=2, seed=7)
        >>> storeys.bot("random", seed=1).choose_for(match)
        <neoville move: place swww g7 turn 0>
        """
        if self._has_own("choose"):
            return self.choose(match.view(match.to_move))
        return self._next_move(self._open_match(match))

    def plan(self, view: Mapping[str, Any]) -> list[Move]:
        """The moves of the rest of the turn, up to where something hidden is shown.

        >>> import storeys
        >>> match = storeys.new("neoville", players=2, seed=7)
        >>> [str(move) for move in storeys.bot("random", seed=3).plan(match.view(match.to_move))]
        ['place gwss g7 turn 3', 'utility biosphere-j4-1 g7', 'draw pile']
        """
        return self._plan_in(self.open_view(view))

    def plan_for(self, match: Match) -> list[Move]:
        """The same for the seat to move of a match, as :meth:`choose_for` is to :meth:`choose`.

        >>> import storeys
        >>> match = storeys.new("neoville", players=2, seed=7)
        >>> [str(move) for move in storeys.bot("random", seed=3).plan_for(match)]
        ['place gwss g7 turn 3', 'utility biosphere-j4-1 g7', 'draw pile']
        """
        if self._has_own("plan"):
            return self.plan(match.view(match.to_move))
        return self._plan_in(self._open_match(match))

    def _plan_in(self, world: Match) -> list[Move]:
        seat, drawn, moves = world.to_move, world.chance_used(), []
        while world.to_move == seat and world.chance_used() == drawn:
            moves.append(self._next_move(world))
            world.push(moves[-1])
        return moves

    @abstractmethod
    def choose_in(self, world: Match) -> Move | str | Mapping[str, Any]:
        """A legal move for the seat to move, in one world that agrees with what it sees.

        The world is a match to think with: moves can be made and taken back in it.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> storeys.bot("random", seed=1).choose_in(match)
        <manhattan move: pick red 1 2 4 4>
        """

    def open_view(self, view: Mapping[str, Any]) -> Match:
        """One world that the view allows; it follows from the view and the bot's seed.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> view = match.view(match.to_move)
        >>> view["hands"]
        [[7, 9, 5, 4], [None, None, None, None]]
        >>> storeys.bot("random", seed=1).open_view(view).position()["hands"]
        [[7, 9, 5, 4], [8, 6, 9, 6]]
        """
        return _world(view, self._seed_for(view))

    def chance_in(self, world: Match) -> IntArray:
        """A generator for one choice, as :meth:`Match.random_move` takes it; it repeats too.

        >>> import storeys
        >>> match, bot = storeys.new("manhattan", players=2, seed=7), storeys.bot("random", seed=1)
        >>> match.random_move(bot.chance_in(match)) == match.random_move(bot.chance_in(match))
        True
        """
        return chance.generator((world.seed + world.moves_made) % (1 << chance.SEED_BITS))

    def _next_move(self, world: Match) -> Move:
        """What is chosen, as a move that was found to be legal."""
        return world.move_of(world.action_of(self.choose_in(world.clone())))

    def _open_match(self, match: Match) -> Match:
        """The world that :meth:`open_view` makes of a view, from the record of the match."""
        if match.to_move is None:
            raise BadPosition(Message("storeys.over"))
        view = match.view(match.to_move)
        if self._has_own("open_view"):
            return self.open_view(view)
        return world_of(match, match.to_move, self._seed_for(view))

    def _has_own(self, method: str) -> bool:
        """Whether a subclass does something of its own with views, which it is then given."""
        return getattr(type(self), method) is not getattr(Bot, method)

    def _seed_for(self, view: Mapping[str, Any]) -> int:
        text = json.dumps([str(self.seed), view], sort_keys=True, default=str)
        return int.from_bytes(hashlib.sha256(text.encode()).digest())


def _checked_seconds(seconds: Any) -> float | None:
    if seconds is not None and not (isinstance(seconds, int | float) and seconds > 0):
        raise BadOption(Message("storeys.bad-seconds", found=short(seconds)))
    return seconds


def _world(view: Mapping[str, Any], seed: int) -> Match:
    """A world that the view allows: what is unknown in it is dealt at random."""
    place = Node(dict(view) if isinstance(view, Mapping) else view, "view", BadPosition)
    if place["to_move"].value is None:
        raise BadPosition(Message("storeys.over"))
    if place["seat"].value != place["to_move"].value:
        raise place["seat"].fail("storeys.not-to-move", seat=place["to_move"].value)
    return from_position(place.mapping(), seed=seed)


# --- finding bots


def bot(
    name: str, seconds: float | None = None, seed: int | str | None = None, **options: Any
) -> Bot:
    """The bot of a name, with options of its own; ``BotFailed`` if it cannot be made.

    >>> import storeys
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> novice = storeys.bot("novice", seed=1)
    >>> novice.choose(match.view(match.to_move))
    <manhattan move: pick red 1 3 4 4>
    """
    _checked_seconds(seconds)
    read_seed(seed)
    kind = _class_of(_entry(name))
    check_options(name, kind, options)
    try:
        made = kind(seconds=seconds, seed=seed, **options)
        made.name = name
    except BadOption:
        raise
    except (Exception, SystemExit) as error:
        raise failed(name, error) from error
    return made


def check_options(name: str, kind: type[Bot], options: Mapping[str, Any]) -> None:
    """Refuse what a bot does not take."""
    taken = inspect.signature(kind).parameters
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in taken.values()):
        return
    for found in options:
        if found not in taken:
            known = ", ".join(taken)
            raise BadOption(
                Message("storeys.unknown-bot-option", bot=name, found=short(found), known=known)
            )


def ask(player: Bot, match: Match) -> Move:
    """The legal move of a bot that is to move; ``BotFailed``, whatever goes wrong inside it.

    >>> import storeys
    >>> from storeys.bots import ask
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> ask(storeys.bot("novice", seed=1), match)
    <manhattan move: pick red 1 3 4 4>
    """
    try:
        return match.move_of(match.action_of(player.choose_for(match)))
    except (Exception, SystemExit) as error:
        raise failed(player.name or type(player).__name__, error) from error


def bot_names() -> list[str]:
    """The names of all installed bots: ours, the weakest first, then those of other packages.

    >>> from storeys.bots import bot_names
    >>> bot_names()[:4]
    ['random', 'novice', 'apprentice', 'journeyman']
    """
    return [*OURS, *sorted(set(_found()) - set(OURS))]


@dataclass(frozen=True)
class BotFacts:
    """A bot as it is introduced to people.

    >>> from storeys.bots import bot_facts
    >>> facts = bot_facts("builder")
    >>> facts.label, facts.help, facts.source, facts.level
    ('Builder', 'looks at its whole turn', 'storeys', 5)
    """

    name: str
    label: str
    help: str
    """What it is; empty if it does not say."""
    source: str
    """The package that it comes from; with its version, unless that is ours."""
    fault: StoreysError | None = None
    """Why it cannot be loaded."""
    level: int | None = None
    """Which of the levels it is, from 1, the weakest; None if it is none of them."""


def bot_facts(name: str, lang: str = DEFAULT_LANGUAGE) -> BotFacts:
    """What a bot is; one that cannot be loaded says why.

    >>> from storeys.bots import bot_facts
    >>> bot_facts("novice", lang="de").help
    'spielt nach Gefühl und macht Fehler'
    """
    if name in OURS:
        label, told = (Message(f"storeys.bot.{name}.{part}") for part in ("label", "help"))
        level = LEVELS.index(name) + 1 if name in LEVELS else None
        return BotFacts(name, label.text(lang), told.text(lang), "storeys", level=level)
    entry = _entry(name)
    source = f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else ""
    try:
        return BotFacts(name, name, _description(_class_of(entry)), source)
    except BotFailed as error:
        return BotFacts(name, name, "", source, error)


def _description(kind: type[Bot]) -> str:
    """What a class says of itself: one line, without the full stop of a docstring."""
    said = kind.description or (inspect.getdoc(kind) if kind.__doc__ else None) or ""
    return " ".join(str(said).strip().partition("\n\n")[0].split()).removesuffix(".")


def _class_of(entry: EntryPoint) -> type[Bot]:
    try:
        kind = entry.load()
    except (Exception, SystemExit) as error:
        raise failed(entry.name, error) from error
    if not (isinstance(kind, type) and issubclass(kind, Bot)):
        raise failed(entry.name, Message("storeys.not-a-bot", found=entry.value))
    return kind


def _entry(name: str) -> EntryPoint:
    entry = _found().get(name) if isinstance(name, str) else None
    if entry is None:
        known = ", ".join(bot_names())
        raise BadOption(Message("storeys.unknown-bot", found=short(name), known=known))
    return entry


@functools.cache
def _found() -> dict[str, EntryPoint]:
    found = {entry.name: entry for entry in announced(GROUP)}
    return found | {name: EntryPoint(name, value, GROUP) for name, value in OURS.items()}
