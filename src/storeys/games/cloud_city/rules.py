"""Cloud City's rules, in the order of a rulebook: set-up, expand, build, walkways, draw.

Plain functions over the record of :mod:`state`, compiled by Numba; the ids are those of
docs/rules/cloud-city.md.  The verbs stand at the end; ``score`` and ``winners`` come from
:mod:`scoring`, ``observe`` from :mod:`observation`.
"""

from typing import Any

import numpy as np

from storeys.games.cloud_city.moves import (
    DRAW_MOVE,
    END_MOVE,
    PLACE_MOVE,
    WALKWAY_MOVE,
    colour_of,
    draw_code,
    goal_of,
    kind_of,
    place_code,
    place_of,
    slot_of,
    start_of,
    tile_of,
    turn_of,
    walkway_code,
)
from storeys.games.cloud_city.observation import observe
from storeys.games.cloud_city.scoring import score, winners
from storeys.games.cloud_city.state import (
    BOX_SIDE,
    DOWN,
    DRAW,
    DRAW_PILE,
    END,
    FIRST_DRAW,
    FIRST_WALKWAY,
    LENGTHS,
    NO_TILE,
    NONE,
    OPEN,
    OVER,
    PLACE,
    PLACE_SIDE,
    RIGHT,
    ROW,
    TILES,
    TO_ABOVE,
    TO_BELOW,
    TO_LEFT,
    TO_RIGHT,
    WALKWAYS,
    State,
)
from storeys.kernel.chance import random_below
from storeys.kernel.compiling import jit, jitable
from storeys.kernel.draft import (
    FROM_PILE,
    HAND,
    add_to_hand,
    add_to_pile,
    blind_draft,
    clear_draft,
    draw_tile,
    fill_row,
    mark_seen,
    redeal_draft,
    take_from_hand,
    take_from_pile,
)
from storeys.kernel.grid import (
    STRIDE,
    beside,
    col_of_place,
    col_of_square,
    count_bits,
    lowest_bit,
    nth_bit,
    place_bit,
    places_within,
    row_of_place,
    row_of_square,
    square_at,
)
from storeys.kernel.record import IntArray, Records, int64

__all__ = [
    "apply", "blind", "deal", "decode", "encode", "legal", "observe", "over", "redeal", "sample",
    "score", "winners",
]  # fmt: skip

# Why a move is refused; explained by `refusals`.
(
    GAME_OVER,
    PLACE_FIRST,
    PLACED_ALREADY,
    NOT_IN_HAND,
    NOT_BESIDE,
    TOO_LARGE,
    SLOT_EMPTY,
    PILE_EMPTY,
    MUST_DRAW,
    NOT_IN_LINE,
    NO_BUILDING,
    TOO_LONG,
    GAP,
    SAME_BETWEEN,
    HIGHER_BETWEEN,
    JOINED_ALREADY,
    CROSSES,
    TWO_ALREADY,
    NONE_LEFT,
) = range(1, 20)


# --- set-up


@jit
def deal(state: State, tables: Any) -> None:
    """C-6: start tiles with their buildings, an open row of three, a hidden hand of three."""
    clear(state, tables)
    for tile in range(TILES):
        if tables.is_start[tile] == 0:
            add_to_pile(state, tile)
    for seat in range(state.players):
        lay_tile(state, tables, seat, int64(tables.start[seat]), 0, 0, 0)
    fill_row(state, ROW)
    for seat in range(state.players):
        for _ in range(HAND):
            add_to_hand(state, seat, take_from_pile(state), 0)


@jitable
def clear(state: State, tables: Any) -> None:
    """No tile laid, all walkways in the supply; the options stay."""
    clear_draft(state)
    state.phase = PLACE
    state.turn_of = 0
    state.round_no = 1
    state.laid[:] = 0
    state.laid_count[:] = 0
    state.places[:] = 0
    state.box[:] = 0
    state.ground[:] = NO_TILE
    state.span[:] = 0
    state.links[:] = 0
    state.building[:] = 0
    state.walkway[:] = 0
    state.walkway_count[:] = 0
    for colour in range(3):
        for length in range(LENGTHS):
            state.supply[colour, length] = tables.walkways[colour, length]
    forget_open_walkways(state)


# --- expand and build


@jitable
def free_places(state: State, seat: int) -> int:
    """C-7, C-8, C-22: the bits of the places where a tile may go."""
    top, bottom = int64(state.box[seat, 0]), int64(state.box[seat, 1])
    left, right = int64(state.box[seat, 2]), int64(state.box[seat, 3])
    fits = fitting_places(top, bottom, left, right, 3, state.long_side)
    if state.long_side != 3:
        fits |= fitting_places(top, bottom, left, right, state.long_side, 3)
    return beside(int64(state.places[seat])) & fits


@jitable
def fitting_places(top: int, bottom: int, left: int, right: int, high: int, wide: int) -> int:
    """C-8: the places that keep a bounding box within so many tile rows and columns."""
    if bottom - top >= high or right - left >= wide:
        return 0
    return places_within(bottom - high + 1, top + high - 1, right - wide + 1, left + wide - 1)


@jitable
def lay_tile(
    state: State, tables: Any, seat: int, tile: int, row: int, col: int, turn: int
) -> None:
    """C-7, C-9: the tile joins the city, and its two buildings stand at once."""
    count = int64(state.laid_count[seat])
    place = place_bit(row, col)
    state.laid[seat, count, 0] = tile
    state.laid[seat, count, 1] = place
    state.laid[seat, count, 2] = turn
    state.laid_count[seat] += 1
    state.places[seat] |= 1 << place
    state.box[seat, 0] = min(int64(state.box[seat, 0]), row)
    state.box[seat, 1] = max(int64(state.box[seat, 1]), row)
    state.box[seat, 2] = min(int64(state.box[seat, 2]), col)
    state.box[seat, 3] = max(int64(state.box[seat, 3]), col)
    standing = 2 * count
    for nth in range(4):
        square = square_at(2 * row + nth // 2, 2 * col + nth % 2)
        height = tables.squares[tile, turn, nth]
        state.ground[seat, square] = height
        if height != OPEN:
            state.building[seat, standing] = square
            standing += 1


@jit
def place_tile(state: State, tables: Any, slot: int, place: int, turn: int) -> None:
    """C-7: lay a tile of the hand; then come the walkways."""
    seat = state.turn_of
    tile = take_from_hand(state, seat, slot)
    lay_tile(state, tables, seat, tile, row_of_place(place), col_of_place(place), turn)
    find_open_walkways(state)


# --- walkways


@jitable
def step_of(direction: int) -> int:
    """From a square to the next one in a direction."""
    return 1 if direction == RIGHT else STRIDE


@jitable
def has_two(links: int) -> bool:
    """C-18: whether two walkways end at a building already."""
    return links & (links - 1) != 0


@jitable
def walkway_length(state: State, seat: int, square: int, direction: int) -> int:
    """The length of the walkway that may leave a building here, or minus the reason against it."""
    height = int64(state.ground[seat, square])
    leaving = TO_RIGHT if direction == RIGHT else TO_BELOW
    links = int64(state.links[seat, square])
    if links & leaving:
        return -JOINED_ALREADY
    if has_two(links):
        return -TWO_ALREADY
    step = step_of(direction)
    # C-17: a walkway of this colour across our way, between its own ends.
    across = 1 << (2 * (height - 1) + (1 - direction))
    crosses = False
    for length in range(1, LENGTHS + 1):
        at = square + length * step
        found = int64(state.ground[seat, at])
        if found == NO_TILE:
            return -GAP
        if found > height:
            return -HIGHER_BETWEEN
        if found == height:
            if has_two(int64(state.links[seat, at])):
                return -TWO_ALREADY
            if crosses:
                return -CROSSES
            return length if state.supply[height - 1, length - 1] > 0 else -NONE_LEFT
        if int64(state.span[seat, at]) & across:
            crosses = True
    return -TOO_LONG


@jit
def find_open_walkways(state: State) -> None:
    """C-13 … C-19: list what the seat to move may build; without any, only the draw is left."""
    seat = state.turn_of
    forget_open_walkways(state)
    for nth in range(2 * state.laid_count[seat]):
        square = int64(state.building[seat, nth])
        if has_two(int64(state.links[seat, square])):
            continue
        for direction in range(2):
            if walkway_length(state, seat, square, direction) > 0:
                state.open_walkways[state.open_count] = 2 * square + direction
                state.open_count += 1
    state.phase = WALKWAYS if state.open_count > 0 else DRAW


@jit
def find_open_walkways_of(states: Records) -> None:
    """The same for Python, which passes arrays more quickly than records."""
    find_open_walkways(states[0])


@jitable
def forget_open_walkways(state: State) -> None:
    """Nothing to build between two turns."""
    state.open_walkways[:] = 0
    state.open_count = 0


@jitable
def lay_walkway(state: State, seat: int, square: int, direction: int, length: int) -> None:
    """C-14, C-20: a piece leaves the supply and stays."""
    colour = int64(state.ground[seat, square]) - 1
    step = step_of(direction)
    count = int64(state.walkway_count[seat])
    state.walkway[seat, count, 0] = colour
    state.walkway[seat, count, 1] = square
    state.walkway[seat, count, 2] = direction
    state.walkway[seat, count, 3] = length
    state.walkway_count[seat] += 1
    state.supply[colour, length - 1] -= 1
    state.links[seat, square] |= TO_RIGHT if direction == RIGHT else TO_BELOW
    state.links[seat, square + length * step] |= TO_LEFT if direction == RIGHT else TO_ABOVE
    for between in range(1, length):
        state.span[seat, square + between * step] |= 1 << (2 * colour + direction)


@jit
def build_walkway(state: State, square: int, direction: int) -> None:
    """C-10: any number of walkways, one after the other."""
    length = walkway_length(state, state.turn_of, square, direction)
    lay_walkway(state, state.turn_of, square, direction, length)
    find_open_walkways(state)


# --- draw, and the next turn


@jit
def end_turn(state: State) -> None:
    """C-12, C-21: the next seat clockwise; after the last seat's last draw the game is over."""
    forget_open_walkways(state)
    state.turn_of += 1
    state.phase = PLACE
    if state.turn_of == state.players:
        state.turn_of = 0
        state.round_no += 1
    if state.round_no > state.rounds:
        state.round_no = state.rounds
        state.turn_of = NONE
        state.phase = OVER


@jitable
def nothing_to_draw(state: State) -> bool:
    """C-11: neither row nor pile has a tile."""
    return state.row_size == 0 and state.pile_size == 0


# --- actions


@jit
def place_action(state: State, slot: int, place: int, turn: int) -> int:
    """The action of laying a tile: its place counts from the city's bounding box."""
    seat = state.turn_of
    row = row_of_place(place) - int64(state.box[seat, 0]) + 1
    col = col_of_place(place) - int64(state.box[seat, 2]) + 1
    return ((slot * PLACE_SIDE + row) * PLACE_SIDE + col) * 4 + turn


@jit
def parts_of_place(state: State, action: int) -> tuple[int, int, int]:
    """Hand slot, place and turn of an action."""
    seat = state.turn_of
    rest, turn = divmod(action, 4)
    rest, col = divmod(rest, PLACE_SIDE)
    slot, row = divmod(rest, PLACE_SIDE)
    place = place_bit(row - 1 + int64(state.box[seat, 0]), col - 1 + int64(state.box[seat, 2]))
    return slot, place, turn


@jit
def walkway_action(state: State, open_walkway: int) -> int:
    """The action of a walkway: its first square counts from the city's bounding box."""
    seat = state.turn_of
    square, direction = divmod(open_walkway, 2)
    row = row_of_square(square) - 2 * int64(state.box[seat, 0])
    col = col_of_square(square) - 2 * int64(state.box[seat, 2])
    return FIRST_WALKWAY + (row * BOX_SIDE + col) * 2 + direction


@jit
def parts_of_walkway(state: State, action: int) -> tuple[int, int]:
    """First square and direction of an action."""
    seat = state.turn_of
    rest, direction = divmod(action - FIRST_WALKWAY, 2)
    row, col = divmod(rest, BOX_SIDE)
    square = square_at(row + 2 * int64(state.box[seat, 0]), col + 2 * int64(state.box[seat, 2]))
    return square, direction


@jit
def legal_places(state: State, tables: Any, out: IntArray) -> int:
    """List the placements; turns that look the same once."""
    seat = state.turn_of
    count = 0
    for slot in range(state.hand_size[seat]):
        turns = int64(tables.turns[state.hands[seat, slot]])
        left = free_places(state, seat)
        while left != 0:
            place = lowest_bit(left)
            left &= left - 1
            for turn in range(turns):
                out[count] = place_action(state, slot, place, turn)
                count += 1
    return count


@jit
def legal_draws(state: State, out: IntArray, count: int) -> int:
    """List the draws after what is listed already."""
    for slot in range(state.row_size):
        out[count] = FIRST_DRAW + slot
        count += 1
    if state.pile_size > 0:
        out[count] = DRAW_PILE
        count += 1
    if nothing_to_draw(state):
        out[count] = END
        count += 1
    return count


@jit
def sample_place(state: State, tables: Any, rng: IntArray) -> int:
    """A random placement: every place is free for every tile, so slot and turn come first."""
    seat = state.turn_of
    ways = 0
    for slot in range(state.hand_size[seat]):
        ways += int64(tables.turns[state.hands[seat, slot]])
    places = free_places(state, seat)
    place_count = count_bits(places)
    way, nth = divmod(random_below(rng, ways * place_count), place_count)
    slot = 0
    while way >= int64(tables.turns[state.hands[seat, slot]]):
        way -= int64(tables.turns[state.hands[seat, slot]])
        slot += 1
    return place_action(state, slot, nth_bit(places, nth), way)


@jit
def sample_after_place(state: State, rng: IntArray) -> int:
    """A random walkway or draw."""
    draws = state.row_size + (1 if state.pile_size > 0 else 0)
    if draws == 0:
        draws = 1
    nth = random_below(rng, state.open_count + draws)
    if nth < state.open_count:
        return walkway_action(state, int64(state.open_walkways[nth]))
    nth -= state.open_count
    if nothing_to_draw(state):
        return END
    return FIRST_DRAW + nth if nth < state.row_size else DRAW_PILE


# --- why a move is refused


@jit
def refusal(state: State, code: int) -> int:
    """The reason against a move code, or 0 if it is legal."""
    if state.phase == OVER:
        return GAME_OVER
    kind = kind_of(code)
    if state.phase == PLACE:
        return refusal_of_place(state, code) if kind == PLACE_MOVE else PLACE_FIRST
    if kind == PLACE_MOVE:
        return PLACED_ALREADY
    if kind == WALKWAY_MOVE:
        return refusal_of_walkway(state, code)
    return refusal_of_draw(state, code)


@jit
def slot_of_tile(state: State, tile: int) -> int:
    """The hand slot that holds a tile, or NONE."""
    for slot in range(state.hand_size[state.turn_of]):
        if state.hands[state.turn_of, slot] == tile:
            return slot
    return NONE


@jit
def refusal_of_place(state: State, code: int) -> int:
    """C-7, C-8: a tile of the hand, beside the city, within the target."""
    if slot_of_tile(state, tile_of(code)) == NONE:
        return NOT_IN_HAND
    row, col = place_of(code)
    place = 1 << place_bit(row, col)
    if beside(int64(state.places[state.turn_of])) & place == 0:
        return NOT_BESIDE
    return 0 if free_places(state, state.turn_of) & place else TOO_LARGE


@jitable
def refusal_of_walkway(state: State, code: int) -> int:
    """C-13 … C-19: the first rule that a walkway breaks."""
    seat = state.turn_of
    row, col = start_of(code)
    to_row, to_col = goal_of(code)
    if (row == to_row) == (col == to_col):
        return NOT_IN_LINE
    height = colour_of(code) + 1
    start, goal = square_at(row, col), square_at(to_row, to_col)
    if state.ground[seat, start] != height or state.ground[seat, goal] != height:
        return NO_BUILDING
    length = to_row - row + to_col - col
    if length > LENGTHS:
        return TOO_LONG
    direction = RIGHT if row == to_row else DOWN
    # A building of the same colour on the way would end the walkway early.
    for between in range(1, length):
        if state.ground[seat, start + between * step_of(direction)] == height:
            return SAME_BETWEEN
    verdict = walkway_length(state, seat, start, direction)
    return 0 if verdict > 0 else -verdict


@jit
def refusal_of_draw(state: State, code: int) -> int:
    """C-11: something that is there to be drawn; to end without a draw only if nothing is."""
    if kind_of(code) == END_MOVE:
        return 0 if nothing_to_draw(state) else MUST_DRAW
    slot = slot_of(code)
    if slot == FROM_PILE:
        return 0 if state.pile_size > 0 else PILE_EMPTY
    return 0 if slot < state.row_size else SLOT_EMPTY


# --- the verbs


@jit
def legal(state: State, tables: Any, out: IntArray) -> int:
    """All legal actions."""
    if state.phase == OVER:
        return 0
    if state.phase == PLACE:
        count = legal_places(state, tables, out)
    else:
        for nth in range(state.open_count):
            out[nth] = walkway_action(state, int64(state.open_walkways[nth]))
        count = legal_draws(state, out, state.open_count)
    return count


@jit
def sample(state: State, tables: Any, rng: IntArray) -> int:
    """One legal action, uniformly, by arithmetic."""
    if state.phase == PLACE:
        return sample_place(state, tables, rng)
    return sample_after_place(state, rng)


@jit
def apply(state: State, tables: Any, action: int) -> None:
    """Carry out a legal action."""
    if action < FIRST_WALKWAY:
        slot, place, turn = parts_of_place(state, action)
        place_tile(state, tables, slot, place, turn)
    elif action < FIRST_DRAW:
        square, direction = parts_of_walkway(state, action)
        build_walkway(state, square, direction)
    else:
        if action < END:
            slot = FROM_PILE if action == DRAW_PILE else action - FIRST_DRAW
            draw_tile(state, state.turn_of, slot)
        end_turn(state)


@jit
def over(state: State) -> bool:
    """C-21."""
    return state.phase == OVER


@jit
def blind(state: State, tables: Any, seat: int) -> None:
    """C-R3: the pile, and the tiles of other hands that did not come from the row."""
    blind_draft(state, seat)


@jit
def redeal(state: State, tables: Any, seat: int, rng: IntArray) -> None:
    """Deal the tiles that the seat cannot see afresh."""
    unseen = np.empty(TILES, np.int64)
    for tile in range(TILES):
        unseen[tile] = 1 - tables.is_start[tile]
    for other in range(state.players):
        for nth in range(state.laid_count[other]):
            unseen[state.laid[other, nth, 0]] = 0
    mark_seen(state, seat, unseen)
    redeal_draft(state, seat, unseen, rng)


@jit
def encode(state: State, tables: Any, code: int) -> int:
    """The action of a move code, or minus the reason; a turn is made the smallest of its looks."""
    reason = refusal(state, code)
    if reason != 0:
        return -reason
    kind = kind_of(code)
    if kind == PLACE_MOVE:
        row, col = place_of(code)
        turn = turn_of(code) % int64(tables.turns[tile_of(code)])
        return place_action(state, slot_of_tile(state, tile_of(code)), place_bit(row, col), turn)
    if kind == WALKWAY_MOVE:
        row, col = start_of(code)
        direction = RIGHT if goal_of(code)[0] == row else DOWN
        return walkway_action(state, 2 * square_at(row, col) + direction)
    if kind == DRAW_MOVE:
        return DRAW_PILE if slot_of(code) == FROM_PILE else FIRST_DRAW + slot_of(code)
    return END


@jit
def decode(state: State, tables: Any, action: int) -> int:
    """The move code of a legal action."""
    seat = state.turn_of
    if action < FIRST_WALKWAY:
        slot, place, turn = parts_of_place(state, action)
        tile = int64(state.hands[seat, slot])
        return place_code(tile, row_of_place(place), col_of_place(place), turn)
    if action < FIRST_DRAW:
        square, direction = parts_of_walkway(state, action)
        length = walkway_length(state, seat, square, direction)
        goal = square + length * step_of(direction)
        colour = int64(state.ground[seat, square]) - 1
        return walkway_code(
            colour,
            row_of_square(square),
            col_of_square(square),
            row_of_square(goal),
            col_of_square(goal),
        )
    if action == END:
        return END_MOVE
    return draw_code(FROM_PILE if action == DRAW_PILE else action - FIRST_DRAW)
