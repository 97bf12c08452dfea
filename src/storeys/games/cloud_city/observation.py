"""Cloud City's observation tensor: what a seat may know, plane by plane, its own city first.

A city is seen through a window of 8×8 squares whose top left is that of the city's bounding box,
just as actions name places; seats count from the seat itself.
"""

from typing import Any

from storeys.games.cloud_city.state import (
    EDITIONS,
    LENGTHS,
    MOST_REQUESTS,
    NONE,
    OPEN,
    PHASES,
    REQUESTS,
    ROW,
    TILES,
    State,
)  # fmt: skip
from storeys.kernel.compiling import jitable
from storeys.kernel.observing import EachSeat, Number, Numbers, Observation, OneHot, Plane, Written
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles import observation as tiles
from storeys.kernel.tiles.grid import STRIDE, square_of_place

ROUND_SCALE = 11


@jitable
def changes(state: State, seat: int) -> int:
    """What a city is seen by: its tiles and walkways, and its corner."""
    return tiles.city_changes(state, seat, int64(state.walkway_count[seat]))


@jitable
def observe_city(
    state: State, tables: Any, seat: int, nth: int, since: int, out: IntArray, at: int
) -> None:
    """The first four planes of one seat's city."""
    first_tile, first_walkway = tiles.counted(since)
    for laid in range(first_tile, state.laid_count[seat]):
        first = square_of_place(int64(state.laid[seat, laid, 1]), 0)
        first_window = at + tiles.in_window(state, seat, first)
        for corner in range(4):
            window = first_window + tiles.corner_of_tile(corner, tiles.WINDOW_SIDE)
            out[window + nth * tiles.WINDOW] = 1
            height = int64(state.ground[seat, first + tiles.corner_of_tile(corner, STRIDE)])
            if height > OPEN:
                out[window + (4 + 3 * nth + height - 1) * tiles.WINDOW] = 1
    for walkway in range(first_walkway, state.walkway_count[seat]):
        observe_walkway(state, seat, walkway, nth, out, at)


@jitable
def observe_walkway(
    state: State, seat: int, walkway: int, nth: int, out: IntArray, at: int
) -> None:
    """One walkway in the planes `along_row` and `along_column`."""
    colour, square = int64(state.walkway[seat, walkway, 0]), int64(state.walkway[seat, walkway, 1])
    direction = int64(state.walkway[seat, walkway, 2])
    at += (16 + 12 * direction + 3 * nth + colour) * tiles.WINDOW + tiles.in_window(
        state, seat, square
    )
    for _ in range(int64(state.walkway[seat, walkway, 3]) + 1):
        out[at] = 1
        at += tiles.WINDOW_SIDE if direction else 1


@jitable
def observe_requests(state: State, tables: Any, seat: int, out: IntArray, at: int) -> None:
    """A 1 for each card."""
    for nth in range(MOST_REQUESTS):
        if state.requests[nth] != NONE:
            out[at + state.requests[nth]] = 1


OBSERVATION = Observation(
    (
        EachSeat(
            observe_city,
            changes,
            Plane("tile", (4, 1, 8, 8), 1, "1 where a city has a tile, by seat"),
            Plane("building", (4, 3, 8, 8), 1, "1 where a building stands, by seat and colour"),
            Plane("along_row", (4, 3, 8, 8), 1, "1 under a walkway along its row, ends included"),
            Plane(
                "along_column", (4, 3, 8, 8), 1, "1 under a walkway along its column, ends included"
            ),
        ),
        *tiles.draft_parts(
            TILES, ROW, 3, ("square as the data file shows it, colour", "square, colour")
        ),
        Numbers("supply", (3, LENGTHS), 8, "walkways left, by colour and length"),
        *tiles.turn_parts(PHASES, 44),
        Number("round", ROUND_SCALE, "the round", of="round_no"),
        Number("rounds", ROUND_SCALE, "rounds of the match"),
        tiles.PLAYERS,
        Written(
            observe_requests,
            Plane("requests", (len(REQUESTS),), 1, "1 for every request card in play"),
        ),
        OneHot("edition", len(EDITIONS), ", ".join(EDITIONS)),
    )
)
