"""The beginner: each mistake that it makes, on toy positions that a person can check by eye."""

from collections import Counter
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import storeys
from storeys.bots import novice
from storeys.bots.novice import NoviceBot, choose_as_a_beginner, see_some
from storeys.kernel import chance, entry_points, verbs
from storeys.kernel.compiling import plain
from storeys.kernel.record import IntArray
from tests.test_architect import worlds_of
from tests.test_bots import midway

GAMES = storeys.game_names()
TRIES = 200
TOY = np.dtype(
    (
        np.record,
        [(name, "i8") for name in ("toy_of_a_beginner", "players", "to_move", "round_no")]
        + [(name, "i8") for name in ("counter", "word_at", "points", "promise")],
    )
)
offered: list["Option"] = []
"""What can be done in the toy; afterwards nothing."""


@dataclass(frozen=True)
class Option:
    """What a move of the toy leads to."""

    points: int
    promise: int
    """What is promised in the end, points included."""
    ends: bool = True


def _legal(state: Any, tables: Any, out: IntArray) -> int:
    out[: len(offered)] = range(len(offered))
    return len(offered)


def _apply(state: Any, tables: Any, action: int) -> None:
    option = offered[action]
    state.points, state.promise = option.points, option.promise
    state.to_move = 1 if option.ends else 0


def _score(state: Any, tables: Any, out: IntArray) -> None:
    out[:] = [state.points, 50]


def _evaluate_seat(state: Any, tables: Any, seat: int) -> float:
    assert seat == 0, "it looks at its own city alone"
    return float(state.promise)


def _evaluate(state: Any, tables: Any, out: IntArray) -> None:
    pytest.fail("it looks at its own city alone")


@pytest.fixture(scope="module", autouse=True)
def _toy() -> None:
    rules = ModuleType("rules")
    for verb in [name for name in vars(verbs) if callable(getattr(verbs, name)) and name.islower()]:
        setattr(rules, verb, None)
    own = {"legal": _legal, "apply": _apply, "score": _score}
    for verb, function in (own | {"evaluate": _evaluate, "evaluate_seat": _evaluate_seat}).items():
        setattr(rules, verb, function)
    verbs.register(TOY, rules, {})


def choices(*options: Option) -> Counter[int]:
    """How often a beginner takes which, of many tries; now there are no points and no promises."""
    offered[:] = options
    size, found = len(options) + 1, Counter[int]()
    states, tables = np.zeros(1, TOY), np.zeros(1)
    states["players"] = 2
    for seed in range(TRIES):
        room = [np.empty(size, kind) for kind in (np.int64, np.int64, bool, np.int64, float)]
        rng = chance.generator(seed)
        found[plain(choose_as_a_beginner)(states, tables, *room, np.zeros(2, int), rng)] += 1
    return found


def test_points_at_once_count_for_more_than_what_is_promised() -> None:
    # By their promises the second ones would be the best by far.
    found = choices(*[Option(4, 4), Option(0, 6), Option(0, 0)] * 4)
    at_once, later = (sum(found[nth] for nth in range(rest, 12, 3)) for rest in range(2))
    assert at_once > 2 * later > 0


def test_what_promises_more_is_felt() -> None:
    found = choices(*[Option(0, 10), Option(0, 0)] * 3)
    assert found[0] + found[2] + found[4] > 0.8 * TRIES


def test_of_a_long_list_a_stretch_is_looked_at() -> None:
    quiet = [Option(0, 1)] * 60
    hidden = choices(*quiet[:20], Option(0, 30), *quiet[20:])
    assert 0.2 * TRIES < hidden[20] < 0.5 * TRIES
    obvious = choices(*quiet[:20], Option(15, 15), *quiet[20:])
    assert 0.7 * TRIES < obvious[20] < TRIES  # What gains at once catches the eye, nearly always.


def test_a_stretch_is_of_moves_side_by_side() -> None:
    points, seen = np.zeros(31, int), np.empty(30, int)
    for seed in range(50):
        found = see_some(30, points, np.zeros(30, bool), False, seen, chance.generator(seed))
        steps = np.diff(np.sort(seen[:found]))
        assert found == 10
        assert (steps > 1).sum() <= 1  # It may go on from the last to the first.


def test_the_second_best_is_taken_now_and_then_and_the_worst_never() -> None:
    found = choices(*[Option(10, 10), Option(9, 9), Option(1, 1)] * 4)
    best, second, worst = (sum(found[nth] for nth in range(rest, 12, 3)) for rest in range(3))
    assert best > second > 0.05 * TRIES
    assert worst == 0


def test_what_helps_comes_before_the_end_of_the_turn() -> None:
    helps, harms, ends = Option(1, 2, ends=False), Option(-3, -2, ends=False), Option(0, 8)
    assert choices(helps, ends) == {0: TRIES}  # however much the end promises
    assert choices(harms, ends) == {1: TRIES}
    assert choices(harms) == {0: TRIES}  # where it must go on
    assert choices(*[harms] * 40, ends) == {40: TRIES}  # that one may end is never overlooked


# --- in the games


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("moves", [0, 8, 30])
def test_another_deal_of_what_it_cannot_know_changes_nothing(name: str, moves: int) -> None:
    worlds = worlds_of(midway(name, 2, moves=moves), 4)
    for seed in range(6):
        assert len({NoviceBot(seed=seed).choose_in(world) for world in worlds}) == 1


def test_whoever_believes_in_the_deal_as_it_is_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The companion of the test above."""
    match = midway("neoville", 2, moves=8)
    while match.legal_moves[0].kind != "draw":
        match.push(match.legal_moves[-1])
    worlds = worlds_of(match, 12)
    assert len({NoviceBot().choose_in(world) for world in worlds}) == 1

    class Seen:
        redeal = staticmethod(lambda *_: None)

    monkeypatch.setattr(novice, "entry_points", Seen)
    assert entry_points.redeal is not Seen.redeal
    assert len({NoviceBot().choose_in(world) for world in worlds}) > 1
