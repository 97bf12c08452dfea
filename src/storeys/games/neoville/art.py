"""Neoville's shapes: terrains, parks, sports grounds, skyscrapers, drawn once a theme."""

import functools

from storeys.games.neoville.state import TERRAINS, VALUES
from storeys.kernel.drawing import isometric as iso
from storeys.kernel.drawing.svg import group, moved, number, text
from storeys.kernel.drawing.themes import THEMES, Theme, add_hues, darker, ink_on, lighter
from storeys.kernel.tiles.picture import SIDE

add_hues(
    light={"earth": "#c98b62", "sport": "#b5533c"},
    dark={"earth": "#a8704c", "sport": "#e08a6d"},
    colour_blind={"earth": "#d99a6c", "sport": "#a34700"},
)

STOREYS_OF_A_POINT = 0.8


def wall_of(terrain: str, theme: Theme) -> str:
    """The colour of a terrain's skyscrapers, darker than its squares."""
    return darker(theme[terrain], 0.32)


@functools.cache
def definitions(theme_name: str, view: str) -> str:
    """What a picture uses again and again."""
    theme = THEMES[theme_name]
    shapes = {terrain: _ground_square(terrain, theme) for terrain in TERRAINS}
    shapes |= {"park": _park(theme), "sport": _sport(theme)}
    if view == "skyline":
        plinth = iso.prism(0.36, 0, 0.35, lighter(theme["stone"], 0.4))  # what a utility stands on
        shapes |= {"lawn": _lawn(theme), "trees": _upright_trees(theme), "plinth": plinth}
        shapes |= {
            f"tower-{terrain}-{value}": _tower(terrain, value, theme)
            for terrain in TERRAINS
            for value in VALUES
        }
    return "".join(group(body, name) for name, body in shapes.items())


def _ground_square(terrain: str, theme: Theme) -> str:
    """A square of a terrain: its colour, and a texture that tells it without colour."""
    base = theme[terrain]
    mark = darker(base, 0.22)
    side = number(SIDE)
    textures = {
        "earth": f'<path d="M8 9h.1M20 6h.1M29 13h.1M13 20h.1M25 25h.1M6 29h.1M17 31h.1M31 31h.1" '
                 f'stroke="{mark}" stroke-width="3.4" stroke-linecap="round"/>',
        "grass": f'<path d="M7 13l2-6l2 6M22 11l2-6l2 6M12 27l2-6l2 6M25 30l2-6l2 6" fill="none" '
                 f'stroke="{mark}" stroke-width="1.5" stroke-linecap="round"/>',
        "stone": f'<path d="M0 12h36M0 24h36M12 0v12M27 0v12M6 12v12M21 12v12M12 24v12M27 24v12" '
                 f'stroke="{mark}" stroke-width="1.1"/>',
        "water": f'<path d="M3 11q4-4 8 0t8 0t8 0t8 0M3 20q4-4 8 0t8 0t8 0t8 0M3 29q4-4 8 0t8 0t8 0'
                 f't8 0" fill="none" stroke="{lighter(base, 0.45)}" stroke-width="1.6"/>',
    }  # fmt: skip
    return f'<rect width="{side}" height="{side}" fill="{base}"/>{textures[terrain]}'


def _park(theme: Theme) -> str:
    """A park from above: a lawn with three trees."""
    leaf, light = theme["park"], lighter(theme["park"], 0.45)
    crowns = _circles((13, 14, 6, leaf), (23.5, 17, 6.5, lighter(leaf, 0.15)))
    crowns += _circles((15, 24, 5.5, darker(leaf, 0.15)))
    return _lawn(theme) + crowns + _circles((11.5, 12.5, 1.6, light), (22, 15.5, 1.7, light))


def _circles(*circles: tuple[float, float | str, float | str, str]) -> str:
    """Filled circles: x, y, radius and colour of each."""
    return "".join(
        f'<circle cx="{x}" cy="{y}" r="{r}" fill="{fill}"/>' for x, y, r, fill in circles
    )


def _lawn(theme: Theme) -> str:
    return (
        f'<circle cx="18" cy="18" r="15" fill="{lighter(theme["park"], 0.62)}" '
        f'stroke="{theme["park"]}" stroke-width="1.5"/>'
    )


def _sport(theme: Theme) -> str:
    """A sports ground from above: a running track around a field."""
    track, field = theme["sport"], lighter(theme["grass"], 0.2)
    return (
        f'<rect x="3" y="7" width="30" height="22" rx="11" fill="{track}"/>'
        f'<rect x="5" y="9" width="26" height="18" rx="9" fill="none" stroke="#ffffff" '
        f'stroke-width="0.9"/>'
        f'<rect x="8" y="12" width="20" height="12" rx="3" fill="{field}" stroke="#ffffff" '
        f'stroke-width="1"/>'
        '<path d="M18 12v12" stroke="#ffffff" stroke-width="1"/>'
        '<circle cx="18" cy="18" r="2.6" fill="none" stroke="#ffffff" stroke-width="1"/>'
    )


def _upright_trees(theme: Theme) -> str:
    """The trees of a park, standing."""
    leaf, sunlit = theme["park"], lighter(theme["park"], 0.22)
    return "".join(
        f'<path d="M{x - 1} {y}h2v-9h-2z" fill="#6b4b32"/>'
        + _circles((x, y - 12, r, leaf), (x - 2, y - 14, f"{r * 0.55:.1f}", sunlit))
        for x, y, r in ((-9, -2, 6.5), (8, -5, 7.5), (0, 5, 6.5))
    )


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
        low, high = number(top - 2), number(top - 6)
        middle = (0, high, 7, lighter(leaf, 0.15))
        return _circles((-7, low, 7, darker(leaf, 0.1)), (7, low, 7, leaf), middle)
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
