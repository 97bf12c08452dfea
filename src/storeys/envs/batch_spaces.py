"""What a batch is in Gymnasium's words, for whom that is installed."""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

from storeys.envs.common import missing
from storeys.envs.tensors import Observations
from storeys.kernel.game import Game

SAME_STEP = "SameStep"
"""The value of Gymnasium's ``AutoresetMode.SAME_STEP``."""


class Spaces(ABC):
    """The spaces of many games that are stepped at once, and how one follows another."""

    game: Game
    num_envs: int

    @property
    @abstractmethod
    def observations(self) -> Observations:
        """What the seats to move see."""

    @property
    def metadata(self) -> dict[str, Any]:
        """How games are followed by the next: Gymnasium's word for it, if that is installed.

        >>> import storeys.envs
        >>> storeys.envs.batch("manhattan", 3).metadata["autoreset_mode"].value
        'SameStep'
        """
        try:
            from gymnasium.vector import AutoresetMode
        except ImportError:
            return {"autoreset_mode": SAME_STEP}
        return {"autoreset_mode": AutoresetMode(SAME_STEP)}

    @cached_property
    def single_observation_space(self) -> Any:
        """The space of what one seat sees; needs Gymnasium.

        >>> import storeys.envs
        >>> storeys.envs.batch("manhattan", 3).single_observation_space
        Box(0.0, 16.0, (538,), float32)
        """
        return _spaces().tensor_space(self.game, self.observations.dtype)

    @cached_property
    def single_action_space(self) -> Any:
        """The space of one seat's actions; needs Gymnasium.

        >>> import storeys.envs
        >>> storeys.envs.batch("manhattan", 3).single_action_space
        Discrete(320)
        """
        return _spaces().action_space(self.game)

    @cached_property
    def observation_space(self) -> Any:
        """The space of all observations; needs Gymnasium.

        >>> import storeys.envs
        >>> storeys.envs.batch("manhattan", 3).observation_space
        Box(0.0, 16.0, (3, 538), float32)
        """
        return _batched(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> Any:
        """The space of all actions; needs Gymnasium.

        >>> import storeys.envs
        >>> storeys.envs.batch("manhattan", 3).action_space
        MultiDiscrete([320 320 320])
        """
        return _batched(self.single_action_space, self.num_envs)


def _spaces() -> Any:
    try:
        from storeys.envs import spaces
    except ImportError:
        raise missing("gymnasium", "gymnasium") from None
    return spaces


def _batched(space: Any, count: int) -> Any:
    from gymnasium.vector.utils import batch_space

    return batch_space(space, count)
