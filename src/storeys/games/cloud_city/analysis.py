"""The best walkways of a city: a proven optimum by branch and bound, for bots and analysis.

Which walkways a city allows is fixed by its tiles and buildings (C-13, C-15, C-16, C-19); what is
left to decide is which of them to build, under C-14, C-17 and C-18.  Colours meet only where
walkways cross, where lengths are balanced and in the single bonus for a varied route, so each
colour is searched alone first:

1. the best set of each colour by itself;
2. if those together lose nothing where the colours meet, they are the optimum;
3. otherwise every set that is worse than its colour's best by no more than that loss is listed,
   and the combinations are tried, best first, as long as they can still win.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from storeys.games.cloud_city import scoring
from storeys.games.cloud_city.state import (
    BALANCED,
    CIRCUITS,
    COLOURS,
    CROSSED_WALKWAYS,
    DE,
    EDITIONS,
    EN,
    LENGTHS,
    MINIMALIST,
    REQUESTS,
    SOLO_BUILDINGS,
    VARIED_ROUTE,
    VOTES,
)
from storeys.kernel.compiling import jit
from storeys.kernel.errors import BadPosition
from storeys.kernel.messages import Message
from storeys.kernel.reading import Node
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles.grid import REACH, count_bits
from storeys.kernel.tiles.moves import EDGE

VOTES_BY_LENGTH = np.array([0, *VOTES])
PIECES = (6, 8, 8, 6, 3)
Square = tuple[int, int]
Three = tuple[IntArray, IntArray, IntArray]
Bits = tuple[int, int, int]


@dataclass(frozen=True)
class BestWalkways:
    """What to build, as walkways of a position, and what the city is worth then.

    >>> from storeys.games.cloud_city import best_walkways
    >>> tiles = [{"tile": "start-1", "row": 0, "col": 0, "turn": 0}]
    >>> blue = [{"colour": "blue", "row": 0, "col": col} for col in (0, 1)]
    >>> best = best_walkways({"tiles": tiles, "buildings": blue, "walkways": []})
    >>> best.votes, best.walkways
    (1, [{'colour': 'blue', 'from': [0, 0], 'to': [0, 1]}])
    """

    walkways: list[dict[str, Any]]
    votes: int


@dataclass(frozen=True)
class Span:
    """A walkway that a city allows."""

    colour: int
    start: Square
    goal: Square

    @property
    def length(self) -> int:
        """The distance of its ends."""
        return self.goal[0] - self.start[0] + self.goal[1] - self.start[1]

    @property
    def between(self) -> set[Square]:
        """The squares strictly between its ends."""
        down, right = self.goal[0] > self.start[0], self.goal[1] > self.start[1]
        return {
            (self.start[0] + i * down, self.start[1] + i * right) for i in range(1, self.length)
        }

    def crosses(self, other: "Span") -> bool:
        """C-41: one along a row, one along a column, over a square between the ends of both."""
        across = (self.start[0] == self.goal[0]) != (other.start[0] == other.goal[0])
        return across and not self.between.isdisjoint(other.between)

    def to_json(self) -> dict[str, Any]:
        """The walkway as positions name it."""
        return {
            "colour": COLOURS[self.colour], "from": list(self.start), "to": list(self.goal),
        }  # fmt: skip


def best_walkways(
    city: Mapping[str, Any],
    supply: Mapping[str, Sequence[int]] | None = None,
    requests: Sequence[str] = (),
    edition: str = "en",
) -> BestWalkways:
    """The walkways to add to a city of a position so that its votes are as many as can be.

    ``supply`` is what is left (a position's), by default our box without the city's own walkways.
    Requests that compare players are passed over; the others count as in ``edition``.

    >>> import storeys
    >>> from storeys.games.cloud_city import best_walkways
    >>> match = storeys.arena.playouts("cloud-city", 1, players=1, seed=3).match(0)
    >>> city = match.position()["cities"][0]
    >>> best = best_walkways(city | {"walkways": []})
    >>> best.votes, match.totals
    (15, [10])
    >>> best.walkways[0]
    {'colour': 'blue', 'from': [0, 0], 'to': [0, 3]}
    """
    buildings, ground, built = _read_city(city)
    wanted, number = _read_requests(requests, edition)
    spans = _allowed(buildings, ground)
    for walkway in built:
        if walkway not in spans or built.count(walkway) > 1:
            raise BadPosition(_not_allowed(walkway))
    pieces = _read_supply(supply, built)
    graphs = [_graph(colour, buildings, spans, built, pieces, wanted) for colour in range(3)]
    chosen, votes = _search(graphs, spans, wanted, number)
    return BestWalkways([s.to_json() for s in chosen if s not in built], votes)


# --- the search over the colours


@dataclass(frozen=True)
class Graph:
    """The walkways that one colour allows, those built first, as the compiled search reads it."""

    spans: list[Span]
    built: int
    ends: IntArray  # the numbers of the two buildings of each walkway
    lengths: IntArray
    conflicts: IntArray  # bits of the walkways of this colour that a walkway would cross
    left: IntArray  # pieces by length, those of walkways built included
    buildings: int
    prices: IntArray  # C-33, C-36, C-38: per circuit, per single end, per solo building; C-32: 0/1

    def sets_from(self, floor: int, keep_all: bool) -> IntArray:
        """Sets worth at least ``floor``: all of them, or better and better ones up to the best."""
        found: IntArray = find_sets(
            self.ends, self.lengths, self.conflicts, self.left, self.buildings, self.prices,
            self.built, floor, keep_all,
        )  # fmt: skip
        return found[np.argsort(-found[:, 1], kind="stable")]


def _search(
    graphs: list[Graph], spans: list[Span], wanted: list[int], edition: int
) -> tuple[list[Span], int]:
    crossings = _three(_crossing_bits(graphs))
    rules = np.array(
        [edition if CROSSED_WALKWAYS in wanted else -1, BALANCED in wanted], dtype=np.int64
    )
    lengths = _three([graph.lengths for graph in graphs])
    best = [graph.sets_from(-(1 << 30), keep_all=False)[:1] for graph in graphs]
    if not all(map(len, best)):
        raise BadPosition(Message("cloud-city.analysis.built"), "C-18")
    picked = combine(_three(best), crossings, lengths, rules, -(1 << 30))
    alone = sum(int(one[0, 1]) for one in best)
    loss = alone - int(picked[0])
    if loss > 0:
        near = [
            graph.sets_from(int(one[0, 1]) - loss, keep_all=True)
            for graph, one in zip(graphs, best, strict=True)
        ]
        better = combine(_three(near), crossings, lengths, rules, int(picked[0]))
        picked = better if better[0] > picked[0] else picked
    chosen = [
        span
        for graph, bits in zip(graphs, picked[1:].tolist(), strict=True)
        for nth, span in enumerate(graph.spans)
        if bits >> nth & 1
    ]
    return chosen, int(picked[0])


def _three(arrays: list[IntArray]) -> Three:
    blue, green, sand = arrays
    return blue, green, sand


def _crossing_bits(graphs: list[Graph]) -> list[IntArray]:
    """For each colour, walkway and other colour, the bits of the walkways that it crosses."""
    bits = []
    for graph in graphs:
        rows = np.zeros((max(len(graph.spans), 1), 3), np.int64)
        for nth, span in enumerate(graph.spans):
            for colour, other in enumerate(graphs):
                if other is not graph:
                    rows[nth, colour] = sum(
                        1 << n for n, theirs in enumerate(other.spans) if span.crosses(theirs)
                    )
        bits.append(rows)
    return bits


@jit
def combine(sets: Three, crossings: Three, lengths: Three, rules: IntArray, floor: int) -> IntArray:
    """The best combination of sets of the three colours, each list best first, above a floor."""
    best = np.zeros(4, np.int64)
    best[0] = floor
    blue, green, sand = sets
    for b in range(blue.shape[0]):
        if blue[b, 1] + green[0, 1] + sand[0, 1] <= best[0]:
            break
        for g in range(green.shape[0]):
            if blue[b, 1] + green[g, 1] + sand[0, 1] <= best[0]:
                break
            for s in range(sand.shape[0]):
                value = blue[b, 1] + green[g, 1] + sand[s, 1]
                if value <= best[0]:
                    break
                # C-32: the bonus for a varied route is given once.
                bonus = (int64(blue[b, 2]), int64(green[g, 2]), int64(sand[s, 2]))
                value -= sum(bonus) - max(bonus)
                bits = (int64(blue[b, 0]), int64(green[g, 0]), int64(sand[s, 0]))
                if value > best[0]:
                    value -= loss_together(bits, crossings, lengths, rules)
                if value > best[0]:
                    best[0] = value
                    best[1], best[2], best[3] = bits
    return best


@jit
def loss_together(bits: Bits, crossings: Three, lengths: Three, rules: IntArray) -> int:
    """C-37, C-39: what crossings and a lack of balance cost."""
    loss = 0
    if rules[0] >= 0:
        loss += crossing_loss(bits, crossings, int64(rules[0]))
    if rules[1] and not balanced(bits, lengths):
        loss -= scoring.FOR_NO_BALANCE
    return loss


@jit
def crossing_loss(bits: Bits, crossings: Three, edition: int) -> int:
    """C-37: what the crossings of three sets cost."""
    walkways, ends = 0, 0  # every crossing is met twice, once from either walkway
    for colour in range(3):
        for nth in range(crossings[colour].shape[0]):
            if (bits[colour] >> nth) & 1:
                met = 0
                for other in range(3):
                    met += count_bits(int64(crossings[colour][nth, other]) & bits[other])
                ends += met
                walkways += met > 0
    if edition == EN:
        return -scoring.FOR_A_CROSSING * walkways
    crossed = ends // 2
    return -scoring.FOR_A_CROSSING * (crossed if edition == DE else min(crossed, 1))


@jit
def balanced(bits: Bits, lengths: Three) -> bool:
    """C-39: enough walkways worth 3, 5 and 8 in three sets."""
    for length, needed in scoring.BALANCE:
        found = 0
        for colour in range(3):
            for nth in range(lengths[colour].size):
                if (bits[colour] >> nth) & 1 and lengths[colour][nth] == length:
                    found += 1
        if found < needed:
            return False
    return True


# --- the search within a colour


UNDECIDED, TAKEN, PASSED = range(3)


@jit
def find_sets(
    ends: IntArray, lengths: IntArray, conflicts: IntArray, left: IntArray, buildings: int,
    prices: IntArray, built: int, floor: int, keep_all: bool,
) -> IntArray:  # fmt: skip
    """Sets of walkways of one colour worth at least ``floor``: rows of bits, value, varied bonus.

    Walkways are decided one by one, the built ones first (they are in every set): each is taken
    if it may be, then passed over.  A branch is left as soon as its upper bound is too low.  Unless
    all are kept, each set found raises the floor, so that the last one is the best.
    """
    found = np.zeros((16, 3), np.int64)
    size = 0
    degree = np.zeros(max(buildings, 1), np.int64)
    used = np.zeros(LENGTHS + 1, np.int64)
    state = np.zeros(lengths.size + 1, np.int64)
    bits, at = 0, 0
    while at >= 0:
        if at == lengths.size:
            bonus = varied_bonus(ends, lengths, bits, buildings, prices)
            value = value_of(ends, lengths, bits, degree, buildings, prices) + bonus
            if value >= floor:
                found = with_room(found, size)
                found[size, 0], found[size, 1], found[size, 2] = bits, value, bonus
                size += 1
                floor = floor if keep_all else value + 1
            at -= 1
            continue
        if state[at] == UNDECIDED and may_take(
            ends, lengths, conflicts, left, degree, used, bits, at
        ):
            state[at] = TAKEN
            bits |= 1 << at
            count_walkway(ends, lengths, degree, used, at, 1)
        elif state[at] != PASSED:
            if state[at] == TAKEN:
                bits &= ~(1 << at)
                count_walkway(ends, lengths, degree, used, at, -1)
            state[at] = PASSED
            if at < built:
                continue
        else:
            state[at] = UNDECIDED
            at -= 1
            continue
        if bound(ends, lengths, bits, degree, buildings, prices, at + 1) >= 2 * floor:
            at += 1
    return found[:size]


@jit
def with_room(found: IntArray, size: int) -> IntArray:
    """The list of sets, twice as long if it is full."""
    if size < found.shape[0]:
        return found
    grown = np.zeros((2 * size, 3), np.int64)
    grown[:size] = found
    return grown


@jit
def may_take(
    ends: IntArray, lengths: IntArray, conflicts: IntArray, left: IntArray, degree: IntArray,
    used: IntArray, bits: int, at: int,
) -> bool:  # fmt: skip
    """C-14, C-17, C-18: a piece left, no crossing, room at both ends."""
    room = degree[ends[at, 0]] < 2 and degree[ends[at, 1]] < 2
    return bool(room and used[lengths[at]] < left[lengths[at]] and int64(conflicts[at]) & bits == 0)


@jit
def count_walkway(
    ends: IntArray, lengths: IntArray, degree: IntArray, used: IntArray, at: int, change: int
) -> None:
    """Note that a walkway is taken, or no longer."""
    degree[ends[at, 0]] += change
    degree[ends[at, 1]] += change
    used[lengths[at]] += change


@jit
def end_price(degree: int, prices: IntArray) -> int:
    """C-36, C-38: what a building with so many walkways is worth."""
    if degree == 0:
        return int64(prices[2])
    return int64(prices[1]) if degree == 1 else 0


@jit
def bound(
    ends: IntArray, lengths: IntArray, bits: int, degree: IntArray, buildings: int,
    prices: IntArray, at: int,
) -> int:  # fmt: skip
    """Twice the most that a set can be worth whose first ``at`` walkways are decided.

    Half of an undecided walkway's votes is counted at each of its ends, where only the best ones
    find room; so every building can be looked at alone.
    """
    total = 0
    lengths_seen = 0
    for nth in range(at):
        if (bits >> nth) & 1:
            total += 2 * int64(VOTES_BY_LENGTH[lengths[nth]])
            lengths_seen |= 1 << int64(lengths[nth])
    for nth in range(at, lengths.size):
        lengths_seen |= 1 << int64(lengths[nth])
    could_turn = 0
    for building in range(buildings):
        first, second = -1, -1
        for nth in range(at, lengths.size):
            if ends[nth, 0] == building or ends[nth, 1] == building:
                votes = int64(VOTES_BY_LENGTH[lengths[nth]])
                if votes > first:
                    first, second = votes, first
                elif votes > second:
                    second = votes
        have = int64(degree[building])
        best = 2 * end_price(have, prices)
        if first >= 0 and have < 2:
            best = max(best, first + 2 * end_price(have + 1, prices))
        if second >= 0 and have == 0:
            best = max(best, first + second + 2 * end_price(2, prices))
        total += best
        could_turn += have + (first >= 0) + (second >= 0) >= 2
    total += 2 * int64(prices[0]) * (could_turn // 4)
    if prices[3]:
        kinds = 0
        for length in range(1, LENGTHS + 1):
            kinds += (lengths_seen >> length) & 1
        total += 2 * bonus_for(kinds)
    return total


@jit
def bonus_for(kinds: int) -> int:
    """C-32: what a route of so many different lengths brings."""
    if kinds == 5:
        return scoring.FOR_FIVE_LENGTHS
    return scoring.FOR_FOUR_LENGTHS if kinds == 4 else 0


@jit
def value_of(
    ends: IntArray, lengths: IntArray, bits: int, degree: IntArray, buildings: int,
    prices: IntArray,
) -> int:  # fmt: skip
    """The votes of a set, its circuits and its buildings with one walkway or none."""
    total = 0
    for nth in range(lengths.size):
        if (bits >> nth) & 1:
            total += int64(VOTES_BY_LENGTH[lengths[nth]])
    for building in range(buildings):
        total += end_price(int64(degree[building]), prices)
    if prices[0]:
        total += int64(prices[0]) * circuits_in(ends, bits, degree, buildings)
    return total


@jit
def routes_of(ends: IntArray, bits: int, buildings: int) -> IntArray:
    """For each building the lowest number of a building that it hangs together with."""
    route = np.arange(max(buildings, 1))
    changed = True
    while changed:
        changed = False
        for nth in range(ends.shape[0]):
            if (bits >> nth) & 1:
                low = min(int64(route[ends[nth, 0]]), int64(route[ends[nth, 1]]))
                if route[ends[nth, 0]] != low or route[ends[nth, 1]] != low:
                    route[ends[nth, 0]] = low
                    route[ends[nth, 1]] = low
                    changed = True
    return route


@jit
def circuits_in(ends: IntArray, bits: int, degree: IntArray, buildings: int) -> int:
    """C-33: routes all of whose buildings have two walkways."""
    route = routes_of(ends, bits, buildings)
    count = 0
    for root in range(buildings):
        if route[root] != root or degree[root] == 0:
            continue
        closed = True
        for building in range(buildings):
            if route[building] == root and degree[building] != 2:
                closed = False
        count += closed
    return count


@jit
def varied_bonus(
    ends: IntArray, lengths: IntArray, bits: int, buildings: int, prices: IntArray
) -> int:
    """C-32: the bonus of the most varied route of a set."""
    if prices[3] == 0:
        return 0
    route = routes_of(ends, bits, buildings)
    seen = np.zeros(max(buildings, 1), np.int64)
    for nth in range(lengths.size):
        if (bits >> nth) & 1:
            seen[route[ends[nth, 0]]] |= 1 << int64(lengths[nth])
    best = 0
    for root in range(buildings):
        kinds = 0
        for length in range(1, LENGTHS + 1):
            kinds += (int64(seen[root]) >> length) & 1
        best = max(best, bonus_for(kinds))
    return best


# --- reading a city


def _read_city(city: Mapping[str, Any]) -> tuple[dict[Square, int], set[Square], list[Span]]:
    """The buildings with their colours, all squares of tiles, and the walkways built."""
    document = dict(city) if isinstance(city, Mapping) else city
    place = Node(document, "city", BadPosition)
    ground = {
        (2 * row + r, 2 * col + c)
        for row, col in map(_tile_place, place["tiles"].items())
        for r in (0, 1)
        for c in (0, 1)
    }
    buildings: dict[Square, int] = {}
    for entry in place["buildings"].items():
        square = _square(entry["row"], entry["col"])
        if square not in ground or square in buildings:
            raise entry.fail("cloud-city.position.buildings", "C-9")
        buildings[square] = COLOURS.index(entry["colour"].one_of(COLOURS))
    return buildings, ground, [_read_span(entry) for entry in place["walkways"].items()]


def _tile_place(tile: Node) -> tuple[int, int]:
    return tile["row"].whole(-REACH, REACH), tile["col"].whole(-REACH, REACH)


def _square(row: Node, col: Node) -> Square:
    return row.whole(-EDGE, EDGE + 1), col.whole(-EDGE, EDGE + 1)


def _read_span(entry: Node) -> Span:
    ends = sorted(_square(*entry[key].items(2)) for key in ("from", "to"))
    return Span(COLOURS.index(entry["colour"].one_of(COLOURS)), ends[0], ends[1])


def _read_supply(supply: Mapping[str, Sequence[int]] | None, built: list[Span]) -> list[list[int]]:
    """Pieces by colour and length, those of the city's own walkways counted in."""
    if supply is None:
        return [list(PIECES) for _ in COLOURS]
    document = dict(supply) if isinstance(supply, Mapping) else supply
    place = Node(document, "supply", BadPosition).only(*COLOURS)
    pieces = [place[colour].wholes(LENGTHS, 0, 99) for colour in COLOURS]
    for span in built:
        pieces[span.colour][span.length - 1] += 1
    return pieces


def _read_requests(requests: Sequence[str], edition: str) -> tuple[list[int], int]:
    names = [requests] if isinstance(requests, str) else requests
    cards = Node(names, "requests", BadPosition).items()
    number = EDITIONS.index(Node(edition, "edition", BadPosition).one_of(EDITIONS))
    return [REQUESTS.index(card.one_of(REQUESTS)) for card in cards], number


def _not_allowed(span: Span) -> Message:
    return Message("cloud-city.analysis.walkway", walkway=str(span.to_json()))


def _allowed(buildings: dict[Square, int], ground: set[Square]) -> list[Span]:
    """C-13, C-15, C-16, C-19: the walkways that tiles and buildings allow."""
    spans = []
    for (row, col), colour in sorted(buildings.items()):
        for down, right in ((0, 1), (1, 0)):
            for length in range(1, LENGTHS + 1):
                square = (row + down * length, col + right * length)
                found = buildings.get(square, -1)
                if square not in ground or found > colour:
                    break
                if found == colour:
                    spans.append(Span(colour, (row, col), square))
                    break
    return spans


def _graph(
    colour: int,
    buildings: dict[Square, int],
    spans: list[Span],
    built: list[Span],
    pieces: list[list[int]],
    wanted: list[int],
) -> Graph:
    squares = sorted(square for square, own in buildings.items() if own == colour)
    number = {square: nth for nth, square in enumerate(squares)}
    mine = [span for span in spans if span.colour == colour]
    mine.sort(key=lambda span: (span not in built, -span.length))
    conflicts = np.zeros(len(mine), np.int64)
    for (one, first), (two, second) in combinations(enumerate(mine), 2):
        if first.crosses(second):
            conflicts[one] |= 1 << two
            conflicts[two] |= 1 << one
    ends = np.array([[number[s.start], number[s.goal]] for s in mine], np.int64).reshape(-1, 2)
    return Graph(
        mine,
        sum(span in built for span in mine),
        ends,
        np.array([span.length for span in mine], np.int64),
        conflicts,
        np.array([0, *pieces[colour]], np.int64),
        len(squares),
        np.array(
            [
                scoring.FOR_A_CIRCUIT * (CIRCUITS in wanted),
                scoring.FOR_ONE_WALKWAY * (MINIMALIST in wanted),
                scoring.FOR_A_SOLO_BUILDING * (SOLO_BUILDINGS in wanted),
                VARIED_ROUTE in wanted,
            ],
            np.int64,
        ),
    )
