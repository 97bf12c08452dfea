"""What Manhattan's picture is told in: facts of a view, words, and the marks of colours."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from storeys.games.manhattan.art import ink_of
from storeys.games.manhattan.moves import colour_label, seat_of_colour, site_label
from storeys.games.manhattan.state import CARD_OF_CELL, COLOURS
from storeys.kernel.drawing.panels import View
from storeys.kernel.drawing.scene import Look
from storeys.kernel.drawing.svg import moved, text, use
from storeys.kernel.messages import Message

T = TypeVar("T")
Tower = Sequence[Sequence[int]]
"""Blocks as colour and size, from the ground up."""


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
    return sum(size for _, size in tower)


def blocks_of(tower: Tower) -> Iterator[tuple[int, int, int]]:
    """The blocks of a tower: how high each stands, its colour and its size."""
    low = 0
    for colour, size in tower:
        yield low, colour, size
        low += size


def best_alone(numbers: Mapping[T, int]) -> T | None:
    """What has more than everything else, if anything has (M-16, M-17)."""
    most = max(numbers.values(), default=0)
    best = [one for one, number in numbers.items() if number == most]
    return best[0] if len(best) == 1 else None


def played_by_cell(view: View) -> list[int]:
    """How often each card was played, by the cell that it means for who looks (M-6).

    A spectator sits with seat 0.
    """
    return [view["discard"][card] for card in CARD_OF_CELL[view.get("seat") or 0]]


# --- words


@functools.lru_cache(4096)
def words(lang: str, label: Callable[..., Message], *numbers: int) -> str:
    """What a label says of something in a language; pictures say the same again and again."""
    return label(*numbers).text(lang)


def sign_label(colour: int) -> Message:
    """The letter or two that stand for a colour."""
    return Message(f"manhattan.picture.sign.{COLOURS[colour]}")


def block_label(colour: int, size: int) -> Message:
    """A block."""
    return Message("manhattan.picture.block", colour=colour_label(colour), n=size)


@functools.lru_cache(4096)
def tower_words(city: int, cell: int, tower: tuple[tuple[int, int], ...], lang: str) -> str:
    """A site as it is spoken: whose tower, how high, and of which blocks."""
    site = site_label(city, cell)
    if not tower:
        return Message("manhattan.picture.empty", site=site).text(lang)
    blocks = ", ".join(f"{words(lang, colour_label, colour)} {size}" for colour, size in tower)
    facts = {"site": site, "n": height_of(tower), "owner": colour_label(tower[-1][0])}
    return Message("manhattan.picture.tower", **facts, blocks=blocks).text(lang)


# --- marks of colours


def mark_of(colour: int, look: Look, x: float, y: float, side: float = 18) -> str:
    """A colour's mark: its pattern around its letter."""
    sign = words(look.lang, sign_label, colour)
    size, place = (10.5, 12.6) if len(sign) == 1 else (8.5, 12)
    letter = text(sign, 9, place, size, ink_of(colour, look.theme), "middle", 800)
    return moved(use(f"mark-{colour}", 0, 0) + letter, x, y, side / 18)
