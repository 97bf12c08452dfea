"""Neoville's observation tensor: what a seat may know, plane by plane, its own city first.

A city is seen through a window of 8×8 squares whose top left is that of the city's bounding box,
just as actions name places; seats count from the seat itself.
"""

from typing import Any

from storeys.games.neoville.state import (
    KINDS,
    NO_TILE,
    PHASES,
    ROUNDS,
    ROW,
    SIDE,
    SKYSCRAPERS,
    SYMBOLS,
    TERRAINS,
    TILES,
    UTILITIES,
    VALUES,
    State,
)  # fmt: skip
from storeys.kernel.compiling import jitable
from storeys.kernel.observing import Number, Numbers, Observation, Plane, Written
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles.cities import BUILD, DRAW
from storeys.kernel.tiles.grid import (
    col_of_place,
    col_of_square,
    row_of_place,
    row_of_square,
    square_at,
)  # fmt: skip
from storeys.kernel.tiles.observation import PLAYERS, draft_parts, turn_parts

WINDOW_SIDE = 2 * SIDE
WINDOW = WINDOW_SIDE * WINDOW_SIDE
VALUE_SCALE, POINTS_SCALE = 12, 8

# Where the planes of the cities begin, in windows of 8×8.
SYMBOL_AT = 4 * len(TERRAINS)
DISTRICT_AT = SYMBOL_AT + 4 * len(SYMBOLS)
GUARDED_AT = DISTRICT_AT + 4
SKYSCRAPER_AT = GUARDED_AT + 4
UTILITY_AT = SKYSCRAPER_AT + 4
NEW_TILE_AT = UTILITY_AT + 4 * len(KINDS)
# And where the others do.
UTILITY_SEAT = (NEW_TILE_AT + 4) * WINDOW
UTILITY_ROW = UTILITY_SEAT + UTILITIES * 4
UTILITY_COL = UTILITY_ROW + UTILITIES * WINDOW_SIDE
UTILITIES_LEFT = UTILITY_COL + UTILITIES * WINDOW_SIDE
SKYSCRAPERS_LEFT = UTILITIES_LEFT + UTILITIES


@jitable
def observe_cities(state: State, tables: Any, seat: int, out: IntArray, at: int) -> None:
    """The planes of the cities, which come first, the viewer's own city before the others."""
    for nth in range(state.players):
        other = (max(seat, 0) + nth) % state.players
        observe_squares(state, other, nth, out)
        observe_pieces(state, tables, other, nth, out)


@jitable
def observe_squares(state: State, seat: int, nth: int, out: IntArray) -> None:
    """Terrains, symbols and districts of one seat's city, and its new tile."""
    top, left = 2 * int64(state.box[seat, 0]), 2 * int64(state.box[seat, 2])
    for row in range(2 * (int64(state.box[seat, 1]) - int64(state.box[seat, 0]) + 1)):
        for col in range(2 * (int64(state.box[seat, 3]) - int64(state.box[seat, 2]) + 1)):
            square = square_at(top + row, left + col)
            terrain = int64(state.terrain[seat, square])
            if terrain == NO_TILE:
                continue
            at = row * WINDOW_SIDE + col
            out[(nth * len(TERRAINS) + terrain) * WINDOW + at] = 1
            symbol = int64(state.content[seat, square]) - 1
            if 0 <= symbol < len(SYMBOLS):
                out[(SYMBOL_AT + nth * len(SYMBOLS) + symbol) * WINDOW + at] = 1
            district = state.district[seat, square]
            size = state.district_size[seat, district]
            out[(DISTRICT_AT + nth) * WINDOW + at] = size / VALUE_SCALE
            guarded = state.skyscrapers_in[seat, district] > 0
            out[(GUARDED_AT + nth) * WINDOW + at] = 1 if guarded else 0
    if seat == state.to_move and state.phase in (BUILD, DRAW):
        place = int64(state.laid[seat, int64(state.laid_count[seat]) - 1, 1])
        for square in range(4):
            row = 2 * row_of_place(place) - top + square // 2
            col = 2 * col_of_place(place) - left + square % 2
            out[(NEW_TILE_AT + nth) * WINDOW + row * WINDOW_SIDE + col] = 1


@jitable
def observe_pieces(state: State, tables: Any, seat: int, nth: int, out: IntArray) -> None:
    """The planes `skyscraper`, `utility` and `utility_…` of one seat's city."""
    for which in range(state.piece_count[seat]):
        piece, square = int64(state.piece[seat, which, 0]), int64(state.piece[seat, which, 1])
        row = row_of_square(square) - 2 * int64(state.box[seat, 0])
        col = col_of_square(square) - 2 * int64(state.box[seat, 2])
        at = row * WINDOW_SIDE + col
        if piece < SKYSCRAPERS:
            value = VALUES[piece % len(VALUES)]
            out[(SKYSCRAPER_AT + nth) * WINDOW + at] = value / VALUE_SCALE
            continue
        utility = piece - SKYSCRAPERS
        plane = UTILITY_AT + nth * len(KINDS) + int64(tables.kind[utility])
        out[plane * WINDOW + at] = tables.points[utility] / POINTS_SCALE
        out[UTILITY_SEAT + utility * 4 + nth] = 1
        out[UTILITY_ROW + utility * WINDOW_SIDE + row] = 1
        out[UTILITY_COL + utility * WINDOW_SIDE + col] = 1


@jitable
def observe_supply(state: State, tables: Any, seat: int, out: IntArray, at: int) -> None:
    """The planes `utilities_left` and `skyscrapers_left`."""
    for utility in range(UTILITIES):
        out[at + utility] = (state.utilities >> utility) & 1
    for piece in range(SKYSCRAPERS):
        left = int64(state.skyscrapers[piece // len(VALUES)])
        out[at + UTILITIES + piece] = (left >> (piece % len(VALUES))) & 1


MARKS = len(TERRAINS) + len(SYMBOLS)
OBSERVATION = Observation(
    (
        Written(
            observe_cities,
            Plane(
                "terrain", (4, 4, 8, 8), 1, "1 where a city has this terrain, by seat and terrain"
            ),
            Plane("symbol", (4, 2, 8, 8), 1, "1 where a park or a sports ground is, by seat"),
            Plane("district", (4, 1, 8, 8), VALUE_SCALE, "squares of the district, by seat"),
            Plane("guarded", (4, 1, 8, 8), 1, "1 where the district holds a skyscraper, by seat"),
            Plane("skyscraper", (4, 1, 8, 8), VALUE_SCALE, "the value of the skyscraper, by seat"),
            Plane(
                "utility", (4, 3, 8, 8), POINTS_SCALE, "the points of the utility, by seat and kind"
            ),
            Plane("new_tile", (4, 1, 8, 8), 1, "1 on the tile laid this turn, by seat"),
            Plane("utility_seat", (UTILITIES, 4), 1, "whose city each utility stands in"),
            Plane("utility_row", (UTILITIES, 8), 1, "its row in that city's window"),
            Plane("utility_col", (UTILITIES, 8), 1, "its column in that city's window"),
        ),
        Written(
            observe_supply,
            Plane("utilities_left", (UTILITIES,), 1, "1 for every utility in the supply"),
            Plane("skyscrapers_left", (4, 7), 1, "1 for every skyscraper in the supply"),
        ),
        *draft_parts(
            TILES,
            ROW,
            MARKS,
            (
                "square as the data file shows it, marks",
                "square, marks (four terrains, park, sport)",
            ),
        ),
        *turn_parts(PHASES, 74),
        Number("round", ROUNDS, "the round", of="round_no"),
        PLAYERS,
        Numbers("kinds", (len(KINDS),), 1, "1 for the kinds in play: bus, windmill, biosphere"),
    )
)
