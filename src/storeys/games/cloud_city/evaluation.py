"""What a position of Cloud City promises: votes so far, and walkways that may still come.

Every building has room for two walkways (C-18).  In each of its four directions we look for what
may stand at the other end: a building that waits there, or one that a later tile may bring; the
two best directions count.  So a short walkway that spoils a long one is seen to cost something.
"""

from typing import Any

import numpy as np

from storeys.games.cloud_city.scoring import ANY, score, votes_of, walkways_at
from storeys.games.cloud_city.state import LENGTHS, NO_TILE, NONE, OPEN, State
from storeys.kernel.compiling import jitable
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles import cities, grid
from storeys.kernel.tiles.grid import STRIDE

STEPS = (1, STRIDE, -1, -STRIDE)  # by direction, in the order of the bits TO_…

# These were tuned by playing alone.
WAITING = 0.61  # a walkway that can be built now or later, against one that is built
OFF_THE_BOX = 0.53  # that a place outside the present bounding box becomes part of the city
SAME_COLOUR = 0.23  # that a square still to come brings a building of a wanted colour
HIGHER = (0.31, 0.17, 0.0)  # that it brings one in the way (C-19), by colour
TO_COME = 1.03  # the same for each end of a walkway whose other end is to come
IN_HAND, SECOND_IN_HAND = 0.43, 0.12  # what the best fit of the best tiles in hand counts

# What is the same for all buildings is worked out first, in one array: a row for each colour with
# what its walkways are worth by length, then how likely rows and columns become part of the city.
ROWS, COLUMNS = 3, 4


@jitable
def weigh_walkways(state: State, tables: Any) -> IntArray:
    """C-14: the votes of walkways by how likely one is left when it is wanted."""
    ahead = np.empty((5, STRIDE))
    for colour in range(3):
        for nth in range(LENGTHS):
            left = int64(state.supply[colour, nth])
            kept = 0.0 if left == 0 else left / (left + 0.15 * (state.players - 1))
            ahead[colour, nth] = kept * int64(tables.votes[nth])
    return ahead


@jitable
def most_tiles(state: State, seat: int, axis: int) -> int:
    """C-8, C-22: how many tiles the city may be high (axis 0) or wide (1)."""
    other = 2 * (1 - axis)
    across = int64(state.box[seat, other + 1]) - int64(state.box[seat, other]) + 1
    return 3 if across > 3 else state.long_side


@jitable
def weigh_lines(state: State, seat: int, ahead: IntArray) -> None:
    """How likely rows and columns of squares without a tile will be part of the city."""
    for axis in range(2):
        low, high = int64(state.box[seat, 2 * axis]), int64(state.box[seat, 2 * axis + 1])
        for line in range(STRIDE):
            place = (line - grid.ORIGIN) // 2
            tiles = max(high, place) - min(low, place) + 1
            chance = OFF_THE_BOX if tiles <= most_tiles(state, seat, axis) else 0.0
            ahead[ROWS + axis, line] = 1.0 if low <= place <= high else chance


@jitable
def promise_of(
    state: State, seat: int, square: int, height: int, direction: int, ahead: IntArray
) -> float:
    """What an end of a walkway from here in a direction is worth, C-13 … C-19."""
    across = 1 << (2 * (height - 1) + (1 - direction % 2))
    free, worth = 1.0, 0.0
    for nth in range(LENGTHS):
        square += STEPS[direction]
        found, votes = int64(state.ground[seat, square]), ahead[height - 1, nth]
        if found == NO_TILE:
            there = ahead[ROWS, square // STRIDE] * ahead[COLUMNS, square % STRIDE]
            if there == 0:
                return worth
            worth += free * there * SAME_COLOUR * votes * TO_COME
            free *= there * (1 - SAME_COLOUR - HIGHER[height - 1])
        elif found == height and walkways_at(state, seat, square) < 2:
            return float(worth + free * votes * WAITING / 2)
        elif found >= height or int64(state.span[seat, square]) & across:
            return worth
    return worth


@jitable
def promise_of_building(
    state: State, seat: int, square: int, height: int, ahead: IntArray
) -> float:
    """C-18: the best directions that a building has left, at most two with those in use."""
    links = int64(state.links[seat, square])
    free_ends = 2 - walkways_at(state, seat, square)
    best, second = 0.0, 0.0
    if free_ends <= 0:
        return 0.0
    for direction in range(4):
        if links & (1 << direction) == 0:
            worth = promise_of(state, seat, square, height, direction, ahead)
            best, second = max(best, worth), max(second, min(best, worth))
    return best + second if free_ends == 2 else best


# --- tiles in hand


@jitable
def promise_of_hand(state: State, tables: Any, seat: int, ahead: IntArray) -> float:
    """How well the tiles that are known of a hand would fit next."""
    if state.hands[seat].max() == NONE:
        return 0.0
    high, wide = most_tiles(state, seat, 0), most_tiles(state, seat, 1)
    fits = cities.fitting_places(state, seat, high, wide)
    places = grid.beside(int64(state.places[seat])) & fits
    best = np.zeros(state.hands.shape[1])
    wanted = np.empty((4, 4))  # by square and height, once it is asked for
    while places != 0:
        wanted[:] = NONE
        for slot in range(best.size):
            tile = int64(state.hands[seat, slot])
            if tile != NONE:
                worth = best_turn(state, tables, seat, tile, grid.lowest_bit(places), wanted, ahead)
                best[slot] = max(best[slot], worth)
        places &= places - 1
    first, second = 0.0, 0.0
    for slot in range(best.size):
        first, second = max(first, best[slot]), max(second, min(first, best[slot]))
    return IN_HAND * first + SECOND_IN_HAND * second


@jitable
def best_turn(
    state: State, tables: Any, seat: int, tile: int, place: int, wanted: IntArray, ahead: IntArray
) -> float:
    """What a tile's buildings are worth on a place, the way it fits best."""
    best = 0.0
    for turn in range(int64(tables.turns[tile])):
        worth = 0.0
        for nth in range(4):
            height = int64(tables.squares[tile, turn, nth])
            if height != OPEN:
                if wanted[nth, height] < 0:
                    square = grid.square_of_place(place, nth)
                    wanted[nth, height] = promise_of_building(state, seat, square, height, ahead)
                worth += wanted[nth, height]
        best = max(best, worth)
    return best


# --- the verbs


@jitable
def promise_of_seat(state: State, tables: Any, seat: int, total: float, ahead: IntArray) -> float:
    """Votes, walkways to come, and requests, which tell the more the fuller the cities are."""
    laid = int64(state.laid_count[seat])
    left = 3 * state.long_side - laid
    if left == 0 and state.to_move != seat:
        return total
    votes, full = votes_of(state, tables, seat, ANY), laid / (laid + left)
    promised = votes + (total - votes) * (0.3 + 0.7 * full)
    weigh_lines(state, seat, ahead)
    for nth in range(2 * laid):
        square = int64(state.building[seat, nth])
        height = int64(state.ground[seat, square])
        promised += promise_of_building(state, seat, square, height, ahead)
    return promised + promise_of_hand(state, tables, seat, ahead) if left > 0 else promised


@jitable
def evaluate(state: State, tables: Any, out: IntArray) -> None:
    """What each seat is promised."""
    score(state, tables, out)
    ahead = weigh_walkways(state, tables)
    for seat in range(state.players):
        out[seat] = promise_of_seat(state, tables, seat, out[seat], ahead)


@jitable
def evaluate_seat(state: State, tables: Any, seat: int) -> float:
    """The same for one seat."""
    totals = np.empty(4)
    score(state, tables, totals)
    return promise_of_seat(state, tables, seat, totals[seat], weigh_walkways(state, tables))
