"""Games show and say what they showed and said before, to the byte."""

import json

import pytest

from tests.make_footprints import ASPECTS, FILE, RECORDS, footprints

KEPT = json.loads(FILE.read_text("utf-8"))


@pytest.mark.parametrize("name", RECORDS)
def test_nothing_that_a_game_shows_has_changed(name: str) -> None:
    assert footprints(name) == KEPT[name]


def test_every_aspect_is_kept() -> None:
    assert {aspect for kept in KEPT.values() for aspect in kept} == set(ASPECTS)
    assert set(KEPT) == set(RECORDS)
