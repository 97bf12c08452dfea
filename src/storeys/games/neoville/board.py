"""Neoville in the terminal: each city as a map, then supply, row and hands as lines of text."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.markup import escape

from storeys.games.neoville.box import STYLES, show_tiles, square_text, utility_lines
from storeys.games.neoville.state import SIDE, TERRAINS
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.tiles.box import turned_squares
from storeys.kernel.tiles.grid import LETTERS as COLUMNS
from storeys.kernel.tiles.grid import REACH, free_places_of, square_name
from storeys.kernel.tiles.text import draft_lines

Square = tuple[int, int]
CELL = 4  # signs that a square takes on the map


def board_text(
    view: Mapping[str, Any], components: ComponentSet, names: Sequence[str], lang: str
) -> str:
    """The cities, one's own last and nearest; then what can be built and taken."""
    own = view.get("seat")
    seats = sorted(range(view["players"]), key=lambda seat: seat == own)
    lines = [
        line for seat in seats for line in [*_city_lines(view, seat, components, names, lang), ""]
    ]
    lines.append(Message("neoville.board.legend").text(lang))
    lines += _supply_lines(view, components, lang)
    lines += draft_lines(view, components, names, lang, show_tiles)
    return "\n".join(lines)


# --- cities


def _city_lines(
    view: Mapping[str, Any],
    seat: int,
    components: ComponentSet,
    names: Sequence[str],
    lang: str,
) -> list[str]:
    name, points = escape(names[seat]), view["scores"][seat]
    title = Message("neoville.board.city", name=name, n=points).text(lang)
    city = view["cities"][seat]
    ground = _ground(city, components)
    if not ground:
        empty = Message("neoville.board.empty").text(lang)
        return [f"[bold]{title}[/bold]", f"     {empty}"]
    free = [(2 * row, 2 * col) for row, col in free_places_of(_places(city), within_limits)]
    pieces = {
        (piece["row"], piece["col"]): _piece_mark(piece, components) for piece in city["pieces"]
    }
    rows, cols = (sorted({square[axis] for square in [*ground, *free]}) for axis in (0, 1))
    letters = "".join(f"{COLUMNS[col + 2 * REACH]:<{CELL}}" for col in cols)
    lines = [f"[bold]{title}[/bold]", f"     {letters}".rstrip()]
    for row in rows:
        cells = "".join(_cell(ground, pieces, free, (row, col)) for col in cols)
        lines.append(f"{row + 2 * REACH + 1:>3}  {cells}".rstrip())
    return lines + _utilities_built(city)


def _ground(city: Mapping[str, Any], components: ComponentSet) -> dict[Square, Mapping[str, Any]]:
    """Terrain and symbol of each square of the city."""
    ground = {}
    for laid in city["tiles"]:
        tile = components.content["tiles"][components.tile_numbers[laid["tile"]]]
        for nth, square in enumerate(turned_squares(tile, laid["turn"])):
            ground[2 * laid["row"] + nth // 2, 2 * laid["col"] + nth % 2] = square
    return ground


def _places(city: Mapping[str, Any]) -> list[Square]:
    return [(tile["row"], tile["col"]) for tile in city["tiles"]]


def within_limits(rows: int, cols: int) -> bool:
    """N-11: at most 4×4 tiles."""
    return max(rows, cols) <= SIDE


def _piece_mark(piece: Mapping[str, Any], components: ComponentSet) -> str:
    """A skyscraper is its value, a utility the first letters of its kind."""
    if piece["kind"] == "skyscraper":
        return str(piece["value"])
    utilities = {utility["id"]: utility for utility in components.content["utilities"]}
    return str(utilities[piece["utility"]]["kind"][:2])


def _cell(
    ground: dict[Square, Mapping[str, Any]],
    pieces: dict[Square, str],
    free: list[Square],
    square: Square,
) -> str:
    if square not in ground:
        return f"{'+' if square in free else '':<{CELL}}"
    if square not in pieces:
        return square_text(ground[square]) + " " * (CELL - 2)
    style = STYLES[ground[square]["terrain"]]
    mark = f"{pieces[square]:<{CELL - 1}}"
    return f"[{style}]{ground[square]['terrain'][0].upper()}[/{style}][bold]{mark}[/bold]"


def _utilities_built(city: Mapping[str, Any]) -> list[str]:
    built = [
        f"{piece['utility']} {square_name(piece['row'], piece['col'])}"
        for piece in city["pieces"]
        if piece["kind"] == "utility"
    ]
    return [f"     [dim]{', '.join(built)}[/dim]"] if built else []


# --- the supply


def _supply_lines(view: Mapping[str, Any], components: ComponentSet, lang: str) -> list[str]:
    lines = [Message("neoville.board.skyscrapers").text(lang)]
    for terrain in TERRAINS:
        name = f"{Message(f'neoville.terrain.{terrain}').text(lang):<6}"
        values = " ".join(map(str, view["skyscrapers"][terrain])) or "–"
        lines.append(f"[{STYLES[terrain]}]{name}[/{STYLES[terrain]}] {values}")
    left = [u for u in components.content["utilities"] if u["id"] in view["utilities"]]
    lines.append(Message("neoville.board.utilities").text(lang))
    return [*lines, *(utility_lines(left, lang) or ["  –"])]
