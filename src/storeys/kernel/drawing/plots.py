"""A plain picture of any game: plots with towers in plan and from the air, cards, buttons.

What a game shows is told in a few words: which square has how many storeys of whom
(:class:`Plot`), which squares are to be picked, which cards lie where.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from storeys.kernel.drawing import isometric as iso
from storeys.kernel.drawing.isometric import STOREY, Isometric
from storeys.kernel.drawing.panels import (
    FINGER,
    LETTER,
    PAD,
    WIDTH,
    panel,
    reach,
    seat_mark,
    shorten,
)
from storeys.kernel.drawing.scene import Badge, Drawn, Look, background
from storeys.kernel.drawing.svg import moved, pick, picture_of, piece, place, polygon, rect, text
from storeys.kernel.drawing.themes import Theme, darker, ink_on, lighter, mixed

AREA = 396.0
HEAD = 34.0
SIDE = 48.0
EDGE = 26.0  # kept free around the plan, for its labels
MOST_ROOM = 1.6
"""How much a small city is enlarged at most."""
HUES = ("red", "blue", "green", "yellow")
Square = tuple[int, int]


@dataclass(frozen=True)
class Plot:
    """What stands on a square: so many storeys of a seat (None: of nobody), and how it is read."""

    storeys: int
    seat: int | None
    words: str
    sign: str = ""
    """What is written beside the number of storeys: a letter or two."""
    pickable: bool = False
    """Whether it can be picked, like the free squares."""

    def spoken(self, row: int, col: int) -> str:
        """The attributes of its drawing."""
        whose = "" if self.seat is None else f"hand-{self.seat}"
        known = piece(plot_name(row, col), come_from=whose, owner=self.seat)
        if self.pickable:
            return f"{pick(self.words, square=f'{row},{col}')} {known}"
        return f"{picture_of(self.words)} {known}"


def plot_name(row: int | str, col: int | str) -> str:
    """What the plot on a square is called as a piece of the picture."""
    return f"plot-{row}.{col}"


def hue_of(seat: int | None, theme: Theme) -> str:
    """The colour of a seat's towers."""
    return theme["stone"] if seat is None else theme[HUES[seat]]


def face_of(seat: int | None, theme: Theme) -> str:
    """The same in the sun, as roofs and marks have it."""
    return lighter(hue_of(seat, theme), 0.12)


def badge(seat: int, look: Look) -> Badge:
    """A seat's number on its colour."""
    face = face_of(seat, look.theme)
    return {"text": str(seat + 1), "fill": face, "ink": ink_on(face)}


def marks(names: Sequence[str], look: Look) -> list[str]:
    """The marks of all seats, in the colours of their towers."""
    found = [badge(seat, look) for seat in range(len(names))]
    return [seat_mark(seat, one["fill"], one["ink"]) for seat, one in enumerate(found)]


def city(
    title: str,
    plots: Mapping[Square, Plot],
    free: Mapping[Square, str],
    called: Callable[[int, int], str],
    look: Look,
) -> Drawn:
    """A city's area; ``free`` are the empty squares that can be picked, and how they are read.

    ``called`` names a square: its letters and figures stand along the plan.
    """
    squares = [*plots, *free] or [(0, 0)]
    rows, cols = ([square[axis] for square in squares] for axis in (0, 1))
    top, left = min(rows), min(cols)
    high, wide = max(rows) - top + 1, max(cols) - left + 1
    if look.view == "plan":
        room = AREA - 2 * EDGE
        scale = min(room / (SIDE * max(high, wide)), MOST_ROOM)
        x = (AREA - wide * SIDE * scale) / 2 - left * SIDE * scale
        y = HEAD + (AREA - high * SIDE * scale) / 2 - top * SIDE * scale
        labels = _labels(range(top, top + high), range(left, left + wide), called, look)
        body = moved(_plan(plots, free, look) + labels, x, y, scale)
    else:
        body = _skyline(plots, free, (top, left), (high, wide), look)
    height, paint = AREA + HEAD + 6, f'fill="{background(look)}" stroke="{look.theme.line}"'
    name = text(shorten(title, 34), 14, 23, 15, look.theme.ink, weight=600)
    return Drawn(AREA, height, rect(0, 0, AREA, height, 12, paint) + name + body)


def _labels(rows: range, cols: range, called: Callable[[int, int], str], look: Look) -> str:
    """The letters of the columns above them, the figures of the rows to their left."""
    quiet, top, left = look.theme.quiet, rows[0] * SIDE, cols[0] * SIDE
    letters = (
        text(called(rows[0], col)[0], (col + 0.5) * SIDE, top - 5, 12, quiet, "middle")
        for col in cols
    )
    figures = (
        text(called(row, cols[0])[1:], left - 5, (row + 0.5) * SIDE + 4, 12, quiet, "end")
        for row in rows
    )
    return "".join([*letters, *figures])


def _plan(plots: Mapping[Square, Plot], free: Mapping[Square, str], look: Look) -> str:
    """Roofs in the colours of their owners, with their height; lit ones with a frame."""
    parts = [
        moved(f"<g {pick(words, square=f'{row},{col}')}>{_site(look)}</g>", col * SIDE, row * SIDE)
        for (row, col), words in free.items()
    ]
    for (row, col), plot in plots.items():
        lit = look.theme.lit if (0, row, col) in look.highlight else None
        roof = _roof(plot, look.theme, lit)
        parts.append(moved(f"<g {plot.spoken(row, col)}>{roof}</g>", col * SIDE, row * SIDE))
    return "".join(parts)


def _site(look: Look) -> str:
    fill, line = look.theme.panel, look.theme.line
    dashes = f'stroke="{line}" stroke-width="2" stroke-dasharray="5 5"'
    return rect(3, 3, SIDE - 6, SIDE - 6, 7, f'fill="{fill}" fill-opacity="0.7" {dashes}')


def _roof(plot: Plot, theme: Theme, lit: str | None) -> str:
    frame, face = lit or darker(hue_of(plot.seat, theme), 0.4), face_of(plot.seat, theme)
    words = f"{plot.storeys}{plot.sign}"
    sign = text(words, SIDE / 2, SIDE / 2 + 7, 22 - 2 * len(words), ink_on(face), "middle", 800)
    paint = f'fill="{face}" stroke="{frame}" stroke-width="{4 if lit else 2}"'
    return rect(3, 3, SIDE - 6, SIDE - 6, 6, paint) + sign


def _skyline(
    plots: Mapping[Square, Plot],
    free: Mapping[Square, str],
    corner: Square,
    size: Square,
    look: Look,
) -> str:
    """Towers on their ground, what is nearer before what is farther."""
    tallest = max((plot.storeys for plot in plots.values()), default=0)
    space = Isometric(*size, look.turn, tallest + 2)
    order = sorted([*plots, *free], key=lambda square: space.depth(*square))
    parts = []
    for row, col in order:
        x, y = space.point(row - corner[0] + 0.5, col - corner[1] + 0.5)
        plot = plots.get((row, col))
        if plot is None:
            spoken = pick(free[row, col], square=f"{row},{col}")
            paint = f'fill="{mixed(look.theme.panel, look.theme["grass"], 0.35)}"'
            body = polygon(iso.corners(0.45, 0).values(), paint)
        else:
            spoken = plot.spoken(row, col)
            body = _tower(plot, look.theme, (0, row, col) in look.highlight)
        parts.append(moved(f"<g {spoken}>{body}</g>", x, y))
    scale = min((AREA - 24) / space.width, (AREA - 12) / (space.height + STOREY), MOST_ROOM)
    x = (AREA - space.width * scale) / 2
    y = HEAD + (AREA - space.height * scale) / 2
    return moved("".join(parts), x, y, scale)


def _tower(plot: Plot, theme: Theme, lit: bool) -> str:
    hue = hue_of(plot.seat, theme)
    ground = polygon(iso.corners(0.47, 0).values(), f'fill="{theme.lit if lit else theme.line}"')
    windows = theme["window-lit"] if theme.name == "dark" else lighter(hue, 0.6)
    words, ink = f"{plot.storeys}{plot.sign}", ink_on(lighter(hue))
    sign = text(words, 0, 5 - plot.storeys * STOREY, 14, ink, "middle", 800)
    body = iso.prism(0.36, 0, plot.storeys, hue) + iso.windows(0.36, 0, plot.storeys, windows)
    return ground + body + sign


# --- panels


def hands(
    title: str,
    cards: Sequence[Sequence[tuple[str, str] | None]],
    own: int | None,
    names: Sequence[str],
    look: Look,
) -> Drawn:
    """The own cards as buttons (value and words of each); below, how many the others have."""
    parts: list[str] = []
    y = 0.0
    if own is not None:
        held = [("card", *card) for card in cards[own] if card is not None]
        parts.append(f"<g {place(f'hand-{own}')}>{''.join(_in_lines(held, look))}</g>")
        y = 8 + (FINGER + 6) * -(-len(held) // 3)
    for seat, hand in enumerate(cards):
        if seat != own:
            mark = marks(names, look)[seat]
            words = f"{shorten(names[seat], 24)}: {len(hand)}"
            line = moved(mark, 0, y) + text(words, 28, y + 12, 13, look.theme.quiet)
            parts.append(f"<g {place(f'hand-{seat}')}>{line}</g>")
            y += 24
    return panel(title, "".join(parts), y, look)


def buttons(title: str, choices: Sequence[tuple[str, str, str]], look: Look) -> Drawn:
    """Things to be picked that are neither cards nor squares: key, value and words of each."""
    high = (FINGER + 6) * -(-len(choices) // 3)
    return panel(title, "".join(_in_lines(choices, look)), high, look)


def _in_lines(choices: Sequence[tuple[str, str, str]], look: Look) -> Iterator[str]:
    """Three buttons a line."""
    wide = (WIDTH - 2 * PAD) / 3
    for nth, (key, value, words) in enumerate(choices):
        size = min(14.0, (wide - 16) / (LETTER * len(words)))
        paint = f'fill="{look.theme.panel}" stroke="{look.theme.quiet}"'
        face = rect(1, 1, wide - 8, FINGER - 2, 9, paint)
        face += text(words, wide / 2 - 3, 28, size, look.theme.ink, "middle", 600)
        alike = sum(choice == (key, value, words) for choice in choices[:nth])
        chosen = f"{pick(words, **{key: value})} {piece(f'{key}-{value}:{alike}')}"
        body = f"<g {chosen}>{face}{reach(0, 0, wide - 6)}</g>"
        yield moved(body, nth % 3 * wide, nth // 3 * (FINGER + 6))


def counts(title: str, rows: Sequence[tuple[str, str]], look: Look) -> Drawn:
    """A line for each name and its numbers."""
    ink, quiet, right = look.theme.ink, look.theme.quiet, WIDTH - 2 * PAD
    lines = [
        text(shorten(name, 30), 0, 16 + 22 * nth, 13, quiet)
        + text(numbers, right, 16 + 22 * nth, 14, ink, "end")
        for nth, (name, numbers) in enumerate(rows)
    ]
    return panel(title, "".join(lines), 22.0 * len(rows), look)
