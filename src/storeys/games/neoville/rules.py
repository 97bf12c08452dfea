"""Neoville's rules, in the order of a rulebook: set-up, add, districts, build, draw.

Plain functions over the record of :mod:`state`, compiled by Numba; the ids are those of
docs/rules/neoville.md.  The verbs stand at the end; ``score`` and ``winners`` come from
:mod:`scoring`, ``observe`` from :mod:`observation`, ``evaluate_seat`` from :mod:`evaluation`.
"""

from typing import Any

import numpy as np

from storeys.games.neoville import moves
from storeys.games.neoville import state as layout
from storeys.games.neoville.evaluation import evaluate_seat
from storeys.games.neoville.scoring import score, winners
from storeys.games.neoville.state import EMPTY, NO_TILE, NONE, PIECES, SKYSCRAPERS, VALUES, State
from storeys.kernel.chance import happens, random_below
from storeys.kernel.compiling import jitable
from storeys.kernel.moves import part
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles import cities, draft, grid
from storeys.kernel.tiles.cities import BUILD, DRAW, FIRST_OWN_REASON, OVER, PLACE
from storeys.kernel.tiles.grid import STRIDE, place_bit, square_at, square_of_place
from storeys.kernel.tiles.moves import FIRST_OWN_MOVE, KIND, PLACE_MOVE, TILE, TURN, place_of

__all__ = [
    "apply", "deal", "decode", "encode", "evaluate_seat", "legal", "sample", "score", "winners",
]  # fmt: skip

# Why a move is refused, after the reasons that all tile games share; explained by `refusals`.
(
    JOINS, BUILT_ALREADY, NOT_ON_NEW_TILE, ON_SYMBOL, OTHER_TERRAIN, GUARDED, NOT_LEFT,
) = range(FIRST_OWN_REASON, FIRST_OWN_REASON + 7)  # fmt: skip

TRIES = 16  # random placements before all are listed
Around = tuple[int, int, int]
"""A byte for each of the eight squares around a tile: the number of its district plus 1, or 0; its
terrain; whether its district has a skyscraper."""
EACH = 0x0101010101010101  # a 1 in each byte
WHOLE = 127  # more than any number of a district
VALUES_LEFT_OUT = (0b0001010, 0b0001010, 0b0001000, 0)  # N-8, N-R2: 5 and 7, 7, none; by players


# --- set-up


@jitable
def deal(state: State, tables: Any) -> None:
    """N-8 … N-10: the supply, an open row of four, a hand of the equity tile and two more."""
    clear(state)
    for kind in range(3):
        if state.kinds[kind]:
            draw_utilities(state, tables, kind)
    for seat in range(state.players):
        draft.add_to_hand(state, seat, int64(tables.own[seat]), 1)
    draft.deal_draft(state, tables, layout.ROW)


@jitable
def clear(state: State) -> None:
    """Empty cities, all skyscrapers of N-8 and no utility in the supply; the options stay."""
    cities.clear_cities(state)
    state.terrain[:] = NO_TILE
    state.content[:] = EMPTY
    state.grounds[:] = 0
    state.piece[:] = 0
    state.piece_count[:] = 0
    state.district[:] = NONE
    state.district_terrain[:] = NO_TILE
    state.district_size[:] = 0
    state.skyscrapers_in[:] = 0
    state.skyscrapers[:] = ((1 << len(VALUES)) - 1) & ~VALUES_LEFT_OUT[state.players - 1]
    state.utilities = 0


@jitable
def utilities_of_a_kind(players: int) -> int:
    """N-9, N-R2: how many of each kind are laid open."""
    return max(players, 2) + 3


@jitable
def draw_utilities(state: State, tables: Any, kind: int) -> None:
    """N-9: so many of a kind, at random."""
    left = 0
    for utility in range(layout.UTILITIES):
        left += tables.kind[utility] == kind
    wanted = utilities_of_a_kind(state.players)
    for utility in range(layout.UTILITIES):
        if tables.kind[utility] == kind:
            if happens(state, wanted, left):
                state.utilities |= 1 << utility
                wanted -= 1
            left -= 1


# --- add a tile


@jitable
def free_places(state: State, seat: int) -> int:
    """N-11: the bits of the places where a tile may go."""
    places = int64(state.places[seat])
    if places == 0:
        return 1 << place_bit(0, 0)
    return grid.beside(places) & cities.fitting_places(state, seat, layout.SIDE, layout.SIDE)


@jitable
def lay_tile(
    state: State, tables: Any, seat: int, tile: int, row: int, col: int, turn: int
) -> None:
    """N-11, N-12: the tile joins the city, its squares join their districts."""
    first = 4 * int64(state.laid_count[seat])
    cities.note_tile(state, seat, tile, row, col, turn)
    for nth in range(4):
        square = square_of_place(place_bit(row, col), nth)
        symbol = int64(tables.symbol[tile, turn, nth])
        state.terrain[seat, square] = tables.terrain[tile, turn, nth]
        state.content[seat, square] = symbol
        if symbol != EMPTY:
            state.grounds[seat, symbol - 1] += 1
        found_district(state, seat, square, first + nth)


@jitable
def found_district(state: State, seat: int, square: int, number: int) -> None:
    """N-12: a new square is a district of its own, then one with its neighbours of its terrain."""
    terrain = state.terrain[seat, square]
    state.district[seat, square] = number
    state.district_terrain[seat, number] = terrain
    state.district_size[seat, number] = 1
    for step in (-STRIDE, -1, 1, STRIDE):
        if state.terrain[seat, square + step] == terrain:
            one = int64(state.district[seat, square])
            two = int64(state.district[seat, square + step])
            if one != two:
                merge_districts(state, seat, min(one, two), max(one, two), square)


@jitable
def merge_districts(state: State, seat: int, kept: int, gone: int, square: int) -> None:
    """The younger district becomes part of the older one; most often it is the new square only."""
    if state.district_size[seat, gone] == 1 and state.district[seat, square] == gone:
        state.district[seat, square] = kept
    else:
        relabel(state, seat, kept, gone)
    state.district_size[seat, kept] += state.district_size[seat, gone]
    state.skyscrapers_in[seat, kept] += state.skyscrapers_in[seat, gone]
    state.district_size[seat, gone] = 0
    state.skyscrapers_in[seat, gone] = 0
    state.district_terrain[seat, gone] = NO_TILE


@jitable
def relabel(state: State, seat: int, kept: int, gone: int) -> None:
    """Give all squares of one district the number of another."""
    left, right = 2 * int64(state.box[seat, 2]), 2 * int64(state.box[seat, 3]) + 1
    for row in range(2 * int64(state.box[seat, 0]), 2 * int64(state.box[seat, 1]) + 2):
        for square in range(square_at(row, left), square_at(row, right) + 1):
            if state.district[seat, square] == gone:
                state.district[seat, square] = kept


@jitable
def place_tile(state: State, tables: Any, action: int) -> None:
    """N-11: lay a tile of the hand; then there may be something to build."""
    slot, place, turn = cities.parts_of_place(state, action)
    seat = state.to_move
    row, col = grid.row_of_place(place), grid.col_of_place(place)
    lay_tile(state, tables, seat, draft.take_from_hand(state, seat, slot), row, col, turn)
    state.phase = BUILD if can_build(state, seat) else DRAW


# --- joining districts


@jitable
def byte_of(number: int, nth: int) -> int:
    """The nth byte of a number, from the lowest."""
    return (number >> (8 * nth)) & 255


@jitable
def districts_around(state: State, seat: int, place: int) -> Around:
    """The districts around a place, without any if no two of them have a skyscraper."""
    corner = square_of_place(place, 0)
    around, terrains, guarded = 0, 0, 0
    first, several = NONE, False
    for nth in range(8):
        district = int64(state.district[seat, corner + grid.AROUND[nth]])
        if district != NONE:
            around |= (district + 1) << (8 * nth)
            terrains |= int64(state.district_terrain[seat, district]) << (8 * nth)
            if state.skyscrapers_in[seat, district] > 0:
                guarded |= WHOLE << (8 * nth)
                several |= first not in (NONE, district)
                first = district
    return around if several else 0, terrains, guarded


@jitable
def districts_met(tables: Any, around: Around, tile: int, turn: int) -> int:
    """Of the districts around a tile, those that its squares become part of.

    The same bytes, with 0 where the tile's square beside it has another terrain.
    """
    districts, terrains, _ = around
    other = terrains ^ int64(tables.sides[tile, turn])  # a terrain has two bits
    return districts & (WHOLE * (((other | (other >> 1)) & EACH) ^ EACH))


@jitable
def is_one(districts: int) -> bool:
    """Whether all bytes that are not 0, of which there are some, are the same."""
    there = ((districts + 63 * EACH) >> 6) & EACH  # no byte is greater than 64
    return districts == byte_of(districts, grid.lowest_bit(there) // 8) * there


@jitable
def meet_outside(state: State, met: int, one: int, two: int) -> bool:
    """N-12: whether two squares of a tile become part of the same district of the city.

    Version 1 of the rules did not see it.
    """
    if state.rules_version < 2:
        return False
    for nth in (2 * one, 2 * one + 1):
        district = byte_of(met, nth)
        if district != 0 and district in (byte_of(met, 2 * two), byte_of(met, 2 * two + 1)):
            return True
    return False


@jitable
def joined(state: State, tables: Any, around: Around, tile: int, turn: int) -> int:
    """N-12: two districts with a skyscraper each that a tile would join, or 0.

    The answer has a byte for each: its number plus 1.
    """
    if around[0] == 0:
        return 0
    met = districts_met(tables, around, tile, turn)
    guarded = met & around[2]
    if guarded == 0 or is_one(guarded):
        return 0
    # Squares that meet on the tile are one group; those on a diagonal may still meet outside it.
    falling = meet_outside(state, met, 0, 3)
    rising = meet_outside(state, met, 1, 2)
    touched = 0  # a byte for each group of the tile's squares: the district that it touches
    for nth in range(8):
        district = byte_of(guarded, nth)
        if district == 0:
            continue
        square = nth // 2
        if (square == 3 and falling) or (square == 2 and rising):
            square = 3 - square
        group = int64(tables.group[tile, turn, square])
        other = byte_of(touched, group)
        if other == 0:
            touched |= district << (8 * group)
        elif other != district:
            return other << 8 | district
    return 0


@jitable
def joined_by(state: State, tables: Any, seat: int, place: int, tile: int, turn: int) -> int:
    """The same for a tile at a place."""
    return joined(state, tables, districts_around(state, seat, place), tile, turn)


@jitable
def list_places(state: State, tables: Any, out: IntArray, joining: int, most: int) -> int:
    """List up to so many placements, with or without those that join; turns that differ once."""
    seat = state.to_move
    count, hand_size = 0, int64(state.hand_size[seat])
    left = free_places(state, seat)
    while left != 0:
        place = grid.lowest_bit(left)
        left &= left - 1
        around = districts_around(state, seat, place)
        first = cities.place_action(state, 0, place, 0)
        for slot in range(hand_size):
            tile = int64(state.hands[seat, slot])
            for turn in range(int64(tables.turns[tile])):
                if joining or not joined(state, tables, around, tile, turn):
                    out[count] = first + slot * cities.SLOT_ACTIONS + turn
                    count += 1
                    if count == most:
                        return count
    return count


@jitable
def legal_places(state: State, tables: Any, out: IntArray) -> int:
    """N-12: the placements that join nothing; all of them only if there is none."""
    # Numba would compile the list anew for every constant that is passed as such.
    most = int64(cities.PLACE_ACTIONS)
    count = list_places(state, tables, out, int64(0), most)
    return count if count > 0 else list_places(state, tables, out, int64(1), most)


@jitable
def can_avoid_joining(state: State, tables: Any) -> bool:
    """N-12: whether any placement of any hand tile joins nothing."""
    return list_places(state, tables, np.empty(1, np.int64), int64(0), int64(1)) > 0


# --- build


@jitable
def new_place(state: State, seat: int) -> int:
    """The place of the tile laid last."""
    return int64(state.laid[seat, int64(state.laid_count[seat]) - 1, 1])


@jitable
def values_for(state: State, seat: int, square: int) -> int:
    """N-14: the bits of the skyscrapers that may stand on a square."""
    if state.skyscrapers_in[seat, state.district[seat, square]] > 0:
        return 0
    return int64(state.skyscrapers[state.terrain[seat, square]])


@jitable
def can_build(state: State, seat: int) -> bool:
    """N-13: whether the tile just laid has a square for a piece of the supply."""
    place = new_place(state, seat)
    for nth in range(4):
        square = square_of_place(place, nth)
        fits_any = state.utilities != 0 or values_for(state, seat, square) != 0
        if fits_any and state.content[seat, square] == EMPTY:
            return True
    return False


@jitable
def put_piece(state: State, seat: int, piece: int, square: int) -> None:
    """N-13: a piece leaves the supply and stands."""
    count = int64(state.piece_count[seat])
    state.piece[seat, count, 0] = piece
    state.piece[seat, count, 1] = square
    state.piece_count[seat] += 1
    state.content[seat, square] = layout.FIRST_PIECE + piece
    if piece < SKYSCRAPERS:
        state.skyscrapers_in[seat, state.district[seat, square]] += 1
        state.skyscrapers[piece // len(VALUES)] &= ~(1 << (piece % len(VALUES)))
    else:
        state.utilities &= ~(1 << (piece - SKYSCRAPERS))


@jitable
def build_piece(state: State, action: int) -> None:
    """N-13: one piece on the tile just laid; then comes the draw."""
    nth, piece = divmod(action - layout.FIRST_BUILD, PIECES)
    square = square_of_place(new_place(state, state.to_move), nth)
    put_piece(state, state.to_move, piece, square)
    state.phase = DRAW


@jitable
def list_builds(state: State, out: IntArray) -> int:
    """List the pieces that may be built, square by square."""
    seat, count = state.to_move, 0
    place = new_place(state, seat)
    for nth in range(4):
        square = square_of_place(place, nth)
        if state.content[seat, square] != EMPTY:
            continue
        first = layout.FIRST_BUILD + nth * PIECES
        skyscrapers = first + int64(state.terrain[seat, square]) * len(VALUES)
        count = grid.list_bits(values_for(state, seat, square), skyscrapers, out, count)
        count = grid.list_bits(state.utilities, first + SKYSCRAPERS, out, count)
    return count


# --- random moves


@jitable
def sample_place(state: State, tables: Any, rng: IntArray) -> int:
    """A random placement: some at random first, all of them only if those join districts."""
    seat = state.to_move
    places = free_places(state, seat)
    for _ in range(TRIES):
        slot, place, turn = cities.random_placement(state, tables, places, rng)
        if joined_by(state, tables, seat, place, int64(state.hands[seat, slot]), turn) == 0:
            return cities.place_action(state, slot, place, turn)
    return sample_listed_place(state, tables, rng)


@jitable
def sample_listed_place(state: State, tables: Any, rng: IntArray) -> int:
    """One of all placements that are listed; apart, so that trying needs no room for a list."""
    actions = np.empty(cities.PLACE_ACTIONS, np.int64)
    return int64(actions[random_below(rng, legal_places(state, tables, actions))])


@jitable
def sample_build(state: State, rng: IntArray) -> int:
    """A random piece or draw, counted rather than listed."""
    seat = state.to_move
    place = new_place(state, seat)
    utilities = grid.count_bits(state.utilities)
    total = draft.count_draws(state)
    for nth in range(4):
        square = square_of_place(place, nth)
        if state.content[seat, square] == EMPTY:
            total += utilities + grid.count_bits(values_for(state, seat, square))
    chosen = random_below(rng, total)
    for nth in range(4):
        square = square_of_place(place, nth)
        if state.content[seat, square] != EMPTY:
            continue
        first = layout.FIRST_BUILD + nth * PIECES
        if chosen < utilities:
            return first + SKYSCRAPERS + grid.nth_bit(state.utilities, chosen)
        chosen -= utilities
        values = values_for(state, seat, square)
        count = grid.count_bits(values)
        if chosen < count:
            terrain = int64(state.terrain[seat, square])
            return first + terrain * len(VALUES) + grid.nth_bit(values, chosen)
        chosen -= count
    return draft.nth_draw(state, layout.FIRST_DRAW, layout.DRAW_PILE, chosen)


# --- why a move is refused


@jitable
def refusal(state: State, tables: Any, code: int) -> int:
    """The reason against a move code, or 0 if it is legal."""
    kind = part(code, KIND)
    reason = cities.refusal_of_kind(state, kind)
    if reason != 0:
        return reason
    if kind == PLACE_MOVE:
        return refusal_to_add(state, tables, code)
    if kind >= FIRST_OWN_MOVE:
        return refusal_of_piece(state, code)
    return cities.refusal_of_draw(state, code)


@jitable
def refusal_to_add(state: State, tables: Any, code: int) -> int:
    """N-11, N-12: the first rule that a placement breaks."""
    seat = state.to_move
    reason = cities.refusal_of_place(state, code, free_places(state, seat))
    if reason != 0:
        return reason
    row, col = place_of(code)
    joins = joined_by(state, tables, seat, place_bit(row, col), part(code, TILE), part(code, TURN))
    return JOINS if joins != 0 and can_avoid_joining(state, tables) else 0


@jitable
def refusal_of_piece(state: State, code: int) -> int:
    """N-13, N-14: the first rule that a piece breaks."""
    seat = state.to_move
    if built_this_turn(state, seat):
        return BUILT_ALREADY
    row, col = moves.square_of(code)
    if place_bit(row // 2, col // 2) != new_place(state, seat):
        return NOT_ON_NEW_TILE
    return refusal_of_site(state, seat, part(code, moves.PIECE), square_at(row, col))


@jitable
def refusal_of_site(state: State, seat: int, piece: int, square: int) -> int:
    """N-13, N-14: whether a piece of the supply may stand on a square of the city."""
    if not is_left(state, piece):
        return NOT_LEFT
    if state.content[seat, square] != EMPTY:
        return ON_SYMBOL
    if piece >= SKYSCRAPERS:
        return 0
    if state.terrain[seat, square] != piece // len(VALUES):
        return OTHER_TERRAIN
    return GUARDED if state.skyscrapers_in[seat, state.district[seat, square]] > 0 else 0


@jitable
def is_left(state: State, piece: int) -> bool:
    """Whether the supply has a piece."""
    if piece >= SKYSCRAPERS:
        return (state.utilities >> (piece - SKYSCRAPERS)) & 1 == 1
    return (int64(state.skyscrapers[piece // len(VALUES)]) >> (piece % len(VALUES))) & 1 == 1


@jitable
def built_this_turn(state: State, seat: int) -> bool:
    """N-13: whether the tile just laid has a piece."""
    count = int64(state.piece_count[seat])
    if count == 0:
        return False
    square = int64(state.piece[seat, count - 1, 1])
    row, col = grid.row_of_square(square), grid.col_of_square(square)
    return place_bit(row // 2, col // 2) == new_place(state, seat)


# --- the verbs; `over` (N-16), `blind` (N-R3) and `redeal` are those of all tile games


@jitable
def legal(state: State, tables: Any, out: IntArray) -> int:
    """All legal actions."""
    if state.phase == OVER:
        return 0
    if state.phase == PLACE:
        return legal_places(state, tables, out)
    count = list_builds(state, out) if state.phase == BUILD else 0
    return draft.list_draws(state, layout.FIRST_DRAW, layout.DRAW_PILE, out, count)


@jitable
def sample(state: State, tables: Any, rng: IntArray) -> int:
    """One legal action, uniformly."""
    if state.phase == PLACE:
        return sample_place(state, tables, rng)
    if state.phase == BUILD:
        return sample_build(state, rng)
    nth = random_below(rng, draft.count_draws(state))
    return draft.nth_draw(state, layout.FIRST_DRAW, layout.DRAW_PILE, nth)


@jitable
def apply(state: State, tables: Any, action: int) -> None:
    """Carry out a legal action."""
    if action < layout.FIRST_BUILD:
        place_tile(state, tables, action)
    elif action < layout.FIRST_DRAW:
        build_piece(state, action)
    else:
        cities.finish_turn(state, action, layout.FIRST_DRAW, layout.DRAW_PILE)


@jitable
def encode(state: State, tables: Any, code: int) -> int:
    """The action of a move code, or minus the reason."""
    reason = refusal(state, tables, code)
    if reason != 0:
        return -reason
    if part(code, KIND) < FIRST_OWN_MOVE:
        return cities.encode_shared(state, tables, code, layout.FIRST_DRAW, layout.DRAW_PILE)
    row, col = moves.square_of(code)
    return layout.FIRST_BUILD + (2 * (row % 2) + col % 2) * PIECES + part(code, moves.PIECE)


@jitable
def decode(state: State, tables: Any, action: int) -> int:
    """The move code of a legal action."""
    if not layout.FIRST_BUILD <= action < layout.FIRST_DRAW:
        return cities.decode_shared(state, action, layout.FIRST_DRAW, layout.DRAW_PILE)
    nth, piece = divmod(action - layout.FIRST_BUILD, PIECES)
    return moves.piece_code(piece, square_of_place(new_place(state, state.to_move), nth))
