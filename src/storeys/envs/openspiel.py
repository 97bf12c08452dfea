"""The games in OpenSpiel: importing this module registers ``storeys_<name>`` for each of them.

>>> import pyspiel, storeys.envs.openspiel
>>> game = pyspiel.load_game("storeys_manhattan(players=3,tiebreak=towers)")
>>> game.num_players(), game.num_distinct_actions(), game.max_game_length()
(3, 320, 162)

Chance is explicit and comes where it happens: every card or tile that is dealt or drawn is a chance
node, with an outcome for each kind that is left and its true probability.  No state holds a future.
With ``chance=root`` all of it comes first instead: four chance nodes of 256 equally likely outcomes
choose the match's seed, and every draw follows from it; a search that applies actions to a *real*
state then sees real draws.  ``state.resample_from_infostate`` gives states whose hidden cards and
future are dealt afresh; Python's IS-MCTS uses it by itself.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from storeys.envs.common import missing, reward_form
from storeys.envs.registration import plain_name
from storeys.envs.rewards import DIFFERENCE, WIN
from storeys.kernel import chance
from storeys.kernel.chance import MOST_TOLD
from storeys.kernel.errors import BadOption
from storeys.kernel.game import Game
from storeys.kernel.messages import Message
from storeys.kernel.options import Option
from storeys.kernel.reading import short
from storeys.match import Match
from storeys.registry import game_names, get_game

try:
    import pyspiel
except ImportError:
    raise missing("open_spiel", "openspiel") from None

from storeys.envs.openspiel_chance import NodeTrajectory
from storeys.envs.openspiel_observer import NOT_DEALT, Observer
from storeys.envs.openspiel_trajectory import (
    CHANCE,
    OUTCOMES,
    SEED_NODES,
    TERMINAL,
    Facts,
    Trajectory,
)

CHANCE_OUTCOMES = [(outcome, 1 / OUTCOMES) for outcome in range(OUTCOMES)]
BY_DEFAULT, OURS = "auto", "ours"
"""The rewards and the component set of a game that names none."""
IN_NODES, AT_ROOT = "nodes", "root"
"""Where chance is: where it happens, or all of it before the match."""


# --- parameters


def text_of(option: Option) -> str:
    """The default of an option as a parameter."""
    if option.several is None:
        return str(option.default)
    return "random" if option.default is None else "none"


def read_parameter(text: str) -> Any:
    """The value of an option: "none", "random", "random2" for two, a name, or names with "+"."""
    if text in ("none", "random"):
        return [] if text == "none" else None
    if how_many := re.fullmatch(r"random(\d+)", text):
        return int(how_many[1])
    return text.split("+") if "+" in text else text


def read_chance(text: str) -> bool:
    """Whether chance comes where it happens."""
    if text not in (IN_NODES, AT_ROOT):
        raise BadOption(Message("storeys.envs.chance", found=short(text)))
    return text == IN_NODES


# --- OpenSpiel's classes


class SpielState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A state of a game; its ``trajectory`` holds the match.

    ``legal_actions`` stands in for OpenSpiel's own, which would ask back five times.

    >>> import pyspiel, storeys.envs.openspiel
    >>> state = pyspiel.load_game("storeys_manhattan(players=2,chance=root)").new_initial_state()
    >>> for number in (7, 0, 0, 0):  # the seed, byte by byte
    ...     state.apply_action(number)
    >>> state.current_player(), len(state.legal_actions())
    (0, 34)
    >>> state.action_to_string(state.legal_actions()[0])
    'pick red 3 4 4 4'
    """

    def __init__(self, game: "SpielGame") -> None:
        super().__init__(game)
        kind = NodeTrajectory if game.facts.in_nodes else Trajectory
        self.trajectory: Trajectory = kind(game.facts)
        self._player = self.trajectory.begin()
        self._ahead: Iterator[int] | None = None  # while it is led along a history that is known

    def current_player(self) -> int:
        """The player to move."""
        return self._player

    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return self._player == TERMINAL

    def is_chance_node(self) -> bool:
        """Whether chance acts next."""
        return self._player == CHANCE

    def legal_actions(self, *players: int) -> list[int]:
        """What a player, by default the one to move, may do; ascending."""
        if players and players[0] != self._player:
            return []  # Nor is a player told what chance can still do.
        if self._player < 0:
            found: list[int] = super().legal_actions()
            return found
        return self.trajectory.legal_list()

    def _legal_actions(self, player: int) -> list[int]:
        return self.trajectory.legal_list()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What chance may do, with the probabilities."""
        if isinstance(self.trajectory, NodeTrajectory):
            return list(self.trajectory.odds().items())
        return CHANCE_OUTCOMES

    def _apply_action(self, action: int) -> None:
        if self._ahead is not None:
            self._player = next(self._ahead)
        else:
            self._player = self.trajectory.take(action, self._player)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == CHANCE:
            return f"{'outcome' if self.trajectory.facts.in_nodes else 'seed'} {action}"
        return self.trajectory.move_text(action) if player == self._player else f"action {action}"

    def returns(self) -> list[float]:
        """What the players have got so far; all of it comes at the end."""
        if self._player != TERMINAL:
            return [0.0] * self.trajectory.facts.players
        return self.trajectory.rewards()

    def __str__(self) -> str:
        trajectory = self.trajectory
        if not trajectory.past:
            return f"{NOT_DEALT}; {trajectory.told_so_far()}"
        position = trajectory.match().position() | {"seed": self._name_of_world()}
        if self._player == CHANCE:
            position["chance"] = trajectory.told_so_far()
        return "\n".join(f"{key} {json.dumps(value)}" for key, value in position.items())

    def _name_of_world(self) -> str:
        trajectory = self.trajectory
        if trajectory.world:
            return f"dealt afresh ({trajectory.world})"
        return "of chance nodes" if trajectory.facts.in_nodes else str(trajectory.seed)

    def match(self) -> Match:
        """A :class:`storeys.Match` that stands where this state does, to look at or to draw.

        >>> import pyspiel, storeys.envs.openspiel
        >>> game = pyspiel.load_game("storeys_manhattan(players=2,chance=root)")
        >>> state = game.new_initial_state()
        >>> for number in (7, 0, 0, 0):
        ...     state.apply_action(number)
        >>> state.match().position() == storeys.new("manhattan", players=2, seed=7).position()
        True
        """
        return self.trajectory.match()

    def resample_from_infostate(
        self, player: int, probability_sampler: Callable[[], float]
    ) -> "SpielState":
        """A state that a player cannot tell from this one, hidden things and future dealt afresh.

        It clones, pickles and plays on like any other; but no seed leads to it, so the first
        numbers of its history are 0, and its history alone does not lead to it.

        >>> import pyspiel, random, storeys.envs.openspiel
        >>> game = pyspiel.load_game("storeys_manhattan(players=2,chance=root)")
        >>> state = game.new_initial_state()
        >>> for number in (7, 0, 0, 0):
        ...     state.apply_action(number)
        >>> world = state.resample_from_infostate(0, random.Random(1).random)
        >>> state.match().position()["hands"]
        [[7, 9, 5, 4], [1, 1, 3, 8]]
        >>> world.match().position()["hands"]
        [[7, 9, 5, 4], [3, 9, 8, 2]]
        """
        if self._player == CHANCE and not self.trajectory.facts.in_nodes:
            unchanged: SpielState = self.clone()
            return unchanged
        rng = chance.generator(int(probability_sampler() * (1 << 53)))
        return self._led_to(self.trajectory.redealt(self.trajectory.facts.check_seat(player), rng))

    def _led_to(self, trajectory: Trajectory) -> "SpielState":
        """A state with this one's history, but 0 for what chance did, and another trajectory."""
        twin: SpielState = self.get_game().new_initial_state()
        trail = self.trajectory.trail
        twin._ahead = iter([*trail[1:], self._player])
        for mover, action in zip(trail, self.history(), strict=True):
            twin.apply_action(0 if mover == CHANCE else action)
        twin._ahead, twin.trajectory, twin._player = None, trajectory, self._player
        return twin


def resampler(seed: int = 0) -> Callable[[SpielState, int], SpielState]:
    """For ``ISMCTSBot.set_resampler``: worlds dealt afresh, the same ones for the same seed.

    >>> import pyspiel, storeys.envs.openspiel
    >>> state = pyspiel.load_game("storeys_manhattan(players=2,chance=root)").new_initial_state()
    >>> for number in (7, 0, 0, 0):
    ...     state.apply_action(number)
    >>> worlds = [storeys.envs.openspiel.resampler(seed=1)(state, 0) for _ in range(2)]
    >>> [world.match().position()["hands"][1] for world in worlds]
    [[9, 3, 7, 9], [9, 3, 7, 9]]
    """
    rng = np.random.default_rng(seed)
    return lambda state, player: state.resample_from_infostate(player, rng.random)


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """A game of ours with its parameters; there is a subclass for each game.

    >>> import pyspiel, storeys.envs.openspiel
    >>> game = pyspiel.load_game("storeys_neoville(players=2,rewards=rank)")
    >>> game.num_distinct_actions(), game.max_game_length(), game.max_utility()
    (694, 96, 1.0)
    """

    name: ClassVar[str]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        kind = get_game(self.name)
        players = given.get("players", kind.default_players)
        options = {
            key: read_parameter(value)
            for key, value in given.items()
            if key not in ("players", "rewards", "components", "chance")
        }
        if given.get("components", OURS) != OURS:
            options["components"] = given["components"]
        settled = kind.settle(players, options).players
        rewards = given.get("rewards", BY_DEFAULT)
        form = reward_form(None if rewards == BY_DEFAULT else rewards, settled)
        in_nodes = read_chance(given.get("chance", IN_NODES))
        self.facts = Facts(self.name, settled, options, form, in_nodes)
        super().__init__(game_type(kind, settled), game_info(self.facts), given)

    def new_initial_state(self, *_: Any) -> SpielState:
        """Before the first number of the seed."""
        return SpielState(self)

    def standing_at(self, match: Match) -> SpielState:
        """A state that stands where a match does, of which nothing earlier is known.

        >>> import pyspiel, storeys, storeys.envs.openspiel
        >>> game = pyspiel.load_game("storeys_manhattan(players=2)")
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> game.standing_at(match).match().position()["hands"]
        [[7, 9, 5, 4], [1, 1, 3, 8]]
        """
        state = self.new_initial_state()
        state._player = TERMINAL if match.to_move is None else match.to_move
        state.trajectory = type(state.trajectory).standing_at(self.facts, match)
        return state

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """An observer: public and own things, with or without the past."""
        usual = pyspiel.IIGObservationType(perfect_recall=False)
        return Observer(self.facts, iig_obs_type or usual, params)

    def max_chance_nodes_in_history(self) -> int:
        """The numbers of the seed, or as many draws as there is room for in every move."""
        if not self.facts.in_nodes:
            return SEED_NODES
        return len(self.facts.left_to_chance) + MOST_TOLD * (self.facts.most_moves + 1)

    def __reduce__(self) -> tuple[Any, ...]:
        return load_game, (str(self),)


def load_game(text: str) -> SpielGame:
    """The game of OpenSpiel's text for it; to find this function, a pickle registers the games.

    >>> from storeys.envs.openspiel import load_game
    >>> print(str(load_game("storeys_cloud_city(players=2,city=3x4)"))[:56] + "…)")
    storeys_cloud_city(chance=nodes,city=3x4,components=ours…)
    """
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
            "chance": IN_NODES,
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
        max_chance_outcomes=max([OUTCOMES, *(len(ways) for _, ways in facts.left_to_chance)]),
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
