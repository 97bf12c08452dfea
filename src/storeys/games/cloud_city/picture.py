"""Cloud City drawn: tiles above the clouds, buildings of three heights, walkways between them.

Blue, green and sand are one, two and three storeys of everything: marks on a roof, lines along a
walkway, and the height from the air.  Colour is never the only sign.
"""

import functools
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from storeys.games.cloud_city.board import fits_of
from storeys.games.cloud_city.box import START
from storeys.games.cloud_city.moves import colour_label, walkway_words
from storeys.games.cloud_city.options import request_title
from storeys.games.cloud_city.state import COLOURS, LENGTHS, VOTES
from storeys.kernel.components import ComponentSet
from storeys.kernel.drawing.isometric import ACROSS, Isometric
from storeys.kernel.drawing.panels import PAD, WIDTH, View, highlighted, panel
from storeys.kernel.drawing.scene import Area, Drawn, Look
from storeys.kernel.drawing.shapes import shapes
from storeys.kernel.drawing.svg import (
    group,
    moved,
    number,
    pick,
    picture_of,
    piece,
    place,
    text,
    tip,
    use,
)
from storeys.kernel.drawing.themes import THEMES, add_hues
from storeys.kernel.messages import Message
from storeys.kernel.tiles import picture as tiles
from storeys.kernel.tiles.grid import square_name
from storeys.kernel.tiles.ground import Ground, ground_of
from storeys.kernel.tiles.picture import SIDE, Sight, Standing, key_of

add_hues(light={"sand": "#d9b27c"}, dark={}, colour_blind={"sand": "#e69f00"})

FOLDER = Path(__file__).parent
LANES = {"blue": 0.0, "green": 10.4, "sand": -10.4}
"""How far a walkway lies beside the middle of its row in plan: on one line none hides another."""
FIRM = {"blue": 11.0, "green": 6.5, "sand": 6.5}
"""Where on a roof a walkway begins, from the middle: it never covers a letter."""
STOREYS = {"blue": 2.0, "green": 3.6, "sand": 5.2}
SHADED = ((0, 0), (-1, 0), (0, 1), (-1, 1))
"""The squares that a building throws its shadow on, as the looker counts."""
MIDDLE = SIDE / 2
TALLEST = 5.8  # what a skyline has room for, in storeys
COSTLY = ("crossed-walkways", "solo-buildings", "balanced")  # requests that cost votes
PARTS_KEPT = 8192
"""Parts of cities that are not drawn again: a move adds one or two."""
COLUMN = (WIDTH - 2 * PAD + 8) / 3  # of the supply


def lit(part: Mapping[str, Any], seat: int) -> list[tuple[int, ...]]:
    """The squares of a part of a score, and those at the ends of its walkways."""
    walkways = [part] if "from" in part else part.get("walkways", [])
    walkways = [*walkways, *(walkway for route in part.get("routes", []) for walkway in route)]
    ends = [end for walkway in walkways for end in (walkway["from"], walkway["to"])]
    return tiles.lit({"squares": [*ends, *part.get("squares", [])]}, seat)


def picks(move: Mapping[str, Any]) -> dict[str, str]:
    """What has to be picked for a move."""
    if move["kind"] != "walkway":
        return tiles.picks_of_shared(move)
    return {end: f"{move[end][0]},{move[end][1]}" for end in ("from", "to")}


def put(move: Mapping[str, Any], seat: int) -> list[str]:
    """The tile or the walkway that a move puts into a city."""
    if move["kind"] == "walkway":
        return [walkway_name(move, seat)]
    return tiles.put_of_shared(move)


# --- cities


def draw_city(view: View, seat: int, components: ComponentSet, look: Look) -> Sight:
    """A city, in plan or from the air; one's own shows what can be picked."""
    city, own = view["cities"][seat], seat == view["seat"]
    ground = _with_birds(ground_of(city, components, fits_of(view)), city, components)
    draw = _from_the_air if look.view == "skyline" else _in_plan
    return draw(city, seat, ground, own, look)


def _with_birds(ground: Ground, city: View, components: ComponentSet) -> Ground:
    """The ground with the start tile's birds on its first open square."""
    start = components.content["tiles"][components.tile_numbers[city["tiles"][0]["tile"]]]
    places = ((0, 1), (1, 0), (0, 0), (1, 1))
    free = next(place for place in places if ground.squares[place] is None)
    return replace(ground, squares=ground.squares | {free: f"birds-{start[START]}"})


def _in_plan(city: View, seat: int, ground: Ground, own: bool, look: Look) -> Sight:
    """A city from above: what is higher lies over what is lower."""
    parts = [_bank(r, c) for r, c in ground.tiles]
    if own:
        parts.append(tiles.free_targets(ground, look))
    parts += [tiles.squares_art(ground, flat_art, seat), tiles.tile_edges(ground, look, seat)]
    tile_of = _tiles_by_place(city)
    for colour in COLOURS:
        buildings = [b for b in city["buildings"] if b["colour"] == colour]
        parts += [
            _roof(colour, b["row"], b["col"], own, _riding(b, tile_of, seat), look.lang)
            for b in buildings
        ]
        walkways = [w for w in city["walkways"] if w["colour"] == colour]
        parts += [_bar(_span_of(w), seat, look.lang) for w in walkways]
    parts += [_plate(_span_of(w), seat, look.lang) for w in city["walkways"]]
    parts.append(tiles.lit_squares(look, seat))
    return tiles.plan(ground, "".join(parts), look)


def _tiles_by_place(city: View) -> dict[tuple[int, int], str]:
    """The tile on each place of a city."""
    return {(laid["row"], laid["col"]): laid["tile"] for laid in city["tiles"]}


def _riding(building: View, tile_of: Mapping[tuple[int, int], str], seat: int) -> str:
    """The attributes by which a building travels with the tile that brings it."""
    return tiles.tile_piece(tile_of[building["row"] // 2, building["col"] // 2], seat)


def _walkway_piece(walkway: View, seat: int) -> str:
    """The attributes of a walkway in a city: it comes from the supply."""
    return piece(walkway_name(walkway, seat), come_from=_stock_of(walkway))


def walkway_name(walkway: View, seat: int) -> str:
    """What a walkway in a city is called: its kind, and where it lies."""
    ends = ".".join(str(number) for number in (*walkway["from"], *walkway["to"]))
    return f"{_stock_of(walkway)}:{seat}.{ends}"


def _stock_of(walkway: View) -> str:
    return f"walkway-{walkway['colour']}-{length_of(walkway)}"


def square_art(square: str | None) -> Iterator[str]:
    """A square of a tile in hand: the ground, and the roof of the building it brings."""
    yield "cloud"
    if square:
        yield f"roof-{square}"


def flat_art(square: str | None) -> Iterator[str]:
    """The ground alone; a city's buildings stand on it."""
    yield "cloud"
    if square and square.startswith("birds"):
        yield square


@functools.lru_cache(2048)
def _building_words(colour: str, row: int, col: int, own: bool, lang: str) -> str:
    """The attributes of a building: either end of a walkway in one's own city."""
    name, square = colour_label(colour), square_name(row, col)
    words = Message("cloud-city.picture.building", colour=name, square=square).text(lang)
    place = f"{row},{col}"
    return pick(words, **{"from": place, "to": place}) if own else picture_of(words)


@functools.lru_cache(2048)
def _walkway_label(colour: str, row: int, col: int, to_row: int, to_col: int, lang: str) -> str:
    words = walkway_words(colour, (row, col), (to_row, to_col))
    votes = VOTES[to_row - row + to_col - col - 1]
    return Message("cloud-city.picture.walkway", **words, n=votes).text(lang)


def _label_of(walkway: View, lang: str) -> str:
    """What a walkway is: its colour, its ends and its votes."""
    return _walkway_label(walkway["colour"], *walkway["from"], *walkway["to"], lang)


def _walkway_words(walkway: View, lang: str) -> str:
    """The attributes of a walkway, of which those who listen hear once; buildings are picked."""
    return f'{picture_of(_label_of(walkway, lang))} pointer-events="none"'


def length_of(walkway: View) -> int:
    """How many squares a walkway goes on."""
    (row, col), (to_row, to_col) = walkway["from"], walkway["to"]
    return int(to_row - row + to_col - col)


@functools.lru_cache(PARTS_KEPT)
def _bank(r: int, c: int) -> str:
    """The edge of a tile's clouds."""
    return use("bank", 2 * c * SIDE, 2 * r * SIDE)


@functools.lru_cache(PARTS_KEPT)
def _roof(colour: str, row: int, col: int, own: bool, riding: str, lang: str) -> str:
    """A building from above."""
    words = f"{_building_words(colour, row, col, own, lang)} {riding}"
    return f"<g {words}>{use(f'roof-{colour}', col * SIDE, row * SIDE)}</g>"


Span = tuple[str, int, int, int, int]
"""A walkway: its colour, and the rows and columns of its ends."""


def _span_of(walkway: View) -> Span:
    return walkway["colour"], *walkway["from"], *walkway["to"]


def _walkway_of(span: Span) -> View:
    colour, row, col, to_row, to_col = span
    return {"colour": colour, "from": [row, col], "to": [to_row, to_col]}


@functools.lru_cache(PARTS_KEPT)
def _bar(span: Span, seat: int, lang: str) -> str:
    """A walkway from above."""
    walkway = _walkway_of(span)
    (row, col), colour = walkway["from"], walkway["colour"]
    x, y = col * SIDE + MIDDLE, row * SIDE + MIDDLE
    words = f"{_walkway_words(walkway, lang)} {_walkway_piece(walkway, seat)}"
    if walkway["to"][0] != row:
        words += f' transform="rotate(90 {number(x)} {number(y)})"'
    return use(f"bar-{colour}-{length_of(walkway)}", x, y, words)


@functools.lru_cache(PARTS_KEPT)
def _plate(span: Span, seat: int, lang: str) -> str:
    """The votes of a walkway, between two squares, where no other one crosses."""
    walkway = _walkway_of(span)
    (row, col), colour, length = walkway["from"], walkway["colour"], length_of(walkway)
    along = (length // 2 + (0.5 if length % 2 or colour == "green" else -0.5)) * SIDE
    in_a_row = walkway["to"][0] == row
    right, down = (along, LANES[colour]) if in_a_row else (-LANES[colour], along)
    known = f"{_walkway_piece(walkway, seat)} {tip(_label_of(walkway, lang))}"
    return use(f"plate-{length}", col * SIDE + MIDDLE + right, row * SIDE + MIDDLE + down, known)


def _square_words(square: str | None, lang: str) -> str:
    return (colour_label(square) if square else Message("cloud-city.picture.open")).text(lang)


# --- from the air


def _from_the_air(city: View, seat: int, ground: Ground, own: bool, look: Look) -> Sight:
    """A city as it floats: the sky, the city, and clouds around it."""
    upright = [
        _floor(city, ground, look),
        *_clouds(ground, look),
        *_towers(city, seat, own, look.lang),
    ]
    upright += [*_bridges(city, seat, look), *_lit_roofs(city, look, seat)]
    city_alone = tiles.skyline(ground, flat_art, upright, look, seat, TALLEST)
    return replace(city_alone, body=use("cloud-sea", 0, 0) + city_alone.body)


def _towers(city: View, seat: int, own: bool, lang: str) -> Iterator[Standing]:
    tile_of = _tiles_by_place(city)
    for building in city["buildings"]:
        colour, row, col = building["colour"], building["row"], building["col"]
        words = _building_words(colour, row, col, own, lang)
        words += f" {_riding(building, tile_of, seat)}"
        yield Standing(row, col, f"<g {words}>{use(f'tower-{colour}', 0, 0)}</g>")


def _lit_roofs(city: View, look: Look, seat: int) -> Iterator[Standing]:
    """A frame around the roof of each building on a highlighted square."""
    frame, lit = shapes(FOLDER, look.theme.name)["frame"], highlighted(look, seat)
    for building in city["buildings"]:
        row, col = building["row"], building["col"]
        if (row, col) in lit:
            yield Standing(row, col, frame, STOREYS[building["colour"]])


def _span(walkway: View, look: Look) -> tuple[str, tuple[int, int], bool]:
    """How a walkway runs for the looker: along a row or a column; its step; if it comes nearer."""
    (row, col), length = walkway["from"], length_of(walkway)
    step = (walkway["to"][0] - row) // length, (walkway["to"][1] - col) // length
    down, right = Isometric(0, 0, look.turn).turned(*step)
    return "row" if right else "column", step, down + right > 0


def _bridges(city: View, seat: int, look: Look) -> Iterator[Standing]:
    """Each walkway in pieces of a square, so that what is nearer is drawn later."""
    for walkway in city["walkways"]:
        along, (down, right), nearer = _span(walkway, look)
        (row, col), colour, length = walkway["from"], walkway["colour"], length_of(walkway)
        first, last = ("near", "far") if nearer else ("far", "near")
        once, again = _walkway_words(walkway, look.lang), tip(_label_of(walkway, look.lang))
        known = _walkway_piece(walkway, seat)
        for nth, part in enumerate([first, *["whole"] * (length - 1), last]):
            words = f"{again if nth else once} {known}"
            body = use(f"bridge-{colour}-{along}-{part}", 0, 0, words)
            yield Standing(row + nth * down, col + nth * right, body, STOREYS[colour])


def _floor(city: View, ground: Ground, look: Look) -> Standing:
    """All shadows on the ground, each only where there is ground; drawn before all that stands."""
    space = Isometric(0, 0, look.turn)
    first = min(ground.squares, key=lambda square: space.depth(*square))
    beside = [Isometric(0, 0, -look.turn).turned(*where) for where in SHADED]
    shapes = []
    for building in city["buildings"]:
        row, col, name = building["row"], building["col"], f"shade-{building['colour']}"
        x, y = space.point(row - first[0], col - first[1])
        falls = [nth for nth, (a, b) in enumerate(beside) if (row + a, col + b) in ground.squares]
        parts = [name] if len(falls) == len(SHADED) else [f"{name}-{nth}" for nth in falls]
        shapes += [use(part, x, y) for part in parts]
    for walkway in city["walkways"]:
        along, _, nearer = _span(walkway, look)
        row, col = walkway["from" if nearer else "to"]
        x, y = space.point(row - first[0], col - first[1])
        shapes.append(use(f"below-{along}-{length_of(walkway)}", x, y))
    shade = f'<g fill="{look.theme.shadow}" opacity="0.17">{"".join(shapes)}</g>'
    return Standing(*first, shade)


def _clouds(ground: Ground, look: Look) -> Iterator[Standing]:
    """Clouds along the four sides: those in front hide a little of the ground's edge."""
    rows, cols = zip(*ground.squares, strict=True)
    top, bottom, left, right = min(rows), max(rows), min(cols), max(cols)
    high, wide, away = bottom - top, right - left, 1.3
    space = Isometric(0, 0, look.turn)
    sides = [
        place
        for share in (0.05, 0.38, 0.7)
        for place in ((top - away, left + share * wide), (bottom + away, right - share * wide),
                      (top + share * high, right + away), (bottom - share * high, left - away))
    ]  # fmt: skip
    for nth, (row, col) in enumerate(sides):
        x, _ = space.point(row - (top + bottom) / 2, col - (left + right) / 2)
        if abs(x) < (high + wide) / 2 * ACROSS - 30:
            yield Standing(row, col, use(f"puff-{nth % 2}", 0, 0))


# --- definitions


@functools.lru_cache(2048)
def _definitions(theme_name: str, view: str, lang: str) -> str:
    """What a picture uses again and again."""
    theme, lengths = THEMES[theme_name], range(1, LENGTHS + 1)
    names = {colour: colour_label(colour).text(lang) for colour in COLOURS}
    letters = {f"{colour}_letter": name[0].upper() for colour, name in names.items()}
    night, haze = (1, "0.35") if theme.name == "dark" else (0, "0.7")
    drawn = shapes(FOLDER, theme_name, **letters, night=night, haze=haze)
    found = {"cloud": drawn["cloud"], **drawn.beginning("birds", "roof")}
    for length, votes in zip(lengths, VOTES, strict=True):
        found[f"plate-{length}"] = shapes(FOLDER, theme_name, votes=str(votes))["plate"]
    if view == "skyline":
        found |= drawn.beginning("cloud-sea", "puff", "shade", "below", "tower")
        for colour in COLOURS:
            bridges = shapes(FOLDER, theme_name, wall=theme[colour])
            found |= bridges.beginning(f"bridge-{colour}")
    else:
        found["bank"] = drawn["bank"]
        for colour in COLOURS:
            for length in lengths:
                ends = {"start": FIRM[colour], "stop": length * SIDE - FIRM[colour]}
                bar = shapes(FOLDER, theme_name, **ends)[f"bar-{colour}"]
                found[f"bar-{colour}-{length}"] = moved(bar, 0, LANES[colour])
    return "".join(group(body, name) for name, body in found.items())


# --- panels


def _supply(view: View, look: Look) -> Drawn:
    """A column for each colour, a line for each length: the walkway, its votes, how many."""
    theme, line, top = look.theme, 21.0, 30.0
    body = []
    for nth, colour in enumerate(COLOURS):
        x = nth * COLUMN
        name = colour_label(colour).text(look.lang)
        body.append(moved(use(f"roof-{colour}", 0, 0), x, 0, 0.7))
        body.append(text(name, x + 31, 17, 12, theme.quiet, weight=600))
        for length, left in enumerate(view["supply"][colour], 1):
            drawing = _supply_line(colour, length, left, theme.name, look.lang)
            body.append(moved(drawing, x, top + (length - 1) * line))
    high = top + LENGTHS * line
    return panel(look.say("cloud-city.picture.supply"), "".join(body), high, look)


@functools.lru_cache(2048)
def _supply_line(colour: str, length: int, left: int, theme_name: str, lang: str) -> str:
    """A walkway as it lies in the supply, and how many are left."""
    theme, wide = THEMES[theme_name], 13.0 * length + 8
    facts = {"length": length, "votes": VOTES[length - 1], "n": left}
    words = Message("cloud-city.picture.left", colour=colour_label(colour), **facts)
    plank = shapes(FOLDER, theme_name, start=0, stop=wide)[f"plank-{colour}"]
    bar = moved(plank, 1, 10) + use(f"plate-{length}", 1 + wide / 2, 10)
    bar = f"<g {place(f'walkway-{colour}-{length}')}>{bar}</g>"
    count = text(f"×{left}", COLUMN - 12, 14.5, 12.5, theme.ink, "end", 700)
    faded = "" if left else ' opacity="0.35"'
    return f"<g {picture_of(words.text(lang))}{faded}>{bar}{count}</g>"


def _requests(view: View, look: Look) -> Drawn:
    """The request cards: their names, and what they ask for."""
    theme, edition = look.theme, view["options"]["edition"]
    body, y = [], 0.0
    for name in view["requests"]:
        title = request_title(name, view["options"]).text(look.lang)
        asked = look.say(f"cloud-city.card.{name}.{edition}")
        wrapped = enumerate(textwrap.wrap(asked, 43))
        lines = [text(line, 40, y + 35 + 15 * nth, 12, theme.ink) for nth, line in wrapped]
        words = text(title, 40, y + 19, 13, theme.ink, weight=700) + "".join(lines)
        high = 24.0 + 15 * len(lines) + 6
        card = (
            f'<rect y="{number(y)}" width="{number(WIDTH - 2 * PAD)}" height="{number(high)}" '
            f'rx="7" fill="{theme["cloud"]}" stroke="{theme.line}"/>'
        )
        rosette = shapes(FOLDER, theme.name)["cost" if name in COSTLY else "gain"]
        badge = moved(rosette, 20, y + high / 2)
        body.append(f"<g {picture_of(f'{title}: {asked}')}>{card}{badge}{words}</g>")
        y += high + 8
    return panel(look.say("cloud-city.picture.requests"), "".join(body), y - 8, look)


# --- the scene


def _panels(view: View, components: ComponentSet, look: Look) -> list[Area]:
    panels = [Area("supply", key_of(view, "supply"), lambda: _supply(view, look))]
    if view["requests"]:
        key = key_of(view, "requests", "options")
        panels.append(Area("requests", key, lambda: _requests(view, look)))
    return panels


scene = tiles.Style(
    definitions=lambda look: _definitions(look.theme.name, look.view, look.lang),
    city=draw_city,
    points="cloud-city.picture.votes",
    square_art=square_art,
    square_words=_square_words,
    panels=_panels,
).scene
