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
from storeys.kernel.compiling import jitable
from storeys.kernel.observing import Number, Numbers, Observation, OneHot, Plane, Written
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles.grid import STRIDE, square_at
from storeys.kernel.tiles.observation import PLAYERS, draft_parts, turn_parts

WINDOW = BOX_SIDE * BOX_SIDE
ROUND_SCALE = 11


@jitable
def observe_cities(state: State, tables: Any, seat: int, out: IntArray, at: int) -> None:
    """The planes of the cities, which come first, the viewer's own city before the others."""
    for nth in range(state.players):
        observe_city(state, (max(seat, 0) + nth) % state.players, nth, out)


@jitable
def observe_city(state: State, seat: int, nth: int, out: IntArray) -> None:
    """The first four planes of one seat's city."""
    top, left = 2 * int64(state.box[seat, 0]), 2 * int64(state.box[seat, 2])
    for row in range(2 * (int64(state.box[seat, 1]) - int64(state.box[seat, 0]) + 1)):
        for col in range(2 * (int64(state.box[seat, 3]) - int64(state.box[seat, 2]) + 1)):
            height = int64(state.ground[seat, square_at(top + row, left + col)])
            if height >= OPEN:
                out[nth * WINDOW + row * BOX_SIDE + col] = 1
            if height > OPEN:
                plane = 4 + 3 * nth + height - 1
                out[plane * WINDOW + row * BOX_SIDE + col] = 1
    for walkway in range(state.walkway_count[seat]):
        observe_walkway(state, seat, walkway, nth, out)


@jitable
def observe_walkway(state: State, seat: int, walkway: int, nth: int, out: IntArray) -> None:
    """One walkway in the planes `along_row` and `along_column`."""
    colour, square = int64(state.walkway[seat, walkway, 0]), int64(state.walkway[seat, walkway, 1])
    direction = int64(state.walkway[seat, walkway, 2])
    corner = square_at(2 * int64(state.box[seat, 0]), 2 * int64(state.box[seat, 2]))
    row, col = divmod(square - corner, STRIDE)
    at = (16 + 12 * direction + 3 * nth + colour) * WINDOW + row * BOX_SIDE + col
    for _ in range(int64(state.walkway[seat, walkway, 3]) + 1):
        out[at] = 1
        at += BOX_SIDE if direction else 1


@jitable
def observe_requests(state: State, tables: Any, seat: int, out: IntArray, at: int) -> None:
    """A 1 for each card."""
    for nth in range(MOST_REQUESTS):
        if state.requests[nth] != NONE:
            out[at + state.requests[nth]] = 1


OBSERVATION = Observation(
    (
        Written(
            observe_cities,
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
