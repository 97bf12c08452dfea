"""Manhattan drawn: six cities with towers of coloured blocks, cards, stocks, the score track."""

import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

from storeys.games.manhattan import art, board, panels
from storeys.games.manhattan.art import AREA, BAR, CELL, FLAT, HALF, HEAD, HIGH, LABELS, ROOF, words
from storeys.games.manhattan.board import Blocks, Tower, blocks_of, height_of
from storeys.games.manhattan.moves import city_label, sign_label, towers_label
from storeys.games.manhattan.state import CELLS
from storeys.kernel.components import ComponentSet
from storeys.kernel.drawing import isometric as iso
from storeys.kernel.drawing import plots
from storeys.kernel.drawing.isometric import STOREY, Isometric
from storeys.kernel.drawing.panels import Names, View
from storeys.kernel.drawing.scene import Area, Badge, Drawn, Look, Scene, key_of_content
from storeys.kernel.drawing.svg import (
    moved,
    number,
    pick,
    picture_of,
    piece,
    polygon,
    rect,
    text,
    tip,
    use,
)
from storeys.kernel.drawing.themes import mixed

LEAST = 4  # storeys of head-room that the skyline always keeps
SITES_KEPT = 8192
"""Sites that are not drawn again: a move changes one."""
PLAN_LEFT, PLAN_TOP = AREA - 3 * CELL - 10, HEAD + LABELS
PLATE = 34.0, 21.0
"""How wide and high the plate above a tower is; with what lies between two of them."""


def scene(
    view: View, components: ComponentSet, names: Names, look: Look, winners: Sequence[int] = ()
) -> Scene:
    """The whole table as a seat sees it."""
    score = _key(view, "scores to_move phase round starter players", *names)
    result = score, tuple(winners)
    hand = _key(view, "hands seat players pile discard phase redrawn to_move", *names)
    stock = _key(view, "stock picked players options seat phase to_move")
    areas = [
        Area("scores", result, lambda: panels.scores_area(view, names, look, winners)),
        Area("scores-track", score, lambda: panels.score_track(view, names, look)),
        Area("hand", hand, lambda: panels.hands_area(view, names, look)),
        Area("stock", stock, lambda: panels.stock_area(view, look)),
    ]
    return Scene(
        box=(view["game"], components.hash),
        label=look.say("manhattan.title"),
        defs=art.definitions(look.theme.name, look.view),
        cities=list(_cities(view, look)),
        panels=areas,
    )


def lit(part: Mapping[str, Any], seat: int) -> list[tuple[int, ...]]:
    """The sites of the towers that a part of a score counted, when it did."""
    return [(city, cell - 1) for city, cell in part.get("sites", [])]


def badges(players: int, seat: int, look: Look) -> list[Badge]:
    """The marks of a seat's colours."""
    return [
        plots.badge(colour, look) | {"text": words(look.lang, sign_label, colour)}
        for colour in board.colours_of({"players": players}, seat)
    ]


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
    return {"card": str(move["card"]), "block": block, "site": f"{move['city']}-{move['cell']}"}


def put(move: Mapping[str, Any], seat: int) -> list[str]:
    """The tower that a move builds on."""
    return [tower_name(move["city"], move["cell"])] if move["kind"] == "build" else []


def _key(view: View, parts: str, *others: str) -> bytes:
    """What an area depends on."""
    return key_of_content(*map(view.get, parts.split()), *others)


# --- cities


@dataclass(frozen=True)
class City:
    """What a city shows."""

    nth: int
    towers: Sequence[Tower]
    to_pick: bool
    """Whether its sites can be picked; a spectator only looks at them."""
    star: int | None
    """The cell with the tallest tower of the board (M-16), which is no cell of other cities."""


def _cities(view: View, look: Look) -> Iterator[Area]:
    heights = {
        nth: height_of(tower)
        for nth, tower in enumerate(chain.from_iterable(view["towers"]))
        if tower
    }
    tallest = board.best_alone(heights)
    for nth, towers in enumerate(view["towers"]):
        star = None if tallest is None else tallest - nth * CELLS
        city = City(nth, towers, view.get("seat") is not None, star)
        draw = functools.partial(draw_city, city, look)
        key = key_of_content(nth, towers, city.to_pick, star)
        yield Area(f"city-{nth}", key, draw, words(look.lang, city_label, nth))


def draw_city(city: City, look: Look) -> Drawn:
    """A city's area, in plan or from the air."""
    frame = rect(0, 0, AREA, HIGH, 12, f'fill="{look.theme.panel}" stroke="{look.theme.line}"')
    body = _skyline(city, look) if look.view == "skyline" else _plan(city, look)
    return Drawn(AREA, HIGH, frame + _city_head(city, look) + body)


def _city_head(city: City, look: Look) -> str:
    """The landmark and the name of a city; to the right, who has how many towers in it."""
    theme = look.theme
    icon = moved(use(f"landmark-{city.nth}", 0, 0, f'fill="{theme.quiet}"'), 12, 10, 0.6)
    name = text(words(look.lang, city_label, city.nth), 54, 25, 15, theme.ink, weight=600)
    counts = Counter(tower[-1][0] for tower in city.towers if tower)
    leader, chips = board.best_alone(counts), ""
    for nth, (colour, count) in enumerate(sorted(counts.items(), reverse=True)):
        chips += _count_chip(colour, count, colour == leader, AREA - 40 - nth * 30, look)
    return icon + name + chips


@functools.lru_cache(SITES_KEPT)
def _count_chip(colour: int, count: int, leads: bool, x: float, look: Look) -> str:
    """How many towers a colour has in a city (M-18); a line under who leads (M-17)."""
    ink = look.theme.ink
    body = art.mark_of(colour, look, x, 11.5, 15)
    body += text(str(count), x + 22, 24, 13, ink, "middle", 800 if leads else 400)
    if leads:
        body += f'<path d="M{number(x)} 31h28" stroke="{ink}" stroke-width="2"/>'
    return f"<g {picture_of(words(look.lang, towers_label, colour, count))}>{body}</g>"


class Site(NamedTuple):
    """What a site of a city shows."""

    city: int
    cell: int
    tower: Blocks
    to_pick: bool
    tallest: bool


def _site_of(city: City, cell: int) -> Site:
    tower = tuple([(colour, size) for colour, size in city.towers[cell]])
    return Site(city.nth, cell, tower, city.to_pick, cell == city.star)


def _placed(site: Site, at: tuple[float, float], body: str, look: Look) -> str:
    """A site in its place: to be picked by a player, to be looked at by a spectator."""
    label = art.tower_words(site.city, site.cell, site.tower, look.lang)
    spoken = pick(label, site=f"{site.city}-{site.cell + 1}") if site.to_pick else picture_of(label)
    return f'<g transform="translate({number(at[0])} {number(at[1])})" {spoken}>{body}</g>'


def _lit_cells(city: City, look: Look) -> list[int]:
    """The cells of a city that are lit up."""
    lit_up = [where[1] for where in look.highlight if where[0] == city.nth]
    return [cell for cell in lit_up if cell in range(CELLS)]


# --- in plan


def _plan(city: City, look: Look) -> str:
    """A city from above: streets, plots, and the towers as roofs."""
    unlit = replace(look, highlight=()) if look.highlight else look
    sites = [_site_in_plan(_site_of(city, cell), unlit) for cell in range(CELLS)]
    body = use("streets", 0, 0) + "".join(sites)
    frame = f'fill="none" stroke="{look.theme.lit}" stroke-width="4.5"'
    for cell in _lit_cells(city, look):
        body += rect(cell % 3 * CELL + 3, cell // 3 * CELL + 3, CELL - 6, CELL - 6, 7, frame)
    return moved(body, PLAN_LEFT, PLAN_TOP) + _plan_labels(look.theme.quiet)


@functools.cache
def _plan_labels(ink: str) -> str:
    """The names of columns and rows."""
    return "".join(
        text("abc"[n], PLAN_LEFT + (n + 0.5) * CELL, PLAN_TOP - 5, 13, ink, "middle")
        + text(str(n + 1), PLAN_LEFT - 8, PLAN_TOP + (n + 0.5) * CELL + 5, 13, ink, "end")
        for n in range(3)
    )


@functools.lru_cache(SITES_KEPT)
def _site_in_plan(site: Site, look: Look) -> str:
    """A plot, and what stands on it."""
    built, cell = use("lawn", 0, 0), site.cell
    if site.tower:
        drawing = _tower_in_plan(site, look)
        built = f"<g {_tower_piece(site.city, cell, site.tower)}>{drawing}</g>"
    at = cell % 3 * CELL, cell // 3 * CELL
    return _placed(site, at, use("plot", 0, 0) + built, look)


def _tower_piece(city: int, cell: int, tower: Tower) -> str:
    """The attributes of a tower: it turns where another takes it over (M-12)."""
    return piece(tower_name(city, cell + 1), owner=tower[-1][0])


def tower_name(city: int, cell: int) -> str:
    """What a tower is called, by its city and its cell, the cells from 1."""
    return f"tower-{city}-{cell}"


def _block_piece(city: int, cell: int, nth: int, colour: int, size: int) -> str:
    """The attributes of a block in a tower: it comes from the blocks of this round."""
    kind = f"block-{colour}-{size}"
    return piece(f"{kind}:{city}.{cell}.{nth}", come_from=kind)


def _tower_in_plan(site: Site, look: Look) -> str:
    """A roof in its owner's colour with the height, and the blocks below it as a bar."""
    tower = site.tower
    owner, height = tower[-1][0], height_of(tower)
    ink, sign = art.ink_of(owner, look.theme), words(look.lang, sign_label, owner)
    reach, x, y = number(2 + min(height, 12) * 0.8), 6, 14
    paint = f'fill="{look.theme.shadow}" fill-opacity="0.22"'
    shadow = f'<path d="M6 70l{reach} {reach}h56v-56l-{reach} -{reach}z" {paint}/>'
    label = text(sign, x + ROOF / 2, y + 20, 11.5, ink, "middle", 700)
    label += text(str(height), x + ROOF / 2, y + 43, 25, ink, "middle", 800)
    crest = use("star", x + 2, y + 2, _tallest(look)) if site.tallest else ""
    bar = _bar(site.city, site.cell, tower)
    return shadow + use(f"roof-{owner}", x, y) + label + crest + bar


def _tallest(look: Look) -> str:
    """The attribute of the star on the tallest tower of all."""
    return tip(look.say("manhattan.picture.tallest"))


def _bar(city: int, cell: int, tower: Tower) -> str:
    """The blocks of a tower from the ground up, seen from the side."""
    parts = [
        use(f"bar-{c}-{size}", 0, -(low + size) * BAR, _block_piece(city, cell, nth, c, size))
        for nth, (low, c, size) in enumerate(blocks_of(tower))
    ]
    squeezed = min(1.0, (CELL - 16) / (height_of(tower) * BAR))
    scale = f" scale(1 {squeezed:.3f})" if squeezed < 1 else ""
    place = f"translate({number(CELL - 18)} {number(CELL - 8)})"
    return f'<g transform="{place}{scale}">{"".join(parts)}</g>'


# --- from the air


def _skyline(city: City, look: Look) -> str:
    """A city as stacks of blocks on its ground, as large as its area and its towers allow."""
    tallest = max(LEAST, *map(height_of, city.towers))
    space = Isometric(3, 3, look.turn, tallest + 0.8)
    order = sorted(range(CELLS), key=lambda cell: space.depth(cell // 3, cell % 3))
    lit_cells = _lit_cells(city, look)
    body = use("edge", space.width / 2, space.storeys * STOREY + 6 * iso.DOWN)
    body += _flat(space, lit_cells, look) + _shadows(space, city.towers)
    for cell in order:
        built = use("site", 0, 0) + (_stack(city, cell) or use("trees", 0, 0))
        body += _placed(_site_of(city, cell), _middle(space, cell), built, look)
    for cell in lit_cells:
        outline = _outline(height_of(city.towers[cell]), look)
        body += moved(outline, *_middle(space, cell))
    body += "".join(_ground_labels(space, look))
    high = space.height + 16
    scale = min((AREA - 24) / space.width, (HIGH - HEAD - PLATE[1] - 8) / high)
    top = HIGH - 4 - high * scale
    horizon = top + (space.storeys * STOREY + 1.1 * iso.DOWN) * scale
    left = (AREA - space.width * scale) / 2
    plates = _plates(space, city, order[::-1], (left, top, scale), look)
    return _backdrop(city, horizon, look) + moved(body, left, top, scale) + plates


def _stack(city: City, cell: int) -> str:
    """A tower as its blocks, each on the one before."""
    tower = city.towers[cell]
    blocks = "".join(
        use(f"block-{c}-{size}", 0, -low * STOREY, _block_piece(city.nth, cell, nth, c, size))
        for nth, (low, c, size) in enumerate(blocks_of(tower))
    )
    return f"<g {_tower_piece(city.nth, cell, tower)}>{blocks}</g>" if tower else ""


def _middle(space: Isometric, cell: int, storeys: float = 0) -> tuple[float, float]:
    """The middle of a site, so many storeys above its ground."""
    return space.point(cell // 3 + 0.5, cell % 3 + 0.5, storeys)


def _backdrop(city: City, horizon: float, look: Look) -> str:
    """The sky, and far away what the city is known for."""
    panel, water, grass = look.theme.panel, look.theme["water"], look.theme["grass"]
    sky = rect(8, HEAD + 2, AREA - 16, HIGH - 8 - HEAD, 8, f'fill="{mixed(panel, water, 0.13)}"')
    shape = use(f"landmark-{city.nth}", 0, 0, f'fill="{mixed(panel, water, 0.3)}"')
    hills = (
        f'<path d="M8 {number(horizon)}q34-16 69-6q40-14 79-2q30-12 61-4q30-6 63 6'
        f'V{number(HIGH - 14)}q0 8-8 8H16q-8 0-8-8z" fill="{mixed(panel, grass, 0.22)}"/>'
    )
    return sky + moved(shape, AREA / 2 - 111, horizon - 111, 3.7) + hills


def _flat(space: Isometric, lit_cells: Sequence[int], look: Look) -> str:
    """Streets and plots, laid on the ground, with what is lit up."""
    colour, side = look.theme.lit, FLAT - 3
    paint = f'fill="{colour}" fill-opacity="0.45" stroke="{colour}" stroke-width="3"'
    frames = "".join(
        rect(cell % 3 * FLAT + 1.5, cell // 3 * FLAT + 1.5, side, side, 3, paint)
        for cell in lit_cells
    )
    return f'<g transform="{space.ground(FLAT)}">{use("ground", 0, 0)}{frames}</g>'


def _shadows(space: Isometric, towers: Sequence[Tower]) -> str:
    """What the towers throw on the ground, no further than it goes."""
    shadows = "".join(
        _shadow(*space.turned(cell // 3 - 1, cell % 3 - 1), min(height_of(tower), 8))
        for cell, tower in enumerate(towers)
        if tower
    )
    place = f"translate({number(space.width / 2)} {number(space.storeys * STOREY)})"
    return f'<g transform="{place}" fill="#000000" fill-opacity="0.22">{shadows}</g>'


@functools.cache
def _shadow(row: float, col: float, height: int) -> str:
    """A shadow to the right of a tower, cut where the ground ends.

    Row and column are counted from the middle, as the looker counts.
    """
    r, c, reach = row + 1.5, col + 1.5, height * 0.16
    north, south = (r - HALF, c - HALF), (r + HALF, c + HALF)
    west, east = (r + HALF, c - HALF), (r - HALF, c + HALF)
    far = [(a - reach, b + reach) for a, b in (south, east, north)]
    shape = iso.cut([(3 - b, a) for a, b in iso.cut([north, west, south, *far], 0, 0, 1)], 0, 0, 1)
    corners = [((3 - b - a) * iso.ACROSS, (3 - b + a) * iso.DOWN) for b, a in shape]
    return polygon(corners)


def _outline(height: int, look: Look) -> str:
    """A line around a tower that is lit up."""
    top, base = iso.corners(HALF, height), iso.corners(HALF, 0)
    shape = [top["n"], top["e"], base["e"], base["s"], base["w"], top["w"]]
    both = "".join(
        polygon(shape, f'stroke="{colour}" stroke-width="{width}"')
        for colour, width in ((look.theme.panel, 5), (look.theme.lit, 2.6))
    )
    return f'<g fill="none" stroke-linejoin="round" pointer-events="none">{both}</g>'


def _plates(
    space: Isometric,
    city: City,
    order: Sequence[int],
    place: tuple[float, float, float],
    look: Look,
) -> str:
    """Whose and how high, above each tower; however small the city is drawn, they are alike.

    None lies on another: that of a tower which stands behind another one is above.
    """
    left, top, scale = place
    taken: list[tuple[float, float]] = []
    lines: list[str] = []
    parts: list[str] = []
    for cell in order:
        if tower := city.towers[cell]:
            height = height_of(tower)
            x, y = _middle(space, cell, height)
            x, roof = left + x * scale, top + y * scale
            spot = x, max(iso.clear_of(taken, (x, roof - 4), PLATE)[1], HEAD + PLATE[1])
            taken.append(spot)
            if spot[1] < roof - PLATE[1]:
                lines.append(_leader(tower[-1][0], spot, roof, look))
            parts.append(_plate(tower[-1][0], height, cell == city.star, spot, look))
    return f'<g pointer-events="none">{"".join(lines + parts)}</g>'


def _leader(colour: int, spot: tuple[float, float], roof: float, look: Look) -> str:
    """What leads from a plate down to the tower that it is of, behind others."""
    way = f"M{number(spot[0])} {number(spot[1])}V{number(roof)}"
    return f'<path d="{way}" stroke="{plots.face_of(colour, look.theme)}" stroke-width="2"/>'


def _plate(colour: int, height: int, tallest: bool, spot: tuple[float, float], look: Look) -> str:
    """A plate that stands on a spot: a page that has little room leaves its letters out."""
    fill, ink = plots.face_of(colour, look.theme), art.ink_of(colour, look.theme)
    (wide, high), (x, y) = PLATE, spot
    paint = f'fill="{fill}" stroke="{look.theme.panel}" stroke-width="1.5"'
    back = rect(1.5 - wide / 2, 2 - high, wide - 3, high - 2, 5, paint)
    sign = f'<tspan class="letters">{words(look.lang, sign_label, colour)} </tspan>'
    figure = (
        f'<text y="-4.5" font-size="14" font-weight="800" text-anchor="middle" fill="{ink}">'
        f"{sign}{height}</text>"
    )
    star = use("star", 0, 0, _tallest(look))
    crest = moved(star, wide / 2 - 6, 1 - high, 0.8) if tallest else ""
    where = f"translate({number(x)} {number(y)})"
    return f'<g class="plate" transform="{where}">{back}{figure}{crest}</g>'


def _ground_labels(space: Isometric, look: Look) -> Iterator[str]:
    """The names of columns and rows at the two near edges of the ground."""
    for nth in range(3):
        edges = [(-0.22, nth + 0.5), (3.22, nth + 0.5)]
        for name, spots in (("abc"[nth], edges), (str(nth + 1), [(c, r) for r, c in edges])):
            x, y = space.point(*max(spots, key=lambda spot: space.depth(*spot)))
            yield text(name, x, y + 11, 9, look.theme.quiet, "middle", 600)
