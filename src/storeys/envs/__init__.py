"""The games in the tools of researchers: PettingZoo, Gymnasium, OpenSpiel, and batches.

>>> import gymnasium, pyspiel, storeys.envs, storeys.envs.openspiel
>>> print(storeys.envs.pettingzoo_env("manhattan", players=3))
storeys_manhattan_v0
>>> storeys.envs.batch("manhattan", 64)
<batch of 64 games of manhattan, 4 players>
>>> gymnasium.make("storeys/Manhattan-v0", opponents="novice").observation_space["action_mask"]
Box(0, 1, (320,), int8)
>>> gymnasium.make_vec("storeys/Manhattan-v0", 64, opponents="random")
VectorMatchEnv(storeys/Manhattan-v0, num_envs=64)
>>> print(pyspiel.load_game("storeys_manhattan(players=3)"))
storeys_manhattan(chance=nodes,components=ours,players=3,rewards=auto,rounds=auto,tiebreak=shared)

Importing this package registers the Gymnasium environments if Gymnasium is installed.  The other
libraries, and the compiler, are loaded by what needs them.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from storeys.envs.registration import register_with_gymnasium

if TYPE_CHECKING:
    from storeys.envs.batch import batch as batch
    from storeys.envs.pettingzoo import pettingzoo_env
    from storeys.envs.planes import plane

__all__ = ["batch", "pettingzoo_env", "plane"]

_HOMES = {
    "batch": "storeys.envs.batch",
    "pettingzoo_env": "storeys.envs.pettingzoo",
    "plane": "storeys.envs.planes",
}


class _Room(ModuleType):
    """This package.  ``batch`` is its function, whoever imports the module of that name first."""

    def __setattr__(self, name: str, value: Any) -> None:
        named_alike = name in _HOMES and isinstance(value, ModuleType)
        super().__setattr__(name, getattr(value, name) if named_alike else value)


def __getattr__(name: str) -> Any:
    """Load a function on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


sys.modules[__name__].__class__ = _Room
register_with_gymnasium()
