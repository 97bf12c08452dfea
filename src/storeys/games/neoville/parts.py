"""Neoville's score, explained: what every piece counted, where, and what it still needs."""

from typing import Any

import numpy as np

from storeys.games.neoville import scoring
from storeys.games.neoville.box import turned_shapes
from storeys.games.neoville.moves import piece_json, piece_label
from storeys.games.neoville.state import (
    BIOSPHERE,
    BUS,
    NEEDS,
    SHAPE_SIDE,
    SIDE,
    SKYSCRAPERS,
    SYMBOLS,
    TERRAINS,
    VALUES,
    State,
)
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.tiles.cities import OVER
from storeys.kernel.tiles.grid import SQUARES, col_of_square, row_of_square, square_name

Part = dict[str, Any]


def score_parts(state: State, seat: int, components: ComponentSet) -> list[Part]:
    """N-17 … N-22: a part for each piece, then one for each majority."""
    pieces = [_piece_part(state, seat, nth, components) for nth in range(state.piece_count[seat])]
    if state.players == 1:
        return pieces
    grounds = [_ground_part(state, seat, symbol) for symbol in range(len(SYMBOLS))]
    return pieces + grounds + _tie_part(state, seat, components)


def _piece_part(state: State, seat: int, nth: int, components: ComponentSet) -> Part:
    piece, square = (int(number) for number in state.piece[seat, nth])
    tables = components.tables[0]
    points = int(scoring.piece_points(state, tables, seat, nth))
    if piece < SKYSCRAPERS:
        part = _skyscraper_part(state, seat, nth, points, components)
    else:
        part = _utility_part(state, seat, nth, points, components)
    named = {"piece": piece_label(piece, components), "square": _name(square)}
    label = Message("neoville.part.piece", **named, why=part.pop("why"))
    where = {"row": row_of_square(square), "col": col_of_square(square)}
    rule = part.pop("rule")
    return (
        {"rule": rule, "label": label, "points": points}
        | piece_json(piece, components)
        | where
        | part
    )


def _open(state: State) -> bool:
    """Whether there are turns to come."""
    return bool(state.phase != OVER)


# --- skyscrapers


def _skyscraper_part(
    state: State, seat: int, nth: int, points: int, components: ComponentSet
) -> Part:
    piece, square = (int(number) for number in state.piece[seat, nth])
    district = int(state.district[seat, square])
    size, value = int(state.district_size[seat, district]), int(scoring.value_of(piece))
    part: Part = {"rule": "N-17", "squares": _district(state, seat, district), "size": size}
    part["missing"] = max(value - size, 0)
    if points == 0:
        part["rule"] = "N-18"
        part["why"] = Message("neoville.why.counts-instead", **_best(state, seat, nth, components))
    elif size >= value:
        part["why"] = Message("neoville.why.large-enough", n=size)
    else:
        more = _missing(state, TERRAINS[piece // len(VALUES)], value - size)
        part["why"] = Message("neoville.why.too-small", n=size, more=more)
    return part


def _best(state: State, seat: int, nth: int, components: ComponentSet) -> dict[str, Any]:
    """The piece that counts in a district instead of another of its kind."""
    district = state.district[seat, int(state.piece[seat, nth, 1])]
    of_skyscrapers = bool(state.piece[seat, nth, 0] < SKYSCRAPERS)
    tables = components.tables[0]
    for other, (piece, square) in enumerate(state.piece[seat, : state.piece_count[seat]].tolist()):
        same_kind = (piece < SKYSCRAPERS) == of_skyscrapers and (
            of_skyscrapers or tables.kind[piece - SKYSCRAPERS] == BIOSPHERE
        )
        if other != nth and same_kind and state.district[seat, square] == district:
            points = int(scoring.piece_points(state, tables, seat, other))
            if points > 0 or (of_skyscrapers and points != 0):
                return {"piece": piece_label(piece, components), "square": _name(square)}
    raise LookupError(nth)


def _missing(state: State, what: str, n: int) -> Message:
    """What a piece still needs; or lacked, once the match is over."""
    more = Message(f"neoville.more.{what}", n=n)
    return Message("neoville.why.needs" if _open(state) else "neoville.why.lacked", more=more)


def _district(state: State, seat: int, district: int) -> list[list[int]]:
    return [_coordinates(s) for s in np.flatnonzero(state.district[seat] == district).tolist()]


# --- utilities


def _utility_part(state: State, seat: int, nth: int, points: int, components: ComponentSet) -> Part:
    utility = int(state.piece[seat, nth, 0]) - SKYSCRAPERS
    kind = int(components.tables[0].kind[utility])
    if kind == BUS:
        return _bus_part(state, seat, nth, components.content["utilities"][utility])
    if kind == BIOSPHERE:
        return _biosphere_part(state, seat, nth, points, components)
    return _windmill_part(state, seat, nth, points, components.content["utilities"][utility])


def _bus_part(state: State, seat: int, nth: int, utility: dict[str, Any]) -> Part:
    """N-19: what stands in its row and column."""
    square = int(state.piece[seat, nth, 1])
    needs = sum(1 << NEEDS.index(need) for need in utility["needs"])
    row, col = row_of_square(square), col_of_square(square)
    contents = state.content[seat].tolist()
    counted = [
        s
        for s in range(SQUARES)
        if s != square
        and (row_of_square(s) == row or col_of_square(s) == col)
        and scoring.need_met_by(contents[s]) & needs
    ]
    missing = max(utility["count"] - len(counted), 0)
    part: Part = {"rule": "N-19", "squares": [_coordinates(s) for s in counted]}
    part |= {"count": len(counted), "missing": missing}
    if missing == 0:
        part["why"] = Message("neoville.why.found", count=len(counted), where=_names(counted))
    elif counted:
        more = _missing(state, "-".join(utility["needs"]), missing)
        part["why"] = Message(
            "neoville.why.found-some", count=len(counted), where=_names(counted), more=more
        )
    else:
        part["why"] = _missing(state, "-".join(utility["needs"]), missing)
    return part


def _windmill_part(state: State, seat: int, nth: int, points: int, utility: dict[str, Any]) -> Part:
    """N-20, N-R4: where its tile lies, once that is settled."""
    square = int(state.piece[seat, nth, 1])
    top, left = (int(state.box[seat, side]) for side in (0, 2))
    place = {"tile": [row_of_square(square) // 2, col_of_square(square) // 2]}
    where = Message(f"neoville.where.{utility['where']}")
    if points == 0:
        still = "not-settled" if _may_end_up(state, seat, square, utility["where"]) else "settled"
        return {"rule": "N-20", "why": Message(f"neoville.why.{still}", where=where)} | place
    if points > 0:
        return {"rule": "N-20", "why": Message("neoville.why.in-place", where=where)} | place
    why = Message(
        "neoville.why.out-of-place",
        where=where,
        tile_row=place["tile"][0] - top + 1,
        tile_col=place["tile"][1] - left + 1,
    )
    return {"rule": "N-20", "why": why} | place


def _may_end_up(state: State, seat: int, square: int, where: str) -> bool:
    """Whether the tile of a square can still come to lie where a windmill wants it."""
    top, bottom, left, right = (int(edge) for edge in state.box[seat])
    row, col = row_of_square(square) // 2, col_of_square(square) // 2
    if where == "centre":
        inner_row = row not in (top, bottom) or bottom - top + 1 < SIDE
        return inner_row and (col not in (left, right) or right - left + 1 < SIDE)
    fits = {"left": col == left, "right": col == right, "top": row == top, "bottom": row == bottom}
    corner = row in (top, bottom) and col in (left, right)
    return fits.get(where, corner)


def _biosphere_part(
    state: State, seat: int, nth: int, points: int, components: ComponentSet
) -> Part:
    """N-21: the shape of its district, and which biosphere of it counts."""
    piece, square = (int(number) for number in state.piece[seat, nth])
    tables = components.tables[0]
    utility = piece - SKYSCRAPERS
    district = int(state.district[seat, square])
    size, wanted = int(state.district_size[seat, district]), int(tables.squares[utility])
    part: Part = {"rule": "N-21", "squares": _district(state, seat, district), "size": size}
    part["missing"] = max(wanted - size, 0)
    if points > 0:
        part["why"] = Message("neoville.why.shape")
    elif bool(scoring.has_shape(state, tables, seat, nth)):
        part["why"] = Message("neoville.why.counts-instead", **_best(state, seat, nth, components))
    elif size < wanted and not _can_grow_into(state, seat, district, utility, components):
        part["why"] = Message("neoville.why.other-shape")
    elif size < wanted:
        more = _missing(state, TERRAINS[int(state.terrain[seat, square])], wanted - size)
        part["why"] = Message("neoville.why.too-small", n=size, more=more)
    elif size > wanted:
        part["why"] = Message("neoville.why.too-large", n=size - wanted)
    elif _is_mirrored(state, seat, district, components.content["utilities"][utility]):
        part["why"] = Message("neoville.why.mirror")
    else:
        part["why"] = Message("neoville.why.other-shape")
    return part


def _can_grow_into(
    state: State, seat: int, district: int, utility: int, components: ComponentSet
) -> bool:
    """Whether a biosphere's shape, however turned, still has the district's squares in it."""
    there = {(r, c) for r, c in _district(state, seat, district)}
    first = min(there)
    for turn in turned_shapes(components.content["utilities"][utility]["shape"]):
        for r, c in turn:
            moved = {(a - r + first[0], b - c + first[1]) for a, b in turn}
            if there <= moved:
                return True
    return False


def _is_mirrored(state: State, seat: int, district: int, utility: dict[str, Any]) -> bool:
    """Whether a district has the mirror image of a biosphere's shape."""
    mirrored = turned_shapes([[r, SHAPE_SIDE - c] for r, c in utility["shape"]])
    found = turned_shapes(_district(state, seat, district))[0]
    return found in mirrored


# --- majorities


def _ground_part(state: State, seat: int, symbol: int) -> Part:
    """N-22: how many there are, and who has the most."""
    counts = [int(state.grounds[other, symbol]) for other in range(state.players)]
    leaders = [other for other, count in enumerate(counts) if count == max(counts) > 0]
    squares = np.flatnonzero(state.content[seat] == symbol + 1).tolist()
    return {
        "rule": "N-22",
        "label": Message(f"neoville.part.{SYMBOLS[symbol]}", n=counts[seat], most=max(counts)),
        "points": int(scoring.ground_points(state, seat, symbol)),
        "symbol": SYMBOLS[symbol],
        "count": counts[seat],
        "leaders": leaders,
        "squares": [_coordinates(s) for s in squares],
    }


def _tie_part(state: State, seat: int, components: ComponentSet) -> list[Part]:
    """N-23: once over, the pieces of those who are first together."""
    if _open(state):
        return []
    totals = np.zeros(4, np.int32)
    scoring.score(state, components.tables[0], totals)
    first = np.flatnonzero(totals[: state.players] == totals[: state.players].max()).tolist()
    if len(first) < 2 or seat not in first:
        return []
    pieces = int(state.piece_count[seat])
    label = Message("neoville.part.tie", n=pieces)
    return [{"rule": "N-23", "label": label, "points": 0, "count": pieces, "leaders": first}]


def _coordinates(square: int) -> list[int]:
    return [row_of_square(square), col_of_square(square)]


def _name(square: int) -> str:
    return square_name(row_of_square(square), col_of_square(square))


def _names(squares: list[int]) -> str:
    return ", ".join(map(_name, squares))
