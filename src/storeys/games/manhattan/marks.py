"""What Manhattan's picture is told in: facts of a view, words, and the marks of colours."""

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from storeys.games.manhattan.art import (
    face_of,
    ink_of,
)
from storeys.games.manhattan.moves import (
    city_label,
    colour_label,
    seat_of_colour,
    site_label,
)
from storeys.games.manhattan.state import CELL_OF_CARD, CELLS, COLOURS
from storeys.kernel.drawing.scene import Badge, Look
from storeys.kernel.drawing.svg import (
    moved,
    text,
    use,
)
from storeys.kernel.messages import Message

View = Mapping[str, Any]
Tower = Sequence[Sequence[int]]
"""Blocks as colour and size, from the ground up."""
Site = tuple[int, int]


# --- what a view says


def colours_in(view: View) -> range:
    """The colours in play."""
    return range(3 if view["players"] == 3 else 4)


def colours_of(view: View, seat: int | None) -> list[int]:
    """The colours of a seat; none of a spectator."""
    return [c for c in colours_in(view) if seat_of_colour(view["players"], c) == seat]


def on_turn(view: View) -> bool:
    """Whether who looks is to move."""
    return view.get("seat") is not None and view["seat"] == view["to_move"]


def picks_now(view: View) -> bool:
    """Whether the looking seat is to pick blocks."""
    return on_turn(view) and bool(view["phase"] == "pick")


def height_of(tower: Tower) -> int:
    """The storeys of a tower."""
    return sum(block[1] for block in tower)


def tallest_tower(view: View) -> tuple[int, Site | None]:
    """The greatest height of the board, and the site that has it alone (M-16)."""
    heights = {
        (city, cell): height_of(tower)
        for city, towers in enumerate(view["towers"])
        for cell, tower in enumerate(towers)
    }
    most = max(heights.values())
    highest = [site for site, height in heights.items() if height == most]
    return most, highest[0] if len(highest) == 1 else None


def towers_by_colour(towers: Sequence[Tower]) -> Counter[int]:
    """How many towers of a city each colour owns."""
    return Counter(tower[-1][0] for tower in towers if tower)


def leader_of(towers: Sequence[Tower]) -> int | None:
    """The colour with more towers in a city than any other (M-17)."""
    ranks = towers_by_colour(towers).most_common(2)
    if not ranks or (len(ranks) == 2 and ranks[0][1] == ranks[1][1]):
        return None
    return ranks[0][0]


def totals_of(view: View) -> list[int]:
    """The points of each seat: those of its colours."""
    return [
        sum(view["scores"][colour] for colour in colours_of(view, seat))
        for seat in range(view["players"])
    ]


def played_by_cell(view: View) -> list[int]:
    """How often each card was played, by the cell that it means for who looks (M-6).

    A spectator sits with seat 0.
    """
    cells = CELL_OF_CARD[view.get("seat") or 0].tolist()
    played = dict(zip(cells, view["discard"], strict=True))
    return [played[cell] for cell in range(CELLS)]


# --- words


@functools.cache
def sign_of(colour: int, lang: str) -> str:
    """The letter or two that stand for a colour."""
    return Message(f"manhattan.picture.sign.{COLOURS[colour]}").text(lang)


@functools.cache
def _site_words(city: int, cell: int, lang: str) -> str:
    return site_label(city, cell).text(lang)


@functools.cache
def city_words(city: int, lang: str) -> str:
    """A city in a language."""
    return city_label(city).text(lang)


@functools.cache
def colour_words(colour: int, lang: str) -> str:
    """A colour in a language."""
    return colour_label(colour).text(lang)


@functools.cache
def block_words(colour: int, size: int, lang: str) -> str:
    """A block in a language."""
    name = colour_words(colour, lang)
    return Message("manhattan.picture.block", colour=name, n=size).text(lang)


@functools.cache
def towers_words(colour: int, count: int, lang: str) -> str:
    """So many towers of a colour."""
    name = colour_words(colour, lang)
    return Message("manhattan.part.towers", n=count, colour=name).text(lang)


@functools.lru_cache(4096)
def tower_words(city: int, cell: int, tower: tuple[tuple[int, int], ...], lang: str) -> str:
    """A site as it is spoken: whose tower, how high, and of which blocks."""
    site = _site_words(city, cell, lang)
    if not tower:
        return Message("manhattan.picture.empty", site=site).text(lang)
    return Message(
        "manhattan.picture.tower",
        site=site,
        n=height_of(tower),
        owner=colour_words(tower[-1][0], lang),
        blocks=", ".join(f"{colour_words(colour, lang)} {size}" for colour, size in tower),
    ).text(lang)


# --- marks of colours


def mark_of(colour: int, look: Look, x: float, y: float, side: float = 18) -> str:
    """A colour's mark: its pattern around its letter."""
    sign = sign_of(colour, look.lang)
    size = 10.5 if len(sign) == 1 else 8.5
    place = 12.6 if len(sign) == 1 else 12
    letter = text(sign, 9, place, size, ink_for(colour, look), "middle", 800)
    return moved(use(f"mark-{colour}", 0, 0) + letter, x, y, side / 18)


def badge_of(colour: int, look: Look) -> Badge:
    """A colour's mark for who draws it otherwise."""
    return {
        "text": sign_of(colour, look.lang),
        "fill": face_of(colour, look.theme),
        "ink": ink_for(colour, look),
    }


def ink_for(colour: int, look: Look) -> str:
    """What is written on a colour."""
    return ink_of(colour, look.theme.name)
