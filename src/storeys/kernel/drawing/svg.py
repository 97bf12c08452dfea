"""SVG as text: a few helpers that keep a picture's code short.

Ids are written with the sign ``P`` in front, which stands for the picture's own prefix until it is
put together; so a part can be drawn once and used in many pictures.
"""

from collections.abc import Iterable
from functools import lru_cache
from html import escape

P = "\ue000"
"""Stands for the prefix of all ids; a sign of no alphabet."""

KEPT = 8192
"""Coordinates and words that are not written again: pictures are full of the same ones."""
FONT = "Inter, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


@lru_cache(KEPT)
def clean(text: str) -> str:
    """A text as it may stand in SVG: escaped, without signs that XML does not know."""
    if not text.isprintable():
        text = "".join(sign for sign in text if sign != P and (sign >= " " or sign == "\t"))
    return escape(text, quote=True)


def number(value: float) -> str:
    """A coordinate, short."""
    return _short(value) if value else f"{value:.1f}".removesuffix(".0")  # There are two zeros.


@lru_cache(KEPT)
def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def polygon(corners: Iterable[tuple[float, float]], paint: str = "") -> str:
    """A filled shape; ``paint`` are its attributes, if it has others than its group."""
    points = " ".join(f"{number(x)},{number(y)}" for x, y in corners)
    return f'<polygon points="{points}"{" " if paint else ""}{paint}/>'


def rect(x: float, y: float, wide: float, high: float, rx: float, paint: str) -> str:
    """A rectangle with round corners; ``paint`` are its attributes."""
    place = f'x="{number(x)}" y="{number(y)}" ' if x or y else ""
    corners = f' rx="{number(rx)}"' if rx else ""
    return f'<rect {place}width="{number(wide)}" height="{number(high)}"{corners} {paint}/>'


def group(body: str, name: str = "", attributes: str = "") -> str:
    """A group, with an id if it has a name."""
    named = f' id="{P}-{name}"' if name else ""
    return f"<g{named}{' ' if attributes else ''}{attributes}>{body}</g>"


def moved(body: str, x: float, y: float, scale: float = 1) -> str:
    """A group somewhere else."""
    size = "" if scale == 1 else f" scale({scale:.4g})"
    return f'<g transform="translate({number(x)} {number(y)}){size}">{body}</g>'


def use(name: str, x: float, y: float, attributes: str = "") -> str:
    """A shape of the picture's definitions at a place."""
    more = f" {attributes}" if attributes else ""
    return f'<use href="#{P}-{name}" x="{number(x)}" y="{number(y)}"{more}/>'


def text(
    words: str,
    x: float,
    y: float,
    size: float,
    fill: str,
    anchor: str = "start",
    weight: int = 400,
) -> str:
    """A line of text; ``y`` is its base line."""
    place = f'x="{number(x)}" y="{number(y)}"'
    look = f'font-size="{number(size)}" fill="{fill}"'
    more = "" if anchor == "start" else f' text-anchor="{anchor}"'
    more += "" if weight == 400 else f' font-weight="{weight}"'
    return f"<text {place} {look}{more}>{clean(words)}</text>"


def pick(label: str, **picks: str) -> str:
    """The attributes of something that can be picked: what it stands for, and how it is spoken."""
    data = " ".join(f'data-pick-{key}="{clean(value)}"' for key, value in picks.items())
    return f'{data} role="button" tabindex="0" aria-label="{clean(label)}"'


def picture_of(label: str) -> str:
    """The attributes of something that is spoken but not picked."""
    return f'role="img" aria-label="{clean(label)}"'


def tip(words: str) -> str:
    """The attribute of what only says what it is: something else is spoken in its place."""
    return f'data-tip="{clean(words)}"'


def piece(name: str, come_from: str = "", go_to: str = "", owner: int | None = None) -> str:
    """The attributes of a thing of the game, by which it is found again in the next picture.

    What has the same name in two pictures is the same thing, which a page lets travel.  A new thing
    comes from the place called ``come_from``, and one that is gone goes to ``go_to``.  With another
    owner it turns.  A name says no more than what is drawn: it is made of what the seat sees.

    >>> from storeys.kernel.drawing.svg import piece, place
    >>> piece("tile-K3", come_from="hand-1")
    'data-piece="tile-K3" data-from="hand-1"'
    >>> place("hand-1")
    'data-place="hand-1"'
    """
    whose = "" if owner is None else str(owner)
    facts = {"piece": name, "from": come_from, "to": go_to, "owner": whose}
    return " ".join(f'data-{key}="{clean(value)}"' for key, value in facts.items() if value)


def place(name: str) -> str:
    """The attribute of a place from which things come or to which they go: a hand, a pile."""
    return f'data-place="{clean(name)}"'
