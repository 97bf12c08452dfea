"""Which games there are: the folders of ``storeys.games`` and the entry points ``storeys.games``.

A game of another package says in its pyproject.toml::

    [project.entry-points."storeys.games"]
    my-game = "my_package.my_game:GAME"

No game is imported before it is asked for.
"""

import functools
import pkgutil
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from storeys import games as built_in
from storeys.kernel.errors import UnknownGame
from storeys.kernel.messages import Message
from storeys.kernel.reading import short

if TYPE_CHECKING:
    from storeys.kernel.game import Game

GROUP = "storeys.games"


def game_names() -> list[str]:
    """The names of all installed games, in alphabetical order.

    >>> import storeys
    >>> storeys.game_names()
    ['cloud-city', 'manhattan', 'neoville']
    """
    return sorted(_found())


def get_game(name: str) -> "Game":
    """The game of a name; ``UnknownGame`` lists the known ones.

    >>> from storeys.registry import get_game
    >>> game = get_game("cloud-city")
    >>> game.title.text("nl"), game.seats, game.actions, game.observation_size
    ('Cloud City', (1, 2, 3, 4), 565, 2875)
    """
    if not isinstance(name, str) or name not in _found():
        raise UnknownGame(
            Message("storeys.unknown-game", found=short(name), known=", ".join(game_names()))
        )
    return _load(name)


@functools.cache
def _load(name: str) -> "Game":
    from storeys.kernel.game import Game  # loads the compiler, which the names do without

    entry = _found()[name]
    try:
        game = entry.load()
    except (ImportError, AttributeError) as error:
        raise UnknownGame(Message("storeys.broken-game", name=name, why=str(error))) from error
    if not isinstance(game, Game) or game.name != name:
        raise UnknownGame(
            Message("storeys.broken-game", name=name, why=f"{entry.value} is not the game {name}")
        )
    return game


@functools.cache
def _found() -> dict[str, EntryPoint]:
    ours = {
        module.name.replace("_", "-"): f"{built_in.__name__}.{module.name}:GAME"
        for module in pkgutil.iter_modules(built_in.__path__)
    }
    found = {entry.name: entry for entry in announced(GROUP)}
    return found | {name: EntryPoint(name, value, GROUP) for name, value in ours.items()}


def announced(group: str) -> Iterable[EntryPoint]:
    """What installed packages announce under a name.

    >>> from storeys.registry import announced
    >>> "storeys" in [entry.name for entry in announced("console_scripts")]
    True
    """
    found: Iterable[EntryPoint] = _all_announced().select(group=group)
    return found


@functools.cache
def _all_announced() -> Any:
    """Looked through once: there may be hundreds of packages."""
    return entry_points()
