"""What a move brings the seat that makes it, at once and in points: pages show it beside moves."""

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from storeys.kernel import entry_points
from storeys.kernel.record import Records

Alike = Callable[[int], Hashable]
"""What is equal for the codes of two moves that bring the same."""


def each_differs(code: int) -> Hashable:
    """No two moves are known to bring the same."""
    return code


def gains_by_pushing(
    states: Records, tables: Records, codes: Sequence[int], alike: Alike = each_differs
) -> list[int]:
    """What each of these legal moves adds to the total of the seat to move: one of a kind is tried.

    >>> import storeys
    >>> from storeys.kernel.gaining import gains_by_pushing
    >>> match = storeys.arena.playouts("cloud-city", 1, players=1, seed=3).match(0).at(7)
    >>> codes = [move.code for move in match.legal_moves]
    >>> gains_by_pushing(match.state(), match.setup.components.tables, codes)
    [3, 2, 1, 1, 1, 0, 0, 0, 0]
    """
    seat, now = int(states["to_move"][0]), _totals(states, tables)
    found: dict[Hashable, int] = {}
    for code in codes:
        if alike(code) not in found:
            after = states.copy()
            entry_points.push(after, tables, code)
            found[alike(code)] = int(_totals(after, tables)[seat] - now[seat])
    return [found[alike(code)] for code in codes]


def _totals(states: Records, tables: Records) -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
    players = int(states["players"][0])
    totals, won = np.zeros(players, np.int32), np.zeros(players, bool)
    entry_points.results(states, tables, totals, won)
    return totals
