"""Tiles, hands and the row in the terminal."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.markup import escape

from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message

SCREEN = 78  # signs of a line
SquareText = Callable[[Any], str]
"""A square of a tile in Rich's markup; every square of a game takes the same width."""


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
