"""Manhattan's rules, in the order of a rulebook: set-up, picking, building, cards, the round's end.

Plain functions over the record of :mod:`state`, compiled by Numba; the ids are those of
docs/rules/manhattan.md.  The verbs that the rest of the house calls stand at the end, in the order
in which every game has them.

A seat's blocks are numbered half × 4 + size: half is 1 for the second colour of who has two (M-22).
"""

from typing import Any

import numpy as np

from storeys.games.manhattan import evaluation, moves, observation, scoring
from storeys.games.manhattan.state import (
    ACTION_OF_PICK,
    ACTIONS,
    BUILD,
    CELL_OF_CARD,
    CELLS,
    CITIES,
    FIRST_BUILD,
    FIRST_FORFEIT,
    FIRST_PICK_OF_4,
    HAND,
    NONE,
    OVER,
    PICK,
    PICKS,
    REDRAW,
    SIZES,
    State,
)
from storeys.kernel import chance
from storeys.kernel.compiling import jitable
from storeys.kernel.moves import at, part
from storeys.kernel.record import IntArray, int64

CITY_COUNT = len(CITIES)

# Why a move is refused; moves are refused by these numbers and explained by `refusals`.
GAME_OVER, PICK_FIRST, ALREADY_PICKED = range(1, 4)
NOT_YOUR_COLOUR, WRONG_NUMBER, NOT_IN_STOCK = range(4, 7)
NOT_PICKED, WRONG_CELL, NOT_IN_HAND, TOO_LOW = range(7, 11)
CAN_BUILD, REDRAWN_ALREADY, REDRAW_FIRST = range(11, 14)


# --- set-up


@jitable
def deal(state: State, tables: Any) -> None:
    """M-3, M-5: full stocks, a random start player, four hidden cards for everyone."""
    clear(state)
    for colour in range(observation.colours_in_play(state)):
        chance.copy_counts(state.stock[colour], tables.blocks)
    state.starter = chance.below(state, state.players)
    state.to_move = state.starter
    state.round_no = 1
    chance.copy_counts(state.pile, tables.copies)
    state.pile_size = tables.copies.sum()
    for seat in range(state.players):
        deal_hand(state, seat)


@jitable
def clear(state: State) -> None:
    """An empty board, no cards, no points; the options stay."""
    state.phase = PICK
    state.redrawn = state.laid_count = state.scored = 0
    state.owner[:] = state.tallest[:] = state.tallest_owner[:] = NONE
    state.hands[:] = state.majority[:] = NONE
    state.height[:] = state.laid[:] = state.built[:] = state.discard[:] = state.points[:] = 0
    state.storeys[:] = state.stock[:] = state.picked[:] = state.towers[:] = 0


# --- cards


@jitable
def deal_hand(state: State, seat: int) -> None:
    """Draw four cards one by one."""
    for slot in range(HAND):
        draw_card(state, seat, slot)


@jitable
def draw_card(state: State, seat: int, slot: int) -> None:
    """M-7, M-9: draw a card; as soon as the pile is empty the played cards are a new one."""
    state.hands[seat, slot] = chance.draw_from_counts(state, state.pile, state.pile_size)
    state.pile_size -= 1
    if state.pile_size == 0:
        chance.copy_counts(state.pile, state.discard)
        state.pile_size = state.discard.sum()
        state.discard[:] = 0


@jitable
def slot_of_card(state: State, seat: int, card: int) -> int:
    """The first hand slot that holds a card, or NONE."""
    for slot in range(HAND):
        if state.hands[seat, slot] == card:
            return slot
    return NONE


# --- picking blocks


@jitable
def colour_to_pick(state: State) -> int:
    """M-8, M-22: the colour whose blocks are picked now; of two, the lower one first."""
    seat = state.to_move
    if state.players == 2 and state.picked[seat].any():
        return seat + 2
    return seat


@jitable
def is_in_stock(state: State, colour: int, pick: int) -> bool:
    """M-8: whether the stock holds the blocks of a pick."""
    missing = 0
    for size in range(SIZES):
        missing += PICKS[pick, size] > state.stock[colour, size]
    return missing == 0


@jitable
def picks_to_choose(state: State) -> tuple[int, int]:
    """The first of the picks of this game's size and the end of them (M-8, M-21, M-22)."""
    return (0, FIRST_PICK_OF_4) if state.pick_size == 6 else (FIRST_PICK_OF_4, FIRST_BUILD)


@jitable
def pick_blocks(state: State, pick: int) -> None:
    """M-8: take blocks out of the stock; after the last seat's pick the building begins."""
    colour = colour_to_pick(state)
    for size in range(SIZES):
        state.stock[colour, size] -= PICKS[pick, size]
        state.picked[colour, size] += PICKS[pick, size]
    if state.players == 2 and colour < 2:
        return
    state.to_move = next_seat(state, state.to_move)
    if state.to_move == state.starter:
        state.phase = BUILD


# --- building


@jitable
def halves(state: State) -> int:
    """M-22: how many colours a seat has."""
    return 2 if state.players == 2 else 1


@jitable
def colour_and_size(seat: int, block: int) -> tuple[int, int]:
    """The colour and the size of one of a seat's blocks."""
    half, size = divmod(block, SIZES)
    return seat + 2 * half, size


@jitable
def may_build(state: State, colour: int, size: int, site: int) -> bool:
    """M-13, M-14: free on empty sites and own towers; elsewhere own at least as many storeys."""
    owner = state.owner[site]
    if owner in (NONE, colour):
        return True
    return bool(state.storeys[site, colour] + size + 1 >= state.storeys[site, owner])


@jitable
def sizes_needed(state: State, colour: int, cell: int) -> int:
    """M-13, M-14: the smallest size that a colour may build on a cell, a byte for each city."""
    needed = 0
    for city in range(CITY_COUNT):
        site = city * CELLS + cell
        owner = int64(state.owner[site])
        if owner not in (NONE, colour):
            lead = int64(state.storeys[site, owner]) - int64(state.storeys[site, colour])
            needed |= max(lead - 1, 0) << (8 * city)
    return needed


@jitable
def can_build(state: State) -> bool:
    """M-R1: whether any card and any picked block of the seat to move allow a placement."""
    return legal_builds(state, np.empty(ACTIONS, np.int64)) > 0


@jitable
def build(state: State, block: int, slot: int, city: int) -> None:
    """M-7, M-9, M-12: play a card, which then lies open; put the block on top; draw a card."""
    seat, card = state.to_move, state.hands[state.to_move, slot]
    colour, size = colour_and_size(seat, block)
    state.discard[card] += 1
    state.picked[colour, size] -= 1
    lay_block(state, colour, size, city * CELLS + CELL_OF_CARD[seat, card])
    draw_card(state, seat, slot)
    end_turn(state)


@jitable
def lay_block(state: State, colour: int, size: int, site: int) -> None:
    """M-12, M-15: the block on top owns the tower, however high it gets."""
    state.owner[site] = colour
    state.height[site] += size + 1
    state.storeys[site, colour] += size + 1
    state.laid[state.laid_count] = (site << 4) | (colour << 2) | size
    state.laid_count += 1


# --- a hand that allows nothing


@jitable
def redraw(state: State) -> None:
    """M-R1: show and discard the hand, draw four new cards one by one."""
    for slot in range(HAND):
        state.discard[state.hands[state.to_move, slot]] += 1
    deal_hand(state, state.to_move)
    state.redrawn = 1


@jitable
def forfeit(state: State, block: int) -> None:
    """M-R1: give up a picked block unbuilt."""
    state.picked[colour_and_size(state.to_move, block)] -= 1
    end_turn(state)


# --- the end of a turn and of a round


@jitable
def next_seat(state: State, seat: int) -> int:
    """M-9, M-11: clockwise."""
    return (seat + 1) % state.players


@jitable
def end_turn(state: State) -> None:
    """M-10: the round ends when nobody has a picked block left."""
    state.redrawn = 0
    state.to_move = next_seat(state, state.to_move)
    if state.picked.sum() == 0:
        end_round(state)


@jitable
def end_round(state: State) -> None:
    """M-10, M-11, M-19, M-21: score; pass the marker on, or end the game after the last round."""
    scoring.score_round(state)
    if state.round_no == state.rounds:
        state.phase = OVER
        state.to_move = NONE
        return
    state.round_no += 1
    state.starter = next_seat(state, state.starter)
    state.to_move = state.starter
    state.phase = PICK


# --- actions


@jitable
def build_action(block: int, slot: int, city: int) -> int:
    """The action of a build."""
    half, size = divmod(block, SIZES)
    return FIRST_BUILD + ((half * HAND + slot) * SIZES + size) * CITY_COUNT + city


@jitable
def parts_of_build(action: int) -> tuple[int, int, int]:
    """Block, hand slot and city of a build."""
    rest, city = divmod(action - FIRST_BUILD, CITY_COUNT)
    rest, size = divmod(rest, SIZES)
    half, slot = divmod(rest, HAND)
    return half * SIZES + size, slot, city


@jitable
def legal_picks(state: State, out: IntArray) -> int:
    """List the picks."""
    count, colour = 0, colour_to_pick(state)
    first, end = picks_to_choose(state)
    for pick in range(first, end):
        if is_in_stock(state, colour, pick):
            out[count] = pick
            count += 1
    return count


@jitable
def legal_builds(state: State, out: IntArray) -> int:
    """List the placements."""
    count, seat = 0, state.to_move
    for half in range(halves(state)):
        for slot in range(HAND):
            card = int64(state.hands[seat, slot])
            if slot_of_card(state, seat, card) != slot:
                continue  # equal cards are one choice
            needed = sizes_needed(state, seat + 2 * half, CELL_OF_CARD[seat, card])
            for block in range(half * SIZES, (half + 1) * SIZES):
                colour, size = colour_and_size(seat, block)
                if state.picked[colour, size] == 0:
                    continue
                first = build_action(block, slot, 0)
                for city in range(CITY_COUNT):
                    if size >= (needed >> (8 * city)) & 0xFF:
                        out[count] = first + city
                        count += 1
    return count


@jitable
def legal_ways_out(state: State, out: IntArray) -> int:
    """M-R1: with no placement, redraw once; after that, each block that can be given up."""
    if not state.redrawn:
        out[0] = REDRAW
        return 1
    count = 0
    for block in range(halves(state) * SIZES):
        if state.picked[colour_and_size(state.to_move, block)] > 0:
            out[count] = FIRST_FORFEIT + block
            count += 1
    return count


@jitable
def sample_build(state: State, rng: IntArray) -> int:
    """A random placement, by trying card × block × city; NONE after too many refusals.

    Every try is uniform over all triples of a card type in hand, a picked block type and a city,
    so what passes M-14 is uniform over the legal placements.
    """
    seat = state.to_move
    slots, slot_count = 0, 0  # two bits each
    for slot in range(HAND):
        if slot_of_card(state, seat, int64(state.hands[seat, slot])) == slot:
            slots |= slot << (2 * slot_count)
            slot_count += 1
    blocks, block_count = 0, 0  # three bits each
    for block in range(halves(state) * SIZES):
        if state.picked[colour_and_size(seat, block)] > 0:
            blocks |= block << (3 * block_count)
            block_count += 1
    for _ in range(24):
        triple = chance.random_below(rng, slot_count * block_count * CITY_COUNT)
        rest, city = divmod(triple, CITY_COUNT)
        nth_block, nth_slot = divmod(rest, slot_count)
        slot = (slots >> (2 * nth_slot)) & 3
        block = (blocks >> (3 * nth_block)) & 7
        colour, size = colour_and_size(seat, block)
        site = city * CELLS + CELL_OF_CARD[seat, state.hands[seat, slot]]
        if may_build(state, colour, size, site):
            return build_action(block, slot, city)
    return NONE


@jitable
def sample_pick(state: State, rng: IntArray) -> int:
    """A random pick, by trying; NONE after too many refusals."""
    colour = colour_to_pick(state)
    first, end = picks_to_choose(state)
    for _ in range(8):
        pick = first + chance.random_below(rng, end - first)
        if is_in_stock(state, colour, pick):
            return pick
    return NONE


# --- from codes to actions; what is below 0 is minus the reason against a move


@jitable
def encode_pick(state: State, code: int) -> int:
    """M-8, M-22: the right colour, the right number, and all of it in stock."""
    colour = part(code, moves.COLOUR)
    if colour != colour_to_pick(state):
        return -NOT_YOUR_COLOUR
    total, missing = 0, 0
    for size in range(SIZES):
        count = part(code, moves.COUNTS[size])
        total += count
        missing += count > state.stock[colour, size]
    if total != state.pick_size:
        return -WRONG_NUMBER
    if missing != 0:
        return -NOT_IN_STOCK
    n1, n2, n3, n4 = moves.COUNTS
    return int64(ACTION_OF_PICK[part(code, n1), part(code, n2), part(code, n3), part(code, n4)])


@jitable
def encode_block(state: State, code: int) -> int:
    """M-9: the number of a block, which must be one of one's own picked ones."""
    colour, size = part(code, moves.COLOUR), part(code, moves.SIZE)
    if moves.seat_of_colour(state.players, colour) != state.to_move:
        return -NOT_YOUR_COLOUR
    if state.picked[colour, size] == 0:
        return -NOT_PICKED
    return (colour - state.to_move) // 2 * SIZES + size


@jitable
def encode_build(state: State, code: int) -> int:
    """M-6, M-9, M-14: own block, own card, the site it names, enough storeys."""
    block = encode_block(state, code)
    if block < 0:
        return block
    seat, card, cell = state.to_move, part(code, moves.CARD), part(code, moves.CELL)
    if CELL_OF_CARD[seat, card] != cell:
        return -WRONG_CELL
    slot = slot_of_card(state, seat, card)
    if slot == NONE:
        return -NOT_IN_HAND
    city, (colour, size) = part(code, moves.CITY), colour_and_size(seat, block)
    if not may_build(state, colour, size, city * CELLS + cell):
        return -TOO_LOW
    return build_action(block, slot, city)


@jitable
def encode_way_out(state: State, code: int) -> int:
    """M-R1: only without a placement; redraw once, then give up a block."""
    if can_build(state):
        return -CAN_BUILD
    if part(code, moves.KIND) == moves.REDRAW_MOVE:
        return -REDRAWN_ALREADY if state.redrawn else REDRAW
    if not state.redrawn:
        return -REDRAW_FIRST
    block = encode_block(state, code)
    return block if block < 0 else FIRST_FORFEIT + block


# --- the verbs


@jitable
def legal(state: State, tables: Any, out: IntArray) -> int:
    """All legal actions, ascending."""
    if state.phase == OVER:
        return 0
    if state.phase == PICK:
        return legal_picks(state, out)
    count = legal_builds(state, out)
    return count if count > 0 else legal_ways_out(state, out)


@jitable
def sample(state: State, tables: Any, rng: IntArray) -> int:
    """One legal action, uniformly; listed only where trying fails."""
    action = sample_pick(state, rng) if state.phase == PICK else sample_build(state, rng)
    return action if action != NONE else sample_listed(state, tables, rng)


@jitable
def sample_listed(state: State, tables: Any, rng: IntArray) -> int:
    """One of all that are listed; apart, so that trying needs no room for a list."""
    actions = np.empty(ACTIONS, np.int64)
    count = legal(state, tables, actions)
    return int64(actions[chance.random_below(rng, count)])


@jitable
def apply(state: State, tables: Any, action: int) -> None:
    """Carry out a legal action."""
    if action < FIRST_BUILD:
        pick_blocks(state, action)
    elif action < REDRAW:
        block, slot, city = parts_of_build(action)
        build(state, block, slot, city)
    elif action == REDRAW:
        redraw(state)
    else:
        forfeit(state, action - FIRST_FORFEIT)


# These stand in files of their own.
score, winners, evaluate = scoring.score, scoring.winners, evaluation.evaluate


@jitable
def encode(state: State, tables: Any, code: int) -> int:
    """The action of a move code, or minus the reason against it."""
    kind = part(code, moves.KIND)
    if state.phase == OVER:
        return -GAME_OVER
    if state.phase == PICK:
        return encode_pick(state, code) if kind == moves.PICK_MOVE else -PICK_FIRST
    if kind == moves.PICK_MOVE:
        return -ALREADY_PICKED
    return encode_build(state, code) if kind == moves.BUILD_MOVE else encode_way_out(state, code)


@jitable
def decode(state: State, tables: Any, action: int) -> int:
    """The move code of a legal action."""
    if action < FIRST_BUILD:
        code = moves.PICK_MOVE | at(colour_to_pick(state), moves.COLOUR)
        for size in range(SIZES):
            code |= at(int64(PICKS[action, size]), moves.COUNTS[size])
        return code
    if action == REDRAW:
        return moves.REDRAW_MOVE
    if action > REDRAW:
        colour, size = colour_and_size(state.to_move, action - FIRST_FORFEIT)
        return moves.FORFEIT_MOVE | at(colour, moves.COLOUR) | at(size, moves.SIZE)
    block, slot, city = parts_of_build(action)
    colour, size = colour_and_size(state.to_move, block)
    card = int64(state.hands[state.to_move, slot])
    cell = int64(CELL_OF_CARD[state.to_move, card])
    site = at(city, moves.CITY) | at(cell, moves.CELL)
    what = at(colour, moves.COLOUR) | at(size, moves.SIZE) | at(card, moves.CARD)
    return moves.BUILD_MOVE | what | site
