"""What is hidden, field by field: blinding wipes it, and dealing it afresh makes it whole again.

Of Manhattan's cards a blinded state tells only which ones a seat cannot see, wherever they are.
"""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import storeys
from storeys.kernel import chance, entry_points
from tests.test_sampling import before_move, replayed

NONE = -1
TILE_GAMES = [("cloud-city", "3-3x3-blue-buildings+balanced-nl"), ("neoville", "3-bus+windmill")]


def some_match(name: str, variant: str) -> storeys.Match:
    """A match of three, well under way."""
    return before_move(replayed(name, variant), 20)


def redealt(match: storeys.Match, seat: int, seed: int = 1) -> Any:
    """The record of a match whose hidden things were dealt afresh for a seat, or for nobody."""
    states = match.blinded(None if seat == NONE else seat)
    entry_points.redeal(states, match._tables, seat, chance.generator(seed))
    return states[0]


def check_no_stream(state: Any) -> None:
    assert not np.any(state.key)
    assert not np.any(state.words)
    assert (state.nonce, state.counter) == (chance.FORGOTTEN, 0)


# --- Manhattan


@pytest.mark.rule("M-5")
@pytest.mark.parametrize("seat", [NONE, 0, 2])
def test_manhattan_blinded(seat: int) -> None:
    match = some_match("manhattan", "3-shared-4x6")
    state, full = match.blinded(None if seat == NONE else seat)[0], match.state()[0]
    for other in range(3):
        expected = full.hands[other].tolist() if other == seat else [NONE] * 4
        assert state.hands[other].tolist() == expected
    hidden = [card for other in range(3) if other != seat for card in full.hands[other]]
    assert state.pile.tolist() == (full.pile + np.bincount(hidden, minlength=9)).tolist()
    assert state.pile_size == full.pile_size
    check_no_stream(state)


@pytest.mark.parametrize("seat", [NONE, 0, 2])
def test_manhattan_redealt(seat: int) -> None:
    """Hands, pile and played cards are the 45 cards of the box, five of each."""
    match = some_match("manhattan", "3-shared-4x6")
    state, other = redealt(match, seat), redealt(match, seat, seed=2)
    assert (state.hands[:3] >= 0).all()
    in_hands = np.bincount(state.hands[:3].ravel(), minlength=9)
    assert (in_hands + state.pile + state.discard).tolist() == [5] * 9
    assert state.pile.sum() == state.pile_size
    if seat != NONE:
        assert state.hands[seat].tolist() == match.state()[0].hands[seat].tolist()
    assert state.hands.tolist() != other.hands.tolist()
    assert state.key.tolist() != other.key.tolist()
    assert state.key.any()


def test_manhattan_deals_the_last_cards_to_the_last_slot_too() -> None:
    match = some_match("manhattan", "3-shared-4x6")
    cards = {int(redealt(match, NONE, seed).hands[2][3]) for seed in range(60)}
    assert {7, 8} & cards


# --- tile games


@pytest.mark.rule("C-R3", "N-R3")
@pytest.mark.parametrize("seat", [NONE, 0, 2])
@pytest.mark.parametrize(("name", "variant"), TILE_GAMES)
def test_tiles_blinded(name: str, variant: str, seat: int) -> None:
    """Of other hands only what was taken from the row is left, and lies first."""
    match = some_match(name, variant)
    state, full = match.blinded(None if seat == NONE else seat)[0], match.state()[0]
    for other in range(3):
        if other == seat:
            assert state.hands[other].tolist() == full.hands[other].tolist()
            assert state.shown[other].tolist() == full.shown[other].tolist()
            continue
        known = [t for t, s in zip(full.hands[other], full.shown[other], strict=True) if s == 1]
        assert state.hands[other].tolist() == [*known, NONE, NONE, NONE][:3]
        assert state.shown[other].tolist() == [*(1 for _ in known), 0, 0, 0][:3]
        assert state.hand_size[other] == full.hand_size[other]
    assert (state.pile == NONE).all()
    assert state.pile_size == full.pile_size
    check_no_stream(state)


@pytest.mark.parametrize("seat", [NONE, 0, 2])
@pytest.mark.parametrize(("name", "variant"), TILE_GAMES)
def test_tiles_redealt(name: str, variant: str, seat: int) -> None:
    """Every tile that belongs to nobody lies in one place: city, hand, row or pile."""
    match = some_match(name, variant)
    state, other = redealt(match, seat), redealt(match, seat, seed=2)
    numbered = match._tables[0].numbered
    assert tiles_of(state, numbered) == tiles_of(match.state()[0], numbered)
    assert set(tiles_of(state, numbered).values()) == {1}
    assert state.pile_size == match.state()[0].pile_size
    assert state.key.tolist() != other.key.tolist()
    if seat == NONE:
        assert state.hands.tolist() != other.hands.tolist()
    else:
        assert state.hands[seat].tolist() == match.state()[0].hands[seat].tolist()


def tiles_of(state: Any, numbered: Any) -> Counter[int]:
    tiles = [tile for seat in range(3) for tile in state.laid[seat, : state.laid_count[seat], 0]]
    tiles += [tile for seat in range(3) for tile in state.hands[seat, : state.hand_size[seat]]]
    tiles += [*state.row[: state.row_size], *state.pile[: state.pile_size]]
    return Counter(int(tile) for tile in tiles if numbered[tile] == 0)
