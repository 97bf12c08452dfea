"""Neoville's scoring (N-17 … N-23), as if the cities ended now (N-R4)."""

from typing import Any

import numpy as np

from storeys.games.neoville.state import (
    BIOSPHERE,
    BOTTOM,
    BUS,
    CORNER,
    FIRST_PIECE,
    LEFT,
    NEED_PARK,
    NEED_SKYSCRAPER,
    NEED_SPORT,
    NEED_UTILITY,
    NONE,
    PARK,
    RIGHT,
    SHAPE_SIDE,
    SIDE,
    SKYSCRAPERS,
    SPORT,
    SYMBOLS,
    TOP,
    VALUES,
    State,
)
from storeys.kernel import verbs
from storeys.kernel.compiling import jit, jitable
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles.grid import col_of_square, row_of_square, square_at

FOR_THE_MOST = 5


# --- skyscrapers


@jitable
def value_of(piece: int) -> int:
    """The value of a skyscraper."""
    return VALUES[piece % len(VALUES)]


@jitable
def skyscraper_alone(state: State, seat: int, nth: int) -> int:
    """N-17: plus its value in a district that is large enough, otherwise minus."""
    district = int64(state.district[seat, state.piece[seat, nth, 1]])
    value = value_of(int64(state.piece[seat, nth, 0]))
    return value if state.district_size[seat, district] >= value else -value


@jit
def skyscraper_points(state: State, seat: int, nth: int) -> int:
    """N-18: of several in one district the best counts, the others are nothing."""
    district = state.district[seat, state.piece[seat, nth, 1]]
    points = skyscraper_alone(state, seat, nth)
    if state.skyscrapers_in[seat, district] == 1:
        return points
    for other in range(state.piece_count[seat]):
        if state.piece[seat, other, 0] < SKYSCRAPERS and other != nth:
            same = state.district[seat, state.piece[seat, other, 1]] == district
            if same and skyscraper_alone(state, seat, other) > points:
                return 0
    return points


# --- buses


@jitable
def need_met_by(content: int) -> int:
    """What the content of a square is to a bus: one of the bits NEED_…, or 0."""
    if content == PARK:
        return NEED_PARK
    if content == SPORT:
        return NEED_SPORT
    if content < FIRST_PIECE:
        return 0
    return NEED_SKYSCRAPER if content < FIRST_PIECE + SKYSCRAPERS else NEED_UTILITY


@jit
def found_by_bus(state: State, seat: int, square: int, needs: int) -> int:
    """N-19: the things asked for in the row and the column of a square, itself left out."""
    found = 0
    row, col = row_of_square(square), col_of_square(square)
    for c in range(2 * int64(state.box[seat, 2]), 2 * int64(state.box[seat, 3]) + 2):
        if c != col and need_met_by(int64(state.content[seat, square_at(row, c)])) & needs:
            found += 1
    for r in range(2 * int64(state.box[seat, 0]), 2 * int64(state.box[seat, 1]) + 2):
        if r != row and need_met_by(int64(state.content[seat, square_at(r, col)])) & needs:
            found += 1
    return found


# --- windmills


@jitable
def is_settled(state: State, seat: int, where: int) -> bool:
    """N-R4: whether the city is as wide or high as it will be, where that decides."""
    high = state.box[seat, 1] - state.box[seat, 0] + 1 == SIDE
    wide = state.box[seat, 3] - state.box[seat, 2] + 1 == SIDE
    if where in (LEFT, RIGHT):
        return bool(wide)
    if where in (TOP, BOTTOM):
        return bool(high)
    return bool(wide and high)


@jitable
def is_where(state: State, seat: int, square: int, where: int) -> bool:
    """N-20: whether the tile of a square lies where a windmill wants to stand."""
    row = row_of_square(square) // 2 - int64(state.box[seat, 0])
    col = col_of_square(square) // 2 - int64(state.box[seat, 2])
    last_row = int64(state.box[seat, 1]) - int64(state.box[seat, 0])
    last_col = int64(state.box[seat, 3]) - int64(state.box[seat, 2])
    if where == LEFT:
        return col == 0
    if where == RIGHT:
        return col == last_col
    if where == TOP:
        return row == 0
    if where == BOTTOM:
        return row == last_row
    on_edge_row, on_edge_col = row in (0, last_row), col in (0, last_col)
    if where == CORNER:
        return on_edge_row and on_edge_col
    return not on_edge_row and not on_edge_col


# --- biospheres


@jit
def shape_of_district(state: State, seat: int, district: int) -> int:
    """The squares of a district as bits from its top left, four a row, or NONE if it is wider."""
    top, bottom = 2 * int64(state.box[seat, 0]), 2 * int64(state.box[seat, 1]) + 1
    left, right = 2 * int64(state.box[seat, 2]), 2 * int64(state.box[seat, 3]) + 1
    first_row, first_col = bottom, right
    for row in range(top, bottom + 1):
        for col in range(left, right + 1):
            if state.district[seat, square_at(row, col)] == district:
                first_row, first_col = min(first_row, row), min(first_col, col)
    bits = 0
    for row in range(first_row, bottom + 1):
        for col in range(first_col, right + 1):
            if state.district[seat, square_at(row, col)] == district:
                if col - first_col >= SHAPE_SIDE:
                    return NONE
                bits |= 1 << ((row - first_row) * SHAPE_SIDE + col - first_col)
    return bits


@jit
def has_shape(state: State, tables: Any, seat: int, utility: int, square: int) -> bool:
    """N-21: whether the district of a square has exactly a biosphere's shape, however turned."""
    district = int64(state.district[seat, square])
    if state.district_size[seat, district] != tables.squares[utility]:
        return False
    shape = shape_of_district(state, seat, district)
    found = False
    for turn in range(4):
        found |= tables.shapes[utility, turn] == shape
    return found


@jit
def is_best_biosphere(state: State, tables: Any, seat: int, nth: int) -> bool:
    """N-21: of several that fit one district only the best counts; of equal ones the first."""
    utility = int64(state.piece[seat, nth, 0]) - SKYSCRAPERS
    district = state.district[seat, state.piece[seat, nth, 1]]
    for other in range(state.piece_count[seat]):
        rival = int64(state.piece[seat, other, 0]) - SKYSCRAPERS
        square = int64(state.piece[seat, other, 1])
        if rival < 0 or other == nth or state.district[seat, square] != district:
            continue
        if tables.kind[rival] == BIOSPHERE and has_shape(state, tables, seat, rival, square):
            if tables.points[rival] > tables.points[utility]:
                return False
            if tables.points[rival] == tables.points[utility] and other < nth:
                return False
    return True


# --- points


@jit
def utility_points(state: State, tables: Any, seat: int, nth: int) -> int:
    """N-19 … N-21: plus its points or minus them; a windmill nothing until it is settled."""
    utility = int64(state.piece[seat, nth, 0]) - SKYSCRAPERS
    square = int64(state.piece[seat, nth, 1])
    kind, points = int64(tables.kind[utility]), int64(tables.points[utility])
    if kind == BUS:
        needs = int64(tables.needs[utility])
        met = found_by_bus(state, seat, square, needs) >= tables.count[utility]
    elif kind == BIOSPHERE:
        met = has_shape(state, tables, seat, utility, square) and is_best_biosphere(
            state, tables, seat, nth
        )
    else:
        where = int64(tables.where[utility])
        if not is_settled(state, seat, where):
            return 0
        met = is_where(state, seat, square, where)
    return points if met else -points


@jit
def piece_points(state: State, tables: Any, seat: int, nth: int) -> int:
    """What a piece of a city brings or costs."""
    if state.piece[seat, nth, 0] < SKYSCRAPERS:
        return skyscraper_points(state, seat, nth)
    return utility_points(state, tables, seat, nth)


@jit
def ground_points(state: State, seat: int, symbol: int) -> int:
    """N-22: five for the most parks or sports grounds, ties too; nothing for none, or alone."""
    own = state.grounds[seat, symbol]
    if state.players == 1 or own == 0:
        return 0
    for other in range(state.players):
        if state.grounds[other, symbol] > own:
            return 0
    return FOR_THE_MOST


@jit
def score(state: State, tables: Any, out: IntArray) -> None:
    """N-17 … N-22: each seat's points."""
    for seat in range(state.players):
        points = 0
        for nth in range(state.piece_count[seat]):
            points += piece_points(state, tables, seat, nth)
        for symbol in range(len(SYMBOLS)):
            points += ground_points(state, seat, symbol)
        out[seat] = points


@jit
def winners(state: State, tables: Any, out: IntArray) -> None:
    """N-23: most points; ties by the pieces in the city; then shared."""
    # By its verb and with the kind of array that others pass, so that it is compiled only once.
    points = np.zeros(4, np.int32)
    verbs.score(state, tables, points)
    for seat in range(state.players):
        out[seat] = True
        for other in range(state.players):
            if points[other] > points[seat]:
                out[seat] = False
            if points[other] == points[seat] and state.piece_count[other] > state.piece_count[seat]:
                out[seat] = False
