"""What a position of Cloud City promises: votes so far, and walkways that may still come.

Every building has room for two walkways (C-18).  In each of its four directions we look for what
may stand at the other end: a building that waits there, or one that a later tile may bring; the
two best directions count.  So a short walkway that spoils a long one is seen to cost something.
"""

from typing import Any

import numpy as np

from storeys.games.cloud_city.scoring import ANY, score, votes_of, walkways_at
from storeys.games.cloud_city.sights import (
    HEIGHTS,
    OFF_THE_BOX,
    find_lines,
    find_sums,
    look_along,
    most_tiles,
    new_lines,
    two_best,
)
from storeys.games.cloud_city.state import NONE, State
from storeys.kernel.compiling import jitable
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles import cities, grid

IN_HAND, SECOND_IN_HAND = 0.43, 0.12  # what the best fit of the best tiles in hand counts


@jitable
def promise_of_building(
    state: State, seat: int, square: int, lines: IntArray, sums: IntArray
) -> float:
    """C-18: the best directions that a building has left, at most two with those in use."""
    links, free_ends = int64(state.links[seat, square]), 2 - walkways_at(state, seat, square)
    colour = int64(state.ground[seat, square]) - 1
    best, second = 0.0, 0.0
    for direction in range(4):
        if free_ends > 0 and links & (1 << direction) == 0:
            worth = look_along(lines, sums, square, direction, colour, 1.0)
            best, second = max(best, worth), max(second, min(best, worth))
    return best + second if free_ends == 2 else best


# --- tiles in hand


@jitable
def find_wanted(
    state: State, seat: int, place: int, lines: IntArray, sums: IntArray, wanted: IntArray
) -> None:
    """What a building would promise on each square of a place, by height; nothing if it is open."""
    row, col = grid.row_of_place(place), grid.col_of_place(place)
    across = 1.0 if state.box[seat, 0] <= row <= state.box[seat, 1] else OFF_THE_BOX
    down = 1.0 if state.box[seat, 2] <= col <= state.box[seat, 3] else OFF_THE_BOX
    for nth in range(4):
        square = grid.square_of_place(place, nth)
        wanted[nth, 0] = 0.0
        for colour in range(HEIGHTS):
            wanted[nth, colour + 1] = two_best(
                look_along(lines, sums, square, 0, colour, across),
                look_along(lines, sums, square, 1, colour, down),
                look_along(lines, sums, square, 2, colour, across),
                look_along(lines, sums, square, 3, colour, down),
            )


@jitable
def best_fit(tables: Any, tile: int, wanted: IntArray) -> float:
    """What a tile's buildings promise, on the place and with the turn that suit it best."""
    best = 0.0
    for nth in range(wanted.shape[0]):
        for turn in range(tables.turns[tile]):
            worth = 0.0
            for part in range(4):
                worth += wanted[nth, part, tables.squares[tile, turn, part]]
            best = max(best, worth)
    return best


@jitable
def promise_of_hand(state: State, tables: Any, seat: int, lines: IntArray, sums: IntArray) -> float:
    """How well the tiles that are known of a hand would fit next."""
    known = 0
    for slot in range(state.hands.shape[1]):
        known += state.hands[seat, slot] != NONE
    if known == 0:
        return 0.0
    high, wide = most_tiles(state, seat, 0), most_tiles(state, seat, 1)
    fits = cities.fitting_places(state, seat, high, wide)
    places = grid.beside(int64(state.places[seat])) & fits
    wanted = np.empty((grid.count_bits(places), 4, HEIGHTS + 1))
    for nth in range(wanted.shape[0]):
        find_wanted(state, seat, grid.lowest_bit(places), lines, sums, wanted[nth])
        places &= places - 1
    first, second = 0.0, 0.0
    for slot in range(state.hands.shape[1]):
        tile = int64(state.hands[seat, slot])
        fit = best_fit(tables, tile, wanted) if tile != NONE else 0.0
        first, second = max(first, fit), max(second, min(first, fit))
    return IN_HAND * first + SECOND_IN_HAND * second


# --- the verbs


@jitable
def promise_of_seat(
    state: State, tables: Any, seat: int, total: float, lines: IntArray, sums: IntArray
) -> float:
    """Votes, walkways to come, and requests, which tell the more the fuller the cities are."""
    laid = int64(state.laid_count[seat])
    left = 3 * state.long_side - laid
    if left == 0 and state.to_move != seat:
        return total
    votes, full = votes_of(state, tables, seat, ANY), laid / (laid + left)
    promised = votes + (total - votes) * (0.3 + 0.7 * full)
    find_lines(state, seat, lines)
    for nth in range(2 * laid):
        square = int64(state.building[seat, nth])
        promised += promise_of_building(state, seat, square, lines, sums)
    return promised + promise_of_hand(state, tables, seat, lines, sums) if left > 0 else promised


@jitable
def evaluate(state: State, tables: Any, out: IntArray) -> None:
    """What each seat is promised."""
    score(state, tables, out)
    lines, sums = new_lines(), find_sums(state)
    for seat in range(state.players):
        out[seat] = promise_of_seat(state, tables, seat, out[seat], lines, sums)


@jitable
def evaluate_seat(state: State, tables: Any, seat: int) -> float:
    """The same for one seat."""
    totals = np.empty(4)
    score(state, tables, totals)
    return promise_of_seat(state, tables, seat, totals[seat], new_lines(), find_sums(state))
