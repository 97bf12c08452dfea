"""What each legal move of Neoville brings at once (N-17 … N-22).

A page asks this of a server whose rules are not compiled: to push each of two hundred placements
would take it a second.  Here a set of squares is one whole number with a bit for each, by its
index in :mod:`storeys.kernel.tiles.grid`, and only the city of the seat to move is counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, reduce
from operator import or_

import numpy as np

from storeys.games.neoville import moves
from storeys.games.neoville.scoring import FOR_THE_MOST, value_of
from storeys.games.neoville.state import (
    BIOSPHERE,
    BUS,
    EMPTY,
    FIRST_PIECE,
    NEEDS,
    NONE,
    PARK,
    SHAPE_SIDE,
    SIDE,
    SKYSCRAPERS,
)
from storeys.kernel.components import ComponentSet
from storeys.kernel.moves import part
from storeys.kernel.record import Records
from storeys.kernel.tiles.grid import (
    STRIDE,
    col_of_square,
    place_bit,
    row_of_square,
    square_at,
    square_of_place,
)
from storeys.kernel.tiles.moves import FIRST_OWN_MOVE, KIND, PLACE_MOVE, TILE, TURN, place_of

Box = tuple[int, ...]
"""First and last tile row, first and last tile column."""
SHAPES_KEPT = 4096
SKYSCRAPER_NEED, UTILITY_NEED = NEEDS.index("skyscraper"), NEEDS.index("utility")


def gains(states: Records, components: ComponentSet, codes: Sequence[int]) -> list[int]:
    """What each move adds to the points of the seat to move; a draw adds nothing."""
    kit, city = _Kit(components.tables), _city_of(states, int(states["to_move"][0]))
    now = points_of(city, kit)
    return [points_of(after, kit) - now if after else 0 for after in _cities(codes, city, kit)]


class _Kit:
    """What the component set says of tiles and utilities, as plain lists."""

    def __init__(self, tables: Records) -> None:
        self.terrains, self.symbols = tables["terrain"][0], tables["symbol"][0]
        self.kind: list[int] = tables["kind"][0].tolist()
        self.points: list[int] = tables["points"][0].tolist()
        self.needs: list[int] = tables["needs"][0].tolist()
        self.count: list[int] = tables["count"][0].tolist()
        self.where: list[int] = tables["where"][0].tolist()
        self.shapes = [set(turns) for turns in tables["shapes"][0].tolist()]


@dataclass(frozen=True)
class _City:
    """A city: districts with their terrain, pieces with their square, where each NEED is met."""

    districts: list[tuple[int, int]]
    pieces: list[tuple[int, int]]
    things: tuple[int, ...]
    box: Box
    grounds: tuple[int, ...]
    most: tuple[int, ...]  # of each ground, in any other city; empty for who plays alone


def _city_of(states: Records, seat: int) -> _City:
    players, grounds = int(states["players"][0]), states["grounds"][0].tolist()
    numbers, terrains = states["district"][0, seat].tolist(), states["terrain"][0, seat].tolist()
    squares: dict[int, int] = {}
    for square in np.flatnonzero(states["district"][0, seat] != NONE).tolist():
        squares[numbers[square]] = squares.get(numbers[square], 0) | 1 << square
    districts = [(terrains[bits.bit_length() - 1], bits) for bits in squares.values()]
    pieces = states["piece"][0, seat, : int(states["piece_count"][0, seat])].tolist()
    things = [0] * len(NEEDS)
    content = states["content"][0, seat]
    for square in np.flatnonzero((content >= PARK) & (content < FIRST_PIECE)).tolist():
        things[int(content[square]) - PARK] |= 1 << square
    for piece, square in pieces:
        things[_need_met_by(piece)] |= 1 << square
    others = [grounds[other] for other in range(players) if other != seat]
    return _City(
        districts,
        pieces,
        tuple(things),
        tuple(states["box"][0, seat].tolist()),
        tuple(grounds[seat]),
        tuple(map(max, zip(*others, strict=True))),
    )


def _need_met_by(piece: int) -> int:
    return SKYSCRAPER_NEED if piece < SKYSCRAPERS else UTILITY_NEED


# --- moves


def _cities(codes: Sequence[int], city: _City, kit: _Kit) -> Iterator[_City | None]:
    """The city after each move; None where it stays as it is."""
    for code in codes:
        kind = part(code, KIND)
        if kind == PLACE_MOVE:
            yield _with_tile(city, kit, part(code, TILE), part(code, TURN), *place_of(code))
        elif kind >= FIRST_OWN_MOVE:
            row, col = moves.square_of(code)
            yield _with_piece(city, part(code, moves.PIECE), square_at(row, col))
        else:
            yield None


def _with_tile(city: _City, kit: _Kit, tile: int, turn: int, row: int, col: int) -> _City:
    """N-11, N-12: the squares of a tile join the districts of their terrain beside them."""
    districts, things, grounds = city.districts, list(city.things), list(city.grounds)
    for nth in range(4):
        bit = 1 << square_of_place(place_bit(row, col), nth)
        districts = _joined(districts, int(kit.terrains[tile, turn, nth]), bit)
        symbol = int(kit.symbols[tile, turn, nth])
        if symbol != EMPTY:
            things[symbol - PARK] |= bit
            grounds[symbol - PARK] += 1
    top, bottom, left, right = city.box
    box = min(top, row), max(bottom, row), min(left, col), max(right, col)
    return replace(city, districts=districts, things=tuple(things), grounds=tuple(grounds), box=box)


def _joined(districts: list[tuple[int, int]], terrain: int, bit: int) -> list[tuple[int, int]]:
    """The districts with one more square."""
    around = bit << 1 | bit >> 1 | bit << STRIDE | bit >> STRIDE
    grown, others = bit, []
    for district in districts:
        if district[0] == terrain and district[1] & around:
            grown |= district[1]
        else:
            others.append(district)
    others.append((terrain, grown))
    return others


def _with_piece(city: _City, piece: int, square: int) -> _City:
    """N-13: one more piece stands."""
    things = list(city.things)
    things[_need_met_by(piece)] |= 1 << square
    return replace(city, pieces=[*city.pieces, (piece, square)], things=tuple(things))


# --- points


def points_of(city: _City, kit: _Kit) -> int:
    """N-17 … N-22: what a city is worth now."""
    points = sum(
        FOR_THE_MOST
        for own, most in zip(city.grounds, city.most, strict=False)
        if own >= max(most, 1)
    )
    for _, squares in city.districts:
        inside = [piece for piece, square in city.pieces if squares >> square & 1]
        points += _points_in_district(squares, inside, kit) if inside else 0
    for piece, square in city.pieces:
        points += _points_of_place(city, piece - SKYSCRAPERS, square, kit)
    return points


def _points_in_district(squares: int, pieces: list[int], kit: _Kit) -> int:
    """N-17, N-18, N-21: its best skyscraper, and the best biosphere of its shape."""
    size = squares.bit_count()
    values = [value_of(piece) for piece in pieces if piece < SKYSCRAPERS]
    points = max((value if size >= value else -value for value in values), default=0)
    utilities = (piece - SKYSCRAPERS for piece in pieces if piece >= SKYSCRAPERS)
    biospheres = [utility for utility in utilities if kit.kind[utility] == BIOSPHERE]
    if not biospheres:
        return points
    shape = _shape_of(squares)
    best = max((kit.points[one] for one in biospheres if shape in kit.shapes[one]), default=0)
    return points + 2 * best - sum(kit.points[one] for one in biospheres)


def _points_of_place(city: _City, utility: int, square: int, kit: _Kit) -> int:
    """N-19, N-20: a bus by what stands in its row and column, a windmill by where it stands."""
    if utility < 0 or kit.kind[utility] == BIOSPHERE:
        return 0
    if kit.kind[utility] == BUS:
        asked = (things for nth, things in enumerate(city.things) if kit.needs[utility] >> nth & 1)
        met = (_seen_from(square) & reduce(or_, asked)).bit_count() >= kit.count[utility]
    else:
        standing = _stands_where(city.box, square)[kit.where[utility]]
        if standing is None:
            return 0
        met = standing
    return kit.points[utility] if met else -kit.points[utility]


@cache
def _seen_from(square: int) -> int:
    """The squares of a row and of a column, without the one where they meet."""
    row = ((1 << STRIDE) - 1) << (square - square % STRIDE)
    col = sum(1 << at for at in range(square % STRIDE, STRIDE * STRIDE, STRIDE))
    return row ^ col


def _stands_where(box: Box, square: int) -> list[bool | None]:
    """For each place that a windmill may want whether it has it; None where that is not settled."""
    top, bottom, left, right = box
    row, col = row_of_square(square) // 2, col_of_square(square) // 2
    high, wide = bottom - top + 1 == SIDE, right - left + 1 == SIDE
    beside, above = col in (left, right), row in (top, bottom)
    found = (col == left, col == right, row == top, row == bottom)
    settled = (wide, wide, high, high, wide and high, wide and high)
    return [
        answer if sure else None
        for answer, sure in zip(
            (*found, beside and above, not (beside or above)), settled, strict=True
        )
    ]


@lru_cache(SHAPES_KEPT)
def _shape_of(squares: int) -> int:
    """Its squares as bits from its top row and left column, four a row; NONE if it is wider."""
    found = [at for at in range(squares.bit_length()) if squares >> at & 1]
    top, left = found[0] // STRIDE, min(at % STRIDE for at in found)
    if max(at % STRIDE for at in found) - left >= SHAPE_SIDE:
        return NONE
    return sum(1 << ((at // STRIDE - top) * SHAPE_SIDE + at % STRIDE - left) for at in found)
