"""What a position of Cloud City promises: votes so far, and walkways that may still come.

Every building has room for two walkways (C-18).  In each of its four directions we look for what
may stand at the other end: a building that waits there, or one that a later tile may bring; the
two best directions count.  So a short walkway that spoils a long one is seen to cost something.
"""

from typing import Any

import numpy as np

from storeys.games.cloud_city.box import WALKWAYS_OF_A_COLOUR
from storeys.games.cloud_city.scoring import ANY, score, votes_of, walkways_at
from storeys.games.cloud_city.state import LENGTHS, NO_TILE, NONE, VOTES, State
from storeys.kernel.compiling import jitable
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles import cities, grid
from storeys.kernel.tiles.grid import STRIDE

STEPS = np.array([1, STRIDE, -1, -STRIDE])  # by direction, in the order of the bits TO_…

# These were tuned by playing alone.
WAITING = 0.61  # a walkway that can be built now or later, against one that is built
OFF_THE_BOX = 0.53  # that a place outside the present bounding box becomes part of the city
SAME_COLOUR = 0.23  # that a square still to come brings a building of a wanted colour
HIGHER = np.array([0.31, 0.17, 0.0])  # that it brings one in the way (C-19), by colour
TO_COME = 1.03  # the same for each end of a walkway whose other end is to come
IN_HAND, SECOND_IN_HAND = 0.43, 0.12  # what the best fit of the best tiles in hand counts

# C-14: the votes of a walkway by how likely one is left when it is wanted: by the number of other
# seats, the pieces left and the length.
WORTH = np.array(
    [
        [
            [left / (left + 0.15 * others) * votes if left else 0.0 for votes in VOTES]
            for left in range(WALKWAYS_OF_A_COLOUR + 1)
        ]
        for others in range(4)
    ]
)
CHANCES = np.array([0.0, OFF_THE_BOX, 1.0])  # that a row or a column is part of the city


@jitable
def most_tiles(state: State, seat: int, axis: int) -> int:
    """C-8, C-22: how many tiles the city may be high (axis 0) or wide (1)."""
    other = 2 * (1 - axis)
    across = int64(state.box[seat, other + 1]) - int64(state.box[seat, other]) + 1
    return 3 if across > 3 else state.long_side


@jitable
def find_chances(state: State, seat: int) -> int:
    """Which of the CHANCES each row of squares has, then each column, in two bits each."""
    found = 0
    for axis in range(2):
        low, high = int64(state.box[seat, 2 * axis]), int64(state.box[seat, 2 * axis + 1])
        for place in range(-grid.REACH, grid.REACH + 1):
            tiles = max(high, place) - min(low, place) + 1
            nth = 2 if low <= place <= high else int64(tiles <= most_tiles(state, seat, axis))
            first = 2 * place + grid.ORIGIN  # of the two lines of a place
            found |= (nth | nth << 2) << (2 * (STRIDE * axis + first))
    return found


@jitable
def meet(
    state: State, seat: int, square: int, direction: int, height: int, votes: float,
    there: float, free: float, worth: float,
) -> tuple[float, float]:  # fmt: skip
    """One square further, C-13 … C-19: how free the way is then, and what a walkway is worth."""
    found, across = int64(state.ground[seat, square]), 2 * (height - 1) + (1 - direction % 2)
    if found == NO_TILE:
        worth += free * there * SAME_COLOUR * votes * TO_COME
        return free * (there * (1 - SAME_COLOUR - HIGHER[height - 1])), worth
    if found == height and walkways_at(state, seat, square) < 2:
        return 0.0, worth + free * votes * WAITING / 2
    ends = found >= height or (int64(state.span[seat, square]) >> across) & 1 == 1
    return (0.0, worth) if ends else (free, worth)


@jitable
def look_along(
    state: State, seat: int, square: int, direction: int, chances: int
) -> tuple[float, float, float]:
    """What an end of a walkway from here in a direction is worth, by height."""
    step, others = STEPS[direction], state.players - 1
    low_free = mid_free = high_free = there = 1.0
    low = mid = high = 0.0
    for nth in range(LENGTHS):
        at = square + (nth + 1) * step
        if state.ground[seat, at] == NO_TILE:
            row, col = divmod(at, STRIDE)
            there = CHANCES[(chances >> 2 * row) & 3] * CHANCES[(chances >> 2 * (STRIDE + col)) & 3]
        if there == 0 or low_free + mid_free + high_free == 0:
            break
        votes = WORTH[others, state.supply[0, nth], nth]
        low_free, low = meet(state, seat, at, direction, 1, votes, there, low_free, low)
        votes = WORTH[others, state.supply[1, nth], nth]
        mid_free, mid = meet(state, seat, at, direction, 2, votes, there, mid_free, mid)
        votes = WORTH[others, state.supply[2, nth], nth]
        high_free, high = meet(state, seat, at, direction, 3, votes, there, high_free, high)
    return low, mid, high


@jitable
def promises_at(state: State, seat: int, square: int, chances: int) -> tuple[float, float, float]:
    """C-18: for each height the best directions left, at most two with those in use."""
    links, free_ends = int64(state.links[seat, square]), 2 - walkways_at(state, seat, square)
    low = mid = high = second_low = second_mid = second_high = 0.0
    for direction in range(4):
        if free_ends > 0 and links & (1 << direction) == 0:
            one, two, three = look_along(state, seat, square, direction, chances)
            low, second_low = max(low, one), max(second_low, min(low, one))
            mid, second_mid = max(mid, two), max(second_mid, min(mid, two))
            high, second_high = max(high, three), max(second_high, min(high, three))
    if free_ends == 2:
        return low + second_low, mid + second_mid, high + second_high
    return low, mid, high


# --- tiles in hand


@jitable
def promise_of_hand(state: State, tables: Any, seat: int, chances: int) -> float:
    """How well the tiles that are known of a hand would fit next."""
    known = 0
    for slot in range(state.hands.shape[1]):
        known += state.hands[seat, slot] != NONE
    if known == 0:
        return 0.0
    high, wide = most_tiles(state, seat, 0), most_tiles(state, seat, 1)
    fits = cities.fitting_places(state, seat, high, wide)
    places = grid.beside(int64(state.places[seat])) & fits
    best = np.zeros(state.hands.shape[1])
    wanted = np.zeros((4, 4))  # by square and height; nothing for an open one
    while places != 0:
        for nth in range(4):
            square = grid.square_of_place(grid.lowest_bit(places), nth)
            one, two, three = promises_at(state, seat, square, chances)
            wanted[nth, 1], wanted[nth, 2], wanted[nth, 3] = one, two, three
        places &= places - 1
        for slot in range(best.size):
            tile = int64(state.hands[seat, slot])
            for turn in range(int64(tables.turns[tile]) if tile != NONE else 0):
                worth = 0.0
                for nth in range(4):
                    worth += wanted[nth, tables.squares[tile, turn, nth]]
                best[slot] = max(best[slot], worth)
    first, second = 0.0, 0.0
    for slot in range(best.size):
        first, second = max(first, best[slot]), max(second, min(first, best[slot]))
    return IN_HAND * first + SECOND_IN_HAND * second


# --- the verbs


@jitable
def promise_of_seat(state: State, tables: Any, seat: int, total: float) -> float:
    """Votes, walkways to come, and requests, which tell the more the fuller the cities are."""
    laid = int64(state.laid_count[seat])
    left = 3 * state.long_side - laid
    if left == 0 and state.to_move != seat:
        return total
    votes, full = votes_of(state, tables, seat, ANY), laid / (laid + left)
    promised = votes + (total - votes) * (0.3 + 0.7 * full)
    chances = find_chances(state, seat)
    for nth in range(2 * laid):
        square = int64(state.building[seat, nth])
        height = int64(state.ground[seat, square])
        promised += promises_at(state, seat, square, chances)[height - 1]
    return promised + promise_of_hand(state, tables, seat, chances) if left > 0 else promised


@jitable
def evaluate(state: State, tables: Any, out: IntArray) -> None:
    """What each seat is promised."""
    score(state, tables, out)
    for seat in range(state.players):
        out[seat] = promise_of_seat(state, tables, seat, out[seat])


@jitable
def evaluate_seat(state: State, tables: Any, seat: int) -> float:
    """The same for one seat."""
    totals = np.empty(4)
    score(state, tables, totals)
    return promise_of_seat(state, tables, seat, totals[seat])
