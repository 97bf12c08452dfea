"""The tiles that a seat sees, as numbers of its observation tensor."""

from typing import Any

from storeys.kernel.compiling import jitable
from storeys.kernel.observing import Number, Numbers, OneHot, OneSeat, OwnSeat, Part, Plane, Written
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles.cities import Cities
from storeys.kernel.tiles.draft import HAND


@jitable
def observe_tile(tables: Any, tile: int, out: IntArray, at: int) -> None:
    """The marks of a tile as the data file shows it."""
    for nth in range(tables.marks.shape[1]):
        out[at + nth] = tables.marks[tile, nth]


@jitable
def observe_draft(
    state: Cities, tables: Any, seat: int, out: IntArray, at: int, row_length: int
) -> None:
    """Own hand, shown tiles by seat, open row, and 1 for each tile unseen."""
    tiles, size = tables.marks.shape
    shown = at + HAND * size
    row = shown + 4 * HAND * size
    unseen = row + row_length * size
    for tile in range(tiles):
        out[unseen + tile] = tables.numbered[tile] == 0
    for nth in range(state.players):
        other = (max(seat, 0) + nth) % state.players
        for laid in range(state.laid_count[other]):
            out[unseen + state.laid[other, laid, 0]] = 0
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
        Plane("unseen", (tiles,), 1, "1 for every tile that may be in the pile or a hidden hand"),
        more=[row],
    )
    return written, Numbers("hand_size", (4,), HAND, "tiles in hand, by seat", by_seat=True)


def turn_parts(phases: tuple[str, ...], pile: int) -> tuple[Part, ...]:
    """The planes that say how far the match is, up to the own seat."""
    return (
        Number("pile", pile, "tiles in the pile", of="pile_size"),
        OneHot("phase", len(phases), ", ".join(phases)),
        OneSeat("to_move", "the seat to move"),
        OwnSeat("the own seat; seat 0 begins every round"),
    )


PLAYERS = OneHot("players", 4, "1, 2, 3, 4 players", first=1)
