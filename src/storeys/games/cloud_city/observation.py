"""Cloud City's observation tensor: what a seat may know, plane by plane, its own city first.

A city is seen through a window of 8×8 squares whose top left is that of the city's bounding box,
just as actions name places; seats count from the seat itself.
"""

from typing import Any

from storeys.games.cloud_city.state import (
    BOX_SIDE,
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
from storeys.kernel.compiling import jit, jitable
from storeys.kernel.observing import EachSeat, Number, Numbers, Observation, OneHot, Plane, Written
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles.grid import STRIDE, square_at
from storeys.kernel.tiles.observation import PLAYERS, draft_parts, turn_parts

WINDOW = BOX_SIDE * BOX_SIDE
ROUND_SCALE = 11


@jitable
def count_built(state: State, seat: int) -> int:
    """The tiles and walkways of one seat's city, which only ever grows."""
    return int64(state.laid_count[seat]) + int64(state.walkway_count[seat])


@jit
def observe_city(state: State, tables: Any, seat: int, nth: int, out: IntArray, at: int) -> None:
    """The first four planes of one seat's city."""
    top, left = 2 * int64(state.box[seat, 0]), 2 * int64(state.box[seat, 2])
    for row in range(2 * (int64(state.box[seat, 1]) - int64(state.box[seat, 0]) + 1)):
        for col in range(2 * (int64(state.box[seat, 3]) - int64(state.box[seat, 2]) + 1)):
            height = int64(state.ground[seat, square_at(top + row, left + col)])
            if height >= OPEN:
                out[at + nth * WINDOW + row * BOX_SIDE + col] = 1
            if height > OPEN:
                plane = 4 + 3 * nth + height - 1
                out[at + plane * WINDOW + row * BOX_SIDE + col] = 1
    for walkway in range(state.walkway_count[seat]):
        observe_walkway(state, seat, walkway, nth, out, at)


@jit
def observe_walkway(
    state: State, seat: int, walkway: int, nth: int, out: IntArray, at: int
) -> None:
    """One walkway in the planes `along_row` and `along_column`."""
    colour, square = int64(state.walkway[seat, walkway, 0]), int64(state.walkway[seat, walkway, 1])
    direction = int64(state.walkway[seat, walkway, 2])
    corner = square_at(2 * int64(state.box[seat, 0]), 2 * int64(state.box[seat, 2]))
    row, col = divmod(square - corner, STRIDE)
    at += (16 + 12 * direction + 3 * nth + colour) * WINDOW + row * BOX_SIDE + col
    for _ in range(int64(state.walkway[seat, walkway, 3]) + 1):
        out[at] = 1
        at += BOX_SIDE if direction else 1


@jit
def observe_requests(state: State, tables: Any, seat: int, out: IntArray, at: int) -> None:
    """A 1 for each card."""
    for nth in range(MOST_REQUESTS):
        if state.requests[nth] != NONE:
            out[at + state.requests[nth]] = 1


OBSERVATION = Observation(
    (
        EachSeat(
            observe_city,
            count_built,
            Plane("tile", (4, 1, 8, 8), 1, "1 where a city has a tile, by seat"),
            Plane("building", (4, 3, 8, 8), 1, "1 where a building stands, by seat and colour"),
            Plane("along_row", (4, 3, 8, 8), 1, "1 under a walkway along its row, ends included"),
            Plane(
                "along_column", (4, 3, 8, 8), 1, "1 under a walkway along its column, ends included"
            ),
        ),
        *draft_parts(TILES, ROW, 3, ("square as the data file shows it, colour", "square, colour")),
        Numbers("supply", (3, LENGTHS), 8, "walkways left, by colour and length"),
        *turn_parts(PHASES, 44),
        Number("round", ROUND_SCALE, "the round", of="round_no"),
        Number("rounds", ROUND_SCALE, "rounds of the match"),
        PLAYERS,
        Written(
            observe_requests,
            Plane("requests", (len(REQUESTS),), 1, "1 for every request card in play"),
        ),
        OneHot("edition", len(EDITIONS), ", ".join(EDITIONS)),
    )
)
