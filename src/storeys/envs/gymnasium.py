"""A match as a Gymnasium environment: one seat is the agent's, bots play the others."""

from typing import Any

import numpy as np

from storeys.bots import Bot
from storeys.envs.common import (
    OneMatch,
    Seeds,
    derived_seed,
    missing,
    penalty,
    read_action,
    reward_form,
    start,
)
from storeys.envs.opponents import (
    AT_RANDOM,
    Opponents,
    Player,
    ask_policy,
    plan_of,
    read_opponents,
    read_seat,
    seat_of,
    seat_opponents,
)
from storeys.envs.planes import plane
from storeys.envs.rendering import FRAMES_A_SECOND, RENDER_MODES, Pixels, check_render_mode, render
from storeys.kernel import chance, verbs
from storeys.kernel.compiling import jit_when_it_pays
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.record import IntArray, Records
from storeys.registry import get_game

try:
    import gymnasium
except ImportError:
    raise missing("gymnasium", "gymnasium") from None

from storeys.envs.spaces import Observation, action_space, observation_space


@jit_when_it_pays
def play_at_random(
    states: Records, tables: Records, at_random: IntArray, rng: IntArray, log: IntArray
) -> int:
    """Let the seats that play at random move; how many moves there were, and their codes."""
    made = 0
    while made < log.size and states[0].to_move >= 0 and at_random[states[0].to_move]:
        action = verbs.sample(states[0], tables[0], rng)
        log[made] = verbs.decode(states[0], tables[0], action)
        verbs.apply(states[0], tables[0], action)
        made += 1
    return made


class MatchEnv(OneMatch, gymnasium.Env[Observation, Any]):
    """One seat of a match; made by ``gymnasium.make("storeys/Manhattan-v0", **options)``.

    ``seat`` is the agent's (a number, or "random": another at every reset).  ``opponents`` is one
    for all other seats, or a list with one for each, clockwise from the agent's: the name of a
    bot, a bot, a policy (called with observations and masks, a row each; answers actions), or a
    pool, a mapping of these to weights from which every match draws.  Bots get views.  An illegal
    action ends the match and is paid with ``illegal_reward``.

    >>> import gymnasium, storeys.envs
    >>> env = gymnasium.make("storeys/Manhattan-v0", players=2, opponents="random")
    >>> told, info = env.reset(seed=7)
    >>> over = False
    >>> while not over:
    ...     told, reward, over, cut_off, info = env.step(int(told["action_mask"].argmax()))
    >>> info["scores"], info["winners"], reward
    ([93, 143], [1], -1.0)
    """

    metadata = {  # noqa: RUF012 — Gymnasium declares it so
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_A_SECOND,
    }

    def __init__(
        self,
        game: str,
        players: int | None = None,
        seat: int | str = 0,
        opponents: Opponents = "builder",
        rewards: str | None = None,
        illegal_reward: float | None = None,
        render_mode: str | None = None,
        seed: int | str | None = None,
        **options: Any,
    ) -> None:
        self.game = get_game(game)
        self.players, self.options = self.game.settle(players, options).players, options
        self.render_mode = check_render_mode(render_mode)
        self.observation_space = observation_space(self.game)
        self._seeds = Seeds(seed)
        self.action_space = action_space(self.game, self._seeds.small("actions"))
        self._chosen_seat = read_seat(seat, self.players)
        self._opponents = read_opponents(opponents, self.players)
        self._form = reward_form(rewards, self.players)
        self._penalty = penalty(illegal_reward, self._form)
        self._over = True

    # --- Gymnasium's calls

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a match and let the others play up to the agent's first turn."""
        super().reset(seed=seed)
        number = self._seeds.take(seed)
        self._play = start(self.game, self.players, self.options, number)
        self._over = False
        self.seat = seat_of(self._chosen_seat, self.players, number)
        self._seat_opponents(number)
        self._let_others_play()
        self._show_people()
        return self._tell()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action, and let the others play up to the agent's next turn."""
        if self._over:
            raise StoreysError(Message("storeys.envs.over"))
        number = read_action(action)
        if not self.play.is_legal(number):
            self._over = True
            seen, info = self._tell(illegal=True)
            return seen, self._penalty, True, False, info
        self.play.act(number)
        self._let_others_play()
        self._over = self.play.to_move < 0
        reward = self.play.rewards(self._form)[self.seat] if self._over else 0.0
        self._show_people()
        seen, info = self._tell()
        return seen, reward, self._over, False, info

    def render(self) -> Any:
        """What the agent's seat sees, in the chosen way."""
        return self._picture() if self.render_mode is not None else None

    # --- besides

    def action_masks(self) -> Any:
        """1 for every legal action, under the name that masked policies look for.

        >>> import gymnasium, storeys.envs
        >>> env = gymnasium.make("storeys/Neoville-v0", players=1)
        >>> told, info = env.reset(seed=7)
        >>> env.unwrapped.action_masks().sum()
        np.int64(12)
        """
        return self._tell()[0]["action_mask"].astype(bool)

    def plane(self, observations: Any, name: str) -> Any:
        """The numbers of one plane in an observation, in the plane's shape; a view, not a copy.

        >>> import gymnasium, storeys.envs
        >>> env = gymnasium.make("storeys/Manhattan-v0", players=2, opponents="random")
        >>> told, info = env.reset(seed=7)
        >>> env.unwrapped.plane(told, "stock").shape
        (4, 4)
        """
        return plane(self.game, observations, name)

    # --- the others

    @property
    def opponents(self) -> dict[int, Player]:
        """Who plays the other seats in this match, by seat: drawn from a pool, if there is one.

        >>> import gymnasium, storeys.envs
        >>> pool = {"random": 1, "novice": 1}
        >>> env = gymnasium.make("storeys/Manhattan-v0", players=2, opponents=pool).unwrapped
        >>> for seed in (5, 6, 7):
        ...     told, info = env.reset(seed=seed)
        ...     print(getattr(env.opponents[1], "name", "random"))
        random
        novice
        random
        """
        return self._others.copy()

    def _seat_opponents(self, seed: int) -> None:
        """Put the opponents on their seats; those at random are played by compiled code."""
        self._others = seat_opponents(self._opponents, self.seat, seed)
        self._at_random = np.zeros(self.players, np.int8)
        self._at_random[[at for at, who in self._others.items() if who == AT_RANDOM]] = 1
        self._rng = chance.generator(derived_seed(seed, AT_RANDOM))

    def _let_others_play(self) -> None:
        play = self.play
        while play.to_move not in (self.seat, -1):
            player = self._others[play.to_move]
            if isinstance(player, str):
                play.follow_compiled(play_at_random, self._at_random, self._rng)
            elif isinstance(player, Bot):
                play.follow(plan_of(player, play))
            else:
                seen, mask = play.look(play.to_move)
                play.act(int(ask_policy(player, seen[None], mask[None])[0]))

    # --- what the agent is told

    def _tell(self, illegal: bool = False) -> tuple[Observation, dict[str, Any]]:
        """The observation, and what else is to be known; at the end, how it went."""
        seen, mask = self.play.look(self.seat)
        if self._over:
            mask[:] = 0
        info: dict[str, Any] = {"seat": self.seat, "illegal": illegal, "action_mask": mask.copy()}
        if self.play.to_move < 0:
            info["scores"], info["winners"] = self.play.results()
        return {"observation": seen, "action_mask": mask}, info

    def _picture(self) -> str | Pixels | None:
        assert self.render_mode is not None
        return render(self.play.open(), self.seat, self.render_mode)

    def _show_people(self) -> None:
        if self.render_mode == "human":
            self.render()
