"""Areas and scenes: a picture is cut into parts that can be drawn and kept alone."""

import marshal
from collections.abc import Callable, Hashable, Iterable, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count
from secrets import token_hex
from typing import Any, NamedTuple, TypedDict

from storeys.kernel.drawing.svg import FONT, P, clean, group, moved, number, rect
from storeys.kernel.drawing.themes import THEMES, Theme, mixed
from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message
from storeys.kernel.reading import as_whole, listing, short

GAP = 18.0
LOOKS_KEPT = 256


@dataclass(frozen=True)
class Look:
    """How a picture is to look: everything but what it shows."""

    theme: Theme
    view: str = "plan"
    turn: int = 0
    lang: str = "en"
    highlight: tuple[tuple[int, ...], ...] = ()
    """What to light up: squares as seat, row, column; or a game's own sites."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Whatever is kept by a look asks for it, many times a picture."""
        return hash((self.theme, self.view, self.turn, self.lang, self.highlight))

    def say(self, message_id: str, **params: Any) -> str:
        """A sentence in the language of the picture."""
        return Message(message_id, **params).text(self.lang)


Box = tuple[float, float, float, float]
"""A part of a drawing: its left and upper edge, its width and its height."""


@dataclass(frozen=True)
class Drawn:
    """A part of a picture in coordinates of its own, from (0, 0)."""

    width: float
    height: float
    body: str
    crop: Box | None = None
    """What is seen of it where there is little room; all of it, if nothing is said."""


class Area(NamedTuple):
    """A part that may be drawn: its name, what it depends on, and how it is drawn."""

    name: str
    key: Any
    draw: Callable[[], Drawn]
    title: str = ""
    """What people call it, where its name does not say."""


class Badge(TypedDict):
    """A mark that stands for a seat: a letter or two, the colour under it and that of the ink."""

    text: str
    fill: str
    ink: str


@dataclass(frozen=True)
class Scene:
    """A whole picture: definitions, the cities, and the panels beside them."""

    box: tuple[str, str]
    """The game and the component set that it is drawn from: what is kept is kept for these."""
    label: str
    defs: str
    cities: Sequence[Area]
    panels: Sequence[Area]


Cache = MutableMapping[Any, Drawn]


def drawn(area: Area, scene: Scene, look: Look, cache: Cache | None) -> Drawn:
    """The drawing of a scene's area, from the cache if it is there."""
    if cache is None:
        return area.draw()
    key = key_of(area, scene, look)
    kept = cache.get(key)  # Asked once: another thread may drop it at any time.
    if kept is None:
        kept = cache[key] = area.draw()
    return kept


def key_of(area: Area, scene: Scene, look: Look) -> Hashable:
    """All that the drawing of an area depends on, the box it is drawn from included."""
    how = look.theme.name, look.view, look.turn, look.lang, look.highlight
    return scene.box, area.name, how, area.key


def key_of_content(*content: Any) -> bytes:
    """Plain content, as views hold it, as a key: the same bytes for the same content.

    >>> from storeys.kernel.drawing.scene import key_of_content
    >>> key_of_content({"row": [1, None]}, "Ada") == key_of_content({"row": [1, None]}, "Ada")
    True
    """
    return marshal.dumps(content, 2)  # Later versions note which parts are one object.


def assemble(scene: Scene, look: Look, prefix: str, cache: Cache | None = None) -> str:
    """The picture as SVG text: cities in a grid, panels in a column to their right."""
    cities = [drawn(area, scene, look, cache) for area in scene.cities]
    panels = [drawn(area, scene, look, cache) for area in scene.panels]
    across = 1 if len(cities) == 1 else 2 if len(cities) in (2, 3, 4) else 3
    places, wide, high = _grid(cities, across)
    body = [
        group(moved(part.body, x, y), area.name)
        for area, part, (x, y) in zip(scene.cities, cities, places, strict=True)
    ]
    y = GAP
    for area, part in zip(scene.panels, panels, strict=True):
        body.append(group(moved(part.body, wide, y), area.name))
        y += part.height + GAP
    width = wide + max((part.width for part in panels), default=0) + GAP
    return _document(scene, look, prefix, "".join(body), (width, max(high, y)))


def _grid(parts: Sequence[Drawn], across: int) -> tuple[list[tuple[float, float]], float, float]:
    """Where parts lie in rows of so many, and where the grid ends."""
    places: list[tuple[float, float]] = []
    column = max((part.width for part in parts), default=0) + GAP
    y = GAP
    for first in range(0, len(parts), across):
        row = parts[first : first + across]
        places += [(GAP + nth * column, y) for nth in range(len(row))]
        y += max(part.height for part in row) + GAP
    return places, GAP + min(across, len(parts)) * column, y


def _document(scene: Scene, look: Look, prefix: str, body: str, size: tuple[float, float]) -> str:
    width, height = map(number, size)
    paper = rect(0, 0, *size, 0, f'fill="{look.theme.paper}"')
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="{FONT}" role="group" '
        f'aria-label="{clean(scene.label)}">'
    )
    whole = f"{opening}<defs>{sky(look)}{scene.defs}</defs>{paper}{body}</svg>"
    return whole.replace(P, prefix)


def sky(look: Look) -> str:
    """What the skyline stands against: `background` of a city's area."""
    if look.view != "skyline":
        return ""
    stops = (0, mixed(look.theme.panel, look.theme["blue"], 0.3)), (1, look.theme.panel)
    colours = "".join(f'<stop offset="{at}" stop-color="{colour}"/>' for at, colour in stops)
    return f'<linearGradient id="{P}-sky" x1="0" y1="0" x2="0" y2="1">{colours}</linearGradient>'


def background(look: Look) -> str:
    """The paint of a city's area: the panel, or the sky behind a skyline."""
    return f"url(#{P}-sky)" if look.view == "skyline" else look.theme.panel


# --- how a picture is asked for

VIEWS = ("plan", "skyline")
_numbers = count(1)
_token = token_hex(3)


def make_look(
    view: str, turn: int, theme: str, highlight: Iterable[Sequence[int]], lang: str
) -> Look:
    """A checked look."""
    for name, given, known in (("view", view, VIEWS), ("theme", theme, tuple(THEMES))):
        if given not in known:
            raise BadOption(
                Message(
                    "storeys.bad-option-value",
                    option=name,
                    found=short(given),
                    choices=listing(known),
                )
            )
    quarter = as_whole(turn)
    if quarter is None:
        raise BadOption(Message("storeys.picture.turn", found=short(turn)))
    lit = tuple(tuple(int(number) for number in square) for square in highlight)
    return _look(theme, view, quarter % 4, lang, lit)


@lru_cache(LOOKS_KEPT)
def _look(theme: str, view: str, turn: int, lang: str, lit: tuple[tuple[int, ...], ...]) -> Look:
    """The same one for the same: what is kept by a look is found sooner."""
    return Look(THEMES[theme], view, turn, lang, lit)


def own_prefix() -> str:
    """A prefix for ids that no other picture has, in this process or another."""
    return f"s{_token}-{next(_numbers)}"
