"""A match as a PettingZoo environment: AEC, wrapped as PettingZoo's classic games are.

The agents are ``seat_0``, ``seat_1``, …; whose turn it is follows from the rules.
"""

import copy
from typing import Any

import numpy as np

from storeys.envs.common import (
    OneMatch,
    Seeds,
    Tensor,
    missing,
    penalty,
    read_action,
    reward_form,
    start,
)
from storeys.envs.registration import VERSION, plain_name
from storeys.envs.rendering import FRAMES_A_SECOND, RENDER_MODES, Pixels, check_render_mode, render
from storeys.registry import get_game

try:
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel
except ImportError:
    raise missing("pettingzoo", "pettingzoo") from None

from storeys.envs.spaces import Observation, action_space, observation_space, state_space


class RawEnv(OneMatch, AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A match without PettingZoo's wrappers: quicker, and an illegal action raises an error.

    >>> from storeys.envs import pettingzoo_env
    >>> env = pettingzoo_env("cloud-city", players=2, raw=True)
    >>> env.reset(seed=7)
    >>> env.agents, env.agent_selection
    (['seat_0', 'seat_1'], 'seat_0')
    >>> env.observe("seat_0")["action_mask"].sum(), env.observe("seat_1")["action_mask"].sum()
    (np.int64(40), np.int64(0))
    """

    def __init__(
        self,
        game: str,
        players: int | None = None,
        seed: int | str | None = None,
        rewards: str | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.game = get_game(game)
        setup = self.game.settle(players, options)
        self.players, self.options = setup.players, options
        self.render_mode = check_render_mode(render_mode)
        self.possible_agents = [f"seat_{seat}" for seat in range(self.players)]
        self.observation_spaces = {
            agent: observation_space(self.game) for agent in self.possible_agents
        }
        self._seeds = Seeds(seed)
        self.action_spaces = {
            agent: action_space(self.game, self._seeds.small(agent))
            for agent in self.possible_agents
        }
        self.metadata = {
            "name": f"{plain_name(game)}_v{VERSION}",
            "render_modes": list(RENDER_MODES),
            "render_fps": FRAMES_A_SECOND,
            "is_parallelizable": False,  # PettingZoo's word for agents that act in cycles
        }
        self.state_space = state_space(self.game, self.players)
        self._form = reward_form(rewards, self.players)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a match: that of the seed, or the next one of the environment's own."""
        self._play = start(self.game, self.players, self.options, self._seeds.take(seed))
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._play.to_move]
        self._skip_agent_selection = None
        self._show_people()

    def observe(self, agent: str) -> Observation:
        """What an agent sees, and its mask, which is all 0 while another one is to move."""
        seen, mask = self.play.look(self._seats[agent])
        return {"observation": seen, "action_mask": mask}

    def state(self) -> Tensor:
        """What all seats see together, players × observation size: a row for each, seat 0 first.

        So it holds every hand and everything on the table, but no draw to come: nobody knows those.

        >>> from storeys.envs import pettingzoo_env, plane
        >>> env = pettingzoo_env("manhattan", players=2)
        >>> env.reset(seed=7)
        >>> env.state().shape, env.state() in env.state_space
        ((2, 538), True)
        >>> plane("manhattan", env.state(), "hand").argmax(axis=2) + 1  # the cards of both
        array([[7, 9, 5, 4],
               [1, 1, 3, 8]])
        """
        return np.stack([self.play.look(seat)[0] for seat in range(self.players)])

    def step(self, action: int | None) -> None:
        """Carry out the action of the agent to move."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        to_move = self.play.act(read_action(action))
        # Until the end all rewards are 0, and stay so.
        if to_move < 0:
            self._pay()
        else:
            self.agent_selection = self.possible_agents[to_move]
        self._show_people()

    def _pay(self) -> None:
        self.rewards = dict(zip(self.agents, self.play.rewards(self._form), strict=True))
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, True)

    def render(self) -> str | Pixels | None:
        """What a spectator sees, in the chosen way."""
        if self.render_mode is None:
            return None
        return render(self.play.open(), None, self.render_mode)

    def close(self) -> None:
        """Nothing is open."""

    def _show_people(self) -> None:
        if self.render_mode == "human":
            self.render()

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions."""
        return self.action_spaces[agent]


class Direct(wrappers.BaseWrapper):  # type: ignore[misc]  # PettingZoo has no types
    """Reads what a wrapper passes on straight from the match inside.

    PettingZoo's wrappers ask each other for every attribute, forty times a step.
    """

    def __init__(self, env: AECEnv, *arguments: Any) -> None:
        super().__init__(env, *arguments)
        self._bare = env.unwrapped

    agents = property(lambda self: self._bare.agents)
    agent_selection = property(lambda self: self._bare.agent_selection)
    terminations = property(lambda self: self._bare.terminations)
    truncations = property(lambda self: self._bare.truncations)
    rewards = property(lambda self: self._bare.rewards)
    infos = property(lambda self: self._bare.infos)
    _cumulative_rewards = property(lambda self: self._bare._cumulative_rewards)

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions."""
        return self._bare.action_spaces[agent]


class TerminateIllegal(Direct, wrappers.TerminateIllegalWrapper):  # type: ignore[misc]  # PettingZoo has no types
    """PettingZoo's wrapper that ends a match at an illegal action."""


class AssertOutOfBounds(Direct, wrappers.AssertOutOfBoundsWrapper):  # type: ignore[misc]  # PettingZoo has no types
    """PettingZoo's wrapper that refuses what is no action at all."""


class OrderEnforcing(Direct, wrappers.OrderEnforcingWrapper):  # type: ignore[misc]  # PettingZoo has no types
    """PettingZoo's wrapper that wants a reset first, with a clone that keeps the wrappers."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a match: that of the seed, or the next one of the environment's own."""
        super().reset(seed, options)

    def clone(self) -> "OrderEnforcing":
        """An independent copy, wrappers and random state included."""
        return copy.deepcopy(self)

    def __str__(self) -> str:
        return str(self.env)


def pettingzoo_env(
    game: str,
    players: int | None = None,
    seed: int | str | None = None,
    rewards: str | None = None,
    render_mode: str | None = None,
    parallel: bool = False,
    illegal_reward: float | None = None,
    raw: bool = False,
    **options: Any,
) -> Any:
    """A game as a PettingZoo environment.

    ``rewards`` is "win", "rank" or "difference"; ``illegal_reward`` is what an illegal action is
    paid with when PettingZoo's wrapper ends the match.  With ``parallel`` the environment goes
    through PettingZoo's conversion for games of turns; with ``raw`` it has no wrappers.

    >>> import storeys.envs
    >>> env = storeys.envs.pettingzoo_env("manhattan", players=3, tiebreak="towers")
    >>> env.reset(seed=7)
    >>> for agent in env.agent_iter():
    ...     told, reward, ended, cut_off, info = env.last()
    ...     env.step(None if ended else int(told["action_mask"].argmax()))
    >>> env.unwrapped.record()["length"], env.agents
    (90, [])
    """
    bare = RawEnv(game, players, seed, rewards, render_mode, **options)
    env: AECEnv = bare
    if not raw:
        cost = penalty(illegal_reward, reward_form(rewards, bare.players))
        env = OrderEnforcing(AssertOutOfBounds(TerminateIllegal(bare, cost)))
    return turn_based_aec_to_parallel(env) if parallel else env
