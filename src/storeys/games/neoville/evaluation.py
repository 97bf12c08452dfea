"""What a position of Neoville promises: every open piece by the chance that its promise is kept.

A piece with the chance p of coming right is worth its points × (2p - 1), since it costs them
otherwise (N-17, N-19 … N-21).  The chances are rough: they look at the squares that a district, a
row or a column can still get, and at the tiles that are left to lay.
"""

import math
from typing import Any

import numpy as np

from storeys.games.neoville.scoring import (
    FOR_THE_MOST,
    found_by_bus,
    is_best_biosphere,
    is_settled,
    is_where,
    skyscraper_points,
    utility_points,
    value_of,
)
from storeys.games.neoville.state import (
    BIOSPHERE,
    BOTTOM,
    BUS,
    CENTRE,
    CORNER,
    DISTRICTS,
    LEFT,
    NEED_PARK,
    NEED_SKYSCRAPER,
    NEED_SPORT,
    NEED_UTILITY,
    NO_TILE,
    NONE,
    RIGHT,
    ROUNDS,
    SHAPE_SIDE,
    SIDE,
    SKYSCRAPERS,
    SYMBOLS,
    TERRAINS,
    TOP,
    VALUES,
    State,
)
from storeys.kernel.compiling import jit, jitable
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles.cities import fitting_places
from storeys.kernel.tiles.grid import (
    STRIDE,
    beside,
    col_of_square,
    count_bits,
    place_bit,
    row_of_square,
    square_at,
)

# These were tuned by playing alone.  How a district grows: squares from a place beside it, from a
# place behind that, from a tile.
FROM_BESIDE, FROM_BEHIND, FROM_A_TILE = 1.02, 0.29, 0.86
FROM_ALL_TILES = 3.8  # squares that one tile adds to all districts that want some
DOUBT, DOUBT_A_SQUARE = 0.49, 0.36
UNGUARDED = 0.47  # a skyscraper that could still be built, against one that stands
# How likely a square to come holds what a bus asks for, with some care.
OF_PARKS, OF_SPORTS, OF_SKYSCRAPERS, OF_UTILITIES = 0.16, 0.24, 0.28, 0.33
WINDMILL_KEPT = 0.25  # that the city grows as a windmill wants; low, as it ties one down
SHAPE_KEPT = 0.26  # that a square beside a finished shape is of another terrain
SHAPE_MADE = 0.19  # that a square which a shape lacks is of its terrain
LEAD, LEAD_A_TILE = 0.5, 0.15  # how sure a majority is
IN_HAND = 0.22  # a square in hand that a district wants
GROUND_IN_HAND = 0.13


# --- districts


@jit
def look_around(state: State, seat: int, beside_it: IntArray, sides: IntArray) -> None:
    """For each district the free places beside it, as bits, and its sides that are still open."""
    beside_it[:] = 0
    sides[:] = 0
    room = free_room(state, seat)
    if room == 0 or state.laid_count[seat] == 0:
        return
    left, right = 2 * int64(state.box[seat, 2]), 2 * int64(state.box[seat, 3]) + 1
    for row in range(2 * int64(state.box[seat, 0]), 2 * int64(state.box[seat, 1]) + 2):
        for square in range(square_at(row, left), square_at(row, right) + 1):
            district = int64(state.district[seat, square])
            if district == NONE:
                continue
            for step in (-STRIDE, -1, 1, STRIDE):
                at = square + step
                if state.terrain[seat, at] == NO_TILE and has_room(room, at):
                    beside_it[district] |= 1 << place_of_square(at)
                    sides[district] += 1


@jitable
def place_of_square(square: int) -> int:
    """The number of the tile place of a square."""
    return place_bit(row_of_square(square) // 2, col_of_square(square) // 2)


@jitable
def has_room(room: int, square: int) -> bool:
    """Whether a square is at one of these places; above the window there is none to ask for."""
    place = place_of_square(square)
    return place >= 0 and (room >> place) & 1 == 1


@jitable
def free_room(state: State, seat: int) -> int:
    """N-11: the bits of all places where a tile may still come to lie."""
    return fitting_places(state, seat, SIDE, SIDE) & ~int64(state.places[seat])


@jit
def chance_to_grow(missing: int, places: int, room: int, tiles: int, crowd: float) -> float:
    """How likely a district gets so many squares more."""
    if missing <= 0:
        return 1.0
    if places == 0 or tiles == 0:
        return 0.0
    behind = beside(places) & room
    growth = FROM_BESIDE * count_bits(places) + FROM_BEHIND * count_bits(behind)
    growth = min(growth, FROM_A_TILE * tiles * (1 + 1 / tiles)) * crowd
    return 1 / (1 + math.exp((missing - growth) / (DOUBT + DOUBT_A_SQUARE * missing)))


@jit
def crowd_of(state: State, seat: int, tiles: int) -> float:
    """How far the tiles to come suffice for all skyscrapers that want more squares."""
    wanted = 0
    for nth in range(state.piece_count[seat]):
        piece = int64(state.piece[seat, nth, 0])
        if piece < SKYSCRAPERS:
            district = int64(state.district[seat, state.piece[seat, nth, 1]])
            wanted += max(0, value_of(piece) - int64(state.district_size[seat, district]))
    return min(1.0, FROM_ALL_TILES * tiles / max(wanted, 1))


@jit
def skyscraper_promise(
    state: State, seat: int, nth: int, places: int, room: int, tiles: int, crowd: float
) -> float:
    """N-17: plus or minus its value, by the squares that the district still wants."""
    district = int64(state.district[seat, state.piece[seat, nth, 1]])
    if state.skyscrapers_in[seat, district] > 1:
        return float(skyscraper_points(state, seat, nth))
    value = value_of(int64(state.piece[seat, nth, 0]))
    missing = value - int64(state.district_size[seat, district])
    return value * (2 * chance_to_grow(missing, places, room, tiles, crowd) - 1)


@jit
def unguarded_promise(
    state: State, seat: int, district: int, places: int, room: int, tiles: int, crowd: float
) -> float:
    """N-14: the best skyscraper of the supply that a district may still get with a later tile."""
    if places == 0 or tiles == 0:
        return 0.0
    left = int64(state.skyscrapers[state.district_terrain[seat, district]])
    best = 0.0
    for nth in range(len(VALUES)):
        if (left >> nth) & 1:
            missing = VALUES[nth] - int64(state.district_size[seat, district])
            chance = chance_to_grow(missing, places, room, tiles, crowd)
            best = max(best, VALUES[nth] * (2 * chance - 1))
    return UNGUARDED * best


# --- buses


@jit
def bus_chance(state: State, tables: Any, seat: int, utility: int, square: int) -> float:
    """N-19: the chance that enough of the squares to come hold what a bus asks for."""
    needs = int64(tables.needs[utility])
    missing = int64(tables.count[utility]) - found_by_bus(state, seat, square, needs)
    if missing <= 0:
        return 1.0
    share = 0.0
    if needs & NEED_PARK:
        share += OF_PARKS
    if needs & NEED_SPORT:
        share += OF_SPORTS
    if needs & NEED_SKYSCRAPER:
        share += OF_SKYSCRAPERS
    if needs & NEED_UTILITY:
        share += OF_UTILITIES
    return at_least(missing, squares_to_come(state, seat, square), share)


@jit
def squares_to_come(state: State, seat: int, square: int) -> int:
    """How many squares of a row and a column have no tile yet; in the end each has eight."""
    row, col = row_of_square(square), col_of_square(square)
    left = 4 * SIDE
    for c in range(2 * int64(state.box[seat, 2]), 2 * int64(state.box[seat, 3]) + 2):
        left -= state.terrain[seat, square_at(row, c)] != NO_TILE
    for r in range(2 * int64(state.box[seat, 0]), 2 * int64(state.box[seat, 1]) + 2):
        left -= state.terrain[seat, square_at(r, col)] != NO_TILE
    return left


@jit
def at_least(wanted: int, tries: int, share: float) -> float:
    """The chance of at least so many hits, each try being one with the same chance."""
    if wanted > tries:
        return 0.0
    exactly = (1 - share) ** tries
    fewer = 0.0
    for hits in range(wanted):
        fewer += exactly
        exactly *= (tries - hits) / (hits + 1) * share / (1 - share)
    return 1 - fewer


# --- windmills


@jit
def windmill_chance(state: State, seat: int, where: int, square: int) -> float:
    """N-20: the chance that a tile ends where a windmill wants to stand."""
    if is_settled(state, seat, where):
        return 1.0 if is_where(state, seat, square, where) else 0.0
    row, col = row_of_square(square) // 2, col_of_square(square) // 2
    above, below = row - int64(state.box[seat, 0]), int64(state.box[seat, 1]) - row
    before, after = col - int64(state.box[seat, 2]), int64(state.box[seat, 3]) - col
    if where == LEFT:
        return edge_chance(before, after)
    if where == RIGHT:
        return edge_chance(after, before)
    if where == TOP:
        return edge_chance(above, below)
    if where == BOTTOM:
        return edge_chance(below, above)
    if where == CORNER:
        rows = max(edge_chance(above, below), edge_chance(below, above))
        return rows * max(edge_chance(before, after), edge_chance(after, before))
    if where == CENTRE:
        return middle_chance(above, below) * middle_chance(before, after)
    return 0.5


@jitable
def edge_chance(tiles_to_edge: int, tiles_behind: int) -> float:
    """The chance that a tile at the edge of the city stays there, by the tiles on both sides."""
    if tiles_to_edge > 0:
        return 0.0
    return 1.0 if tiles_behind == SIDE - 1 else WINDMILL_KEPT


@jitable
def middle_chance(one: int, other: int) -> float:
    """The chance that a tile ends in the middle, by the tiles on its two sides."""
    if one > 2 or other > 2:
        return 0.0
    if one >= 1 and other >= 1:
        return 1.0
    return 0.0 if one + other == SIDE - 1 else WINDMILL_KEPT


# --- biospheres


@jit
def biosphere_chance(
    state: State, tables: Any, seat: int, utility: int, square: int, sides: int, room: int
) -> float:
    """N-21: the chance that a district gets, or keeps, the shape of a biosphere."""
    district = int64(state.district[seat, square])
    missing = int64(tables.squares[utility]) - int64(state.district_size[seat, district])
    if missing < 0 or (missing > 0 and sides == 0):
        return 0.0
    top, left, bits = where_district(state, seat, district)
    if bits == NONE:
        return 0.0
    for turn in range(4):
        shape = int64(tables.shapes[utility, turn])
        if shape_can_be(state, seat, shape, top, left, bits, room):
            others = max(0, sides - missing)
            return float(SHAPE_MADE**missing * SHAPE_KEPT**others)
    return 0.0


@jit
def where_district(state: State, seat: int, district: int) -> tuple[int, int, int]:
    """Top row, left column and squares of a district, as bits of 4×4; NONE if it is larger."""
    top, bottom = 2 * int64(state.box[seat, 0]), 2 * int64(state.box[seat, 1]) + 1
    left, right = 2 * int64(state.box[seat, 2]), 2 * int64(state.box[seat, 3]) + 1
    first_row, first_col, bits = bottom, right, 0
    for row in range(top, bottom + 1):
        for col in range(left, right + 1):
            if state.district[seat, square_at(row, col)] == district:
                first_row, first_col = min(first_row, row), min(first_col, col)
    for row in range(first_row, bottom + 1):
        for col in range(first_col, right + 1):
            if state.district[seat, square_at(row, col)] == district:
                if row - first_row >= SHAPE_SIDE or col - first_col >= SHAPE_SIDE:
                    return 0, 0, NONE
                bits |= 1 << ((row - first_row) * SHAPE_SIDE + col - first_col)
    return first_row, first_col, bits


@jit
def shape_can_be(
    state: State, seat: int, shape: int, top: int, left: int, bits: int, room: int
) -> bool:
    """Whether a shape covers a district and otherwise only squares without a tile."""
    for down in range(SHAPE_SIDE):
        for over in range(SHAPE_SIDE):
            fits, covered = True, 0
            for nth in range(SHAPE_SIDE * SHAPE_SIDE):
                if not (shape >> nth) & 1:
                    continue
                row, col = nth // SHAPE_SIDE - down, nth % SHAPE_SIDE - over
                inside = 0 <= row < SHAPE_SIDE and 0 <= col < SHAPE_SIDE
                if inside and (bits >> (row * SHAPE_SIDE + col)) & 1:
                    covered += 1
                else:
                    at = square_at(top + row, left + col)
                    free = state.terrain[seat, at] == NO_TILE
                    fits &= free and has_room(room, at)
            if fits and covered == count_bits(bits):
                return True
    return False


# --- points


@jit
def utility_promise(
    state: State, tables: Any, seat: int, nth: int, sides: int, room: int, tiles: int
) -> float:
    """N-19 … N-21: plus or minus its points, by the chance that it comes right."""
    if tiles == 0:
        return float(utility_points(state, tables, seat, nth))
    utility = int64(state.piece[seat, nth, 0]) - SKYSCRAPERS
    square = int64(state.piece[seat, nth, 1])
    kind = int64(tables.kind[utility])
    if kind == BUS:
        chance = bus_chance(state, tables, seat, utility, square)
    elif kind == BIOSPHERE:
        chance = biosphere_chance(state, tables, seat, utility, square, sides, room)
        if not is_best_biosphere(state, tables, seat, nth) or rivals(state, tables, seat, nth):
            chance = 0.0
    else:
        chance = windmill_chance(state, seat, int64(tables.where[utility]), square)
    return float(int64(tables.points[utility]) * (2 * chance - 1))


@jit
def rivals(state: State, tables: Any, seat: int, nth: int) -> bool:
    """N-21: whether an earlier biosphere stands in the same district."""
    district = state.district[seat, state.piece[seat, nth, 1]]
    for earlier in range(nth):
        rival = int64(state.piece[seat, earlier, 0]) - SKYSCRAPERS
        same = state.district[seat, state.piece[seat, earlier, 1]] == district
        if same and rival >= 0 and tables.kind[rival] == BIOSPHERE:
            return True
    return False


@jit
def ground_promise(state: State, seat: int, symbol: int, tiles: int) -> float:
    """N-22: five for the most, by how far ahead a seat is and how much is still to come."""
    if state.players == 1:
        return 0.0
    own, most = int64(state.grounds[seat, symbol]), 0
    for other in range(state.players):
        if other != seat:
            most = max(most, int64(state.grounds[other, symbol]))
    if tiles == 0:
        return float(FOR_THE_MOST) if own >= most and own > 0 else 0.0
    ahead = own - most + 0.5
    return FOR_THE_MOST / (1 + math.exp(-ahead / (LEAD + LEAD_A_TILE * tiles)))


@jit
def hand_promise(state: State, tables: Any, seat: int, wanted: IntArray) -> float:
    """How well the tiles that are known of a hand serve the districts that want squares."""
    promised = 0.0
    for slot in range(state.hands.shape[1]):
        tile = int64(state.hands[seat, slot])
        if tile == NONE:
            continue
        for terrain in range(len(TERRAINS)):
            count = 0
            for nth in range(4):
                count += tables.terrain[tile, 0, nth] == terrain
            promised += IN_HAND * min(float(count), wanted[terrain])
        for nth in range(4):
            if tables.symbol[tile, 0, nth]:
                promised += GROUND_IN_HAND
    return promised


@jit
def city_promise(
    state: State, tables: Any, seat: int, beside_it: IntArray, sides: IntArray, wanted: IntArray
) -> float:
    """What the pieces of a city, and the districts without one, are likely to bring."""
    tiles = ROUNDS - int64(state.laid_count[seat])
    room = free_room(state, seat) if tiles > 0 else 0
    crowd = crowd_of(state, seat, tiles)
    look_around(state, seat, beside_it, sides)
    wanted[:] = 0
    promised = 0.0
    for nth in range(state.piece_count[seat]):
        piece = int64(state.piece[seat, nth, 0])
        district = int64(state.district[seat, state.piece[seat, nth, 1]])
        places, open_sides = int64(beside_it[district]), int64(sides[district])
        if piece < SKYSCRAPERS:
            promised += skyscraper_promise(state, seat, nth, places, room, tiles, crowd)
            missing = value_of(piece) - int64(state.district_size[seat, district])
            if missing > 0 and places != 0:
                wanted[piece // len(VALUES)] += missing
        else:
            promised += utility_promise(state, tables, seat, nth, open_sides, room, tiles)
    for district in range(4 * int64(state.laid_count[seat])):
        free = state.skyscrapers_in[seat, district] == 0
        if state.district_size[seat, district] > 0 and free:
            places = int64(beside_it[district])
            promised += unguarded_promise(state, seat, district, places, room, tiles, crowd)
    for symbol in range(len(SYMBOLS)):
        promised += ground_promise(state, seat, symbol, tiles)
    if tiles > 0:
        promised += hand_promise(state, tables, seat, wanted)
    return promised


# --- the verb


@jit
def evaluate(state: State, tables: Any, out: IntArray) -> None:
    """N-17 … N-22 with what is still open taken by its chances; exact once a city is full."""
    beside_it = np.zeros(DISTRICTS, np.int64)
    sides = np.zeros(DISTRICTS, np.int64)
    wanted = np.zeros(len(TERRAINS))
    for seat in range(state.players):
        out[seat] = city_promise(state, tables, seat, beside_it, sides, wanted)
