"""How the tile games draw: squares and tiles, cities in plan and from the air, hands, the row."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any

from storeys.kernel.components import ComponentSet
from storeys.kernel.drawing import panels
from storeys.kernel.drawing.isometric import DOWN, STOREY, Isometric
from storeys.kernel.drawing.panels import PAD, WIDTH, Names, View, highlighted, panel, seat_mark
from storeys.kernel.drawing.scene import Area, Box, Drawn, Look, Scene, background, key_of_content
from storeys.kernel.drawing.svg import (
    moved,
    number,
    pick,
    picture_of,
    piece,
    place,
    polygon,
    text,
    tip,
    use,
)
from storeys.kernel.drawing.themes import darker
from storeys.kernel.messages import Message
from storeys.kernel.tiles.grid import LETTERS, REACH, square_name
from storeys.kernel.tiles.ground import Ground, Square

SIDE = 36.0  # of a square in plan
CITY = 396.0  # of a city's area
HEAD = 34.0
LABELS = 28.0
WINDOW = 5  # tiles in a row of the land that a plan always shows
LEAST_CROP = 3  # the same where a city is shown small
TILES_KEPT, SQUARES_KEPT = 2048, 8192
"""Drawings of tiles and of squares that are not made again: hands and cities show the same ones."""
OWN_TILE, OTHERS_TILE = 0.87, 0.335  # how large tiles are in hands
BESIDE = 226.0  # where the others' hands begin
LINE = 28.0  # of somebody else's hand
Seats = Sequence[int]
Art = Callable[[Any], Iterable[str]]
"""The definitions that draw a square of a tile."""
Says = Callable[[Any], str]
"""What a square of a tile is, in words."""


# --- the scene


@dataclass(frozen=True)
class Sight:
    """A city as it lies in its area, and the part of that in which it lies."""

    body: str
    crop: Box


@dataclass(frozen=True, eq=False)
class Style:
    """What a game draws its own way; the rest of its picture is that of all tile games."""

    definitions: Callable[[Look], str]
    city: Callable[[View, int, ComponentSet, Look], "Sight"]
    """Draws the city of a seat."""
    points: str
    """The id of the message that says what a city has."""
    square_art: Art
    """How a square of a tile looks in a hand or in the row."""
    square_words: Callable[[Any, str], str]
    """How a square of a tile is spoken."""
    panels: Callable[[View, ComponentSet, Look], list[Area]]
    """The panels below the scores, the hand and the row."""

    def scene(
        self, view: View, components: ComponentSet, names: Names, look: Look, winners: Seats = ()
    ) -> Scene:
        """The whole table as a seat sees it."""
        shared = [
            Area("scores", key_of(view, "scores", "to_move", names, winners), lambda: (
                panels.scores_panel(names, view["scores"], view["to_move"], winners, look))),
            Area("hand", key_of(view, "hands", "seat", names), lambda: (
                hand_panel(view, components, names, self, look))),
            Area("row", key_of(view, "row", "pile"), lambda: (
                row_panel(view, components, self, look))),
        ]  # fmt: skip
        return Scene(
            box=(view["game"], components.hash),
            label=Message(f"{view['game']}.title").text(look.lang),
            defs=self.definitions(look),
            cities=[self._city(view, s, components, names, look) for s in range(view["players"])],
            panels=[*shared, *self.panels(view, components, look)],
        )

    def _city(
        self, view: View, seat: int, components: ComponentSet, names: Names, look: Look
    ) -> Area:
        points, name = view["scores"][seat], names[seat]

        def draw() -> Drawn:
            words = Message(self.points, n=points).text(look.lang)
            return city_area(name, seat, words, self.city(view, seat, components, look), look)

        known = view["cities"][seat], points, name, seat == view["seat"], view["options"]
        return Area(f"city-{seat}", key_of_content(known), draw)


def key_of(view: View, *parts: str | Sequence[Any]) -> bytes:
    """What an area depends on: entries of the view, and what else there is."""
    return key_of_content(*(view[part] if isinstance(part, str) else [*part] for part in parts))


# --- in plan


@lru_cache(TILES_KEPT)
def tile_piece(tile: str, seat: int) -> str:
    """The attributes of a tile in a city, and of all that lies on it from the start."""
    return piece(f"tile-{tile}", come_from=f"hand-{seat}")


def squares_art(ground: Ground, art: Art, seat: int, says: Says | None = None) -> str:
    """All squares of a seat's city, tile by tile, as definitions put where they lie.

    Whoever asks a square what it is hears what it ``says``.
    """
    found = []
    for tile, (r, c) in ground.laid():
        squares = [ground.squares[2 * r + nth // 2, 2 * c + nth % 2] for nth in range(4)]
        shown = tuple([(*art(square), says(square) if says else "") for square in squares])
        found.append(_laid_tile(tile, seat, r, c, shown))
    return "".join(found)


@lru_cache(SQUARES_KEPT)
def _laid_tile(tile: str, seat: int, r: int, c: int, shown: tuple[tuple[str, ...], ...]) -> str:
    """A tile where it lies; of each square its definitions, and last what it says."""
    places = product((2 * r, 2 * r + 1), (2 * c, 2 * c + 1))
    squares = "".join(
        use(name, col * SIDE, row * SIDE, square_tip(row, col, words) if words else "")
        for (row, col), (*names, words) in zip(places, shown, strict=True)
        for name in names
    )
    return f"<g {tile_piece(tile, seat)}>{squares}</g>"


def square_tip(row: int, col: int, words: str) -> str:
    """The attribute of what lies on a square from the start: the square, and what it is."""
    return tip(f"{square_name(row, col)}: {words}")


def rect(x: float, y: float, side: float, paint: str) -> str:
    """A square somewhere; ``paint`` are its other attributes."""
    wide = number(side)
    return f'<rect x="{number(x)}" y="{number(y)}" width="{wide}" height="{wide}" {paint}/>'


def tile_edges(ground: Ground, look: Look, seat: int) -> str:
    """A thin frame around each tile of a seat's city."""
    colour = look.theme.panel
    return "".join([_tile_edge(tile, seat, r, c, colour) for tile, (r, c) in ground.laid()])


@lru_cache(SQUARES_KEPT)
def _tile_edge(tile: str, seat: int, r: int, c: int, colour: str) -> str:
    paint = f'rx="4" fill="none" stroke="{colour}" stroke-width="2.5" {tile_piece(tile, seat)}'
    return rect(2 * c * SIDE, 2 * r * SIDE, 2 * SIDE, paint)


def free_targets(ground: Ground, look: Look) -> str:
    """The places where a tile fits, to be picked."""
    theme, lang = look.theme, look.lang
    return "".join([_free_target(r, c, theme.panel, theme.line, lang) for r, c in ground.free])


@lru_cache(SQUARES_KEPT)
def _free_target(r: int, c: int, fill: str, stroke: str, lang: str) -> str:
    paint = f'rx="8" fill="{fill}" fill-opacity="0.6" stroke="{stroke}" '
    paint += 'stroke-width="2" stroke-dasharray="5 5" '
    where = Message("storeys.picture.place", square=square_name(2 * r, 2 * c)).text(lang)
    chosen = pick(where, cell=f"{r},{c}")
    return rect(2 * c * SIDE + 4, 2 * r * SIDE + 4, 2 * SIDE - 8, paint + chosen)


def lit_squares(look: Look, seat: int) -> str:
    """A frame around each highlighted square."""
    paint = f'rx="5" fill="none" stroke="{look.theme.lit}" stroke-width="3.5"'
    lit_up = highlighted(look, seat)
    return "".join(rect(c * SIDE + 1.5, r * SIDE + 1.5, SIDE - 3, paint) for r, c in lit_up)


def plan(ground: Ground, body: str, look: Look) -> Sight:
    """A plan with its labels, in a window onto the land that stays where it is as a city grows."""
    (top, left), size = window_of(ground)
    scale = (CITY - LABELS - 8) / (2 * size * SIDE)
    x, y = LABELS - 2 * left * SIDE * scale, HEAD + LABELS - 2 * top * SIDE * scale
    rows, cols = range(2 * top, 2 * (top + size)), range(2 * left, 2 * (left + size))
    labels = _labels(rows, cols, look.theme.quiet)
    return Sight(
        moved(body + labels, x, y, scale), _crop(ground.tiles or ground.free, (x, y), scale)
    )


def window_of(ground: Ground) -> tuple[Square, int]:
    """The first tile of a city's window and how many it shows in a row and in a column.

    The start tile is in its middle until the city, or a place beside it, would lie outside.
    """
    top, bottom, left, right = ground.box
    size = max(WINDOW, bottom - top + 1, right - left + 1)
    first, last = -(size // 2), size - size // 2 - 1
    row, col = (
        min(low, first + max(0, high - last)) for low, high in ((top, bottom), (left, right))
    )
    return (row, col), size


@lru_cache(TILES_KEPT)
def _labels(rows: range, cols: range, ink: str) -> str:
    """The letters of the columns above them, the figures of the rows to their left."""
    top, side = rows[0] * SIDE - 6, cols[0] * SIDE - 6
    letters = (
        text(LETTERS[col + 2 * REACH], (col + 0.5) * SIDE, top, 13, ink, "middle") for col in cols
    )
    figures = (
        text(str(row + 2 * REACH + 1), side, (row + 0.5) * SIDE + 5, 13, ink, "end") for row in rows
    )
    return "".join([*letters, *figures])


def _crop(tiles: Sequence[Square], place: tuple[float, float], scale: float) -> Box:
    """The part of a plan in which its tiles lie, and room for a few more: it seldom changes."""
    rows, cols = zip(*tiles, strict=True)
    wide, high = (max(LEAST_CROP, max(axis) - min(axis) + 1) for axis in (cols, rows))
    step, edge = 2 * SIDE * scale, SIDE * scale / 6
    x = place[0] + (min(cols) + max(cols) + 1 - wide) / 2 * step
    y = place[1] + (min(rows) + max(rows) + 1 - high) / 2 * step
    return x - edge, y - edge, wide * step + 2 * edge, high * step + 2 * edge


def city_area(title: str, seat: int, points: str, sight: Sight, look: Look) -> Drawn:
    """A city's area: a head with the seat, its name and its points, and the drawing."""
    theme = look.theme
    height = CITY + HEAD + 6
    frame = (
        f'<rect class="sheet-of-city" width="{number(CITY)}" height="{number(height)}" rx="12" '
        f'fill="{background(look)}" stroke="{theme.line}"/>'
    )
    mark = moved(seat_mark(seat, theme.ink, theme.panel), 12, 11)
    name = text(panels.shorten(title, 28), 40, 23, 15, theme.ink, weight=600)
    total = f'<g class="total">{text(points, CITY - 14, 23, 15, theme.ink, "end", 700)}</g>'
    return Drawn(CITY, height, frame + mark + name + total + sight.body, sight.crop)


# --- on the ground


@dataclass(frozen=True)
class Standing:
    """Something that stands on a square: where, how deep, and its drawing around its base."""

    row: float
    col: float
    body: str
    storeys: float = 0


def skyline(
    ground: Ground,
    art: Art,
    upright: Sequence[Standing],
    look: Look,
    seat: int,
    tallest: float,
    says: Says | None = None,
) -> Sight:
    """A city from the air, made to fit its area."""
    if not ground.squares:
        return plan(ground, free_targets(ground, look), look)
    rows, cols = zip(*ground.squares, strict=True)
    top, left = min(rows), min(cols)
    space = Isometric(max(rows) - top + 1, max(cols) - left + 1, look.turn, tallest)
    flat = squares_art(ground, art, seat, says) + tile_edges(ground, look, seat)
    flat += lit_squares(look, seat)
    shift = f"translate({number(-left * SIDE)} {number(-top * SIDE)})"
    base = f'<g transform="{space.ground(SIDE)} {shift}">{flat}</g>'
    edge = sides(ground, space, (top, left), look)
    order = sorted(upright, key=lambda s: (space.depth(s.row, s.col), s.storeys))
    standing = "".join(
        moved(s.body, *space.point(s.row - top + 0.5, s.col - left + 0.5, s.storeys)) for s in order
    )
    room = CITY - 16
    high = space.height + STOREY
    scale = min(room / space.width, room / high, 1.5)
    x = (CITY - space.width * scale) / 2
    y = HEAD + (CITY - high * scale) / 2
    whole = moved(edge + base + standing, x, y, scale)
    return Sight(whole, (x, y, space.width * scale, high * scale))


def sides(ground: Ground, space: Isometric, corner: Square, look: Look) -> str:
    """The two visible edges of the ground, a little thick."""
    top, left = corner
    deep = 0.55
    paint = f'fill="{darker(look.theme.line, 0.35)}"'
    found = []
    for row, col in ground.squares:
        for a, b in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            r, c = space.turned(a, b)
            if r + c > 0.5 and (row + a, col + b) not in ground.squares:
                near = _near_edge(row - top, col - left, a, b)
                one, two = (space.point(*end) for end in near)
                low = [(x, y + deep * DOWN) for x, y in (two, one)]
                found.append(polygon([one, two, *low], paint))
    return "".join(found)


def _near_edge(row: int, col: int, a: int, b: int) -> tuple[Square, Square]:
    """The two corners of a square's side in a direction."""
    if a:
        edge = row + (a > 0)
        return (edge, col), (edge, col + 1)
    edge = col + (b > 0)
    return (row, edge), (row + 1, edge)


# --- tiles in hands and in the row


@dataclass(frozen=True)
class Tile:
    """A tile of a box: which one it is says how it looks."""

    box: str
    id: str
    squares: Sequence[Sequence[Any]] = field(compare=False)


Held = tuple[Tile | None, ...]
"""The tiles of a hand, as far as they are seen."""


def tile_in(components: ComponentSet, tile: str) -> Tile:
    """A tile of a box, by its id."""
    content = components.content["tiles"][components.tile_numbers[tile]]
    return Tile(components.hash, tile, content["squares"])


@lru_cache(TILES_KEPT)
def spoken(tile: Tile, style: Style, lang: str) -> str:
    """A tile as it is spoken: its squares row by row."""
    squares = [square for row in tile.squares for square in row]
    return f"{tile.id}: " + ", ".join(style.square_words(square, lang) for square in squares)


@lru_cache(TILES_KEPT)
def tile_art(tile: Tile, art: Art, look: Look, attributes: str = "") -> str:
    """A tile of two by two squares."""
    squares = "".join(
        use(name, col * SIDE, row * SIDE)
        for row in (0, 1)
        for col in (0, 1)
        for name in art(tile.squares[row][col])
    )
    side = number(2 * SIDE)
    frame = (
        f'<rect width="{side}" height="{side}" rx="4" fill="none" stroke="{look.theme.ink}" '
        f'stroke-opacity="0.55" stroke-width="1.5"/>'
    )
    return f"<g {attributes}>{squares}{frame}</g>" if attributes else squares + frame


def tile_back(look: Look) -> str:
    """A tile that one cannot see."""
    side = number(2 * SIDE)
    back, mark = look.theme["back"], darker(look.theme["back"], 0.3)
    return (
        f'<rect width="{side}" height="{side}" rx="6" fill="{back}"/>'
        f'<path d="M18 50v-18h9v18zM30 50v-30h12v30zM45 50v-14h9v14z" fill="{mark}"/>'
    )


def hand_panel(
    view: View, components: ComponentSet, names: Names, style: Style, look: Look
) -> Drawn:
    """The hand of who looks, large; beside it what is known of the others, small."""

    def held(seat: int) -> Held:
        tiles = view["hands"][seat]
        return tuple([None if tile is None else tile_in(components, tile) for tile in tiles])

    own = view.get("seat")
    others = [seat for seat in range(view["players"]) if seat != own]
    body = "" if own is None else _own_hand(held(own), own, style, look)
    for nth, seat in enumerate(others):
        line = _others_hand(held(seat), seat, names[seat], own is None, style, look)
        body += moved(line, 0 if own is None else BESIDE, nth * LINE)
    high = max(LINE * len(others), 0 if own is None else 2 * SIDE * OWN_TILE + 2)
    return panel(Message("storeys.picture.hand").text(look.lang), body, high, look)


@lru_cache(TILES_KEPT)
def _own_hand(held: Held, seat: int, style: Style, look: Look) -> str:
    """Tiles to be picked."""
    picked = [
        "" if tile is None else f"{pick(spoken(tile, style, look.lang), tile=tile.id)} "
        for tile in held
    ]
    return _tiles_held(held, picked, seat, (OWN_TILE, 12), style, look)


@lru_cache(TILES_KEPT)
def _others_hand(
    held: Held, seat: int, name: str, with_name: bool, style: Style, look: Look
) -> str:
    """A line with somebody's tiles, and their name where there is room for it."""
    line = moved(seat_mark(seat, look.theme.ink, look.theme.panel), 0, 5)
    tiles = _tiles_held(held, [""] * len(held), seat, (OTHERS_TILE, 9), style, look)
    line += moved(tiles, 25, 0)
    if with_name:
        line += text(panels.shorten(name, 28), 120, 17, 12, look.theme.quiet)
    return f"<g {picture_of(name)}>{line}</g>"


def _tiles_held(
    held: Held,
    picked: Sequence[str],
    seat: int,
    size: tuple[float, float],
    style: Style,
    look: Look,
) -> str:
    """The tiles of a hand side by side, so large and so far apart; the backs of hidden ones."""
    (scale, gap), found = size, []
    for nth, (tile, words) in enumerate(zip(held, picked, strict=True)):
        drawing = tile_back(look)
        if tile is not None:
            known = words + piece(f"tile-{tile.id}", come_from="pile")
            drawing = tile_art(tile, style.square_art, look, known)
        found.append(moved(drawing, nth * (2 * SIDE + gap) * scale, 0, scale))
    return f"<g {place(f'hand-{seat}')}>{''.join(found)}</g>"


def row_panel(view: View, components: ComponentSet, style: Style, look: Look) -> Drawn:
    """The open row and the pile, to be drawn from."""
    scale = min(1.0, (WIDTH - 2 * PAD) / ((len(view["row"]) + 1) * (2 * SIDE + 10)))
    step = (2 * SIDE + 10) * scale
    body = []
    for slot, tile in enumerate(view["row"]):
        shown = tile_in(components, tile)
        said = spoken(shown, style, look.lang)
        words = Message("storeys.picture.slot", number=slot + 1, tile=said).text(look.lang)
        known = f"{pick(words, row=str(slot))} {piece(f'tile-{tile}', come_from='pile')}"
        drawing = tile_art(shown, style.square_art, look, known)
        body.append(moved(drawing, slot * step, 0, scale))
    x = len(view["row"]) * step
    if not body and not view["pile"]:
        words_of_none = Message("storeys.picture.no-row").text(look.lang)
        body.append(text(words_of_none, 0, 14, 13, look.theme.quiet))
    if view["pile"]:
        spoken_pile = Message("storeys.picture.pile", n=view["pile"]).text(look.lang)
        count = text(str(view["pile"]), SIDE, SIDE * 0.55, 20, "#ffffff", "middle", 700)
        known = f"{pick(spoken_pile, row='pile')} {place('pile')}"
        pile = f"<g {known}>{tile_back(look)}{count}</g>"
        body.append(moved(pile, x, 0, scale))
    title = Message("storeys.picture.row").text(look.lang)
    height = 2 * SIDE * scale if view["row"] or view["pile"] else 20
    return panel(title, "".join(body), height, look)


def picks_of_shared(move: View) -> dict[str, str]:
    """What has to be picked for a placement or a draw."""
    if move["kind"] == "place":
        return {
            "tile": str(move["tile"]),
            "cell": f"{move['row']},{move['col']}",
            "turn": str(move["turn"]),
        }
    if move["kind"] == "draw":
        return {"row": "pile" if move["slot"] is None else str(move["slot"])}
    return {}


def put_of_shared(move: View) -> list[str]:
    """The piece of the picture that a placement puts on the board."""
    return [f"tile-{move['tile']}"] if move["kind"] == "place" else []


def lit(part: View, seat: int) -> list[tuple[int, ...]]:
    """The squares that a part of a score names, wherever it does."""
    own = [[part["row"], part["col"]]] if "row" in part else []
    squares = [*part.get("squares", []), *own]
    return sorted({(seat, row, col) for row, col in squares})
