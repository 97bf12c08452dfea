"""Cloud City's scoring: walkways (C-21) and requests (C-30 … C-41), as if the match ended now."""

from typing import Any

import numpy as np

from storeys.games.cloud_city.state import (
    BALANCED,
    BLUE_BUILDINGS,
    CIRCUITS,
    CROSSED_WALKWAYS,
    DE,
    EN,
    GREEN_BUILDINGS,
    MINIMALIST,
    MOST_REQUESTS,
    NONE,
    SEPARATE_ROUTES,
    SOLO_BUILDINGS,
    VALUABLE_ROUTE,
    VARIED_ROUTE,
    State,
)
from storeys.kernel import verbs
from storeys.kernel.compiling import jitable
from storeys.kernel.deriving import keep_best
from storeys.kernel.record import IntArray, int64
from storeys.kernel.tiles.grid import STRIDE, count_bits

BLUE, GREEN, SAND = range(3)
ALONG_ROW = 0b010101  # the bits of a span whose walkways run along a row; the others, one further
LEAST = np.iinfo(np.int32).min
ANY = -1
ROUTES = (VALUABLE_ROUTE, SEPARATE_ROUTES, VARIED_ROUTE, CIRCUITS)
FOR_THE_MOST, FOR_A_TIE = 6, 3
FOR_LENGTHS = (0, 0, 0, 0, 6, 8)  # C-32: for a route of so many different lengths
FOR_EACH = ((CIRCUITS, 3), (MINIMALIST, 2), (CROSSED_WALKWAYS, -2), (SOLO_BUILDINGS, -2))
FOR_NO_BALANCE = -4
# The buildings that a request counts: their height, and the walkways that end at them.
ASKED = ((BLUE_BUILDINGS, 1, ANY), (GREEN_BUILDINGS, 2, ANY), (MINIMALIST, ANY, 1),
         (SOLO_BUILDINGS, ANY, 0))  # fmt: skip
BALANCE = ((3, 5), (4, 1), (5, 1))  # C-39: of length so many; they are worth 3, 5 and 8


# --- walkways and routes


@jitable
def ends_of(state: State, seat: int, nth: int) -> tuple[int, int]:
    """The squares of the two buildings that a walkway joins."""
    square, length = int64(state.walkway[seat, nth, 1]), int64(state.walkway[seat, nth, 3])
    step = STRIDE if state.walkway[seat, nth, 2] else 1
    return square, square + length * step


@jitable
def votes_of(state: State, tables: Any, seat: int, colour: int) -> int:
    """C-21: the votes of a city's walkways of one colour (ANY for all)."""
    votes = 0
    for nth in range(state.walkway_count[seat]):
        if colour in (ANY, int64(state.walkway[seat, nth, 0])):
            votes += int64(tables.votes[state.walkway[seat, nth, 3] - 1])
    return votes


@jitable
def find_routes(state: State, seat: int) -> IntArray:
    """C-23: for every walkway the number of the first walkway that it hangs together with."""
    routes = np.empty(int64(state.walkway_count[seat]), np.int64)
    for nth in range(routes.size):
        routes[nth] = nth
    for nth in range(routes.size):
        start, goal = ends_of(state, seat, nth)
        for other in range(nth):
            # Only walkways of one colour share a building.
            first, last = ends_of(state, seat, other)
            if start in (first, last) or goal in (first, last):
                merge_routes(routes, int64(routes[other]), int64(routes[nth]))
    return routes


@jitable
def merge_routes(routes: IntArray, one: int, two: int) -> None:
    """Let two routes have the lower number of both."""
    for nth in range(routes.size):
        if routes[nth] in (one, two):
            routes[nth] = min(one, two)


@jitable
def walkways_at(state: State, seat: int, square: int) -> int:
    """How many walkways end at a building: 0, 1 or 2."""
    links = int64(state.links[seat, square])
    return (links & 1) + ((links >> 1) & 1) + ((links >> 2) & 1) + ((links >> 3) & 1)


@jitable
def count_route(
    state: State, tables: Any, seat: int, routes: IntArray, route: int, request: int
) -> int:
    """C-30 … C-33: what a route counts for a request."""
    votes, size, lengths, closed = 0, 0, 0, True
    for nth in range(routes.size):
        if routes[nth] != route:
            continue
        length = int64(state.walkway[seat, nth, 3])
        votes += int64(tables.votes[length - 1])
        size += 1
        lengths |= 1 << length
        start, goal = ends_of(state, seat, nth)
        # C-33: a circuit is a route without a loose end.
        if walkways_at(state, seat, start) < 2 or walkways_at(state, seat, goal) < 2:
            closed = False
    if request == VALUABLE_ROUTE:  # C-30: river and forest only; in the German edition walkways
        if state.walkway[seat, route, 0] == SAND:
            return 0
        return size if state.edition == DE else votes
    if request == SEPARATE_ROUTES:  # C-31: in the German edition two walkways or more
        return int64(state.edition != DE or size >= 2)
    return count_bits(lengths) if request == VARIED_ROUTE else int64(closed)


@jitable
def crossings_at(state: State, seat: int, square: int) -> int:
    """C-41: pairs of walkways, one along the row and one along the column, between their ends."""
    span = int64(state.span[seat, square])
    return count_bits(span & ALONG_ROW) * count_bits(span & (ALONG_ROW << 1))


@jitable
def crosses_another(state: State, seat: int, nth: int) -> bool:
    """C-41: whether a walkway crosses any other."""
    square, length = int64(state.walkway[seat, nth, 1]), int64(state.walkway[seat, nth, 3])
    direction = int64(state.walkway[seat, nth, 2])
    step = STRIDE if direction else 1
    across = ALONG_ROW << (1 - direction)
    for between in range(1, length):
        if int64(state.span[seat, square + between * step]) & across:
            return True
    return False


# --- what a city shows for a request


@jitable
def measure(state: State, tables: Any, seat: int, request: int) -> int:
    """C-30 … C-39: what a request counts in a city, before it is compared or priced."""
    if request in ROUTES:
        return measure_routes(state, tables, seat, request)
    for card, height, walkways in ASKED:
        if request == card:
            return count_buildings(state, seat, height, walkways)
    if request == CROSSED_WALKWAYS:
        return measure_crossings(state, seat)
    return is_balanced(state, seat)


@jitable
def measure_routes(state: State, tables: Any, seat: int, request: int) -> int:
    """C-30 … C-33: the best route, or how many there are."""
    routes = find_routes(state, seat)
    best, total = 0, 0
    for route in range(routes.size):
        if routes[route] == route:
            count = count_route(state, tables, seat, routes, route, request)
            best, total = max(best, count), total + count
    return best if request in (VALUABLE_ROUTE, VARIED_ROUTE) else total


@jitable
def count_buildings(state: State, seat: int, height: int, walkways: int) -> int:
    """C-34 … C-36, C-38: the buildings of a height or with so many walkways (ANY for all)."""
    count = 0
    for nth in range(2 * state.laid_count[seat]):
        count += is_asked(state, seat, int64(state.building[seat, nth]), height, walkways)
    return count


@jitable
def is_asked(state: State, seat: int, square: int, height: int, walkways: int) -> bool:
    """Whether a building has this height and so many walkways (ANY for all)."""
    of_height = height in (ANY, int64(state.ground[seat, square]))
    return of_height and walkways in (ANY, walkways_at(state, seat, square))


@jitable
def measure_crossings(state: State, seat: int) -> int:
    """C-37: walkways that cross (en), crossings (de), or whether there is any (nl)."""
    walkways, crossings = 0, 0
    for nth in range(state.walkway_count[seat]):
        walkways += crosses_another(state, seat, nth)
    for square in range(STRIDE * STRIDE):
        crossings += crossings_at(state, seat, square)
    return crossings_that_count(state.edition, walkways, crossings)


@jitable
def crossings_that_count(edition: int, walkways: int, crossings: int) -> int:
    """C-37: walkways that cross (en), crossings (de), or whether there is any (nl)."""
    if edition == EN:
        return walkways
    return crossings if edition == DE else min(crossings, 1)


@jitable
def is_balanced(state: State, seat: int) -> int:
    """C-39: 1 with at least five walkways worth 3, one worth 5 and one worth 8."""
    for length, needed in BALANCE:
        found = 0
        for nth in range(state.walkway_count[seat]):
            found += state.walkway[seat, nth, 3] == length
        if found < needed:
            return 0
    return 1


# --- points


@jitable
def points_of(players: int, request: int, counts: IntArray, seat: int) -> int:
    """C-30 … C-39: what a request brings or costs a seat, from what it counts in every city."""
    own = int64(counts[seat])
    if request == VARIED_ROUTE:
        return FOR_LENGTHS[own]
    for card, points in FOR_EACH:
        if request == card:
            return points * own
    if request == BALANCED:
        return 0 if own else FOR_NO_BALANCE
    return points_for_the_most(players, request, counts, seat)


@jitable
def points_for_the_most(players: int, request: int, counts: IntArray, seat: int) -> int:
    """C-40: six for the most, three for a tie; routes that nobody has bring nothing."""
    own, ties = int64(counts[seat]), False
    for other in range(players):
        if counts[other] > own:
            return 0
        ties |= other != seat and counts[other] == own
    if own == 0 and request in (VALUABLE_ROUTE, SEPARATE_ROUTES):
        return 0
    return FOR_A_TIE if ties else FOR_THE_MOST


@jitable
def score(state: State, tables: Any, out: IntArray) -> None:
    """C-21, C-23: each seat's votes on walkways and requests."""
    for seat in range(state.players):
        out[seat] = votes_of(state, tables, seat, ANY)
    counts = np.zeros(int64(state.players), np.int64)
    for nth in range(MOST_REQUESTS):
        request = int64(state.requests[nth])
        if request != NONE:
            for seat in range(state.players):
                counts[seat] = measure(state, tables, seat, request)
            for seat in range(state.players):
                out[seat] += points_of(state.players, request, counts, seat)


@jitable
def winners(state: State, tables: Any, out: IntArray) -> None:
    """C-21: most votes; ties by the votes on river, forest, sand walkways; then shared."""
    # By its verb and with the kind of array that others pass, so that it is compiled only once.
    votes = np.zeros(int64(state.players), np.int32)
    verbs.score(state, tables, votes)
    out[:] = True
    keep_best(votes, out)
    for colour in (BLUE, GREEN, SAND):
        for seat in range(state.players):
            votes[seat] = votes_of(state, tables, seat, colour)
        keep_best(votes, out)
