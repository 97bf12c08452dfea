"""Panels that all games have: a frame with a title, and the scores."""

from collections.abc import Mapping, Sequence
from typing import Any

from storeys.kernel.drawing.scene import Drawn, Look
from storeys.kernel.drawing.svg import moved, number, rect, text
from storeys.kernel.messages import figure

WIDTH = 360.0
PAD = 14.0
TITLE = 30.0
LETTER = 0.64
"""How wide a letter of a title is at most on average, as a share of its size."""
FINGER = 46.0
"""How wide and high something in a panel is that a finger may pick."""


def panel(
    title: str, body: str, height: float, look: Look, width: float = WIDTH, aside: float = 0
) -> Drawn:
    """A framed panel: its body begins below the title, indented by PAD.

    The title grows smaller rather than reach into what is kept free ``aside`` at its end.
    """
    theme = look.theme
    whole = height + TITLE + PAD
    frame = rect(0, 0, width, whole, 10, f'fill="{theme.panel}" stroke="{theme.line}"')
    size = min(13.0, (width - 2 * PAD - aside) / (LETTER * len(title))) if title else 13.0
    head = text(title, PAD, 21, size, theme.quiet, weight=600)
    return Drawn(width, whole, frame + head + moved(body, PAD, TITLE))


def reach(x: float, y: float, width: float = FINGER, height: float = FINGER) -> str:
    """Nothing to see: how far something can be touched beside what is drawn of it.

    It comes last in its group, where the page looks for what is drawn first.
    """
    return (
        f'<rect class="reach" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}" fill="none" pointer-events="all"/>'
    )


def scores_panel(
    names: Sequence[str],
    totals: Sequence[int],
    to_move: int | None,
    winners: Sequence[int],
    look: Look,
    marks: Sequence[str] = (),
) -> Drawn:
    """A line for each seat: its mark, its name, its score; an arrow beside who is to move."""
    theme, line = look.theme, 26.0
    lines = []
    for seat, (name, total) in enumerate(zip(names, totals, strict=True)):
        y = seat * line + 16
        mark = marks[seat] if marks else seat_mark(seat, theme.ink, theme.panel)
        lines.append(moved(mark, 0, y - 11))
        weight = 700 if seat == to_move or seat in winners else 400
        lines.append(text(shorten(name, 26), 30, y, 14, theme.ink, weight=weight))
        lines.append(text(figure(total), WIDTH - 2 * PAD, y, 15, theme.ink, "end", 700))
        if seat == to_move:
            lines.append(f'<path d="M-9 {number(y - 9)}l6 4.5l-6 4.5z" fill="{theme.lit}"/>')
        if seat in winners:
            lines.append(crown(WIDTH - 2 * PAD - 52, y - 11, theme["yellow"]))
    return panel(look.say("storeys.picture.scores"), "".join(lines), len(names) * line, look)


def seat_mark(seat: int, fill: str, ink: str) -> str:
    """A seat's number in a disc, 16 wide."""
    return f'<circle cx="10" cy="7" r="9" fill="{fill}"/>' + text(
        str(seat + 1), 10, 11, 11, ink, "middle", 700
    )


def crown(x: float, y: float, fill: str) -> str:
    """The sign of a winner."""
    return f'<path d="M{number(x)} {number(y)}l4 5l4-7l4 7l4-5v11h-16z" fill="{fill}"/>'


def shorten(name: str, most: int) -> str:
    """A name that fits its line."""
    return name if len(name) <= most else name[: most - 1] + "…"


def highlighted(look: Look, seat: int) -> list[tuple[int, int]]:
    """The squares of a seat's city that are lit up."""
    return [(where[1], where[2]) for where in look.highlight if where[0] == seat]


Names = Sequence[str]
View = Mapping[str, Any]
