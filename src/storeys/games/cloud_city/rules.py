"""Cloud City's rules, in the order of a rulebook: set-up, expand, build, walkways, draw.

Plain functions over the record of :mod:`state`, compiled by Numba; the ids are those of
docs/rules/cloud-city.md.  The verbs stand at the end; ``score`` and ``winners`` come from
:mod:`scoring`, ``observe`` from :mod:`observation`, ``evaluate`` from :mod:`evaluation`.
"""

from typing import Any

from storeys.games.cloud_city import moves
from storeys.games.cloud_city import state as layout
from storeys.games.cloud_city.evaluation import evaluate, evaluate_seat
from storeys.games.cloud_city.scoring import score, winners
from storeys.games.cloud_city.state import DOWN, LENGTHS, NO_TILE, OPEN, RIGHT, State
from storeys.kernel.chance import random_below
from storeys.kernel.compiling import jitable
from storeys.kernel.moves import at, part
from storeys.kernel.record import IntArray, Records, int64
from storeys.kernel.tiles import cities, draft, grid
from storeys.kernel.tiles.cities import DRAW, FIRST_OWN_REASON, OVER, PLACE
from storeys.kernel.tiles.grid import square_at
from storeys.kernel.tiles.moves import KIND, PLACE_MOVE

__all__ = [
    "apply", "deal", "decode", "encode", "evaluate", "evaluate_seat", "legal", "sample", "score",
    "winners",
]  # fmt: skip

# Why a move is refused, after the reasons that all tile games share; explained by `refusals`.
(
    NOT_IN_LINE, NO_BUILDING, TOO_LONG, GAP, SAME_BETWEEN, HIGHER_BETWEEN, JOINED_ALREADY, CROSSES,
    TWO_ALREADY, NONE_LEFT,
) = range(FIRST_OWN_REASON, FIRST_OWN_REASON + 10)  # fmt: skip


# --- set-up


@jitable
def deal(state: State, tables: Any) -> None:
    """C-6: start tiles with their buildings, an open row of three, a hidden hand of three."""
    clear(state, tables)
    for seat in range(state.players):
        lay_tile(state, tables, seat, int64(tables.own[seat]), 0, 0, 0)
    draft.deal_draft(state, tables, layout.ROW)


@jitable
def clear(state: State, tables: Any) -> None:
    """No tile laid, all walkways in the supply; the options stay."""
    cities.clear_cities(state)
    state.ground[:] = NO_TILE
    state.span[:] = 0
    state.links[:] = 0
    state.building[:] = 0
    state.walkway[:] = 0
    state.walkway_count[:] = 0
    state.open_walkways[:] = 0
    state.waiting[:] = 0
    for colour in range(state.supply.shape[0]):
        for nth in range(state.supply.shape[1]):
            state.supply[colour, nth] = tables.walkways[colour, nth]


# --- expand and build


@jitable
def free_places(state: State, seat: int) -> int:
    """C-7, C-8, C-22: the bits of the places where a tile may go."""
    wide = cities.fitting_places(state, seat, 3, state.long_side)
    tall = cities.fitting_places(state, seat, state.long_side, 3)
    return grid.beside(int64(state.places[seat])) & (wide | tall)


@jitable
def lay_tile(
    state: State, tables: Any, seat: int, tile: int, row: int, col: int, turn: int
) -> None:
    """C-7, C-9: the tile joins the city, and its two buildings stand at once."""
    standing = 2 * int64(state.laid_count[seat])
    cities.note_tile(state, seat, tile, row, col, turn)
    for nth in range(4):
        square = square_at(2 * row + nth // 2, 2 * col + nth % 2)
        height = tables.squares[tile, turn, nth]
        state.ground[seat, square] = height
        if height != OPEN:
            state.building[seat, standing] = square
            state.open_walkways[seat] |= 0b11 << (2 * standing)
            standing += 1
    for direction in (RIGHT, DOWN):
        line = grid.REACH + (col if direction == DOWN else row)
        state.open_walkways[seat] |= state.waiting[seat, direction, line]
        state.waiting[seat, direction, line] = 0


@jitable
def place_tile(state: State, tables: Any, action: int) -> None:
    """C-7: lay a tile of the hand; then come the walkways."""
    slot, place, turn = cities.parts_of_place(state, action)
    row, col = grid.row_of_place(place), grid.col_of_place(place)
    tile = draft.take_from_hand(state, state.to_move, slot)
    lay_tile(state, tables, state.to_move, tile, row, col, turn)
    find_open_walkways(state)


# --- walkways


@jitable
def step_of(direction: int) -> int:
    """From a square to the next one in a direction."""
    return 1 if direction == RIGHT else grid.STRIDE


@jitable
def has_two(links: int) -> bool:
    """C-18: whether two walkways end at a building already."""
    return links & (links - 1) != 0


@jitable
def walkway_length(state: State, seat: int, square: int, direction: int) -> int:
    """The length of the walkway that may leave a building here, or minus the reason against it."""
    height = int64(state.ground[seat, square])
    leaving = layout.TO_RIGHT << direction  # or TO_BELOW
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


@jitable
def find_open_walkways(state: State) -> None:
    """C-13 … C-19: find what the seat to move may build; without any, only the draw is left.

    What is ruled out stays so; only a gap may be filled, by a tile of its row or column.
    """
    seat, still_open = state.to_move, 0
    left = int64(state.open_walkways[seat])
    while left != 0:
        walkway = grid.lowest_bit(left)
        left &= left - 1
        square, direction = start_of_walkway(state, walkway)
        length = walkway_length(state, seat, square, direction)
        if length > 0:
            still_open |= 1 << walkway
        elif length == -GAP:
            across = grid.col_of_square(square) if direction == DOWN else grid.row_of_square(square)
            state.waiting[seat, direction, grid.REACH + across // 2] |= 1 << walkway
    state.open_walkways[seat] = still_open
    state.phase = layout.WALKWAYS if still_open != 0 else DRAW


@jitable
def find_open_walkways_of(states: Records) -> None:
    """The same for Python, which passes arrays more quickly than records."""
    find_open_walkways(states[0])


@jitable
def start_of_walkway(state: State, walkway: int) -> tuple[int, int]:
    """First square and direction of a walkway that the seat to move may build."""
    return int64(state.building[state.to_move, walkway >> 1]), walkway & 1


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
    state.links[seat, square] |= layout.TO_RIGHT << direction  # or TO_BELOW
    state.links[seat, square + length * step] |= layout.TO_LEFT << direction  # or TO_ABOVE
    for between in range(1, length):
        state.span[seat, square + between * step] |= 1 << (2 * colour + direction)


@jitable
def build_walkway(state: State, action: int) -> None:
    """C-10: any number of walkways, one after the other."""
    square, direction = parts_of_walkway(state, action)
    length = walkway_length(state, state.to_move, square, direction)
    lay_walkway(state, state.to_move, square, direction, length)
    find_open_walkways(state)


# --- actions


@jitable
def walkway_action(state: State, square: int, direction: int) -> int:
    """The action of a walkway: its first square counts from the city's bounding box."""
    seat = state.to_move
    row = grid.row_of_square(square) - 2 * int64(state.box[seat, 0])
    col = grid.col_of_square(square) - 2 * int64(state.box[seat, 2])
    return layout.FIRST_WALKWAY + (row * layout.BOX_SIDE + col) * 2 + direction


@jitable
def parts_of_walkway(state: State, action: int) -> tuple[int, int]:
    """First square and direction of an action."""
    seat = state.to_move
    rest, direction = divmod(action - layout.FIRST_WALKWAY, 2)
    row, col = divmod(rest, layout.BOX_SIDE)
    square = square_at(row + 2 * int64(state.box[seat, 0]), col + 2 * int64(state.box[seat, 2]))
    return square, direction


# --- why a move is refused


@jitable
def refusal(state: State, code: int) -> int:
    """The reason against a move code, or 0 if it is legal."""
    kind = part(code, KIND)
    reason = cities.refusal_of_kind(state, kind)
    if reason != 0:
        return reason
    if kind == PLACE_MOVE:
        return cities.refusal_of_place(state, code, free_places(state, state.to_move))
    if kind == moves.WALKWAY_MOVE:
        return refusal_of_walkway(state, code)
    return cities.refusal_of_draw(state, code)


@jitable
def refusal_of_walkway(state: State, code: int) -> int:
    """C-13 … C-19: the first rule that a walkway breaks."""
    seat = state.to_move
    row, col = moves.start_of(code)
    to_row, to_col = moves.goal_of(code)
    if (row == to_row) == (col == to_col):
        return NOT_IN_LINE
    height = part(code, moves.COLOUR) + 1
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
    return max(0, -walkway_length(state, seat, start, direction))


# --- the verbs; `over` (C-21), `blind` (C-R3) and `redeal` are those of all tile games


@jitable
def legal(state: State, tables: Any, out: IntArray) -> int:
    """All legal actions."""
    if state.phase == OVER:
        return 0
    if state.phase == PLACE:
        return cities.list_placements(state, tables, free_places(state, state.to_move), out)
    count, left = 0, int64(state.open_walkways[state.to_move])
    while left != 0:
        out[count] = walkway_action(state, *start_of_walkway(state, grid.lowest_bit(left)))
        left &= left - 1
        count += 1
    return draft.list_draws(state, layout.FIRST_DRAW, layout.DRAW_PILE, out, count)


@jitable
def sample(state: State, tables: Any, rng: IntArray) -> int:
    """One legal action, uniformly, by arithmetic: every place is free for every tile."""
    if state.phase == PLACE:
        places = free_places(state, state.to_move)
        slot, place, turn = cities.random_placement(state, tables, places, rng)
        return cities.place_action(state, slot, place, turn)
    walkways = int64(state.open_walkways[state.to_move])
    count = grid.count_bits(walkways)
    nth = random_below(rng, count + draft.count_draws(state))
    if nth < count:
        return walkway_action(state, *start_of_walkway(state, grid.nth_bit(walkways, nth)))
    return draft.nth_draw(state, layout.FIRST_DRAW, layout.DRAW_PILE, nth - count)


@jitable
def apply(state: State, tables: Any, action: int) -> None:
    """Carry out a legal action."""
    if action < layout.FIRST_WALKWAY:
        place_tile(state, tables, action)
    elif action < layout.FIRST_DRAW:
        build_walkway(state, action)
    else:
        cities.finish_turn(state, action, layout.FIRST_DRAW, layout.DRAW_PILE)


@jitable
def encode(state: State, tables: Any, code: int) -> int:
    """The action of a move code, or minus the reason."""
    reason = refusal(state, code)
    if reason != 0:
        return -reason
    if part(code, KIND) != moves.WALKWAY_MOVE:
        return cities.encode_shared(state, tables, code, layout.FIRST_DRAW, layout.DRAW_PILE)
    row, col = moves.start_of(code)
    direction = RIGHT if moves.goal_of(code)[0] == row else DOWN
    return walkway_action(state, square_at(row, col), direction)


@jitable
def decode(state: State, tables: Any, action: int) -> int:
    """The move code of a legal action."""
    if not layout.FIRST_WALKWAY <= action < layout.FIRST_DRAW:
        return cities.decode_shared(state, action, layout.FIRST_DRAW, layout.DRAW_PILE)
    seat = state.to_move
    square, direction = parts_of_walkway(state, action)
    length = walkway_length(state, seat, square, direction)
    goal = square + length * step_of(direction)
    colour = int64(state.ground[seat, square]) - 1
    return moves.WALKWAY_MOVE | at(colour, moves.COLOUR) | moves.ends_code(square, goal)
