"""What the games of a contest come to.

Everything here follows from the games in the order of their numbers, up to the group at which the
question was decided: so it does not depend on how many were played at once.
"""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from storeys.arena.contest import Contest
from storeys.arena.playing import Game
from storeys.arena.sequential import Betting
from storeys.kernel.messages import Message

ALPHA = 0.05
"""How often a contest of equals may call one of them stronger."""
WIDTH = 1.96
"""Half the width of a 95 % interval, in standard errors."""
MOST_FOLDS = 10


def places(game: Game) -> list[float]:
    """The place of each seat, 1 for the first; seats that are level share theirs."""
    totals, winners = game["totals"], game["winners"]
    standing = [(seat in winners, total) for seat, total in enumerate(totals)]
    return [
        1 + sum(other > own for other in standing) + (standing.count(own) - 1) / 2
        for own in standing
    ]


def against(game: Game, one: str, other: str, values: list[float]) -> float:
    """The mean over the seats of two bots of a difference of values, each seat with each."""
    bots = game["bots"]
    pairs = [
        values[mine] - values[theirs]
        for mine, theirs in itertools.product(range(len(bots)), repeat=2)
        if bots[mine] == one and bots[theirs] == other
    ]
    return sum(pairs) / len(pairs)


def share_in(game: Game, one: str, other: str) -> float:
    """How often one bot is placed before another in a game, level counting half."""
    bots, at = game["bots"], places(game)
    better = [
        (float(np.sign(at[theirs] - at[mine])) + 1) / 2
        for mine, theirs in itertools.product(range(len(bots)), repeat=2)
        if bots[mine] == one and bots[theirs] == other
    ]
    return sum(better) / len(better)


@dataclass(frozen=True)
class Estimate:
    """A mean over groups and its standard error.

    >>> from storeys.arena.results import Estimate
    >>> Estimate.of([0.5, 1.0, 1.0, 0.5]).to_json()
    {'mean': 0.75, 'low': 0.467, 'high': 1.033}
    """

    mean: float
    error: float

    @classmethod
    def of(cls, values: list[float]) -> "Estimate":
        """The mean of some values."""
        found = np.array(values)
        error = float(found.std(ddof=1) / math.sqrt(len(found))) if len(found) > 1 else math.inf
        return cls(float(found.mean()), error)

    def to_json(self) -> dict[str, Any]:
        """Mean and 95 % interval; None where there is no telling."""
        known = math.isfinite(self.error)
        low, high = (self.mean + sign * WIDTH * self.error for sign in (-1, 1))
        return {
            "mean": round(self.mean, 4),
            "low": round(low, 3) if known else None,
            "high": round(high, 3) if known else None,
        }


class Pair:
    """Two bots against each other, group by group."""

    def __init__(self, one: str, other: str, alpha: float) -> None:
        self.one, self.other = one, other
        self.shares: list[float] = []
        self.margins: list[float] = []
        self.lucks: list[float] = []
        self.test = Betting(alpha)

    def add(self, games: list[Game]) -> None:
        """Look at a group in which both have played."""
        one, other = self.one, self.other
        share = [share_in(game, one, other) for game in games]
        margin = [against(game, one, other, game["totals"]) for game in games]
        self.shares.append(sum(share) / len(share))
        self.margins.append(sum(margin) / len(margin))
        if all(game["luck"] is not None for game in games):
            luck = [against(game, one, other, game["luck"]) for game in games]
            self.lucks.append(sum(luck) / len(luck))
        self.test.add(self.shares[-1])

    def without_luck(self, values: list[float]) -> list[float]:
        """The values less a multiple of the luck, which is fitted to the other groups only.

        A multiple that does not depend on the group itself leaves the mean as it is; groups are
        left out in so many folds.
        """
        found, luck = np.array(values), np.array(self.lucks)
        adjusted = found.copy()
        folds = min(MOST_FOLDS, len(found))
        for fold in range(folds):
            own = np.arange(len(found)) % folds == fold
            adjusted[own] -= _slope(luck[~own], found[~own]) * luck[own]
        result: list[float] = adjusted.tolist()
        return result

    @property
    def knows_luck(self) -> bool:
        """Whether luck is known in every group, and is not the same in all of them."""
        return len(self.lucks) == len(self.shares) > 2 and float(np.std(self.lucks)) > 1e-9

    def sentence(self) -> Message:
        """What is known of the two, for people."""
        if not self.test.verdict:
            return Message("storeys.arena.open", one=self.one, other=self.other)
        better, worse = (self.one, self.other)[:: self.test.verdict]
        return Message("storeys.arena.clear", better=better, worse=worse, n=len(self.shares))

    def to_json(self) -> dict[str, Any]:
        """What is known of the pair."""
        share, margin = Estimate.of(self.shares), Estimate.of(self.margins)
        told = {
            "bots": [self.one, self.other],
            "groups": len(self.shares),
            "share": share.to_json(),
            "always": {"low": round(self.test.low, 3), "high": round(self.test.high, 3)},
            "margin": margin.to_json(),
            "verdict": {1: self.one, -1: self.other, 0: None}[self.test.verdict],
            "without_luck": None,
        }
        if self.knows_luck:
            less = Estimate.of(self.without_luck(self.shares))
            margin_less = Estimate.of(self.without_luck(self.margins))
            told["without_luck"] = {
                "share": less.to_json(),
                "margin": margin_less.to_json(),
                "luck": Estimate.of(self.lucks).to_json(),
                "games_saved": {
                    "share": _saved(share, less),
                    "margin": _saved(margin, margin_less),
                },
            }
        return told


def _slope(luck: Any, values: Any) -> float:
    if len(luck) < 2:
        return 0.0
    spread = float(((luck - luck.mean()) ** 2).sum())
    return float(((luck - luck.mean()) * values).sum() / spread) if spread > 1e-12 else 0.0


def _saved(plain: Estimate, less: Estimate) -> float | None:
    """The part of the games that one can do without for the same interval."""
    if not (math.isfinite(plain.error) and plain.error > 0):
        return None
    return round(1 - (less.error / plain.error) ** 2, 3)


class Results:
    """What is known after some games of a contest.

    >>> from storeys.arena import compete
    >>> results = compete("neoville", ["novice", "random"], games=8, players=2, processes=1)
    >>> results.games, results.pairs[0].shares
    (8, [1.0, 1.0, 1.0, 1.0])
    """

    def __init__(
        self,
        contest: Contest,
        games: Mapping[int, Game],
        most: int | None = None,
        play_all: bool = False,
    ) -> None:
        self.contest = contest
        self._known = games
        count = math.comb(len(contest.labels), 2)
        self.pairs = [
            Pair(one, other, ALPHA / count)
            for one, other in itertools.combinations(contest.labels, 2)
        ]
        self.groups = 0
        self.most = most
        """No more games than this are looked at."""
        self.play_all = play_all
        """Whether games are looked at that come after all is decided."""

    def advance(self) -> bool:
        """Look at further groups that are whole, in order, until no more are wanted; is that so?

        >>> from storeys.arena import Contest, Results
        >>> contest = Contest("neoville", ["novice", "random"], players=2)
        >>> Results(contest, {}).advance()
        False
        """
        while not self.is_enough and all(number in self._known for number in self._next):
            if self.most is not None and self._next.stop > self.most:
                break
            games = [self._known[number] for number in self._next]
            seated = set(games[0]["bots"])
            for pair in self.pairs:
                if {pair.one, pair.other} <= seated:
                    pair.add(games)
            self.groups += 1
        return self.is_enough

    @property
    def is_enough(self) -> bool:
        """Whether no more games are wanted, however many there may be.

        >>> from storeys.arena import compete
        >>> compete("neoville", ["novice", "random"], games=2, players=2, processes=1).is_enough
        False
        """
        return self.decided and not self.play_all

    @property
    def _next(self) -> range:
        return self.contest.games_of(self.groups)

    @property
    def decided(self) -> bool:
        """Whether it is clear of every two bots which is the stronger.

        >>> from storeys.arena import compete
        >>> compete("neoville", ["novice", "random"], games=2, players=2, processes=1).decided
        False
        """
        return all(pair.test.verdict for pair in self.pairs)

    @property
    def games(self) -> int:
        """How many games these results are made of.

        >>> from storeys.arena import compete
        >>> compete("neoville", ["novice", "random"], games=2, players=2, processes=1).games
        2
        """
        return self._next.start

    def played(self) -> list[Game]:
        """The games themselves, in order.

        >>> from storeys.arena import compete
        >>> results = compete("neoville", ["novice", "random"], games=2, players=2, processes=1)
        >>> results.played()[1]["bots"]
        ['random', 'novice']
        """
        return [self._known[number] for number in range(self.games)]

    def standings(self) -> list[dict[str, Any]]:
        """For each bot its games, places, points and time, the best first.

        >>> from storeys.arena import compete
        >>> results = compete("neoville", ["random", "novice"], games=2, players=2, processes=1)
        >>> [(row["bot"], row["wins"]) for row in results.standings()]
        [('novice', 1.0), ('random', 0.0)]
        """
        rows = [self._row(label) for label in self.contest.labels]
        return sorted(rows, key=lambda row: (row["place"] is None, row["place"], row["bot"]))

    def _row(self, label: str) -> dict[str, Any]:
        seats = [
            (game, seat)
            for game in self.played()
            for seat, bot in enumerate(game["bots"])
            if bot == label
        ]
        if not seats:
            return {"bot": label, "seats": 0, "wins": None, "place": None, "points": None,
                    "seconds_a_turn": None, "rating": None}  # fmt: skip
        wins = [(seat in g["winners"]) / len(g["winners"]) for g, seat in seats]
        turns = sum(g["turns"][seat] for g, seat in seats)
        return {
            "bot": label,
            "seats": len(seats),
            "wins": round(sum(wins) / len(seats), 4),
            "place": round(sum(places(g)[seat] for g, seat in seats) / len(seats), 4),
            "points": round(sum(g["totals"][seat] for g, seat in seats) / len(seats), 2),
            "seconds_a_turn": round(sum(g["seconds"][seat] for g, seat in seats) / turns, 4),
            "rating": self.ratings.get(label),
        }

    @cached_property
    def ratings(self) -> dict[str, dict[str, float]]:
        """The ratings of the bots; empty where the extra ``arena`` is not installed.

        >>> from storeys.arena import compete
        >>> results = compete("neoville", ["novice", "random"], games=2, players=2, processes=1)
        >>> sorted(results.ratings["novice"])
        ['high', 'low', 'rating']
        """
        from storeys.arena.ratings import rate

        return rate(self.contest.labels, self.played())

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON, without the games.

        >>> from storeys.arena import compete
        >>> results = compete("neoville", ["novice", "random"], games=2, players=2, processes=1)
        >>> results.to_json()["pairs"][0]["share"]
        {'mean': 1.0, 'low': None, 'high': None}
        """
        return {
            **self.contest.to_json(),
            "games": self.games,
            "groups": self.groups,
            "decided": self.decided,
            "standings": self.standings(),
            "pairs": [pair.to_json() for pair in self.pairs if pair.shares],
        }
