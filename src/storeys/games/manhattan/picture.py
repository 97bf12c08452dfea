"""Manhattan drawn: six cities with towers of coloured blocks, cards, stocks, the score track."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from storeys.games.manhattan.art import (
    AREA,
    BAR,
    CELL,
    FLAT,
    HALF,
    HEAD,
    HIGH,
    LABELS,
    ROOF,
    definitions,
)
from storeys.games.manhattan.marks import (
    Site,
    Tower,
    View,
    badge_of,
    city_words,
    colours_of,
    height_of,
    ink_for,
    leader_of,
    mark_of,
    picks_now,
    sign_of,
    tallest_tower,
    tower_words,
    towers_by_colour,
    towers_words,
)
from storeys.games.manhattan.panels import (
    hands_area,
    pick_panel,
    score_track,
    scores_area,
    stock_area,
)
from storeys.games.manhattan.state import CELLS, CITIES
from storeys.kernel.components import ComponentSet
from storeys.kernel.drawing import isometric as iso
from storeys.kernel.drawing.isometric import ACROSS, DOWN, STOREY, Isometric
from storeys.kernel.drawing.scene import Area, Badge, Drawn, Look, Scene
from storeys.kernel.drawing.svg import (
    moved,
    number,
    pick,
    picture_of,
    points,
    polygon,
    text,
    use,
)
from storeys.kernel.drawing.themes import mixed
from storeys.kernel.messages import Message

LEAST = 6  # storeys of head-room that the skyline always keeps


def scene(
    view: View,
    components: ComponentSet,
    names: Sequence[str],
    look: Look,
    winners: Sequence[int] = (),
) -> Scene:
    """The whole table as a seat sees it."""
    tallest = tallest_tower(view)
    panels = [
        Area(
            "scores",
            f"{_score_key(view, names)}{list(winners)}",
            lambda: scores_area(view, names, look, winners),
        ),
        Area("scores-track", _score_key(view, names), lambda: score_track(view, names, look)),
        Area("hand", _hand_key(view, names), lambda: hands_area(view, names, look)),
        Area(
            "stock",
            _key(view, "stock", "picked", "players", "seat"),
            lambda: stock_area(view, look),
        ),
    ]
    if picks_now(view):
        key = _key(view, "stock", "picked", "players", "options", "seat")
        panels.insert(1, Area("pick", key, lambda: pick_panel(view, look)))
    return Scene(
        box=(view["game"], components.hash),
        label=Message("manhattan.title").text(look.lang),
        defs=definitions(look.theme.name, look.view),
        cities=[_city(view, city, tallest, look) for city in range(len(CITIES))],
        panels=panels,
    )


def lit(part: Mapping[str, Any], seat: int) -> list[tuple[int, ...]]:
    """The sites of the towers that a part of a score counted, when it did."""
    return [(city, cell - 1) for city, cell in part.get("sites", [])]


def badges(players: int, seat: int, look: Look) -> list[Badge]:
    """The marks of a seat's colours."""
    return [badge_of(colour, look) for colour in colours_of({"players": players}, seat)]


def picks(move: Mapping[str, Any]) -> dict[str, str]:
    """What has to be picked for a move."""
    if move["kind"] == "redraw":
        return {"action": "redraw"}
    if move["kind"] == "pick":
        counts = {f"n{size}": str(n) for size, n in enumerate(move["blocks"], start=1)}
        return {"colour": str(move["colour"]), **counts}
    block = f"{move['colour']}-{move['size']}"
    if move["kind"] == "forfeit":
        return {"action": "forfeit", "block": block}
    site = f"{move['city']}-{move['cell']}"
    return {"card": str(move["card"]), "block": block, "site": site}


def _key(view: View, *parts: str) -> str:
    return str([view.get(part) for part in parts])


def _score_key(view: View, names: Sequence[str]) -> str:
    parts = ("scores", "to_move", "phase", "round", "starter", "players")
    return f"{_key(view, *parts)}{list(names)}"


def _hand_key(view: View, names: Sequence[str]) -> str:
    parts = ("hands", "seat", "players", "pile", "discard", "phase", "redrawn", "to_move")
    return f"{_key(view, *parts)}{list(names)}"


# --- cities


def _city(view: View, city: int, tallest: tuple[int, Site | None], look: Look) -> Area:
    towers, player = view["towers"][city], view.get("seat") is not None
    most, first = tallest
    star = first[1] if first is not None and first[0] == city else None
    room = max(LEAST, most) if look.view == "skyline" else 0
    return Area(
        f"city-{city}",
        f"{towers}{player}{star}{room}",
        lambda: draw_city(city, towers, player, star, room, look),
        city_words(city, look.lang),
    )


def draw_city(
    city: int, towers: Sequence[Tower], player: bool, star: int | None, room: int, look: Look
) -> Drawn:
    """A city's area, in plan or from the air; ``star`` is its cell with the tallest tower."""
    skyline = look.view == "skyline"
    high = HIGH if skyline else HEAD + LABELS + 3 * CELL + 10
    frame = (
        f'<rect width="{number(AREA)}" height="{number(high)}" rx="12" fill="{look.theme.panel}" '
        f'stroke="{look.theme.line}"/>'
    )
    spoken = []
    for cell, tower in enumerate(towers):
        words = tower_words(city, cell, tuple((block[0], block[1]) for block in tower), look.lang)
        spoken.append(_spoken(city, cell, words, player))
    if skyline:
        body = _skyline(city, towers, spoken, star, room, look)
    else:
        body = _plan(city, towers, spoken, star, look)
    return Drawn(AREA, high, frame + _city_head(city, towers, look) + body)


def _spoken(city: int, cell: int, words: str, player: bool) -> str:
    """The attributes of a site: to be picked by a player, to be looked at by a spectator."""
    return pick(words, site=f"{city}-{cell + 1}") if player else picture_of(words)


def _city_head(city: int, towers: Sequence[Tower], look: Look) -> str:
    """The landmark and the name of a city; to the right, who has how many towers in it."""
    theme = look.theme
    icon = moved(use(f"landmark-{city}", 0, 0, f'fill="{theme.quiet}"'), 12, 10, 0.6)
    name = text(city_words(city, look.lang), 54, 25, 15, theme.ink, weight=600)
    counts, leader = towers_by_colour(towers), leader_of(towers)
    chips = []
    for nth, colour in enumerate(sorted(counts, reverse=True)):
        chips.append(_count_chip(colour, counts[colour], colour == leader, nth, look))
    return icon + name + "".join(chips)


def _count_chip(colour: int, count: int, leads: bool, nth: int, look: Look) -> str:
    """How many towers a colour has in a city; a line under who leads."""
    x, theme = AREA - 40 - nth * 30, look.theme
    body = mark_of(colour, look, x, 11.5, 15)
    body += text(str(count), x + 22, 24, 13, theme.ink, "middle", 800 if leads else 400)
    if leads:
        body += f'<path d="M{number(x)} 31h28" stroke="{theme.ink}" stroke-width="2"/>'
    return f"<g {picture_of(towers_words(colour, count, look.lang))}>{body}</g>"


def _lit_cells(look: Look, city: int) -> list[int]:
    """The cells of a city that are lit up."""
    return [where[1] for where in look.highlight if where[0] == city and where[1] in range(CELLS)]


# --- in plan


def _plan(
    city: int, towers: Sequence[Tower], spoken: Sequence[str], star: int | None, look: Look
) -> str:
    """A city from above: streets, plots, and the towers as roofs."""
    sites = []
    for cell, tower in enumerate(towers):
        art = _tower_in_plan(tower, cell == star, look) if tower else use("lawn", 0, 0)
        body = use("plot", 0, 0) + art
        place = f"translate({number(cell % 3 * CELL)} {number(cell // 3 * CELL)})"
        sites.append(f'<g transform="{place}" {spoken[cell]}>{body}</g>')
    lit = "".join(
        f'<rect x="{number(cell % 3 * CELL + 3)}" y="{number(cell // 3 * CELL + 3)}" '
        f'width="{number(CELL - 6)}" height="{number(CELL - 6)}" rx="7" fill="none" '
        f'stroke="{look.theme.lit}" stroke-width="4.5"/>'
        for cell in _lit_cells(look, city)
    )
    left, top = AREA - 3 * CELL - 10, HEAD + LABELS
    return moved(use("streets", 0, 0) + "".join(sites) + lit, left, top) + _plan_labels(look)


def _plan_labels(look: Look) -> str:
    """The letters of the columns and the numbers of the rows."""
    left, top = AREA - 3 * CELL - 10, HEAD + LABELS
    quiet = look.theme.quiet
    return "".join(
        text("abc"[n], left + (n + 0.5) * CELL, top - 5, 13, quiet, "middle")
        + text(str(n + 1), left - 8, top + (n + 0.5) * CELL + 5, 13, quiet, "end")
        for n in range(3)
    )


def _tower_in_plan(tower: Tower, tallest: bool, look: Look) -> str:
    """A roof in its owner's colour with the height, and the blocks below it as a bar."""
    owner, height = tower[-1][0], height_of(tower)
    ink, sign = ink_for(owner, look), sign_of(owner, look.lang)
    reach = number(2 + min(height, 12) * 0.8)
    x, y = 6.0, (CELL - ROOF) / 2
    shadow = (
        f'<path d="M{number(x)} {number(y + ROOF)}l{reach} {reach}h{number(ROOF)}v{number(-ROOF)}'
        f'l-{reach} -{reach}z" fill="{look.theme.shadow}" fill-opacity="0.22"/>'
    )
    middle = x + ROOF / 2
    words = text(sign, middle, y + 20, 11.5, ink, "middle", 700)
    words += text(str(height), middle, y + 43, 25, ink, "middle", 800)
    crest = use("star", x + 2, y + 2) if tallest else ""
    return shadow + use(f"roof-{owner}", x, y) + words + crest + _bar(tower, height)


def _bar(tower: Tower, height: int) -> str:
    """The blocks of a tower from the ground up, seen from the side."""
    low, parts = 0, []
    for colour, size in tower:
        low += size
        parts.append(use(f"bar-{colour}-{size}", 0, -low * BAR))
    room = CELL - 16
    squeezed = min(1.0, room / (height * BAR))
    scale = f" scale(1 {squeezed:.3f})" if squeezed < 1 else ""
    place = f"translate({number(CELL - 18)} {number(CELL - 8)})"
    return f'<g transform="{place}{scale}">{"".join(parts)}</g>'


# --- from the air


def _skyline(
    city: int,
    towers: Sequence[Tower],
    spoken: Sequence[str],
    star: int | None,
    room: int,
    look: Look,
) -> str:
    """A city as stacks of blocks on its ground, made to fit its area."""
    space = Isometric(3, 3, look.turn, room + 0.8)
    order = sorted(range(CELLS), key=lambda cell: space.depth(cell // 3, cell % 3))
    lit = _lit_cells(look, city)
    parts = [_base(space), _flat(space, lit, look), _shadows(space, towers)]
    for cell in order:
        x, y = space.point(cell // 3 + 0.5, cell % 3 + 0.5)
        art = _stack(towers[cell]) if towers[cell] else use("trees", 0, 0)
        place = f"translate({number(x)} {number(y)})"
        parts.append(f'<g transform="{place}" {spoken[cell]}>{use("site", 0, 0)}{art}</g>')
    for cell in lit:
        x, y = space.point(cell // 3 + 0.5, cell % 3 + 0.5)
        parts.append(moved(_outline(height_of(towers[cell]), look), x, y))
    parts.append(_plates(space, towers, order, star, look))
    parts.append(_ground_labels(space, look))
    below = 22.0
    high = space.height + below
    scale = min((AREA - 24) / space.width, (HIGH - HEAD - 12) / high)
    top = HIGH - 6 - high * scale
    horizon = top + (space.storeys * STOREY + 1.1 * DOWN) * scale
    x = (AREA - space.width * scale) / 2
    return _backdrop(city, horizon, look) + moved("".join(parts), x, top, scale)


def _backdrop(city: int, horizon: float, look: Look) -> str:
    """The sky, and far away what the city is known for."""
    theme, low = look.theme, HIGH - 8 - HEAD
    sky = (
        f'<rect x="8" y="{number(HEAD + 2)}" width="{number(AREA - 16)}" height="{number(low)}" '
        f'rx="8" fill="{mixed(theme.panel, theme["water"], 0.13)}"/>'
    )
    far = f'fill="{mixed(theme.panel, theme["water"], 0.3)}"'
    hills = (
        f'<path d="M8 {number(horizon)}q34-16 69-6q40-14 79-2q30-12 61-4q30-6 63 6'
        f'V{number(HIGH - 14)}q0 8-8 8H16q-8 0-8-8z" '
        f'fill="{mixed(theme.panel, theme["grass"], 0.22)}"/>'
    )
    shape = use(f"landmark-{city}", 0, 0, far)
    return sky + moved(shape, AREA / 2 - 111, horizon - 111, 3.7) + hills


def _base(space: Isometric) -> str:
    """The two visible edges of the ground, a little thick."""
    x, y = space.width / 2, space.storeys * STOREY + 6 * DOWN
    return use("edge", x, y)


def _flat(space: Isometric, lit: Sequence[int], look: Look) -> str:
    """Streets and plots, laid on the ground, with what is lit up."""
    frames = "".join(
        f'<rect x="{number(cell % 3 * FLAT + 1.5)}" y="{number(cell // 3 * FLAT + 1.5)}" '
        f'width="{number(FLAT - 3)}" height="{number(FLAT - 3)}" rx="3" fill="{look.theme.lit}" '
        f'fill-opacity="0.45" stroke="{look.theme.lit}" stroke-width="3"/>'
        for cell in lit
    )
    return f'<g transform="{space.ground(FLAT)}">{use("ground", 0, 0)}{frames}</g>'


def _shadows(space: Isometric, towers: Sequence[Tower]) -> str:
    """What the towers throw on the ground, no further than it goes."""
    parts = []
    for cell, tower in enumerate(towers):
        if tower:
            row, col = space.turned(cell // 3 - 1, cell % 3 - 1)
            parts.append(_shadow(round(row) + 1, round(col) + 1, min(height_of(tower), 8)))
    place = f"translate({number(space.width / 2)} {number(space.storeys * STOREY)})"
    return f'<g transform="{place}" fill="#000000" fill-opacity="0.22">{"".join(parts)}</g>'


@functools.cache
def _shadow(row: int, col: int, height: int) -> str:
    """A shadow to the right of a tower, cut where the ground ends; rows as the looker counts."""
    r, c, reach = row + 0.5, col + 0.5, height * 0.16
    north, south = (r - HALF, c - HALF), (r + HALF, c + HALF)
    west, east = (r + HALF, c - HALF), (r - HALF, c + HALF)
    far = [(a - reach, b + reach) for a, b in (south, east, north)]
    shape = _cut([(3 - b, a) for a, b in _cut([north, west, south, *far])])
    corners = [((3 - b - a) * ACROSS, (3 - b + a) * DOWN) for b, a in shape]
    return f'<polygon points="{points(corners)}"/>'


def _cut(shape: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """What of a shape has a first coordinate of 0 or more."""
    kept: list[tuple[float, float]] = []
    for (a, b), (c, d) in zip(shape, [*shape[1:], shape[0]], strict=True):
        if a >= 0:
            kept.append((a, b))
        if (a >= 0) != (c >= 0):
            share = a / (a - c)
            kept.append((0.0, b + (d - b) * share))
    return kept


def _stack(tower: Tower) -> str:
    """The blocks of a tower, one on the other, around the centre of its site."""
    low, parts = 0, []
    for colour, size in tower:
        parts.append(use(f"block-{colour}-{size}", 0, -low * STOREY))
        low += size
    return "".join(parts)


def _outline(height: int, look: Look) -> str:
    """A line around a tower that is lit up."""
    top, base = iso.corners(HALF, height), iso.corners(HALF, 0)
    shape = [top["n"], top["e"], base["e"], base["s"], base["w"], top["w"]]
    halo = f'stroke="{look.theme.panel}" stroke-width="5"'
    line = f'stroke="{look.theme.lit}" stroke-width="2.6"'
    both = polygon(shape, halo) + polygon(shape, line)
    return f'<g fill="none" stroke-linejoin="round" pointer-events="none">{both}</g>'


def _plates(
    space: Isometric, towers: Sequence[Tower], order: Sequence[int], star: int | None, look: Look
) -> str:
    """Whose and how high, above each tower; what stands behind another has its plate above."""
    above: dict[int, float] = {}
    parts = []
    for cell in reversed(order):
        if towers[cell]:
            height = height_of(towers[cell])
            x, y = space.point(cell // 3 + 0.5, cell % 3 + 0.5, height)
            column = round(x)
            top = min(y - 18, above.get(column, y) - 14)
            above[column] = top
            parts.append(_plate(towers[cell][-1][0], height, cell == star, x, top, look))
    return f'<g pointer-events="none">{"".join(parts)}</g>'


def _plate(colour: int, height: int, tallest: bool, x: float, y: float, look: Look) -> str:
    sign = sign_of(colour, look.lang)
    size = 8.5 if len(sign) == 1 else 6.5
    words = text(sign, x - 6.2, y + 9.7, size, ink_for(colour, look), "middle", 800)
    words += text(str(height), x + 5.2, y + 9.9, 9.5, look.theme.ink, "middle", 800)
    crest = moved(use("star", 0, 0), x + 10.5, y + 1.5, 0.68) if tallest else ""
    return use(f"plate-{colour}", x, y) + words + crest


def _ground_labels(space: Isometric, look: Look) -> str:
    """The names of columns and rows at the two near edges of the ground."""
    parts = []
    for nth in range(3):
        for name, along in (("abc"[nth], "row"), (str(nth + 1), "col")):
            ends = [(-0.22, nth + 0.5), (3.22, nth + 0.5)]
            spots = ends if along == "row" else [(c, r) for r, c in ends]
            near = max(spots, key=lambda spot: space.depth(*spot))
            x, y = space.point(*near)
            parts.append(text(name, x, y + 11, 9, look.theme.quiet, "middle", 600))
    return "".join(parts)
