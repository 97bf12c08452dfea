"""Cloud City in the terminal: each city as a map, hands, row and supply as lines of text."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.markup import escape

from storeys.games.cloud_city.box import LETTERS, show_tiles
from storeys.games.cloud_city.moves import colour_label
from storeys.games.cloud_city.options import request_title
from storeys.games.cloud_city.state import COLOURS
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.tiles.grid import LETTERS as COLUMNS
from storeys.kernel.tiles.grid import REACH, free_places_of
from storeys.kernel.tiles.text import draft_lines

STYLES = {"blue": "blue", "green": "green", "sand": "yellow"}
Square = tuple[int, int]


def board_text(
    view: Mapping[str, Any], components: ComponentSet, names: Sequence[str], lang: str
) -> str:
    """The cities, one's own last and nearest; then what can be taken and what is asked for."""
    own = view.get("seat")
    seats = sorted(range(view["players"]), key=lambda seat: seat == own)
    lines = [line for seat in seats for line in [*_city_lines(view, seat, names, lang), ""]]
    lines.append(Message("cloud-city.board.legend").text(lang))
    lines += _supply_lines(view, lang)
    lines += _request_lines(view, lang)
    lines += draft_lines(view, components, names, lang, show_tiles)
    return "\n".join(lines)


# --- cities


def _city_lines(view: Mapping[str, Any], seat: int, names: Sequence[str], lang: str) -> list[str]:
    name, points = escape(names[seat]), view["scores"][seat]
    title = Message("cloud-city.board.city", name=name, points=points).text(lang)
    city = view["cities"][seat]
    ground = _ground(city)
    free = _free_places(view, seat)
    rows, cols = (sorted({square[axis] for square in [*ground, *free]}) for axis in (0, 1))
    crossing = _connections(city)
    letters = "   ".join(COLUMNS[col + 2 * REACH] for col in cols)
    lines = [f"[bold]{title}[/bold]", f"     {letters}"]
    for row in rows:
        cells = "".join(_cell(ground, crossing, free, row, col) for col in cols)
        lines.append(f"{row + 2 * REACH + 1:>3}  {cells}".rstrip())
        if any((row, col, "down") in crossing for col in cols):
            below = "".join(_below(crossing.get((row, col, "down"), "")) for col in cols)
            lines.append(f"     {below}".rstrip())
    return lines


def _free_places(view: Mapping[str, Any], seat: int) -> list[Square]:
    """The top left squares of the places where a tile may go (C-8, C-22)."""
    longest = 4 if view["options"]["city"] == "3x4" else 3
    tiles = [(tile["row"], tile["col"]) for tile in view["cities"][seat]["tiles"]]
    places = free_places_of(tiles, lambda r, c: min(r, c) <= 3 and max(r, c) <= longest)
    return [(2 * row, 2 * col) for row, col in places]


def _ground(city: Mapping[str, Any]) -> dict[Square, str | None]:
    """What stands on each square of the city's tiles."""
    ground: dict[Square, str | None] = {
        (2 * tile["row"] + r, 2 * tile["col"] + c): None
        for tile in city["tiles"]
        for r in (0, 1)
        for c in (0, 1)
    }
    for building in city["buildings"]:
        ground[building["row"], building["col"]] = building["colour"]
    return ground


def _connections(city: Mapping[str, Any]) -> dict[tuple[int, int, str], str]:
    """The letters of the walkways that lead from each square to the right and down."""
    found: dict[tuple[int, int, str], str] = {}
    for walkway in city["walkways"]:
        (row, col), (to_row, to_col) = walkway["from"], walkway["to"]
        way = "right" if row == to_row else "down"
        for step in range(to_row - row + to_col - col):
            square = (row, col + step, way) if way == "right" else (row + step, col, way)
            found[square] = found.get(square, "") + walkway["colour"][0]
    return {square: "".join(sorted(letters)) for square, letters in found.items()}


def _cell(
    ground: dict[Square, str | None],
    crossing: dict[tuple[int, int, str], str],
    free: list[Square],
    row: int,
    col: int,
) -> str:
    """A square and the three signs between it and the next one."""
    if (row, col) not in ground:
        return "+   " if (row, col) in free else "    "
    letters = crossing.get((row, col, "right"), "")
    return _mark(ground[row, col]) + (_coloured(f"{letters:─^3}") if letters else "   ")


def _mark(colour: str | None) -> str:
    if colour is None:
        return "·"
    return f"[bold {STYLES[colour]}]{LETTERS[colour]}[/bold {STYLES[colour]}]"


def _below(letters: str) -> str:
    """Four signs under a square."""
    return _coloured(f"{letters:<4}")


def _coloured(text: str) -> str:
    styles = {colour[0]: style for colour, style in STYLES.items()}
    return "".join(f"[{styles[s]}]{s}[/{styles[s]}]" if s in styles else s for s in text)


# --- the rest


def _supply_lines(view: Mapping[str, Any], lang: str) -> list[str]:
    lines = [Message("cloud-city.board.supply").text(lang)]
    for number, colour in enumerate(COLOURS):
        counts = "  ".join(
            f"{count}×{'━' * length}" for length, count in enumerate(view["supply"][colour], 1)
        )
        name = f"{colour_label(number).text(lang):<6}"
        lines.append(f"[{STYLES[colour]}]{name}[/{STYLES[colour]}] {counts}")
    return lines


def _request_lines(view: Mapping[str, Any], lang: str) -> list[str]:
    edition = view["options"]["edition"]
    return [
        Message(
            "cloud-city.board.request",
            title=request_title(name, view["options"]),
            text=Message(f"cloud-city.card.{name}.{edition}"),
        ).text(lang)
        for name in view["requests"]
    ]
