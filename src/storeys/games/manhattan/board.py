"""Manhattan in the terminal: cities, blocks, cards and points as lines of text."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.markup import escape

from storeys.games.manhattan.marks import Tower, colours_in, played_by_cell
from storeys.games.manhattan.moves import CELL_NAMES, city_label, colour_label, seat_of_colour
from storeys.games.manhattan.state import CELL_OF_CARD, COLOURS
from storeys.kernel.components import ComponentSet
from storeys.kernel.drawing.panels import Names, View
from storeys.kernel.messages import Message

CELL_WIDTH = 8
CITY_WIDTH = 3 * CELL_WIDTH + 2


def board_text(view: View, components: ComponentSet, names: Names, lang: str) -> str:
    """The board with a legend, then what each colour has, then the cards."""
    lines = []
    for first in (0, 3):
        cities = [_city_lines(view["towers"][city], city, lang) for city in range(first, first + 3)]
        lines += [*map(" ".join, zip(*cities, strict=True)), ""]
    lines.append(Message("manhattan.board.legend").text(lang))
    lines += [_colour_line(view, colour, names, lang) for colour in colours_in(view)]
    return "\n".join(lines + _card_lines(view, names, lang))


def _city_lines(towers: Sequence[Tower], city: int, lang: str) -> list[str]:
    columns = "".join(f"{letter:^{CELL_WIDTH}}" for letter in "abc")
    rows = ["".join(map(_tower, towers[first : first + 3])) for first in (0, 3, 6)]
    return [
        f"[bold]{city_label(city).text(lang):^{CITY_WIDTH}}[/bold]",
        f"  {columns}",
        *(f"{number} {row}" for number, row in enumerate(rows, start=1)),
    ]


def _tower(blocks: Tower) -> str:
    """Whose storeys a tower has, its owner's first: R7, or B5R4."""
    if not blocks:
        return f"{'·':^{CELL_WIDTH}}"
    owner = blocks[-1][0]
    storeys = Counter[int]()
    for colour, size in blocks:
        storeys[colour] += size
    others = sorted(colour for colour in storeys if colour != owner)
    text = "".join(f"{COLOURS[c][0].upper()}{storeys[c]}" for c in (owner, *others))
    return _coloured(f"{text:^{CELL_WIDTH}}", owner)


def _coloured(text: str, colour: int) -> str:
    return f"[{COLOURS[colour]}]{text}[/{COLOURS[colour]}]"


def _colour_line(view: View, colour: int, names: Names, lang: str) -> str:
    seat = seat_of_colour(view["players"], colour)
    return Message(
        "manhattan.board.colour",
        colour=_coloured(f"{colour_label(colour).text(lang):<7}", colour),
        name=escape(names[seat]),
        starts="*" if seat == view["starter"] else " ",
        points=f"{view['scores'][colour]:>3}",
        picked=_blocks(view["picked"][colour]),
        stock=_blocks(view["stock"][colour]),
    ).text(lang)


def _blocks(counts: Sequence[int]) -> str:
    return " ".join(f"{count}×{size}" for size, count in enumerate(counts, start=1) if count) or "–"


def _card_lines(view: View, names: Names, lang: str) -> list[str]:
    cells = zip(CELL_NAMES, played_by_cell(view), strict=True)
    played = " ".join(f"{n}×{cell}" for cell, n in cells if n) or "–"
    lines = [Message("manhattan.board.pile", n=view["pile"], played=played)]
    for owner, hand in enumerate(view["hands"]):
        if None not in hand:
            cards = "  ".join(CELL_NAMES[CELL_OF_CARD[owner, card - 1]] for card in sorted(hand))
            lines.append(Message("manhattan.board.hand", name=escape(names[owner]), cards=cards))
    return [line.text(lang) for line in lines]


def components_text(content: Mapping[str, Any], lang: str) -> str:
    """A small grid of how many cards mark each cell, and the blocks as they stand."""
    copies = [card["copies"] for card in content["cards"]]
    rows = ["  ".join(f"{n:>2}" for n in copies[row : row + 3]) for row in (0, 3, 6)]
    blocks = [f"{block['count']:>3} × {'▆' * block['storeys']}" for block in content["blocks"]]
    cards = Message("manhattan.components.cards", n=sum(copies)).text(lang)
    return "\n".join([cards, *rows, "", Message("manhattan.components.blocks").text(lang), *blocks])
