"""Manhattan's moves: as codes for the rules, as dicts for programs, as notation for people.

A code is one integer that says what a move does without reference to a state: its kind, its
colour, and four counts (a pick) or size, city, cell and card (a build), in bits.
"""

from typing import Any

from storeys.games.manhattan.state import CARD_OF_CELL, CELLS, CITIES, COLOURS, SIZES
from storeys.kernel.compiling import jitable
from storeys.kernel.errors import NotAMove
from storeys.kernel.messages import Message
from storeys.kernel.notation import Words
from storeys.kernel.reading import Place

KINDS = ("pick", "build", "redraw", "forfeit")
PICK_MOVE, BUILD_MOVE, REDRAW_MOVE, FORFEIT_MOVE = range(4)
CELL_NAMES = ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")
MOST_OF_A_SIZE = 24  # what a dict may say; the rules say what is left


# --- codes


@jitable
def pick_code(colour: int, n1: int, n2: int, n3: int, n4: int) -> int:
    """Pick so many blocks of each size."""
    return PICK_MOVE | colour << 2 | n1 << 4 | n2 << 9 | n3 << 14 | n4 << 19


@jitable
def build_code(colour: int, size: int, city: int, cell: int, card: int) -> int:
    """Put a block on a site by playing a card."""
    return BUILD_MOVE | colour << 2 | size << 4 | city << 6 | cell << 9 | card << 13


@jitable
def forfeit_code(colour: int, size: int) -> int:
    """Give up a picked block."""
    return FORFEIT_MOVE | colour << 2 | size << 4


@jitable
def kind_of(code: int) -> int:
    """What kind of move it is."""
    return code & 3


@jitable
def colour_of(code: int) -> int:
    """The colour that moves."""
    return (code >> 2) & 3


@jitable
def count_of(code: int, size: int) -> int:
    """A pick's number of blocks of a size."""
    return (code >> (4 + 5 * size)) & 31


@jitable
def size_of(code: int) -> int:
    """The block's size, from 0."""
    return (code >> 4) & 3


@jitable
def city_of(code: int) -> int:
    """A build's city."""
    return (code >> 6) & 7


@jitable
def cell_of(code: int) -> int:
    """A build's cell, as seat 0 sees it, from 0."""
    return (code >> 9) & 15


@jitable
def card_of(code: int) -> int:
    """A build's card, as its player sees it, from 0."""
    return (code >> 13) & 15


@jitable
def seat_of_colour(players: int, colour: int) -> int:
    """M-22: with two players each has two colours."""
    return colour % 2 if players == 2 else colour


# --- dicts


def move_json(code: int) -> dict[str, Any]:
    """The dict of a code."""
    kind = kind_of(code)
    move: dict[str, Any] = {"kind": KINDS[kind]}
    if kind == REDRAW_MOVE:
        return move
    move["colour"] = colour_of(code)
    if kind == PICK_MOVE:
        return move | {"blocks": _counts(code)}
    move["size"] = size_of(code) + 1
    if kind == BUILD_MOVE:
        move |= {"city": city_of(code), "cell": cell_of(code) + 1, "card": card_of(code) + 1}
    return move


def read_json(move: Place) -> int:
    """The code of a dict."""
    kind = KINDS.index(move["kind"].one_of(KINDS))
    if kind == REDRAW_MOVE:
        move.only("kind")
        return REDRAW_MOVE
    colour = move["colour"].whole(0, 3)
    if kind == PICK_MOVE:
        move.only("kind", "colour", "blocks")
        counts = move["blocks"].wholes(SIZES, 0, MOST_OF_A_SIZE)
        return pick_code(colour, *counts)
    size = move["size"].whole(1, SIZES) - 1
    if kind == FORFEIT_MOVE:
        move.only("kind", "colour", "size")
        return forfeit_code(colour, size)
    move.only("kind", "colour", "size", "city", "cell", "card")
    city = move["city"].whole(0, len(CITIES) - 1)
    cell, card = (move[key].whole(1, CELLS) - 1 for key in ("cell", "card"))
    return build_code(colour, size, city, cell, card)


# --- notation


def move_text(code: int) -> str:
    """The notation of a code."""
    kind, colour = kind_of(code), COLOURS[colour_of(code)]
    if kind == REDRAW_MOVE:
        return "redraw"
    if kind == PICK_MOVE:
        return f"pick {colour} {_picked_sizes(code)}"
    if kind == FORFEIT_MOVE:
        return f"forfeit {colour} {size_of(code) + 1}"
    site = f"{CITIES[city_of(code)]} {CELL_NAMES[cell_of(code)]}"
    return f"build {colour} {size_of(code) + 1} {site}"


def read_text(text: str, players: int) -> int:
    """The code of a notation; the card of a build follows from the site and the seat."""
    words = Words(text, joined=[city for city in CITIES if "-" in city])
    kind = words.one_of(KINDS)
    code = REDRAW_MOVE if kind == REDRAW_MOVE else _read_rest(words, kind, players)
    words.end()
    return code


def _read_rest(words: Words, kind: int, players: int) -> int:
    colour = words.one_of(COLOURS)
    if kind == PICK_MOVE:
        return pick_code(colour, *_read_sizes(words))
    size = words.whole(1, SIZES) - 1
    if kind == FORFEIT_MOVE:
        return forfeit_code(colour, size)
    city, cell = words.one_of(CITIES), words.one_of(CELL_NAMES)
    card = int(CARD_OF_CELL[seat_of_colour(players, colour), cell])
    return build_code(colour, size, city, cell, card)


def _read_sizes(words: Words) -> list[int]:
    counts = [0] * SIZES
    while words.more():
        counts[words.whole(1, SIZES) - 1] += 1
        if max(counts) > MOST_OF_A_SIZE:
            raise NotAMove(Message("manhattan.too-many-words", n=MOST_OF_A_SIZE))
    return counts


def _counts(code: int) -> list[int]:
    return [count_of(code, size) for size in range(SIZES)]


def _picked_sizes(code: int) -> str:
    return " ".join(str(size + 1) for size in range(SIZES) for _ in range(count_of(code, size)))


# --- labels


def site_label(city: int, cell: int) -> Message:
    """A site as a person reads it."""
    return Message("manhattan.site", city=city_label(city), cell=CELL_NAMES[cell])


def city_label(city: int) -> Message:
    """A city's name."""
    return Message(f"manhattan.city.{CITIES[city]}")


def colour_label(colour: int) -> Message:
    """A colour's name."""
    return Message(f"manhattan.colour.{COLOURS[colour]}")


def move_label(code: int) -> Message:
    """A move as a person reads it."""
    kind = kind_of(code)
    if kind == REDRAW_MOVE:
        return Message("manhattan.move.redraw")
    if kind == PICK_MOVE:
        return Message(
            "manhattan.move.pick", colour=colour_label(colour_of(code)), sizes=_picked_sizes(code)
        )
    block = {"colour": colour_label(colour_of(code)), "n": size_of(code) + 1}
    if kind == FORFEIT_MOVE:
        return Message("manhattan.move.forfeit", **block)
    site = site_label(city_of(code), cell_of(code))
    return Message("manhattan.move.build", **block, site=site)
