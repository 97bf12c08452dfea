"""Cities of tiles: what is laid where, how a city grows, and how a turn goes.

A turn is: lay a tile, build on it, draw a tile.  Each game says what building is.
"""

from typing import Any

import numpy as np

from storeys.kernel.chance import random_below
from storeys.kernel.compiling import jitable
from storeys.kernel.moves import at, part
from storeys.kernel.record import IntArray, field, int64
from storeys.kernel.tiles import draft, grid, moves
from storeys.kernel.tiles.draft import FROM_PILE, HAND, NONE
from storeys.kernel.tiles.grid import col_of_place, place_bit, row_of_place
from storeys.kernel.tiles.moves import KIND, SLOT, TILE

PLACE, BUILD, DRAW, OVER = range(4)  # the phases, whatever a game calls the second one
MOST_LAID = 16  # tiles of a city

# A tile goes to a place relative to the city's bounding box, from one row above it to one below.
PLACE_SIDE = 6  # rows and columns -1 … 4
SLOT_ACTIONS = PLACE_SIDE * PLACE_SIDE * 4  # row × column × turn
PLACE_ACTIONS = HAND * SLOT_ACTIONS

# Why a move is refused; a game's own reasons follow.
(
    GAME_OVER, PLACE_FIRST, PLACED_ALREADY, NOT_IN_HAND, OCCUPIED, NOT_BESIDE, TOO_LARGE,
    SLOT_EMPTY, PILE_EMPTY, MUST_DRAW, FIRST_OWN_REASON,
) = range(1, 12)  # fmt: skip


class Cities(draft.Draft):
    """The fields of a state that say which tiles are laid, by seat."""

    rounds: int = field("i8")
    laid: IntArray = field("i2", 4, MOST_LAID, 3)  # tile, bit of its place, turn, in order
    laid_count: IntArray = field("i2", 4)
    places: IntArray = field("i8", 4)  # bits of the places that hold a tile
    box: IntArray = field("i2", 4, 4)  # first and last tile row, first and last tile column


@jitable
def clear_cities(state: Cities) -> None:
    """No tile anywhere, and seat 0 begins."""
    draft.clear_draft(state)
    state.phase = PLACE
    state.to_move = 0
    state.round_no = 1
    state.laid[:] = 0
    state.laid_count[:] = 0
    state.places[:] = 0
    state.box[:] = 0


# --- places


@jitable
def fitting_places(state: Cities, seat: int, high: int, wide: int) -> int:
    """The places that keep a city's bounding box within so many tile rows and columns."""
    top, bottom = int64(state.box[seat, 0]), int64(state.box[seat, 1])
    left, right = int64(state.box[seat, 2]), int64(state.box[seat, 3])
    if bottom - top >= high or right - left >= wide:
        return 0
    return grid.places_within(bottom - high + 1, top + high - 1, right - wide + 1, left + wide - 1)


@jitable
def note_tile(state: Cities, seat: int, tile: int, row: int, col: int, turn: int) -> None:
    """A tile joins the city."""
    count = int64(state.laid_count[seat])
    place = place_bit(row, col)
    state.laid[seat, count, 0] = tile
    state.laid[seat, count, 1] = place
    state.laid[seat, count, 2] = turn
    state.laid_count[seat] += 1
    state.places[seat] |= 1 << place
    state.box[seat, 0] = min(int64(state.box[seat, 0]), row)
    state.box[seat, 1] = max(int64(state.box[seat, 1]), row)
    state.box[seat, 2] = min(int64(state.box[seat, 2]), col)
    state.box[seat, 3] = max(int64(state.box[seat, 3]), col)


# --- turns


@jitable
def pass_turn(state: Cities) -> None:
    """The next seat clockwise; after the last seat's last turn the match is over."""
    state.to_move += 1
    state.phase = PLACE
    if state.to_move == state.players:
        state.to_move = 0
        state.round_no += 1
    if state.round_no > state.rounds:
        state.round_no = state.rounds
        state.to_move = NONE
        state.phase = OVER


@jitable
def finish_turn(state: Cities, action: int, first: int, pile: int) -> None:
    """Carry out a draw, or the end of a turn without one; then it is the next seat's turn."""
    if action <= pile:
        draft.draw_tile(state, state.to_move, FROM_PILE if action == pile else action - first)
    pass_turn(state)


@jitable
def redeal(state: Cities, tables: Any, seat: int, rng: IntArray) -> None:
    """The verb: deal afresh what a seat cannot see; what belongs to a seat is never hidden."""
    unseen = np.empty(tables.numbered.size, np.int64)
    for tile in range(unseen.size):
        unseen[tile] = tables.numbered[tile] == 0
    for other in range(state.players):
        for nth in range(state.laid_count[other]):
            unseen[state.laid[other, nth, 0]] = 0
    draft.mark_seen(state, seat, unseen)
    draft.redeal_draft(state, seat, unseen, rng)


# --- actions: placements, a game's own, then draws as ``draft`` numbers them


@jitable
def place_action(state: Cities, slot: int, place: int, turn: int) -> int:
    """The action of laying a tile: its place counts from the city's bounding box."""
    seat = state.to_move
    row = row_of_place(place) - int64(state.box[seat, 0]) + 1
    col = col_of_place(place) - int64(state.box[seat, 2]) + 1
    return ((slot * PLACE_SIDE + row) * PLACE_SIDE + col) * 4 + turn


@jitable
def parts_of_place(state: Cities, action: int) -> tuple[int, int, int]:
    """Hand slot, place and turn of an action."""
    seat = state.to_move
    rest, turn = divmod(action, 4)
    rest, col = divmod(rest, PLACE_SIDE)
    slot, row = divmod(rest, PLACE_SIDE)
    place = place_bit(row - 1 + int64(state.box[seat, 0]), col - 1 + int64(state.box[seat, 2]))
    return slot, place, turn


@jitable
def list_placements(state: Cities, tables: Any, places: int, out: IntArray) -> int:
    """List any tile of the hand on any of the places; turns that look the same once."""
    seat = state.to_move
    count = 0
    for slot in range(state.hand_size[seat]):
        turns = int64(tables.turns[state.hands[seat, slot]])
        left = places
        while left != 0:
            place = grid.lowest_bit(left)
            left &= left - 1
            first = place_action(state, slot, place, 0)
            for turn in range(turns):
                out[count] = first + turn
                count += 1
    return count


@jitable
def random_placement(
    state: Cities, tables: Any, places: int, rng: IntArray
) -> tuple[int, int, int]:
    """Hand slot, place and turn, uniformly: any tile of the hand on any of the places."""
    seat = state.to_move
    ways = 0
    for slot in range(state.hand_size[seat]):
        ways += int64(tables.turns[state.hands[seat, slot]])
    place_count = grid.count_bits(places)
    turn, nth = divmod(random_below(rng, ways * place_count), place_count)
    slot = 0
    while turn >= int64(tables.turns[state.hands[seat, slot]]):
        turn -= int64(tables.turns[state.hands[seat, slot]])
        slot += 1
    return slot, grid.nth_bit(places, nth), turn


@jitable
def encode_shared(state: Cities, tables: Any, code: int, first: int, pile: int) -> int:
    """The action of a legal shared move; a turn is made the smallest of its looks."""
    kind = part(code, KIND)
    if kind == moves.PLACE_MOVE:
        tile = part(code, TILE)
        row, col = moves.place_of(code)
        turn = part(code, moves.TURN) % int64(tables.turns[tile])
        slot = draft.slot_of_tile(state, state.to_move, tile)
        return place_action(state, slot, place_bit(row, col), turn)
    if kind == moves.END_MOVE:
        return pile + 1
    slot = part(code, SLOT)
    return pile if slot == FROM_PILE else first + slot


@jitable
def decode_shared(state: Cities, action: int, first: int, pile: int) -> int:
    """The move code of a placement, a draw or the end of a turn."""
    if action < first:
        slot, place, turn = parts_of_place(state, action)
        return moves.place_code(int64(state.hands[state.to_move, slot]), place, turn)
    if action > pile:
        return moves.END_MOVE
    return moves.DRAW_MOVE | at(FROM_PILE if action == pile else action - first, SLOT)


# --- why a move is refused


@jitable
def refusal_of_kind(state: Cities, kind: int) -> int:
    """A turn begins with a placement, and has one only; 0 if this kind of move may be made."""
    if state.phase == OVER:
        return GAME_OVER
    if state.phase == PLACE:
        return 0 if kind == moves.PLACE_MOVE else PLACE_FIRST
    return PLACED_ALREADY if kind == moves.PLACE_MOVE else 0


@jitable
def refusal_of_place(state: Cities, code: int, free: int) -> int:
    """A tile of the hand, beside the city, on one of the free places; 0 if it may go there."""
    if draft.slot_of_tile(state, state.to_move, part(code, TILE)) == NONE:
        return NOT_IN_HAND
    row, col = moves.place_of(code)
    place = 1 << place_bit(row, col)
    if free & place:
        return 0
    places = int64(state.places[state.to_move])
    if places & place:
        return OCCUPIED
    return TOO_LARGE if grid.beside(places) & place else NOT_BESIDE


@jitable
def refusal_of_draw(state: Cities, code: int) -> int:
    """Something that is there to be drawn; to end without a draw only if nothing is."""
    if part(code, KIND) == moves.END_MOVE:
        return 0 if draft.nothing_to_draw(state) else MUST_DRAW
    slot = part(code, SLOT)
    if slot == FROM_PILE:
        return 0 if state.pile_size > 0 else PILE_EMPTY
    return 0 if slot < state.row_size else SLOT_EMPTY
