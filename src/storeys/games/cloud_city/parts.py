"""Cloud City's score, explained: every walkway and request with what it counted, as coordinates."""

from typing import Any

import numpy as np

from storeys.games.cloud_city import scoring
from storeys.games.cloud_city.moves import walkway_words
from storeys.games.cloud_city.positions import walkway_json
from storeys.games.cloud_city.state import COMPARING, EDITIONS, LENGTHS, NONE, REQUESTS, State
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.tiles.grid import SQUARES
from storeys.kernel.tiles.positions import coordinates

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
    words = walkway_words(walkway["colour"], walkway["from"], walkway["to"])
    label = Message("cloud-city.part.walkway", **words)
    votes = int(tables.votes[int(state.walkway[seat, nth, 3]) - 1])
    return {"rule": "C-21", "label": label, "points": votes} | walkway


def _request_part(state: State, tables: Any, seat: int, request: int) -> dict[str, Any]:
    players, name = int(state.players), REQUESTS[request]
    counts = np.array([scoring.measure(state, tables, s, request) for s in range(players)])
    count = int(counts[seat])
    part = {
        "rule": f"C-{FIRST_REQUEST_RULE + request}",
        "label": Message(_label_id(name, EDITIONS[int(state.edition)], count), n=count),
        "points": int(scoring.points_of(players, request, counts, seat)),
        "request": name,
        "count": count,
    }
    if request in COMPARING:
        nobody = not counts.any() and request in scoring.ROUTES
        part["leaders"] = [] if nobody else np.flatnonzero(counts == counts.max()).tolist()
    return part | _what_counted(state, tables, seat, request)


def _label_id(name: str, edition: str, count: int) -> str:
    """Where the editions count different things they say so."""
    variant = {
        "valuable-route": ".walkways" if edition == "de" else "",
        "balanced": ".yes" if count else ".no",
        "crossed-walkways": f".{edition}" if edition != "nl" else ".some" if count else ".none",
    }
    return f"cloud-city.request.{name}{variant.get(name, '')}"


def _what_counted(state: State, tables: Any, seat: int, request: int) -> dict[str, Any]:
    """The routes, walkways or squares that a request looked at."""
    if request in scoring.ROUTES:
        return {"routes": _routes(state, tables, seat, request)}
    for card, *asked in scoring.ASKED:
        if request == card:
            squares = state.building[seat, : 2 * int(state.laid_count[seat])].tolist()
            found = [s for s in squares if scoring.is_asked(state, seat, s, *asked)]
            return {"squares": list(map(coordinates, found))}
    if REQUESTS[request] == "crossed-walkways":
        return _crossings(state, seat)
    return _balance(state, seat)


def _routes(state: State, tables: Any, seat: int, request: int) -> list[list[dict[str, Any]]]:
    """The routes that count: the best one, the circuits, or all that are separate."""
    numbers = scoring.find_routes(state, seat)
    counts = {
        route: int(scoring.count_route(state, tables, seat, numbers, route, request))
        for route in sorted(set(numbers.tolist()))
    }
    roots = [route for route, count in counts.items() if count > 0]
    if REQUESTS[request] in ("valuable-route", "varied-route"):
        roots = [route for route in roots if counts[route] == max(counts.values())][:1]
    return [
        [walkway_json(state, seat, nth) for nth in np.flatnonzero(numbers == root).tolist()]
        for root in roots
    ]


def _crossings(state: State, seat: int) -> dict[str, Any]:
    squares = [s for s in range(SQUARES) if scoring.crossings_at(state, seat, s)]
    numbers = range(int(state.walkway_count[seat]))
    crossing = [nth for nth in numbers if scoring.crosses_another(state, seat, nth)]
    walkways = [walkway_json(state, seat, nth) for nth in crossing]
    return {"squares": list(map(coordinates, squares)), "walkways": walkways}


def _balance(state: State, seat: int) -> dict[str, Any]:
    """C-39: how many walkways have each length, and those of the lengths that it asks for."""
    lengths = state.walkway[seat, : int(state.walkway_count[seat]), 3].tolist()
    asked = [length for length, _ in scoring.BALANCE]
    walkways = [walkway_json(state, seat, n) for n, length in enumerate(lengths) if length in asked]
    return {
        "lengths": [lengths.count(length) for length in range(1, LENGTHS + 1)],
        "walkways": walkways,
    }
