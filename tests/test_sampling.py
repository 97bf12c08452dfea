"""Random moves: every legal move as often as any other, in positions chosen for their kind."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import storeys
from storeys.kernel import chance, verbs
from storeys.testing import _check_frequencies
from tests.manhattan_positions import position
from tests.test_manhattan_rules import JAMMED, jammed

GOLDEN = Path(__file__).parent / "golden"
EACH = 25
"""How often a legal move is to be expected."""


def check_uniform(match: storeys.Match) -> None:
    rng = chance.generator(7)
    legal = Counter(match.legal_moves)
    found = Counter(match.random_move(rng) for _ in range(EACH * len(legal)))
    _check_frequencies(found, legal, f"sample in {match!r}")
    # A hand slot counted from the end would name the same tile, but is no action.
    state, tables = match.state()[0], match.setup.components.tables[0]
    actions = {int(verbs.sample(state, tables, rng)) for _ in range(EACH)}
    assert actions <= set(np.flatnonzero(match.action_mask()).tolist())


# --- Manhattan


def open_board() -> dict[str, Any]:
    """Two equal cards, blocks of every size."""
    return position(picked={"red": [1, 2, 3, 4]}, hands={0: (9, 4, 4, 1)})


def two_colours() -> dict[str, Any]:
    return position(players=2, picked={"red": [1, 4], "green": [2, 3]}, hands={0: (2, 9, 5, 7)})


def second_colour_only() -> dict[str, Any]:
    return position(players=2, picked={"green": [3, 4]}, hands={0: (8, 8, 8, 6)})


def narrow_board() -> dict[str, Any]:
    """Every b2 is taken: of the four cards only the last one allows a placement."""
    return position(towers=JAMMED, round=3, picked={"red": [1, 4]}, hands={0: (5, 5, 5, 1)})


MANHATTAN: list[Callable[[], dict[str, Any]]] = [
    open_board, two_colours, second_colour_only, narrow_board, jammed,
    lambda: jammed(redrawn=True),
]  # fmt: skip


@pytest.mark.parametrize("nth", range(len(MANHATTAN)))
def test_manhattan_builds(nth: int) -> None:
    check_uniform(storeys.from_position(MANHATTAN[nth]()))


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("end", [0, -1])
def test_manhattan_picks(players: int, end: int) -> None:
    """The first pick, and the last, of the few blocks that are left."""
    match = replayed("manhattan", f"{players}-shared-auto")
    picks = [nth for nth, move in enumerate(match.moves) if move.to_json()["kind"] == "pick"]
    check_uniform(before_move(match, picks[end]))


# --- tile games


def replayed(name: str, variant: str) -> storeys.Match:
    """The match of the newest golden record of a variant."""
    found = GOLDEN.glob(f"{name}-v*-{variant}.json")
    newest = max(found, key=lambda file: int(file.stem.removeprefix(f"{name}-v").split("-")[0]))
    return storeys.load(json.loads(newest.read_text("utf-8"))["record"])


def before_move(match: storeys.Match, nth: int) -> storeys.Match:
    while match.moves_made > nth:
        match.pop()
    return match


TILE_GAMES = [
    ("cloud-city", "2-3x4-circuits+solo-buildings-en"),
    ("cloud-city", "4-3x3-minimalist+separate-routes-de"),
    ("neoville", "2-bus+windmill"),
    ("neoville", "4-windmill+biosphere"),
]


@pytest.mark.parametrize("nth", [0, 1, 2, 3, 30, 31, 32, -1, -2, -3])
@pytest.mark.parametrize(("name", "variant"), TILE_GAMES)
def test_moves_of_tile_games(name: str, variant: str, nth: int) -> None:
    """At the start, in the middle and at the end, where the pile is empty."""
    match = replayed(name, variant)
    check_uniform(before_move(match, nth % match.moves_made))
