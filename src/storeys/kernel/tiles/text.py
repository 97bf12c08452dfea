"""Cities, tiles, hands and the row in the terminal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.markup import escape

from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.tiles.grid import LETTERS, REACH, Fits
from storeys.kernel.tiles.ground import Ground, Square, ground_of

SCREEN = 78  # signs of a line
CELL = 4  # signs that a square of a city takes
View = Mapping[str, Any]
Tile = Mapping[str, Any]
CellText = Callable[[Square], str]
"""A square of a city in Rich's markup, as wide as a cell."""
RowBelow = Callable[[int, Sequence[int]], Iterable[str]]
"""The lines, if any, between a row of a city (its number, its columns) and the next one."""


@dataclass(frozen=True)
class Terminal:
    """What a game writes its own way; the rest of its board and box is that of all tile games."""

    square: Callable[[Any], str]
    """A square of a tile in Rich's markup; every square of a game takes the same width."""
    width: int
    """What a square takes."""
    numbered: str
    """The key of the tiles that belong to a seat from the start."""
    title: str
    """The id of the message above a city: whose it is and what it has."""
    legend: str
    """The id of the message that says what the signs of a city mean."""
    fits: Callable[[View], Fits]
    """How large a city may grow."""
    city: Callable[[View, Ground, ComponentSet, str], Iterable[str]]
    """The lines of a city and what lies where in it."""
    supply: Callable[[View, ComponentSet, str], Iterable[str]]
    """The lines of what can be built, and what else there is to know."""
    box: str
    """The id of the message above a component set."""
    pieces: Callable[[View, str], Iterable[str]]
    """The lines of what is in a box beside tiles."""

    def board_text(
        self, view: View, components: ComponentSet, names: Sequence[str], lang: str
    ) -> str:
        """The cities, one's own last and nearest; then what can be built and taken."""
        lines = []
        for seat in sorted(range(view["players"]), key=lambda seat: seat == view.get("seat")):
            title = Message(self.title, name=escape(names[seat]), n=view["scores"][seat])
            city = view["cities"][seat]
            ground = ground_of(city, components, self.fits(view))
            lines.append(styled(title.text(lang), "bold"))
            lines += [*self.city(city, ground, components, lang), ""]
        lines.append(Message(self.legend).text(lang))
        lines += self.supply(view, components, lang)
        return "\n".join([*lines, *self._draft_lines(view, components, names, lang)])

    def components_text(self, content: View, lang: str) -> str:
        """All tiles, then what else is in the box."""
        title = Message(self.box, n=len(content["tiles"])).text(lang)
        tiles = self._tiles_text(content["tiles"])
        return "\n".join([title, "", tiles, *self.pieces(content, lang)])

    def _draft_lines(
        self, view: View, components: ComponentSet, names: Sequence[str], lang: str
    ) -> Iterable[str]:
        """The row, the pile and the hands, as far as they are known."""
        by_id = {tile["id"]: tile for tile in components.content["tiles"]}
        yield Message("storeys.tiles.board.row", n=view["pile"]).text(lang)
        yield self._tiles_text([by_id[tile] for tile in view["row"]])
        for seat, hand in enumerate(view["hands"]):
            known = [by_id[tile] for tile in hand if tile is not None]
            name, hidden = escape(names[seat]), len(hand) - len(known)
            message_id = "storeys.tiles.board.hand" if hidden else "storeys.tiles.board.open-hand"
            yield Message(message_id, name=name, hidden=hidden).text(lang)
            if known:
                yield self._tiles_text(known)

    def _tiles_text(self, tiles: Sequence[Tile]) -> str:
        """Tiles side by side under their ids."""
        lines = []
        tile_width = 2 * self.width + 1
        longest = max((len(self._tile_title(tile)) for tile in tiles), default=0)
        gap = " " * max(longest + 2 - tile_width, 2)
        a_line = max(1, min(8, SCREEN // (tile_width + len(gap))))
        for first in range(0, len(tiles), a_line):
            some = tiles[first : first + a_line]
            titles = (f"{self._tile_title(tile):<{tile_width + len(gap)}}" for tile in some)
            lines.append("".join(titles))
            for row in (0, 1):
                drawn = [" ".join(map(self.square, tile["squares"][row])) for tile in some]
                lines.append("".join(line + gap for line in drawn))
            lines.append("")
        return "\n".join(lines)

    def _tile_title(self, tile: Tile) -> str:
        return f"{tile['id']}{'*' * (self.numbered in tile)}"


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
