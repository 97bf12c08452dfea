"""What a position of Neoville promises: every open piece by the chance that its promise is kept.

A piece with the chance p of coming right is worth its points × (2p - 1), since it costs them
otherwise (N-17, N-19 … N-21).  The chances are rough: they look at the squares that a district, a
row or a column can still get, and at the tiles that are left to lay.
"""

import math
from typing import Any

import numpy as np

from storeys.games.neoville import scoring
from storeys.games.neoville import state as neoville
from storeys.games.neoville.state import NONE, SHAPE_SIDE, SIDE, SKYSCRAPERS, VALUES, State
from storeys.kernel.compiling import jitable
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles import grid
from storeys.kernel.tiles.cities import fitting_places

# These were tuned by playing alone.  How a district grows: squares from a place beside it, from a
# place behind that, from a tile.
FROM_BESIDE, FROM_BEHIND, FROM_A_TILE = 1.02, 0.29, 0.86
FROM_ALL_TILES = 3.8  # squares that one tile adds to all districts that want some
DOUBT, DOUBT_A_SQUARE = 0.49, 0.36
UNGUARDED = 0.47  # a skyscraper that could still be built, against one that stands
# How likely a square to come holds each of the NEEDS that a bus may ask for, with some care.
OF_NEEDS = (0.16, 0.24, 0.28, 0.33)
WINDMILL_KEPT = 0.25  # that the city grows as a windmill wants; low, as it ties one down
SHAPE_KEPT = 0.26  # that a square beside a finished shape is of another terrain
SHAPE_MADE = 0.19  # that a square which a shape lacks is of its terrain
LEAD, LEAD_A_TILE = 0.5, 0.15  # how sure a majority is
IN_HAND = 0.22  # a square in hand that a district wants
GROUND_IN_HAND = 0.13

COLUMNS_FROM = (0xFFFF, 0xEEEE, 0xCCCC, 0x8888)  # of the squares of a shape, those from a column on


# --- districts


@jitable
def room_at(room: int, square: int) -> int:
    """The bit of the place of a square if a tile may still come to lie there, otherwise 0."""
    place = grid.place_bit(grid.row_of_square(square) // 2, grid.col_of_square(square) // 2)
    return room & (1 << place) if 0 <= place < 64 else 0


@jitable
def look_around(state: State, seat: int, room: int, places: IntArray, sides: IntArray) -> None:
    """For each district the free places beside it, as bits, and its sides that are still open."""
    left = grid.beside(int64(state.places[seat])) & room
    while left != 0:
        corner = grid.square_of_place(grid.lowest_bit(left), 0)
        for nth in range(len(grid.AROUND)):
            district = int64(state.district[seat, corner + grid.AROUND[nth]])
            if district != NONE:
                places[district] |= left & -left
                sides[district] += 1
        left &= left - 1


@jitable
def growth_of(places: int, room: int, tiles: int, crowd: float) -> float:
    """How many squares a district may get from the free places beside it and behind those."""
    if places == 0:
        return 0.0
    behind = grid.beside(places) & room
    growth = FROM_BESIDE * grid.count_bits(places) + FROM_BEHIND * grid.count_bits(behind)
    return min(growth, FROM_A_TILE * tiles * (1 + 1 / tiles)) * crowd


@jitable
def crowd_of(state: State, seat: int, tiles: int) -> float:
    """How far the tiles to come suffice for all skyscrapers that want more squares."""
    wanted = 0
    for nth in range(state.piece_count[seat]):
        piece = int64(state.piece[seat, nth, 0])
        if piece < SKYSCRAPERS:
            size = int64(state.district_size[seat, scoring.district_of(state, seat, nth)])
            wanted += max(0, scoring.value_of(piece) - size)
    return min(1.0, FROM_ALL_TILES * tiles / max(wanted, 1))


@jitable
def skyscraper_promise(value: int, missing: int, growth: float) -> float:
    """N-17: plus or minus its value, by the squares that its district still wants."""
    if missing <= 0:
        return float(value)
    if growth == 0:
        return -float(value)
    chance = 1 / (1 + math.exp((missing - growth) / (DOUBT + DOUBT_A_SQUARE * missing)))
    return value * (2 * chance - 1)


@jitable
def unguarded_promise(state: State, seat: int, district: int, growth: float) -> float:
    """N-14: the best skyscraper of the supply that a district may still get with a later tile."""
    left = int64(state.skyscrapers[state.district_terrain[seat, district]])
    best = 0.0
    for nth in range(len(VALUES) - 1, -1, -1):
        missing = VALUES[nth] - int64(state.district_size[seat, district])
        # None promises more than its value, nor one that more likely fails than not anything.
        if (left >> nth) & 1 and best < VALUES[nth] and missing < max(growth, 1.0):
            best = max(best, skyscraper_promise(VALUES[nth], missing, growth))
    return UNGUARDED * best


# --- buses


@jitable
def bus_chance(state: State, tables: Any, seat: int, utility: int, square: int) -> float:
    """N-19: the chance that enough of the squares to come hold what a bus asks for."""
    needs = int64(tables.needs[utility])
    missing = int64(tables.count[utility]) - scoring.found_by_bus(state, seat, square, needs)
    if missing <= 0:
        return 1.0
    share = 0.0
    for nth in range(len(OF_NEEDS)):
        if (needs >> nth) & 1:
            share += OF_NEEDS[nth]
    return at_least(missing, squares_to_come(state, seat, square), share)


@jitable
def squares_to_come(state: State, seat: int, square: int) -> int:
    """How many squares of a row and a column have no tile yet; in the end each has eight."""
    row, col = grid.row_of_square(square) // 2, grid.col_of_square(square) // 2
    in_row = grid.places_within(row, row, -grid.REACH, grid.REACH) & int64(state.places[seat])
    in_col = grid.places_within(-grid.REACH, grid.REACH, col, col) & int64(state.places[seat])
    return 4 * SIDE - 2 * (grid.count_bits(in_row) + grid.count_bits(in_col))


@jitable
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


@jitable
def windmill_chance(state: State, seat: int, where: int, square: int) -> float:
    """N-20: the chance that a tile ends where a windmill wants to stand."""
    row, col = grid.row_of_square(square) // 2, grid.col_of_square(square) // 2
    above, below = row - int64(state.box[seat, 0]), int64(state.box[seat, 1]) - row
    before, after = col - int64(state.box[seat, 2]), int64(state.box[seat, 3]) - col
    left, right = edge_chance(before, after), edge_chance(after, before)
    top, bottom = edge_chance(above, below), edge_chance(below, above)
    corner = max(top, bottom) * max(left, right)
    centre = middle_chance(above, below) * middle_chance(before, after)
    return (left, right, top, bottom, corner, centre)[where]


@jitable
def edge_chance(tiles_to_edge: int, tiles_behind: int) -> float:
    """The chance that a tile at the edge of the city stays there, by the tiles on both sides."""
    if tiles_to_edge > 0:
        return 0.0
    return 1.0 if tiles_behind == SIDE - 1 else WINDMILL_KEPT


@jitable
def middle_chance(one: int, other: int) -> float:
    """The chance that a tile ends in the middle, by the tiles on its two sides."""
    if max(one, other) == SIDE - 1:
        return 0.0
    return 1.0 if min(one, other) > 0 else WINDMILL_KEPT


# --- biospheres


@jitable
def biosphere_chance(
    state: State, tables: Any, seat: int, nth: int, sides: int, room: int
) -> float:
    """N-21: the chance that a district gets, or keeps, the shape of a biosphere."""
    utility = int64(state.piece[seat, nth, 0]) - SKYSCRAPERS
    district = scoring.district_of(state, seat, nth)
    missing = int64(tables.squares[utility]) - int64(state.district_size[seat, district])
    if missing < 0 or (missing > 0 and sides == 0) or has_rival(state, tables, seat, nth):
        return 0.0
    top, left, bits = scoring.shape_of_district(state, seat, district)
    for turn in range(4):
        shape = int64(tables.shapes[utility, turn])
        if bits != NONE and shape_can_be(shape, top, left, bits, room):
            return float(SHAPE_MADE**missing * SHAPE_KEPT ** max(0, sides - missing))
    return 0.0


@jitable
def shape_can_be(shape: int, top: int, left: int, bits: int, room: int) -> bool:
    """Whether a shape covers a district and otherwise only squares where a tile may come."""
    for corner in range(SHAPE_SIDE * SHAPE_SIDE):
        row, col = divmod(corner, SHAPE_SIDE)
        covers = bits & ~((shape & COLUMNS_FROM[col]) >> corner) == 0
        rest = shape & ~(bits << corner) if covers else 0
        while rest != 0 and covers:
            nth = grid.lowest_bit(rest)
            square = grid.square_at(top + nth // SHAPE_SIDE - row, left + nth % SHAPE_SIDE - col)
            covers = room_at(room, square) != 0
            rest &= rest - 1
        if covers:
            return True
    return False


@jitable
def has_rival(state: State, tables: Any, seat: int, nth: int) -> bool:
    """N-21: whether a biosphere of the same district stands earlier, or counts instead."""
    for earlier in range(nth):
        rival = int64(state.piece[seat, earlier, 0]) - SKYSCRAPERS
        same = scoring.district_of(state, seat, earlier) == scoring.district_of(state, seat, nth)
        if same and rival >= 0 and tables.kind[rival] == neoville.BIOSPHERE:
            return True
    return not scoring.is_best_biosphere(state, tables, seat, nth)


# --- points


@jitable
def utility_promise(
    state: State, tables: Any, seat: int, nth: int, sides: int, room: int, tiles: int
) -> float:
    """N-19 … N-21: plus or minus its points, by the chance that it comes right."""
    if tiles == 0:
        return float(scoring.utility_points(state, tables, seat, nth))
    utility = int64(state.piece[seat, nth, 0]) - SKYSCRAPERS
    square = int64(state.piece[seat, nth, 1])
    kind = int64(tables.kind[utility])
    if kind == neoville.BUS:
        chance = bus_chance(state, tables, seat, utility, square)
    elif kind == neoville.WINDMILL:
        chance = windmill_chance(state, seat, int64(tables.where[utility]), square)
    else:
        chance = biosphere_chance(state, tables, seat, nth, sides, room)
    return int64(tables.points[utility]) * (2 * chance - 1)


@jitable
def ground_promise(state: State, seat: int, symbol: int, tiles: int) -> float:
    """N-22: five for the most, by how far ahead a seat is and how much is still to come."""
    if state.players == 1 or tiles == 0:
        return float(scoring.ground_points(state, seat, symbol))
    own, most = int64(state.grounds[seat, symbol]), 0
    for other in range(state.players):
        if other != seat:
            most = max(most, int64(state.grounds[other, symbol]))
    ahead = own - most + 0.5
    return scoring.FOR_THE_MOST / (1 + math.exp(-ahead / (LEAD + LEAD_A_TILE * tiles)))


@jitable
def hand_promise(state: State, tables: Any, seat: int, wanted: IntArray) -> float:
    """How well the tiles that are known of a hand serve the districts that want squares."""
    promised = 0.0
    for slot in range(state.hands.shape[1]):
        tile = int64(state.hands[seat, slot])
        if tile == NONE:
            continue
        for terrain in range(len(neoville.TERRAINS)):
            count = 0
            for nth in range(4):
                count += tables.terrain[tile, 0, nth] == terrain
            promised += IN_HAND * min(float(count), wanted[terrain])
        for nth in range(4):
            if tables.symbol[tile, 0, nth]:
                promised += GROUND_IN_HAND
    return promised


@jitable
def evaluate_seat(state: State, tables: Any, seat: int) -> float:
    """N-17 … N-22 with what is still open taken by its chances; exact once the city is full."""
    places, sides = np.zeros(neoville.DISTRICTS, np.int64), np.zeros(neoville.DISTRICTS, np.int64)
    wanted = np.zeros(len(neoville.TERRAINS))
    tiles = neoville.ROUNDS - int64(state.laid_count[seat])
    fitting = fitting_places(state, seat, SIDE, SIDE)
    room = fitting & ~int64(state.places[seat])  # N-11: where a tile may still come to lie
    look_around(state, seat, room, places, sides)
    crowd = crowd_of(state, seat, tiles)
    promised = 0.0
    for nth in range(state.piece_count[seat]):
        piece, district = int64(state.piece[seat, nth, 0]), scoring.district_of(state, seat, nth)
        if piece >= SKYSCRAPERS:
            promised += utility_promise(state, tables, seat, nth, sides[district], room, tiles)
            continue
        value = scoring.value_of(piece)
        missing = value - int64(state.district_size[seat, district])
        if missing > 0 and places[district] != 0:
            wanted[piece // len(VALUES)] += missing
        if state.skyscrapers_in[seat, district] > 1:
            promised += scoring.skyscraper_points(state, seat, nth)
        else:
            growth = growth_of(places[district], room, tiles, crowd)
            promised += skyscraper_promise(value, missing, growth)
    for district in range(4 * int64(state.laid_count[seat])):
        if places[district] != 0 and state.skyscrapers_in[seat, district] == 0:
            growth = growth_of(places[district], room, tiles, crowd)
            promised += unguarded_promise(state, seat, district, growth)
    for symbol in range(len(neoville.SYMBOLS)):
        promised += ground_promise(state, seat, symbol, tiles)
    if tiles > 0:
        promised += hand_promise(state, tables, seat, wanted)
    return promised
