"""What a position of Cloud City promises: votes so far, and walkways that may still come.

Every building has room for two walkways (C-18).  In each of its four directions we look for what
may stand at the other end: a building that waits there, or one that a later tile may bring; the
two best directions count.  So a short walkway that spoils a long one is seen to cost something.
"""

from typing import Any

import numpy as np

from storeys.games.cloud_city.scoring import ANY, score, votes_of, walkways_at
from storeys.games.cloud_city.state import LENGTHS, NO_TILE, NONE, State
from storeys.kernel.compiling import jitable
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles import cities, grid

STEPS = (1, grid.STRIDE, -1, -grid.STRIDE)  # by direction, in the order of the bits TO_…

# These were tuned by playing alone.
WAITING = 0.61  # a walkway that can be built now or later, against one that is built
OFF_THE_BOX = 0.53  # that a place outside the present bounding box becomes part of the city
SAME_COLOUR = 0.23  # that a square still to come brings a building of a wanted colour
HIGHER = (0.31, 0.17, 0.0)  # that it brings one in the way (C-19), by colour
TO_COME = 1.03  # the same for each end of a walkway whose other end is to come
IN_HAND, SECOND_IN_HAND = 0.43, 0.12  # what the best fit of the best tiles in hand counts


@jitable
def most_tiles(state: State, seat: int, axis: int) -> int:
    """C-8, C-22: how many tiles the city may be high (axis 0) or wide (1)."""
    other = 2 * (1 - axis)
    across = int64(state.box[seat, other + 1]) - int64(state.box[seat, other]) + 1
    return 3 if across > 3 else state.long_side


@jitable
def chance_of_square(state: State, seat: int, square: int) -> float:
    """How likely a square without a tile will be part of the city."""
    place = (grid.row_of_square(square) // 2, grid.col_of_square(square) // 2)
    chance = 1.0
    for axis in range(2):
        low, high = int64(state.box[seat, 2 * axis]), int64(state.box[seat, 2 * axis + 1])
        first, last = min(low, place[axis]), max(high, place[axis])
        if last - first > high - low:
            if last - first >= most_tiles(state, seat, axis):
                return 0.0
            chance *= OFF_THE_BOX
    return chance


@jitable
def still_there(state: State, colour: int, length: int) -> float:
    """C-14: how likely a walkway of this kind is left when it is wanted."""
    left = int64(state.supply[colour, length - 1])
    return 0.0 if left == 0 else left / (left + 0.15 * (state.players - 1))


@jitable
def promise_of(
    state: State, tables: Any, seat: int, square: int, height: int, direction: int
) -> float:
    """What an end of a walkway from here in a direction is worth, C-13 … C-19."""
    step = STEPS[direction]
    across = 1 << (2 * (height - 1) + (1 - direction % 2))
    free, worth = 1.0, 0.0
    for length in range(1, LENGTHS + 1):
        at = square + length * step
        found = int64(state.ground[seat, at])
        votes = still_there(state, height - 1, length) * int64(tables.votes[length - 1])
        if found == NO_TILE:
            there = chance_of_square(state, seat, at)
            worth += free * there * SAME_COLOUR * votes * TO_COME
            free *= there * (1 - SAME_COLOUR - HIGHER[height - 1])
            if there == 0:
                return worth
        elif found == height and walkways_at(state, seat, at) < 2:
            return worth + free * votes * WAITING / 2
        elif found >= height or int64(state.span[seat, at]) & across:
            return worth
    return worth


@jitable
def promise_of_building(state: State, tables: Any, seat: int, square: int, height: int) -> float:
    """C-18: the best directions that a building has left, at most two with those in use."""
    links = int64(state.links[seat, square])
    free_ends = 2 - walkways_at(state, seat, square)
    best, second = 0.0, 0.0
    if free_ends <= 0:
        return 0.0
    for direction in range(4):
        if links & (1 << direction) == 0:
            worth = promise_of(state, tables, seat, square, height, direction)
            best, second = max(best, worth), max(second, min(best, worth))
    return best + second if free_ends == 2 else best


# --- tiles in hand


@jitable
def promise_of_hand(state: State, tables: Any, seat: int) -> float:
    """How well the tiles that are known of a hand would fit next."""
    high, wide = most_tiles(state, seat, 0), most_tiles(state, seat, 1)
    fits = cities.fitting_places(state, seat, high, wide)
    places = grid.beside(int64(state.places[seat])) & fits
    best = np.zeros(state.hands.shape[1])
    wanted = np.zeros((4, 4))  # by square and height; nothing for an open one
    while places != 0:
        place = grid.lowest_bit(places)
        places &= places - 1
        corner = grid.square_at(2 * grid.row_of_place(place), 2 * grid.col_of_place(place))
        for nth in range(4):
            square = corner + (nth // 2) * grid.STRIDE + nth % 2
            for height in range(1, 4):
                wanted[nth, height] = promise_of_building(state, tables, seat, square, height)
        for slot in range(best.size):
            tile = int64(state.hands[seat, slot])
            if tile != NONE:
                best[slot] = max(best[slot], best_turn(tables, tile, wanted))
    first, second = 0.0, 0.0
    for slot in range(best.size):
        first, second = max(first, best[slot]), max(second, min(first, best[slot]))
    return IN_HAND * first + SECOND_IN_HAND * second


@jitable
def best_turn(tables: Any, tile: int, wanted: IntArray) -> float:
    """What a tile's buildings are worth on a place, the way it fits best."""
    best = 0.0
    for turn in range(int64(tables.turns[tile])):
        worth = 0.0
        for nth in range(4):
            worth += wanted[nth, int64(tables.squares[tile, turn, nth])]
        best = max(best, worth)
    return best


# --- the verb


@jitable
def evaluate(state: State, tables: Any, out: IntArray) -> None:
    """Votes, walkways to come, and requests, which tell the more the fuller the cities are."""
    score(state, tables, out)
    for seat in range(state.players):
        votes = votes_of(state, tables, seat, ANY)
        laid = int64(state.laid_count[seat])
        left = 3 * state.long_side - laid
        if left == 0 and state.to_move != seat:
            continue
        full = laid / (laid + left)
        promised = votes + (out[seat] - votes) * (0.3 + 0.7 * full)
        for nth in range(2 * laid):
            square = int64(state.building[seat, nth])
            height = int64(state.ground[seat, square])
            promised += promise_of_building(state, tables, seat, square, height)
        if left > 0:
            promised += promise_of_hand(state, tables, seat)
        out[seat] = promised
