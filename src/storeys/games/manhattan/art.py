"""Manhattan's shapes, once a theme: those of ``shapes.svg``, and standing blocks."""

import functools
from pathlib import Path

from storeys.games.manhattan.state import CITIES, COLOURS, SIZES
from storeys.kernel.drawing import isometric as iso
from storeys.kernel.drawing.isometric import ACROSS, DOWN, STOREY
from storeys.kernel.drawing.plots import face_of, hue_of
from storeys.kernel.drawing.shapes import shapes
from storeys.kernel.drawing.svg import group, number, rect
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


def ink_of(colour: int, theme: Theme) -> str:
    """What is written on a colour."""
    return ink_on(face_of(colour, theme))


@functools.cache
def definitions(theme_name: str, view: str) -> str:
    """What a picture uses again and again."""
    theme, colours, sizes = THEMES[theme_name], range(len(COLOURS)), range(1, SIZES + 1)
    asphalt = mixed(theme["steel"], theme.paper, 0.45 if theme_name == "dark" else 0.12)
    paving = mixed(theme["stone"], theme.panel, 0.62)
    drawn = shapes(FOLDER, theme_name, asphalt=asphalt, paving=paving)
    landmarks = [f"landmark-{city}" for city in range(len(CITIES))]
    found = {name: drawn[name] for name in (*landmarks, "card", "card-mark", "back", "star")}
    hues = [hue_of(colour, theme) for colour in colours]
    own = [shapes(FOLDER, theme_name, hue=hue, edge=darker(hue, 0.45)) for hue in hues]
    for colour in colours:
        found[f"mark-{colour}"] = own[colour][f"mark-{colour}"]
        found |= {f"block-{colour}-{size}": _block(colour, size, theme) for size in sizes}
    if view == "skyline":
        found |= {name: drawn[name] for name in ("ground", "edge", "trees", "site")}
        found |= {f"plate-{colour}": own[colour]["plate"] for colour in colours}
    else:
        found |= {name: drawn[name] for name in ("streets", "plot", "lawn")}
        for colour in colours:
            names = [f"roof-{colour}", *(f"bar-{colour}-{size}" for size in sizes)]
            found |= {name: own[colour][name] for name in names}
    return "".join(group(body, name) for name, body in found.items())


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
    pattern = shapes(FOLDER, theme.name, edge=line)[f"pattern-{colour}"]
    roof = pattern + rect(4, 4, 10, 10, 0, f'fill="{lighter(hue, 0.38)}"')
    place = f"matrix({across:.4g} {down:.4g} {-across:.4g} {down:.4g} 0 {top:.4g})"
    windows = iso.windows(HALF, 0, size, lit, PANES[colour])
    return f'{walls}{windows}<g transform="{place}">{roof}</g>'
