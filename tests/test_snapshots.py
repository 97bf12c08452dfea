"""The server answers what it answered before: more, perhaps, but never less."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests import make_snapshots
from tests.make_snapshots import FOLDER, snapshots


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, Any]]:
    taken: dict[str, Any] = json.loads(json.dumps(dict(snapshots())))
    return taken


def lacks(kept: Any, now: Any, where: str = "") -> Iterator[str]:
    """Where an answer of now lacks something that was kept, or says something else."""
    if isinstance(kept, dict) and isinstance(now, dict):
        for key, value in kept.items():
            if key not in now:
                yield f"{where}.{key} is gone"
            else:
                yield from lacks(value, now[key], f"{where}.{key}")
    elif isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        for nth, (one, other) in enumerate(zip(kept, now, strict=True)):
            yield from lacks(one, other, f"{where}[{nth}]")
    elif kept != now or type(kept) is not type(now):
        yield f"{where} was {kept!r} and is {now!r}"


@pytest.mark.parametrize("name", ["server", *make_snapshots.OPTIONS])
def test_answers_carry_what_they_carried(answers: dict[str, dict[str, Any]], name: str) -> None:
    kept = json.loads((FOLDER / f"web-{name}.json").read_text("utf-8"))
    assert list(lacks(kept, answers[name])) == []


def test_the_snapshots_show_every_kind_of_state() -> None:
    """What is compared has choices, scores, curtains, earlier moments, an end, refusals."""
    kept = [
        answer
        for game in make_snapshots.OPTIONS
        for answer in json.loads((FOLDER / f"web-{game}.json").read_text("utf-8")).values()
    ]
    states = [answer for answer in kept if "areas" in answer]
    assert {state["status"] for state in states} == {"waiting", "playing", "over"}
    for name in ("curtain", "moment", "your_turn", "can_take_back", "winners"):
        assert {bool(state[name]) for state in states} == {False, True}, name
    assert any(state["choices"]["count"] > 9 for state in states)
    assert {answer["status"] for answer in kept if "error" in answer} == {403, 409, 422}


@pytest.mark.parametrize(
    ("now", "found"),
    [
        ({"a": [{"b": 1, "c": 2}], "d": None, "more": 3}, []),
        ({"a": [{"c": 2}], "d": None}, [".a[0].b is gone"]),
        ({"a": [{"b": True, "c": 2}], "d": None}, [".a[0].b was 1 and is True"]),
        ({"a": [], "d": None}, [".a was [{'b': 1, 'c': 2}] and is []"]),
    ],
)
def test_what_is_lacking_is_found(now: Any, found: list[str]) -> None:
    assert list(lacks({"a": [{"b": 1, "c": 2}], "d": None}, now)) == found
