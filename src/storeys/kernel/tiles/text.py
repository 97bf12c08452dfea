"""Cities, tiles, hands and the row in the terminal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.markup import escape

from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.tiles.grid import LETTERS, REACH
from storeys.kernel.tiles.ground import Ground, Square

SCREEN = 78  # signs of a line
CELL = 4  # signs that a square of a city takes
SquareText = Callable[[Any], str]
"""A square of a tile in Rich's markup; every square of a game takes the same width."""
CellText = Callable[[Square], str]
"""A square of a city in Rich's markup, as wide as a cell."""
RowBelow = Callable[[int, Sequence[int]], Iterable[str]]
"""The lines, if any, between a row of a city (its number, its columns) and the next one."""


def cities_text(view: Mapping[str, Any], city_lines: Callable[[int], Iterable[str]]) -> list[str]:
    """The lines of each seat's city, one's own last and nearest."""
    seats = sorted(range(view["players"]), key=lambda seat: seat == view.get("seat"))
    return [line for seat in seats for line in [*city_lines(seat), ""]]


def city_map(
    ground: Ground, cell: CellText, below: RowBelow = lambda row, cols: ()
) -> Iterable[str]:
    """A city with letters above and numbers beside it; a plus where another tile may go."""
    free = [(2 * row, 2 * col) for row, col in ground.free]
    rows, cols = (sorted({square[axis] for square in [*ground.squares, *free]}) for axis in (0, 1))
    yield "     " + "".join(f"{LETTERS[col + 2 * REACH]:<{CELL}}" for col in cols).rstrip()
    for row in rows:
        line = f"{row + 2 * REACH + 1:>3}  "
        for square in ((row, col) for col in cols):
            empty = f"{'+' if square in free else '':<{CELL}}"
            line += cell(square) if square in ground.squares else empty
        yield line.rstrip()
        yield from below(row, cols)


def styled(text: str, style: str) -> str:
    """A text in one of Rich's styles."""
    return f"[{style}]{text}[/{style}]"


def tiles_text(tiles: list[dict[str, Any]], square_text: SquareText, width: int, key: str) -> str:
    """Tiles side by side under their ids; ``width`` is what the text of a square takes."""
    lines = []
    tile_width = 2 * width + 1
    longest = max((len(_title(tile, key)) for tile in tiles), default=0)
    gap = " " * max(longest + 2 - tile_width, 2)
    a_line = max(1, min(8, SCREEN // (tile_width + len(gap))))
    for first in range(0, len(tiles), a_line):
        some = tiles[first : first + a_line]
        lines.append("".join(f"{_title(tile, key):<{tile_width + len(gap)}}" for tile in some))
        for row in (0, 1):
            drawn = [" ".join(map(square_text, tile["squares"][row])) for tile in some]
            lines.append("".join(line + gap for line in drawn))
        lines.append("")
    return "\n".join(lines)


def _title(tile: Mapping[str, Any], key: str) -> str:
    return f"{tile['id']}{'*' * (key in tile)}"


def draft_lines(
    view: Mapping[str, Any],
    components: ComponentSet,
    names: Sequence[str],
    lang: str,
    show: Callable[[list[dict[str, Any]]], str],
) -> list[str]:
    """The row, the pile and the hands, as far as they are known."""
    by_id = {tile["id"]: tile for tile in components.content["tiles"]}
    lines = [Message("storeys.tiles.board.row", n=view["pile"]).text(lang)]
    lines.append(show([by_id[tile] for tile in view["row"]]))
    for seat, hand in enumerate(view["hands"]):
        known = [by_id[tile] for tile in hand if tile is not None]
        name, hidden = escape(names[seat]), len(hand) - len(known)
        message_id = "storeys.tiles.board.hand" if hidden else "storeys.tiles.board.open-hand"
        lines.append(Message(message_id, name=name, hidden=hidden).text(lang))
        if known:
            lines.append(show(known))
    return lines
