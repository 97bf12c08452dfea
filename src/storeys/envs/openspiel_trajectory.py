"""What a state of OpenSpiel holds: how a match came about, and where it stands."""

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyspiel

from storeys.envs.common import check_version, pay, play, state_of
from storeys.kernel import chance, entry_points, verbs
from storeys.kernel.compiling import jit_when_it_pays
from storeys.kernel.errors import BadOption, IllegalMove
from storeys.kernel.game import Game
from storeys.kernel.messages import Message
from storeys.kernel.reading import as_whole, short
from storeys.kernel.record import IntArray, Records, tag_of
from storeys.kernel.setup import Setup
from storeys.match import Match, check_names, deal
from storeys.registry import get_game

CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
SEED_NODES, OUTCOMES = 4, 256
"""The chance nodes that choose the seed, and how many outcomes each has."""


# --- compiled


@jit_when_it_pays
def list_in_order(
    states: Records, tables: Records, actions: IntArray, legal: IntArray, out: IntArray
) -> int:
    """The legal actions in ascending order; says how many, and marks each."""
    entry_points.mark_actions(actions, verbs.legal(states[0], tables[0], actions), legal)
    count = 0
    for action in range(legal.size):
        if legal[action]:
            out[count] = action
            count += 1
    return count


class Facts:
    """A game with its set-up; states share it."""

    def __init__(
        self, name: str, players: int, options: Mapping[str, Any], form: int, in_nodes: bool
    ) -> None:
        self.game, self.form, self.in_nodes = get_game(name), form, in_nodes
        self.given = name, players, dict(options), form, in_nodes
        self.setup = self.game.settle(players, options)
        self.players = self.setup.players
        self.most_moves = self.game.most_moves(self.setup)
        self.left_to_chance = self._left_to_chance()
        """The options that chance settles: the name of each, and all that it can become."""

    def _left_to_chance(self) -> list[tuple[str, list[list[str]]]]:
        found, options = [], self.given[2]
        for option in self.game.options:
            draw = option.draw(options.get(option.name, option.default), self.players)
            if draw is not None:
                ways = itertools.combinations(draw.names, draw.count)
                found.append((option.name, [list(way) for way in ways]))
        return found

    def settled(self, numbers: Sequence[int]) -> Setup:
        """The set-up, of each option that is left to chance the way of a number."""
        chosen = zip(self.left_to_chance, numbers, strict=True)
        return self.with_options({name: ways[number] for (name, ways), number in chosen})

    def with_options(self, options: Mapping[str, Any]) -> Setup:
        """The set-up with some options settled."""
        _, players, given, _, _ = self.given
        return self.game.settle(players, {**given, **options})

    def deal(self, seed: int) -> tuple[Setup, Records]:
        """Deal a match; what the options leave to chance follows from the seed too."""
        _, players, options, _, _ = self.given
        setup = self.game.settle(players, options, seed)
        return setup, deal(self.game, setup, seed)

    def check_seat(self, player: Any) -> int:
        """The seat of a player; compiled code would not notice a wrong one."""
        number, last = as_whole(player), self.players - 1
        if number is None or not 0 <= number <= last:
            raise BadOption(Message("storeys.no-such-seat", found=short(player), last=last))
        return number

    def __reduce__(self) -> tuple[Any, ...]:
        return facts_of, self.given


def facts_of(name: str, players: int, options: dict[str, Any], form: int, in_nodes: bool) -> Facts:
    """The facts of a set-up: one object for all states that come from pickles."""
    key = json.dumps([name, players, options, form, in_nodes])
    if key not in _facts:
        _facts[key] = Facts(name, players, options, form, in_nodes)
    return _facts[key]


_facts: dict[str, Facts] = {}


# --- a match


class Trajectory:
    """What a state holds: the seed's numbers so far, then the match and how it came about.

    ``past`` has the bytes of the state after the deal and after every move, so that information
    states can be told when somebody asks; a move itself costs no more than one copy of them.
    """

    __slots__ = (
        "actions", "codes", "facts", "fresh", "legal", "listed", "movers", "numbers", "past",
        "seen_past", "setup", "state", "tables", "told", "world",
    )  # fmt: skip

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.numbers: list[int] = []
        self.past: list[bytes] = []
        self.movers: list[int] = []
        self.codes: list[int] = []
        self.told: dict[int, list[str]] = {}
        self.seen_past: dict[int, list[bytes]] = {}
        self.fresh = False  # whether `legal` is of the present state
        self.world = 0  # not 0: this world was dealt afresh and has no seed

    @classmethod
    def standing_at(cls, facts: Facts, match: Match) -> "Trajectory":
        """One that begins where a match stands."""
        made = cls(facts)
        made.world = 1
        made._stand(match.setup, match.state())
        made.past.append(made.state.tobytes())
        return made

    def told_so_far(self) -> str:
        """What tells chance nodes apart."""
        return f"seed {self.numbers}"

    def begin(self) -> int:
        """Who is to move first: chance chooses the seed."""
        return CHANCE

    @property
    def trail(self) -> list[int]:
        """Whose turn it was at each step of the history."""
        return [CHANCE] * len(self.numbers) + self.movers

    # --- moving

    def take(self, action: int, mover: int) -> int:
        """Apply an action of the player to move; the one to move then."""
        if mover < 0:
            return self._choose(action)
        if not self.fresh:
            self.legal_list()
        if not (0 <= action < self.legal.size and self.legal[action]):
            raise IllegalMove(Message("storeys.envs.illegal", action=action))
        to_move, code = play(self.state, self.tables, action)
        self.movers.append(mover)
        self.codes.append(code)
        self.past.append(self.state.tobytes())
        self.fresh = False
        return to_move if to_move >= 0 else TERMINAL

    def _choose(self, number: int) -> int:
        """Take a number of the seed; after the last one the match is dealt."""
        if not 0 <= number < OUTCOMES:
            raise IllegalMove(Message("storeys.envs.illegal", action=number))
        self.numbers.append(number)
        if len(self.numbers) < SEED_NODES:
            return CHANCE
        setup, state = self.facts.deal(self.seed)
        self._stand(setup, state)
        self.past.append(state.tobytes())
        return int(state["to_move"][0])

    def _stand(self, setup: Setup, state: Records) -> None:
        self.setup, self.state, self.tables = setup, state, setup.components.tables
        size = self.facts.game.actions
        self.legal = np.zeros(size, np.int8)
        # Of its own, as states may be stepped in threads side by side.
        self.actions, self.listed = np.empty(size, np.int64), np.empty(size, np.int64)

    @property
    def seed(self) -> int:
        """The seed, once all its numbers are there."""
        return int.from_bytes(bytes(self.numbers), "little")

    def legal_list(self) -> list[int]:
        """The legal actions, ascending."""
        count = list_in_order(self.state, self.tables, self.actions, self.legal, self.listed)
        self.fresh = True
        found: list[int] = self.listed[:count].tolist()
        return found

    # --- looking

    def rewards(self) -> list[float]:
        """What the players get in the end."""
        players = self.facts.players
        totals, won, out = np.zeros(players, np.int32), np.zeros(players, bool), np.zeros(players)
        pay(self.state, self.tables, self.facts.form, totals, won, out)
        found: list[float] = out.tolist()
        return found

    def match(self, nth: int = -1) -> Match:
        """A match that stands where this one did after so many moves, to look at."""
        game = self.facts.game
        state = state_of(game, self.past[nth])
        return Match(game, self.setup, self.seed, state, check_names(self.setup, None))

    def move_text(self, action: int) -> str:
        """The notation of a legal action, or its number."""
        if not self.fresh:
            self.legal_list()
        if not (0 <= action < self.legal.size and self.legal[action]):
            return f"action {action}"
        code = entry_points.code_of(self.state, self.tables, action)
        return self.facts.game.notation.text(code, self.setup.components)

    def story(self, seat: int) -> list[str]:
        """What a seat (-1: a spectator) has seen: the deal, then line by line every move.

        A line has the seat that moved, the move, and what chance did to the seat's hand and to
        what lies open.
        """
        lines = self.told.setdefault(seat, [])
        if not lines:
            lines.append(text_of_view(self.match(0), seat))
        for nth in range(len(lines), len(self.past)):
            lines.append(self._line(nth, seat))
        return lines

    def _line(self, nth: int, seat: int) -> str:
        game = self.facts.game
        move = game.notation.text(self.codes[nth - 1], self.setup.components)
        parts = [f"{self.movers[nth - 1]} {move}"]
        before, after = (np.frombuffer(self.past[n], game.state_dtype) for n in (nth - 1, nth))
        for name, was, now in zip(
            field_names(game, seat), seen_fields(game, before, seat),
            seen_fields(game, after, seat), strict=True,
        ):  # fmt: skip
            if not np.array_equal(was, now):
                parts.append(f"{name} {' '.join(map(str, now[0].ravel().tolist()))}")
        return "; ".join(parts)

    # --- other worlds

    def redealt(self, seat: int, rng: IntArray) -> "Trajectory":
        """A world that a seat cannot tell from this one, hidden things and future dealt afresh.

        Of the past it keeps what the seat has seen, so that nothing hidden can be read out of it.
        """
        world = self.clone()
        entry_points.redeal(world.state, world.tables, seat, rng)
        world.past = self._past_of(seat)
        world.past[-1] = world.state.tobytes()
        world.told = {seat: self.story(seat).copy()}
        world.numbers = [0] * len(self.numbers)
        world.world = chance.random_word(rng)
        return world

    def _past_of(self, seat: int) -> list[bytes]:
        """What a seat has seen of the states so far; kept, as a search asks for it often."""
        seen = self.seen_past.setdefault(seat, [])
        for nth in range(len(seen), len(self.past)):
            state = state_of(self.facts.game, self.past[nth])
            entry_points.blind(state, self.tables, seat)
            seen.append(state.tobytes())
        return seen.copy()

    # --- copies

    def clone(self) -> "Trajectory":
        """An independent copy."""
        twin = type(self)(self.facts)
        twin.numbers, twin.world = self.numbers.copy(), self.world
        if self.past:
            twin._stand(self.setup, state_of(self.facts.game, self.past[-1]))
            twin.past, twin.movers = self.past.copy(), self.movers.copy()
            twin.codes = self.codes.copy()
            twin.told = {seat: lines.copy() for seat, lines in self.told.items()}
        return twin

    def __deepcopy__(self, memo: Any) -> "Trajectory":
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        kernel = tag_of(self.facts.game.state_dtype)
        options = self.setup.options if self.past else {}
        log = self.numbers, self.past, self.movers, self.codes, self.world
        return _unpickle_trajectory, (self.facts, kernel, options, log)


def _unpickle_trajectory(
    facts: Facts, kernel: str, options: dict[str, Any], log: Any
) -> Trajectory:
    check_version(facts.game, kernel)
    trajectory = Trajectory(facts)
    trajectory.numbers, trajectory.past, trajectory.movers, trajectory.codes, trajectory.world = log
    if trajectory.past:
        trajectory._stand(facts.with_options(options), state_of(facts.game, trajectory.past[-1]))
    return trajectory


# --- what a seat sees


def text_of_view(match: Match, seat: int) -> str:
    """A view as one line of text, without what never changes."""
    view = match.view(None if seat < 0 else seat)
    told = {key: value for key, value in view.items() if key not in ("game", "options", "seed")}
    return "; ".join(
        f"{key} {json.dumps(value, separators=(',', ':'))}" for key, value in told.items()
    )


def field_names(game: Game, seat: int) -> tuple[str, ...]:
    """The fields that tell a seat (-1: a spectator) what chance did."""
    return game.open_fields if seat < 0 else game.held_fields + game.open_fields


def seen_fields(game: Game, states: Records, seat: int) -> list[IntArray]:
    """Those fields of some states, a row for each state."""
    held = [] if seat < 0 else [states[name][:, seat] for name in game.held_fields]
    fields = [*held, *(states[name] for name in game.open_fields)]
    return [field.reshape(len(states), -1) for field in fields]
