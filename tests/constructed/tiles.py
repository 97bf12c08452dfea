"""What positions of the two games of tiles have in common: growing cities, hands, row and pile."""

import random
from dataclasses import dataclass
from typing import Any

Place = tuple[int, int]
Position = dict[str, Any]


@dataclass(frozen=True)
class Progress:
    """How far a match has come: the laying of the seat to move is done unless it has to place."""

    players: int
    rounds: int
    round_no: int
    to_move: int | None
    laid: bool

    def turns_begun(self, seat: int) -> int:
        """How many tiles the seat has laid in turns of its own."""
        if self.to_move is None or seat < self.to_move:
            return self.round_no
        return self.round_no - 1 + (seat == self.to_move and self.laid)

    def draws(self, seat: int) -> int:
        """How many tiles the seat has drawn: one at the end of every turn."""
        return self.turns_begun(seat) - (seat == self.to_move and self.laid)

    def as_json(self) -> Position:
        """The keys of a position that follow from it; the phase after laying is not known yet."""
        phase = "over" if self.to_move is None else "place"
        return {"phase": phase, "round": self.round_no, "to_move": self.to_move}


def some_progress(rng: random.Random, players: int, rounds: int) -> Progress:
    """Mostly late, when cities are full; some matches are over, some have hardly begun."""
    if rng.random() < 0.15:
        return Progress(players, rounds, rounds, None, laid=True)
    first, last = rng.choice(
        [(1, rounds // 3), (rounds // 3, 2 * rounds // 3), *3 * [(2 * rounds // 3, rounds)]]
    )
    round_no = rng.randint(max(first, 1), last)
    return Progress(players, rounds, round_no, rng.randrange(players), laid=rng.random() < 0.4)


def before_last_places(rng: random.Random, players: int, rounds: int) -> Progress:
    """A seat has to place a tile in one of the last rounds, where the free places are holes."""
    round_no = rng.choice((rounds, rng.randint(rounds - 5, rounds)))
    return Progress(players, rounds, round_no, rng.randrange(players), laid=False)


# Places


def some_window(rng: random.Random, height: int, width: int) -> list[Place]:
    """The places of the finished city, if the first tile, at (0, 0), is any one of them."""
    top, left = -rng.randrange(height), -rng.randrange(width)
    return [(top + row, left + col) for row in range(height) for col in range(width)]


def some_holes(rng: random.Random, window: list[Place], free: int) -> list[Place]:
    """Places that are left out as long as there are others, those inside the city first."""
    inner = [place for place in window if all(near in window for near in beside(place))]
    other = [place for place in window if place not in inner]
    rng.shuffle(inner)
    rng.shuffle(other)
    holes = [place for place in [*inner, *other] if place != (0, 0)]
    return holes[: min(free, rng.choice((0, 1, 1, 1, 2, 3)))]


def growth(rng: random.Random, window: list[Place], holes: list[Place], tiles: int) -> list[Place]:
    """So many places of the window in an order in which each is beside an earlier one.

    Those around a hole come early, so that there are holes even in a small city.
    """
    rims = {near for hole in holes[:1] for near in around(hole)}
    order = [(0, 0)]
    while len(order) < tiles:
        free = [
            place
            for place in window
            if place not in order and any(near in order for near in beside(place))
        ]
        free = [place for place in free if place not in holes] or free
        at_rims = [place for place in free if place in rims]
        order.append(rng.choice(at_rims if at_rims and rng.random() < 0.9 else free))
    return order[:tiles]


def beside(spot: Place) -> list[Place]:
    """The four places, or squares, that share a side with this one."""
    row, col = spot
    return [(row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)]


def around(spot: Place) -> list[Place]:
    """The eight places, or squares, around this one, clockwise from the top left."""
    row, col = spot
    steps = [(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1)]
    return [(row + down, col + right) for down, right in steps]


def near_city(rng: random.Random, city: dict[str, Any]) -> Place:
    """A free place beside the city, or one in it or a step too far; within what a move can name."""
    taken = [(tile["row"], tile["col"]) for tile in city["tiles"]] or [(0, 0)]
    row, col = rng.choice(taken)
    if rng.random() < 0.7:
        free = {near for place in taken for near in beside(place)} - set(taken)
        row, col = rng.choice(sorted(free))
    elif rng.random() < 0.5:
        row, col = rng.choice(around((row, col)))
    return max(-3, min(3, row)), max(-3, min(3, col))


# Hands, row and pile


@dataclass(frozen=True)
class Draft:
    """Where tiles come from: those that nobody has yet, the row's length, the pile at the start."""

    pool: list[str]
    row_length: int
    pile_at_start: int

    def take(self, tile: str) -> str:
        """A tile leaves the pool."""
        self.pool.remove(tile)
        return tile


def deal_rest(
    rng: random.Random, progress: Progress, draft: Draft, hands: list[list[str]], known: set[str]
) -> Position:
    """Fill the hands up from the pool; what is left of it lies in the row and the pile.

    ``hands`` has the tiles chosen for each seat so far; ``known`` are those that everybody knows
    from the start.
    """
    shown = []
    for seat, hand in enumerate(hands):
        full = 3 - (seat == progress.to_move and progress.laid)
        while len(hand) < full:
            hand.append(draft.pool.pop())
        from_row = _taken_from_row(rng, progress, seat, draft, [t for t in hand if t not in known])
        shown.append([tile for tile in hand if tile in known or tile in from_row])
    row = draft.pool[: draft.row_length]
    return {"hands": hands, "shown": shown, "row": row, "pile": len(draft.pool) - len(row)}


def _taken_from_row(
    rng: random.Random, progress: Progress, seat: int, draft: Draft, hand: list[str]
) -> list[str]:
    """At most as many as were drawn; the last one for certain if the pile was empty by then."""
    draws = progress.draws(seat)
    nth_of_all = (draws - 1) * progress.players + seat + 1
    fewest = int(nth_of_all > draft.pile_at_start)
    return rng.sample(hand, rng.randint(fewest, max(fewest, min(draws, len(hand)))))


# Moves


def some_draw(rng: random.Random, row_length: int) -> dict[str, Any]:
    """A draw from anywhere, or the end of the turn without one."""
    slot = rng.choice([None, *range(row_length)])
    return rng.choice(
        [{"kind": "draw", "slot": slot}, {"kind": "draw", "slot": slot}, {"kind": "end"}]
    )
