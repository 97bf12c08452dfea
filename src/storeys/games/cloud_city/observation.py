"""Cloud City's observation tensor: what a seat may know, plane by plane, its own city first.

A city is seen through a window of 8×8 squares whose top left is that of the city's bounding box,
just as actions name places; seats count from the seat itself.
"""

from typing import Any

from storeys.games.cloud_city.state import (
    BOX_SIDE,
    LENGTHS,
    MOST_REQUESTS,
    NONE,
    OPEN,
    PHASES,
    REQUESTS,
    ROW,
    State,
)
from storeys.kernel.compiling import jit
from storeys.kernel.game import Plane
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles.draft import HAND
from storeys.kernel.tiles.grid import STRIDE, square_at
from storeys.kernel.tiles.observation import observe_draft

WINDOW = BOX_SIDE * BOX_SIDE
CITY_PLANES = 10  # tile, three colours of buildings, walkways of three colours in two directions
SUPPLY_SCALE, PILE_SCALE, ROUND_SCALE = 8, 44, 11

PLANES = (
    Plane("tile", (4, 1, 8, 8), 1, "1 where a city has a tile, by seat"),
    Plane("building", (4, 3, 8, 8), 1, "1 where a building stands, by seat and colour"),
    Plane("along_row", (4, 3, 8, 8), 1, "1 under a walkway along its row, ends included"),
    Plane("along_column", (4, 3, 8, 8), 1, "1 under a walkway along its column, ends included"),
    Plane("hand", (3, 4, 3), 1, "own tiles: slot, square as the data file shows it, colour"),
    Plane("shown", (4, 3, 4, 3), 1, "tiles in hand that everybody knows, by seat"),
    Plane("row", (3, 4, 3), 1, "the open row: slot, square, colour"),
    Plane("unseen", (48,), 1, "1 for every tile that may be in the pile or a hidden hand"),
    Plane("hand_size", (4,), HAND, "tiles in hand, by seat"),
    Plane("supply", (3, 5), SUPPLY_SCALE, "walkways left, by colour and length"),
    Plane("pile", (1,), PILE_SCALE, "tiles in the pile"),
    Plane("phase", (4,), 1, "one-hot: place, walkways, draw, over"),
    Plane("to_move", (4,), 1, "one-hot: the seat to move"),
    Plane("seat", (4,), 1, "one-hot: the own seat; seat 0 begins every round"),
    Plane("round", (1,), ROUND_SCALE, "the round"),
    Plane("rounds", (1,), ROUND_SCALE, "rounds of the match"),
    Plane("players", (4,), 1, "one-hot: 1, 2, 3, 4 players"),
    Plane("requests", (10,), 1, "1 for every request card in play"),
    Plane("edition", (3,), 1, "one-hot: en, de, nl"),
)


@jit
def observe(state: State, tables: Any, seat: int, out: IntArray) -> None:
    """Write the planes one after the other; a spectator (-1) sees as seat 0, without a hand."""
    out[:] = 0
    viewer = max(seat, 0)
    for nth in range(state.players):
        observe_city(state, (viewer + nth) % state.players, nth, out)
    at = observe_draft(state, tables, seat, ROW, out, 4 * CITY_PLANES * WINDOW)
    observe_course(state, viewer, out, at)


@jit
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


@jit
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


@jit
def observe_course(state: State, viewer: int, out: IntArray, at: int) -> None:
    """The planes from `hand_size` on."""
    for nth in range(state.players):
        out[at + nth] = state.hand_size[(viewer + nth) % state.players] / HAND
    at += 4
    for colour in range(3):
        for length in range(LENGTHS):
            out[at + colour * LENGTHS + length] = state.supply[colour, length] / SUPPLY_SCALE
    at += 3 * LENGTHS
    out[at] = state.pile_size / PILE_SCALE
    out[at + 1 + state.phase] = 1
    at += 1 + len(PHASES)
    if state.to_move != NONE:
        out[at + (state.to_move - viewer) % state.players] = 1
    out[at + 4 + viewer] = 1
    out[at + 8] = state.round_no / ROUND_SCALE
    out[at + 9] = state.rounds / ROUND_SCALE
    out[at + 10 + state.players - 1] = 1
    at += 14
    for nth in range(MOST_REQUESTS):
        if state.requests[nth] != NONE:
            out[at + state.requests[nth]] = 1
    out[at + len(REQUESTS) + state.edition] = 1
