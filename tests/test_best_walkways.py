"""The best walkways of a city, against trying everything."""

import random
from itertools import combinations
from typing import Any

import pytest

import storeys
from storeys import BadPosition
from storeys.arena import playouts
from storeys.games.cloud_city import best_walkways
from tests.cloud_cities import city
from tests.test_cloud_city_rules import LENGTHS_1_TO_5, RING, VARIED

OWN_REQUESTS = (
    "varied-route", "circuits", "minimalist", "crossed-walkways", "solo-buildings", "balanced",
)  # fmt: skip


def best_by_trying(match: storeys.Match, seen: dict[frozenset[str], int]) -> int:
    """The most votes that any sequence of walkways reaches, by playing them all."""
    laid = frozenset(str(w) for w in match.position()["cities"][0]["walkways"])
    if laid not in seen:
        seen[laid] = match.score()[0]["total"]
        for move in list(match.legal_moves):
            if move.to_json()["kind"] == "walkway":
                match.push(move)
                seen[laid] = max(seen[laid], best_by_trying(match, seen))
                match.pop()
    return seen[laid]


def small_match(seed: int, requests: list[str], edition: str) -> storeys.Match:
    """A solo match after some random turns, in the midst of a turn."""
    rng = random.Random(seed)
    match = storeys.new("cloud-city", players=1, seed=seed, requests=requests, edition=edition)
    for _ in range(rng.randint(3, 6)):
        match.push(rng.choice(match.legal_moves))
        if rng.random() < 0.5 and match.phase == "walkways":
            match.push(match.legal_moves[0])
        match.push("draw pile")
    match.push(rng.choice(match.legal_moves))
    return match


@pytest.mark.parametrize("seed", range(40))
def test_equal_to_brute_force(seed: int) -> None:
    requests = list(list(combinations(OWN_REQUESTS, 2))[seed % 15])
    edition = ("en", "de", "nl")[seed % 3]
    match = small_match(seed, requests, edition)
    position = match.position()
    found = best_walkways(position["cities"][0], position["supply"], requests, edition)
    assert found.votes == best_by_trying(match, {})
    for walkway in found.walkways:
        match.push({"kind": "walkway", **walkway})
    assert match.score()[0]["total"] == found.votes


@pytest.mark.parametrize("name", OWN_REQUESTS)
def test_full_cities_can_be_built_as_found(name: str) -> None:
    batch = playouts("cloud-city", 8, players=3, city="3x4", seed=5)
    for nth in range(8):
        over = batch.match(nth).position()
        for own in over["cities"]:
            bare = own | {"walkways": []}
            found = best_walkways(bare, requests=[name])
            again = best_walkways(bare | {"walkways": found.walkways}, requests=[name])
            assert again.votes == found.votes
            assert again.walkways == []
            assert found.votes >= best_walkways(own, requests=[name]).votes


def test_cities_by_eye() -> None:
    assert best_walkways(city(RING)).votes == 12 + 2  # the ring, and two sand walkways of one
    assert best_walkways(city(RING), requests=["circuits"]).votes == 12 + 2 + 3
    built = city(VARIED, walkways=LENGTHS_1_TO_5)
    assert best_walkways(built, requests=["varied-route"]).votes >= 1 + 2 + 3 + 5 + 8 + 8


def test_pieces_and_built_walkways_count() -> None:
    none = {colour: [0] * 5 for colour in ("blue", "green", "sand")}
    assert best_walkways(city(RING), supply=none).votes == 0
    built = city(RING, walkways=("blue 0,0 0,3",))
    only = best_walkways(built, supply=none)
    assert (only.votes, only.walkways) == (3, [])
    two_threes = none | {"blue": [0, 0, 2, 0, 0]}
    assert best_walkways(built, supply=two_threes).votes == 9


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"tiles": 1}, "city.tiles: expected a list, found 1"),
        (
            {"buildings": [{"colour": "blue", "row": 9, "col": 0}]},
            "city.buildings[0].row: expecte",
        ),
        ({"buildings": [{"colour": "red", "row": 0, "col": 0}]}, "city.buildings[0].colour: expec"),
        ({"walkways": [{"colour": "blue", "from": [0, 0], "to": [1, 1]}]}, "the city cannot have "),
        ({"walkways": [{"colour": "blue", "from": [0, 0], "to": [0, 7]}]}, "the city cannot have "),
        (
            {"walkways": [{"colour": "blue", "from": [0, 0], "to": [0, 3]}] * 2},
            "the city cannot ha",
        ),
    ],
)
def test_broken_cities(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadPosition) as caught:
        best_walkways(city(RING) | change, supply=dict.fromkeys(("blue", "green", "sand"), [9] * 5))
    assert str(caught.value).startswith(sentence)


def test_walkways_that_cannot_stand_together() -> None:
    three = ("blue 0,0 0,2", "blue 0,2 0,4", "blue 0,2 2,2")
    with pytest.raises(BadPosition, match="the city's own walkways break C-14, C-17 or C-18"):
        best_walkways(city("B.B.BG\n.B.G..\n  B.  \n  .S  ", walkways=three))


@pytest.mark.parametrize("supply", [[1, 2], "x", {"blue": [1]}, {"red": [1] * 5}])
def test_broken_supplies(supply: Any) -> None:
    with pytest.raises(BadPosition, match="supply"):
        best_walkways(city(RING), supply=supply)


def test_unknown_requests_and_editions() -> None:
    assert best_walkways(city(RING), requests="circuits").votes == 17
    nonsense: Any = 2
    with pytest.raises(BadPosition, match="requests: expected a list, found 2"):
        best_walkways(city(RING), requests=nonsense)
    with pytest.raises(BadPosition, match=r"requests\[0\]: expected one of"):
        best_walkways(city(RING), requests=["bridges"])
    with pytest.raises(BadPosition, match="edition: expected one of en, de, nl"):
        best_walkways(city(RING), edition="fr")
