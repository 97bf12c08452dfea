"""Neoville in the terminal: each city as a map, then supply, row and hands as lines of text."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from storeys.games.neoville.box import EQUITY
from storeys.games.neoville.moves import utility_label, utility_named
from storeys.games.neoville.state import SIDE, TERRAINS
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.tiles.grid import square_name
from storeys.kernel.tiles.ground import Ground, Square
from storeys.kernel.tiles.text import CELL, Terminal, city_map, styled

View = Mapping[str, Any]
STYLES = {"earth": "red", "grass": "green", "stone": "white", "water": "blue"}
MARKS = {None: " ", "park": "♣", "sport": "○"}


def within_limits(rows: int, cols: int) -> bool:
    """N-11: at most 4×4 tiles."""
    return max(rows, cols) <= SIDE


# --- cities


def _square_text(square: Mapping[str, Any]) -> str:
    """The terrain's letter and the symbol."""
    style = STYLES[square["terrain"]]
    return f"[{style}]{square['terrain'][0].upper()}[/{style}]{MARKS[square['symbol']]}"


def _city_lines(city: View, ground: Ground, components: ComponentSet, lang: str) -> Iterator[str]:
    if not city["tiles"]:
        yield "     " + Message("neoville.board.empty").text(lang)
        return
    pieces = {(piece["row"], piece["col"]): piece for piece in city["pieces"]}

    def cell(square: Square) -> str:
        found = ground.squares[square]
        if square not in pieces:
            return _square_text(found) + " " * (CELL - 2)
        piece, letter = pieces[square], found["terrain"][0].upper()
        mark = piece.get("value") or utility_named(piece["utility"], components)["kind"][:2]
        return styled(letter, STYLES[found["terrain"]]) + styled(f"{mark:<{CELL - 1}}", "bold")

    yield from city_map(ground, cell)
    utilities = [piece for piece in city["pieces"] if piece["kind"] == "utility"]
    if utilities:
        built = (f"{u['utility']} {square_name(u['row'], u['col'])}" for u in utilities)
        yield f"     {styled(', '.join(built), 'dim')}"


# --- pieces


def _supply_lines(view: View, components: ComponentSet, lang: str) -> Iterator[str]:
    """The skyscrapers and utilities that are left."""
    yield Message("neoville.board.skyscrapers").text(lang)
    for terrain in TERRAINS:
        name = f"{Message(f'neoville.terrain.{terrain}').text(lang):<6}"
        values = " ".join(map(str, view["skyscrapers"][terrain])) or "–"
        yield f"{styled(name, STYLES[terrain])} {values}"
    yield Message("neoville.board.utilities").text(lang)
    left = [u for u in components.content["utilities"] if u["id"] in view["utilities"]]
    yield from _utility_lines(left, lang) or ["  –"]


def _box_lines(content: View, lang: str) -> Iterator[str]:
    """All skyscrapers and utilities."""
    yield Message("neoville.components.skyscrapers").text(lang)
    for entry in content["skyscrapers"]:
        name = Message(f"neoville.terrain.{entry['terrain']}").text(lang)
        yield f"{name:<6} {' '.join(map(str, entry['values']))}"
    yield Message("neoville.components.utilities").text(lang)
    yield from _utility_lines(content["utilities"], lang)


def _utility_lines(utilities: Iterable[dict[str, Any]], lang: str) -> list[str]:
    """Utilities, those of one sort in one line: points, what they ask for, ids."""
    sorts: dict[str, list[str]] = {}
    for utility in utilities:
        sort = f"{utility['points']:>3}  {utility_label(utility).text(lang)}"
        sorts.setdefault(sort, []).append(utility["id"])
    return [f"{sort}: [dim]{', '.join(ids)}[/dim]" for sort, ids in sorts.items()]


TERMINAL = Terminal(
    square=_square_text,
    width=2,
    numbered=EQUITY,
    title="neoville.board.city",
    legend="neoville.board.legend",
    fits=lambda view: within_limits,
    city=_city_lines,
    supply=_supply_lines,
    box="neoville.components.title",
    pieces=_box_lines,
)
