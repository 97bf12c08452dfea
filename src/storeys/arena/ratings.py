"""Ratings by the library openskill (the extra ``arena``): Plackett and Luce's model."""

from importlib.util import find_spec
from typing import Any

from storeys.arena.playing import Game
from storeys.arena.results import WIDTH, places


def is_installed() -> bool:
    """Whether there are ratings here."""
    return find_spec("openskill") is not None


def rate(labels: list[str], games: list[Game]) -> dict[str, dict[str, float]]:
    """The ratings of bots after some games, with 95 % intervals; empty without the library.

    A bot in several seats of one game is rated by the mean of what each would get.

    >>> from storeys.arena.ratings import rate
    >>> game = {"bots": ["a", "b"], "totals": [3, 1], "winners": [0]}
    >>> rate(["a", "b"], [game])["a"]
    {'rating': 27.64, 'low': 11.83, 'high': 43.44}
    """
    if not is_installed() or not games:
        return {}
    from openskill.models import PlackettLuce

    # Bots do not change from game to game: what is known of them is not let fade.
    model = PlackettLuce(tau=0.0)
    known = dict.fromkeys(labels, (model.mu, model.sigma))
    for game in games:
        seats = [[model.rating(*known[label])] for label in game["bots"]]
        rated = [team[0] for team in model.rate(seats, ranks=places(game))]
        for label in dict.fromkeys(game["bots"]):
            own = [found for found, bot in zip(rated, game["bots"], strict=True) if bot == label]
            known[label] = _mean([found.mu for found in own]), _mean([found.sigma for found in own])
    return {label: _interval(*known[label]) for label in labels}


def _mean(values: list[Any]) -> float:
    return float(sum(values) / len(values))


def _interval(rating: float, deviation: float) -> dict[str, float]:
    low, high = rating - WIDTH * deviation, rating + WIDTH * deviation
    return {"rating": round(rating, 2), "low": round(low, 2), "high": round(high, 2)}
