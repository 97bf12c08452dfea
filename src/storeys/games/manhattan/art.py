"""Manhattan's shapes, once a theme: those of ``shapes.svg``, and blocks and roofs."""

import functools
from pathlib import Path

from storeys.games.manhattan.state import CITIES, COLOURS, SIZES
from storeys.kernel.drawing import isometric as iso
from storeys.kernel.drawing.isometric import ACROSS, DOWN, STOREY
from storeys.kernel.drawing.shapes import shapes
from storeys.kernel.drawing.svg import group, number
from storeys.kernel.drawing.themes import THEMES, Theme, darker, ink_on, lighter, mixed

FOLDER = Path(__file__).parent
AREA = 288.0  # the width of a city's area
HEAD = 36.0
LABELS = 20.0
CELL = 84.0  # of a site in plan
ROOF = 56.0  # of a tower in plan
BAR = 8.0  # a storey in the bar beside a tower
HIGH = 388.0  # of a city's area in the skyline
FLAT = 36.0  # of a site in the ground of the skyline
HALF = 0.36  # of a tower's side in the skyline, in sites
PANES = (3, 1, 2, 4)
"""Windows across a wall, by colour: a tower tells whose it is without its colour."""


# --- colours


def hue_of(colour: int, theme: Theme) -> str:
    """A colour of the theme."""
    return theme[COLOURS[colour]]


def face_of(colour: int, theme: Theme) -> str:
    """A roof in the sun."""
    return lighter(hue_of(colour, theme), 0.12)


def ink_of(colour: int, theme: Theme) -> str:
    """What is written on a colour."""
    return ink_on(face_of(colour, theme))


def _asphalt(theme: Theme) -> str:
    return mixed(theme["steel"], theme.paper, 0.12 if theme.name != "dark" else 0.45)


# --- definitions


@functools.cache
def definitions(theme_name: str, view: str) -> str:
    """What a picture uses again and again."""
    theme, colours, sizes = THEMES[theme_name], range(len(COLOURS)), range(1, SIZES + 1)
    ground = {"asphalt": _asphalt(theme), "paving": mixed(theme["stone"], theme.panel, 0.62)}
    drawn = shapes(FOLDER, theme_name, **ground)
    landmarks = [f"landmark-{city}" for city in range(len(CITIES))]
    found = {name: drawn[name] for name in (*landmarks, "card", "card-mark", "back", "star")}
    own = [_own_shapes(colour, theme) for colour in colours]
    for colour in colours:
        found[f"mark-{colour}"] = own[colour][f"mark-{COLOURS[colour]}"]
        found |= {f"block-{colour}-{size}": _block(colour, size, theme) for size in sizes}
    if view == "skyline":
        found |= {name: drawn[name] for name in ("ground", "edge", "trees", "site")}
        found |= {f"plate-{colour}": own[colour]["plate"] for colour in colours}
    else:
        found |= {name: drawn[name] for name in ("streets", "plot", "lawn")}
        for colour in colours:
            found[f"roof-{colour}"] = own[colour][f"roof-{COLOURS[colour]}"]
            found |= {f"bar-{colour}-{size}": _bar_part(colour, size, theme) for size in sizes}
    return "".join(group(body, name) for name, body in found.items())


def _own_shapes(colour: int, theme: Theme) -> dict[str, str]:
    """The shapes that take a colour."""
    hue = hue_of(colour, theme)
    return shapes(FOLDER, theme.name, hue=hue, edge=darker(hue, 0.45))


def rect(x: float, y: float, wide: float, high: float, rx: float, paint: str) -> str:
    """A rectangle with round corners; ``paint`` are its attributes."""
    place = f'x="{number(x)}" y="{number(y)}" ' if x or y else ""
    corners = f' rx="{number(rx)}"' if rx else ""
    return f'<rect {place}width="{number(wide)}" height="{number(high)}"{corners} {paint}/>'


# --- blocks


def _bar_part(colour: int, size: int, theme: Theme) -> str:
    """A block in the bar beside a tower: its storeys, and the sign of its colour."""
    hue, high = hue_of(colour, theme), size * BAR
    line, middle = darker(hue, 0.5), high / 2
    sign = (
        f"M2.5 {middle + 1.5:.1f}L8.5 {middle - 1.5:.1f}",
        f"M2 {middle:.1f}H9",
        f"M5.5 {middle:.1f}h.01",
        f"M3.8 {middle - 1.7:.1f}v3.4M7.2 {middle - 1.7:.1f}v3.4",
    )[colour]
    width = 3.2 if colour == 2 else 1.3
    wall = rect(0.4, 0.4, 10.2, high - 0.8, 1, f'fill="{hue}" stroke="{line}" stroke-width="0.8"')
    return f'{wall}<path d="{sign}" stroke="{line}" stroke-width="{width}" stroke-linecap="round"/>'


def _block(colour: int, size: int, theme: Theme) -> str:
    """A block of so many storeys, standing: its windows and its roof tell its colour."""
    hue, side = hue_of(colour, theme), 18.0
    line, wide, deep = darker(hue, 0.4), 2 * HALF * ACROSS, 2 * HALF * DOWN
    floors = "".join(
        f"M{number(-wide)} {number(-nth * STOREY)}L0 {number(deep - nth * STOREY)}"
        f"L{number(wide)} {number(-nth * STOREY)}"
        for nth in range(1, size)
    )
    storeys = f'<path d="{floors}" fill="none" stroke="{line}" stroke-width="0.7"/>'
    lit = theme["window-lit"] if theme.name == "dark" else lighter(hue, 0.6)
    walls = iso.prism(HALF, 0, size, hue) + (storeys if size > 1 else "")
    across, down, top = wide / side, deep / side, -deep - size * STOREY
    pattern = shapes(FOLDER, theme.name, edge=line)[f"pattern-{COLOURS[colour]}"]
    roof = pattern + rect(4, 4, 10, 10, 0, f'fill="{lighter(hue, 0.38)}"')
    place = f"matrix({across:.4g} {down:.4g} {-across:.4g} {down:.4g} 0 {top:.4g})"
    windows = iso.windows(HALF, 0, size, lit, PANES[colour])
    return f'{walls}{windows}<g transform="{place}">{roof}</g>'
