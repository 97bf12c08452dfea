"""Zones and planes: what follows from a declaration, on a table that can be counted by hand."""

from typing import Any

import numpy as np
import pytest

from storeys.kernel import chance, zones
from storeys.kernel.components import ComponentSet
from storeys.kernel.composing import source_of
from storeys.kernel.errors import BadPosition
from storeys.kernel.observing import (
    Held,
    Number,
    Numbers,
    Observation,
    OneHot,
    OneSeat,
    OwnSeat,
    Plane,
    Written,
)
from storeys.kernel.reading import Node
from storeys.kernel.record import Header, IntArray, fast_record, field, record_dtype
from storeys.kernel.setup import Setup
from storeys.registry import get_game

NONE = zones.NONE
DECK = zones.Deck("copies", ("low", "middle", "high"), "X-1")


class State(Header):
    rounds: int = field("i8")
    starter: int = zones.seat()
    tired: int = zones.flag()
    step: int = zones.number(0, 5)
    supply: IntArray = zones.counts(2, 3, most=9, names=("red", "blue"))
    points: IntArray = zones.counts(4, key="scores")
    owner: IntArray = zones.grid(2, 2, most=3)
    card: IntArray = zones.grid(2, 2, most=2, deck=DECK)
    hands: IntArray = DECK.hands(2, sized=True)
    hand_size: IntArray = field("i2", 4)
    pile: IntArray = DECK.pile()
    pile_size: int = DECK.pile_size()
    played: IntArray = DECK.counts()


class Tables:
    copies: IntArray = field("i2", 3)


STATE = record_dtype("table_of_zones", __file__, State)
TABLES = record_dtype("table_of_zones_tables", __file__, Tables)
ZONES = zones.zones_of(State)


def some_state() -> Any:
    """Two seats: seat 0 holds low and high, seat 1 middle; high lies at (0, 1), middle is played.

    Of 3 low, 3 middle and 2 high there are left 2 low and 1 middle.
    """
    states = np.zeros(1, STATE)
    state = states[0]
    state.players, state.rounds, state.round_no, state.to_move = 2, 3, 1, 1
    state.starter, state.tired, state.step = 1, 1, 4
    state.supply[:] = [[1, 2, 3], [4, 5, 6]]
    state.points[:] = [7, 8, 0, 0]
    state.owner[:], state.card[:] = [[NONE, 1], [NONE, NONE]], [[NONE, 2], [NONE, NONE]]
    state.hands[:] = NONE
    state.hands[0], state.hands[1, 0] = [0, 2], 1
    state.hand_size[:2] = [2, 1]
    state.pile[:], state.pile_size = [2, 1, 0], 3
    state.played[:] = [0, 1, 0]
    return states


SHOWN = {
    "starter": 1,
    "tired": True,
    "step": 4,
    "supply": {"red": [1, 2, 3], "blue": [4, 5, 6]},
    "scores": [7, 8, 0, 0],
    "owner": [[None, 1], [None, None]],
    "card": [[None, 2], [None, None]],
    "hands": [["low", "high"], ["middle"]],
    "pile": 3,
    "played": [0, 1, 0],
}


def setup() -> Setup:
    tables = np.zeros(1, TABLES)
    tables[0].copies[:] = [3, 3, 2]
    return Setup(2, {}, ComponentSet({}, tables, True), 1)


def read(position: dict[str, Any]) -> Any:
    states = np.zeros(1, STATE)
    states[0].players = 2
    place = Node(position, "position", BadPosition)
    zones.read_zones(ZONES, zones.Reading(place, fast_record(states), setup()), {})
    return states


def refusal(position: dict[str, Any]) -> str:
    with pytest.raises(BadPosition) as caught:
        read(position)
    return str(caught.value)


def verb(make: Any) -> Any:
    return make(ZONES, "zones")


def test_a_table_as_positions_show_it() -> None:
    assert zones.to_position(ZONES, fast_record(some_state()), {}) == SHOWN


def test_a_position_gives_the_table_back() -> None:
    found, expected = read(SHOWN)[0], some_state()[0]
    for zone in ZONES:
        assert np.array_equal(found[zone.name], expected[zone.name]), zone.name
    assert found.pile.tolist() == [2, 1, 0]
    assert found.hand_size.tolist() == [2, 1, 0, 0]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("starter", 2, "position.starter: expected a whole number from 0 to 1, found 2"),
        ("tired", 1, "position.tired: expected true or false, found 1"),
        ("step", 6, "position.step: expected a whole number from 0 to 5, found 6"),
        ("supply", {"red": [1, 2, 3]}, "position.supply: the entry “blue” is missing"),
        ("supply", {"red": [1, 2, 3], "blue": [4, 5, 10]}, "position.supply.blue[2]: expected"),
        ("owner", [[None, 4], [None, None]], "position.owner[0][1]: expected a whole number"),
        ("hands", [["low", "high"], ["tall"]], "position.hands[1][0]: expected one of low"),
        (
            "hands",
            [["low", "high", "low"], []],
            "X-1: position.hands[0]: a hand has 2 cards",
        ),
        ("hands", [["high", "high"], ["middle"]], "X-1: position: there are only 2 cards “high”"),
        ("pile", 4, "X-1: position.pile: with these hands and open cards the pile has 3 cards"),
        ("played", [0, 2, 0], "X-1: position.pile: with these hands and open cards the pile has 2"),
    ],
)
def test_what_cannot_be_is_refused(key: str, value: Any, said: str) -> None:
    assert refusal(SHOWN | {key: value}).startswith(said)


def test_in_a_view_others_hands_are_hidden() -> None:
    view = SHOWN | {"hands": [["low", "high"], [None]], "seat": 0}
    state = read(view)[0]
    assert state.hands.tolist()[:2] == [[0, 2], [NONE, NONE]]
    assert state.hand_size.tolist()[:2] == [2, 1]
    assert state.pile.tolist() == [2, 2, 0]  # the hidden card may be any of them
    assert refusal(SHOWN | {"seat": 0}).startswith("position.hands[1][0]: expected one of null")


@pytest.mark.parametrize(("seat", "kept"), [(0, [0, 2]), (1, [1, NONE]), (-1, None)])
def test_blinding_leaves_the_own_hand_alone(seat: int, kept: list[int] | None) -> None:
    state = some_state()[0]
    verb(zones.blind_verb)(state, None, seat)
    for other in range(2):
        assert state.hands[other].tolist() == (kept if other == seat else [NONE, NONE])
    assert state.pile.sum() == 3 + sum([2, 1][other] for other in range(2) if other != seat)
    assert state.pile_size == 3
    assert not state.key.any()


@pytest.mark.parametrize("blinded", [False, True])
def test_redealing_mixes_hidden_hands_with_the_pile(blinded: bool) -> None:
    seen = set()
    for seed in range(40):
        state = some_state()[0]
        if blinded:
            verb(zones.blind_verb)(state, None, 0)
        verb(zones.redeal_verb)(state, None, 0, chance.generator(seed))
        assert state.hands[0].tolist() == [0, 2]
        card = int(state.hands[1, 0])
        assert state.hands[1, 1] == NONE
        assert (state.pile + np.bincount([card], minlength=3)).tolist() == [2, 2, 0]
        seen.add(card)
    assert seen == {0, 1}


def test_a_redealt_world_is_the_same_from_a_state_as_from_what_a_seat_knows() -> None:
    worlds = []
    for blinded in (False, True):
        state = some_state()[0]
        if blinded:
            verb(zones.blind_verb)(state, None, 0)
        verb(zones.redeal_verb)(state, None, 0, chance.generator(5))
        worlds.append(state.tobytes())
    assert worlds[0] == worlds[1]


def test_what_may_lie_hidden_is_what_is_nowhere_to_be_seen() -> None:
    copies = setup().components.tables[0].copies
    assert DECK.unseen(SHOWN, ZONES, copies) == ["low", "low", "middle"]
    view = SHOWN | {"hands": [["low", "high"], [None]]}
    assert DECK.unseen(view, ZONES, copies) == ["low", "low", "middle", "middle"]


@pytest.mark.parametrize("change", [{"pile": 2}, {"played": [0, 2, 0]}, {"hands": [["low"], []]}])
def test_a_lost_card_is_missed(change: dict[str, Any]) -> None:
    copies = setup().components.tables[0].copies
    DECK.check_conserved(SHOWN, ZONES, copies)
    with pytest.raises(AssertionError):
        DECK.check_conserved(SHOWN | change, ZONES, copies)


def test_hands_are_drawn_and_played() -> None:
    state = some_state()[0]
    state.key[:] = chance.key_of_seed(1)
    chance.rewind(state, chance.DEALT)
    zones.play_card(state, 0, 0)
    assert state.hands[0].tolist() == [2, NONE]
    assert not zones.holds(state, 0, 0)
    assert zones.holds(state, 0, 2)
    zones.draw_card(state, 0)
    assert (state.hand_size[0], state.pile_size) == (2, 2)
    assert state.pile.sum() == 2
    assert state.hands[0, 1] in (0, 1)


# --- planes


def write_twice(state: Any, tables: Any, seat: int, out: IntArray, at: int, more: int) -> None:
    out[at], out[at + 1] = seat, more


PARTS = (
    Number("step", 5, "a step"),
    OneHot("round", 3, "the round", of="round_no", first=1),
    OneSeat("to_move", "the seat to move"),
    OwnSeat("the own seat"),
    Numbers("supply", (2, 3), 1, "supplies"),
    Numbers("points", (4,), 2, "points", by_seat=True),
    Held("hand", 2, 3, "own cards"),
    Written(write_twice, Plane("own", (2,), 1, "two numbers"), more=[9]),
)


@pytest.mark.parametrize(
    ("seat", "to_move", "own", "points", "hand"),
    [
        (0, [0, 1, 0, 0], [1, 0, 0, 0], [3.5, 4, 0, 0], [1, 0, 0, 0, 0, 1]),
        (1, [1, 0, 0, 0], [0, 1, 0, 0], [4, 3.5, 0, 0], [0, 1, 0, 0, 0, 0]),
        (-1, [0, 1, 0, 0], [1, 0, 0, 0], [3.5, 4, 0, 0], [0, 0, 0, 0, 0, 0]),
    ],
)
def test_a_tensor_by_its_parts(
    seat: int, to_move: list[int], own: list[int], points: list[float], hand: list[int]
) -> None:
    observation = Observation(PARTS)
    out = np.full(sum(plane.size for plane in observation.planes), 77.0)
    observation.verb("zones")(some_state()[0], None, seat, out)
    step, first_round, supply = [4 / 5], [1, 0, 0], [1, 2, 3, 4, 5, 6]
    expected = [*step, *first_round, *to_move, *own, *supply, *points, *hand, seat, 9]
    assert out.tolist() == pytest.approx(expected)


def test_nobody_is_to_move_once_it_is_over() -> None:
    states = some_state()
    states[0].to_move = -1
    out = np.zeros(4)
    Observation(PARTS[2:3]).verb("zones")(states[0], None, 0, out)
    assert not out.any()


def test_a_composed_verb_can_be_read() -> None:
    source = source_of(get_game("manhattan").derived["observe"])
    assert "observe_board(state, tables, viewer, 0, out, 0)" in source
    assert "out[513] = state.pile_size" in source
    assert "divide(out, 513, 1, 45)" in source
