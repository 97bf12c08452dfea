"""Manhattan's observation tensor: what a seat may know, plane by plane, its own things first.

Colours are counted from the seat's own (with two players its colours are 0 and 2), seats from the
seat itself, and the cells of a city as the seat sees them, so that card k means cell k.
"""

from typing import Any

from storeys.games.manhattan.state import (
    CELL_OF_CARD,
    CELLS,
    CITIES,
    HAND,
    MAX_ROUNDS,
    NONE,
    PHASES,
    PICK,
    SIZES,
    State,
)
from storeys.kernel.compiling import jit, jitable
from storeys.kernel.game import Plane
from storeys.kernel.record import IntArray

STOREYS_SCALE, STOCK_SCALE, PICKED_SCALE, COPIES_SCALE = 12, 11, 6, 5
PILE_SCALE, POINTS_SCALE = 45, 50

PLANES = (
    Plane("storeys", (4, 6, 9), STOREYS_SCALE, "storeys of each colour, by city and cell"),
    Plane("owner", (4, 6, 9), 1, "1 where the colour owns the tower"),
    Plane("stock", (4, 4), STOCK_SCALE, "blocks in stock, by colour and size"),
    Plane("picked", (4, 4), PICKED_SCALE, "picked blocks not placed yet, by colour and size"),
    Plane("points", (4,), POINTS_SCALE, "points of each colour"),
    Plane("hand", (4, 9), 1, "own cards: slot, cell"),
    Plane("discard", (9,), COPIES_SCALE, "played cards, by cell"),
    Plane("pile", (1,), PILE_SCALE, "cards in the draw pile"),
    Plane("phase", (3,), 1, "one-hot: pick, build, over"),
    Plane("to_move", (4,), 1, "one-hot: the seat to move"),
    Plane("starter", (4,), 1, "one-hot: the seat with the start marker"),
    Plane("second_pick", (1,), 1, "1 while the seat to move picks for its second colour"),
    Plane("redrawn", (1,), 1, "1 once the hand was exchanged this turn"),
    Plane("round", (6,), 1, "one-hot: the round"),
    Plane("rounds", (1,), MAX_ROUNDS, "rounds of the match"),
    Plane("players", (3,), 1, "one-hot: 2, 3, 4 players"),
    Plane("by_towers", (1,), 1, "1 if ties are broken by towers"),
)


@jitable
def colours_in_play(state: State) -> int:
    """Three players play three colours, two play four."""
    return 3 if state.players == 3 else 4


@jitable
def nth_colour(state: State, viewer: int, nth: int) -> int:
    """The colour that is the nth from the viewer's own; an unplayed one stays last."""
    colours = colours_in_play(state)
    return (viewer + nth) % colours if nth < colours else nth


@jit
def observe(state: State, tables: Any, seat: int, out: IntArray) -> None:
    """Write the planes one after the other; a spectator (-1) sees as seat 0, without a hand."""
    out[:] = 0
    viewer = max(seat, 0)
    at = observe_board(state, viewer, out)
    at = observe_blocks(state, viewer, out, at)
    at = observe_cards(state, seat, out, at)
    observe_course(state, viewer, out, at)


@jit
def observe_board(state: State, viewer: int, out: IntArray) -> int:
    """The planes `storeys` and `owner`."""
    owners = 4 * len(CITIES) * CELLS
    at = 0
    for nth in range(4):
        colour = nth_colour(state, viewer, nth)
        for city in range(len(CITIES)):
            for card in range(CELLS):
                site = city * CELLS + CELL_OF_CARD[viewer, card]
                out[at] = state.storeys[site, colour] / STOREYS_SCALE
                out[owners + at] = state.owner[site] == colour
                at += 1
    return owners + at


@jit
def observe_blocks(state: State, viewer: int, out: IntArray, at: int) -> int:
    """The planes `stock`, `picked` and `points`."""
    for nth in range(4):
        colour = nth_colour(state, viewer, nth)
        for size in range(SIZES):
            out[at + nth * SIZES + size] = state.stock[colour, size] / STOCK_SCALE
            out[at + (4 + nth) * SIZES + size] = state.picked[colour, size] / PICKED_SCALE
        out[at + 8 * SIZES + nth] = state.points[colour] / POINTS_SCALE
    return at + 8 * SIZES + 4


@jit
def observe_cards(state: State, seat: int, out: IntArray, at: int) -> int:
    """The planes `hand`, `discard` and `pile`."""
    if seat != NONE:
        for slot in range(HAND):
            if state.hands[seat, slot] != NONE:
                out[at + slot * CELLS + state.hands[seat, slot]] = 1
    at += HAND * CELLS
    for card in range(CELLS):
        out[at + card] = state.discard[card] / COPIES_SCALE
    out[at + CELLS] = state.pile_size / PILE_SCALE
    return at + CELLS + 1


@jit
def observe_course(state: State, viewer: int, out: IntArray, at: int) -> None:
    """The planes from `phase` on."""
    out[at + state.phase] = 1
    at += len(PHASES)
    if state.to_move != NONE:
        out[at + (state.to_move - viewer) % state.players] = 1
    out[at + 4 + (state.starter - viewer) % state.players] = 1
    at += 8
    picks_twice = state.players == 2 and state.phase == PICK
    out[at] = picks_twice and state.picked[state.to_move].sum() > 0
    out[at + 1] = state.redrawn
    out[at + 2 + state.round_no - 1] = 1
    at += 2 + MAX_ROUNDS
    out[at] = state.rounds / MAX_ROUNDS
    out[at + 1 + state.players - 2] = 1
    out[at + 4] = state.by_towers
