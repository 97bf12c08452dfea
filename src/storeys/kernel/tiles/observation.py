"""The tiles that a seat sees, as numbers of its observation tensor."""

from typing import Any

from storeys.kernel.compiling import jit, jitable
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles.cities import Cities
from storeys.kernel.tiles.draft import HAND


@jitable
def observe_tile(tables: Any, tile: int, out: IntArray, at: int) -> None:
    """The marks of a tile as the data file shows it."""
    for nth in range(tables.marks.shape[1]):
        out[at + nth] = tables.marks[tile, nth]


@jit
def observe_draft(
    state: Cities, tables: Any, seat: int, row_length: int, out: IntArray, at: int
) -> int:
    """Own hand, shown tiles by seat, open row, and 1 for each tile unseen; says where it ends."""
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
    return int64(unseen + tiles)
