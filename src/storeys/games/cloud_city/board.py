"""Cloud City in the terminal: each city as a map, hands, row and supply as lines of text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from storeys.games.cloud_city.box import START
from storeys.games.cloud_city.moves import colour_label
from storeys.games.cloud_city.options import request_title
from storeys.games.cloud_city.state import COLOURS
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.tiles.grid import Fits
from storeys.kernel.tiles.ground import Ground, Square
from storeys.kernel.tiles.text import Terminal, city_map, styled

View = Mapping[str, Any]
LETTERS = {"blue": "B", "green": "G", "sand": "S", None: "·"}
STYLES = {"blue": "blue", "green": "green", "sand": "yellow", None: "dim"}


def fits_of(view: View) -> Fits:
    """C-8, C-22: whether a city may have so many rows and columns of tiles."""
    longest = 4 if view["options"]["city"] == "3x4" else 3
    return lambda rows, cols: min(rows, cols) <= 3 and max(rows, cols) <= longest


# --- cities


def _city_lines(city: View, ground: Ground, components: ComponentSet, lang: str) -> Iterable[str]:
    crossing = _connections(city)

    def cell(square: Square) -> str:
        """A square and the three signs between it and the next one."""
        colour, letters = ground.squares[square], crossing.get((*square, "right"), "")
        mark = styled(LETTERS[colour], f"bold {STYLES[colour]}") if colour else LETTERS[None]
        return mark + (_coloured(f"{letters:─^3}") if letters else "   ")

    def below(row: int, cols: Sequence[int]) -> Iterator[str]:
        """The walkways that lead on downwards."""
        letters = [crossing.get((row, col, "down"), "") for col in cols]
        if any(letters):
            yield f"     {_coloured(''.join(f'{some:<4}' for some in letters))}".rstrip()

    return city_map(ground, cell, below)


def _connections(city: View) -> dict[tuple[int, int, str], str]:
    """The letters of the walkways that lead from each square to the right and down."""
    found: dict[tuple[int, int, str], str] = {}
    for walkway in city["walkways"]:
        (row, col), (to_row, to_col) = walkway["from"], walkway["to"]
        way = "right" if row == to_row else "down"
        for step in range(to_row - row + to_col - col):
            square = (row, col + step, way) if way == "right" else (row + step, col, way)
            found[square] = found.get(square, "") + walkway["colour"][0]
    return {square: "".join(sorted(letters)) for square, letters in found.items()}


def _coloured(text: str) -> str:
    styles = {colour[0]: STYLES[colour] for colour in COLOURS}
    return "".join(styled(sign, styles[sign]) if sign in styles else sign for sign in text)


# --- the rest


def _supply_lines(view: View, components: ComponentSet, lang: str) -> Iterator[str]:
    """The walkways that are left, then the requests."""
    yield Message("cloud-city.board.supply").text(lang)
    for colour in COLOURS:
        name = styled(f"{colour_label(colour).text(lang):<6}", STYLES[colour])
        yield f"{name} {_piece_counts(view['supply'][colour])}"
    for name in view["requests"]:
        text = Message(f"cloud-city.card.{name}.{view['options']['edition']}")
        title = request_title(name, view["options"])
        yield Message("cloud-city.board.request", title=title, text=text).text(lang)


def _box_lines(content: View, lang: str) -> Iterator[str]:
    """The walkways by colour and length."""
    yield Message("cloud-city.components.walkways").text(lang)
    for entry in content["walkways"]:
        name = colour_label(entry["colour"]).text(lang)
        yield f"{name:<6} {_piece_counts(entry['counts'])}"


def _piece_counts(counts: Sequence[int]) -> str:
    """Walkways of one colour, by length."""
    return "  ".join(f"{count}×{'━' * length}" for length, count in enumerate(counts, 1))


TERMINAL = Terminal(
    square=lambda colour: styled(LETTERS[colour], STYLES[colour]),
    width=1,
    numbered=START,
    title="cloud-city.board.city",
    legend="cloud-city.board.legend",
    fits=fits_of,
    city=_city_lines,
    supply=_supply_lines,
    box="cloud-city.components.title",
    pieces=_box_lines,
)
