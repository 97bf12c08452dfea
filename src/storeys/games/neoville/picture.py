"""Neoville drawn: terrains, parks and sports grounds, skyscrapers by their value, utilities."""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from storeys.games.neoville.board import within_limits
from storeys.games.neoville.moves import piece_label, utility_label, utility_named
from storeys.games.neoville.state import SYMBOLS, TERRAINS, VALUES
from storeys.kernel.components import ComponentSet
from storeys.kernel.drawing import isometric as iso
from storeys.kernel.drawing import svg
from storeys.kernel.drawing.panels import View, panel, reach
from storeys.kernel.drawing.scene import Area, Drawn, Look
from storeys.kernel.drawing.shapes import shapes
from storeys.kernel.drawing.svg import clean, group, moved, pick, picture_of, text, use
from storeys.kernel.drawing.themes import THEMES, Theme, add_hues, darker, lighter
from storeys.kernel.messages import Message
from storeys.kernel.tiles import picture as tiles
from storeys.kernel.tiles.grid import square_name
from storeys.kernel.tiles.ground import Ground, ground_of, never_fits
from storeys.kernel.tiles.picture import SIDE, Sight, Standing, key_of, rect

add_hues(
    light={"earth": "#c98b62", "sport": "#b5533c"},
    dark={"earth": "#a8704c", "sport": "#e08a6d"},
    colour_blind={"earth": "#d99a6c", "sport": "#a34700"},
)

FOLDER = Path(__file__).parent
STOREYS_OF_A_POINT = 0.8
SLOTS = 8  # pieces in a row of the supply
SLOT = 41.0  # for a piece of it
PIECES_KEPT = 4096
"""Pieces that are not drawn again: supplies and cities show the same ones."""
LEAST_ROOM = 3.0
"""The storeys that a skyline keeps free above the ground."""


def picks(move: Mapping[str, Any]) -> dict[str, str]:
    """What has to be picked for a move."""
    if move["kind"] not in ("skyscraper", "utility"):
        return tiles.picks_of_shared(move)
    return {"piece": _piece_name(move), "square": f"{move['row']},{move['col']}"}


def put(move: Mapping[str, Any], seat: int) -> list[str]:
    """The tile or the piece that a move puts into a city."""
    if move["kind"] in ("skyscraper", "utility"):
        return [_piece_name(move)]
    return tiles.put_of_shared(move)


# --- cities


def draw_city(view: View, seat: int, components: ComponentSet, look: Look) -> Sight:
    """A city, in plan or from the air; one's own shows what can be picked."""
    city, own = view["cities"][seat], seat == view["seat"]
    ground = ground_of(city, components, within_limits if own else never_fits)
    says = functools.partial(_square_words, lang=look.lang)
    if look.view == "skyline":
        parks = [one for one in ground.squares.items() if one[1]["symbol"] == "park"]
        upright = [
            Standing(row, col, use("trees", 0, 0, tiles.square_tip(row, col, says(park))))
            for (row, col), park in parks
        ]
        upright += _standing(city, ground, components, look)
        values = [piece["value"] for piece in city["pieces"] if "value" in piece]
        tallest = max(values, default=0) * STOREYS_OF_A_POINT + LEAST_ROOM
        return tiles.skyline(ground, flat_art, upright, look, seat, tallest, says)
    body = tiles.squares_art(ground, square_art, seat, says)
    body += tiles.tile_edges(ground, look, seat) + "".join(_tokens(city, ground, components, look))
    if own:
        body += tiles.free_targets(ground, look) + "".join(_build_targets(city, ground, look))
    return tiles.plan(ground, body + tiles.lit_squares(look, seat), look)


def square_art(square: Mapping[str, Any]) -> Iterator[str]:
    """A square of a tile in plan: its terrain and what grows on it."""
    yield square["terrain"]
    if square["symbol"]:
        yield square["symbol"]


def flat_art(square: Mapping[str, Any]) -> Iterator[str]:
    """What lies flat on the ground: a park's trees stand on it."""
    yield square["terrain"]
    if square["symbol"]:
        yield "sport" if square["symbol"] == "sport" else "lawn"


def _piece_name(piece: View) -> str:
    """The definition that draws a piece."""
    if piece["kind"] == "skyscraper":
        return f"{piece['terrain']}-{piece['value']}"
    return str(piece["utility"])


def _tokens(city: View, ground: Ground, components: ComponentSet, look: Look) -> Iterator[str]:
    """The pieces of a city in plan."""
    for piece in city["pieces"]:
        where, counted = (piece["row"], piece["col"]), _counted(piece, city, ground, components)
        kept = _kept(piece, components)
        yield _token_in_city(kept, where, counted, look.theme.name, look.lang)


@dataclass(frozen=True)
class Kept:
    """A piece of a box: which one it is says how it looks."""

    box: str
    kind: str
    name: str
    piece: View = field(compare=False)
    components: ComponentSet = field(compare=False)


def _kept(piece: View, components: ComponentSet) -> Kept:
    return Kept(components.hash, piece["kind"], _piece_name(piece), piece, components)


@functools.lru_cache(PIECES_KEPT)
def _token_in_city(
    kept: Kept, where: tuple[int, int], counted: int | None, theme_name: str, lang: str
) -> str:
    """A piece of a city in plan."""
    row, col = where
    drawing = token(kept.piece, kept.components, THEMES[theme_name], col * SIDE, row * SIDE)
    words = _says(kept.piece, where, counted, kept.components, lang)
    return f"<g {words} {_same(kept.piece)}>{drawing}</g>"


def _same(piece: View) -> str:
    """The attributes by which a piece is the same in the supply and in a city."""
    return svg.piece(_piece_name(piece))


def _says(
    piece: View, where: tuple[int, int], counted: int | None, components: ComponentSet, lang: str
) -> str:
    """The attributes of a piece in a city: what is spoken, and what it is to who asks."""
    label, square = piece_label(piece, components).text(lang), square_name(*where)
    words = _promise(piece, components)
    if counted is not None:
        words = Message("neoville.tip.so-far", words=words, n=counted)
    return f"{picture_of(f'{label}, {square}')} {svg.tip(f'{square}: {words.text(lang)}')}"


def _promise(piece: View, components: ComponentSet) -> Message:
    """What a piece brings or costs, and what that depends on (N-17, N-19 … N-21)."""
    kind, points = "skyscraper", piece.get("value")
    if points is None:
        utility = utility_named(piece["utility"], components)
        kind, points = utility["kind"], utility["points"]
    label = piece_label(piece, components)
    return Message(f"neoville.tip.{kind}", piece=label, n=points, cost=-points)


def _counted(piece: View, city: View, ground: Ground, components: ComponentSet) -> int | None:
    """N-19: how much of what a bus asks for is in its row and its column; None of other pieces."""
    asks = piece["kind"] == "utility"
    needs = utility_named(piece["utility"], components).get("needs") if asks else None
    if not needs:
        return None
    pieces = {(each["row"], each["col"]): each["kind"] for each in city["pieces"]}
    return sum(
        pieces.get((row, col), square["symbol"]) in needs
        for (row, col), square in ground.squares.items()
        if (row == piece["row"]) != (col == piece["col"])
    )


def _build_targets(city: View, ground: Ground, look: Look) -> Iterator[str]:
    """The free squares of the tile laid last, to be picked."""
    taken = {(piece["row"], piece["col"]) for piece in city["pieces"]}
    paint = f'rx="5" fill="{look.theme.panel}" fill-opacity="0.01" '
    for tile, (down, right) in product(city["tiles"][-1:], ((0, 0), (0, 1), (1, 0), (1, 1))):
        row, col = 2 * tile["row"] + down, 2 * tile["col"] + right
        square = ground.squares[row, col]
        if square["symbol"] is None and (row, col) not in taken:
            words = f"{square_name(row, col)}: {_square_words(square, look.lang)}"
            chosen = pick(words, square=f"{row},{col}")
            yield rect(col * SIDE + 2, row * SIDE + 2, SIDE - 4, paint + chosen)


def _square_words(square: View, lang: str) -> str:
    return _words_of(square["terrain"], square["symbol"], lang)


@functools.cache
def _words_of(terrain: str, symbol: str | None, lang: str) -> str:
    """A terrain, and what is on it from the start."""
    words = [Message(f"neoville.terrain.{terrain}")]
    if symbol:
        words.append(Message(f"neoville.symbol.{symbol}"))
    return " + ".join(message.text(lang) for message in words)


# --- what stands on the ground


def _standing(
    city: View, ground: Ground, components: ComponentSet, look: Look
) -> Iterator[Standing]:
    for piece in city["pieces"]:
        where, counted = (piece["row"], piece["col"]), _counted(piece, city, ground, components)
        words = _says(piece, where, counted, components, look.lang)
        if piece["kind"] == "skyscraper":
            body = use(f"tower-{_piece_name(piece)}", 0, 0)
        else:
            body = token(piece, components, look.theme, -SIDE / 2, -SIDE * 0.92)
            body = use("plinth", 0, 0) + body
        yield Standing(piece["row"], piece["col"], f"<g {words} {_same(piece)}>{body}</g>")


# --- definitions


def _wall_of(terrain: str, theme: Theme) -> str:
    """The colour of a terrain's skyscrapers, darker than its squares."""
    return darker(theme[terrain], 0.32)


@functools.cache
def _definitions(theme_name: str, view: str) -> str:
    """What a picture uses again and again."""
    theme, drawn = THEMES[theme_name], shapes(FOLDER, theme_name)
    found = drawn.beginning(*TERRAINS, "park", "sport")
    if view == "skyline":
        found |= drawn.beginning("lawn", "trees", "plinth")
        found |= {
            f"tower-{terrain}-{value}": _tower(terrain, value, theme)
            for terrain in TERRAINS
            for value in VALUES
        }
    return "".join(group(body, name) for name, body in found.items())


def _tower(terrain: str, value: int, theme: Theme) -> str:
    """A skyscraper of a terrain, as high as its value; the number is on its roof."""
    wall, storeys = _wall_of(terrain, theme), value * STOREYS_OF_A_POINT
    shaft, top, reach = round(storeys * 0.62), -storeys * iso.STOREY, min(storeys, 6) * 4.16
    drawn = shapes(FOLDER, theme.name, wall=wall, top=top, reach=reach, value=str(value))
    lit = theme["window-lit"] if theme.name == "dark" else lighter(wall, 0.55)
    upper_windows = iso.windows(0.27, 0, round(storeys) - shaft, lit, 2)
    return (
        drawn["shade"]
        + iso.prism(0.38, 0, shaft, wall)
        + iso.windows(0.38, 0, shaft, lit)
        + iso.prism(0.27, shaft, storeys, lighter(wall, 0.08))
        + moved(upper_windows, 0, -shaft * iso.STOREY)
        + drawn[f"crown-{terrain}"]
        + drawn["sign"]
    )


# --- tokens


def token(
    piece: View, components: ComponentSet, theme: Theme, x: float, y: float, size: float = SIDE
) -> str:
    """A piece as it lies in plan and in the supply: a roof with its value, or a disc."""
    if piece["kind"] == "skyscraper":
        given = {"wall": _wall_of(piece["terrain"], theme), "value": str(piece["value"])}
        body = shapes(FOLDER, theme.name, **given)["roof"]
    else:
        body = _utility(utility_named(piece["utility"], components), theme)
    return moved(body, x, y, size / SIDE)


def _utility(utility: View, theme: Theme) -> str:
    """A utility: a disc with its kind and what it asks for."""
    drawn = shapes(FOLDER, theme.name, count=str(utility.get("count")))  # of a bus
    kind = drawn[utility["kind"]]
    if "where" in utility:
        return kind + drawn[f"where-{utility['where']}"]
    return kind + (_bus(utility, theme) if "needs" in utility else _biosphere(utility, theme))


def _bus(utility: View, theme: Theme) -> str:
    """What a bus counts: signs as large as a square, made smaller."""
    step, scale = (12, 0.34) if len(utility["needs"]) == 1 else (8.5, 0.26)
    drawn, signs = shapes(FOLDER, theme.name), []
    for nth, need in enumerate(utility["needs"]):
        sign = use(need, 0, 0) if need in SYMBOLS else drawn[f"count-{need}"]
        signs.append(moved(sign, 15 + nth * step, 18.5, scale))
    return "".join(signs)


def _biosphere(utility: View, theme: Theme) -> str:
    """The shape of a biosphere's district."""
    shape = utility["shape"]
    rows, cols = (max(square[axis] for square in shape) + 1 for axis in (0, 1))
    side = min(4.2, 12 / rows)
    left, top, paint = 18 - cols * side / 2, 19, f'fill="{theme["park"]}"'
    return "".join(rect(left + c * side, top + r * side, side - 0.5, paint) for r, c in shape)


# --- the supply


def _supply(view: View, components: ComponentSet, look: Look) -> Drawn:
    """A row of skyscrapers for each terrain, utilities where room is left: all is seen at once."""
    body = []
    for row, terrain in enumerate(TERRAINS):
        body.append(moved(use(terrain, 0, 0), -11, row * SLOT + 14, 0.36))
        for col, value in enumerate(view["skyscrapers"][terrain]):
            piece = {"kind": "skyscraper", "terrain": terrain, "value": value}
            offer = _skyscraper_offered(_kept(piece, components), look.theme.name, look.lang)
            body.append(_in_slot(row, col, offer))
    rows = len(TERRAINS)
    left = [u for u in components.content["utilities"] if u["id"] in view["utilities"]]
    for utility, (row, col) in zip(left, _free_slots(view["players"]), strict=False):
        kept = _kept({"kind": "utility", "utility": utility["id"]}, components)
        body.append(_in_slot(row, col, _utility_offered(kept, look.theme.name, look.lang)))
        rows = max(rows, row + 1)
    return panel(look.say("neoville.picture.supply"), "".join(body), rows * SLOT, look)


def _to_pick(piece: View, words: str, components: ComponentSet, lang: str) -> str:
    """The attributes of a piece of the supply: it says what it promises to who asks."""
    promise = _promise(piece, components).text(lang)
    return f"{pick(words, piece=_piece_name(piece))} {svg.tip(promise)}"


def _in_slot(row: int, col: int, body: str) -> str:
    return moved(body, 4 + col * SLOT, row * SLOT)


def _free_slots(players: int) -> Iterator[tuple[int, int]]:
    """Where utilities lie: beside the skyscrapers that so many players have (N-8), then below."""
    yield from product(range(len(TERRAINS)), range(max(5, players + 3), SLOTS))
    yield from product(range(len(TERRAINS), len(TERRAINS) + 2), range(SLOTS))


@functools.lru_cache(PIECES_KEPT)
def _skyscraper_offered(kept: Kept, theme_name: str, lang: str) -> str:
    """A skyscraper to be picked."""
    piece, components = kept.piece, kept.components
    chosen = _to_pick(piece, piece_label(piece, components).text(lang), components, lang)
    drawing = token(piece, components, THEMES[theme_name], 2, 2, SLOT - 4)
    drawing = f"<g {_same(piece)}>{drawing}</g>"
    return f"<g {chosen}>{drawing}{reach(0, 0, SLOT, SLOT)}</g>"


@functools.lru_cache(PIECES_KEPT)
def _utility_offered(kept: Kept, theme_name: str, lang: str) -> str:
    """A utility with its points; what it asks for is on it, and is spoken."""
    piece, utility = kept.piece, utility_named(kept.name, kept.components)
    theme, label = THEMES[theme_name], utility_label(utility).text(lang)
    drawing = token(piece, kept.components, theme, 1, 1, SLOT - 4)
    plate = f'<rect x="24" y="26" width="16" height="14" rx="5" fill="{theme.ink}"/>'
    points = text(str(utility["points"]), 32, 37, 11.5, theme.panel, "middle", 700)
    words = f"{label}, {utility['points']}"
    chosen = _to_pick(piece, words, kept.components, lang)
    # The piece is a group of its own: it alone is seen where it is to be built.
    body = f"<g {_same(piece)}>{drawing}</g>{plate}{points}<title>{clean(words)}</title>"
    return f"<g {chosen}>{body}{reach(0, 0, SLOT, SLOT)}</g>"


# --- the scene


def _panels(view: View, components: ComponentSet, look: Look) -> list[Area]:
    key = key_of(view, "skyscrapers", "utilities")
    return [Area("supply", key, lambda: _supply(view, components, look))]


scene = tiles.Style(
    definitions=lambda look: _definitions(look.theme.name, look.view),
    city=draw_city,
    points="neoville.picture.points",
    square_art=square_art,
    square_words=_square_words,
    panels=_panels,
).scene
