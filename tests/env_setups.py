"""The set-ups in which the environments are tested: each game, each number of players, variants."""

from typing import Any

from storeys.registry import game_names, get_game

Setup = dict[str, Any]


def _setups() -> list[tuple[str, Setup]]:
    """Two of each game's variants for every number of players: the plainest and the last."""
    found = []
    for name in game_names():
        variants = get_game(name).variants()
        for players in get_game(name).seats:
            own = [variant for variant in variants if variant["players"] == players]
            found += [(name, {"players": players}), (name, own[len(own) // 2])]
    return found


SETUPS = _setups()


def name_of(value: Any) -> str:
    """A set-up as a test is named."""
    if isinstance(value, str):
        return value
    return "-".join("+".join(v) if isinstance(v, list) else str(v) for v in value.values())
