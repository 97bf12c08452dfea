"""A city of a view as it is shown: what lies on its squares, and where another tile may go."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from storeys.kernel.components import ComponentSet
from storeys.kernel.tiles.box import turned_squares
from storeys.kernel.tiles.grid import Fits, free_places_of

Square = tuple[int, int]


@dataclass(frozen=True)
class Ground:
    """A city's squares as its tiles show them, and the tile places around it."""

    squares: dict[Square, Any]
    tiles: list[Square]
    names: list[str]
    """The tiles that lie there, in the same order."""
    free: list[Square]

    def laid(self) -> Iterator[tuple[str, Square]]:
        """The name of each tile and where it lies."""
        return zip(self.names, self.tiles, strict=True)

    @property
    def box(self) -> tuple[int, int, int, int]:
        """First and last tile row, first and last tile column, free places included."""
        rows, cols = zip(*(self.tiles + self.free), strict=True)
        return min(rows), max(rows), min(cols), max(cols)


def ground_of(city: Mapping[str, Any], components: ComponentSet, fits: Fits) -> Ground:
    """What lies where in a city of a view."""
    squares: dict[Square, Any] = {}
    for laid in city["tiles"]:
        tile = components.content["tiles"][components.tile_numbers[laid["tile"]]]
        for nth, square in enumerate(turned_squares(tile, laid["turn"])):
            squares[2 * laid["row"] + nth // 2, 2 * laid["col"] + nth % 2] = square
    tiles = [(laid["row"], laid["col"]) for laid in city["tiles"]]
    names = [laid["tile"] for laid in city["tiles"]]
    return Ground(squares, tiles, names, free_places_of(tiles, fits))


def never_fits(rows: int, cols: int) -> bool:
    """For a city that is only looked at: nothing is to be laid."""
    return False
