"""Manhattan's shapes: blocks, roofs, streets, cards, landmarks, drawn once a theme."""

import functools

from storeys.games.manhattan.state import COLOURS, SIZES
from storeys.kernel.drawing import isometric as iso
from storeys.kernel.drawing.isometric import ACROSS, DOWN, STOREY
from storeys.kernel.drawing.svg import group, number, polygon
from storeys.kernel.drawing.themes import THEMES, Theme, darker, ink_on, lighter, mixed

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
STAR = (
    '<path d="M6.5 0l1.9 4.3l4.6.5l-3.4 3.2l.9 4.6l-4-2.3l-4 2.3l.9-4.6l-3.4-3.2l4.6-.5z" '
    'fill="#ffd94a" stroke="#5a4300" stroke-width="1" stroke-linejoin="round"/>'
)
"""The sign of the tallest tower of all."""
LANDMARKS = (
    # Sails above a harbour.
    "M2 30v-3h56v3zM5 26Q7 14 19 9Q18 19 22 26zM19 26Q20 9 36 2Q34 16 39 26z"
    "M36 26Q38 14 50 9Q49 19 54 26z",
    # Stepped towers with a spire.
    "M3 30V17h8v13zM12 30V21h6v9zM20 30V12h3V8h3V5h2V0h1V5h2V8h3v4h3v18zM39 30V19h6v11z"
    "M46 30V11l5-4l5 4v19z",
    # A pointed tower, a round one, twins.
    "M4 30V13h6v17zM11.5 30V11h6v19zM21 30V10l5.5-9l5.5 9v20zM35 30V16a5 5 0 0 1 10 0v14z"
    "M48 30V20h9v10z",
    # Slender towers below a peak.
    "M0 30Q10 24 16 16T28 10Q34 10 40 18T60 30zM5 30V14l6 4v12zM20 30V4l4-4l4 4v26z"
    "M43 30V12l7-6v24zM34 30V20h6v10z",
    # A bridge that hangs from a mast.
    "M0 27h60v2H0zM24 30L33 1h2L26 30zM36 30L27 1h-2L34 30zM26 5L3 27h1.5zM27 9L11 27h1.5z"
    "M34 5L57 27h-1.5zM33 9L49 27h-1.5zM28 13L18 27h1.5zM32 13L42 27h-1.5z",
    # Pyramids.
    "M0 30L15 12L30 30zM19 30L38 3L57 30zM46 30L53 21L60 30z",
)
"""What each city is known for, as a silhouette 60 wide and 30 high that takes a colour."""


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


def _paving(theme: Theme) -> str:
    return mixed(theme["stone"], theme.panel, 0.62)


# --- definitions


@functools.cache
def definitions(theme_name: str, view: str) -> str:
    """What a picture uses again and again."""
    theme, colours, sizes = THEMES[theme_name], range(len(COLOURS)), range(1, SIZES + 1)
    shapes = {f"landmark-{city}": f'<path d="{shape}"/>' for city, shape in enumerate(LANDMARKS)}
    shapes |= {"card": _card(theme), "card-mark": _card_mark(theme), "back": _back(theme)}
    shapes["star"] = STAR
    for colour in colours:
        shapes[f"mark-{colour}"] = _patterned(colour, 18, 3, theme)
        shapes |= {f"block-{colour}-{size}": _block(colour, size, theme) for size in sizes}
    if view == "skyline":
        shapes |= {"ground": _ground(theme), "edge": _edge(theme), "trees": _trees(theme)}
        shapes["site"] = _slab(0.45, 'fill="#ffffff" fill-opacity="0.01"')
        shapes |= {f"plate-{colour}": _plate(colour, theme) for colour in colours}
    else:
        shapes |= {"streets": _streets(theme), "plot": _plot(theme), "lawn": _lawn(theme)}
        for colour in colours:
            shapes[f"roof-{colour}"] = _patterned(colour, ROOF, 7, theme)
            shapes |= {f"bar-{colour}-{size}": _bar_part(colour, size, theme) for size in sizes}
    return "".join(group(body, name) for name, body in shapes.items())


def rect(x: float, y: float, wide: float, high: float, rx: float, paint: str) -> str:
    """A rectangle with round corners; ``paint`` are its attributes."""
    place = f'x="{number(x)}" y="{number(y)}" ' if x or y else ""
    corners = f' rx="{number(rx)}"' if rx else ""
    return f'<rect {place}width="{number(wide)}" height="{number(high)}"{corners} {paint}/>'


# --- blocks


def _patterned(colour: int, side: float, rim: float, theme: Theme) -> str:
    """A roof from above: a rim with the colour's pattern around a plain middle."""
    hue, inner = hue_of(colour, theme), side - 2 * rim
    edge = darker(hue, 0.45)
    line = f'fill="none" stroke="{edge}" stroke-width="1"'
    return (
        rect(0, 0, side, side, rim * 0.6, f'fill="{hue}"')
        + _pattern(colour, side, edge)
        + rect(0.5, 0.5, side - 1, side - 1, rim * 0.6, line)
        + rect(rim, rim, inner, inner, rim * 0.4, f'fill="{face_of(colour, theme)}"')
    )


def _pattern(colour: int, side: float, line: str) -> str:
    """A colour's pattern over a square: strokes, a ring, dots, a lattice."""
    step = side / 9
    ring = f"{side - step * 1.2:.2f}"
    spots = [step * 0.65 + nth * (side - 1.3 * step) / 6 for nth in range(7)]
    ends, lattice = (spots[0], spots[-1]), [nth * step for nth in (1, 3, 5, 7)]
    path = (
        "".join(_slash(nth * 2 * step, side) for nth in range(1, 9)),
        f"M{step * 0.6:.2f} {step * 0.6:.2f}h{ring}v{ring}h-{ring}z",
        "".join(f"M{a:.2f} {b:.2f}h.01" for a in spots for b in spots if a in ends or b in ends),
        "".join(f"M{at:.2f} 0v{side:.2f}M0 {at:.2f}h{side:.2f}" for at in lattice),
    )[colour]
    width = step * (0.3, 0.22, 0.55, 0.42)[colour]
    round_ends = ' stroke-linecap="round"' if colour == 2 else ""
    return (
        f'<path d="{path}" fill="none" stroke="{line}" stroke-opacity="0.75" '
        f'stroke-width="{width:.2f}"{round_ends}/>'
    )


def _slash(reach: float, side: float) -> str:
    """A slanting line of a square, so far from its corner."""
    low, high = max(0.0, reach - side), min(reach, side)
    return f"M{low:.2f} {high:.2f}L{high:.2f} {low:.2f}"


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
    roof = _pattern(colour, side, line) + rect(4, 4, 10, 10, 0, f'fill="{lighter(hue, 0.38)}"')
    place = f"matrix({across:.4g} {down:.4g} {-across:.4g} {down:.4g} 0 {top:.4g})"
    windows = iso.windows(HALF, 0, size, lit, PANES[colour])
    return f'{walls}{windows}<g transform="{place}">{roof}</g>'


def _plate(colour: int, theme: Theme) -> str:
    """A plate above a tower: its owner's colour at the left, room for the height at the right."""
    shape = '<rect x="-11.5" width="23" height="13" rx="3.5"'
    return (
        f'{shape} fill="{theme.panel}"/><path d="M-1 0h-7a3.5 3.5 0 0 0-3.5 3.5v6a3.5 3.5 0 0 0 '
        f'3.5 3.5h7z" fill="{face_of(colour, theme)}"/>'
        f'{shape} fill="none" stroke="{darker(hue_of(colour, theme), 0.5)}"/>'
    )


# --- the ground


def _streets(theme: Theme) -> str:
    """A city's streets from above."""
    side = 3 * CELL + 2
    return rect(-1, -1, side, side, 9, f'fill="{_asphalt(theme)}"') + _lanes(CELL, 4, 1.1, 5)


def _lanes(cell: float, rim: int, width: float, dash: int) -> str:
    """The lines along the middle of the streets between sites of this side."""
    far = number(3 * cell - rim)
    lines = "".join(
        f"M{rim} {number(at)}H{far}M{number(at)} {rim}V{far}" for at in (cell, 2 * cell)
    )
    return (
        f'<path d="{lines}" stroke="#ffffff" stroke-opacity="0.75" stroke-width="{width}" '
        f'stroke-dasharray="{dash} {dash}"/>'
    )


def _plot(theme: Theme) -> str:
    """A site from above: paved, with a kerb."""
    kerb = f'stroke="{mixed(_paving(theme), theme.ink, 0.22)}" stroke-width="1"'
    return rect(3.5, 3.5, CELL - 7, CELL - 7, 6, f'fill="{_paving(theme)}" {kerb}')


def _lawn(theme: Theme) -> str:
    """A site without a tower: grass with a few trees around the place for one."""
    grass, leaf = mixed(theme["grass"], _paving(theme), 0.35), theme["park"]
    trees = "".join(
        f'<circle cx="{x}" cy="{y}" r="{r}" fill="{fill}"/>'
        for x, y, r, fill in (
            (16, 17, 5.5, leaf), (14.5, 15.5, 2.4, lighter(leaf, 0.3)),
            (68, 66, 6.5, leaf), (66, 64, 2.8, lighter(leaf, 0.3)),
            (67, 51, 4, darker(leaf, 0.12)), (27, 14.5, 3.5, darker(leaf, 0.12)),
        )
    )  # fmt: skip
    dashes = f'stroke="{darker(grass, 0.2)}" stroke-width="1" stroke-dasharray="3.5 3.5"'
    place = rect(25, 25, 34, 34, 3, f'fill="{_paving(theme)}" {dashes}')
    return rect(8, 8, 68, 68, 4, f'fill="{grass}"') + place + trees


def _ground(theme: Theme) -> str:
    """The ground of a city, flat: streets and paved plots."""
    kerb = f'stroke="{mixed(_paving(theme), theme.ink, 0.2)}" stroke-width="0.6"'
    plots = "".join(
        rect(col * FLAT + 2.6, row * FLAT + 2.6, 30.8, 30.8, 2, f'fill="{_paving(theme)}" {kerb}')
        for row in range(3)
        for col in range(3)
    )
    asphalt = rect(0, 0, 3 * FLAT, 3 * FLAT, 0, f'fill="{_asphalt(theme)}"')
    return asphalt + _lanes(FLAT, 3, 0.8, 3) + plots


def _edge(theme: Theme) -> str:
    """The two sides of the ground that one sees, around its nearest corner."""
    wide, deep, thick = 3 * ACROSS, 3 * DOWN, 6.0
    left = [(-wide, -deep), (0.0, 0.0), (0.0, thick), (-wide, thick - deep)]
    sides = (left, 0.25), ([(-x, y) for x, y in left], 0.45)
    return "".join(polygon(side, f'fill="{darker(_asphalt(theme), dark)}"') for side, dark in sides)


def _slab(half: float, paint: str) -> str:
    """A square on the ground around the centre of a site."""
    return polygon(iso.corners(half, 0).values(), paint)


def _trees(theme: Theme) -> str:
    """A site without a tower: a lawn with trees."""
    leaf = theme["park"]
    lawn = _slab(0.36, f'fill="{mixed(theme["grass"], leaf, 0.1)}"')
    trees = "".join(
        f'<path d="M{x - 0.6} {y}h1.2v-4h-1.2z" fill="#6b4b32"/>'
        f'<circle cx="{x}" cy="{y - 6}" r="{r}" fill="{leaf}"/>'
        f'<circle cx="{x - 1}" cy="{y - 7}" r="{r * 0.5:.1f}" fill="{lighter(leaf, 0.25)}"/>'
        for x, y, r in ((0, -6, 3.6), (-12.5, 1, 3.2), (12, 1.5, 4))
    )
    return lawn + _slab(0.17, f'fill="{_paving(theme)}"') + trees


# --- cards


def _card(theme: Theme) -> str:
    """A card without its mark: a square of nine places."""
    cells = "".join(f"M{x} {y}h16v16h-16z" for y in (6, 24, 42) for x in (6, 24, 42))
    paper = f'fill="{lighter(theme.panel, 0.05)}" stroke="{theme.quiet}"'
    places = f'<path d="{cells}" fill="{mixed(theme.panel, theme.line, 0.85)}"/>'
    return rect(0.5, 0.5, 63, 85, 7, paper) + places


def _card_mark(theme: Theme) -> str:
    """The place that a card means: a tower in it."""
    tower = f'<path d="M3 14V8h3V5h2V2h1V5h2V8h2v6z" fill="{theme.panel}"/>'
    return rect(0, 0, 16, 16, 0, f'fill="{theme.ink}"') + tower


def _back(theme: Theme) -> str:
    """A card from behind."""
    back = theme["back"]
    towers = "M12 74V52h10v22zM24 74V38h6v-8h4v8h6v36zM42 74V58h10v16z"
    paper = rect(0.5, 0.5, 63, 85, 7, f'fill="{back}" stroke="{darker(back, 0.35)}"')
    return f'{paper}<path d="{towers}" fill="{darker(back, 0.3)}"/>'
