"""Neoville's shapes, once a theme: those of ``shapes.svg``, and the skyscrapers."""

import functools
from pathlib import Path

from storeys.games.neoville.state import TERRAINS, VALUES
from storeys.kernel.drawing import isometric as iso
from storeys.kernel.drawing.shapes import shapes
from storeys.kernel.drawing.svg import group, moved, number, text
from storeys.kernel.drawing.themes import THEMES, Theme, add_hues, darker, ink_on, lighter

add_hues(
    light={"earth": "#c98b62", "sport": "#b5533c"},
    dark={"earth": "#a8704c", "sport": "#e08a6d"},
    colour_blind={"earth": "#d99a6c", "sport": "#a34700"},
)

FOLDER = Path(__file__).parent
STOREYS_OF_A_POINT = 0.8


def wall_of(terrain: str, theme: Theme) -> str:
    """The colour of a terrain's skyscrapers, darker than its squares."""
    return darker(theme[terrain], 0.32)


@functools.cache
def definitions(theme_name: str, view: str) -> str:
    """What a picture uses again and again."""
    theme, drawn = THEMES[theme_name], shapes(FOLDER, theme_name)
    found = {name: drawn[name] for name in (*TERRAINS, "park", "sport")}
    if view == "skyline":
        plinth = iso.prism(0.36, 0, 0.35, lighter(theme["stone"], 0.4))  # what a utility stands on
        found |= {"lawn": drawn["lawn"], "trees": drawn["trees"], "plinth": plinth}
        found |= {
            f"tower-{terrain}-{value}": _tower(terrain, value, theme)
            for terrain in TERRAINS
            for value in VALUES
        }
    return "".join(group(body, name) for name, body in found.items())


def _tower(terrain: str, value: int, theme: Theme) -> str:
    """A skyscraper of a terrain, as high as its value; the number is on its roof."""
    wall, storeys = wall_of(terrain, theme), value * STOREYS_OF_A_POINT
    shaft, top = round(storeys * 0.62), -storeys * iso.STOREY
    lit = theme["window-lit"] if theme.name == "dark" else lighter(wall, 0.55)
    upper_windows = iso.windows(0.27, 0, round(storeys) - shaft, lit, 2)
    return (
        iso.lying_shadow(0.38, storeys, theme.shadow)
        + iso.prism(0.38, 0, shaft, wall)
        + iso.windows(0.38, 0, shaft, lit)
        + iso.prism(0.27, shaft, storeys, lighter(wall, 0.08))
        + moved(upper_windows, 0, -shaft * iso.STOREY)
        + _crown(terrain, top, theme)
        + f'<rect x="-10" y="{number(top - 27)}" width="20" height="15" rx="4" '
        f'fill="{theme.panel}" stroke="{darker(wall, 0.4)}"/>'
        + text(str(value), 0, top - 15.5, 12, ink_on(theme.panel), "middle", 800)
    )


def _crown(terrain: str, top: float, theme: Theme) -> str:
    """What each terrain's skyscrapers wear: tiles, leaves, battlements, a waterfall."""
    y, wall, leaf = number(top), wall_of(terrain, theme), theme["park"]
    if terrain == "grass":
        crowns = (-7, 2, darker(leaf, 0.1)), (7, 2, leaf), (0, 6, lighter(leaf, 0.15))
        return "".join(
            f'<circle cx="{x}" cy="{number(top - high)}" r="7" fill="{fill}"/>'
            for x, high, fill in crowns
        )
    if terrain == "water":
        white, fall = lighter(theme["water"], 0.75), f"v{number(-top * 0.38)}"
        return (
            f'<path d="M-9 {number(top + 3)}{fall}M-4 {number(top + 6)}{fall}'
            f'M-6.500 {number(top + 4)}{fall}" '
            f'stroke="{white}" stroke-width="2" stroke-linecap="round"/>'
            f'<ellipse cx="0" cy="{y}" rx="9" ry="4.500" fill="{white}"/>'
        )
    if terrain == "earth":
        right = f"{number(top - 12)}L14 {y}L0 {number(top + 8)}z"
        return (
            f'<path d="M-14 {y}L0 {right}" '
            f'fill="{darker(wall, 0.1)}" stroke="{darker(wall, 0.5)}" stroke-width="0.6"/>'
            f'<path d="M0 {right}" fill="{darker(wall, 0.35)}"/>'
        )
    return iso.prism(0.12, -top / iso.STOREY, -top / iso.STOREY + 0.8, lighter(wall, 0.15))
