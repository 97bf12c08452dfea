"""What the adapters share: one match stepped by actions, seeds, rewards and missing libraries.

Nothing is kept for taking moves back, and a step is one call of compiled code.
"""

import copy
import hashlib
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from storeys.envs.rewards import DIFFERENCE, read_rewards, write_rewards
from storeys.kernel import chance, entry_points, verbs
from storeys.kernel.compiling import jit_when_it_pays
from storeys.kernel.errors import BadOption, IllegalMove, NotInstalled, StoreysError
from storeys.kernel.game import Game
from storeys.kernel.messages import Message
from storeys.kernel.reading import as_whole, short
from storeys.kernel.record import IntArray, Records, tag_of
from storeys.kernel.setup import Setup
from storeys.match import Match, Move, check_names, deal, make_match, read_seed
from storeys.registry import get_game

Tensor = npt.NDArray[np.float32]
Mask = npt.NDArray[np.int8]

HIGHEST = 16.0
"""No number of an observation is higher; most lie between 0 and 1, and none is below 0."""
LOG = 64
"""How many moves are noted in one call of compiled code."""
ILLEGAL, ILLEGAL_DIFFERENCE = -1.0, -100.0
"""What an illegal action is paid with unless one says otherwise: by wins and ranks, by points."""


# --- compiled


@jit_when_it_pays
def play(states: Records, tables: Records, action: int) -> tuple[int, int]:
    """Carry out a legal action; the seat to move then (-1: nobody), and the code of the move."""
    code = verbs.decode(states[0], tables[0], action)
    verbs.apply(states[0], tables[0], action)
    return states[0].to_move, code


@jit_when_it_pays
def see_and_list(
    states: Records,
    tables: Records,
    seat: int,
    actions: IntArray,
    seen: IntArray,
    legal: IntArray,
) -> None:
    """What the seat to move sees, and 1 for every action that it may take."""
    verbs.observe(states[0], tables[0], seat, seen)
    count = verbs.legal(states[0], tables[0], actions)
    entry_points.mark_actions(actions, count, legal)


@jit_when_it_pays
def pay(
    states: Records, tables: Records, form: int, totals: IntArray, won: IntArray, out: IntArray
) -> None:
    """The rewards of a match that is over."""
    verbs.score(states[0], tables[0], totals)
    verbs.winners(states[0], tables[0], won)
    write_rewards(form, totals, won, out)


# --- one match


class Play:
    """One match, stepped by actions."""

    __slots__ = (
        "_actions", "_legal", "_listed", "_tables", "codes", "game", "seed", "setup", "state",
        "to_move",
    )  # fmt: skip

    def __init__(self, game: Game, setup: Setup, seed: int, state: Records) -> None:
        self.game, self.setup, self.seed, self.state = game, setup, seed, state
        self.to_move = int(state[0].to_move)
        self.codes: list[int] = []
        self._tables = setup.components.tables
        self._actions = np.empty(game.actions, np.int64)
        self._legal = np.zeros(game.actions, np.int8)
        self._listed = False

    def look(self, seat: int) -> tuple[Tensor, Mask]:
        """What a seat sees and what it may do; nothing while another one is to move."""
        seen = np.empty(self.game.observation_size, np.float32)
        if seat != self.to_move:
            entry_points.observe(self.state, self._tables, seat, seen)
            return seen, np.zeros(self.game.actions, np.int8)
        see_and_list(self.state, self._tables, seat, self._actions, seen, self._legal)
        self._listed = True
        return seen, self._legal.copy()

    def is_legal(self, action: int) -> bool:
        """Whether the seat to move may take an action."""
        if not self._listed:
            entry_points.mask(self.state, self._tables, self._actions, self._legal)
            self._listed = True
        return 0 <= action < self.game.actions and bool(self._legal[action])

    def act(self, action: int) -> int:
        """Carry out an action; the seat to move then, -1 at the end."""
        if not self.is_legal(action):
            raise IllegalMove(Message("storeys.envs.illegal", action=action))
        self.to_move, code = play(self.state, self._tables, action)
        self.codes.append(code)
        self._listed = False
        return self.to_move

    def follow(self, moves: list[Move]) -> None:
        """Carry out moves, each checked by the rules."""
        match = self.open()
        for move in moves:
            match.push(move)
        self.state = match.state()
        self.codes += [move.code for move in match.moves]
        self.to_move = -1 if match.to_move is None else match.to_move
        self._listed = False

    def follow_compiled(self, moves: Callable[..., int], *arguments: Any) -> None:
        """Let compiled code make some moves and note their codes in an array."""
        log = np.empty(LOG, np.int64)
        made = moves(self.state, self._tables, *arguments, log)
        self.codes += log[:made].tolist()
        self.to_move = int(self.state["to_move"][0])
        self._listed = False

    def rewards(self, form: int) -> list[float]:
        """What the seats are paid, now that the match is over."""
        players = self.setup.players
        totals, won, out = np.zeros(players, np.int32), np.zeros(players, bool), np.zeros(players)
        pay(self.state, self._tables, form, totals, won, out)
        return [float(reward) for reward in out]

    def results(self) -> tuple[list[int], list[int]]:
        """The totals of the seats, and the seats that have won."""
        players = self.setup.players
        totals, won = np.zeros(players, np.int32), np.zeros(players, bool)
        entry_points.results(self.state, self._tables, totals, won)
        return totals.tolist(), np.flatnonzero(won).tolist()

    def open(self) -> Match:
        """A match that stands where this one does, to look at; its log begins here."""
        names = check_names(self.setup, None)
        return Match(self.game, self.setup, self.seed, self.state.copy(), names)

    def match(self) -> Match:
        """The whole match with its log: a record of it can be kept and watched."""
        match = make_match(
            self.game.name, self.setup.players, self.seed, None, self.setup.to_json()
        )
        for code in self.codes:
            match.push(Move(self.game, match.setup.components, code))
        return match

    def clone(self) -> "Play":
        """An independent copy, random state included."""
        twin = Play(self.game, self.setup, self.seed, self.state.copy())
        twin.codes = self.codes.copy()
        return twin

    def __deepcopy__(self, memo: Any) -> "Play":
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        setup = self.setup.players, self.setup.to_json(), self.seed
        return _unpickle_play, (
            self.game.name, tag_of(self.game.state_dtype), setup, self.state.tobytes(), self.codes,
        )  # fmt: skip


def _unpickle_play(name: str, kernel: str, setup: Any, state: bytes, codes: list[int]) -> Play:
    game = get_game(name)
    check_version(game, kernel)
    players, options, seed = setup
    play = Play(game, game.settle(players, options), seed, state_of(game, state))
    play.codes = codes
    return play


def check_version(game: Game, kernel: str) -> None:
    """Refuse a state that was pickled with other rules."""
    if kernel != tag_of(game.state_dtype):
        raise StoreysError(Message("storeys.other-version", game=game.title))


def state_of(game: Game, content: bytes | bytearray) -> Records:
    """A state of its own from the bytes of one; several times as quick as NumPy's copy."""
    return np.frombuffer(bytearray(content), game.state_dtype)


def start(game: Game, players: Any, options: dict[str, Any], seed: int) -> Play:
    """Deal a match: the same one that ``storeys.new`` deals from this seed."""
    setup = game.settle(players, options, seed)
    return Play(game, setup, seed, deal(game, setup, seed))


class OneMatch:
    """What environments of one match have in common: it, its record, exact copies."""

    _play: Play | None = None

    @property
    def play(self) -> Play:
        """The match being played."""
        if self._play is None:
            raise StoreysError(Message("storeys.envs.reset-first"))
        return self._play

    def record(self) -> dict[str, Any]:
        """The match so far as a record, for ``storeys.load`` and to watch; it tells everything."""
        return self.play.match().record()

    def clone(self) -> Self:
        """An independent copy, random state included."""
        return copy.deepcopy(self)


# --- seeds


class Seeds:
    """The seeds of an environment's matches: the one asked for, or the one after the last."""

    __slots__ = ("_next",)

    def __init__(self, seed: Any) -> None:
        self._next = read_seed(seed)

    def take(self, seed: Any = None) -> int:
        """The seed of the match to begin now."""
        number = self._next if seed is None else read_seed(seed)
        self._next = derived_seed(number, "next")
        return number

    def small(self, purpose: str) -> int:
        """A seed of 32 bits for a generator of NumPy's, so that copies draw alike."""
        return derived_seed(self._next, purpose) & chance.WORD


def derived_seed(seed: int, purpose: str) -> int:
    """Another seed that follows from one and tells nothing about it."""
    text = seed.to_bytes(chance.SEED_BITS // 8, "little") + purpose.encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:16], "little")


# --- options that the adapters share


def reward_form(rewards: str | None, players: int) -> int:
    """The number of a form of rewards; by default wins, or alone the points."""
    if rewards is None:
        rewards = "win" if players > 1 else "difference"
    return read_rewards(rewards, players)


def penalty(illegal_reward: Any, form: int) -> float:
    """What an illegal action is paid with."""
    if illegal_reward is None:
        return ILLEGAL_DIFFERENCE if form == DIFFERENCE else ILLEGAL
    if isinstance(illegal_reward, bool) or not isinstance(illegal_reward, int | float):
        raise BadOption(Message("storeys.envs.bad-penalty", found=short(illegal_reward)))
    return float(illegal_reward)


def read_action(action: Any) -> int:
    """An action as a whole number."""
    number = as_whole(action)
    if number is None:
        raise BadOption(Message("storeys.envs.not-an-action", found=short(action)))
    return number


def missing(library: str, extra: str) -> NotInstalled:
    """The error to raise when a library cannot be imported."""
    return NotInstalled(Message("storeys.envs.extra", what=library, extra=extra))
