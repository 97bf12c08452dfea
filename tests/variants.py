"""The variants of all games, and fewer of them that have everything in them."""

from typing import Any

from storeys.registry import game_names, get_game
from tests.proofs import PROOF

Variant = tuple[str, dict[str, Any]]

ALL: list[Variant] = [
    (name, options) for name in game_names() for options in get_game(name).variants()
]


def settings_of(options: dict[str, Any]) -> set[tuple[str, Any]]:
    """What a variant sets, each thing apart."""
    return {
        (option, one)
        for option, value in options.items()
        for one in (value if isinstance(value, list) else [value])
    }


def enough(name: str) -> list[Variant]:
    """Variants of a game that together have every number of players and every value of an option.

    ``make proof`` takes all of them.
    """
    variants = get_game(name).variants()
    if PROOF:
        return [(name, options) for options in variants]
    chosen, seen = [], set[tuple[str, Any]]()
    for options in sorted(variants, key=lambda options: -len(settings_of(options))):
        if not settings_of(options) <= seen:
            chosen.append((name, options))
            seen |= settings_of(options)
    return chosen


ENOUGH = [variant for name in game_names() for variant in enough(name)]
