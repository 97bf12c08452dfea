"""Cloud City's shapes, once a theme: those of ``shapes.svg``, and the shadows on the ground."""

import functools
from collections.abc import Iterable
from pathlib import Path

from storeys.games.cloud_city.state import COLOURS, LENGTHS, VOTES
from storeys.kernel.drawing import isometric as iso
from storeys.kernel.drawing.isometric import ACROSS, DOWN, Point
from storeys.kernel.drawing.shapes import shapes
from storeys.kernel.drawing.svg import group, moved, number, polygon
from storeys.kernel.drawing.themes import THEMES, Theme, add_hues, darker, lighter, mixed
from storeys.kernel.messages import Message
from storeys.kernel.tiles.picture import SIDE

add_hues(light={"sand": "#d9b27c"}, dark={}, colour_blind={"sand": "#e69f00"})

FOLDER = Path(__file__).parent
LANES = {"blue": 0.0, "green": 10.4, "sand": -10.4}
"""How far a walkway lies beside the middle of its row in plan: on one line none hides another."""
FIRM = {"blue": 11.0, "green": 6.5, "sand": 6.5}
"""Where on a roof a walkway begins, from the middle: it never covers a letter."""
STOREYS = {"blue": 2.0, "green": 3.6, "sand": 5.2}
SHADED = ((0, 0), (-1, 0), (0, 1), (-1, 1))
"""The squares that a building throws its shadow on, as the looker counts."""
BROAD = 0.11  # half the width of a bridge
COMMON = ("cloud", "birds-1", "birds-2", "birds-3", "birds-4", "roof-blue", "roof-green",
          "roof-sand")  # fmt: skip
BRIDGES = [f"{along}-{piece}" for along in ("row", "column") for piece in ("whole", "near", "far")]


@functools.lru_cache(2048)
def definitions(theme_name: str, view: str, lang: str) -> str:
    """What a picture uses again and again."""
    theme, lengths = THEMES[theme_name], range(1, LENGTHS + 1)
    names = {colour: Message(f"cloud-city.colour.{colour}").text(lang) for colour in COLOURS}
    letters = {f"{colour}_letter": name[0].upper() for colour, name in names.items()}
    drawn = shapes(FOLDER, theme_name, **letters, **_lights(theme))
    found = {name: drawn[name] for name in COMMON}
    for length, votes in zip(lengths, VOTES, strict=True):
        found[f"plate-{length}"] = shapes(FOLDER, theme_name, votes=str(votes))["plate"]
    if view == "skyline":
        found |= {name: drawn[name] for name in ("cloud-sea", "puff-0", "puff-1")}
        found |= _shadow_shapes()
        found |= {f"tower-{colour}": drawn[f"tower-{colour}"] for colour in COLOURS}
        for colour in COLOURS:
            walled = shapes(FOLDER, theme_name, wall=theme[colour])
            found |= {name: walled[name] for name in (f"bridge-{colour}-{b}" for b in BRIDGES)}
    else:
        found["bank"] = drawn["bank"]
        for colour in COLOURS:
            start, lane = FIRM[colour], LANES[colour]
            for length in lengths:
                bar = draw_walkway("bar", colour, start, length * SIDE - start, theme_name)
                found[f"bar-{colour}-{length}"] = moved(bar, 0, lane)
    return "".join(group(body, name) for name, body in found.items())


def _lights(theme: Theme) -> dict[str, str]:
    """The colours that the dark changes: clouds glow, and lit windows are brighter than walls."""
    cloud, water, walls = theme["cloud"], theme["water"], {c: theme[c] for c in COLOURS}
    air = {"terrace": cloud, "curl": lighter(cloud, 0.55), "white": "#ffffff", "haze": "0.7"}
    panes = {c: lighter(walls[c], 0.6) for c in COLOURS} | {"sand": darker(walls["sand"], 0.5)}
    if theme.name == "dark":
        terrace, white = mixed(cloud, water, 0.2), lighter(mixed(cloud, water, 0.35), 0.12)
        air = {"terrace": terrace, "curl": lighter(terrace, 0.1), "white": white, "haze": "0.35"}
        walls = {c: darker(wall, 0.2) for c, wall in walls.items()}
        panes = dict.fromkeys(COLOURS, theme["window-lit"])
    return air | {f"{c}_wall": walls[c] for c in COLOURS} | {f"{c}_pane": panes[c] for c in COLOURS}


def draw_walkway(shape: str, colour: str, start: float, stop: float, theme_name: str) -> str:
    """A walkway from above, along a row: a plank, or a bar, which has a shadow."""
    ends = {"start": start, "wide": stop - start, "first": start + 2, "last": stop - 2}
    given = {name: number(end) for name, end in ends.items()}
    return shapes(FOLDER, theme_name, **given)[f"{shape}-{colour}"]


# --- shadows


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
