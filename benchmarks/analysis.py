"""What is measured of a game's own analysis: the best walkways of a Cloud City."""

import statistics
from functools import partial
from typing import Any

import storeys
from storeys.games.cloud_city import best_walkways

from .timing import Contender, Effort, Label, seconds_of

ANALYSIS = "Analysis"
MATCHES = 60
REQUESTS: tuple[list[str], ...] = (
    [],
    ["crossed-walkways", "minimalist"],
    ["balanced", "varied-route"],
)


def contenders(effort: Effort) -> list[Contender]:
    """The median time for full 3×4 cities of random matches, without walkways yet."""
    cities = full_cities(effort.of(MATCHES))
    return [contender(cities, requests) for requests in REQUESTS]


def full_cities(matches: int) -> list[dict[str, Any]]:
    batch = storeys.arena.playouts("cloud-city", matches, players=3, city="3x4", seed=5)
    finished = [batch.match(nth).position()["cities"] for nth in range(matches)]
    return [city | {"walkways": []} for cities in finished for city in cities]


def contender(cities: list[dict[str, Any]], requests: list[str]) -> Contender:
    best_walkways(cities[0], requests=requests)  # loads or compiles what the call needs
    name = "cloud-city best_walkways, 3×4" + "".join(f", {request}" for request in requests)

    def measure() -> tuple[float]:
        calls = [partial(best_walkways, city, requests=requests) for city in cities]
        return (1000 * statistics.median(seconds_of(call) for call in calls),)

    return Contender(ANALYSIS, (Label(name, "ms"),), measure)
