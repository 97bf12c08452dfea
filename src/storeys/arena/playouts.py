"""Whole games on all cores, each of which can be had as a record: at random in compiled code, or
played by a bot.

Game i of a batch depends on the batch's seed and on i alone, however many threads there are: block
i of a ChaCha stream keyed by the batch's seed gives its own seed (four words) and the start of its
players' generator (three words).  What an option leaves to chance is drawn from that seed too, so
that game i is the match that :func:`storeys.new` deals from it.
"""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from storeys.arena.entrants import ELSEWHERE, Entrant, read_entrant
from storeys.arena.playing import plan_turn
from storeys.bots import bot_names
from storeys.kernel import chance, verbs
from storeys.kernel.blanks import Blanks
from storeys.kernel.compiling import jit
from storeys.kernel.components import ComponentSet
from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.game import Game
from storeys.kernel.messages import Message
from storeys.kernel.reading import as_whole, short
from storeys.kernel.record import IntArray, Records, int64
from storeys.kernel.setup import Setup
from storeys.match import Match, Move, check_names, from_position, make_match, read_seed
from storeys.registry import get_game

AT_RANDOM = "random"
"""The policy that is compiled: the bot of this name plays as well, one move after the other."""


# --- compiled


@jit
def play_batch(
    templates: Records,
    numbers: IntArray,
    dealt: bool,
    tables: Records,
    key: IntArray,
    first: int,
    scores: IntArray,
    won: IntArray,
    lengths: IntArray,
    log: IntArray,
) -> None:
    """Play the games ``first``, ``first + 1``, … of a batch, one for each row of the results.

    ``numbers`` says which template each row starts from; the codes of moves are logged as far as
    they fit.
    """
    state, rng = templates[:1].copy(), np.zeros(4, np.uint32)
    for row in range(lengths.size):
        state[0] = templates[numbers[row]]
        chance.key_game(state[0], key, first + row, int64(0), rng)
        chance.rewind(state[0], chance.RESUMED if dealt else chance.DEALT)
        if not dealt:
            verbs.deal(state[0], tables[0])
        plies = 0
        while not verbs.over(state[0]):
            action = verbs.sample(state[0], tables[0], rng)
            if plies < log.size:
                log[plies] = verbs.decode(state[0], tables[0], action)
            verbs.apply(state[0], tables[0], action)
            plies += 1
        lengths[row] = plies
        verbs.score(state[0], tables[0], scores[row])
        verbs.winners(state[0], tables[0], won[row])


# --- from Python


@dataclass(frozen=True, repr=False, eq=False)
class Playouts:
    """The results of a batch, a row for each game.

    >>> import storeys
    >>> batch = storeys.arena.playouts("manhattan", 3, players=2, seed=0)
    >>> batch
    <playouts of 3 games of manhattan, 2 players, seed 0>
    >>> batch.scores
    array([[128, 146],
           [144, 125],
           [148, 145]], dtype=int32)
    >>> batch.lengths
    array([120, 120, 120], dtype=int32)
    """

    scores: npt.NDArray[np.int32]
    winners: npt.NDArray[np.bool_]
    lengths: npt.NDArray[np.int32]
    """Moves of each game."""

    game: Game
    seed: int
    starts: "Starts"
    logs: dict[int, list[int]] | None = None
    """The codes of the moves of each game that a bot has played."""

    @property
    def players(self) -> int:
        """How many seats there are.

        >>> import storeys
        >>> storeys.arena.playouts("manhattan", 1).players
        4
        """
        return self.starts.players

    @property
    def options(self) -> dict[str, Any]:
        """The options as they were asked for: what is left to chance is drawn for each game.

        >>> import storeys
        >>> storeys.arena.playouts("cloud-city", 1, requests=2).options
        {'city': '3x3', 'requests': 2, 'edition': 'en'}
        """
        return self.starts.options

    def setup_of(self, nth: int) -> Setup:
        """The set-up of one game of the batch.

        >>> import storeys
        >>> batch = storeys.arena.playouts("cloud-city", 2, requests=2, seed=1)
        >>> [batch.setup_of(nth).options["requests"] for nth in range(2)]
        [['solo-buildings', 'balanced'], ['blue-buildings', 'minimalist']]
        """
        return self.starts.setup_for(self._seed_of(self._number(nth)))

    def match(self, nth: int) -> Match:
        """One game of the batch, played again as a match.

        >>> import storeys
        >>> batch = storeys.arena.playouts("manhattan", 3, players=2, seed=0)
        >>> batch.match(2), batch.match(2).totals
        (<manhattan match: 120 moves, over>, [148, 145])
        """
        number = self._number(nth)
        match = self.match_dealt(number)
        for code in self._played_again(number) if self.logs is None else self.logs[number]:
            match.push(Move(self.game, match.setup.components, code))
        return match

    def _played_again(self, number: int) -> list[int]:
        """The codes of the moves of a random game."""
        starts, key = self.starts, chance.key_of_seed(self.seed)
        log = np.zeros(int(self.lengths[number]), np.int64)
        play_batch(
            self._template(number),
            np.zeros(1, np.int64),
            starts.dealt,
            starts.components.tables,
            key,
            number,
            np.zeros((1, self.players), np.int32),
            np.zeros((1, self.players), bool),
            np.zeros(1, np.int32),
            log,
        )
        codes: list[int] = log.tolist()
        return codes

    def record(self, nth: int) -> dict[str, Any]:
        """One game of the batch as a record.

        >>> import storeys
        >>> record = storeys.arena.playouts("manhattan", 3, players=2, seed=0).record(2)
        >>> record["length"], record["moves"][:3]
        (120, ['pick red 2 3 4 4', 'pick green 1 4 4 4', 'pick blue 3 3 3 3'])
        >>> storeys.load(record).winners
        [0]
        """
        return self.match(nth).record()

    def match_dealt(self, nth: int) -> Match:
        """One game of the batch before its first move.

        >>> import storeys
        >>> storeys.arena.playouts("manhattan", 3, players=2, seed=0).match_dealt(2)
        <manhattan match: 0 moves, seat 0 to pick>
        """
        number = self._number(nth)
        template, seed = self._template(number), self._seed_of(number)
        setup = self.starts.setup_for(seed)
        if not self.starts.dealt:
            return make_match(self.game.name, setup.players, seed, None, setup.to_json())
        names = check_names(setup, None)
        return from_position(Match(self.game, setup, seed, template.copy(), names).position())

    def _template(self, number: int) -> Records:
        at = int(self.starts.numbers[number])
        return self.starts.templates[at : at + 1]

    def _seed_of(self, nth: int) -> int:
        return chance.seed_of_game(chance.key_of_seed(self.seed), nth)

    def _number(self, nth: Any) -> int:
        number, last = as_whole(nth), len(self.lengths) - 1
        if number is None or not 0 <= number <= last:
            raise StoreysError(
                Message("storeys.no-such-game-of-batch", found=short(nth), last=last)
            )
        return number

    def __repr__(self) -> str:
        games = f"{len(self.lengths)} games of {self.game.name}"
        return f"<playouts of {games}, {self.players} players, seed {self.seed}>"


@dataclass(frozen=True)
class Starts:
    """What the games of a batch start from: templates, and the number of each game's own."""

    players: int
    options: dict[str, Any]
    templates: Records
    numbers: IntArray
    dealt: bool
    """Whether the templates are states in the middle of a match."""
    components: ComponentSet
    setup_for: Callable[[int], Setup]
    """The set-up of the game with a seed."""


def playouts(
    game: str,
    games: int,
    players: int | None = None,
    seed: int | str | None = 0,
    policy: str = "random",
    threads: int | None = None,
    states: Records | None = None,
    progress: Callable[[int], object] | None = None,
    **options: Any,
) -> Playouts:
    """Play whole games: ``.scores``, ``.winners``, ``.lengths``, ``.record(i)``.

    The policy is ``"random"``, in compiled code, or a bot as the arena takes it, ``"builder"`` or
    ``"name:option=value"``; it plays all seats, and a seed repeats what it does unless it looks at
    a clock.

    With ``states``, an array of states of one set-up (see :meth:`Match.state`), game i goes on from
    ``states[i % len(states)]`` into a future of its own; players and options are the states' own.
    ``progress`` is told now and then how many more games are done.

    >>> import storeys
    >>> batch = storeys.arena.playouts("manhattan", 8, players=4, seed=0)
    >>> batch.winners.sum(axis=0), batch.lengths.mean()
    (array([2, 0, 5, 2]), np.float64(112.0))
    >>> later = storeys.arena.playouts("manhattan", 2, states=batch.match(3).at(90).state())
    >>> later.lengths
    array([22, 22], dtype=int32)
    >>> by_bot = storeys.arena.playouts("neoville", 2, players=2, policy="builder")
    >>> by_bot.scores.mean() > storeys.arena.playouts("neoville", 2, players=2).scores.mean()
    np.True_
    """
    kind, count = get_game(game), _count("games", games, 0)
    entrant = _read_policy(policy)
    workers = available_cores() if threads is None else _count("threads", threads, 1)
    number = read_seed(seed)
    if states is None:
        starts = _dealt_anew(Blanks(kind, players, options), number, count)
    else:
        starts = _going_on(_setup_of(kind, states, players, options), states, count)
    logs: dict[int, list[int]] = {}
    batch = Playouts(
        np.zeros((count, starts.players), np.int32),
        np.zeros((count, starts.players), bool),
        np.zeros(count, np.int32),
        kind,
        number,
        starts,
        None if entrant is None else logs,
    )
    play = _random_games(batch) if entrant is None else _bot_games(batch, entrant, logs)
    # Several pieces a worker: games differ in length, and progress is told piece by piece.
    piece = max(1, -(-count // (workers * 16)))
    with ThreadPoolExecutor(workers) as pool:
        for done in pool.map(play, _pieces(count, piece)):
            if progress is not None:
                progress(done)
    return batch


def _read_policy(policy: Any) -> Entrant | None:
    """None for chance; otherwise a bot that was found to be there."""
    if policy == AT_RANDOM:
        return None
    name = policy.partition(":")[0] if isinstance(policy, str) else None
    if name not in (known := [*bot_names(), *ELSEWHERE]):
        raise BadOption(
            Message("storeys.unknown-policy", found=short(policy), known=", ".join(known))
        )
    entrant = read_entrant(policy)
    entrant.make(seed=0)
    return entrant


def _pieces(count: int, piece: int) -> list[slice]:
    return [slice(first, min(first + piece, count)) for first in range(0, count, piece)]


def _dealt_anew(blanks: Blanks, seed: int, count: int) -> Starts:
    numbers = blanks.numbers_for(chance.key_of_seed(seed), count)
    return Starts(
        blanks.players,
        blanks.options_asked_for(),
        blanks.states,
        numbers,
        False,
        blanks.components,
        blanks.setup_for,
    )


def _going_on(setup: Setup, states: Records, count: int) -> Starts:
    return Starts(
        setup.players,
        setup.to_json(),
        np.ascontiguousarray(states),
        np.arange(count) % len(states),
        True,
        setup.components,
        lambda seed: setup,
    )


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _random_games(batch: Playouts) -> Callable[[slice], int]:
    """Plays some games of a batch in compiled code, and says how many."""
    key, starts = chance.key_of_seed(batch.seed), batch.starts
    no_log = np.zeros(0, np.int64)

    def play(rows: slice) -> int:
        play_batch(
            starts.templates,
            starts.numbers[rows],
            starts.dealt,
            starts.components.tables,
            key,
            rows.start,
            batch.scores[rows],
            batch.winners[rows],
            batch.lengths[rows],
            no_log,
        )
        return int(rows.stop - rows.start)

    return play


def _bot_games(
    batch: Playouts, entrant: Entrant, logs: dict[int, list[int]]
) -> Callable[[slice], int]:
    """Plays some games of a batch by a bot in every seat, keeps their moves, says how many."""
    key = chance.key_of_seed(batch.seed)

    def play(rows: slice) -> int:
        for number in range(rows.start, rows.stop):
            match = batch.match_dealt(number)
            seeds = [chance.seed_of_game(key, number, 1 + seat) for seat in range(batch.players)]
            bots = [entrant.make(seed) for seed in seeds]
            while match.to_move is not None:
                for move in plan_turn(bots[match.to_move], match):
                    match.push(move)
            logs[number] = [move.code for move in match.moves]
            batch.scores[number], batch.lengths[number] = match.totals, match.moves_made
            batch.winners[number, match.winners] = True
        return int(rows.stop - rows.start)

    return play


def _setup_of(
    game: Game, states: Records, players: int | None, options: Mapping[str, Any]
) -> Setup:
    """The set-up that all given states share; only the component set can be named besides."""
    if (
        getattr(states, "dtype", None) != game.state_dtype
        or states.ndim != 1
        or not len(states)
        or players not in (None, int(states[0].players))
        or set(options) - {"components"}
        or (states["nonce"] == chance.FORGOTTEN).any()
    ):
        raise BadOption(Message("storeys.bad-states", game=game.title))
    shared = [game.options_of(states[i : i + 1]) for i in range(len(states))]
    if any(own != shared[0] for own in shared) or any(
        len(set(states[name].tolist())) > 1 for name in ("players", "rules_version")
    ):
        raise BadOption(Message("storeys.bad-states", game=game.title))
    first = states[0]
    return game.settle(
        int(first.players), shared[0] | dict(options), rules_version=int(first.rules_version)
    )


def _count(what: str, number: Any, low: int) -> int:
    count = as_whole(number)
    if count is None or count < low:
        raise BadOption(Message("storeys.bad-count", what=what, low=low, found=short(number)))
    return count
