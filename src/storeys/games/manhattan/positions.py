"""Towers in position dicts, and what of a position is checked on the way in."""

from typing import Any

import numpy as np

from storeys.games.manhattan import rules, scoring
from storeys.games.manhattan.moves import colour_label, seat_of_colour
from storeys.games.manhattan.observation import colours_in_play
from storeys.games.manhattan.scoring import CITY_POINTS, TALLEST_POINTS, TOWER_POINTS
from storeys.games.manhattan.state import (
    BLOCKS_OF_A_COLOUR,
    BUILD,
    CARD_OF_CELL,
    CELL_OF_CARD,
    CELLS,
    CITIES,
    HAND,
    NONE,
    OVER,
    PICK,
    SITES,
    SIZES,
    State,
)
from storeys.kernel.errors import StoreysError
from storeys.kernel.reading import Node
from storeys.kernel.record import IntArray, Records, fast_record

ALL = 4  # all colours together, after each of them


def towers(state: State) -> list[list[list[list[int]]]]:
    """What stands on each site of each city: blocks as colour and size, from the ground up."""
    sites: list[list[list[int]]] = [[] for _ in range(SITES)]
    for block in state.laid[: state.laid_count].tolist():
        sites[block >> 4].append([(block >> 2) & 3, (block & 3) + 1])
    return [sites[city * CELLS : (city + 1) * CELLS] for city in range(len(CITIES))]


def read_towers(towers: Node, state: State) -> None:
    """Build everything again, block by block."""
    for city, cells in enumerate(towers.items(len(CITIES))):
        for cell, tower in enumerate(cells.items(CELLS)):
            for block in tower.items():
                _read_block(block, state, city * CELLS + cell)


def _read_block(block: Node, state: State, site: int) -> None:
    colour_at, size_at = block.items(2)
    colour, size = colour_at.whole(0, 3), size_at.whole(1, SIZES) - 1
    if colour >= colours_in_play(state):
        raise _wrong(block, "absent", "M-21", colour)
    if state.laid_count == state.laid.size:
        raise block.fail("manhattan.position.too-many", "M-3", n=state.laid.size)
    if not rules.may_build(state, colour, size, site):
        raise _wrong(block, "takeover", "M-14", colour)
    rules.lay_block(state, colour, size, site)


def _wrong(where: Node, what: str, rule: str, colour: int, **facts: Any) -> StoreysError:
    """The error that says what is wrong with a colour."""
    return where.fail(f"manhattan.position.{what}", rule, colour=colour_label(colour), **facts)


def check(position: Node, state: State, tables: Any) -> None:
    """Whether the rules can have led here with the pieces of the box."""
    if state.redrawn and state.phase != BUILD:
        raise position["redrawn"].fail("manhattan.position.redrawn", "M-R1")
    if state.pile_size == 0:
        raise position["pile"].fail("manhattan.position.empty-pile", "M-7")
    gone = _check_blocks(position, state, tables)
    _check_turn_order(position, state)
    _check_given_up(position["towers"], state, gone)
    _check_played(position, state, tables, gone)
    _check_points(position["scores"], state)


# --- blocks


def _check_blocks(position: Node, state: State, tables: Any) -> IntArray:
    """Stock, picks and towers; answers the blocks that are nowhere, by colour and size."""
    for key, counts in (("stock", state.stock), ("picked", state.picked)):
        for colour in range(colours_in_play(state), 4):
            if counts[colour].any():
                raise _wrong(list(position[key].items())[colour], "absent", "M-21", colour)
    built = np.bincount(state.laid[: state.laid_count] & 15, minlength=4 * SIZES)
    used: IntArray = state.stock + state.picked + built.reshape(4, SIZES)
    gone: IntArray = tables.blocks - used
    for colour, size in np.argwhere(gone < 0).tolist():
        facts = {"size": size + 1, "found": int(used[colour, size]), "n": int(tables.blocks[size])}
        raise _wrong(position, "blocks", "M-3", colour, **facts)
    return gone[: colours_in_play(state)]


def _check_turn_order(position: Node, state: State) -> None:
    """M-8 … M-10: what is picked and in stock must fit the round, the phase and whose turn it is.

    Blocks that are nowhere were given up (M-R1), so only what is left of a pick can be checked.
    """
    for colour in range(colours_in_play(state)):
        picked, stock = int(state.picked[colour].sum()), int(state.stock[colour].sum())
        picks_made = state.round_no - (state.phase == PICK and picked == 0)
        expected = BLOCKS_OF_A_COLOUR - picks_made * state.pick_size
        if stock != expected:
            raise _wrong(position["stock"], "stock", "M-8", colour, found=stock, n=expected)
        if state.phase == PICK and picked != _picked_before_turn(state, colour):
            raise _wrong(position["picked"], "picked", "M-8", colour)
    if state.phase != PICK:
        _check_blocks_left(position["picked"], state)


def _place(state: State, seat: int) -> int:
    """How many seats come before a seat in this round."""
    return (seat - state.starter) % state.players


def _picked_before_turn(state: State, colour: int) -> int:
    """How many picked blocks a colour has in the pick phase; of two, the lower one is first."""
    seat = seat_of_colour(state.players, colour)
    done = _place(state, seat) < _place(state, state.to_move)
    if seat == state.to_move and state.players == 2 and colour < 2:
        done = bool(state.picked[colour].any())
    return state.pick_size if done else 0


def _check_blocks_left(picked: Node, state: State) -> None:
    """M-9: who has played this round already has one block fewer than who has not."""
    seats = range(state.players)
    left = [int(state.picked[seat :: state.players].sum()) for seat in seats]  # M-22: two colours
    expected = [0 for _ in seats]
    if state.phase != OVER:
        turn, waiting = _place(state, state.to_move), left[state.to_move]
        expected = [waiting - (_place(state, seat) < turn) for seat in seats]
        if not 1 <= waiting <= state.pick_size * rules.halves(state):
            raise picked.fail("manhattan.position.nothing-left", "M-10")
    if left != expected or state.picked.sum(axis=1).max() > state.pick_size:
        raise picked.fail("manhattan.position.turns", "M-9")


# --- hands that allowed nothing


def _check_given_up(towers: Node, state: State, gone: IntArray) -> None:
    """M-R1: blocks that are nowhere were given up, which nothing asks for on an empty board.

    On any other, the hands of the past would tell.
    """
    if state.laid_count == 0:
        for colour, size in np.argwhere(gone).tolist():
            found = int(gone[colour, size])
            raise _wrong(towers, "given-up", "M-R1", colour, size=size + 1, found=found)


def _check_played(position: Node, state: State, tables: Any, gone: IntArray) -> None:
    """M-9: a card is played for every block built, and more only where a hand was redrawn.

    Fewer lie there after a new pile was made of them (M-7).
    """
    if state.redrawn:
        _check_redrawn(position["redrawn"], state, tables)
        return
    played, built = int(state.discard.sum()), state.laid_count
    if played > built and not gone.any() and not _may_have_been_redrawn(state, tables):
        facts = {"built": built, "found": played}
        raise position["discard"].fail("manhattan.position.played", "M-9", **facts)


def _may_have_been_redrawn(state: State, tables: Any) -> bool:
    """M-R1: whether some hand may have had no place even for a block of one.

    Towers only grow, so where a block was too low somebody else has more storeys to this day.
    """
    for colour in range(colours_in_play(state)):
        rivals = np.delete(state.storeys, colour, axis=1).max(axis=1).reshape(len(CITIES), CELLS)
        seat = seat_of_colour(state.players, colour)
        cards = CARD_OF_CELL[seat, np.flatnonzero(rivals.min(axis=0) > 1)]
        if tables.copies[cards].sum() >= HAND:
            return True
    return False


def _check_redrawn(redrawn: Node, state: State, tables: Any) -> None:
    """M-R1: the four cards shown allow nothing on this board, and lie among the played ones.

    If the pile was used up meanwhile, they are in the new one (M-7), and nothing is played.
    """
    stuck = [card for card in range(CELLS) if _allows_nothing(state, card)]
    where = state.discard
    if not where.any():
        others = np.delete(state.hands, state.to_move, axis=0)
        where = tables.copies - np.bincount(others[others != NONE], minlength=CELLS)
    if int(where[stuck].sum()) < HAND:
        raise redrawn.fail("manhattan.position.redrawn-hand", "M-R1", n=HAND)


def _allows_nothing(state: State, card: int) -> bool:
    """Whether no picked block of who is to move can go where a card says, in any city."""
    sites = range(int(CELL_OF_CARD[state.to_move, card]), SITES, CELLS)
    return not any(
        rules.may_build(state, colour, size, site)
        for colour, size in np.argwhere(state.picked).tolist()
        if seat_of_colour(state.players, colour) == state.to_move
        for site in sites
    )


# --- points


def _check_points(scores: Node, state: State) -> None:
    """M-10, M-16 … M-18: no more than the rounds scored so far can have given, and no less."""
    if state.players == 3 and state.points[3]:
        raise _wrong(scores, "absent", "M-21", 3)
    scored = state.round_no - (state.phase != OVER)
    all_picked = state.pick_size * colours_in_play(state)
    unchanged = state.phase != BUILD or state.picked.sum() == all_picked  # since the last scoring
    last_is_known = bool(scored > 0 and unchanged)
    earlier = scored - last_is_known
    last = _points_of_board(state) if last_is_known else np.zeros(4, int)
    fewest = np.append(last, last.sum())
    most = fewest + _most_points(state, earlier)
    fewest[ALL] += earlier * TOWER_POINTS  # in every scoring there is a tower
    found = np.append(state.points, state.points.sum())
    for nth in np.flatnonzero((found < fewest) | (found > most)).tolist():
        facts = {"found": int(found[nth]), "low": int(fewest[nth]), "high": int(most[nth])}
        if nth == ALL:
            raise scores.fail("manhattan.position.all-points", "M-10", **facts)
        raise _wrong(scores, "points", "M-10", nth, **facts)


def _points_of_board(state: Any) -> IntArray:
    """What a scoring of the board as it stands gives, by colour."""
    states: Records = state.states.copy()
    states["points"] = 0
    scoring.score_round(fast_record(states))
    points: IntArray = states["points"][0]
    return points


def _most_points(state: State, scorings: int) -> IntArray:
    """What the first so many scorings can have given: each colour, then all together.

    Towers stay, so whoever had one in a scoring has a block there now.
    """
    there = np.column_stack([state.storeys, state.height]) > 0
    sites, cities = there.sum(axis=0), there.reshape(len(CITIES), CELLS, 5).any(axis=1).sum(axis=0)
    blocks = np.outer(range(1, scorings + 1), [1, 1, 1, 1, 4]) * state.pick_size  # built till then
    towers = np.minimum(sites, blocks).sum(axis=0)
    each = TALLEST_POINTS * (sites > 0) + CITY_POINTS * cities
    most: IntArray = scorings * each + TOWER_POINTS * towers
    return most
