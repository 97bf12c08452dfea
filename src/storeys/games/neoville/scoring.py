"""Neoville's scoring (N-17 … N-23), as if the cities ended now (N-R4)."""

from typing import Any

import numpy as np

from storeys.games.neoville import state as neoville
from storeys.games.neoville.state import BIOSPHERE, BUS, NONE, SHAPE_SIDE, SIDE, SKYSCRAPERS, State
from storeys.kernel import verbs
from storeys.kernel.compiling import jitable
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles.grid import STRIDE, col_of_square, row_of_square, square_at

FOR_THE_MOST = 5


@jitable
def district_of(state: State, seat: int, nth: int) -> int:
    """The district that a piece of a city stands in."""
    return int64(state.district[seat, state.piece[seat, nth, 1]])


# --- skyscrapers


@jitable
def value_of(piece: int) -> int:
    """The value of a skyscraper."""
    return neoville.VALUES[piece % len(neoville.VALUES)]


@jitable
def skyscraper_alone(state: State, seat: int, nth: int) -> int:
    """N-17: plus its value in a district that is large enough, otherwise minus."""
    value = value_of(int64(state.piece[seat, nth, 0]))
    return value if state.district_size[seat, district_of(state, seat, nth)] >= value else -value


@jitable
def skyscraper_points(state: State, seat: int, nth: int) -> int:
    """N-18: of several in one district the best counts, the others are nothing."""
    district = district_of(state, seat, nth)
    points = skyscraper_alone(state, seat, nth)
    if state.skyscrapers_in[seat, district] == 1:
        return points
    for other in range(state.piece_count[seat]):
        if state.piece[seat, other, 0] < SKYSCRAPERS and other != nth:
            same = district_of(state, seat, other) == district
            if same and skyscraper_alone(state, seat, other) > points:
                return 0
    return points


# --- buses


@jitable
def need_met_by(content: int) -> int:
    """What the content of a square is to a bus: one of the bits NEED_…, or 0."""
    if content == neoville.PARK:
        return neoville.NEED_PARK
    if content == neoville.SPORT:
        return neoville.NEED_SPORT
    if content < neoville.FIRST_PIECE:
        return 0
    is_skyscraper = content < neoville.FIRST_PIECE + SKYSCRAPERS
    return neoville.NEED_SKYSCRAPER if is_skyscraper else neoville.NEED_UTILITY


@jitable
def found_by_bus(state: State, seat: int, square: int, needs: int) -> int:
    """N-19: the things asked for in the row and the column of a square, itself left out."""
    found, row, col = 0, row_of_square(square), col_of_square(square)
    top, left = 2 * int64(state.box[seat, 0]), 2 * int64(state.box[seat, 2])
    for nth in range(2 * SIDE):
        for at in (square_at(row, left + nth), square_at(top + nth, col)):
            if at != square and need_met_by(int64(state.content[seat, at])) & needs:
                found += 1
    return found


# --- windmills


@jitable
def is_settled(state: State, seat: int, where: int) -> bool:
    """N-R4: whether the city is as wide or high as it will be, where that decides."""
    high = state.box[seat, 1] - state.box[seat, 0] + 1 == SIDE
    wide = state.box[seat, 3] - state.box[seat, 2] + 1 == SIDE
    return bool((wide, wide, high, high, wide and high, wide and high)[where])


@jitable
def is_where(state: State, seat: int, square: int, where: int) -> bool:
    """N-20: whether the tile of a square lies where a windmill wants to stand."""
    row, col = row_of_square(square) // 2, col_of_square(square) // 2
    top, bottom = row == state.box[seat, 0], row == state.box[seat, 1]
    left, right = col == state.box[seat, 2], col == state.box[seat, 3]
    corner = (left or right) and (top or bottom)
    centre = not (left or right or top or bottom)
    return bool((left, right, top, bottom, corner, centre)[where])


# --- biospheres


@jitable
def shape_of_district(state: State, seat: int, district: int) -> tuple[int, int, int]:
    """Its top row, left column, and squares as bits from there, four a row; NONE if it is wider."""
    first = square_at(2 * int64(state.box[seat, 0]), 2 * int64(state.box[seat, 2]))
    last = square_at(2 * int64(state.box[seat, 1]), 2 * int64(state.box[seat, 3])) + STRIDE + 1
    top, left, bits = STRIDE, STRIDE, 0
    for square in range(first, last + 1):
        if state.district[seat, square] == district:
            top, left = min(top, row_of_square(square)), min(left, col_of_square(square))
    for square in range(first, last + 1):
        if state.district[seat, square] == district:
            row, col = row_of_square(square) - top, col_of_square(square) - left
            if col >= SHAPE_SIDE:
                return top, left, NONE
            bits |= 1 << (row * SHAPE_SIDE + col)
    return top, left, bits


@jitable
def has_shape(state: State, tables: Any, seat: int, nth: int) -> bool:
    """N-21: whether the district of a biosphere has exactly its shape, however turned."""
    utility = int64(state.piece[seat, nth, 0]) - SKYSCRAPERS
    district = district_of(state, seat, nth)
    if state.district_size[seat, district] != tables.squares[utility]:
        return False
    shape = shape_of_district(state, seat, district)[2]
    found = False
    for turn in range(4):
        found |= tables.shapes[utility, turn] == shape
    return found


@jitable
def is_best_biosphere(state: State, tables: Any, seat: int, nth: int) -> bool:
    """N-21: of several that fit one district only the best counts; of equal ones the first."""
    points = int64(tables.points[int64(state.piece[seat, nth, 0]) - SKYSCRAPERS])
    for other in range(state.piece_count[seat]):
        rival = int64(state.piece[seat, other, 0]) - SKYSCRAPERS
        same = district_of(state, seat, other) == district_of(state, seat, nth)
        if rival < 0 or tables.kind[rival] != BIOSPHERE or not same:
            continue
        better = tables.points[rival] > points or (tables.points[rival] == points and other < nth)
        if better and has_shape(state, tables, seat, other):
            return False
    return True


# --- points


@jitable
def utility_points(state: State, tables: Any, seat: int, nth: int) -> int:
    """N-19 … N-21: plus its points or minus them; a windmill nothing until it is settled."""
    utility = int64(state.piece[seat, nth, 0]) - SKYSCRAPERS
    square = int64(state.piece[seat, nth, 1])
    kind, where = int64(tables.kind[utility]), int64(tables.where[utility])
    if kind == BUS:
        found = found_by_bus(state, seat, square, int64(tables.needs[utility]))
        met = found >= tables.count[utility]
    elif kind == BIOSPHERE:
        met = has_shape(state, tables, seat, nth) and is_best_biosphere(state, tables, seat, nth)
    elif is_settled(state, seat, where):
        met = is_where(state, seat, square, where)
    else:
        return 0
    return int64(tables.points[utility]) if met else -int64(tables.points[utility])


@jitable
def piece_points(state: State, tables: Any, seat: int, nth: int) -> int:
    """What a piece of a city brings or costs."""
    if state.piece[seat, nth, 0] < SKYSCRAPERS:
        return skyscraper_points(state, seat, nth)
    return utility_points(state, tables, seat, nth)


@jitable
def ground_points(state: State, seat: int, symbol: int) -> int:
    """N-22: five for the most parks or sports grounds, ties too; nothing for none, or alone."""
    own = state.grounds[seat, symbol]
    if state.players == 1 or own == 0:
        return 0
    for other in range(state.players):
        if state.grounds[other, symbol] > own:
            return 0
    return FOR_THE_MOST


@jitable
def seat_points(state: State, tables: Any, seat: int) -> int:
    """N-17 … N-22: what a seat has."""
    points = 0
    for nth in range(state.piece_count[seat]):
        points += piece_points(state, tables, seat, nth)
    for symbol in range(len(neoville.SYMBOLS)):
        points += ground_points(state, seat, symbol)
    return points


@jitable
def score(state: State, tables: Any, out: IntArray) -> None:
    """N-17 … N-22: each seat's points."""
    for seat in range(state.players):
        out[seat] = seat_points(state, tables, seat)


@jitable
def winners(state: State, tables: Any, out: IntArray) -> None:
    """N-23: most points; ties by the pieces in the city; then shared."""
    # By its verb and with the kind of array that others pass, so that it is compiled only once.
    points, pieces = np.zeros(4, np.int32), state.piece_count
    verbs.score(state, tables, points)
    for seat in range(state.players):
        out[seat] = True
        for other in range(state.players):
            if (points[other], pieces[other]) > (points[seat], pieces[seat]):
                out[seat] = False
