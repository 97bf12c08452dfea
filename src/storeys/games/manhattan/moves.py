"""Manhattan's moves: what each kind says, and how a person reads it."""

from typing import Any

from storeys.games.manhattan.state import CARD_OF_CELL, CELLS, CITIES, COLOURS, SIZES
from storeys.kernel.compiling import jitable
from storeys.kernel.components import ComponentSet
from storeys.kernel.errors import NotAMove
from storeys.kernel.messages import Message
from storeys.kernel.moves import Choice, Field, Kind, Notation, Numbers, Words, parts_after
from storeys.kernel.reading import Node
from storeys.kernel.setup import Setup

PICK_MOVE, BUILD_MOVE, REDRAW_MOVE, FORFEIT_MOVE = range(4)
KIND = (0, 3)
COLOUR, SIZE, CITY, CELL, CARD = parts_after(KIND, 2, 2, 3, 4, 4)
COUNTS = parts_after(KIND, 2, *[5] * SIZES)[1:]
CELL_NAMES = ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")
SIZE_NAMES = [str(size + 1) for size in range(SIZES)]
MOST_OF_A_SIZE = 24  # what a dict may say; the rules say what is left


@jitable
def seat_of_colour(players: int, colour: int) -> int:
    """M-22: with two players each has two colours."""
    return colour % 2 if players == 2 else colour


class Blocks(Field):
    """How many blocks of each size; in words every block by its size."""

    keys = ("blocks",)
    width = SIZES

    def from_json(self, move: Node, setup: Setup) -> Numbers:
        """A list of four counts."""
        return move["blocks"].wholes(SIZES, 0, MOST_OF_A_SIZE)

    def to_json(self, numbers: Numbers, components: ComponentSet) -> dict[str, Any]:
        """A list of four counts."""
        return {"blocks": list(numbers)}

    def from_words(self, words: Words, setup: Setup, known: Numbers) -> Numbers:
        """A size for each block."""
        counts = [0] * SIZES
        while words.more():
            counts[words.one_of(SIZE_NAMES, f"1–{SIZES}")] += 1
            if max(counts) > MOST_OF_A_SIZE:
                raise NotAMove(Message("manhattan.too-many-words", n=MOST_OF_A_SIZE))
        return counts

    def to_words(self, numbers: Numbers, components: ComponentSet) -> str:
        """A size for each block."""
        return " ".join(SIZE_NAMES[size] for size in range(SIZES) for _ in range(numbers[size]))


class Card(Choice):
    """The card as its player sees it; in words it follows from the site and the seat."""

    def __init__(self) -> None:
        super().__init__("card", CELL_NAMES, range(1, CELLS + 1))

    def from_words(self, words: Words, setup: Setup, known: Numbers) -> Numbers:
        """The card that names the cell for the seat of the colour."""
        colour, *_, cell = known
        return (int(CARD_OF_CELL[seat_of_colour(setup.players, colour), cell]),)

    def to_words(self, numbers: Numbers, components: ComponentSet) -> str:
        """Nothing: the cell says it."""
        return ""


_COLOUR = Choice("colour", COLOURS, range(len(COLOURS)))
_SIZE = Choice("size", SIZE_NAMES, range(1, SIZES + 1), known_as=f"1–{SIZES}")
_CITY = Choice("city", CITIES, range(len(CITIES)))
_CELL = Choice("cell", CELL_NAMES, range(1, CELLS + 1))
NOTATION = Notation(
    KIND,
    Kind("pick", (COLOUR, *COUNTS), _COLOUR, Blocks()),
    Kind("build", (COLOUR, SIZE, CITY, CELL, CARD), _COLOUR, _SIZE, _CITY, _CELL, Card()),
    Kind("redraw"),
    Kind("forfeit", (COLOUR, SIZE), _COLOUR, _SIZE),
    joined=[city for city in CITIES if "-" in city],
)


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


def sign_label(colour: int) -> Message:
    """The letter or two that stand for a colour."""
    return Message(f"manhattan.picture.sign.{COLOURS[colour]}")


def towers_label(colour: int, count: int) -> Message:
    """So many towers of a colour."""
    return Message("manhattan.part.towers", n=count, colour=colour_label(colour))
