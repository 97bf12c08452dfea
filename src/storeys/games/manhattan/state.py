"""Manhattan's state: the record that the rules work on, and the sizes of the game."""

import itertools

import numpy as np

from storeys.kernel import zones
from storeys.kernel.components import Pieces, tables_dtype
from storeys.kernel.record import Header, IntArray, field, record_dtype

COLOURS = ("red", "blue", "green", "yellow")
CITIES = ("sydney", "manhattan", "frankfurt", "hong-kong", "sao-paulo", "cairo")
CELLS = 9  # building sites of a city, row by row as seat 0 sees them
SITES = len(CITIES) * CELLS
SIZES = 4  # a block has 1 … 4 storeys; index 0 … 3
HAND = 4
MAX_ROUNDS = 6
BLOCKS_OF_A_COLOUR = 24
CARDS = 45
NONE = -1  # no owner, no card, a card one cannot see

PHASES = ("pick", "build", "over")
PICK, BUILD, OVER = range(3)

# The box: cards by the cell that they mark, and the blocks of a colour by their storeys.
BOX = (
    Pieces("cards", "cell", range(1, CELLS + 1), "copies", CARDS, "M-2", "copies"),
    Pieces("blocks", "storeys", range(1, SIZES + 1), "count", BLOCKS_OF_A_COLOUR, "M-3", "blocks"),
)
TABLES = tables_dtype("manhattan", __file__, BOX)
DECK = zones.Deck("copies", range(1, CELLS + 1), "M-2")


class State(Header):
    """A match of Manhattan.  A site's number is city × 9 + cell, all from 0."""

    # Options.
    pick_size: int = field("i8")  # blocks a colour picks a round: 6, or 4 (M-21, M-22)
    rounds: int = field("i8")
    by_towers: int = field("i8")  # M-20: 1 for the tie-break of the 2018 edition

    starter: int = zones.seat()
    redrawn: int = zones.flag()  # M-R1: 1 once the hand was exchanged this turn

    # The board.
    owner: IntArray = field("i2", SITES)  # the colour on top, or NONE
    height: IntArray = field("i2", SITES)
    storeys: IntArray = field("i2", SITES, 4)  # by colour
    # Site, colour and size, in building order.
    laid: IntArray = zones.own("towers", "i2", 4 * BLOCKS_OF_A_COLOUR)
    laid_count: int = field("i8")

    # Blocks, by colour and size.
    stock: IntArray = zones.counts(4, SIZES, most=BLOCKS_OF_A_COLOUR)
    picked: IntArray = zones.counts(4, SIZES, most=BLOCKS_OF_A_COLOUR)

    # Cards, by type 0 … 8.  The order of the pile is not kept: a card is drawn when it is drawn.
    hands: IntArray = DECK.hands(HAND)
    pile: IntArray = DECK.pile()
    pile_size: int = DECK.pile_size()
    discard: IntArray = DECK.counts()

    # Points, and how the rounds scored so far came about.
    points: IntArray = zones.counts(4, key="scores")  # by colour
    scored: int = field("i8")  # rounds scored in this record's own time
    built: IntArray = field("i2", MAX_ROUNDS)  # blocks on the board when each was scored
    tallest: IntArray = field("i2", MAX_ROUNDS)  # the site that took M-16, or NONE
    tallest_owner: IntArray = field("i2", MAX_ROUNDS)
    majority: IntArray = field("i2", MAX_ROUNDS, len(CITIES))  # the colour that took M-17, or NONE
    towers: IntArray = field("i2", MAX_ROUNDS, 4)  # M-18, by colour


STATE = record_dtype("manhattan", __file__, State)


# M-6: the board cell that a card means, for each seat: everybody looks from a side of their own.
_CARDS = np.arange(CELLS).reshape(3, 3)
CELL_OF_CARD = np.array([np.rot90(_CARDS, seat).ravel() for seat in range(4)])
CARD_OF_CELL = np.argsort(CELL_OF_CARD, axis=1)


def _ways_to_pick(blocks: int) -> list[tuple[int, ...]]:
    """All choices of so many blocks, as counts by size, in ascending order."""
    counts = itertools.product(range(blocks + 1), repeat=SIZES)
    return [choice for choice in counts if sum(choice) == blocks]


# The action space.  A pick is one action for the whole choice; a build is the place of the card
# in the hand rather than the card; `half` is 1 for the second colour of a player who has two.
PICKS_OF_6, PICKS_OF_4 = _ways_to_pick(6), _ways_to_pick(4)
PICKS = np.array(PICKS_OF_6 + PICKS_OF_4, dtype=np.int16)  # actions 0 … 118
ACTION_OF_PICK = np.full([7] * SIZES, NONE, np.int16)  # by how many of each size
ACTION_OF_PICK[tuple(PICKS.T)] = range(len(PICKS))
FIRST_PICK_OF_4 = len(PICKS_OF_6)
FIRST_BUILD = len(PICKS)  # + ((half × 4 + hand slot) × 4 + size) × 6 + city
REDRAW = FIRST_BUILD + 2 * HAND * SIZES * len(CITIES)
FIRST_FORFEIT = REDRAW + 1  # + half × 4 + size
ACTIONS = FIRST_FORFEIT + 2 * SIZES
