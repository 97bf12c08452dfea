"""storeys: three skyscraper board games, for people and for researchers.

>>> import random, storeys
>>> match, rng = storeys.new("manhattan", players=4, seed=7), random.Random(1)
>>> while match.to_move is not None:
...     match.push(rng.choice(match.legal_moves))
>>> match.winners, [seat["total"] for seat in match.score()]
([3], [49, 49, 37, 57])

The parts that need the compiler are loaded when they are first used.
"""

from typing import TYPE_CHECKING, Any

from storeys.kernel.errors import (
    BadComponents,
    BadOption,
    BadPosition,
    BadRecord,
    IllegalMove,
    NotAMove,
    StoreysError,
    UnknownGame,
)

if TYPE_CHECKING:
    from storeys import arena, raster
    from storeys.bots import bot
    from storeys.match import Match, Move, from_position, load, new
    from storeys.registry import game_names

__version__ = "0.1.0"

__all__ = [
    "BadComponents",
    "BadOption",
    "BadPosition",
    "BadRecord",
    "IllegalMove",
    "Match",
    "Move",
    "NotAMove",
    "StoreysError",
    "UnknownGame",
    "arena",
    "bot",
    "components",
    "from_position",
    "game_names",
    "load",
    "new",
    "raster",
]

_HOMES = {
    "Match": ("storeys.match", "Match"),
    "Move": ("storeys.match", "Move"),
    "arena": ("storeys.arena", None),
    "bot": ("storeys.bots", "bot"),
    "from_position": ("storeys.match", "from_position"),
    "game_names": ("storeys.registry", "game_names"),
    "load": ("storeys.match", "load"),
    "new": ("storeys.match", "new"),
    "raster": ("storeys.raster", None),
}


def __getattr__(name: str) -> Any:
    """Load a part of the front door on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'storeys' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOMES[name]
    found = import_module(module)
    if attribute:
        found = getattr(found, attribute)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})


def components(game: str, path: Any = None) -> dict[str, Any]:
    """The component set of a game as plain JSON, to keep or to change: ours, or one at a path.

    {'storeys': 1, 'count': 11}

    >>> import storeys
    >>> storeys.components("manhattan")["blocks"][0]
    {'storeys': 1, 'count': 11}
    >>> storeys.components("neoville")["utilities"][0]
    {'id': 'bus-parks-1', 'kind': 'bus', 'points': 8, 'needs': ['park'], 'count': 4}
    """
    from copy import deepcopy

    from storeys.registry import get_game

    return deepcopy(get_game(game).load_components(path).content)
