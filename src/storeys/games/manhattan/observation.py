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
    PHASES,
    PICK,
    SIZES,
    State,
)  # fmt: skip
from storeys.kernel.compiling import jitable
from storeys.kernel.observing import (
    Held,
    Number,
    Numbers,
    Observation,
    OneHot,
    OneSeat,
    Plane,
    Written,
)  # fmt: skip
from storeys.kernel.record import IntArray

STOREYS_SCALE = 12


@jitable
def colours_in_play(state: State) -> int:
    """Three players play three colours, two play four."""
    return 3 if state.players == 3 else 4


@jitable
def nth_colour(state: State, viewer: int, nth: int) -> int:
    """The colour that is the nth from the viewer's own; an unplayed one stays last."""
    colours = colours_in_play(state)
    return (viewer + nth) % colours if nth < colours else nth


@jitable
def observe_board(state: State, tables: Any, seat: int, out: IntArray, at: int) -> None:
    """The planes `storeys` and `owner`."""
    viewer, owners = max(seat, 0), 4 * len(CITIES) * CELLS
    for nth in range(4):
        colour = nth_colour(state, viewer, nth)
        for city in range(len(CITIES)):
            for card in range(CELLS):
                site = city * CELLS + CELL_OF_CARD[viewer, card]
                out[at] = state.storeys[site, colour] / STOREYS_SCALE
                out[owners + at] = state.owner[site] == colour
                at += 1


@jitable
def observe_second_pick(state: State, tables: Any, seat: int, out: IntArray, at: int) -> None:
    """M-22: whether the seat to move has picked for its first colour."""
    picks_twice = state.players == 2 and state.phase == PICK
    out[at] = picks_twice and state.picked[state.to_move].sum() > 0


OBSERVATION = Observation(
    (
        Written(
            observe_board,
            Plane("storeys", (4, 6, 9), 12, "storeys of each colour, by city and cell"),
            Plane("owner", (4, 6, 9), 1, "1 where the colour owns the tower"),
        ),
        Numbers("stock", (4, SIZES), 11, "blocks in stock, by colour and size", turned=nth_colour),
        Numbers(
            "picked", (4, SIZES), 6, "picked blocks not placed yet, by colour and size",
            turned=nth_colour,
        ),
        Numbers("points", (4,), 50, "points of each colour", turned=nth_colour),
        Held("hand", HAND, CELLS, "own cards: slot, cell"),
        Numbers("discard", (CELLS,), 5, "played cards, by cell"),
        Number("pile", 45, "cards in the draw pile", of="pile_size"),
        OneHot("phase", len(PHASES), "pick, build, over"),
        OneSeat("to_move", "the seat to move"),
        OneSeat("starter", "the seat with the start marker"),
        Written(
            observe_second_pick,
            Plane("second_pick", (1,), 1, "1 while the seat to move picks for its second colour"),
        ),
        Number("redrawn", 1, "1 once the hand was exchanged this turn"),
        OneHot("round", MAX_ROUNDS, "the round", of="round_no", first=1),
        Number("rounds", MAX_ROUNDS, "rounds of the match"),
        OneHot("players", 3, "2, 3, 4 players", first=2),
        Number("by_towers", 1, "1 if ties are broken by towers"),
    )
)  # fmt: skip
