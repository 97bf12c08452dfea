"""Hidden hands of tiles, an open row and a pile: what the tile games deal and draw from.

The pile's order is not kept: a tile is drawn when it is drawn.  A hand's tiles lie in its first
slots; those taken from the row are known to everybody (``shown``) until they are laid.
"""

from typing import Any

from storeys.kernel.chance import draw_from_list, forget_stream, rekey
from storeys.kernel.compiling import jitable
from storeys.kernel.record import Header, IntArray, field, int64

HAND = 3
MOST_IN_ROW = 4
MOST_TILES = 80
NONE = -1
FROM_PILE = MOST_IN_ROW  # the slot that stands for the pile in moves


class Draft(Header):
    """The fields of a state that hold tiles not laid yet; a tile is its number in the tables."""

    hands: IntArray = field("i2", 4, HAND)
    shown: IntArray = field("i2", 4, HAND)  # 1 for a tile that everybody knows
    hand_size: IntArray = field("i2", 4)
    row: IntArray = field("i2", MOST_IN_ROW)
    row_size: int = field("i8")
    pile: IntArray = field("i2", MOST_TILES)
    pile_size: int = field("i8")


@jitable
def clear_draft(state: Draft) -> None:
    """No tiles anywhere."""
    state.hands[:] = NONE
    state.shown[:] = 0
    state.hand_size[:] = 0
    state.row[:] = NONE
    state.row_size = 0
    state.pile[:] = NONE
    state.pile_size = 0


@jitable
def add_to_pile(state: Draft, tile: int) -> None:
    """Put a tile into the pile."""
    state.pile[state.pile_size] = tile
    state.pile_size += 1


@jitable
def take_from_pile(state: Draft) -> int:
    """Draw a tile at random."""
    nth = draw_from_list(state, state.pile, state.pile_size)
    tile = int64(state.pile[nth])
    state.pile_size -= 1
    state.pile[nth] = state.pile[state.pile_size]
    state.pile[state.pile_size] = NONE
    return tile


@jitable
def add_to_hand(state: Draft, seat: int, tile: int, shown: int) -> None:
    """Take a tile into the hand."""
    slot = state.hand_size[seat]
    state.hands[seat, slot] = tile
    state.shown[seat, slot] = shown
    state.hand_size[seat] += 1


@jitable
def deal_draft(state: Draft, tables: Any, row_length: int) -> None:
    """The tiles that belong to no seat are the pile; the row and then all hands fill up from it."""
    for tile in range(tables.numbered.size):
        if tables.numbered[tile] == 0:
            add_to_pile(state, tile)
    while state.row_size < row_length:
        state.row[state.row_size] = take_from_pile(state)
        state.row_size += 1
    for seat in range(state.players):
        while state.hand_size[seat] < HAND:
            add_to_hand(state, seat, take_from_pile(state), 0)


@jitable
def take_from_hand(state: Draft, seat: int, slot: int) -> int:
    """Take a tile out of the hand; the others move up."""
    tile = int64(state.hands[seat, slot])
    state.hand_size[seat] -= 1
    for i in range(slot, HAND - 1):
        state.hands[seat, i] = state.hands[seat, i + 1]
        state.shown[seat, i] = state.shown[seat, i + 1]
    state.hands[seat, HAND - 1] = NONE
    state.shown[seat, HAND - 1] = 0
    return tile


@jitable
def draw_tile(state: Draft, seat: int, slot: int) -> None:
    """Draw from the row, which is filled up in place or gets shorter, or from the pile."""
    if slot == FROM_PILE:
        add_to_hand(state, seat, take_from_pile(state), 0)
        return
    add_to_hand(state, seat, int64(state.row[slot]), 1)
    if state.pile_size > 0:
        state.row[slot] = take_from_pile(state)
        return
    state.row_size -= 1
    for i in range(slot, MOST_IN_ROW - 1):
        state.row[i] = state.row[i + 1]
    state.row[MOST_IN_ROW - 1] = NONE


@jitable
def nothing_to_draw(state: Draft) -> bool:
    """Neither row nor pile has a tile."""
    return state.row_size == 0 and state.pile_size == 0


@jitable
def slot_of_tile(state: Draft, seat: int, tile: int) -> int:
    """The hand slot that holds a tile, or NONE."""
    for slot in range(state.hand_size[seat]):
        if state.hands[seat, slot] == tile:
            return slot
    return NONE


# --- draws as actions: the slots of the row from ``first`` on, then ``pile``, then to end the turn


@jitable
def count_draws(state: Draft) -> int:
    """How many draws there are; to end the turn counts as one if there is nothing to draw."""
    return max(state.row_size + (1 if state.pile_size > 0 else 0), 1)


@jitable
def nth_draw(state: Draft, first: int, pile: int, nth: int) -> int:
    """The action of a draw, from 0."""
    if nothing_to_draw(state):
        return pile + 1
    return first + nth if nth < state.row_size else pile


@jitable
def list_draws(state: Draft, first: int, pile: int, out: IntArray, count: int) -> int:
    """List the draws after what is listed already; says how many there are then."""
    for nth in range(count_draws(state)):
        out[count] = nth_draw(state, first, pile, nth)
        count += 1
    return count


# --- what a seat cannot know


@jitable
def blind(state: Draft, tables: Any, seat: int) -> None:
    """The verb: wipe the pile, the future and the tiles of other hands that nobody has shown."""
    for other in range(state.players):
        if other != seat:
            hide_hand(state, other)
    state.pile[:] = NONE
    forget_stream(state)


@jitable
def hide_hand(state: Draft, seat: int) -> None:
    """Keep what was shown, first; where a hidden tile lay would tell when it was drawn."""
    known = 0
    for slot in range(HAND):
        if state.shown[seat, slot] == 1:
            state.hands[seat, known] = state.hands[seat, slot]
            known += 1
    for slot in range(HAND):
        state.shown[seat, slot] = 1 if slot < known else 0
        if slot >= known:
            state.hands[seat, slot] = NONE


@jitable
def redeal_draft(state: Draft, seat: int, unseen: IntArray, rng: IntArray) -> None:
    """Deal the unseen tiles (1 for each number that is) afresh to hidden hands and pile."""
    rekey(state, rng)
    state.pile[:] = NONE
    state.pile_size = 0
    for tile in range(unseen.size):
        if unseen[tile]:
            add_to_pile(state, tile)
    for other in range(state.players):
        if other == seat:
            continue
        for slot in range(state.hand_size[other]):
            if state.shown[other, slot] == 0:
                state.hands[other, slot] = take_from_pile(state)


@jitable
def mark_seen(state: Draft, seat: int, unseen: IntArray) -> None:
    """Strike out the tiles of the row and of the hands that a seat sees."""
    for slot in range(state.row_size):
        unseen[state.row[slot]] = 0
    for other in range(state.players):
        for slot in range(state.hand_size[other]):
            if other == seat or state.shown[other, slot] == 1:
                unseen[state.hands[other, slot]] = 0
