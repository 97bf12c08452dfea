"""Looking again: a memory brought up to date gives what a fresh look gives, as floats and bytes."""

import random
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import storeys
from storeys.kernel import deriving, verbs
from storeys.kernel.game import Game
from storeys.kernel.observing import (
    Board,
    EachSeat,
    Kept,
    Number,
    Numbers,
    Observation,
    Plane,
    Written,
)
from storeys.kernel.record import IntArray
from storeys.match import Match
from storeys.registry import get_game
from storeys.testing import whole_numbers

NAMES = storeys.game_names()
KEPT = [
    (name, nth)
    for name in NAMES
    for nth, part in enumerate(get_game(name).observation.parts)
    if isinstance(part, Kept)
]


class Memory:
    """What somebody remembers of a match, and a tensor that is written from it."""

    def __init__(self, observation: Observation, kind: Any = np.float32) -> None:
        self.look = observation.verb_again("a test")
        self.counts = np.full(observation.slots, -1)
        self.memory = np.full(observation.room, 77, np.uint8)
        self.out = np.full(sum(plane.size for plane in observation.planes), 99, kind)

    def see(self, match: Match, seat: int) -> Any:
        state, tables = match.state()[0], match.setup.components.tables[0]
        self.look(state, tables, seat, self.counts, self.memory, self.out)
        return self.out


def positions(name: str, players: int, seed: int, moves: int = 400) -> Iterator[Match]:
    match, rng = storeys.new(name, players=players, seed=seed), random.Random(seed)
    yield match
    while match.to_move is not None and match.moves_made < moves:
        match.push(rng.choice(match.legal_moves))
        yield match


@pytest.mark.parametrize(
    ("name", "players"), [(name, n) for name in NAMES for n in get_game(name).seats]
)
def test_a_memory_shows_what_a_fresh_look_shows(name: str, players: int) -> None:
    """Whoever looks and however seldom; a new match needs nothing but counts of -1."""
    memory, rng = Memory(get_game(name).observation), random.Random(5)
    for seed in range(2):
        memory.counts[:] = -1
        for match in positions(name, players, seed):
            for seat in range(-1, players):
                if rng.random() < 0.3:
                    assert np.array_equal(
                        memory.see(match, seat), match.observe(None if seat < 0 else seat)
                    )


@pytest.mark.parametrize(("name", "nth"), KEPT)
def test_what_is_not_drawn_anew_is_missed(name: str, nth: int) -> None:
    """Each part that is kept has to be brought up to date."""
    game = get_game(name)
    part = game.observation.parts[nth]
    assert isinstance(part, Kept)
    part.names, kept = part.names | {part.changes: lambda state, seat: 0}, part.names
    try:
        memory = Memory(game.observation)
    finally:
        part.names = kept
    misses = 0
    for match in positions(name, 2, 1):
        misses += not np.array_equal(memory.see(match, 0), match.observe(0))
    assert misses > 10


@pytest.mark.parametrize("name", NAMES)
def test_bytes_are_the_whole_numbers(name: str) -> None:
    game = get_game(name)
    memory, fresh = Memory(game.observation, np.uint8), np.empty(game.observation_size, np.uint8)
    for match in positions(name, 3, 4):
        seat = match.moves_made % 3
        expected = whole_numbers(game.planes, match.observe(seat))
        assert np.array_equal(memory.see(match, seat), expected)
        verbs.observe(match.state()[0], match.setup.components.tables[0], seat, fresh)
        assert np.array_equal(fresh, expected)
        # What a byte holds gives the very same float again.
        scales = np.concatenate([np.full(p.size, p.scale, np.float32) for p in game.planes])
        assert np.array_equal(fresh / scales, match.observe(seat))


def test_no_plane_of_ours_is_wide() -> None:
    assert not [plane for name in NAMES for plane in get_game(name).planes if plane.wide]


# --- parts on a table that can be counted by hand


def write_shares(state: Any, tables: Any, seat: int, out: IntArray, at: int) -> None:
    out[at], out[at + 1] = 3 / 4, 1_000 / 4


SHARES = Plane("shares", (1,), 4, "a number"), Plane("beyond", (1,), 4, "a large one", wide=True)


def test_numbers_too_large_for_a_byte_are_cut_off() -> None:
    parts = (
        Number("debt", 1, "a number", wide=True),
        Numbers("points", (2,), 10, "points", by_seat=True, wide=True),
        Written(write_shares, *SHARES),
    )
    state = SimpleNamespace(players=2, debt=-5, points=[300, 20])
    observe = Observation(parts).verb("a test")
    floats, whole = np.empty(5, np.float32), np.empty(5, np.uint8)
    observe(state, None, 1, floats)
    observe(state, None, 1, whole)
    assert floats.tolist() == [-5, 2, 30, 0.75, 250]
    assert whole.tolist() == [0, 20, 255, 3, 255]


def test_what_is_kept_fits_a_byte() -> None:
    for part in (Board, EachSeat):
        with pytest.raises(TypeError, match="from 0 to 255"):
            part(write_shares, write_shares, *SHARES)


def test_a_game_that_keeps_nothing_needs_no_memory() -> None:
    observation = Observation((Number("round", 1, "the round", of="round_no"),))
    assert (observation.slots, observation.room) == (0, 0)
    memory = Memory(observation)
    memory.look(SimpleNamespace(round_no=7), None, 0, memory.counts, memory.memory, memory.out)
    assert memory.out.tolist() == [7]


def test_rules_that_observe_for_themselves_are_asked_every_time() -> None:
    game = get_game("manhattan")
    own = ModuleType("rules")
    own.observe = lambda *_: None  # type: ignore[attr-defined]
    assert Game._observe_again(SimpleNamespace(rules=own)) is deriving.observe_again  # type: ignore[arg-type]
    match, out = storeys.new("manhattan", seed=1), np.empty(game.observation_size, np.float32)
    tables, nothing = match.setup.components.tables[0], np.empty(0, np.int64)
    deriving.observe_again(match.state()[0], tables, 2, nothing, nothing, out)
    assert np.array_equal(out, match.observe(2))


def nothing(state: Any, tables: Any, viewer: int, since: int, out: IntArray, at: int) -> None:
    pass


def never(state: Any, viewer: int) -> int:
    return 0


@pytest.mark.parametrize("scales", [range(1, 300), [0.5, 0.3, 2.75, 1e-3, 12_345.678]])
def test_multiplying_by_the_inverse_divides_every_byte(scales: Any) -> None:
    numbers = np.arange(256, dtype=np.uint8)
    for scale in scales:
        look = Observation(
            (Board(nothing, never, Plane("all", (256,), scale, "", False), sides=1),)
        )
        out = np.full(256, -1, np.float32)
        look.verb_again("a test")(None, None, 0, np.zeros(1, np.int64), numbers, out)
        assert np.array_equal(out, (numbers / scale).astype(np.float32))
