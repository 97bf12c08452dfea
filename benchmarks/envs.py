"""What the environments do in a second, beside the libraries' own games."""

import random
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import storeys

from .peers import OPEN_SPIEL, PETTING_ZOO, random_steps
from .timing import Contender, Effort, Figure, Label, ratios_of

ENVS = "Environments, with random actions from Python"
MATCHES = 300
DOMINOES, EMPTY = "python_block_dominoes", "an empty Python game"
MATCHES_OF_PEERS = {DOMINOES: 1_000, EMPTY: 300}
PLAIN = ", plain wrappers and space"
PLACES, STEPS = 64, 50  # of vector environments, and the steps of one round
CONNECT_FOUR = f"{PETTING_ZOO} connect_four_v3"


def contenders(effort: Effort) -> list[Contender]:
    """The adapters that can be opened here; the peers say what is missing."""
    found: list[Contender] = []
    for library, make in (
        ("pettingzoo", in_petting_zoo),
        ("gymnasium", in_gymnasium),
        ("pyspiel", in_open_spiel),
    ):
        try:
            import_module(library)
        except ImportError:
            continue
        found += make(effort)
    return found


def loop(name: str, play: Callable[[int], int], matches: int) -> Contender:
    """Whole matches one after the other; ``play`` says how many actions one had."""
    play(0)  # loads or compiles the rules

    def measure() -> tuple[float]:
        start = time.perf_counter()
        actions = sum(play(seed) for seed in range(matches))
        return (actions / (time.perf_counter() - start),)

    return Contender(ENVS, (Label(name, "actions/s"),), measure)


# --- PettingZoo and Gymnasium


def in_petting_zoo(effort: Effort) -> list[Contender]:
    """The loop in which PettingZoo's classic games are measured.

    Ours come in subclasses of the same wrappers that read attributes directly, with an action
    space that draws more quickly; beside it stands what the unchanged wrappers and space leave.
    """
    make = import_module("storeys.envs").pettingzoo_env
    found = []
    for game in storeys.game_names():
        for what, env in (
            ("", make(game)),
            (PLAIN, plainly_wrapped(make(game, raw=True))),
            (", raw", make(game, raw=True)),
        ):
            found.append(loop(petting_zoo_name(game) + what, stepper(env), effort.of(MATCHES)))
    return found


def plainly_wrapped(env: Any) -> Any:
    """An environment in exactly what connect_four comes in."""
    from gymnasium.spaces import Discrete
    from pettingzoo.utils import wrappers

    env.action_spaces = {agent: Discrete(env.game.actions) for agent in env.possible_agents}
    inner = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(inner))


def petting_zoo_name(game: str) -> str:
    return f"{game} in {PETTING_ZOO}"


def plain_name(game: str) -> str:
    return petting_zoo_name(game) + PLAIN


def stepper(env: Any) -> Callable[[int], int]:
    return lambda seed: random_steps(env, seed)


def in_gymnasium(effort: Effort) -> list[Contender]:
    """The agent's own actions against bots that play at random, and against builders.

    Then many matches at once: ours, and Gymnasium's own loop over single environments.
    """
    import gymnasium

    from storeys.envs.registration import gymnasium_id

    return [
        loop(
            f"{game} in Gymnasium, against {opponents}",
            agent(gymnasium.make(gymnasium_id(game), opponents=opponents)),
            effort.of(matches),
        )
        for game in storeys.game_names()
        for opponents, matches in (("random", MATCHES), ("builder", 3))
    ] + [
        loop(
            f"{PLACES} of {game} in Gymnasium, {how}",
            agents(
                gymnasium.make_vec(
                    gymnasium_id(game), PLACES, vectorization_mode=mode, opponents="random"
                )
            ),
            effort.of(rounds),
        )
        for game in storeys.game_names()
        for how, mode, rounds in (
            ("our vector environment", "vector_entry_point", 40),
            ("its own loop", "sync", 4),
        )
    ]


def agents(envs: Any) -> Callable[[int], int]:
    from storeys.envs.spaces import ManyActions

    space = ManyActions(int(envs.single_action_space.n), envs.num_envs)

    def play(seed: int) -> int:
        told, _ = envs.reset(seed=seed)
        for _ in range(STEPS):
            told, *_ = envs.step(space.sample(told["action_mask"]))
        return STEPS * int(envs.num_envs)

    return play


def agent(env: Any) -> Callable[[int], int]:
    def play(seed: int) -> int:
        told, _ = env.reset(seed=seed)
        actions, over = 0, False
        while not over:
            told, _, over, _, _ = env.step(env.action_space.sample(told["action_mask"]))
            actions += 1
        return actions

    return play


# --- OpenSpiel


def in_open_spiel(effort: Effort) -> list[Contender]:
    """``legal_actions`` and ``apply_action``, chance included; Python's games on both sides."""
    import pyspiel

    import_module("open_spiel.python.games.block_dominoes")
    import_module("storeys.envs.openspiel")
    theirs = {DOMINOES: pyspiel.load_game(DOMINOES), EMPTY: empty_game()}
    peers = [
        loop(f"{OPEN_SPIEL} {name}", playout(game), effort.of(MATCHES_OF_PEERS[name]))
        for name, game in theirs.items()
    ]
    ours = [
        loop(name, playout(pyspiel.load_game(text)), effort.of(MATCHES))
        for game in storeys.game_names()
        for where, name in (
            ("root", open_spiel_name(game)),
            ("nodes", f"{open_spiel_name(game)}, chance in nodes"),
        )
        for text in (f"storeys_{game.replace('-', '_')}(chance={where})",)
    ]
    return [*peers, *ours]


def open_spiel_name(game: str) -> str:
    return f"{game} in {OPEN_SPIEL}"


def playout(game: Any) -> Callable[[int], int]:
    def play(seed: int) -> int:
        rng, state, actions = random.Random(seed), game.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            actions += 1
        return actions

    return play


def empty_game() -> Any:
    """A game of two players, 100 moves and always the same 50 actions: what OpenSpiel takes."""
    import pyspiel

    types = pyspiel.GameType
    kind = types(
        short_name="python_empty",
        long_name="Empty",
        dynamics=types.Dynamics.SEQUENTIAL,
        chance_mode=types.ChanceMode.DETERMINISTIC,
        information=types.Information.PERFECT_INFORMATION,
        utility=types.Utility.ZERO_SUM,
        reward_model=types.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
    )
    info = pyspiel.GameInfo(
        num_distinct_actions=50,
        max_chance_outcomes=0,
        num_players=2,
        min_utility=0,
        max_utility=0,
        utility_sum=0.0,
        max_game_length=100,
    )
    every = list(range(50))

    class EmptyState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
        """Counts the moves."""

        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.made = 0

        def current_player(self) -> int:
            """The two in turn."""
            return self.made % 2 if self.made < 100 else int(pyspiel.PlayerId.TERMINAL)

        def is_terminal(self) -> bool:
            """After 100 moves."""
            return self.made == 100

        def _legal_actions(self, player: int) -> list[int]:
            return every

        def _apply_action(self, action: int) -> None:
            self.made += 1

    class EmptyGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
        """Nothing but moves."""

        def new_initial_state(self) -> EmptyState:
            """No moves yet."""
            return EmptyState(self)

    return EmptyGame(kind, info, {})


# --- ratios


def ratios(section: str, found: dict[Label, Figure]) -> list[Figure]:
    """Ours beside theirs, as far as they were measured."""
    peers = (
        (petting_zoo_name, Label(CONNECT_FOUR, "moves/s"), "connect_four_v3"),
        (plain_name, Label(CONNECT_FOUR, "moves/s"), "connect_four_v3"),
        (open_spiel_name, Label(f"{OPEN_SPIEL} {DOMINOES}", "actions/s"), DOMINOES),
        (open_spiel_name, Label(f"{OPEN_SPIEL} {EMPTY}", "actions/s"), EMPTY),
    )
    pairs = [
        (f"{ours(game)} ÷ {name}", Label(ours(game), "actions/s"), theirs)
        for game in storeys.game_names()
        for ours, theirs, name in peers
    ]
    return ratios_of(section, pairs, found)
