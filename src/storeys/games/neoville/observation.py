"""Neoville's observation tensor: what a seat may know, plane by plane, its own city first.

A city is seen through a window of 8×8 squares whose top left is that of the city's bounding box,
just as actions name places; seats count from the seat itself.
"""

from typing import Any

from storeys.games.neoville.state import (
    KINDS,
    PHASES,
    ROUNDS,
    ROW,
    SKYSCRAPERS,
    SYMBOLS,
    TERRAINS,
    TILES,
    UTILITIES,
    VALUES,
    State,
)  # fmt: skip
from storeys.kernel.compiling import jitable
from storeys.kernel.observing import Board, EachSeat, Number, Numbers, Observation, Plane, Written
from storeys.kernel.record import IntArray, int64
from storeys.kernel.remembering import COUNTED, nth_seat, seats_on
from storeys.kernel.tiles import observation as tiles
from storeys.kernel.tiles.cities import BUILD, DRAW
from storeys.kernel.tiles.grid import STRIDE, square_of_place

VALUE_SCALE, POINTS_SCALE = 12, 8

# Where the planes of the cities begin, in windows of 8×8.
SYMBOL_AT = 4 * len(TERRAINS)
DISTRICT_AT = SYMBOL_AT + 4 * len(SYMBOLS)
GUARDED_AT = DISTRICT_AT + 4
SKYSCRAPER_AT = GUARDED_AT + 4
UTILITY_AT = SKYSCRAPER_AT + 4


@jitable
def changes(state: State, seat: int) -> int:
    """What a city is seen by: its tiles and pieces, and its corner."""
    return tiles.city_changes(state, seat, int64(state.piece_count[seat]))


@jitable
def observe_city(
    state: State, tables: Any, seat: int, nth: int, since: int, out: IntArray, at: int
) -> None:
    """The first six planes of one seat's city."""
    first_tile, first_piece = tiles.counted(since)
    changed = 0  # bits of the districts that have grown, or have got a skyscraper
    for laid in range(first_tile, state.laid_count[seat]):
        first = square_of_place(int64(state.laid[seat, laid, 1]), 0)
        window = at + tiles.in_window(state, seat, first)
        for corner in range(4):
            square = first + tiles.corner_of_tile(corner, STRIDE)
            changed |= 1 << int64(state.district[seat, square])
            there = window + tiles.corner_of_tile(corner, tiles.WINDOW_SIDE)
            observe_square(state, seat, square, nth, out, there)
    for which in range(first_piece, state.piece_count[seat]):
        observe_piece(state, tables, seat, which, nth, out, at)
        if state.piece[seat, which, 0] < SKYSCRAPERS:
            changed |= 1 << int64(state.district[seat, state.piece[seat, which, 1]])
    if changed != 0:
        observe_districts(state, seat, changed, out, at + (DISTRICT_AT + nth) * tiles.WINDOW)


@jitable
def observe_districts(state: State, seat: int, changed: int, out: IntArray, at: int) -> None:
    """The planes `district` and `guarded` of a seat, at the squares of some districts."""
    for laid in range(state.laid_count[seat]):
        first = square_of_place(int64(state.laid[seat, laid, 1]), 0)
        window = at + tiles.in_window(state, seat, first)
        for corner in range(4):
            square = first + tiles.corner_of_tile(corner, STRIDE)
            district = int64(state.district[seat, square])
            if (changed >> district) & 1:
                there = window + tiles.corner_of_tile(corner, tiles.WINDOW_SIDE)
                out[there] = state.district_size[seat, district]
                guarded = state.skyscrapers_in[seat, district] > 0
                out[there + (GUARDED_AT - DISTRICT_AT) * tiles.WINDOW] = 1 if guarded else 0


@jitable
def observe_square(
    state: State, seat: int, square: int, nth: int, out: IntArray, window: int
) -> None:
    """The planes `terrain` and `symbol`."""
    terrain = int64(state.terrain[seat, square])
    out[window + (nth * len(TERRAINS) + terrain) * tiles.WINDOW] = 1
    symbol = int64(state.content[seat, square]) - 1
    if 0 <= symbol < len(SYMBOLS):
        out[window + (SYMBOL_AT + nth * len(SYMBOLS) + symbol) * tiles.WINDOW] = 1


@jitable
def observe_piece(
    state: State, tables: Any, seat: int, which: int, nth: int, out: IntArray, at: int
) -> None:
    """The planes `skyscraper` and `utility`."""
    piece, square = int64(state.piece[seat, which, 0]), int64(state.piece[seat, which, 1])
    plane, number = SKYSCRAPER_AT + nth, VALUES[piece % len(VALUES)]
    if piece >= SKYSCRAPERS:
        utility = piece - SKYSCRAPERS
        plane = UTILITY_AT + nth * len(KINDS) + int64(tables.kind[utility])
        number = int64(tables.points[utility])
    out[at + plane * tiles.WINDOW + tiles.in_window(state, seat, square)] = number


@jitable
def observe_turn(state: State, tables: Any, seat: int, out: IntArray, at: int) -> None:
    """The tile laid in this turn, and in whose city each utility stands."""
    viewer, utilities = max(seat, 0), at + 4 * tiles.WINDOW
    for nth in range(state.players):
        other = nth_seat(viewer, nth, state.players)
        for which in range(state.piece_count[other]):
            utility = int64(state.piece[other, which, 0]) - SKYSCRAPERS
            # A skyscraper is noted where it is struck out again, which is quicker than a branch.
            out[utilities + utility * 4 + nth if utility >= 0 else at] = 1
    out[at] = 0
    if state.phase in (BUILD, DRAW):
        nth = seats_on(viewer, state.to_move, state.players)
        place = int64(state.laid[state.to_move, int64(state.laid_count[state.to_move]) - 1, 1])
        window = at + nth * tiles.WINDOW
        window += tiles.in_window(state, state.to_move, square_of_place(place, 0))
        for corner in range(4):
            out[window + tiles.corner_of_tile(corner, tiles.WINDOW_SIDE)] = 1


@jitable
def count_pieces(state: State, viewer: int) -> int:
    """The pieces of all cities."""
    pieces = 0
    for seat in range(state.players):
        pieces += int64(state.piece_count[seat])
    return pieces


@jitable
def count_sites(state: State, viewer: int) -> int:
    """The same, and the corners from which the windows of the cities are seen."""
    corners = 0
    for seat in range(state.players):
        corners = corners << 6 | tiles.corner_of_city(state, seat)
    return corners << COUNTED | count_pieces(state, viewer)


@jitable
def observe_sites(
    state: State, tables: Any, viewer: int, since: int, out: IntArray, at: int
) -> None:
    """The planes `utility_row` and `utility_col`."""
    cols = at + UTILITIES * tiles.WINDOW_SIDE
    for seat in range(state.players):
        for which in range(state.piece_count[seat]):
            utility = int64(state.piece[seat, which, 0]) - SKYSCRAPERS
            if utility >= 0:
                window = tiles.in_window(state, seat, int64(state.piece[seat, which, 1]))
                out[at + utility * tiles.WINDOW_SIDE + window // tiles.WINDOW_SIDE] = 1
                out[cols + utility * tiles.WINDOW_SIDE + window % tiles.WINDOW_SIDE] = 1


@jitable
def observe_supply(
    state: State, tables: Any, viewer: int, since: int, out: IntArray, at: int
) -> None:
    """The planes `utilities_left` and `skyscrapers_left`."""
    left = state.utilities
    for utility in range(UTILITIES):
        out[at + utility] = (left >> utility) & 1
    at += UTILITIES
    for terrain in range(len(TERRAINS)):
        left = int64(state.skyscrapers[terrain])
        for value in range(len(VALUES)):
            out[at + terrain * len(VALUES) + value] = (left >> value) & 1


MARKS = len(TERRAINS) + len(SYMBOLS)
OBSERVATION = Observation(
    (
        EachSeat(
            observe_city,
            changes,
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
        ),
        Written(
            observe_turn,
            Plane("new_tile", (4, 1, 8, 8), 1, "1 on the tile laid this turn, by seat"),
            Plane("utility_seat", (UTILITIES, 4), 1, "whose city each utility stands in"),
        ),
        Board(
            observe_sites,
            count_sites,
            Plane("utility_row", (UTILITIES, 8), 1, "its row in that city's window"),
            Plane("utility_col", (UTILITIES, 8), 1, "its column in that city's window"),
            sides=1,
        ),
        Board(
            observe_supply,
            count_pieces,
            Plane("utilities_left", (UTILITIES,), 1, "1 for every utility in the supply"),
            Plane("skyscrapers_left", (4, 7), 1, "1 for every skyscraper in the supply"),
            sides=1,
        ),
        *tiles.draft_parts(
            TILES,
            ROW,
            MARKS,
            (
                "square as the data file shows it, marks",
                "square, marks (four terrains, park, sport)",
            ),
        ),
        *tiles.turn_parts(PHASES, 74),
        Number("round", ROUNDS, "the round", of="round_no"),
        tiles.PLAYERS,
        Numbers("kinds", (len(KINDS),), 1, "1 for the kinds in play: bus, windmill, biosphere"),
    )
)
