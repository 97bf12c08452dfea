"""Cloud City's shapes: roofs, walkways, towers, bridges and clouds, drawn once a theme."""

import functools
from collections.abc import Iterable

from storeys.games.cloud_city.state import COLOURS, LENGTHS, VOTES
from storeys.kernel.drawing import isometric as iso
from storeys.kernel.drawing.isometric import ACROSS, DOWN, STOREY, Point
from storeys.kernel.drawing.panels import PAD, WIDTH
from storeys.kernel.drawing.svg import group, moved, number, points, polygon, text
from storeys.kernel.drawing.themes import THEMES, Theme, add_hues, darker, ink_on, lighter, mixed
from storeys.kernel.messages import Message
from storeys.kernel.tiles.picture import CITY, HEAD, SIDE

add_hues(light={"sand": "#d9b27c"}, dark={}, colour_blind={"sand": "#e69f00"})

MIDDLE = SIDE / 2
LANES = {"blue": 0.0, "green": 10.4, "sand": -10.4}
"""How far a walkway lies beside the middle of its row in plan: on one line none hides another."""
FIRM = {"blue": 11.0, "green": 6.5, "sand": 6.5}
"""Where on a roof a walkway begins, from the middle: it never covers a letter."""
STOREYS = {"blue": 2.0, "green": 3.6, "sand": 5.2}
TALLEST = 5.8
FOOT = CITY + HEAD + 6
ROLLS = (62.0, 88.0, 54.0, 76.0, 48.0, 68.0)
"""The widths of a cloud bank's bumps; they make up the width of an area."""
PUFFS = (((0, 4, 34, 9), (-14, -2, 15, 10), (6, -6, 17, 13), (22, 0, 12, 8)),
         ((0, 4, 28, 8), (-10, -3, 13, 10), (10, -1, 14, 8)))  # fmt: skip
"""The ellipses of two clouds: where, and how wide and high."""
COLUMN = (WIDTH - 2 * PAD + 8) / 3  # of the supply
ROOF_LEAVES = ((0, -10, 3), (-4.5, -7.6, 2.6), (4.5, -7.6, 2.8), (-9, -5, 2.8), (9, -5, 2.6),
               (-13.5, -2.4, 3), (13.5, -2.4, 3), (-16.8, 0.5, 3.2), (16.8, 0.5, 3.2),
               (-16.5, 5, 2.5), (-13.8, 5, 2.2), (16.6, 5.5, 2.6), (15.6, 10.5, 2))  # fmt: skip
FOOT_LEAVES = ((-17, -0.5, 4), (-12.5, 3.5, 3.2), (17, -0.5, 4), (0, 10, 4), (4.5, 8.5, 3))
"""The bushes of a forest tower: where they grow on its roof and at its foot, and how large."""
SHADED = ((0, 0), (-1, 0), (0, 1), (-1, 1))
"""The squares that a building throws its shadow on, as the looker counts."""
BROAD, THICK, REST = 0.11, 0.3, 0.22
"""A bridge: half its width, its height, and where on a roof it begins."""


# --- definitions


@functools.lru_cache(2048)
def definitions(theme_name: str, view: str, lang: str) -> str:
    """What a picture uses again and again."""
    theme, lengths = THEMES[theme_name], range(1, LENGTHS + 1)
    names = {colour: Message(f"cloud-city.colour.{colour}").text(lang) for colour in COLOURS}
    letters = {colour: name[0].upper() for colour, name in names.items()}
    shapes = {"cloud": _ground_square(theme)}
    shapes |= {f"birds-{count}": _flock(count, theme) for count in (1, 2, 3, 4)}
    shapes |= {f"roof-{colour}": _roof(colour, letters[colour], theme) for colour in COLOURS}
    shapes |= {f"plate-{length}": _plate(length, theme) for length in lengths}
    if view == "skyline":
        shapes |= {"cloud-sea": _cloud_sea(theme)}
        shapes |= {f"puff-{kind}": _puff(kind, theme) for kind in (0, 1)}
        shapes |= _shadow_shapes()
        shapes |= {f"tower-{colour}": _tower(colour, letters[colour], theme) for colour in COLOURS}
        shapes |= _bridge_shapes(theme)
    else:
        shapes |= {"bank": _bank(theme)}
        for colour in COLOURS:
            shapes |= {f"bar-{colour}-{length}": _bar(colour, length, theme) for length in lengths}
    return "".join(group(body, name) for name, body in shapes.items())


def _level(colour: str) -> int:
    return COLOURS.index(colour) + 1


def _ground_square(theme: Theme) -> str:
    """A square of a terrace above the clouds: pale, with a curl of cloud."""
    dark = theme.name == "dark"
    base = mixed(theme["cloud"], theme["water"], 0.2) if dark else theme["cloud"]
    curl = lighter(base, 0.1 if dark else 0.55)
    side = number(SIDE)
    return (
        f'<rect width="{side}" height="{side}" fill="{base}"/>'
        f'<path d="M5 25a4 4 0 0 1 4.500 -5a6 6 0 0 1 11 -1a5 5 0 0 1 7 3a3.500 3.500 0 0 1 2 3.500'
        f'q-12 2 -24.500 -0.500z" fill="{curl}"/>'
        f'<path d="M0 0h36M0 0v36" stroke="{darker(base, 0.08)}" stroke-width="0.8"/>'
    )


def _flock(count: int, theme: Theme) -> str:
    """The birds of a start tile."""
    places = ((18, 18), (11, 12), (25, 11), (24, 25))[:count]
    wings = "".join(f"M{x - 5} {y - 2}q3 -2.5 5 1.500q2 -4 5 -1.500" for x, y in places)
    return (
        f'<path d="{wings}" fill="none" stroke="{theme.quiet}" stroke-width="1.6" '
        f'stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _bank(theme: Theme) -> str:
    """The bank of cloud that carries a tile, seen around its edges."""
    fill = mixed(theme["cloud"], theme["water"], 0.16)
    rounds = ((9, 8, 12), (28, 7, 13), (50, 7, 12), (64, 9, 12), (65, 30, 13), (66, 52, 12),
              (62, 64, 12), (42, 65, 13), (20, 66, 12), (7, 60, 12), (7, 40, 13),
              (6, 22, 11))  # fmt: skip
    return "".join(f'<circle cx="{x}" cy="{y}" r="{r}" fill="{fill}"/>' for x, y, r in rounds)


def _outline(colour: str, half: float) -> str:
    """The shape of a roof: round, cut at the corners, square."""
    if colour == "green":
        cut = half * 0.55
        steps = [(half, cut), (cut, half), (-cut, half), (-half, cut),
                 (-half, -cut), (-cut, -half), (cut, -half), (half, -cut)]  # fmt: skip
        return f'<polygon points="{points((MIDDLE + x, MIDDLE + y) for x, y in steps)}"'
    low, side = number(MIDDLE - half), number(2 * half)
    radius = number(half * 0.72) if colour == "blue" else "1.5"
    return f'<rect x="{low}" y="{low}" width="{side}" height="{side}" rx="{radius}"'


def _roof(colour: str, letter: str, theme: Theme) -> str:
    """A building from above: its letter, and a mark for each of its storeys."""
    wall, level = theme[colour], _level(colour)
    rim, top = darker(wall, 0.38), lighter(wall, 0.14)
    ink, outline = ink_on(top), _outline(colour, 14.5)
    starts = [number(MIDDLE - 1.9 * level + 3.8 * nth + 0.5) for nth in range(level)]
    marks = "".join(f"M{start} 26h2.800v2.600h-2.800z" for start in starts)
    return (
        moved(f'{outline} fill="{theme.shadow}" fill-opacity="0.22"/>', level, level)
        + f'{outline} fill="{rim}"/>{_outline(colour, 12.3)} fill="{top}"/>'
        + text(letter, MIDDLE, 21.6, 12, ink, "middle", 800)
        + f'<path d="{marks}" fill="{ink}"/>'
    )


def _bar(colour: str, length: int, theme: Theme) -> str:
    """A walkway from above, along a row, from the middle of its first building."""
    start, lift = FIRM[colour], _level(colour) * 0.9
    stop = length * SIDE - start
    shadow = (
        f'<rect x="{number(start + lift)}" y="{number(-4 + lift)}" width="{number(stop - start)}" '
        f'height="8" rx="2" fill="{theme.shadow}" fill-opacity="0.22"/>'
    )
    return moved(shadow + draw_plank(start, stop, colour, theme), 0, LANES[colour])


def draw_plank(start: float, stop: float, colour: str, theme: Theme) -> str:
    """A walkway as a bar around a line: as many lines along it as its level."""
    wall, level = theme[colour], _level(colour)
    rim = darker(wall, 0.45)
    gaps = {1: (0.0,), 2: (-1.3, 1.3), 3: (-2.1, 0.0, 2.1)}[level]
    lines = "".join(f"M{number(start + 2)} {number(y)}H{number(stop - 2)}" for y in gaps)
    return (
        f'<rect x="{number(start)}" y="-4" width="{number(stop - start)}" height="8" rx="2" '
        f'fill="{lighter(wall, 0.28)}" stroke="{rim}" stroke-width="1"/>'
        f'<path d="{lines}" stroke="{rim}" stroke-width="0.9"/>'
    )


def _plate(length: int, theme: Theme) -> str:
    """The votes of a walkway."""
    votes = text(str(VOTES[length - 1]), 0, 3.1, 8.6, theme.ink, "middle", 800)
    return (
        f'<circle r="5.3" fill="{theme.panel}" stroke="{theme.ink}" stroke-width="0.8" '
        f'pointer-events="none"/><g pointer-events="none">{votes}</g>'
    )


# --- definitions of what stands


def _cloud_sea(theme: Theme) -> str:
    """What a city floats above: some clouds in the sky, and banks of them at its foot."""
    puffs = (0, 62, 78, 0.9), (1, 338, 98, 0.9), (1, 120, 118, 0.5), (0, 292, 62, 0.5)
    far = "".join(moved(_puff(kind, theme), x, y, size) for kind, x, y, size in puffs)
    rows = (318, ROLLS, 0.3), (356, ROLLS[::-1], 0.17), (396, ROLLS[2:] + ROLLS[:2], 0.05)
    banks = "".join(
        f'<path d="M0 {y}{_rolls(bumps)}V{number(FOOT - 12)}a12 12 0 0 1 -12 12H12'
        f'a12 12 0 0 1 -12 -12z" fill="{mixed(_white(theme), theme["water"], tint)}"/>'
        for y, bumps, tint in rows
    )
    return far + f'<g opacity="{0.35 if theme.name == "dark" else 0.7}">{banks}</g>'


def _rolls(bumps: Iterable[float]) -> str:
    """The upper edge of a bank of clouds, from the left to the right of an area."""
    sizes = [(number(wide), number(-wide * 0.45)) for wide in bumps]
    return "".join(f"c0 {high} {wide} {high} {wide} 0" for wide, high in sizes)


def _white(theme: Theme) -> str:
    """The colour of clouds."""
    if theme.name != "dark":
        return "#ffffff"
    return lighter(mixed(theme["cloud"], theme["water"], 0.35), 0.12)


def _puff(kind: int, theme: Theme) -> str:
    """A cloud of some ellipses."""
    (x, y, rx, ry), *others = PUFFS[kind]
    under = mixed(_white(theme), theme["water"], 0.22)
    rounds = [f'cx="{x}" cy="{y + 2}" rx="{rx}" ry="{ry}" fill="{under}"']
    rounds += [f'cx="{x}" cy="{y}" rx="{rx}" ry="{ry}"' for x, y, rx, ry in others]
    rounds += [f'cx="{x}" cy="{y}" rx="{rx - 2}" ry="{ry - 1.5}"']
    shapes = "".join(f"<ellipse {shape}/>" for shape in rounds)
    return group(shapes, "", f'fill="{_white(theme)}" opacity="0.92" pointer-events="none"')


def _shadow_shapes() -> dict[str, str]:
    """The shadows of buildings, whole and by squares, and those straight below walkways."""
    shapes = {f"shade-{colour}": _flat(_shadow(colour)) for colour in COLOURS}
    shapes |= {
        f"shade-{colour}-{nth}": _flat(_shadow_on(colour, *where))
        for colour in COLOURS
        for nth, where in enumerate(SHADED)
    }
    for length in range(1, LENGTHS + 1):
        row = [(-BROAD, 0.0), (-BROAD, length), (BROAD, length), (BROAD, 0.0)]
        shapes[f"below-row-{length}"] = _flat(row)
        shapes[f"below-column-{length}"] = _flat([(col, row) for row, col in row])
    return shapes


def _flat(shape: Iterable[Point]) -> str:
    """A shape on the ground, given by rows and columns from the middle of a square."""
    return polygon([((col - row) * ACROSS, (col + row) * DOWN) for row, col in shape], "")


def _shadow(colour: str) -> list[Point]:
    """What a building shades: itself, drawn out to the right."""
    half, reach = 0.36, 0.13 * STOREYS[colour]
    far = half + reach
    return [(-half, -half), (-far, reach - half), (-far, far), (half - reach, far), (half, half),
            (half, -half)]  # fmt: skip


def _shadow_on(colour: str, down: int, right: int) -> list[Point]:
    """The part of a building's shadow that falls on a square beside it."""
    shape = _shadow(colour)
    for axis, low in ((0, down - 0.5), (1, right - 0.5)):
        shape = _cut(_cut(shape, axis, low, 1), axis, low + 1, -1)
    return shape


def _cut(shape: list[Point], axis: int, limit: float, side: int) -> list[Point]:
    """What of a shape lies on one side of a line of the grid."""
    found = []
    for one, two in zip(shape, [*shape[1:], *shape[:1]], strict=True):
        inside = side * (one[axis] - limit) >= 0
        if inside:
            found.append(one)
        if inside != (side * (two[axis] - limit) >= 0):
            share = (limit - one[axis]) / (two[axis] - one[axis])
            found.append((one[0] + share * (two[0] - one[0]), one[1] + share * (two[1] - one[1])))
    return found


def _flat_letter(letter: str, storeys: float, ink: str) -> str:
    """A letter that lies on a roof."""
    across, down = ACROSS / SIDE, DOWN / SIDE
    parts = (across, down, -across, down, 0, -storeys * STOREY)
    turned = f"matrix({' '.join(f'{part:.4g}' for part in parts)})"
    return f'<g transform="{turned}">{text(letter, 0, 6.5, 18, ink, "middle", 800)}</g>'


def diamond(half: float, storeys: float, paint: str) -> str:
    """A flat square as the looker sees it."""
    return polygon(iso.corners(half, storeys).values(), paint)


def _tower(colour: str, letter: str, theme: Theme) -> str:
    """A building from the air: a river house, a forest tower or a sand tower."""
    draw = {"blue": _river_house, "green": _forest_tower, "sand": _sand_tower}[colour]
    # In the dark its windows are brighter than its walls.
    wall = darker(theme[colour], 0.2) if theme.name == "dark" else theme[colour]
    body = draw(wall, STOREYS[colour], theme)
    return body + _flat_letter(letter, STOREYS[colour], ink_on(lighter(theme[colour], 0.3)))


def _glow(windows: str, theme: Theme) -> str:
    """The colour of windows, which are lit in the dark."""
    return theme["window-lit"] if theme.name == "dark" else windows


def _river_house(wall: str, high: float, theme: Theme) -> str:
    """Low, with water around it and a basin on the roof."""
    water = lighter(theme["water"], 0.1)
    return (
        diamond(0.46, 0, f'fill="{water}" stroke="{lighter(water, 0.5)}" stroke-width="1"')
        + iso.prism(0.35, 0, high, wall, darker(wall, 0.1))
        + iso.windows(0.35, 0, high, _glow(lighter(wall, 0.6), theme))
        + diamond(0.29, high, f'fill="{lighter(wall, 0.3)}"')
    )


def _forest_tower(wall: str, high: float, theme: Theme) -> str:
    """Of middle height, with leaves at its foot and on its roof."""
    return (
        iso.prism(0.34, 0, high, wall, darker(wall, 0.1))
        + iso.windows(0.34, 0, high, _glow(lighter(wall, 0.6), theme))
        + diamond(0.28, high, f'fill="{lighter(wall, 0.3)}"')
        + _leaves(FOOT_LEAVES, 0, theme)
        + _leaves(ROOF_LEAVES, high, theme)
    )


def _leaves(places: Iterable[tuple[float, float, float]], storeys: float, theme: Theme) -> str:
    """Bushes around a point: where, and how large."""
    leaf, top = theme["park"], storeys * STOREY
    return "".join(
        f'<circle cx="{number(x)}" cy="{number(y - top)}" r="{r}" fill="{leaf}"/>'
        f'<circle cx="{number(x - r * 0.3)}" cy="{number(y - top - r * 0.35)}" '
        f'r="{number(r * 0.5)}" fill="{lighter(leaf, 0.3)}"/>'
        for x, y, r in places
    )


def _sand_tower(wall: str, high: float, theme: Theme) -> str:
    """High, with a cornice and four pinnacles."""
    cornice = lighter(wall, 0.15)
    pinnacle = iso.prism(0.05, 0, 0.6, cornice)
    corners = iso.corners(0.3, high)
    return (
        iso.prism(0.31, 0, high - 0.5, wall)
        + iso.windows(0.31, 0, high - 1, _glow(darker(wall, 0.5), theme), 2)
        + iso.prism(0.36, high - 0.6, high, cornice, darker(wall, 0.08))
        + diamond(0.3, high, f'fill="{lighter(wall, 0.3)}"')
        + "".join(moved(pinnacle, *corners[end]) for end in ("n", "w", "e", "s"))
    )


def _bridge_shapes(theme: Theme) -> dict[str, str]:
    """The pieces of bridges: along a row or a column; whole, or only half a square."""
    pieces = {"whole": (-0.5, 0.5), "near": (REST, 0.5), "far": (-0.5, -REST)}
    return {
        f"bridge-{colour}-{along}-{piece}": _bridge(colour, along == "row", ends, theme)
        for colour in COLOURS
        for along in ("row", "column")
        for piece, ends in pieces.items()
    }


def _bridge(colour: str, in_a_row: bool, ends: tuple[float, float], theme: Theme) -> str:
    """A piece of a bridge around the middle of its square, on the height it lies at."""

    def at(along: float, across: float, storeys: float) -> Point:
        row, col = (across, along) if in_a_row else (along, across)
        return (col - row) * ACROSS, (col + row) * DOWN - storeys * STOREY

    wall, (start, stop) = theme[colour], ends
    light, dark = (wall, darker(wall)) if in_a_row else (darker(wall), wall)
    back, front, low = ((-BROAD, THICK), (BROAD, THICK), (BROAD, 0))
    side = [at(start, *front), at(stop, *front), at(stop, *low), at(start, *low)]
    cap = [at(stop, *back), at(stop, *front), at(stop, *low), at(stop, -BROAD, 0)]
    deck = [at(start, *back), at(stop, *back), at(stop, *front), at(start, *front)]
    gaps = {1: (0.0,), 2: (-0.035, 0.035), 3: (-0.055, 0.0, 0.055)}[_level(colour)]
    lines = [(at(start, gap, THICK), at(stop, gap, THICK)) for gap in gaps]
    edges = [(at(start, *edge), at(stop, *edge)) for edge in (back, front, low)]
    rim = darker(wall, 0.5)
    return (
        polygon(side, f'fill="{light}"')
        + polygon(cap, f'fill="{dark}"')
        + polygon(deck, f'fill="{lighter(wall, 0.4)}"')
        + f'<path d="{_strokes(lines)}" stroke="{rim}" stroke-width="0.8"/>'
        + f'<path d="{_strokes(edges)}" stroke="{rim}" stroke-width="0.9"/>'
    )


def _strokes(lines: Iterable[tuple[Point, Point]]) -> str:
    return "".join(f"M{number(a)} {number(b)}L{number(c)} {number(d)}" for (a, b), (c, d) in lines)
