"""Manhattan's rules, in the order of a rulebook: set-up, picking, building, cards, the round's end.

Plain functions over the record of :mod:`state`, compiled by Numba; the ids are those of
docs/rules/manhattan.md.  The verbs that the rest of the house calls stand at the end, in the order
in which every game has them; ``score`` and ``winners`` come from :mod:`scoring`,
``observe`` from :mod:`observation`, ``evaluate`` from :mod:`evaluation`.
"""

from typing import Any

import numpy as np

from storeys.games.manhattan.evaluation import evaluate
from storeys.games.manhattan.moves import (
    BUILD_MOVE,
    CARD,
    CELL,
    CITY,
    COLOUR,
    COUNTS,
    FORFEIT_MOVE,
    KIND,
    PICK_MOVE,
    REDRAW_MOVE,
    SIZE,
    seat_of_colour,
)
from storeys.games.manhattan.scoring import score, score_round, winners
from storeys.games.manhattan.state import (
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
from storeys.kernel.chance import (
    below,
    copy_counts,
    draw_from_counts,
    random_below,
)
from storeys.kernel.compiling import jit, jitable
from storeys.kernel.moves import at, part
from storeys.kernel.record import IntArray, int64

__all__ = [
    "apply",
    "deal",
    "decode",
    "encode",
    "evaluate",
    "legal",
    "sample",
    "score",
    "winners",
]  # fmt: skip

CITY_COUNT = len(CITIES)

# Why a move is refused; moves are refused by these numbers and explained by `refusals`.
(
    GAME_OVER,
    PICK_FIRST,
    ALREADY_PICKED,
    NOT_YOUR_COLOUR,
    WRONG_NUMBER,
    NOT_IN_STOCK,
    NOT_PICKED,
    WRONG_CELL,
    NOT_IN_HAND,
    TOO_LOW,
    CAN_BUILD,
    REDRAWN_ALREADY,
    REDRAW_FIRST,
) = range(1, 14)


# --- set-up


@jit
def deal(state: State, tables: Any) -> None:
    """M-3, M-5: full stocks, a random start player, four hidden cards for everyone."""
    clear(state)
    for colour in range(4):
        if state.players != 3 or colour < 3:
            copy_counts(state.stock[colour], tables.blocks)
    state.starter = below(state, state.players)
    state.to_move = state.starter
    state.round_no = 1
    copy_counts(state.pile, tables.copies)
    state.pile_size = tables.copies.sum()
    for seat in range(state.players):
        deal_hand(state, seat)


@jitable
def clear(state: State) -> None:
    """An empty board, no cards, no points; the options stay."""
    state.phase = PICK
    state.redrawn = 0
    state.owner[:] = NONE
    state.height[:] = 0
    state.storeys[:] = 0
    state.laid_count = 0
    state.laid[:] = 0
    state.stock[:] = 0
    state.picked[:] = 0
    state.hands[:] = NONE
    state.discard[:] = 0
    state.points[:] = 0
    state.scored = 0
    state.built[:] = 0
    state.tallest[:] = NONE
    state.tallest_owner[:] = NONE
    state.majority[:] = NONE
    state.towers[:] = 0


# --- cards


@jit
def deal_hand(state: State, seat: int) -> None:
    """Draw four cards one by one."""
    for slot in range(HAND):
        draw_card(state, seat, slot)


@jit
def draw_card(state: State, seat: int, slot: int) -> None:
    """M-7, M-9: draw a card; as soon as the pile is empty the played cards are a new one."""
    state.hands[seat, slot] = draw_from_counts(state, state.pile, state.pile_size)
    state.pile_size -= 1
    refill_pile(state)


@jit
def refill_pile(state: State) -> None:
    """M-7: make a new pile of the played cards if the pile is empty."""
    if state.pile_size == 0:
        copy_counts(state.pile, state.discard)
        state.pile_size = state.discard.sum()
        state.discard[:] = 0


@jit
def play_card(state: State, seat: int, slot: int) -> None:
    """M-7: a played card lies open; a new one takes its place in the hand at once."""
    state.discard[state.hands[seat, slot]] += 1


@jitable
def is_first_of_its_kind(state: State, seat: int, slot: int) -> bool:
    """Whether a hand slot holds a card that no earlier slot holds: equal cards are one choice."""
    card = state.hands[seat, slot]
    for earlier in range(slot):  # noqa: SIM110 — compiled code has no generators
        if state.hands[seat, earlier] == card:
            return False
    return True


@jit
def slot_of_card(state: State, seat: int, card: int) -> int:
    """The first hand slot that holds a card, or NONE."""
    for slot in range(HAND):
        if state.hands[seat, slot] == card:
            return slot
    return NONE


# --- picking blocks


@jitable
def colour_of_half(seat: int, half: int) -> int:
    """M-22: the first or the second colour of a seat."""
    return seat + 2 * half


@jit
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
def first_pick(state: State) -> int:
    """The first action among the picks of this game's size (M-8, M-21, M-22)."""
    return 0 if state.pick_size == 6 else FIRST_PICK_OF_4


@jitable
def end_of_picks(state: State) -> int:
    """The action after the last pick of this game's size."""
    return FIRST_PICK_OF_4 if state.pick_size == 6 else FIRST_BUILD


@jit
def pick_blocks(state: State, pick: int) -> None:
    """M-8: take blocks out of the stock; after the last seat's pick the building begins."""
    colour = colour_to_pick(state)
    for size in range(SIZES):
        state.stock[colour, size] -= PICKS[pick, size]
        state.picked[colour, size] += PICKS[pick, size]
    if state.players == 2 and colour < 2:
        return
    state.to_move = next_seat(state)
    if state.to_move == state.starter:
        state.phase = BUILD


# --- building


@jitable
def may_build(state: State, colour: int, size: int, site: int) -> bool:
    """M-13, M-14: free on empty sites and own towers; elsewhere own at least as many storeys."""
    owner = state.owner[site]
    if owner in (NONE, colour):
        return True
    return bool(state.storeys[site, colour] + size + 1 >= state.storeys[site, owner])


@jit
def can_build(state: State) -> bool:
    """M-R1: whether any card and any picked block of the seat to move allow a placement."""
    seat = state.to_move
    for half in range(halves(state)):
        colour = colour_of_half(seat, half)
        for size in range(SIZES):
            if state.picked[colour, size] and can_place(state, seat, colour, size):
                return True
    return False


@jit
def can_place(state: State, seat: int, colour: int, size: int) -> bool:
    """Whether any card in hand allows a placement of this block."""
    for slot in range(HAND):
        cell = CELL_OF_CARD[seat, state.hands[seat, slot]]
        for city in range(CITY_COUNT):
            if may_build(state, colour, size, city * CELLS + cell):
                return True
    return False


@jitable
def halves(state: State) -> int:
    """How many colours a seat has."""
    return 2 if state.players == 2 else 1


@jit
def build(state: State, colour: int, size: int, site: int, slot: int) -> None:
    """M-9, M-12: play a card, put the block on top, draw a card."""
    seat = state.to_move
    play_card(state, seat, slot)
    state.picked[colour, size] -= 1
    lay_block(state, colour, size, site)
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


@jit
def redraw(state: State) -> None:
    """M-R1: show and discard the hand, draw four new cards one by one."""
    seat = state.to_move
    for slot in range(HAND):
        play_card(state, seat, slot)
    deal_hand(state, seat)
    state.redrawn = 1


@jit
def forfeit(state: State, colour: int, size: int) -> None:
    """M-R1: give up a picked block unbuilt."""
    state.picked[colour, size] -= 1
    end_turn(state)


# --- the end of a turn and of a round


@jitable
def next_seat(state: State) -> int:
    """M-9: clockwise."""
    return (state.to_move + 1) % state.players


@jit
def end_turn(state: State) -> None:
    """M-10: the round ends when nobody has a picked block left."""
    state.redrawn = 0
    state.to_move = next_seat(state)
    if state.picked.sum() == 0:
        end_round(state)


@jit
def end_round(state: State) -> None:
    """M-10, M-11, M-19, M-21: score; pass the marker on, or end the game after the last round."""
    score_round(state)
    if state.round_no == state.rounds:
        state.phase = OVER
        state.to_move = NONE
        return
    state.round_no += 1
    state.starter = (state.starter + 1) % state.players
    state.to_move = state.starter
    state.phase = PICK


# --- actions


@jitable
def build_action(half: int, slot: int, size: int, city: int) -> int:
    """The action of a build."""
    return FIRST_BUILD + ((half * HAND + slot) * SIZES + size) * CITY_COUNT + city


@jitable
def parts_of_build(action: int) -> tuple[int, int, int, int]:
    """Half, hand slot, size and city of a build."""
    rest, city = divmod(action - FIRST_BUILD, CITY_COUNT)
    rest, size = divmod(rest, SIZES)
    half, slot = divmod(rest, HAND)
    return half, slot, size, city


@jit
def legal_picks(state: State, out: IntArray) -> int:
    """List the picks."""
    count = 0
    colour = colour_to_pick(state)
    for pick in range(first_pick(state), end_of_picks(state)):
        if is_in_stock(state, colour, pick):
            out[count] = pick
            count += 1
    return count


@jit
def legal_builds(state: State, out: IntArray) -> int:
    """List the placements."""
    count = 0
    seat = state.to_move
    for half in range(halves(state)):
        colour = colour_of_half(seat, half)
        for slot in range(HAND):
            if not is_first_of_its_kind(state, seat, slot):
                continue
            cell = CELL_OF_CARD[seat, state.hands[seat, slot]]
            for size in range(SIZES):
                if state.picked[colour, size] == 0:
                    continue
                for city in range(CITY_COUNT):
                    if may_build(state, colour, size, city * CELLS + cell):
                        out[count] = build_action(half, slot, size, city)
                        count += 1
    return count


@jit
def legal_ways_out(state: State, out: IntArray) -> int:
    """M-R1: with no placement, redraw once; after that, each block that can be given up."""
    if not state.redrawn:
        out[0] = REDRAW
        return 1
    count = 0
    for half in range(halves(state)):
        for size in range(SIZES):
            if state.picked[colour_of_half(state.to_move, half), size] > 0:
                out[count] = FIRST_FORFEIT + half * SIZES + size
                count += 1
    return count


@jit
def sample_build(state: State, rng: IntArray) -> int:
    """A random placement, by trying card × block × city; NONE after too many refusals.

    Every try is uniform over all triples of a card type in hand, a picked block type and a city,
    so what passes M-14 is uniform over the legal placements.
    """
    seat = state.to_move
    slots, slot_count = 0, 0  # two bits each
    for slot in range(HAND):
        if is_first_of_its_kind(state, seat, slot):
            slots |= slot << (2 * slot_count)
            slot_count += 1
    blocks, block_count = 0, 0  # half and size, three bits each
    for half in range(halves(state)):
        for size in range(SIZES):
            if state.picked[colour_of_half(seat, half), size] > 0:
                blocks |= (half * SIZES + size) << (3 * block_count)
                block_count += 1
    for _ in range(24):
        rest, city = divmod(random_below(rng, slot_count * block_count * CITY_COUNT), CITY_COUNT)
        nth_block, nth_slot = divmod(rest, slot_count)
        slot = (slots >> (2 * nth_slot)) & 3
        half, size = divmod((blocks >> (3 * nth_block)) & 7, SIZES)
        site = city * CELLS + CELL_OF_CARD[seat, state.hands[seat, slot]]
        if may_build(state, colour_of_half(seat, half), size, site):
            return build_action(half, slot, size, city)
    return NONE


@jit
def sample_pick(state: State, rng: IntArray) -> int:
    """A random pick, by trying; NONE after too many refusals."""
    colour = colour_to_pick(state)
    first, count = first_pick(state), end_of_picks(state) - first_pick(state)
    for _ in range(8):
        pick = first + random_below(rng, count)
        if is_in_stock(state, colour, pick):
            return pick
    return NONE


# --- why a move is refused


@jit
def refusal(state: State, code: int) -> int:
    """The reason against a move code, or 0 if it is legal."""
    if state.phase == OVER:
        return GAME_OVER
    kind = part(code, KIND)
    if state.phase == PICK:
        return refusal_of_pick(state, code) if kind == PICK_MOVE else PICK_FIRST
    if kind == PICK_MOVE:
        return ALREADY_PICKED
    if kind == BUILD_MOVE:
        return refusal_of_build(state, code)
    return refusal_of_way_out(state, code)


@jit
def refusal_of_pick(state: State, code: int) -> int:
    """M-8, M-22: the right colour, the right number, and all of it in stock."""
    colour = part(code, COLOUR)
    if colour != colour_to_pick(state):
        return NOT_YOUR_COLOUR
    total = 0
    for size in range(SIZES):
        total += part(code, COUNTS[size])
    if total != state.pick_size:
        return WRONG_NUMBER
    for size in range(SIZES):
        if part(code, COUNTS[size]) > state.stock[colour, size]:
            return NOT_IN_STOCK
    return 0


@jit
def refusal_of_block(state: State, code: int) -> int:
    """M-9: the block must be one of one's own picked ones."""
    colour = part(code, COLOUR)
    if seat_of_colour(state.players, colour) != state.to_move:
        return NOT_YOUR_COLOUR
    return NOT_PICKED if state.picked[colour, part(code, SIZE)] == 0 else 0


@jit
def refusal_of_build(state: State, code: int) -> int:
    """M-6, M-9, M-14: own block, own card, the site it names, enough storeys."""
    reason = refusal_of_block(state, code)
    if reason != 0:
        return reason
    seat, card, cell = state.to_move, part(code, CARD), part(code, CELL)
    if CELL_OF_CARD[seat, card] != cell:
        return WRONG_CELL
    if slot_of_card(state, seat, card) == NONE:
        return NOT_IN_HAND
    site = part(code, CITY) * CELLS + cell
    return 0 if may_build(state, part(code, COLOUR), part(code, SIZE), site) else TOO_LOW


@jit
def refusal_of_way_out(state: State, code: int) -> int:
    """M-R1: only without a placement; redraw once, then give up a block."""
    if can_build(state):
        return CAN_BUILD
    if part(code, KIND) == REDRAW_MOVE:
        return REDRAWN_ALREADY if state.redrawn else 0
    return refusal_of_block(state, code) if state.redrawn else REDRAW_FIRST


# --- the verbs


@jit
def legal(state: State, tables: Any, out: IntArray) -> int:
    """All legal actions, ascending."""
    if state.phase == OVER:
        return 0
    if state.phase == PICK:
        return legal_picks(state, out)
    count = legal_builds(state, out)
    return count if count > 0 else legal_ways_out(state, out)


@jit
def sample(state: State, tables: Any, rng: IntArray) -> int:
    """One legal action, uniformly; listed only where trying fails."""
    action = sample_pick(state, rng) if state.phase == PICK else sample_build(state, rng)
    if action != NONE:
        return action
    actions = np.empty(ACTIONS, np.int64)
    count = legal(state, tables, actions)
    return int64(actions[random_below(rng, count)])


@jit
def apply(state: State, tables: Any, action: int) -> None:
    """Carry out a legal action."""
    if action < FIRST_BUILD:
        pick_blocks(state, action)
    elif action < REDRAW:
        half, slot, size, city = parts_of_build(action)
        seat = state.to_move
        site = city * CELLS + CELL_OF_CARD[seat, state.hands[seat, slot]]
        build(state, colour_of_half(seat, half), size, site, slot)
    elif action == REDRAW:
        redraw(state)
    else:
        half, size = divmod(action - FIRST_FORFEIT, SIZES)
        forfeit(state, colour_of_half(state.to_move, half), size)


@jit
def encode(state: State, tables: Any, code: int) -> int:
    """The action of a move code, or minus the reason against it."""
    reason = refusal(state, code)
    if reason != 0:
        return -reason
    kind = part(code, KIND)
    if kind == PICK_MOVE:
        return action_of_pick(state, code)
    if kind == REDRAW_MOVE:
        return REDRAW
    half, size = (part(code, COLOUR) - state.to_move) // 2, part(code, SIZE)
    if kind == FORFEIT_MOVE:
        return FIRST_FORFEIT + half * SIZES + size
    slot = slot_of_card(state, state.to_move, part(code, CARD))
    return build_action(half, slot, size, part(code, CITY))


@jit
def action_of_pick(state: State, code: int) -> int:
    """Find a pick among the actions."""
    for pick in range(first_pick(state), end_of_picks(state)):
        same = True
        for size in range(SIZES):
            same &= PICKS[pick, size] == part(code, COUNTS[size])
        if same:
            return pick
    return NONE


@jit
def decode(state: State, tables: Any, action: int) -> int:
    """The move code of a legal action."""
    seat = state.to_move
    if action < FIRST_BUILD:
        n = PICKS[action]
        code = PICK_MOVE | at(colour_to_pick(state), COLOUR)
        for size in range(SIZES):
            code |= at(int64(n[size]), COUNTS[size])
        return code
    if action == REDRAW:
        return REDRAW_MOVE
    if action > REDRAW:
        half, size = divmod(action - FIRST_FORFEIT, SIZES)
        return FORFEIT_MOVE | at(colour_of_half(seat, half), COLOUR) | at(size, SIZE)
    half, slot, size, city = parts_of_build(action)
    card = int64(state.hands[seat, slot])
    colour = colour_of_half(seat, half)
    block = at(colour, COLOUR) | at(size, SIZE)
    site = at(city, CITY) | at(int64(CELL_OF_CARD[seat, card]), CELL)
    return BUILD_MOVE | block | site | at(card, CARD)
