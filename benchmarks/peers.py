"""The peers, as far as they are installed: OpenSpiel's C++ games and PettingZoo's classic ones."""

import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from .ours import FROM_PYTHON, PLAYOUTS
from .timing import Contender, Effort, Label, seconds_of

HOW_TO_INSTALL = "run `make bench`, or pip install 'storeys[bench]'"
OPEN_SPIEL = "OpenSpiel"
PETTING_ZOO = "PettingZoo"

# How much work a round does, sized to last about as long as ours.
ROLLOUTS_OF_A_START = {"hearts": 1_000, "oh_hell": 2_000, "backgammon": 20}
GAMES_OF_A_LOOP = {"connect_four_v3": 300, "tictactoe_v3": 800}

STARTS = 20
"""Dealt positions that OpenSpiel plays on from: games of oh_hell differ much with the deal."""
GAMES_FOR_LENGTH = 25
SIMULATIONS = 2
"""The fewest with which every release of the bot can name a best move."""


def contenders(effort: Effort) -> list[Contender]:
    """The games of the peers that are installed; says which are not."""
    found = []
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    for name, (contender, amounts) in WANTED.items():
        try:
            peer = import_module(name)
            found += [contender(peer, game, effort.of(n)) for game, n in amounts.items()]
        except ImportError as error:
            print(f"Left out of the peers ({error}): {HOW_TO_INSTALL}", file=sys.stderr)
    return found


# --- OpenSpiel


def rollouts(pyspiel: ModuleType, name: str, count: int) -> Contender:
    """Random games in C++ from dealt positions; the deal itself is not in the figure.

    The evaluator that plays them cannot be called from Python, so a search of two simulations
    drives it: one evaluates the position itself, the other a position one move later.
    """
    rng = random.Random(1)
    game = pyspiel.load_game(name)
    starts = [dealt(game.new_initial_state(), rng) for _ in range(STARTS)]
    moves = sum(count * (2 * mean_length(start, rng) - 1) for start in starts)
    evaluator = pyspiel.RandomRolloutEvaluator(count, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, SIMULATIONS, 1000, False, 1, False)

    def roll_out() -> None:
        for start in starts:
            bot.step(start)

    def measure() -> tuple[float, float]:
        seconds = seconds_of(roll_out)
        return moves / seconds, STARTS * SIMULATIONS * count / seconds

    label = f"{OPEN_SPIEL} {name}"
    return Contender(PLAYOUTS, (Label(label, "moves/s"), Label(label, "games/s")), measure)


def dealt(state: Any, rng: random.Random) -> Any:
    """The state after all chance that comes before the first decision."""
    while state.is_chance_node():
        apply_chance(state, rng)
    return state


def mean_length(start: Any, rng: random.Random) -> float:
    """The decisions of a random game; dice and deals are not decisions."""
    return statistics.mean(random_length(start.clone(), rng) for _ in range(GAMES_FOR_LENGTH))


def random_length(state: Any, rng: random.Random) -> int:
    """Play a state out; says how many decisions there were."""
    decisions = 0
    while not state.is_terminal():
        if state.is_chance_node():
            apply_chance(state, rng)
        else:
            state.apply_action(rng.choice(state.legal_actions()))
            decisions += 1
    return decisions


def apply_chance(state: Any, rng: random.Random) -> None:
    outcomes, weights = zip(*state.chance_outcomes(), strict=True)
    state.apply_action(rng.choices(outcomes, weights)[0])


# --- PettingZoo


def agent_loop(classic: ModuleType, name: str, games: int) -> Contender:
    """The loop of PettingZoo's own guide with a random policy."""
    env = import_module(f"{classic.__name__}.{name}").env()
    random_steps(env, 0)

    def measure() -> tuple[float, float]:
        start = time.perf_counter()
        steps = sum(random_steps(env, seed) for seed in range(games))
        seconds = time.perf_counter() - start
        return steps / seconds, games / seconds

    label = f"{PETTING_ZOO} {name}"
    return Contender(FROM_PYTHON, (Label(label, "moves/s"), Label(label, "games/s")), measure)


def random_steps(env: Any, seed: int) -> int:
    """Play one game at random; says how many moves it had."""
    env.reset(seed=seed)
    moves = 0
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        env.step(env.action_space(agent).sample(observation["action_mask"]))
        moves += 1
    return moves


WANTED: dict[str, tuple[Callable[[Any, str, int], Contender], dict[str, int]]] = {
    "pyspiel": (rollouts, ROLLOUTS_OF_A_START),
    "pettingzoo.classic": (agent_loop, GAMES_OF_A_LOOP),
}
"""The peers, what is measured of each, and how much of it."""
