"""Cloud City's shapes, once a theme: those of ``shapes.svg``, and towers, walkways, shadows."""

import functools
from collections.abc import Iterable
from pathlib import Path

from storeys.games.cloud_city.state import COLOURS, LENGTHS, VOTES
from storeys.kernel.drawing import isometric as iso
from storeys.kernel.drawing.isometric import ACROSS, DOWN, STOREY, Point
from storeys.kernel.drawing.panels import PAD, WIDTH
from storeys.kernel.drawing.shapes import shapes
from storeys.kernel.drawing.svg import group, moved, number, polygon, text
from storeys.kernel.drawing.themes import THEMES, Theme, add_hues, darker, ink_on, lighter, mixed
from storeys.kernel.messages import Message
from storeys.kernel.tiles.picture import SIDE

add_hues(light={"sand": "#d9b27c"}, dark={}, colour_blind={"sand": "#e69f00"})

FOLDER = Path(__file__).parent
MIDDLE = SIDE / 2
LANES = {"blue": 0.0, "green": 10.4, "sand": -10.4}
"""How far a walkway lies beside the middle of its row in plan: on one line none hides another."""
FIRM = {"blue": 11.0, "green": 6.5, "sand": 6.5}
"""Where on a roof a walkway begins, from the middle: it never covers a letter."""
STOREYS = {"blue": 2.0, "green": 3.6, "sand": 5.2}
TALLEST = 5.8
COLUMN = (WIDTH - 2 * PAD + 8) / 3  # of the supply
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
    letters = {f"{colour}_letter": name[0].upper() for colour, name in names.items()}
    drawn = shapes(FOLDER, theme_name, **letters, **_air(theme))
    common = "cloud birds-1 birds-2 birds-3 birds-4 roof-blue roof-green roof-sand"
    found = {name: drawn[name] for name in common.split()}
    for length, votes in zip(lengths, VOTES, strict=True):
        found[f"plate-{length}"] = shapes(FOLDER, theme_name, votes=str(votes))["plate"]
    if view == "skyline":
        found |= {name: drawn[name] for name in ("cloud-sea", "puff-0", "puff-1")}
        found |= _shadow_shapes()
        for colour in COLOURS:
            found[f"tower-{colour}"] = _tower(colour, letters[f"{colour}_letter"], theme)
        found |= _bridge_shapes(theme)
    else:
        found["bank"] = drawn["bank"]
        for colour in COLOURS:
            found |= {f"bar-{colour}-{length}": _bar(colour, length, theme) for length in lengths}
    return "".join(group(body, name) for name, body in found.items())


def _air(theme: Theme) -> dict[str, str]:
    """The colours of terraces and clouds, and how thick these are: in the dark they glow."""
    cloud, water = theme["cloud"], theme["water"]
    if theme.name != "dark":
        return {"terrace": cloud, "curl": lighter(cloud, 0.55), "white": "#ffffff", "haze": "0.7"}
    terrace, white = mixed(cloud, water, 0.2), lighter(mixed(cloud, water, 0.35), 0.12)
    return {"terrace": terrace, "curl": lighter(terrace, 0.1), "white": white, "haze": "0.35"}


# --- walkways from above


def _level(colour: str) -> int:
    return COLOURS.index(colour) + 1


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


# --- what stands, and its shadows


def _shadow_shapes() -> dict[str, str]:
    """The shadows of buildings, whole and by squares, and those straight below walkways."""
    found = {f"shade-{colour}": _flat(_shadow(colour)) for colour in COLOURS}
    found |= {
        f"shade-{colour}-{nth}": _flat(_shadow_on(colour, *where))
        for colour in COLOURS
        for nth, where in enumerate(SHADED)
    }
    for length in range(1, LENGTHS + 1):
        row = [(-BROAD, 0.0), (-BROAD, length), (BROAD, length), (BROAD, 0.0)]
        found[f"below-row-{length}"] = _flat(row)
        found[f"below-column-{length}"] = _flat([(col, row) for row, col in row])
    return found


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
        shape = iso.cut(iso.cut(shape, axis, low, 1), axis, low + 1, -1)
    return shape


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
        + shapes(FOLDER, theme.name)["bushes"]
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
