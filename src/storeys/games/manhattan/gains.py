"""What each legal move of Manhattan brings at once: points come only when a round ends.

A page asks this of a server whose rules are not compiled, so boards are plain lists here.
"""

from collections.abc import Sequence

from storeys.games.manhattan.moves import (
    BUILD_MOVE,
    CELL,
    CITY,
    COLOUR,
    FORFEIT_MOVE,
    KIND,
    SIZE,
    seat_of_colour,
)
from storeys.games.manhattan.scoring import CITY_POINTS, TALLEST_POINTS, TOWER_POINTS
from storeys.games.manhattan.state import BUILD, CELLS, COLOURS, SITES
from storeys.kernel.components import ComponentSet
from storeys.kernel.moves import part
from storeys.kernel.record import Records


def gains(states: Records, components: ComponentSet, codes: Sequence[int]) -> list[int]:
    """M-10: only who gives the last picked block away sees the round scored."""
    if states["phase"][0] != BUILD or states["picked"][0].sum() > 1:
        return [0] * len(codes)
    players, seat = int(states["players"][0]), int(states["to_move"][0])
    own = [c for c in range(len(COLOURS)) if seat_of_colour(players, c) == seat]
    owners, heights = states["owner"][0].tolist(), states["height"][0].tolist()
    return [_gain(code, owners, heights, own) for code in codes]


def _gain(code: int, owners: list[int], heights: list[int], own: list[int]) -> int:
    """What the scoring after a move brings these colours; a hand exchanged ends no round."""
    if part(code, KIND) == FORFEIT_MOVE:
        return round_points(owners, heights, own)
    if part(code, KIND) != BUILD_MOVE:
        return 0
    site = part(code, CITY) * CELLS + part(code, CELL)
    owners, heights = owners.copy(), heights.copy()
    owners[site] = part(code, COLOUR)
    heights[site] += part(code, SIZE) + 1
    return round_points(owners, heights, own)


def round_points(owners: list[int], heights: list[int], own: list[int]) -> int:
    """M-16 to M-18: what a round brings some colours together."""
    points, highest = 0, max(heights)
    if heights.count(highest) == 1 and owners[heights.index(highest)] in own:
        points += TALLEST_POINTS
    for first in range(0, SITES, CELLS):
        city = owners[first : first + CELLS]
        counts = [city.count(colour) for colour in range(len(COLOURS))]
        points += TOWER_POINTS * sum(counts[colour] for colour in own)
        if counts.count(max(counts)) == 1 and counts.index(max(counts)) in own:
            points += CITY_POINTS
    return points
