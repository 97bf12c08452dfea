"""What Neoville's moves add at once, for pages: a city is read once, and not once for each move.

The rules lay a tile and count the whole city anew, of which most stays as it is.  Here only what a
tile or a piece changes is counted; a test holds both together.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import SimpleNamespace
from typing import Any

from storeys.games.neoville import scoring
from storeys.games.neoville.state import (
    BIOSPHERE,
    BUS,
    FIRST_BUILD,
    FIRST_PIECE,
    NO_TILE,
    NONE,
    PIECES,
    SHAPE_SIDE,
    SKYSCRAPERS,
    SYMBOLS,
    State,
)
from storeys.kernel.tiles.cities import parts_of_place
from storeys.kernel.tiles.grid import STRIDE, col_of_place, row_of_place, square_of_place

AROUND = (-STRIDE, -1, 1, STRIDE)
Box = tuple[int, int, int, int]
"""First and last tile row, first and last tile column."""


@dataclass(frozen=True)
class Bus:
    """A bus, and what it finds so far."""

    square: int
    needs: int
    count: int
    points: int
    found: int

    def sees(self, square: int, need: int) -> bool:
        """N-19: whether something on another square counts for it."""
        row, col = divmod(self.square, STRIDE)
        return bool(need & self.needs) and (square // STRIDE == row) != (square % STRIDE == col)

    def points_with(self, more: int) -> int:
        """What it counts once it finds so many more."""
        return self.points if self.found + more >= self.count else -self.points


@dataclass(frozen=True)
class Place:
    """A place for a tile: its squares, what lies beside each, and what its windmills gain."""

    squares: tuple[int, ...]
    beside: tuple[tuple[tuple[int, int], ...], ...]
    """Of each square the terrains and districts beside it."""
    windmills: int


class Gains:
    """What actions add to the points of the seat to move, N-17 … N-22."""

    def __init__(self, state: State, tables: Any) -> None:
        seat = self._seat = int(state.to_move)
        self._state, self._tables = state, tables
        self._terrain, self._content, self._district = (
            found[seat].tolist() for found in (state.terrain, state.content, state.district)
        )
        self._size, self._box = state.district_size[seat].tolist(), state.box[seat].tolist()
        self._skyscrapers: dict[int, list[int]] = defaultdict(list)
        self._biospheres: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._buses: list[Bus] = []
        self._windmills: list[tuple[int, int]] = []
        self._places: dict[int, Place] = {}
        self._tiles: dict[tuple[int, int], tuple[list[int], list[int], list[int]]] = {}
        built = state.piece[seat, : state.piece_count[seat]].tolist()
        for nth, (piece, square) in enumerate(built):
            self._note(nth, piece, square)
        self._counted = {*self._skyscrapers, *self._biospheres}
        self._points_of = {
            district: self._district_points(
                self._skyscrapers.get(district, ()),
                self._biospheres.get(district, ()),
                self._size[district],
                partial(self._squares_of, {district}),
            )
            for district in self._counted
        }

    def _note(self, nth: int, piece: int, square: int) -> None:
        district, utility = self._district[square], piece - SKYSCRAPERS
        if utility < 0:
            self._skyscrapers[district].append(int(scoring.value_of(piece)))
        elif self._tables.kind[utility] == BIOSPHERE:
            self._biospheres[district].append((nth, utility))
        elif self._tables.kind[utility] == BUS:
            self._buses.append(self._bus(utility, square))
        else:
            self._windmills.append((utility, square))

    def _bus(self, utility: int, square: int) -> Bus:
        needs, count, points = (
            int(found[utility])
            for found in (self._tables.needs, self._tables.count, self._tables.points)
        )
        bus = Bus(square, needs, count, points, 0)
        found = sum(bus.sees(other, need) for other, need in self._needs_met)
        return Bus(square, needs, count, points, found)

    @cached_property
    def _needs_met(self) -> list[tuple[int, int]]:
        """The squares with something that a bus may count, and what it is."""
        met = [(square, scoring.need_met_by(found)) for square, found in enumerate(self._content)]
        return [(square, need) for square, need in met if need]

    # --- a tile

    def of_tile(self, action: int) -> int:
        """What a tile adds."""
        slot, place, turn = parts_of_place(self._state, action)
        where = self._places.get(place) or self._place(place)
        terrains, symbols, groups = self._tile(int(self._state.hands[self._seat, slot]), turn)
        added = where.windmills + self._by_joining(where, terrains, groups)
        if any(symbols):
            added += self._by_grounds(symbols) + self._by_buses(where.squares, symbols)
        return added

    def _place(self, place: int) -> Place:
        corner = square_of_place(place, 0)
        squares = corner, corner + 1, corner + STRIDE, corner + STRIDE + 1
        beside = tuple(
            tuple(
                (self._terrain[square + step], self._district[square + step])
                for step in AROUND
                if self._terrain[square + step] != NO_TILE
            )
            for square in squares
        )
        row, col = row_of_place(place), col_of_place(place)
        top, bottom, left, right = self._box
        box = min(top, row), max(bottom, row), min(left, col), max(right, col)
        found = self._places[place] = Place(squares, beside, self._by_windmills(box))
        return found

    def _tile(self, tile: int, turn: int) -> tuple[list[int], list[int], list[int]]:
        """The terrains of a tile's squares, their symbols, and which of them belong together."""
        found = self._tiles.get((tile, turn))
        if found is None:
            tables = self._tables.terrain, self._tables.symbol, self._tables.group
            terrains, symbols, groups = (table[tile, turn].tolist() for table in tables)
            found = self._tiles[tile, turn] = terrains, symbols, groups
        return found

    def _by_joining(self, where: Place, terrains: list[int], groups: list[int]) -> int:
        """N-12, N-17, N-18, N-21: what changes where districts grow, and become one."""
        met = [
            {district for found, district in beside if found == terrain}
            for beside, terrain in zip(where.beside, terrains, strict=True)
        ]
        if all(self._counted.isdisjoint(found) for found in met):
            return 0
        joined: list[tuple[set[int], list[int]]] = []
        for group in {*groups}:
            nths = [nth for nth in range(4) if groups[nth] == group]
            districts: set[int] = set().union(*(met[nth] for nth in nths))
            squares = [where.squares[nth] for nth in nths]
            for other in [one for one in joined if one[0] & districts]:
                joined.remove(other)
                districts, squares = districts | other[0], squares + other[1]
            joined.append((districts, squares))
        return sum(self._by_growing(*one) for one in joined if one[0] & self._counted)

    def _by_growing(self, districts: set[int], squares: list[int]) -> int:
        """What districts that become one, with more squares, count more than before."""
        skyscrapers = [value for one in districts for value in self._skyscrapers.get(one, ())]
        biospheres = sorted(found for one in districts for found in self._biospheres.get(one, ()))
        size = sum(self._size[one] for one in districts) + len(squares)
        points = self._district_points(
            skyscrapers, biospheres, size, lambda: [*self._squares_of(districts), *squares]
        )
        return points - sum(self._points_of.get(one, 0) for one in districts)

    def _squares_of(self, districts: set[int]) -> list[int]:
        return [square for square, one in enumerate(self._district) if one in districts]

    def _district_points(
        self,
        skyscrapers: Sequence[int],
        biospheres: Sequence[tuple[int, int]],
        size: int,
        squares: Callable[[], Iterable[int]],
    ) -> int:
        """N-17, N-18, N-21: what the pieces count that look at one district, first built first."""
        points = 0
        if skyscrapers:
            alone = [value if size >= value else -value for value in skyscrapers]
            points += max(alone) * alone.count(max(alone))
        if not biospheres:
            return points
        tables, worth = self._tables, self._tables.points
        right = [one for _, one in biospheres if tables.squares[one] == size]
        shape = _shape_of(squares()) if right else NONE
        right = [one for one in right if shape in tables.shapes[one].tolist()]
        points -= sum(int(worth[one]) for _, one in biospheres)
        return points + 2 * max((int(worth[one]) for one in right), default=0)

    def _by_buses(self, squares: Iterable[int], contents: Iterable[int]) -> int:
        """N-19: what buses count more when there is more to see."""
        there = [
            (square, scoring.need_met_by(content))
            for square, content in zip(squares, contents, strict=True)
        ]
        return sum(
            bus.points_with(sum(bus.sees(*one) for one in there)) - bus.points_with(0)
            for bus in self._buses
        )

    def _by_windmills(self, box: Box) -> int:
        """N-20: what windmills count more in a city of another size."""
        if list(box) == self._box:
            return 0
        now = tuple(self._box)
        return sum(self._windmill(*one, box) - self._windmill(*one, now) for one in self._windmills)

    def _windmill(self, utility: int, square: int, box: Sequence[int]) -> int:
        """N-20, N-R4: what a windmill counts in a city as large as that."""
        city: Any = SimpleNamespace(box={(self._seat, nth): side for nth, side in enumerate(box)})
        where, points = int(self._tables.where[utility]), int(self._tables.points[utility])
        if not scoring.is_settled(city, self._seat, where):
            return 0
        return points if scoring.is_where(city, self._seat, square, where) else -points

    def _by_grounds(self, symbols: list[int]) -> int:
        """N-22: what more parks and sports grounds bring."""
        return sum(
            self._majority(nth, symbols.count(nth + 1)) - self._majority(nth, 0)
            for nth in range(len(SYMBOLS))
        )

    def _majority(self, symbol: int, more: int) -> int:
        *others, own = self._grounds[symbol]
        own += more
        return scoring.FOR_THE_MOST if others and own and own >= max(others) else 0

    @cached_property
    def _grounds(self) -> list[list[int]]:
        """How many of each symbol everybody has, the seat last."""
        counts = self._state.grounds[: self._state.players].tolist()
        own = counts.pop(self._seat)
        return [[*(one[nth] for one in counts), own[nth]] for nth in range(len(SYMBOLS))]

    # --- a piece

    def of_piece(self, action: int) -> int:
        """What a piece on the tile just laid adds."""
        nth, piece = divmod(action - FIRST_BUILD, PIECES)
        last = int(self._state.laid_count[self._seat]) - 1
        square = square_of_place(int(self._state.laid[self._seat, last, 1]), nth)
        seen = self._by_buses([square], [FIRST_PIECE + piece])
        return seen + self._alone(piece, square)

    def _alone(self, piece: int, square: int) -> int:
        """What a new piece itself brings, and takes from others of its district."""
        district, utility = self._district[square], piece - SKYSCRAPERS
        skyscrapers = [*self._skyscrapers.get(district, ())]
        biospheres = [*self._biospheres.get(district, ())]
        if utility < 0:
            skyscrapers.append(int(scoring.value_of(piece)))
        elif self._tables.kind[utility] == BUS:
            return self._bus(utility, square).points_with(0)
        elif self._tables.kind[utility] == BIOSPHERE:
            biospheres.append((PIECES, utility))
        else:
            return self._windmill(utility, square, self._box)
        points = self._district_points(
            skyscrapers, biospheres, self._size[district], lambda: self._squares_of({district})
        )
        return points - self._points_of.get(district, 0)


def _shape_of(squares: Iterable[int]) -> int:
    """Squares as bits, four a row; NONE if they are wider."""
    places = [divmod(square, STRIDE) for square in squares]
    top, left = (min(place[axis] for place in places) for axis in (0, 1))
    if any(col - left >= SHAPE_SIDE for _, col in places):
        return NONE
    return sum(1 << ((row - top) * SHAPE_SIDE + col - left) for row, col in places)
