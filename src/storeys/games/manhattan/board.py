"""What a view of Manhattan says, and in the terminal: cities, blocks, cards, points as text."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.markup import escape

from storeys.games.manhattan.moves import CELL_NAMES, city_label, colour_label, seat_of_colour
from storeys.games.manhattan.state import CARD_OF_CELL, CELL_OF_CARD, COLOURS, SIZES
from storeys.kernel.components import ComponentSet
from storeys.kernel.drawing.panels import Names, View
from storeys.kernel.messages import Message

CELL_WIDTH = 8
CITY_WIDTH = 3 * CELL_WIDTH + 2
Tower = Sequence[Sequence[int]]
"""Blocks as colour and size, from the ground up."""
Blocks = tuple[tuple[int, int], ...]
"""The same, for good."""


# --- what a view says


def colours_in(view: View) -> range:
    """The colours in play."""
    return range(3 if view["players"] == 3 else 4)


def colours_of(view: View, seat: int | None) -> list[int]:
    """The colours of a seat; none of a spectator."""
    return [c for c in colours_in(view) if seat_of_colour(view["players"], c) == seat]


def on_turn(view: View, phase: str) -> bool:
    """Whether who looks is to move, in this phase."""
    return bool(view["phase"] == phase and view.get("seat") == view["to_move"])


def height_of(tower: Tower) -> int:
    """The storeys of a tower."""
    return sum([size for _, size in tower])


def blocks_of(tower: Tower) -> Iterator[tuple[int, int, int]]:
    """The blocks of a tower: how high each stands, its colour and its size."""
    low = 0
    for colour, size in tower:
        yield low, colour, size
        low += size


def best_alone(numbers: Mapping[int, int]) -> int | None:
    """What has more than everything else, if anything has (M-16, M-17)."""
    most = max(numbers.values(), default=0)
    best = [one for one, number in numbers.items() if number == most]
    return best[0] if len(best) == 1 else None


def played_by_cell(view: View) -> list[int]:
    """How often each card was played, by the cell that it means for who looks (M-6).

    A spectator sits with seat 0.
    """
    return [view["discard"][card] for card in CARD_OF_CELL[view.get("seat") or 0]]


# --- in the terminal


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
    by_rank = sorted(storeys, key=lambda colour: (colour != owner, colour))
    text = "".join(f"{COLOURS[colour][0].upper()}{storeys[colour]}" for colour in by_rank)
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
        picked=_counted(view["picked"][colour], range(1, SIZES + 1)),
        stock=_counted(view["stock"][colour], range(1, SIZES + 1)),
    ).text(lang)


def _counted(counts: Sequence[int], names: Sequence[object]) -> str:
    pairs = zip(counts, names, strict=True)
    return " ".join(f"{count}×{name}" for count, name in pairs if count) or "–"


def _card_lines(view: View, names: Names, lang: str) -> list[str]:
    played = _counted(played_by_cell(view), CELL_NAMES)
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
