"""The planes of observations by their names, without counting where they begin."""

from typing import Any

from storeys.kernel.errors import BadOption
from storeys.kernel.game import Game
from storeys.kernel.messages import Message
from storeys.kernel.reading import short
from storeys.registry import get_game


def plane(game: str | Game, observations: Any, name: str) -> Any:
    """The numbers of one plane of ``game.planes``, in its shape, of one observation or of many.

    ``observations`` is an array or a tensor whose last axis is the observation, or what an
    environment tells, with that under ``"observation"``.  What is given back shares its memory.

    >>> import storeys.envs
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> storeys.envs.plane("manhattan", match.observe(0), "stock") * 11
    array([[11.,  6.,  4.,  3.],
           [11.,  6.,  4.,  3.],
           [11.,  6.,  4.,  3.],
           [11.,  6.,  4.,  3.]], dtype=float32)
    >>> observations, infos = storeys.envs.batch("manhattan", 64, seed=1).reset()
    >>> storeys.envs.plane("manhattan", observations, "stock").shape
    (64, 4, 4)
    """
    kind = game if isinstance(game, Game) else get_game(game)
    seen = observations["observation"] if isinstance(observations, dict) else observations
    if not seen.shape or seen.shape[-1] != kind.observation_size:
        shape = " × ".join(map(str, seen.shape)) or "1"
        raise BadOption(
            Message("storeys.envs.no-observation", n=kind.observation_size, found=shape)
        )
    at = 0
    for each in kind.planes:
        if each.name == name:
            return seen[..., at : at + each.size].reshape(*seen.shape[:-1], *each.shape)
        at += each.size
    known = ", ".join(each.name for each in kind.planes)
    raise BadOption(Message("storeys.envs.unknown-plane", found=short(name), known=known))
