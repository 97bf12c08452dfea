"""Our bots play what they played before, move by move, however they come to it."""

import json

import pytest

from tests.make_bot_moves import FILE, digest_of, setups

KEPT = json.loads(FILE.read_text("utf-8"))


@pytest.mark.parametrize("name", setups())
def test_no_move_has_changed(name: str) -> None:
    assert digest_of(*setups()[name]) == KEPT[name]


def test_every_match_is_kept() -> None:
    assert set(KEPT) == set(setups())
