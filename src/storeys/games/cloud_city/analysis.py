"""The best walkways of a city: a proven optimum by branch and bound, for bots and analysis.

Which walkways a city allows is fixed by its tiles and buildings (C-13, C-15, C-16, C-19); what is
left to decide is which of them to build, under C-14, C-17 and C-18.  Colours meet only where
walkways cross, where lengths are balanced and in the single bonus for a varied route, so each
colour is searched alone first:

1. the best set of each colour by itself;
2. if those together lose nothing where the colours meet, they are the optimum;
3. otherwise every set that is worse than its colour's best by no more than that loss is listed,
   and the combinations are tried, best first, as long as they can still win.

A set of walkways is one number: a bit for each walkway that the city allows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from storeys.games.cloud_city import scoring, state
from storeys.games.cloud_city.state import COLOURS, EDITIONS, LENGTHS, REQUESTS, VOTES
from storeys.kernel.compiling import jit, jitable
from storeys.kernel.errors import BadPosition
from storeys.kernel.messages import Message
from storeys.kernel.reading import Node
from storeys.kernel.record import IntArray
from storeys.kernel.tiles.grid import REACH, count_bits, lowest_bit
from storeys.kernel.tiles.moves import EDGE

PIECES = (6, 8, 8, 6, 3)
Square = tuple[int, int]
Buildings = dict[Square, int]  # their colours
Walkway = tuple[int, int, int, int, int]  # colour, row and column of start and goal
City = Mapping[str, Any]
Supply = Mapping[str, Sequence[int]]


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


def best_walkways(
    city: City, supply: Supply | None = None, requests: Sequence[str] = (), edition: str = "en"
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
    prices = _read_prices(requests, edition)
    walkways = sorted(_allowed(buildings, ground), key=lambda one: (one[0], -_length(*one)))
    for walkway in built:
        if walkway not in walkways or built.count(walkway) > 1:
            named = str(_to_json(*walkway))
            raise BadPosition(Message("cloud-city.analysis.walkway", walkway=named))
    old = sum(1 << walkways.index(walkway) for walkway in built)
    pieces = _read_supply(supply, built)
    graph = _graph(walkways, old, buildings, pieces, prices)
    if not all(may_take(graph, old & ~(1 << nth), nth) for nth in map(walkways.index, built)):
        raise BadPosition(Message("cloud-city.analysis.built"), "C-18")
    votes, chosen = _search(graph)
    new = [_to_json(*w) for nth, w in enumerate(walkways) if (chosen & ~old) >> nth & 1]
    return BestWalkways(new, votes)


# --- the search over the colours


class Prices(NamedTuple):
    """What the requests bring and cost; nothing for those that are not in play."""

    ends: IntArray  # C-36, C-38: for a building with no walkway, one, two
    promise: IntArray  # the same with a building's part of a circuit, which has at least four
    circuit: int  # C-33
    kinds: IntArray  # C-32: for a route of so many different lengths
    crossing: int  # C-37, as the edition counts crossings
    edition: int
    imbalance: int  # C-39


def _read_prices(requests: Sequence[str], edition: str) -> Prices:
    names = [requests] if isinstance(requests, str) else requests
    cards = Node(names, "requests", BadPosition).items()
    number = EDITIONS.index(Node(edition, "edition", BadPosition).one_of(EDITIONS))
    wanted = [REQUESTS.index(card.one_of(REQUESTS)) for card in cards]

    def price(request: int, count: int = 1) -> int:
        return scoring.points_of(1, request, np.array([count]), 0) if request in wanted else 0

    solo, single = price(state.SOLO_BUILDINGS), price(state.MINIMALIST)
    circuit = price(state.CIRCUITS)
    return Prices(
        ends=np.array([solo, single, 0.0]),
        promise=np.array([solo, single, circuit / 4]),
        circuit=circuit,
        kinds=np.array([price(state.VARIED_ROUTE, kinds) for kinds in range(LENGTHS + 1)]),
        crossing=price(state.CROSSED_WALKWAYS),
        edition=number,
        imbalance=price(state.BALANCED, 0),
    )


class Graph(NamedTuple):
    """The walkways that a city allows, by colour, then the longest first; sets of them are bits."""

    built: int  # a set
    prices: Prices
    first: IntArray  # the number of each colour's first walkway, and of all
    first_building: IntArray  # likewise
    ends: IntArray  # the numbers of the two buildings of each walkway
    votes: IntArray  # of each walkway
    left: IntArray  # C-14: pieces of its colour and length, those of walkways built included
    alike: IntArray  # the walkways of its colour and length
    conflicts: IntArray  # C-17: the walkways of its colour that it would cross
    crossed: IntArray  # C-41: all walkways that it would cross
    touching: IntArray  # the walkways that would end at each building
    of_length: IntArray  # the walkways of each length


def _search(graph: Graph) -> tuple[int, int]:
    """The most votes, and the set of walkways that brings them."""
    alone = [find_sets(graph, colour, scoring.LEAST, False)[-1:] for colour in range(3)]
    found = combine(graph, *alone)
    loss = sum(int(best[0, 0]) for best in alone) - int(found[0])
    if loss > 0:
        near = []
        for colour, best in enumerate(alone):
            sets = find_sets(graph, colour, int(best[0, 0]) - loss, True)
            near.append(sets[np.argsort(-sets[:, 0], kind="stable")])
        found = combine(graph, *near)
    return int(found[0]), int(found[1])


@jit
def combine(graph: Graph, blue: IntArray, green: IntArray, sand: IntArray) -> IntArray:
    """The votes of the best combination of sets of the three colours, each best first, and it."""
    best = np.array([scoring.LEAST, 0])
    for b in range(blue.shape[0]):
        for g in range(green.shape[0]):
            if blue[b, 0] + green[g, 0] + sand[0, 0] <= best[0]:
                break
            for s in range(sand.shape[0]):
                votes = blue[b, 0] + green[g, 0] + sand[s, 0]
                if votes <= best[0]:
                    break
                # C-32: the bonus for a varied route is given once.
                bonus = (blue[b, 1], green[g, 1], sand[s, 1])
                together = blue[b, 2] | green[g, 2] | sand[s, 2]
                votes += max(bonus) - sum(bonus) + points_together(graph, together)
                if votes > best[0]:
                    best[0], best[1] = votes, together
    return best


@jit
def points_together(graph: Graph, bits: int) -> int:
    """C-37, C-39: what crossings and a lack of balance cost."""
    walkways, crossings = 0, 0  # every crossing is met twice, once from either walkway
    for nth in range(graph.crossed.size):
        if (bits >> nth) & 1:
            met = count_bits(graph.crossed[nth] & bits)
            crossings += met
            walkways += met > 0
    prices = graph.prices
    counted = scoring.crossings_that_count(prices.edition, walkways, crossings // 2)
    points = prices.crossing * counted
    for length, needed in scoring.BALANCE:
        if count_bits(graph.of_length[length] & bits) < needed:
            return points + prices.imbalance
    return points


# --- the search within a colour


@jit
def find_sets(graph: Graph, colour: int, floor: int, keep_all: bool) -> IntArray:
    """Sets of walkways of one colour worth at least ``floor``: rows of votes, varied bonus, bits.

    Walkways are decided one by one (the built ones are in every set): each is taken if it may be,
    then passed over.  A branch is left as soon as its upper bound is too low.  Unless all are kept,
    each set found raises the floor, so that the last one is the best.
    """
    found, prices = [], graph.prices
    first, stop = graph.first[colour], graph.first[colour + 1]
    own = (1 << stop) - (1 << first)
    undecided = [(graph.built & own, first)]
    while undecided:
        bits, at = undecided.pop()
        kinds = kinds_in(graph, bits | (own & (-1 << at)))
        if worth(graph, prices.promise, colour, bits, at) + prices.kinds[kinds] < floor:
            continue
        if at < stop:
            undecided.append((bits, at + 1))
            if may_take(graph, bits, at):
                undecided.append((bits | (1 << at), at + 1))
            continue
        circuits, kinds = routes_of(graph, colour, bits)
        bonus = prices.kinds[kinds]
        votes = int(worth(graph, prices.ends, colour, bits, at)) + bonus
        votes += prices.circuit * circuits
        if votes >= floor:
            found.append((votes, bonus, bits))
            floor = floor if keep_all else votes + 1
    return np.array(found)


@jitable
def may_take(graph: Graph, bits: int, at: int) -> bool:
    """C-14, C-17, C-18: not taken yet; a piece left, no crossing, room at both ends."""
    if (bits >> at) & 1:
        return False
    for end in range(2):
        if count_bits(graph.touching[graph.ends[at, end]] & bits) == 2:
            return False
    crosses = graph.conflicts[at] & bits != 0
    return bool(count_bits(graph.alike[at] & bits) < graph.left[at] and not crosses)


@jitable
def worth(graph: Graph, prices: IntArray, colour: int, bits: int, at: int) -> float:
    """The most that a set of a colour can be worth whose walkways before ``at`` are decided.

    Half of a walkway's votes is counted at each of its ends, where only the best ones find room;
    so every building can be looked at alone.  With all decided this is what the set is worth.
    """
    total = 0.0
    for building in range(graph.first_building[colour], graph.first_building[colour + 1]):
        touching = graph.touching[building]
        taken, votes = touching & bits, 0.0
        ends = count_bits(taken)
        while taken:
            votes += graph.votes[lowest_bit(taken)] / 2
            taken &= taken - 1
        best = votes + prices[ends]
        free = touching & ~bits & (-1 << at)
        while free and ends < 2:
            votes += graph.votes[lowest_bit(free)] / 2
            free &= free - 1
            ends += 1
            best = max(best, votes + prices[ends])
        total += best
    return total


@jitable
def routes_of(graph: Graph, colour: int, bits: int) -> tuple[int, int]:
    """C-32, C-33: how many routes of a set are closed, and the most lengths that one has."""
    circuits, kinds = 0, 0
    while bits:
        route, grown, buildings = 0, bits & -bits, 0
        while route != grown:
            route, buildings = grown, 0
            for building in range(graph.first_building[colour], graph.first_building[colour + 1]):
                if graph.touching[building] & grown:
                    grown |= graph.touching[building] & bits
                    buildings += 1
        # A line has a building more than walkways.
        circuits += buildings == count_bits(route)
        kinds = max(kinds, kinds_in(graph, route))
        bits &= ~route
    return circuits, kinds


@jitable
def kinds_in(graph: Graph, bits: int) -> int:
    """How many different lengths some walkways have."""
    kinds = 0
    for length in range(1, LENGTHS + 1):
        kinds += graph.of_length[length] & bits != 0
    return kinds


# --- reading a city


def _read_city(city: City) -> tuple[Buildings, set[Square], list[Walkway]]:
    """The buildings with their colours, all squares of tiles, and the walkways built."""
    place = Node(dict(city) if isinstance(city, Mapping) else city, "city", BadPosition)
    tiles = [[tile[key].whole(-REACH, REACH) for key in ("row", "col")]
             for tile in place["tiles"].items()]  # fmt: skip
    ground = {(2 * row + r, 2 * col + c) for row, col in tiles for r in (0, 1) for c in (0, 1)}
    buildings: Buildings = {}
    for entry in place["buildings"].items():
        row, col = (entry[key].whole(-EDGE, EDGE + 1) for key in ("row", "col"))
        one_too_many = len(buildings) == state.MOST_BUILDINGS
        if (row, col) not in ground or (row, col) in buildings or one_too_many:
            raise entry.fail("cloud-city.position.buildings", "C-9")
        buildings[row, col] = COLOURS.index(entry["colour"].one_of(COLOURS))
    return buildings, ground, [_read_walkway(entry) for entry in place["walkways"].items()]


def _read_walkway(entry: Node) -> Walkway:
    start, goal = sorted(entry[key].wholes(2, -EDGE, EDGE + 1) for key in ("from", "to"))
    return COLOURS.index(entry["colour"].one_of(COLOURS)), start[0], start[1], goal[0], goal[1]


def _read_supply(supply: Supply | None, built: list[Walkway]) -> IntArray:
    """Pieces by colour and length, those of the city's own walkways counted in."""
    if supply is None:
        return np.array([PIECES] * len(COLOURS))
    document = dict(supply) if isinstance(supply, Mapping) else supply
    place = Node(document, "supply", BadPosition).only(*COLOURS)
    pieces = np.array([place[colour].wholes(LENGTHS, 0, 99) for colour in COLOURS])
    for walkway in built:
        pieces[walkway[0], _length(*walkway) - 1] += 1
    return pieces


def _length(colour: int, row: int, col: int, to_row: int, to_col: int) -> int:
    return to_row - row + to_col - col


def _to_json(colour: int, row: int, col: int, to_row: int, to_col: int) -> dict[str, Any]:
    """A walkway as positions name it."""
    return {"colour": COLOURS[colour], "from": [row, col], "to": [to_row, to_col]}


def _allowed(buildings: Buildings, ground: set[Square]) -> list[Walkway]:
    """C-13, C-15, C-16, C-19: the walkways that tiles and buildings allow."""
    walkways = []
    for (row, col), colour in sorted(buildings.items()):
        for down, right in ((0, 1), (1, 0)):
            for length in range(1, LENGTHS + 1):
                square = (row + down * length, col + right * length)
                found = buildings.get(square, -1)
                if square not in ground or found > colour:
                    break
                if found == colour:
                    walkways.append((colour, row, col, *square))
                    break
    return walkways


def _graph(
    walkways: list[Walkway], built: int, buildings: Buildings, pieces: IntArray, prices: Prices
) -> Graph:
    squares = sorted(buildings, key=lambda square: buildings[square])
    number = {square: nth for nth, square in enumerate(squares)}
    ends = np.array([(number[w[1:3]], number[w[3:]]) for w in walkways], np.int64).reshape(-1, 2)
    colours, r, c, to_r, to_c = np.array(walkways, np.int64).reshape(-1, 5).T
    lengths = to_r - r + to_c - c
    # C-41: one along a row, one along a column, over a square between the ends of both.
    over = (c[:, None] < c) & (c < to_c[:, None]) & (r < r[:, None]) & (r[:, None] < to_r)
    crosses, same = over | over.T, colours[:, None] == colours
    bits = 1 << np.arange(len(walkways))  # a matrix of yes and no times these is rows of masks
    return Graph(
        built=built,
        prices=prices,
        first=np.searchsorted(colours, range(4)),
        first_building=np.searchsorted([buildings[square] for square in squares], range(4)),
        ends=ends,
        votes=np.array([0, *VOTES])[lengths],
        left=pieces[colours, lengths - 1],
        alike=(same & (lengths[:, None] == lengths)) @ bits,
        conflicts=(crosses & same) @ bits,
        crossed=crosses @ bits,
        touching=(ends == np.arange(len(squares))[:, None, None]).any(axis=2) @ bits,
        of_length=(lengths == np.arange(LENGTHS + 1)[:, None]) @ bits,
    )
