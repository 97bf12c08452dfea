"""The spaces of observations and actions, as Gymnasium and PettingZoo declare them."""

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from storeys.envs.common import HIGHEST
from storeys.kernel.game import Game

if TYPE_CHECKING:
    DiscreteOfInt64 = spaces.Discrete[np.int64]
else:
    DiscreteOfInt64 = spaces.Discrete


def observation_space(game: Game) -> spaces.Dict:
    """The vector by the game's planes, and the mask of legal actions."""
    return spaces.Dict(
        {
            "observation": tensor_space(game, np.float32),
            "action_mask": spaces.Box(0, 1, (game.actions,), np.int8),
        }
    )


def tensor_space(game: Game, dtype: Any) -> spaces.Box:
    """The vector by the game's planes, of floats or of whole numbers as bytes."""
    highest = 255 if np.dtype(dtype) == np.uint8 else HIGHEST
    return spaces.Box(0, highest, (game.observation_size,), dtype)


def action_space(game: Game, seed: int | None = None) -> "Actions":
    """The game's actions; what is drawn from them follows from the seed, if there is one."""
    return Actions(game.actions, seed)


class Actions(DiscreteOfInt64):
    """A discrete space that draws by a mask in a fraction of the time; equal to a plain one."""

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """An action, uniformly; with a mask, one of those whose entry is 1."""
        plain = mask is None or probability is not None
        if plain or mask.dtype != np.int8 or mask.shape != (self.n,):
            return super().sample(mask, probability)
        allowed = mask.nonzero()[0]
        if not allowed.size:
            return self.start
        drawn: np.int64 = allowed[int(self.np_random.random() * allowed.size)]
        return drawn

    def contains(self, x: Any) -> bool:
        """Whether something is an action."""
        if isinstance(x, np.int64) or type(x) is int:
            return bool(0 <= x < self.n)
        return super().contains(x)


Observation = dict[str, Any]
