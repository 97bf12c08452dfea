"""Cloud City's score, explained: every walkway and request with what it counted, as coordinates."""

from typing import Any

import numpy as np

from storeys.games.cloud_city import scoring
from storeys.games.cloud_city.moves import colour_label
from storeys.games.cloud_city.positions import walkway_json
from storeys.games.cloud_city.state import (
    BALANCED,
    BLUE_BUILDINGS,
    CIRCUITS,
    COMPARING,
    CROSSED_WALKWAYS,
    EDITIONS,
    GREEN_BUILDINGS,
    MINIMALIST,
    MOST_WALKWAYS,
    NONE,
    REQUESTS,
    SEPARATE_ROUTES,
    SOLO_BUILDINGS,
    VALUABLE_ROUTE,
    VARIED_ROUTE,
    State,
)
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.tiles.grid import SQUARES, col_of_square, row_of_square, square_name

FIRST_REQUEST_RULE = 30  # the rule of request n is C-(30 + n)


def score_parts(state: State, seat: int, components: ComponentSet) -> list[dict[str, Any]]:
    """C-21, C-23: a part for each walkway, then one for each request."""
    tables = components.tables[0]
    walkways = range(int(state.walkway_count[seat]))
    parts = [_walkway_part(state, tables, seat, nth) for nth in walkways]
    requests = [card for card in state.requests.tolist() if card != NONE]
    return parts + [_request_part(state, tables, seat, card) for card in requests]


def _walkway_part(state: State, tables: Any, seat: int, nth: int) -> dict[str, Any]:
    walkway = walkway_json(state, seat, nth)
    label = Message(
        "cloud-city.part.walkway",
        colour=colour_label(int(state.walkway[seat, nth, 0])),
        start=square_name(*walkway["from"]),
        goal=square_name(*walkway["to"]),
    )
    votes = int(tables.votes[int(state.walkway[seat, nth, 3]) - 1])
    return {"rule": "C-21", "label": label, "points": votes} | walkway


def _request_part(state: State, tables: Any, seat: int, request: int) -> dict[str, Any]:
    players = int(state.players)
    counts = np.array([scoring.measure(state, tables, s, request) for s in range(players)])
    count = int(counts[seat])
    part = {
        "rule": f"C-{FIRST_REQUEST_RULE + request}",
        "label": Message(_label_id(state, request, count), n=count),
        "points": int(scoring.points_of(players, request, counts, seat)),
        "request": REQUESTS[request],
        "count": count,
    }
    if request in COMPARING:
        nobody = not counts.any() and request in (VALUABLE_ROUTE, SEPARATE_ROUTES)
        leaders = [] if nobody else np.flatnonzero(counts == counts.max()).tolist()
        part["leaders"] = leaders
    return part | _what_counted(state, tables, seat, request)


def _label_id(state: State, request: int, count: int) -> str:
    """Where the editions count different things they say so."""
    name = f"cloud-city.request.{REQUESTS[request]}"
    if request == VALUABLE_ROUTE and EDITIONS[int(state.edition)] == "de":
        return f"{name}.walkways"
    if request == BALANCED:
        return f"{name}.{'yes' if count else 'no'}"
    if request == CROSSED_WALKWAYS:
        edition = EDITIONS[int(state.edition)]
        return f"{name}.{edition}" if edition != "nl" else f"{name}.{'some' if count else 'none'}"
    return name


def _what_counted(state: State, tables: Any, seat: int, request: int) -> dict[str, Any]:
    """The routes, walkways or squares that a request looked at."""
    if request in (VALUABLE_ROUTE, SEPARATE_ROUTES, VARIED_ROUTE, CIRCUITS):
        return {"routes": _routes(state, tables, seat, request)}
    if request in (BLUE_BUILDINGS, GREEN_BUILDINGS):
        height = 1 if request == BLUE_BUILDINGS else 2
        return {"squares": _buildings(state, seat, height=height)}
    if request in (MINIMALIST, SOLO_BUILDINGS):
        return {"squares": _buildings(state, seat, walkways=int(request == MINIMALIST))}
    if request == CROSSED_WALKWAYS:
        return _crossings(state, seat)
    return {"lengths": _lengths(state, seat)} if request == BALANCED else {}


def _routes(state: State, tables: Any, seat: int, request: int) -> list[list[dict[str, Any]]]:
    """The routes that count: the best ones, the circuits, or all that are separate."""
    numbers = np.zeros(MOST_WALKWAYS, np.int64)
    scoring.find_routes(state, seat, numbers)
    count = int(state.walkway_count[seat])
    roots = sorted(set(numbers[:count].tolist()))
    facts = {r: scoring.route_facts(state, tables, seat, numbers, r) for r in roots}
    if request == CIRCUITS:
        roots = [r for r in roots if facts[r][3]]
    elif request == SEPARATE_ROUTES:
        roots = [r for r in roots if scoring.counts_as_separate(state, facts[r][1])]
    else:
        values = {
            r: int(
                scoring.value_of_route(state, seat, r, votes, size)
                if request == VALUABLE_ROUTE
                else lengths
            )
            for r, (votes, size, lengths, _) in facts.items()
        }
        best = max(values.values(), default=0)
        roots = [r for r in roots if values[r] == best > 0][:1]
    return [
        [walkway_json(state, seat, n) for n in range(count) if numbers[n] == root] for root in roots
    ]


def _buildings(
    state: State, seat: int, height: int | None = None, walkways: int | None = None
) -> list[list[int]]:
    squares = state.building[seat, : 2 * int(state.laid_count[seat])].tolist()
    return [
        [row_of_square(square), col_of_square(square)]
        for square in squares
        if height in (None, int(state.ground[seat, square]))
        and walkways in (None, int(scoring.walkways_at(state, seat, square)))
    ]


def _crossings(state: State, seat: int) -> dict[str, Any]:
    crossing = [s for s in range(SQUARES) if scoring.crossings_at(state, seat, s)]
    all_of_them = range(int(state.walkway_count[seat]))
    walkways = [n for n in all_of_them if scoring.crosses_another(state, seat, n)]
    return {
        "squares": [[row_of_square(s), col_of_square(s)] for s in crossing],
        "walkways": [walkway_json(state, seat, n) for n in walkways],
    }


def _lengths(state: State, seat: int) -> list[int]:
    """How many walkways of each length 1 … 5 there are."""
    laid = state.walkway[seat, : int(state.walkway_count[seat]), 3].tolist()
    return [laid.count(length) for length in range(1, 6)]
