"""Cloud City's moves: what each kind says, and how a person reads it."""

from collections.abc import Mapping, Sequence
from typing import Any

from storeys.games.cloud_city import state
from storeys.games.cloud_city.state import COLOURS
from storeys.kernel.compiling import jitable
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.moves import Choice, Field, Kind, Numbers, Words, part, parts_after
from storeys.kernel.reading import Node
from storeys.kernel.setup import Setup
from storeys.kernel.tiles import moves
from storeys.kernel.tiles.grid import square_name
from storeys.kernel.tiles.moves import EDGE, KIND

WALKWAY_MOVE = moves.FIRST_OWN_MOVE
COLOUR, ROW, COL, TO_ROW, TO_COL = parts_after(KIND, 2, 4, 4, 4, 4)


@jitable
def ends_code(start: int, goal: int) -> int:
    """The two squares of a walkway, as a part of a code."""
    return moves.square_code(start, ROW, COL) | moves.square_code(goal, TO_ROW, TO_COL)


@jitable
def start_of(code: int) -> tuple[int, int]:
    """The square row and column where a walkway starts."""
    return moves.square_in(code, ROW, COL)


@jitable
def goal_of(code: int) -> tuple[int, int]:
    """The square row and column where a walkway ends."""
    return moves.square_in(code, TO_ROW, TO_COL)


class Ends(Field):
    """The two squares of a walkway, which may be named from either end."""

    keys = ("from", "to")
    width = 4
    square = moves.Square()

    def from_json(self, move: Node, setup: Setup) -> Numbers:
        """Two lists of row and column."""
        ends = sorted(move[key].wholes(2, -EDGE, EDGE + 1) for key in self.keys)
        return [number + EDGE for end in ends for number in end]

    def to_json(self, numbers: Numbers, components: ComponentSet) -> dict[str, Any]:
        """Two lists of row and column."""
        row, col, to_row, to_col = (number - EDGE for number in numbers)
        return {"from": [row, col], "to": [to_row, to_col]}

    def from_words(self, words: Words, setup: Setup, known: Numbers) -> Numbers:
        """The names of two squares."""
        one, two = (tuple(self.square.from_words(words, setup, known)) for _ in range(2))
        return [*min(one, two), *max(one, two)]

    def to_words(self, numbers: Numbers, components: ComponentSet) -> str:
        """The names of two squares."""
        ends = numbers[:2], numbers[2:]
        return " ".join(self.square.to_words(end, components) for end in ends)


_PARTS = (COLOUR, ROW, COL, TO_ROW, TO_COL)
WALKWAY = Kind("walkway", _PARTS, Choice("colour", COLOURS), Ends())
NOTATION = moves.notation_of(state.ROW, WALKWAY)


# --- labels


def colour_label(colour: str) -> Message:
    """What people call a colour."""
    return Message(f"cloud-city.colour.{colour}")


def tile_words(tile: Mapping[str, Any]) -> list[Message]:
    """What is on a tile: the colours of its buildings."""
    squares = [square for row in tile["squares"] for square in row]
    return [colour_label(square) for square in squares if square is not None]


def walkway_words(colour: str, start: Sequence[int], goal: Sequence[int]) -> dict[str, Any]:
    """What sentences say of a walkway: its colour and the names of its ends."""
    ends = {"start": square_name(*start), "goal": square_name(*goal)}
    return {"colour": colour_label(colour), **ends}


def label(code: int, components: ComponentSet) -> Message:
    """A move as a person reads it."""
    if part(code, KIND) != WALKWAY_MOVE:
        return moves.shared_label(code, components, tile_words)
    start, goal = start_of(code), goal_of(code)
    named = walkway_words(COLOURS[part(code, COLOUR)], start, goal)
    return Message("cloud-city.move.walkway", **named, length=sum(goal) - sum(start))
