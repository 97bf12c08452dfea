"""The games in OpenSpiel: importing this module registers ``storeys_<name>`` for each of them.

>>> import pyspiel, storeys.envs.openspiel
>>> game = pyspiel.load_game("storeys_manhattan(players=3,tiebreak=towers)")

Chance is explicit, and all of it comes first: four chance nodes of 256 equally likely outcomes
each choose the match's seed, and every deal and draw after that follows from the seed.  Nobody
sees the seed, so to a player the draws come as late as at the table; but a search that applies
actions to a *real* state sees real draws.  ``state.resample_from_infostate`` gives states whose
hidden cards and future are dealt afresh; Python's IS-MCTS uses it by itself.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from storeys.envs.common import (
    check_version,
    missing,
    pay,
    play,
    reward_form,
    state_of,
)
from storeys.envs.registration import plain_name
from storeys.envs.rewards import DIFFERENCE, WIN
from storeys.kernel import chance, doors
from storeys.kernel.compiling import jit
from storeys.kernel.errors import BadOption, IllegalMove
from storeys.kernel.game import Game, Setup
from storeys.kernel.messages import Message
from storeys.kernel.options import Option
from storeys.kernel.reading import as_whole, short
from storeys.kernel.record import IntArray, Records, tag_of
from storeys.match import Match, check_names, deal
from storeys.registry import game_names, get_game

try:
    import pyspiel
except ImportError:
    raise missing("open_spiel", "openspiel") from None

CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
SEED_NODES, OUTCOMES = 4, 256
CHANCE_OUTCOMES = [(outcome, 1 / OUTCOMES) for outcome in range(OUTCOMES)]
CODE_BITS = 32
FIELD_SCALE = 128
"""A number of a card, a tile or a count is one more, divided by this: 0 is for none at all."""
BY_DEFAULT, OURS = "auto", "ours"
"""The rewards and the component set of a game that names none."""
NOT_DEALT = "not dealt yet"


# --- compiled


@jit
def list_in_order(
    states: Records, tables: Records, actions: IntArray, legal: IntArray, out: IntArray
) -> int:
    """The legal actions in ascending order; says how many, and marks each."""
    doors.mask(states, tables, actions, legal)
    count = 0
    for action in range(legal.size):
        if legal[action]:
            out[count] = action
            count += 1
    return count


# --- parameters


def text_of(option: Option) -> str:
    """The default of an option as a parameter."""
    if option.several is None:
        return str(option.default)
    return "random" if option.default is None else "none"


def read_parameter(text: str) -> Any:
    """The value of an option: "none", "random2" for two at random, a name, or names with "+"."""
    if text == "none":
        return []
    if how_many := re.fullmatch(r"random(\d+)", text):
        return int(how_many[1])
    return text.split("+") if "+" in text else text


class Facts:
    """A game with its set-up; states share it."""

    def __init__(self, name: str, players: int, options: Mapping[str, Any], form: int) -> None:
        self.game, self.form = get_game(name), form
        self.given = name, players, dict(options), form
        self.setup = self.game.settle(players, options)
        self.players = self.setup.players
        self.most_moves = self.game.most_moves(self.setup)

    def deal(self, seed: int) -> tuple[Setup, Records]:
        """Deal a match; what the options leave to chance follows from the seed too."""
        _, players, options, _ = self.given
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


def facts_of(name: str, players: int, options: dict[str, Any], form: int) -> Facts:
    """The facts of a set-up: one object for all states that come from pickles."""
    key = json.dumps([name, players, options, form])
    if key not in _facts:
        _facts[key] = Facts(name, players, options, form)
    return _facts[key]


_facts: dict[str, Facts] = {}


# --- a match


class Table:
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
        return int(state["turn_of"][0])

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
        actions, codes = np.empty((2, self.facts.game.actions), np.int64)
        count = doors.legal_codes(self.state, self.tables, actions, codes)
        code = int(codes[:count][actions[:count] == action][0])
        return self.facts.game.move_text(code, self.setup.components)

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
        move = game.move_text(self.codes[nth - 1], self.setup.components)
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

    def redealt(self, seat: int, rng: IntArray) -> "Table":
        """A world that a seat cannot tell from this one, hidden things and future dealt afresh.

        Of the past it keeps what the seat has seen, so that nothing hidden can be read out of it.
        """
        world = self.clone()
        doors.redeal(world.state, world.tables, seat, rng)
        world.past = self._past_of(seat)
        world.past[-1] = world.state.tobytes()
        world.told = {seat: self.story(seat).copy()}
        world.numbers = [0] * SEED_NODES
        world.world = chance.random_word(rng)
        return world

    def _past_of(self, seat: int) -> list[bytes]:
        """What a seat has seen of the states so far; kept, as a search asks for it often."""
        seen = self.seen_past.setdefault(seat, [])
        for nth in range(len(seen), len(self.past)):
            state = state_of(self.facts.game, self.past[nth])
            doors.blind(state, self.tables, seat)
            seen.append(state.tobytes())
        return seen.copy()

    # --- copies

    def clone(self) -> "Table":
        """An independent copy."""
        twin = Table(self.facts)
        twin.numbers, twin.world = self.numbers.copy(), self.world
        if self.past:
            twin._stand(self.setup, state_of(self.facts.game, self.past[-1]))
            twin.past, twin.movers = self.past.copy(), self.movers.copy()
            twin.codes = self.codes.copy()
            twin.told = {seat: lines.copy() for seat, lines in self.told.items()}
        return twin

    def __deepcopy__(self, memo: Any) -> "Table":
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        kernel = tag_of(self.facts.game.state_dtype)
        options = self.setup.options if self.past else {}
        log = self.numbers, self.past, self.movers, self.codes, self.world
        return _unpickle_table, (self.facts, kernel, options, log)


def _unpickle_table(facts: Facts, kernel: str, options: dict[str, Any], log: Any) -> Table:
    check_version(facts.game, kernel)
    table = Table(facts)
    table.numbers, table.past, table.movers, table.codes, table.world = log
    if table.past:
        _, players, given, _ = facts.given
        components = {key: given[key] for key in ("components",) if key in given}
        setup = facts.game.settle(players, options | components)
        table._stand(setup, state_of(facts.game, table.past[-1]))
    return table


class Walk:
    """Stands in for a table while a state is led along a history that is known already."""

    def __init__(self, players: Iterator[int]) -> None:
        self._players = players

    def take(self, action: int, mover: int) -> int:
        """The next player to move."""
        return next(self._players)


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


class Observer:
    """Writes what a player sees, in the manner of :mod:`open_spiel.python.observation`."""

    def __init__(self, facts: Facts, kind: Any, params: Any) -> None:
        if params or kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise BadOption(Message("storeys.envs.observer"))
        self._facts = facts
        self._public, self._recall = kind.public_info, kind.perfect_recall
        self._private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self.tensor: IntArray | None = None
        self.dict: dict[str, IntArray] = {}
        if self._public:
            self._lay_out()

    def _lay_out(self) -> None:
        """One vector, and the planes as views of it."""
        pieces = [(plane.name, plane.shape) for plane in self._facts.game.planes]
        if self._recall:
            pieces += self._pieces_of_the_past()
        sizes = [int(np.prod(shape)) for _, shape in pieces]
        self.tensor = np.zeros(sum(sizes), np.float32)
        self._planes = self.tensor[: self._facts.game.observation_size]
        at = 0
        for (name, shape), size in zip(pieces, sizes, strict=True):
            self.dict[name] = self.tensor[at : at + size].reshape(shape)
            at += size

    def _pieces_of_the_past(self) -> list[tuple[str, tuple[int, ...]]]:
        """A row for the deal and for every move that there can be."""
        game, rows = self._facts.game, self._facts.most_moves + 1
        blank = np.zeros(1, game.state_dtype)
        viewer = 0 if self._private else -1
        self._fields = [f"past_{name}" for name in field_names(game, viewer)]
        widths = [field.shape[1] for field in seen_fields(game, blank, viewer)]
        return [
            ("past_mover", (rows, max(game.seats))),
            ("past_move", (rows, CODE_BITS)),
            *((name, (rows, width)) for name, width in zip(self._fields, widths, strict=True)),
        ]

    def set_from(self, state: "SpielState", player: int) -> None:
        """Write the tensor; before the deal it is all 0."""
        if self.tensor is None:
            return
        self.tensor.fill(0)
        table = state.table
        if not table.past:
            return
        viewer = self._viewer(player)
        doors.observe(table.state, table.tables, viewer, self._planes)
        if self._recall:
            self._write_past(table, viewer)

    def _viewer(self, player: int) -> int:
        return self._facts.check_seat(player) if self._private else -1

    def _write_past(self, table: Table, viewer: int) -> None:
        game, made = self._facts.game, len(table.codes)
        states = np.frombuffer(b"".join(table.past), game.state_dtype)
        for name, field in zip(self._fields, seen_fields(game, states, viewer), strict=True):
            self.dict[name][: made + 1] = (field + 1) / FIELD_SCALE
        if made:
            movers = (np.array(table.movers) - max(viewer, 0)) % self._facts.players
            codes = np.array(table.codes, np.int64)
            self.dict["past_mover"][np.arange(1, made + 1), movers] = 1
            self.dict["past_move"][1 : made + 1] = (codes[:, None] >> np.arange(CODE_BITS)) & 1

    def string_from(self, state: "SpielState", player: int) -> str:
        """The same in words."""
        table = state.table
        if not table.past:
            return NOT_DEALT
        viewer = self._viewer(player)
        if not self._public:
            return self._own(table, viewer)
        if self._recall:
            return "\n".join(table.story(viewer))
        return text_of_view(table.match(), viewer)

    def _own(self, table: Table, seat: int) -> str:
        """What only the seat itself sees."""
        if seat < 0:
            return ""
        held = (
            f"{name} {table.state[name][0, seat].tolist()}" for name in self._facts.game.held_fields
        )
        return "; ".join(held)


# --- OpenSpiel's classes


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state of a game; its ``table`` holds the match.

    ``legal_actions`` stands in for OpenSpiel's own, which would ask back five times.
    """

    def __init__(self, game: "SpielGame") -> None:
        super().__init__(game)
        self.table = Table(game.facts)
        self._player = CHANCE

    def current_player(self) -> int:
        """The player to move."""
        return self._player

    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return self._player == TERMINAL

    def is_chance_node(self) -> bool:
        """Whether a number of the seed is chosen next."""
        return self._player == CHANCE

    def legal_actions(self, *players: int) -> list[int]:
        """What a player, by default the one to move, may do; ascending."""
        player = self._player
        if player < 0 or (players and players[0] != player):
            found: list[int] = super().legal_actions(*players)
            return found
        return self.table.legal_list()

    def _legal_actions(self, player: int) -> list[int]:
        return self.table.legal_list()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The next number of the seed, each as likely as any other."""
        return CHANCE_OUTCOMES

    def _apply_action(self, action: int) -> None:
        self._player = self.table.take(action, self._player)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == CHANCE:
            return f"seed {action}"
        return self.table.move_text(action) if player == self._player else f"action {action}"

    def returns(self) -> list[float]:
        """What the players have got so far; all of it comes at the end."""
        if self._player != TERMINAL:
            return [0.0] * self.table.facts.players
        return self.table.rewards()

    def __str__(self) -> str:
        table = self.table
        if not table.past:
            return f"{NOT_DEALT}; seed {table.numbers}"
        position = table.match().position() | {"seed": self._name_of_world()}
        return "\n".join(f"{key} {json.dumps(value)}" for key, value in position.items())

    def _name_of_world(self) -> str:
        table = self.table
        return f"dealt afresh ({table.world})" if table.world else str(table.seed)

    def match(self) -> Match:
        """A :class:`storeys.Match` that stands where this state does, to look at or to draw."""
        return self.table.match()

    def resample_from_infostate(
        self, player: int, probability_sampler: Callable[[], float]
    ) -> "SpielState":
        """A state that a player cannot tell from this one, hidden things and future dealt afresh.

        It clones, pickles and plays on like any other; but no seed leads to it, so the first
        numbers of its history are 0, and its history alone does not lead to it.
        """
        if self._player == CHANCE:
            unchanged: SpielState = self.clone()
            return unchanged
        rng = chance.generator(int(probability_sampler() * (1 << 53)))
        return self._led_to(self.table.redealt(self.table.facts.check_seat(player), rng))

    def _led_to(self, table: Table) -> "SpielState":
        """A state with this one's history but for the seed, and another table."""
        twin: SpielState = self.get_game().new_initial_state()
        ahead = [*[CHANCE] * (SEED_NODES - 1), *table.movers, self._player]
        twin.table = Walk(iter(ahead))  # type: ignore[assignment]
        for nth, action in enumerate(self.history()):
            twin.apply_action(0 if nth < SEED_NODES else action)
        twin.table = table
        return twin


def resampler(seed: int = 0) -> Callable[[SpielState, int], SpielState]:
    """For ``ISMCTSBot.set_resampler``: worlds dealt afresh, the same ones for the same seed."""
    rng = np.random.default_rng(seed)
    return lambda state, player: state.resample_from_infostate(player, rng.random)


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of ours with its parameters; there is a subclass for each game."""

    name: ClassVar[str]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        kind = get_game(self.name)
        players = given.get("players", kind.default_players)
        options = {
            key: read_parameter(value)
            for key, value in given.items()
            if key not in ("players", "rewards", "components")
        }
        if given.get("components", OURS) != OURS:
            options["components"] = given["components"]
        settled = kind.settle(players, options).players
        rewards = given.get("rewards", BY_DEFAULT)
        form = reward_form(None if rewards == BY_DEFAULT else rewards, settled)
        self.facts = Facts(self.name, settled, options, form)
        super().__init__(game_type(kind, settled), game_info(self.facts), given)

    def new_initial_state(self, *_: Any) -> SpielState:
        """Before the first number of the seed."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """An observer: public and own things, with or without the past."""
        usual = pyspiel.IIGObservationType(perfect_recall=False)
        return Observer(self.facts, iig_obs_type or usual, params)

    def max_chance_nodes_in_history(self) -> int:
        """The numbers of the seed."""
        return SEED_NODES

    def __reduce__(self) -> tuple[Any, ...]:
        return load_game, (str(self),)


def load_game(text: str) -> SpielGame:
    """The game of OpenSpiel's text for it; to find this function, a pickle registers the games."""
    game: SpielGame = pyspiel.load_game(text)
    return game


def game_type(kind: Game, players: int) -> Any:
    """What OpenSpiel is told about a game; alone there is no sum that stays the same."""
    types = pyspiel.GameType
    return types(
        short_name=plain_name(kind.name),
        long_name=kind.title.text(),
        dynamics=types.Dynamics.SEQUENTIAL,
        chance_mode=types.ChanceMode.EXPLICIT_STOCHASTIC,
        information=types.Information.IMPERFECT_INFORMATION,
        utility=types.Utility.ZERO_SUM if players > 1 else types.Utility.GENERAL_SUM,
        reward_model=types.RewardModel.TERMINAL,
        max_num_players=max(kind.seats),
        min_num_players=min(kind.seats),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={
            "players": kind.default_players,
            "rewards": BY_DEFAULT,
            "components": OURS,
            **{option.name: text_of(option) for option in kind.options},
        },
    )


def game_info(facts: Facts) -> Any:
    """The sizes of a game with its set-up."""
    low, high = range_of_rewards(facts)
    return pyspiel.GameInfo(
        num_distinct_actions=facts.game.actions,
        max_chance_outcomes=OUTCOMES,
        num_players=facts.players,
        min_utility=low,
        max_utility=high,
        utility_sum=0.0 if facts.players > 1 else None,
        max_game_length=facts.most_moves,
    )


def range_of_rewards(facts: Facts) -> tuple[float, float]:
    """Bounds of what a player can get."""
    low, high = facts.game.range_of_totals(facts.setup)
    if facts.players == 1:
        return float(low), float(high)
    if facts.form == DIFFERENCE:
        return float(low - high), float(high - low)
    return (-1 / (facts.players - 1) if facts.form == WIN else -1.0), 1.0


def register_all() -> None:
    """Make every game known to OpenSpiel."""
    known = set(pyspiel.registered_names())
    for name in game_names():
        if plain_name(name) not in known:
            kind = get_game(name)
            # A class, not a function: OpenSpiel lets go of it after the interpreter has ended, and
            # only what holds on to itself, as classes do, survives that.
            maker = type(SpielGame.__name__, (SpielGame,), {"name": name})
            pyspiel.register_game(game_type(kind, kind.default_players), maker)


register_all()
