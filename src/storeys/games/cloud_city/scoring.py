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
    LENGTHS,
    MINIMALIST,
    MOST_REQUESTS,
    MOST_WALKWAYS,
    NONE,
    SEPARATE_ROUTES,
    SOLO_BUILDINGS,
    VALUABLE_ROUTE,
    VARIED_ROUTE,
    State,
)
from storeys.kernel.compiling import jit, jitable
from storeys.kernel.grid import STRIDE
from storeys.kernel.record import IntArray, int64

BLUE, GREEN, SAND = range(3)
FOR_THE_MOST, FOR_A_TIE = 6, 3
FOR_FOUR_LENGTHS, FOR_FIVE_LENGTHS = 6, 8
FOR_A_CIRCUIT, FOR_ONE_WALKWAY = 3, 2
FOR_A_CROSSING, FOR_A_SOLO_BUILDING, FOR_NO_BALANCE = -2, -2, -4
BALANCE = ((3, 5), (4, 1), (5, 1))  # C-39: of length so many; they are worth 3, 5 and 8


# --- walkways and routes


@jitable
def ends_of(state: State, seat: int, nth: int) -> tuple[int, int]:
    """The squares of the two buildings that a walkway joins."""
    square, length = int64(state.walkway[seat, nth, 1]), int64(state.walkway[seat, nth, 3])
    step = STRIDE if state.walkway[seat, nth, 2] else 1
    return square, square + length * step


@jit
def votes_of_colour(state: State, tables: Any, seat: int, colour: int) -> int:
    """C-21: the votes of a city's walkways of one colour."""
    votes = 0
    for nth in range(state.walkway_count[seat]):
        if state.walkway[seat, nth, 0] == colour:
            votes += int64(tables.votes[state.walkway[seat, nth, 3] - 1])
    return votes


@jit
def find_routes(state: State, seat: int, routes: IntArray) -> None:
    """C-23: give every walkway the number of the first walkway that it hangs together with."""
    count = int64(state.walkway_count[seat])
    for nth in range(count):
        routes[nth] = nth
        start, goal = ends_of(state, seat, nth)
        for other in range(nth):
            # Only walkways of one colour share a building.
            first, last = ends_of(state, seat, other)
            if start in (first, last) or goal in (first, last):
                merge_routes(routes, nth + 1, int64(routes[other]), int64(routes[nth]))


@jit
def merge_routes(routes: IntArray, count: int, one: int, two: int) -> None:
    """Let two routes have the lower number of both."""
    for nth in range(count):
        if routes[nth] in (one, two):
            routes[nth] = min(one, two)


@jit
def route_votes(state: State, tables: Any, seat: int, routes: IntArray, route: int) -> int:
    """The votes of a route."""
    votes = 0
    for nth in range(state.walkway_count[seat]):
        if routes[nth] == route:
            votes += int64(tables.votes[state.walkway[seat, nth, 3] - 1])
    return votes


@jit
def route_size(state: State, seat: int, routes: IntArray, route: int) -> int:
    """The walkways of a route."""
    size = 0
    for nth in range(state.walkway_count[seat]):
        size += routes[nth] == route
    return size


@jit
def lengths_in_route(state: State, seat: int, routes: IntArray, route: int) -> int:
    """C-32: how many different lengths a route holds."""
    found = 0
    for nth in range(state.walkway_count[seat]):
        if routes[nth] == route:
            found |= 1 << int64(state.walkway[seat, nth, 3])
    count = 0
    for length in range(1, LENGTHS + 1):
        count += (found >> length) & 1
    return count


@jitable
def walkways_at(state: State, seat: int, square: int) -> int:
    """How many walkways end at a building: 0, 1 or 2."""
    links = int64(state.links[seat, square])
    return (links & 1) + ((links >> 1) & 1) + ((links >> 2) & 1) + ((links >> 3) & 1)


@jit
def is_circuit(state: State, seat: int, routes: IntArray, route: int) -> bool:
    """C-33: a route without a loose end."""
    for nth in range(state.walkway_count[seat]):
        if routes[nth] == route:
            start, goal = ends_of(state, seat, nth)
            if walkways_at(state, seat, start) < 2 or walkways_at(state, seat, goal) < 2:
                return False
    return True


@jitable
def crossings_at(state: State, seat: int, square: int) -> int:
    """C-41: pairs of walkways, one along the row and one along the column, between their ends."""
    span = int64(state.span[seat, square])
    along_row = (span & 1) + ((span >> 2) & 1) + ((span >> 4) & 1)
    along_column = ((span >> 1) & 1) + ((span >> 3) & 1) + ((span >> 5) & 1)
    return along_row * along_column


@jit
def crosses_another(state: State, seat: int, nth: int) -> bool:
    """C-41: whether a walkway crosses any other."""
    square, length = int64(state.walkway[seat, nth, 1]), int64(state.walkway[seat, nth, 3])
    direction = int64(state.walkway[seat, nth, 2])
    step = STRIDE if direction else 1
    across = 21 << (1 - direction)  # the bits of the other direction: 0b010101 or 0b101010
    for between in range(1, length):
        if int64(state.span[seat, square + between * step]) & across:
            return True
    return False


# --- what a city shows for a request


@jit
def measure(state: State, tables: Any, seat: int, request: int) -> int:
    """C-30 … C-39: what a request counts in a city, before it is compared or priced."""
    if request in (VALUABLE_ROUTE, SEPARATE_ROUTES, VARIED_ROUTE, CIRCUITS):
        return measure_routes(state, tables, seat, request)
    if request == BLUE_BUILDINGS:
        return buildings_of_colour(state, seat, BLUE)
    if request == GREEN_BUILDINGS:
        return buildings_of_colour(state, seat, GREEN)
    if request == MINIMALIST:
        return buildings_with(state, seat, 1)
    if request == SOLO_BUILDINGS:
        return buildings_with(state, seat, 0)
    if request == CROSSED_WALKWAYS:
        return measure_crossings(state, seat)
    return is_balanced(state, seat)


@jit
def measure_routes(state: State, tables: Any, seat: int, request: int) -> int:
    """C-30 … C-33: the best route, or how many there are."""
    routes = np.zeros(MOST_WALKWAYS, np.int64)
    find_routes(state, seat, routes)
    best, count = 0, 0
    for route in range(state.walkway_count[seat]):
        if routes[route] != route:
            continue
        if request == VALUABLE_ROUTE:
            best = max(best, value_of_route(state, tables, seat, routes, route))
        elif request == VARIED_ROUTE:
            best = max(best, lengths_in_route(state, seat, routes, route))
        elif request == CIRCUITS:
            count += is_circuit(state, seat, routes, route)
        elif counts_as_separate(state, seat, routes, route):
            count += 1
    return best if request in (VALUABLE_ROUTE, VARIED_ROUTE) else count


@jit
def value_of_route(state: State, tables: Any, seat: int, routes: IntArray, route: int) -> int:
    """C-30: river and forest only; votes, or in the German edition walkways."""
    if state.walkway[seat, route, 0] == SAND:
        return 0
    if state.edition == DE:
        return route_size(state, seat, routes, route)
    return route_votes(state, tables, seat, routes, route)


@jit
def counts_as_separate(state: State, seat: int, routes: IntArray, route: int) -> bool:
    """C-31: any route, or in the German edition one of two walkways or more."""
    return state.edition != DE or route_size(state, seat, routes, route) >= 2


@jit
def buildings_of_colour(state: State, seat: int, colour: int) -> int:
    """C-34, C-35: the buildings of a colour."""
    count = 0
    for nth in range(2 * state.laid_count[seat]):
        count += state.ground[seat, state.building[seat, nth]] == colour + 1
    return count


@jit
def buildings_with(state: State, seat: int, walkways: int) -> int:
    """C-36, C-38: the buildings where so many walkways end."""
    count = 0
    for nth in range(2 * state.laid_count[seat]):
        count += walkways_at(state, seat, int64(state.building[seat, nth])) == walkways
    return count


@jit
def measure_crossings(state: State, seat: int) -> int:
    """C-37: walkways that cross (en), crossings (de), or whether there is any (nl)."""
    walkways, crossings = 0, 0
    for nth in range(state.walkway_count[seat]):
        walkways += crosses_another(state, seat, nth)
    for square in range(STRIDE * STRIDE):
        crossings += crossings_at(state, seat, square)
    if state.edition == EN:
        return walkways
    return crossings if state.edition == DE else min(crossings, 1)


@jit
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


@jit
def request_points(state: State, tables: Any, seat: int, request: int) -> int:
    """C-30 … C-40: what a request brings or costs a seat."""
    own = measure(state, tables, seat, request)
    if request == VARIED_ROUTE:
        return FOR_FIVE_LENGTHS if own == 5 else (FOR_FOUR_LENGTHS if own == 4 else 0)
    if request == CIRCUITS:
        return FOR_A_CIRCUIT * own
    if request == MINIMALIST:
        return FOR_ONE_WALKWAY * own
    if request == CROSSED_WALKWAYS:
        return FOR_A_CROSSING * own
    if request == SOLO_BUILDINGS:
        return FOR_A_SOLO_BUILDING * own
    if request == BALANCED:
        return 0 if own else FOR_NO_BALANCE
    return points_for_the_most(state, tables, seat, request, own)


@jit
def points_for_the_most(state: State, tables: Any, seat: int, request: int, own: int) -> int:
    """C-40: six for the most, three for a tie; routes that nobody has bring nothing."""
    ties = False
    for other in range(state.players):
        if other != seat:
            theirs = measure(state, tables, other, request)
            if theirs > own:
                return 0
            ties |= theirs == own
    if own == 0 and request in (VALUABLE_ROUTE, SEPARATE_ROUTES):
        return 0
    return FOR_A_TIE if ties else FOR_THE_MOST


@jit
def seat_total(state: State, tables: Any, seat: int) -> int:
    """C-21, C-23: the votes of walkways and requests."""
    total = 0
    for colour in range(3):
        total += votes_of_colour(state, tables, seat, colour)
    for nth in range(MOST_REQUESTS):
        if state.requests[nth] != NONE:
            total += request_points(state, tables, seat, int64(state.requests[nth]))
    return total


@jit
def score(state: State, tables: Any, out: IntArray) -> None:
    """C-21, C-23: each seat's votes."""
    for seat in range(state.players):
        out[seat] = seat_total(state, tables, seat)


@jit
def winners(state: State, tables: Any, out: IntArray) -> None:
    """C-21: most votes; ties by the votes on river, forest, sand walkways; then shared."""
    out[:] = True
    for criterion in range(4):
        best = -(1 << 30)
        for seat in range(state.players):
            if out[seat]:
                best = max(best, criterion_of(state, tables, seat, criterion))
        for seat in range(state.players):
            out[seat] = out[seat] and criterion_of(state, tables, seat, criterion) == best


@jit
def criterion_of(state: State, tables: Any, seat: int, criterion: int) -> int:
    """C-21: the total first, then the votes of each colour."""
    if criterion == 0:
        return seat_total(state, tables, seat)
    return votes_of_colour(state, tables, seat, criterion - 1)
