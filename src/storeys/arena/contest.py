"""What is played in the arena: which deals, by whom, in which seats.

A *group* is one deal played by one line-up in every seating that turning it round the table gives,
so that everybody has held every hand.  What is played under a number follows from the set-up alone:
whoever plays a game, in whatever order, the same comes out.
"""

import hashlib
import itertools
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from storeys.arena.entrants import LIMITS, Entrant, read_entrant, read_entrants
from storeys.kernel import chance
from storeys.kernel.errors import BadOption
from storeys.kernel.game import Game
from storeys.kernel.messages import Message
from storeys.kernel.reading import as_whole, short
from storeys.match import read_seed
from storeys.registry import get_game

CLOCKS: dict[str, Callable[[], float]] = {"wall": time.monotonic, "cpu": time.process_time}
"""By what seconds are told: as they pass, or as the processor works for the game."""
FORM = 1
"""The version of what a file of the arena holds."""


@dataclass(frozen=True)
class Contest:
    """A set-up of the arena; it says for every game's number what is dealt and who sits where.

    >>> from storeys.arena import Contest
    >>> contest = Contest("neoville", ["builder", "novice"], players=2, seed=5)
    >>> [contest.seating(number) for number in range(4)]
    [['builder', 'novice'], ['novice', 'builder'], ['builder', 'novice'], ['novice', 'builder']]
    >>> contest.deal_of(0) == contest.deal_of(1) != contest.deal_of(2)
    True
    """

    game: str
    bots: Sequence[str]
    players: int | None = None
    seed: int | str | None = 0
    seconds: float | None = None
    simulations: int | None = None
    options: dict[str, Any] | None = None
    clock: str = "wall"
    """By which clock bots think; that of the processor does not mind what else a machine does."""

    def checked(self) -> "Contest":
        """The same, once everything in it was found to be sound; numbers are settled.

        >>> from storeys.arena import Contest
        >>> contest = Contest("neoville", ["builder", "novice"], seed="5").checked()
        >>> contest.players, contest.seed
        (4, 5)
        """
        _check_limits(self.seconds, self.simulations)
        if self.clock not in CLOCKS:
            known = ", ".join(CLOCKS)
            raise BadOption(Message("storeys.arena.clock", found=short(self.clock), known=known))
        number = read_seed(self.seed)
        players = self.kind.settle(self.players, self.options or {}, number).players
        if players < 2:
            raise BadOption(Message("storeys.arena.seats"))
        if len(set(self.bots)) < 2:
            raise BadOption(Message("storeys.arena.two-bots"))
        settled = Contest(
            self.game,
            tuple(self.bots),
            players,
            number,
            self.seconds,
            self.simulations,
            dict(self.options or {}),
            self.clock,
        )
        read_entrants(settled.labels, settled.limits)
        return settled

    @property
    def kind(self) -> Game:
        """The game.

        >>> from storeys.arena import Contest
        >>> Contest("manhattan", ["builder", "novice"]).kind.name
        'manhattan'
        """
        return get_game(self.game)

    @property
    def limits(self) -> dict[str, Any]:
        """How long the searches among the bots may think.

        >>> from storeys.arena import Contest
        >>> Contest("manhattan", ["builder", "novice"], simulations=50).limits
        {'simulations': 50}
        """
        return {name: getattr(self, name) for name in LIMITS if getattr(self, name) is not None}

    @cached_property
    def labels(self) -> list[str]:
        """The bots as they were written, each once, in order.

        >>> from storeys.arena import Contest
        >>> Contest("manhattan", ["builder", "novice", "novice"], players=3).labels
        ['builder', 'novice']
        """
        return list(dict.fromkeys(self.bots))

    @cached_property
    def line_ups(self) -> list[list[list[str]]]:
        """Every line-up in all its seatings.

        As many bots as seats are one line-up; fewer sit down again in turn until the table is full;
        of more, every choice of so many plays.

        >>> from storeys.arena import Contest
        >>> (turns,) = Contest("manhattan", ["builder", "novice", "novice"], players=3).line_ups
        >>> [turn.index("builder") for turn in turns]
        [0, 1, 2]
        >>> Contest("manhattan", ["builder", "novice"], players=4).line_ups[0][0]
        ['builder', 'novice', 'builder', 'novice']
        """
        seats = int(self.players or self.kind.default_players)
        if len(self.bots) <= seats:
            chosen = [[self.bots[seat % len(self.bots)] for seat in range(seats)]]
        else:
            chosen = [list(some) for some in itertools.combinations(self.bots, seats)]
            chosen = [some for some in chosen if len(set(some)) > 1]
        return [_turned(some) for some in chosen]

    @cached_property
    def _turns(self) -> list[tuple[int, int, int]]:
        """For each game of one cycle of line-ups: its group, line-up and seating."""
        return [
            (nth, nth, turn)
            for nth, seatings in enumerate(self.line_ups)
            for turn in range(len(seatings))
        ]

    @property
    def cycle(self) -> int:
        """How many games there are until every line-up has played a deal.

        >>> from storeys.arena import Contest
        >>> Contest("manhattan", ["builder", "novice", "random"], players=2).cycle
        6
        """
        return len(self._turns)

    def group_of(self, number: int) -> int:
        """The group of a game.

        >>> from storeys.arena import Contest
        >>> contest = Contest("manhattan", ["builder", "novice"], players=2)
        >>> [contest.group_of(number) for number in range(5)]
        [0, 0, 1, 1, 2]
        """
        times, at = divmod(number, self.cycle)
        return times * len(self.line_ups) + self._turns[at][0]

    def games_of(self, group: int) -> range:
        """The games of a group.

        >>> from storeys.arena import Contest
        >>> Contest("manhattan", ["builder", "novice"], players=2).games_of(3)
        range(6, 8)
        """
        times, nth = divmod(group, len(self.line_ups))
        sizes = [len(seatings) for seatings in self.line_ups]
        first = times * self.cycle + sum(sizes[:nth])
        return range(first, first + sizes[nth])

    def seating(self, number: int) -> list[str]:
        """Who sits where in a game.

        >>> from storeys.arena import Contest
        >>> Contest("manhattan", ["builder", "novice"], players=2).seating(3)
        ['novice', 'builder']
        """
        _, nth, turn = self._turns[number % self.cycle]
        return self.line_ups[nth][turn]

    def deal_of(self, number: int) -> int:
        """The seed of a game's match: that of the same game of ``playouts`` with our seed.

        All line-ups play the same deals.

        >>> import storeys
        >>> batch = storeys.arena.playouts("manhattan", 2, players=2, seed=5)
        >>> contest = storeys.arena.Contest("manhattan", ["builder", "novice"], players=2, seed=5)
        >>> contest.deal_of(2) == batch.match(1).seed
        True
        """
        return chance.seed_of_game(self._key, number // self.cycle)

    def bot_seed(self, number: int, seat: int) -> int:
        """The seed of the bot in a seat: another one in every game and seat.

        >>> from storeys.arena import Contest
        >>> contest = Contest("manhattan", ["builder", "novice"], players=2)
        >>> len({contest.bot_seed(number, seat) for number in range(3) for seat in range(2)})
        6
        """
        return chance.seed_of_game(self._key, number, 1 + seat)

    @property
    def _key(self) -> Any:
        return chance.key_of_seed(read_seed(self.seed))

    def entrant(self, label: str) -> Entrant:
        """The entrant of a label, with its limits.

        >>> from storeys.arena import Contest
        >>> Contest("manhattan", ["builder", "novice"]).entrant("builder").name
        'builder'
        """
        return read_entrant(label).limited(self.limits)

    def to_json(self) -> dict[str, Any]:
        """The set-up as JSON; two runs with the same one play the same games.

        >>> from storeys.arena import Contest
        >>> Contest("manhattan", ["builder", "novice"], players=2, seed=5).to_json()["bots"]
        ['builder', 'novice']
        """
        clock = {} if self.clock == "wall" else {"clock": self.clock}
        return clock | {
            "arena": FORM,
            "game": self.game,
            "rules_version": self.kind.rules_version,
            "players": self.players,
            "options": json.loads(json.dumps(self.options or {}, default=str)),
            "bots": list(self.bots),
            "seconds": self.seconds,
            "simulations": self.simulations,
            "seed": str(self.seed),
        }

    def file_name(self) -> str:
        """The usual name of the file of its games.

        >>> from storeys.arena import Contest
        >>> Contest("manhattan", ["builder", "novice"], players=2, seed=5).file_name()
        'arena-manhattan-0a3db513.jsonl'
        """
        text = json.dumps(self.to_json(), sort_keys=True)
        return f"arena-{self.game}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.jsonl"


def _turned(line_up: list[str]) -> list[list[str]]:
    """A line-up turned round the table, the same seating only once."""
    turns = [tuple(line_up[-n:] + line_up[:-n]) for n in range(len(line_up))]
    return [list(turn) for turn in dict.fromkeys(turns)]


def _check_limits(seconds: Any, simulations: Any) -> None:
    if seconds is not None and simulations is not None:
        raise BadOption(Message("storeys.arena.one-limit"))
    if seconds is not None and not (isinstance(seconds, int | float) and seconds > 0):
        raise BadOption(Message("storeys.bad-seconds", found=short(seconds)))
    count = as_whole(simulations)
    if simulations is not None and (count is None or count < 1):
        found = short(simulations)
        raise BadOption(Message("storeys.bad-count", what="simulations", low=1, found=found))
