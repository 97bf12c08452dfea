"""Train sb3-contrib's MaskablePPO against chance and against what it was some time ago.

    pip install sb3-contrib
    python examples/train_maskable_ppo.py --game manhattan --steps 500_000 --save model.zip

The matches are one vector environment of ours, in a coat that Stable-Baselines3 knows; its
opponents are a pool that grows while it learns, so that self-play needs no wrapper.
"""

import argparse
import io
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

import storeys
from storeys.envs.registration import gymnasium_id

try:
    import gymnasium
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import VecEnv, VecMonitor
except ImportError:
    sys.exit("this example needs sb3-contrib: pip install sb3-contrib")

from storeys.envs.spaces import observation_space
from storeys.envs.vector import VectorMatchEnv

MATCHES, STEPS = 64, 128  # at once, and steps before learning
LOOKS, COUNT = 5, 200  # how often it is measured and joins the pool; matches to measure it by
Array = np.ndarray[Any, np.dtype[Any]]


class Matches(VecEnv):  # type: ignore[misc]  # it need not be installed
    """Our vector environment as Stable-Baselines3 wants it: the vector alone, masks when asked."""

    def __init__(self, game: str, count: int, **options: Any) -> None:
        # A finished match is followed by the next in the same step, as there.
        self.envs = VectorMatchEnv(game, count, autoreset_mode="SameStep", **options)
        space = observation_space(self.envs.game)["observation"]
        super().__init__(count, space, self.envs.single_action_space)

    def reset(self) -> Array:
        """New matches, of the seeds that were asked for."""
        told, _ = self.envs.reset(seed=self._seeds)
        self._reset_seeds()
        return self._seen(told)

    def step_async(self, actions: Array) -> None:
        """Note the actions."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Take them."""
        told, rewards, ended, _, infos = self.envs.step(self._actions)
        each: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for place in np.flatnonzero(ended).tolist():
            each[place]["terminal_observation"] = infos["final_obs"][place]["observation"]
        return self._seen(told), rewards.astype(np.float32), ended, each

    @staticmethod
    def _seen(told: dict[str, Array]) -> Array:
        return told["observation"]

    def env_method(self, method_name: str, *given: Any, indices: Any = None, **named: Any) -> Any:
        """What is asked of all places: the masks."""
        return getattr(self.envs, method_name)(*given, **named)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The same for all places."""
        return [getattr(self.envs, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """The same for all places."""
        setattr(self.envs, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No place is wrapped."""
        return [False] * self.num_envs

    def close(self) -> None:
        """Let the matches go."""
        self.envs.close()


class Snapshot:
    """What a model is now, as an opponent: it answers observations and masks with actions."""

    def __init__(self, model: MaskablePPO) -> None:
        kept = io.BytesIO()
        model.policy.save(kept)
        kept.seek(0)
        self.policy = type(model.policy).load(kept)

    def __call__(self, observations: Array, masks: Array) -> Array:
        """The actions it likes best."""
        chosen: Array = self.policy.predict(observations, action_masks=masks, deterministic=True)[0]
        return chosen


def evaluate(player: Snapshot, game: str, opponent: str) -> tuple[float, float]:
    """In matches against a bot, how often it wins, ties halved, and how many points more it has."""
    envs = gymnasium.make_vec(
        gymnasium_id(game), COUNT, players=2, seat="random", opponents=opponent,
        rewards="difference",
    )  # fmt: skip
    told, _ = envs.reset(seed=0)
    points, running = np.zeros(COUNT), np.ones(COUNT, bool)
    while running.any():
        actions = player(told["observation"], told["action_mask"])
        told, rewards, ended, _, _ = envs.step(actions)
        points += rewards * running
        running &= ~ended
    return float((np.sign(points) + 1).mean() / 2), float(points.mean())


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, and say now and then how it fares."""
    parser = argparse.ArgumentParser(description="Train MaskablePPO.")
    parser.add_argument("--game", default="manhattan", choices=storeys.game_names())
    parser.add_argument("--steps", type=int, default=500_000, help="the agent's moves, in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", help="where to keep the model, a ZIP file")
    chosen = parser.parse_args(arguments)
    pool: dict[Any, float] = {"random": 1}
    matches = Matches(chosen.game, MATCHES, players=2, seat="random", opponents=pool)
    model = MaskablePPO("MlpPolicy", VecMonitor(matches), n_steps=STEPS, seed=chosen.seed)
    print("      steps  wins against random  points")
    for look in range(LOOKS + 1):
        player = Snapshot(model)
        wins, points = evaluate(player, chosen.game, "random")
        print(f"{model.num_timesteps:11,} {wins:20.0%} {points:+7.1f}", flush=True)
        if look == LOOKS:
            break
        pool[player] = 1  # every match that begins from now on may meet it
        model.learn(chosen.steps // LOOKS, reset_num_timesteps=False)
    if chosen.save:
        model.save(chosen.save)


if __name__ == "__main__":
    main()
