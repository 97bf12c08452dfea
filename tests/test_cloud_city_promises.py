"""Cloud City's evaluation, which reads cities as bits, against its formula walked square by square.

Both must agree to the last bit of every number: `builder` compares them.
"""

import functools
from typing import Any

import pytest

import storeys
from storeys.games.cloud_city.evaluation import IN_HAND, SECOND_IN_HAND
from storeys.games.cloud_city.sights import HIGHER, OFF_THE_BOX, SAME_COLOUR, TO_COME, WAITING
from storeys.games.cloud_city.state import LENGTHS, NO_TILE, NONE, VOTES
from storeys.kernel import chance
from storeys.kernel.tiles import grid
from storeys.match import from_position
from tests.constructed.cloud_city import CLOUD_CITY
from tests.test_bots import evaluation_of

CONSTRUCTED = 60
OPTIONS: tuple[dict[str, Any], ...] = (
    {"players": 4},
    {"players": 2, "city": "3x4", "requests": ["separate-routes", "crossed-walkways"]},
    {"players": 1, "city": "3x4"},
)
STEPS = (1, grid.STRIDE, -1, -grid.STRIDE)


# --- the formula


class City:
    """A seat's city as plain lists, and what it promises."""

    def __init__(self, match: storeys.Match, seat: int) -> None:
        self.state, self.seat = match.state()[0], seat
        self.tables, self.players = match.setup.components.tables[0], match.players
        self.supply = self.state["supply"].tolist()
        self.ground, self.span, self.links, self.box, self.hand, self.buildings = (
            self.state[name][seat].tolist()
            for name in ("ground", "span", "links", "box", "hands", "building")
        )
        self.laid = int(self.state["laid_count"][seat])
        self.left = 3 * int(self.state["long_side"]) - self.laid
        self.promise_at = functools.cache(self._promise_at)  # many tiles ask for the same

    def most_tiles(self, axis: int) -> int:
        """C-8, C-22: how many tiles the city may be high (axis 0) or wide (1)."""
        first, last = self.box[2 - 2 * axis : 4 - 2 * axis]
        return 3 if last - first >= 3 else int(self.state["long_side"])

    def chance_of_place(self, *place: int) -> float:
        """How likely a place without a tile will be part of the city."""
        likely = 1.0
        for axis in range(2):
            low, high = self.box[2 * axis : 2 * axis + 2]
            tiles = max(high, place[axis]) - min(low, place[axis]) + 1
            if tiles > high - low + 1:
                likely *= OFF_THE_BOX if tiles <= self.most_tiles(axis) else 0.0
        return likely

    def votes(self, height: int, length: int) -> float:
        """C-14: the votes of a walkway by how likely one is left."""
        left = self.supply[height - 1][length - 1]
        return left / (left + 0.15 * (self.players - 1)) * VOTES[length - 1] if left else 0.0

    def look_along(self, square: int, height: int, direction: int) -> float:
        """What an end of a walkway from here in a direction is worth, C-13 … C-19."""
        across = 1 << (2 * (height - 1) + (1 - direction % 2))
        free, worth = 1.0, 0.0
        for length in range(1, LENGTHS + 1):
            at = square + length * STEPS[direction]
            found, votes = self.ground[at], self.votes(height, length)
            if found == NO_TILE:
                there = self.chance_of_place(
                    grid.row_of_square(at) // 2, grid.col_of_square(at) // 2
                )
                if there == 0:
                    return worth
                worth += free * there * SAME_COLOUR * votes * TO_COME
                free *= there * (1 - SAME_COLOUR - float(HIGHER[height - 1]))
            elif found == height and self.links[at].bit_count() < 2:
                return worth + free * votes * WAITING / 2
            elif found >= height or self.span[at] & across:
                return worth
        return worth

    def _promise_at(self, square: int, height: int) -> float:
        """C-18: the best directions that a building has left, at most two with those in use."""
        links = self.links[square]
        free = [nth for nth in range(4) if links & (1 << nth) == 0]
        worths = sorted((self.look_along(square, height, nth) for nth in free), reverse=True)
        return sum(worths[: 2 - links.bit_count()])

    def promise_of_hand(self) -> float:
        """How well the tiles that are known of a hand would fit next."""
        known = [tile for tile in self.hand if tile != NONE]
        fits = sorted(map(self.best_fit, known), reverse=True)
        first, second = [*fits, 0.0, 0.0][:2]
        return IN_HAND * first + SECOND_IN_HAND * second

    def best_fit(self, tile: int) -> float:
        """What a tile's buildings promise where and how it fits best."""
        beside, best = grid.beside(int(self.state["places"][self.seat])), 0.0
        for place in range(63):
            at = grid.row_of_place(place), grid.col_of_place(place)
            if (beside >> place) & 1 and self.chance_of_place(*at) > 0:
                for heights in self.tables["squares"][tile].tolist():
                    squares = [grid.square_of_place(place, nth) for nth in range(4)]
                    worths = map(self.wanted, squares, heights)
                    best = max(best, sum(worths))
        return best

    def wanted(self, square: int, height: int) -> float:
        """What a building of a height would promise here, nothing if it is none."""
        return self.promise_at(square, height) if height > 0 else 0.0

    def promise(self, total: int, votes: int) -> float:
        """Votes, walkways to come, and requests, the more the fuller the city is."""
        if self.left == 0 and int(self.state["to_move"]) != self.seat:
            return total
        full = self.laid / (self.laid + self.left)
        promised = votes + (total - votes) * (0.3 + 0.7 * full)
        for square in self.buildings[: 2 * self.laid]:
            promised += self.promise_at(square, self.ground[square])
        return promised + self.promise_of_hand() if self.left > 0 else promised


def promises(match: storeys.Match) -> list[float]:
    """What each seat is promised, by the formula."""
    scores = match.score()
    return [
        City(match, seat).promise(score["total"], votes_of(score))
        for seat, score in enumerate(scores)
    ]


def votes_of(score: dict[str, Any]) -> int:
    """C-21: the votes of walkways only."""
    return sum(part["points"] for part in score["parts"] if part["rule"] == "C-21")


# --- the kernel beside it


def played(options: dict[str, Any], seed: int) -> list[storeys.Match]:
    """A random match at some of its stages."""
    match, stages = storeys.new("cloud-city", seed=seed, **options), []
    rng = chance.generator(seed)
    while match.to_move is not None:
        if match.moves_made % 5 == seed:
            stages.append(match.clone())
        match.push(match.random_move(rng))
    return [*stages, match]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_random_positions_promise_what_the_formula_says(options: dict[str, Any]) -> None:
    for seed in range(2):
        for match in played(options, seed):
            assert evaluation_of(match) == promises(match), match.position()


def test_constructed_positions_promise_what_the_formula_says() -> None:
    for number in range(CONSTRUCTED):
        match = from_position(CLOUD_CITY.made(number))
        assert evaluation_of(match) == promises(match), number
