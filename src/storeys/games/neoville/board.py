"""Neoville in the terminal: each city as a map, then supply, row and hands as lines of text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.markup import escape

from storeys.games.neoville.box import EQUITY
from storeys.games.neoville.moves import utility_label
from storeys.games.neoville.state import SIDE, TERRAINS
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.tiles.grid import square_name
from storeys.kernel.tiles.ground import Square, ground_of
from storeys.kernel.tiles.text import CELL, cities_text, city_map, draft_lines, styled, tiles_text

View = Mapping[str, Any]
STYLES = {"earth": "red", "grass": "green", "stone": "white", "water": "blue"}
MARKS = {None: " ", "park": "♣", "sport": "○"}


def components_text(content: Mapping[str, Any], lang: str) -> str:
    """All tiles, then skyscrapers and utilities."""
    lines = [Message("neoville.components.title", n=len(content["tiles"])).text(lang), ""]
    lines.append(_show_tiles(content["tiles"]))
    lines.append(Message("neoville.components.skyscrapers").text(lang))
    for entry in content["skyscrapers"]:
        name = Message(f"neoville.terrain.{entry['terrain']}").text(lang)
        lines.append(f"{name:<6} {' '.join(map(str, entry['values']))}")
    lines.append(Message("neoville.components.utilities").text(lang))
    return "\n".join(lines + _utility_lines(content["utilities"], lang))


def _show_tiles(tiles: list[dict[str, Any]]) -> str:
    """Tiles side by side as letters and symbols."""
    return tiles_text(tiles, _square_text, 2, EQUITY)


def _square_text(square: Mapping[str, Any]) -> str:
    """The terrain's letter and the symbol."""
    style = STYLES[square["terrain"]]
    return f"[{style}]{square['terrain'][0].upper()}[/{style}]{MARKS[square['symbol']]}"


def _utility_lines(utilities: list[dict[str, Any]], lang: str) -> list[str]:
    """Utilities, those of one sort in one line: points, what they ask for, ids."""
    sorts: dict[tuple[str, int], list[str]] = {}
    for utility in utilities:
        key = (utility_label(utility).text(lang), utility["points"])
        sorts.setdefault(key, []).append(utility["id"])
    return [
        f"{points:>3}  {text}: [dim]{', '.join(ids)}[/dim]" for (text, points), ids in sorts.items()
    ]


def board_text(view: View, components: ComponentSet, names: Sequence[str], lang: str) -> str:
    """The cities, one's own last and nearest; then what can be built and taken."""
    lines = cities_text(view, lambda seat: _city_lines(view, seat, components, names[seat], lang))
    lines.append(Message("neoville.board.legend").text(lang))
    lines += _supply_lines(view, components, lang)
    lines += draft_lines(view, components, names, lang, _show_tiles)
    return "\n".join(lines)


def within_limits(rows: int, cols: int) -> bool:
    """N-11: at most 4×4 tiles."""
    return max(rows, cols) <= SIDE


# --- cities


def _city_lines(
    view: View, seat: int, components: ComponentSet, name: str, lang: str
) -> Iterable[str]:
    points, city = view["scores"][seat], view["cities"][seat]
    yield styled(Message("neoville.board.city", name=escape(name), n=points).text(lang), "bold")
    if not city["tiles"]:
        yield "     " + Message("neoville.board.empty").text(lang)
        return
    ground = ground_of(city, components, within_limits)
    pieces = {(piece["row"], piece["col"]): piece for piece in city["pieces"]}

    def cell(square: Square) -> str:
        found = ground.squares[square]
        if square not in pieces:
            return _square_text(found) + " " * (CELL - 2)
        mark = f"{_piece_mark(pieces[square], components):<{CELL - 1}}"
        return styled(found["terrain"][0].upper(), STYLES[found["terrain"]]) + styled(mark, "bold")

    yield from city_map(ground, cell)
    utilities = [piece for piece in city["pieces"] if piece["kind"] == "utility"]
    if utilities:
        built = (f"{u['utility']} {square_name(u['row'], u['col'])}" for u in utilities)
        yield f"     {styled(', '.join(built), 'dim')}"


def _piece_mark(piece: View, components: ComponentSet) -> str:
    """A skyscraper is its value, a utility the first letters of its kind."""
    if piece["kind"] == "skyscraper":
        return str(piece["value"])
    utilities = {utility["id"]: utility for utility in components.content["utilities"]}
    return str(utilities[piece["utility"]]["kind"][:2])


# --- the supply


def _supply_lines(view: View, components: ComponentSet, lang: str) -> list[str]:
    lines = [Message("neoville.board.skyscrapers").text(lang)]
    for terrain in TERRAINS:
        name = f"{Message(f'neoville.terrain.{terrain}').text(lang):<6}"
        values = " ".join(map(str, view["skyscrapers"][terrain])) or "–"
        lines.append(f"{styled(name, STYLES[terrain])} {values}")
    left = [u for u in components.content["utilities"] if u["id"] in view["utilities"]]
    lines.append(Message("neoville.board.utilities").text(lang))
    return [*lines, *(_utility_lines(left, lang) or ["  –"])]
