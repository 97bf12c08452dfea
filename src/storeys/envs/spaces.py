"""The spaces of observations and actions, as Gymnasium and PettingZoo declare them."""

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from storeys.envs.common import HIGHEST
from storeys.kernel.game import Game

if TYPE_CHECKING:
    DiscreteOfInt64 = spaces.Discrete[np.int64]
    MultiDiscreteOfInt64 = spaces.MultiDiscrete[np.int64]
else:
    DiscreteOfInt64 = spaces.Discrete
    MultiDiscreteOfInt64 = spaces.MultiDiscrete


def observation_space(game: Game, dtype: Any = np.float32) -> spaces.Dict:
    """The vector by the game's planes, and the mask of legal actions."""
    return spaces.Dict(
        {
            "observation": tensor_space(game, dtype),
            "action_mask": spaces.Box(0, 1, (game.actions,), np.int8),
        }
    )


def tensor_space(game: Game, dtype: Any) -> spaces.Box:
    """The vector by the game's planes, of floats or of whole numbers as bytes."""
    highest = 255 if np.dtype(dtype) == np.uint8 else HIGHEST
    return spaces.Box(0, highest, (game.observation_size,), dtype)


def state_space(game: Game, players: int) -> spaces.Box:
    """The vectors of all seats, one below the other."""
    return spaces.Box(0.0, HIGHEST, (players, game.observation_size), np.float32)


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


class ManyActions(MultiDiscreteOfInt64):
    """The actions of many matches; draws by an array of masks at once; equal to a plain space."""

    def __init__(self, actions: int, count: int, seed: int | None = None) -> None:
        super().__init__(np.full(count, actions), seed=seed)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """An action for each match, uniformly; with masks, one of those whose entry is 1.

        Masks are a tuple of arrays, as Gymnasium has it, or one array of count × actions.
        """
        if probability is not None or not isinstance(mask, np.ndarray):
            return super().sample(mask, probability)
        if mask.dtype != np.int8 or mask.shape != (self.nvec.size, self.nvec[0]):
            return super().sample(tuple(mask), None)  # which says what is wrong
        counts = np.count_nonzero(mask, axis=1)
        allowed = np.append(mask.nonzero()[1], 0)
        drawn = (self.np_random.random(counts.size) * counts).astype(np.int64)
        actions = allowed[np.cumsum(counts) - counts + drawn]
        return np.where(counts > 0, actions, 0)


Observation = dict[str, Any]
