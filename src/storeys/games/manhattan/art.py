"""Manhattan's shapes, once a theme: those of ``shapes.svg``, and blocks; its words and marks."""

import functools
from collections.abc import Callable
from pathlib import Path

from storeys.games.manhattan.board import Blocks, height_of
from storeys.games.manhattan.moves import colour_label, sign_label, site_label
from storeys.games.manhattan.state import CITIES, COLOURS, SIZES
from storeys.kernel.drawing import isometric as iso
from storeys.kernel.drawing.plots import face_of, hue_of
from storeys.kernel.drawing.scene import Look
from storeys.kernel.drawing.shapes import shapes
from storeys.kernel.drawing.svg import group, moved, text, use
from storeys.kernel.drawing.themes import THEMES, Theme, darker, ink_on, lighter, mixed
from storeys.kernel.messages import Message

FOLDER = Path(__file__).parent
AREA = 288.0  # the width of a city's area
HEAD = 36.0
LABELS = 20.0
CELL = 84.0  # of a site in plan
ROOF = 56.0  # of a tower in plan
BAR = 8.0  # a storey in the bar beside a tower
HIGH = HEAD + LABELS + 3 * CELL + 10  # of a city's area, in plan and from the air
FLAT = 36.0  # of a site in the ground of the skyline
HALF = 0.36  # of a tower's side in the skyline, in sites
MARK = 18.0  # of a mark, and of a roof before it is laid on its block
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
    own = [shapes(FOLDER, theme_name, hue=theme[c], edge=darker(theme[c], 0.45)) for c in COLOURS]
    for colour in colours:
        found[f"mark-{colour}"] = own[colour][f"mark-{colour}"]
        found |= {f"block-{colour}-{size}": _block(colour, size, theme) for size in sizes}
    if view == "skyline":
        found |= {name: drawn[name] for name in ("ground", "edge", "trees", "site")}
    else:
        found |= {name: drawn[name] for name in ("streets", "plot", "lawn")}
        for colour in colours:
            found[f"roof-{colour}"] = own[colour][f"roof-{colour}"]
            bars = [shapes(FOLDER, theme_name, hue=theme[COLOURS[colour]], size=n) for n in sizes]
            found |= {f"bar-{colour}-{n}": bars[n - 1][f"bar-{colour}"] for n in sizes}
    return "".join(group(body, name) for name, body in found.items())


def _block(colour: int, size: int, theme: Theme) -> str:
    """A block of so many storeys, standing: its windows and its roof tell its colour."""
    hue = hue_of(colour, theme)
    drawn = shapes(FOLDER, theme.name, hue=hue, edge=darker(hue, 0.4))
    lit = theme["window-lit"] if theme.name == "dark" else lighter(hue, 0.6)
    walls = iso.prism(HALF, 0, size, hue) + drawn[f"floors-{size}"]
    windows = iso.windows(HALF, 0, size, lit, PANES[colour])
    across, down = 2 * HALF * iso.ACROSS / MARK, 2 * HALF * iso.DOWN / MARK
    lift = f"{-2 * HALF * iso.DOWN - size * iso.STOREY:.4g}"
    place = f"matrix({across:.4g} {down:.4g} {-across:.4g} {down:.4g} 0 {lift})"
    return f'{walls}{windows}<g transform="{place}">{drawn[f"top-{colour}"]}</g>'


# --- words and marks


@functools.lru_cache(4096)
def words(lang: str, label: Callable[..., Message], *numbers: int) -> str:
    """What a label says of something in a language; pictures say the same again and again."""
    return label(*numbers).text(lang)


def block_label(colour: int, size: int) -> Message:
    """A block."""
    return Message("manhattan.picture.block", colour=colour_label(colour), n=size)


@functools.lru_cache(4096)
def tower_words(city: int, cell: int, tower: Blocks, lang: str) -> str:
    """A site as it is spoken: whose tower, how high, and of which blocks."""
    site = site_label(city, cell)
    if not tower:
        return Message("manhattan.picture.empty", site=site).text(lang)
    blocks = ", ".join(f"{words(lang, colour_label, colour)} {size}" for colour, size in tower)
    facts = {"site": site, "n": height_of(tower), "owner": colour_label(tower[-1][0])}
    return Message("manhattan.picture.tower", **facts, blocks=blocks).text(lang)


def mark_of(colour: int, look: Look, x: float, y: float, side: float = MARK) -> str:
    """A colour's mark: its pattern around its letter."""
    sign = words(look.lang, sign_label, colour)
    size, place = (10.5, 12.6) if len(sign) == 1 else (8.5, 12)
    letter = text(sign, 9, place, size, ink_of(colour, look.theme), "middle", 800)
    return moved(use(f"mark-{colour}", 0, 0) + letter, x, y, side / MARK)
