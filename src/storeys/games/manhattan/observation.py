"""Manhattan's observation tensor: what a seat may know, plane by plane, its own things first.

Colours are counted from the seat's own (with two players its colours are 0 and 2), seats from the
seat itself, and the cells of a city as the seat sees them, so that card k means cell k.
"""

from typing import Any

from storeys.games.manhattan.state import (
    CARD_OF_CELL,
    CELLS,
    HAND,
    MAX_ROUNDS,
    PHASES,
    PICK,
    SITES,
    SIZES,
    State,
)  # fmt: skip
from storeys.kernel import observing as seen
from storeys.kernel.compiling import jitable
from storeys.kernel.record import IntArray, int64

COLOUR_OF_THREE = ((0, 1, 2, 3), (1, 2, 0, 3), (2, 0, 1, 3), (3, 3, 3, 3))  # by viewer


@jitable
def colours_in_play(state: State) -> int:
    """Three players play three colours, two play four."""
    return 3 if state.players == 3 else 4


@jitable
def nth_colour(state: State, viewer: int, nth: int) -> int:
    """The colour that is the nth from the viewer's own; an unplayed one stays last."""
    return COLOUR_OF_THREE[viewer][nth] if state.players == 3 else (viewer + nth) & 3


@jitable
def count_blocks(state: State, viewer: int) -> int:
    """How many blocks have been laid."""
    return state.laid_count


@jitable
def observe_board(
    state: State, tables: Any, viewer: int, since: int, out: IntArray, at: int
) -> None:
    """The planes `storeys` and `owner`, at the sites of the blocks laid since."""
    for laid in range(since, state.laid_count):
        site = int64(state.laid[laid]) >> 4
        city, cell = divmod(site, CELLS)
        place = at + city * CELLS + CARD_OF_CELL[viewer, cell]
        for nth in range(4):
            colour = nth_colour(state, viewer, nth)
            out[place] = state.storeys[site, colour]
            out[place + 4 * SITES] = state.owner[site] == colour
            place += SITES


@jitable
def observe_second_pick(state: State, tables: Any, seat: int, out: IntArray, at: int) -> None:
    """M-22: whether the seat to move has picked for its first colour."""
    picks_twice = state.players == 2 and state.phase == PICK
    out[at] = picks_twice and state.picked[state.to_move].sum() > 0


OBSERVATION = seen.Observation(
    (
        seen.Board(
            observe_board,
            count_blocks,
            seen.Plane("storeys", (4, 6, 9), 12, "storeys of each colour, by city and cell"),
            seen.Plane("owner", (4, 6, 9), 1, "1 where the colour owns the tower"),
        ),
        seen.Numbers(
            "stock", (4, SIZES), 11, "blocks in stock, by colour and size", turned=nth_colour
        ),
        seen.Numbers(
            "picked", (4, SIZES), 6, "picked blocks not placed yet, by colour and size",
            turned=nth_colour,
        ),
        seen.Numbers("points", (4,), 50, "points of each colour", turned=nth_colour),
        seen.Held("hand", HAND, CELLS, "own cards: slot, cell"),
        seen.Numbers("discard", (CELLS,), 5, "played cards, by cell"),
        seen.Number("pile", 45, "cards in the draw pile", of="pile_size"),
        seen.OneHot("phase", len(PHASES), "pick, build, over"),
        seen.OneSeat("to_move", "the seat to move"),
        seen.OneSeat("starter", "the seat with the start marker"),
        seen.Written(
            observe_second_pick,
            seen.Plane(
                "second_pick", (1,), 1, "1 while the seat to move picks for its second colour"
            ),
        ),
        seen.Number("redrawn", 1, "1 once the hand was exchanged this turn"),
        seen.OneHot("round", MAX_ROUNDS, "the round", of="round_no", first=1),
        seen.Number("rounds", MAX_ROUNDS, "rounds of the match"),
        seen.OneHot("players", 3, "2, 3, 4 players", first=2),
        seen.Number("by_towers", 1, "1 if ties are broken by towers"),
    )
)  # fmt: skip
