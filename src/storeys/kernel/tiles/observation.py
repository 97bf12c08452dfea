"""The tiles that a seat sees, as numbers of its observation tensor."""

from typing import Any

from storeys.kernel.compiling import jitable
from storeys.kernel.observing import (
    Board,
    Number,
    Numbers,
    OneHot,
    OneSeat,
    OwnSeat,
    Part,
    Plane,
    Written,
)
from storeys.kernel.record import IntArray, int64
from storeys.kernel.remembering import COUNTED, SEATS, copy, nth_seat, uint64
from storeys.kernel.tiles.cities import Cities
from storeys.kernel.tiles.draft import HAND
from storeys.kernel.tiles.grid import REACH, col_of_square, row_of_square


@jitable
def observe_tile(tables: Any, tile: int, out: IntArray, at: int) -> None:
    """The marks of a tile as the data file shows it."""
    copy(tables.marks[tile], 0, out, at, tables.marks.shape[1])


# --- tiles that are laid


WINDOW_SIDE = 8
WINDOW = WINDOW_SIDE * WINDOW_SIDE
LAID = 5  # where the tiles stand in what `city_changes` counts; what else was built stands below


@jitable
def corner_of_city(state: Cities, seat: int) -> int:
    """The corner from which a city's window is seen, in 6 bits."""
    return 8 * (int64(state.box[seat, 0]) + REACH) + int64(state.box[seat, 2]) + REACH


@jitable
def city_changes(state: Cities, seat: int, built: int) -> int:
    """Tiles and what else was built in a city, and the corner from which its window is seen."""
    corner = corner_of_city(state, seat)
    return corner << COUNTED | int64(state.laid_count[seat]) << LAID | built


@jitable
def counted(since: int) -> tuple[int, int]:
    """The tiles of a city and what else had been built there."""
    return since >> LAID, since & ((1 << LAID) - 1)


@jitable
def corner_of_tile(nth: int, stride: int) -> int:
    """From the first square of a tile to its nth, where a row is so long."""
    return nth // 2 * stride + nth % 2


@jitable
def in_window(state: Cities, seat: int, square: int) -> int:
    """Where a square is in the window of 8×8 from the top left of the city's bounding box."""
    row = row_of_square(square) - 2 * int64(state.box[seat, 0])
    return row * WINDOW_SIDE + col_of_square(square) - 2 * int64(state.box[seat, 2])


# --- tiles that are not


@jitable
def observe_draft(
    state: Cities, tables: Any, seat: int, out: IntArray, at: int, row_length: int
) -> None:
    """Own hand, shown tiles by seat, open row; none of them is unseen, as the next plane says."""
    size = tables.marks.shape[1]
    shown = at + HAND * size
    row = shown + SEATS * HAND * size
    unseen = row + row_length * size
    viewer = max(seat, 0)
    for nth in range(state.players):
        other = nth_seat(viewer, nth, state.players)
        for slot in range(state.hand_size[other]):
            tile = int64(state.hands[other, slot])
            if other == seat:
                observe_tile(tables, tile, out, at + slot * size)
                out[unseen + tile] = 0
            if state.shown[other, slot] == 1:
                observe_tile(tables, tile, out, shown + (nth * HAND + slot) * size)
                out[unseen + tile] = 0
    for slot in range(state.row_size):
        observe_tile(tables, int64(state.row[slot]), out, row + slot * size)
        out[unseen + state.row[slot]] = 0


@jitable
def observe_unlaid(
    state: Cities, tables: Any, viewer: int, since: int, out: IntArray, at: int
) -> None:
    """1 for each tile that belongs to no seat and is not laid."""
    place = uint64(at)
    for tile in range(uint64(tables.numbered.size)):
        out[place + tile] = 1 if tables.numbered[tile] == 0 else 0
    for seat in range(state.players):
        for laid in range(state.laid_count[seat]):
            out[at + state.laid[seat, laid, 0]] = 0


@jitable
def count_laid(state: Cities, viewer: int) -> int:
    """The tiles of all cities."""
    laid = 0
    for seat in range(state.players):
        laid += int64(state.laid_count[seat])
    return laid


def draft_parts(tiles: int, row: int, marks: int, words: tuple[str, str]) -> tuple[Part, ...]:
    """The planes of tiles not laid yet, each of 2×2 squares with so many marks.

    ``words`` say what the marks are in a hand and in the row.
    """
    in_hand, in_row = words
    written = Written(
        observe_draft,
        Plane("hand", (HAND, 4, marks), 1, f"own tiles: slot, {in_hand}"),
        Plane("shown", (4, HAND, 4, marks), 1, "tiles in hand that everybody knows, by seat"),
        Plane("row", (row, 4, marks), 1, f"the open row: slot, {in_row}"),
        more=[row],
    )
    unseen = Board(
        observe_unlaid,
        count_laid,
        Plane("unseen", (tiles,), 1, "1 for every tile that may be in the pile or a hidden hand"),
        sides=1,
    )
    return written, unseen, Numbers("hand_size", (4,), HAND, "tiles in hand, by seat", by_seat=True)


def turn_parts(phases: tuple[str, ...], pile: int) -> tuple[Part, ...]:
    """The planes that say how far the match is, up to the own seat."""
    return (
        Number("pile", pile, "tiles in the pile", of="pile_size"),
        OneHot("phase", len(phases), ", ".join(phases)),
        OneSeat("to_move", "the seat to move"),
        OwnSeat("the own seat; seat 0 begins every round"),
    )


PLAYERS = OneHot("players", 4, "1, 2, 3, 4 players", first=1)
