"""A strong player: it tries whole turns in many worlds, and looks at how the game goes on.

Its turns are those that promise the most by themselves.  Each is tried in the same deals of all
that its seat cannot know; everybody then plays on as each move promises, and after the same number
of turns the position is judged by whom the seat is likely to beat.  The better half is tried again,
and so on (:mod:`storeys.search`).  A turn is planned at once, and the time is for a turn.

Where nothing is compiled yet a single simulation takes longer than it has: it plays as the builder
does then.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from storeys import search
from storeys.bots.builder import BuilderBot
from storeys.bots.registry import Bot
from storeys.kernel.caching import is_ready
from storeys.kernel.compiling import compiler
from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message
from storeys.kernel.reading import as_whole, short
from storeys.kernel.record import tag_of
from storeys.match import Match, Move
from storeys.search import TriedTurn, search_turn


class Plan(list[Move]):
    """The moves of a turn, and all turns that were tried for it.

    >>> import storeys
    >>> match = storeys.new("neoville", players=2, seed=7)
    >>> plan = storeys.bot("architect", simulations=40, seed=1).plan(match.view(match.to_move))
    >>> tuple(plan) == plan.turns[0].moves, plan.turns[0].visits > plan.turns[-1].visits
    (True, True)
    """

    def __init__(self, moves: Iterable[Move] = (), turns: Iterable[TriedTurn] = ()) -> None:
        super().__init__(moves)
        self.turns = list(turns)
        """The best first; empty as long as nothing is compiled."""


class ArchitectBot(Bot):
    """Tries its best turns in many worlds before it plays one.

    With ``simulations`` it thinks as long as those take, and the same seed leads to the same moves,
    whatever ``threads`` share the work.

    >>> import storeys
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> view = match.view(match.to_move)
    >>> once, again = (storeys.bot("architect", simulations=40, seed=1) for _ in range(2))
    >>> once.plan(view) == again.plan(view)
    True
    """

    pace = 0.3

    def __init__(
        self,
        seconds: float | None = None,
        seed: int | str | None = None,
        simulations: int | None = None,
        threads: int = 1,
    ) -> None:
        super().__init__(seconds=seconds, seed=seed)
        self.simulations = None if simulations is None else _count("simulations", simulations)
        self.threads = _count("threads", threads)
        self._rest: dict[bytes, Move] = {}
        """The moves of the turn that was planned last, by what its seat then sees."""

    def plan(self, view: Mapping[str, Any]) -> Plan:
        """The moves of its turn, with the turns that it has tried.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> bot = storeys.bot("architect", simulations=64, seed=1)
        >>> len(bot.plan(match.view(match.to_move)).turns)
        16
        """
        return self._plan_in(self.open_view(view))

    def plan_for(self, match: Match) -> Plan:
        """The same of a match.

        >>> import storeys
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> bot = storeys.bot("architect", simulations=64, seed=1)
        >>> bot.plan_for(match) == bot.plan(match.view(match.to_move))
        True
        """
        return self._plan_in(self._open_match(match))

    def choose_in(self, world: Match) -> Move:
        """The next move of the turn that was planned, or the first of a new one."""
        planned = self._rest.get(_seen(world))
        return planned if planned is not None else self._plan_in(world)[0]

    def _plan_in(self, world: Match) -> Plan:
        used, seat, drawn = self._share_used(), world.to_move, world.chance_used()
        plan, going, self._rest = Plan(), world.clone(), {}
        while going.to_move == seat and going.chance_used() == drawn:
            for move in self._turn(going, plan, used):
                self._rest[_seen(going)] = move
                plan.append(move)
                going.push(move)
        return plan

    def _turn(self, world: Match, plan: Plan, used: Callable[[int], float]) -> tuple[Move, ...]:
        """A turn, or one move of it where there is no time for more."""
        if not self._is_compiled(world) and self.simulations is None:
            return (self._builder(used).choose_in(world.clone()),)
        settings, rng = world.game.search, self.chance_in(world)
        turns = search_turn(world, settings, rng, used, self.threads)
        plan.turns = plan.turns or turns
        return turns[0].moves

    def _is_compiled(self, world: Match) -> bool:
        """Whether compiled code is there, which is then loaded; who has no clock waits for it."""
        ready = is_ready(tag_of(world.game.state_dtype), Path(str(search.__file__)))
        if compiler.may_compile and (ready or self.simulations is not None):
            compiler.start()
        return compiler.running

    def _builder(self, used: Callable[[int], float]) -> BuilderBot:
        """Who plays in its stead as long as nothing is compiled, in the same time."""
        builder = BuilderBot(seed=self.seed)
        builder.should_stop = lambda: used(0) > 1
        return builder

    def _share_used(self) -> Callable[[int], float]:
        """Says which share of its time is used, or of its simulations."""
        start, asked = self.now(), self.should_stop
        seconds = self.seconds
        if seconds is None and self.simulations is None:
            seconds = self.pace

        def used(done: int) -> float:
            if asked is not None and asked():
                return 2.0
            by_clock = 0.0 if seconds is None else (self.now() - start) / seconds
            return max(by_clock, done / self.simulations if self.simulations else 0.0)

        return used


def _seen(world: Match) -> bytes:
    return world.blinded(world.to_move).tobytes()


def _count(option: str, value: Any) -> int:
    count = as_whole(value)
    if count is None or count < 1:
        raise BadOption(Message("storeys.bot-option", option=option, found=short(value)))
    return count
