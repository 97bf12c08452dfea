"""Manhattan in the terminal: cities, blocks, cards and points as lines of text."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.markup import escape

from storeys.games.manhattan.moves import CELL_NAMES, city_label, colour_label, seat_of_colour
from storeys.games.manhattan.state import CELL_OF_CARD, COLOURS
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message

CELL_WIDTH = 8
CITY_WIDTH = 3 * CELL_WIDTH + 2


def board_text(
    view: Mapping[str, Any], components: ComponentSet, names: Sequence[str], lang: str
) -> str:
    """The board with a legend, then what each colour has, then the cards."""
    rows = [_city_row(view, cities, lang) for cities in (range(3), range(3, 6))]
    lines = [line for row in rows for line in [*row, ""]]
    lines.append(Message("manhattan.board.legend").text(lang))
    lines += [_colour_line(view, colour, names, lang) for colour in _colours(view)]
    lines += _card_lines(view, names, lang)
    return "\n".join(lines)


def _colours(view: Mapping[str, Any]) -> range:
    return range(3 if view["players"] == 3 else 4)


def _city_row(view: Mapping[str, Any], cities: range, lang: str) -> list[str]:
    blocks = [_city_lines(view["towers"][city], city, lang) for city in cities]
    return [" ".join(parts) for parts in zip(*blocks, strict=True)]


def _city_lines(towers: list[list[list[int]]], city: int, lang: str) -> list[str]:
    columns = "".join(f"{letter:^{CELL_WIDTH}}" for letter in "abc")
    lines = [f"[bold]{city_label(city).text(lang):^{CITY_WIDTH}}[/bold]", f"  {columns}"]
    for row in range(3):
        cells = "".join(_tower(towers[row * 3 + column]) for column in range(3))
        lines.append(f"{row + 1} {cells}")
    return lines


def _tower(blocks: list[list[int]]) -> str:
    """Whose storeys a tower has, its owner's first: R7, or B5R4."""
    if not blocks:
        return f"{'·':^{CELL_WIDTH}}"
    owner = blocks[-1][0]
    storeys = Counter[int]()
    for colour, size in blocks:
        storeys[colour] += size
    others = sorted(colour for colour in storeys if colour != owner)
    text = "".join(f"{COLOURS[c][0].upper()}{storeys[c]}" for c in (owner, *others))
    return f"[{COLOURS[owner]}]{text:^{CELL_WIDTH}}[/{COLOURS[owner]}]"


def _colour_line(view: Mapping[str, Any], colour: int, names: Sequence[str], lang: str) -> str:
    seat = seat_of_colour(view["players"], colour)
    name = f"{colour_label(colour).text(lang):<7}"
    return Message(
        "manhattan.board.colour",
        colour=f"[{COLOURS[colour]}]{name}[/{COLOURS[colour]}]",
        name=escape(names[seat]),
        starts="*" if seat == view["starter"] else " ",
        points=f"{view['scores'][colour]:>3}",
        picked=_blocks(view["picked"][colour]),
        stock=_blocks(view["stock"][colour]),
    ).text(lang)


def _blocks(counts: list[int]) -> str:
    shown = [f"{count}×{size + 1}" for size, count in enumerate(counts) if count]
    return " ".join(shown) or "–"


def _card_lines(view: Mapping[str, Any], names: Sequence[str], lang: str) -> list[str]:
    seat = view.get("seat") or 0  # a spectator sits with seat 0
    played = " ".join(f"{n}×{_cell_of(seat, card)}" for card, n in _played(view["discard"], seat))
    lines = [Message("manhattan.board.pile", n=view["pile"], played=played or "–").text(lang)]
    for owner, hand in enumerate(view["hands"]):
        if None not in hand:
            cards = "  ".join(f"{_cell_of(owner, card)}" for card in sorted(hand))
            name = escape(names[owner])
            lines.append(Message("manhattan.board.hand", name=name, cards=cards).text(lang))
    return lines


def _played(discard: Sequence[int], seat: int) -> list[tuple[int, int]]:
    """The cards that were played and how often, by the cells that they mean for a seat."""
    played = [(card, n) for card, n in enumerate(discard, start=1) if n]
    return sorted(played, key=lambda one: int(CELL_OF_CARD[seat, one[0] - 1]))


def _cell_of(seat: int, card: int) -> str:
    return CELL_NAMES[CELL_OF_CARD[seat, card - 1]]
