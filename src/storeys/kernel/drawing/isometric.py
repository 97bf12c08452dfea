"""A city seen from the air at an angle: where its squares come to lie, and how solids look.

Rows grow towards the lower left, columns towards the lower right; ``turn`` walks the looker around
the city by quarter turns.  A solid looks the same from all four sides, so it is drawn once, around
the centre of its base.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from storeys.kernel.drawing.svg import number, polygon
from storeys.kernel.drawing.themes import darker, lighter

ACROSS, DOWN, STOREY = 26.0, 15.0, 13.0
"""From a square to the next one across and down the picture; and the height of a storey."""
Point = tuple[float, float]


@dataclass(frozen=True)
class Isometric:
    """The projection of so many rows and columns of squares, with room for so many storeys."""

    rows: int
    cols: int
    turn: int = 0
    storeys: float = 0

    @property
    def width(self) -> float:
        """How wide the picture of the ground is."""
        return (self.rows + self.cols) * ACROSS

    @property
    def height(self) -> float:
        """How high the picture is, what stands on the ground included."""
        return (self.rows + self.cols) * DOWN + self.storeys * STOREY

    def turned(self, row: float, col: float) -> Point:
        """Row and column as the looker counts them."""
        for _ in range(self.turn % 4):
            row, col = col, -row
        return row, col

    def point(self, row: float, col: float, storeys: float = 0) -> Point:
        """Where a point of the city is in the picture."""
        middle_row, middle_col = row - self.rows / 2, col - self.cols / 2
        r, c = self.turned(middle_row, middle_col)
        x = (c - r) * ACROSS + self.width / 2
        y = (c + r) * DOWN + (self.rows + self.cols) * DOWN / 2 + (self.storeys - storeys) * STOREY
        return x, y

    def depth(self, row: float, col: float) -> float:
        """What is deeper is drawn later."""
        r, c = self.turned(row, col)
        return r + c

    def ground(self, side: float) -> str:
        """The transform that lays a plan, with squares of this side, on the ground."""
        (x0, y0), (x1, y1), (x2, y2) = self.point(0, 0), self.point(0, 1), self.point(1, 0)
        parts = [(x1 - x0) / side, (y1 - y0) / side, (x2 - x0) / side, (y2 - y0) / side, x0, y0]
        return f"matrix({' '.join(f'{part:.4g}' for part in parts)})"


# --- solids, around the centre of their base


def corners(half: float, storeys: float) -> dict[str, Point]:
    """The corners of a square slab of half a side (in squares) at a height."""
    x, y, z = 2 * half * ACROSS, 2 * half * DOWN, storeys * STOREY
    return {"n": (0, -y - z), "e": (x, -z), "s": (0, y - z), "w": (-x, -z)}


def prism(half: float, low: float, high: float, colour: str, roof: str | None = None) -> str:
    """A tower from one height to another: two walls in different light, and a roof."""
    top, base = corners(half, high), corners(half, low)
    line = f'stroke="{darker(colour, 0.5)}" stroke-width="0.6" stroke-linejoin="round"'
    left = polygon([top["w"], top["s"], base["s"], base["w"]], f'fill="{colour}" {line}')
    right = polygon([top["s"], top["e"], base["e"], base["s"]], f'fill="{darker(colour)}" {line}')
    lid = polygon(top.values(), f'fill="{roof or lighter(colour)}" {line}')
    return left + right + lid


def windows(half: float, low: float, high: float, fill: str, across: int = 3) -> str:
    """Rows of windows on both walls, one a storey, as one path."""
    quads = [quad for side in (-1, 1) for quad in _windows(half, low, high, across, side)]
    return f'<path d="{"".join(quads)}" fill="{fill}"/>'


def _windows(half: float, low: float, high: float, across: int, side: int) -> Iterator[str]:
    wide, deep = 2 * half * ACROSS, 2 * half * DOWN
    step, tall = wide / across, 0.42 * STOREY
    size = 0.5 * step
    drop = -side * size * deep / wide
    for storey in range(round(low), round(high)):
        for nth in range(across):
            x = (nth + 0.5) * step
            y = deep - x * deep / wide - (storey + 0.5) * STOREY
            yield (
                f"M{number(side * x - size / 2)} {number(y - drop / 2 - tall / 2)}"
                f"l{number(size)} {number(drop)}v{number(tall)}l{number(-size)} {number(-drop)}z"
            )


def cut(shape: Sequence[Point], axis: int, limit: float, side: int) -> list[Point]:
    """What of a shape, in rows and columns, lies on one side (1, -1) of a line of the grid."""
    found = []
    for one, two in zip(shape, [*shape[1:], shape[0]], strict=True):
        inside = side * (one[axis] - limit) >= 0
        if inside:
            found.append(one)
        if inside != (side * (two[axis] - limit) >= 0):
            share = (limit - one[axis]) / (two[axis] - one[axis])
            found.append((one[0] + share * (two[0] - one[0]), one[1] + share * (two[1] - one[1])))
    return found


def clear_of(taken: Sequence[Point], spot: Point, size: Point) -> Point:
    """The lowest spot above one for a plate of a size that none of those taken covers.

    >>> from storeys.kernel.drawing.isometric import clear_of
    >>> clear_of([(10, 50)], (15, 45), (20, 12))
    (15, 38)
    """
    (x, y), (wide, high) = spot, size
    for other_x, other_y in sorted(taken, key=lambda one: -one[1]):
        if abs(x - other_x) < wide and abs(y - other_y) < high:
            y = other_y - high
    return x, y
