"""Positions and views of every game: what real matches have is taken, what is unknown is not."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

import storeys
from storeys import BadPosition
from storeys.registry import game_names, get_game
from tests.test_records import OWN_SET
from tests.variants import ENOUGH

ONE_CELL = OWN_SET | {
    "cards": [{"cell": cell, "copies": 45 * (cell == 5)} for cell in range(1, 10)]
}
"""All cards are the centre's, so that hands often allow nothing (M-R1)."""


def renamed(name: str) -> dict[str, Any]:
    """Our set of a tile game under other names."""
    box = storeys.components(name)
    tiles = [tile | {"id": f"my-{nth}"} for nth, tile in enumerate(box["tiles"])]
    return box | {"tiles": tiles}


OWN_SETS: list[tuple[str, dict[str, Any]]] = [
    ("manhattan", {"players": 4, "components": OWN_SET}),
    ("cloud-city", {"players": 4, "components": renamed("cloud-city")}),
    ("neoville", {"players": 4, "components": renamed("neoville")}),
    *(("manhattan", {"players": players, "components": ONE_CELL}) for players in (2, 3, 4)),
]


def positions_of(name: str, options: dict[str, Any], seed: int) -> Iterator[storeys.Match]:
    """A random match after each of its moves."""
    rng = random.Random(seed)
    match = storeys.new(name, seed=seed, **options)
    yield match
    while match.to_move is not None:
        match.push(rng.choice(match.legal_moves))
        yield match


@pytest.mark.parametrize(("name", "options"), [*ENOUGH, *OWN_SETS], ids=lambda part: str(part)[:60])
def test_what_a_match_says_is_taken(name: str, options: dict[str, Any]) -> None:
    """After every move the position, and the view of one seat or of a spectator in turn."""
    for ply, match in enumerate(positions_of(name, options, seed=7)):
        assert storeys.from_position(match.position()).position() == match.position()
        seat = (None, *range(match.players))[ply % (match.players + 1)]
        assert storeys.from_position(match.view(seat), seed=ply).view(seat) == match.view(seat)


@pytest.mark.rule("M-R1")
def test_hands_that_allow_nothing_are_among_them() -> None:
    """The sets of one cell show blocks given up and hands redrawn, before the pile turns too."""
    moves = [
        str(move).split()[0]
        for players in (2, 3, 4)
        for move in list(positions_of("manhattan", OWN_SETS[players + 1][1], 7))[-1].moves
    ]
    assert moves.count("redraw") > 10
    assert moves.count("forfeit") > 10


@pytest.mark.parametrize("name", game_names())
def test_an_unknown_key_is_refused(name: str) -> None:
    match = storeys.new(name, players=2, seed=1)
    for given in (match.position(), match.view(0)):
        expected = "position: there is no entry “colour”; known are game, players, phase, round, "
        with pytest.raises(BadPosition) as caught:
            storeys.from_position(given | {"colour": "red"})
        assert str(caught.value).startswith(expected)


@pytest.mark.parametrize("name", ["cloud-city", "neoville"])
def test_an_unknown_key_of_a_city_is_refused(name: str) -> None:
    start = storeys.new(name, players=2, seed=1).position()
    start["cities"][1]["parks"] = []
    with pytest.raises(BadPosition, match=r"cities\[1\]: there is no entry “parks”"):
        storeys.from_position(start)


@pytest.mark.parametrize("name", game_names())
def test_a_position_may_name_its_rules_version(name: str) -> None:
    start = storeys.new(name, players=2, seed=1).position()
    version = get_game(name).rules_version
    assert storeys.from_position(start | {"rules_version": version}).players == 2
