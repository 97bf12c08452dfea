"""Girder Lane's state and rules: set-up, a turn, the end.  The ids are those of rules.md."""

from typing import Any

import numpy as np

from storeys.kernel import observing as seen
from storeys.kernel import zones
from storeys.kernel.chance import copy_counts
from storeys.kernel.compiling import jitable
from storeys.kernel.components import Pieces, tables_dtype
from storeys.kernel.moves import Cell, Choice, Kind, Notation, at, part, parts_after
from storeys.kernel.plain import Table
from storeys.kernel.record import IntArray, field, int64, record_dtype
from storeys.kernel.zones import NONE, draw_card, holds, play_card

MATERIALS = ("brick", "glass", "steel")
CARDS, HAND, SEATS = 54, 3, 4
SIDE = 7  # of the city: three squares in every direction from the first one
CENTRE, SQUARES = SIDE // 2, SIDE * SIDE
HIGHEST, MOST_GIRDERS = 8, 4
STOREYS, GIRDERS = (1, 2), 2  # that a tower is built with and grows by; that are ordered
SHORTEST_LANE, LANE_PRIZE = 3, 3
ROUNDS = {2: 14, 3: 12, 4: 10}  # by players
PHASES = ("turn", "over")
TURN, OVER = range(2)

BOX = (Pieces("cards", "card", MATERIALS, "copies", CARDS, "G-1", "copies"),)
TABLES = tables_dtype("girder-lane", __file__, BOX)
DECK = zones.Deck("copies", MATERIALS, "G-1")


class State(Table):
    """A match of Girder Lane."""

    owner: IntArray = zones.grid(SIDE, SIDE, most=SEATS - 1)  # the seat whose tower it is
    card: IntArray = zones.grid(SIDE, SIDE, most=len(MATERIALS) - 1, deck=DECK)  # its material
    height: IntArray = zones.grid(SIDE, SIDE, most=HIGHEST)  # its storeys
    girders: IntArray = zones.counts(SEATS, most=MOST_GIRDERS, by_seat=True)
    hands: IntArray = DECK.hands(HAND, sized=True)
    hand_size: IntArray = field("i2", SEATS)
    pile: IntArray = DECK.pile()
    pile_size: int = DECK.pile_size()


STATE = record_dtype("girder-lane", __file__, State)

BUILD, RAISE, ORDER = range(3)
KIND = (0, 3)
CARD, ROW, COL = parts_after(KIND, 2, 3, 3)
CITY = Cell(SIDE, SIDE, -CENTRE)
NOTATION = Notation(
    KIND,
    Kind("build", (CARD, ROW, COL), Choice("card", MATERIALS), CITY),
    Kind("raise", (ROW, COL), CITY),
    Kind("order", (CARD,), Choice("card", MATERIALS)),
)
FIRST_RAISE = len(MATERIALS) * SQUARES  # actions: builds by card and square, raises, orders
FIRST_ORDER = FIRST_RAISE + SQUARES
ACTIONS = FIRST_ORDER + len(MATERIALS)

NOT_IN_HAND, NO_SITE, NO_TOWER, ENDED = range(1, 5)
REFUSALS = {
    NOT_IN_HAND: ("G-3", "hand"),
    NO_SITE: ("G-4", "site"),
    NO_TOWER: ("G-5", "tower"),
    ENDED: ("G-8", "over"),
}


@jitable
def deal(state: State, tables: Any) -> None:
    """G-2: three cards for everybody, an empty city; seat 0 begins."""
    state.phase, state.round_no, state.to_move = TURN, 1, 0
    state.owner[:], state.card[:], state.height[:], state.hands[:] = NONE, NONE, NONE, NONE
    copy_counts(state.pile, tables.copies)
    state.pile_size = CARDS
    for seat in range(state.players):
        for _ in range(HAND):
            draw_card(state, seat)


@jitable
def is_site(state: State, row: int, col: int) -> bool:
    """G-4: whether a square is empty and beside a tower; the first one goes to the middle."""
    if state.card[row, col] != NONE:
        return False
    for r, c in ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
        if 0 <= r < SIDE and 0 <= c < SIDE and state.card[r, c] != NONE:
            return True
    return row == CENTRE and col == CENTRE


@jitable
def refusal(state: State, kind: int, card: int, row: int, col: int) -> int:
    """G-3 to G-6: the reason against a move, or 0."""
    if state.phase == OVER:
        return ENDED
    if kind == RAISE:
        if state.owner[row, col] != state.to_move or state.height[row, col] == HIGHEST:
            return NO_TOWER
        card = state.card[row, col]
    if not holds(state, state.to_move, card):
        return NOT_IN_HAND
    return NO_SITE if kind == BUILD and not is_site(state, row, col) else 0


@jitable
def end_turn(state: State) -> None:
    """G-7, G-8: draw a card; the next seat follows, or the match is over."""
    draw_card(state, state.to_move)
    state.to_move = (state.to_move + 1) % state.players
    if state.to_move == 0:
        state.round_no += 1
    if state.round_no > state.rounds:
        state.round_no, state.to_move, state.phase = state.rounds, NONE, OVER


# --- majorities: areas are districts, by their first square, then rows, then columns

FIRST_LANE = SQUARES
AREAS = FIRST_LANE + 2 * SIDE
_EAST = [(n, n + 1) for n in range(SQUARES) if n % SIDE < SIDE - 1]
NEIGHBOURS = np.array(_EAST + [(n, n + SIDE) for n in range(SQUARES - SIDE)])  # pairs of squares


@jitable
def districts(state: State) -> IntArray:
    """G-9: for every square the first square of its district, in reading order."""
    card, first = state.card.ravel(), np.arange(SQUARES)
    learnt = True
    while learnt:
        learnt = False
        for n in range(len(NEIGHBOURS)):
            a, b = NEIGHBOURS[n, 0], NEIGHBOURS[n, 1]
            if card[a] != NONE and card[a] == card[b] and first[a] != first[b]:
                first[a] = first[b] = min(first[a], first[b])
                learnt = True
    return first


@jitable
def areas_of(first: IntArray, row: int, col: int) -> tuple[int, int, int]:
    """G-9, G-10: the district, row and column of a square."""
    return first[row * SIDE + col], FIRST_LANE + row, FIRST_LANE + SIDE + col


@jitable
def measure(state: State, first: IntArray) -> IntArray:
    """G-9, G-10: for every area the storeys of each seat and, last, how many towers there are."""
    sizes = np.zeros((AREAS, SEATS + 1), np.int64)
    for row in range(SIDE):
        for col in range(SIDE):
            if state.card[row, col] != NONE:
                for area in areas_of(first, row, col):
                    sizes[area, state.owner[row, col]] += state.height[row, col]
                    sizes[area, SEATS] += 1
    return sizes


@jitable
def points(sizes: IntArray, area: int, seat: int, players: int) -> int:
    """G-9 to G-11: what a seat gets for an area."""
    own, better, level = sizes[area, seat], 0, 0
    for other in range(players):
        better += sizes[area, other] > own
        level += sizes[area, other] == own
    towers = sizes[area, SEATS]
    prize: int = towers if area < FIRST_LANE else LANE_PRIZE * (towers >= SHORTEST_LANE)
    if own == 0 or better > (0 if players == 2 else 1) or (better == 1 and level > 1):
        return 0
    return prize if better + level == 1 else prize // 2


@jitable
def parts_of(action: int) -> tuple[int, int, int, int]:
    """Kind, card, row and column of an action, 0 where it has none."""
    if action >= FIRST_ORDER:
        return ORDER, action - FIRST_ORDER, 0, 0
    kind = RAISE if action >= FIRST_RAISE else BUILD
    rest, col = divmod(action - kind * FIRST_RAISE, SIDE)
    return kind, rest // SIDE, rest % SIDE, col


@jitable
def legal(state: State, tables: Any, out: IntArray) -> int:
    """G-3: all legal actions."""
    count = 0
    for action in range(ACTIONS):
        kind, card, row, col = parts_of(action)
        if refusal(state, kind, card, row, col) == 0:
            out[count] = action
            count += 1
    return count


@jitable
def apply(state: State, tables: Any, action: int) -> None:
    """G-4 to G-6: build, raise or order; then draw."""
    kind, card, row, col = parts_of(action)
    seat, card = state.to_move, state.card[row, col] if kind == RAISE else card
    play_card(state, seat, card)
    if kind == BUILD:
        state.card[row, col], state.owner[row, col], state.height[row, col] = card, seat, 0
    else:
        state.pile[card] += 1
        state.pile_size += 1
    if kind == ORDER:
        state.girders[seat] = min(MOST_GIRDERS, state.girders[seat] + GIRDERS)
    else:
        height = state.height[row, col] + STOREYS[kind] + state.girders[seat]
        state.height[row, col], state.girders[seat] = min(HIGHEST, height), 0
    end_turn(state)


@jitable
def score(state: State, tables: Any, out: IntArray) -> None:
    """G-11: what everybody gets for all areas."""
    out[:] = 0
    sizes = measure(state, districts(state))
    for area in range(AREAS):
        for seat in range(state.players):
            out[seat] += points(sizes, area, seat, state.players)


@jitable
def encode(state: State, tables: Any, code: int) -> int:
    """The action of a move code, or minus the reason against it."""
    kind, card, row, col = part(code, KIND), part(code, CARD), part(code, ROW), part(code, COL)
    reason = refusal(state, kind, card, row, col)
    if reason:
        return -reason
    if kind == ORDER:
        return FIRST_ORDER + card
    return kind * FIRST_RAISE + (card * SIDE + row) * SIDE + col


@jitable
def decode(state: State, tables: Any, action: int) -> int:
    """The move code of an action."""
    kind, card, row, col = parts_of(int64(action))
    return kind | at(card, CARD) | at(row, ROW) | at(col, COL)


@jitable
def observe_city(state: State, tables: Any, seat: int, out: IntArray, place: int) -> None:
    """Storeys by square for each seat counted from the viewer, then the materials."""
    for row in range(SIDE):
        for col in range(SIDE):
            if state.card[row, col] != NONE:
                nth = (state.owner[row, col] - max(seat, 0)) % state.players
                square = place + row * SIDE + col
                out[square + nth * SQUARES] = state.height[row, col] / HIGHEST
                out[square + (SEATS + state.card[row, col]) * SQUARES] = 1


_STOREYS = seen.Plane("storeys", (SEATS, SIDE, SIDE), HIGHEST, "by seat, row and column")
_MATERIALS = seen.Plane("materials", (len(MATERIALS), SIDE, SIDE), 1, "by kind, row and column")
OBSERVATION = seen.Observation(
    (
        seen.Written(observe_city, _STOREYS, _MATERIALS),
        seen.Held("hand", HAND, len(MATERIALS), "own cards: slot, material"),
        seen.Numbers("girders", (SEATS,), MOST_GIRDERS, "girders, by seat", by_seat=True),
        seen.Number("pile", CARDS, "cards in the pile", of="pile_size"),
        seen.OneSeat("to_move", "the seat to move"),
        seen.Number("round", max(ROUNDS.values()), "the round", of="round_no"),
        seen.OneHot("players", 3, "2, 3, 4 players", first=2),
    )
)
