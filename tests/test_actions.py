"""Actions of the fixed action space, the moves they stand for, and what a table takes back."""

import random

import numpy as np
import pytest

import storeys
from storeys import IllegalMove, NotAMove
from storeys.registry import get_game

GAMES = storeys.game_names()


def midway(name: str, players: int, moves: int, seed: int = 5) -> storeys.Match:
    """A match after some random moves."""
    match, rng = storeys.new(name, players=players, seed=seed), random.Random(seed)
    for _ in range(moves):
        match.push(rng.choice(match.legal_moves))
    return match


@pytest.mark.parametrize(
    ("name", "players"), [(name, n) for name in GAMES for n in get_game(name).seats]
)
def test_actions_and_moves_are_each_other_reversed(name: str, players: int) -> None:
    """Over a whole match: every legal move is one legal action, and the other way round."""
    match, rng = storeys.new(name, players=players, seed=3), random.Random(3)
    while match.to_move is not None:
        moves = list(match.legal_moves)
        actions = [match.action_of(move) for move in moves]
        assert sorted(actions) == np.flatnonzero(match.action_mask()).tolist()
        assert [match.move_of(action) for action in actions] == moves
        match.push(match.move_of(rng.choice(actions)))
    with pytest.raises(IllegalMove, match=r"^action 0 is not legal now"):
        match.move_of(0)


def test_a_move_may_be_notation_or_a_dict() -> None:
    match = midway("cloud-city", 2, 1)
    move = match.legal_moves[0]
    action = match.action_of(move)
    assert match.action_of(str(move)) == match.action_of(move.to_json()) == action
    assert match.move_of(np.int64(action)) == move  # type: ignore[arg-type]
    assert match.moves_made == 1


def test_what_is_not_legal_says_why() -> None:
    match = storeys.new("manhattan", seed=1)
    with pytest.raises(IllegalMove) as caught:
        match.action_of("redraw")
    assert str(caught.value) == "M-8: pick your blocks for this round first"
    with pytest.raises(NotAMove, match="“fly”"):
        match.action_of("fly")
    idle = int(np.flatnonzero(match.action_mask() == 0)[0])
    with pytest.raises(IllegalMove, match=f"^action {idle} is not legal now; take one whose"):
        match.move_of(idle)
    last = match.game.actions - 1
    for wrong in (-1, last + 1, 1.5, True, "0", None):
        with pytest.raises(NotAMove) as caught:
            match.move_of(wrong)  # type: ignore[arg-type]
        assert str(caught.value).startswith("there is no action ")
        assert str(caught.value).endswith(f"; actions go from 0 to {last}")
    assert match.moves_made == 0


# --- taking back at a table


@pytest.mark.parametrize("name", GAMES)
def test_movers(name: str) -> None:
    match, rng = storeys.new(name, players=2, seed=3), random.Random(3)
    seats = []
    while match.to_move is not None:
        seats.append(match.to_move)
        match.push(rng.choice(match.legal_moves))
    assert match.movers == seats
    match.pop()
    assert match.movers == storeys.load(match.record()).movers == seats[:-1]


def test_a_pick_can_be_taken_back_until_another_seat_moves() -> None:
    match = storeys.new("manhattan", players=2, seed=1)
    seat = match.to_move
    assert seat is not None
    assert not match.can_take_back(seat)
    match.push(match.legal_moves[0])
    assert match.to_move == seat  # two colours to pick for
    assert match.can_take_back(seat)
    assert not match.can_take_back(1 - seat)
    match.push(match.legal_moves[0])
    assert match.can_take_back(seat)
    match.push(match.legal_moves[0])
    assert match.to_move == 1 - seat
    assert not match.can_take_back(seat)
    assert match.can_take_back(1 - seat)


def test_a_card_that_was_drawn_cannot_be_taken_back() -> None:
    match = midway("manhattan", 2, 4)
    seat = match.to_move
    assert seat is not None
    assert match.phase == "build"
    match.push(match.legal_moves[0])  # a build, after which a card is drawn
    assert match.movers[-1] == seat
    assert not match.can_take_back(seat)


@pytest.mark.parametrize("name", ["cloud-city", "neoville"])
def test_the_tile_can_be_taken_back_but_not_the_draw(name: str) -> None:
    match = storeys.new(name, players=1, seed=1)
    match.push(match.legal_moves[0])
    assert match.can_take_back(0)
    match.push("draw 1")  # the row is filled up from the pile
    assert match.to_move == 0
    assert not match.can_take_back(0)


def test_a_draw_that_shows_nothing_new_is_final_too() -> None:
    """C-R1: once the pile is empty a draw from the row uses no chance, and ends the turn still."""
    match, rng, quiet = storeys.new("cloud-city", players=4, seed=1), random.Random(1), 0
    while match.to_move is not None:
        seat, before = match.to_move, match.chance_used()
        match.push(rng.choice(match.legal_moves))
        if match.moves[-1].to_json()["kind"] in ("draw", "end"):
            quiet += match.chance_used() == before
            assert not match.can_take_back(seat)
    assert quiet
