"""An independent, slow referee for Neoville, to cross-check the compiled rules move by move.

It is written from the rules page (N-1 … N-23, N-R1 … N-R4) and the outside contract alone and
shares no code with the package. It works on full position dicts, on move dicts and on the
component set. Tile (R, C) of a city covers the squares of rows 2R, 2R+1 and columns 2C, 2C+1;
a place is a tile's row and column, a square is that of a square. Clockwise is the next higher
seat; seat 0 begins and holds equity tile 1.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any, NamedTuple

Position = dict[str, Any]
Move = dict[str, Any]
City = dict[str, Any]
Piece = dict[str, Any]
Utility = dict[str, Any]
TileId = int | str
UtilityId = int | str
Place = tuple[int, int]
Square = tuple[int, int]
District = set[Square]
Shape = frozenset[Square]

# N-11: how many rows and columns of tiles a city may have, and has in the end.
SIDE = 4

# A city is complete after that many rounds.
ROUNDS = 16

# N-8, N-R2: the values of skyscrapers that stay in the box, by the number of players.
VALUES_LEFT_OUT = {1: {5, 7}, 2: {5, 7}, 3: {7}, 4: set[int]()}

# N-3, N-9: the two kinds of utilities that may be chosen, in the order of a position's options.
PAIRS_OF_KINDS = (["bus", "windmill"], ["bus", "biosphere"], ["windmill", "biosphere"])

# N-9, N-R2: how many utilities of each of the two kinds are laid open, by the number of players.
UTILITIES_OF_A_KIND = {1: 5, 2: 5, 3: 6, 4: 7}

# N-22: for most parks, and for most sports grounds.
MAJORITY_BONUS = 5

# Keys that must be equal. `hands` and `row` may hold a tile that chance decides, and the rules
# give the tiles in `shown` no order.
PLAIN_KEYS = (
    "game",
    "players",
    "phase",
    "round",
    "to_move",
    "seed",
    "options",
    "scores",
    "cities",
    "pile",
    "skyscrapers",
    "utilities",
)


class Ground(NamedTuple):
    """N-1: what a square of a tile shows."""

    terrain: str
    symbol: str | None


Look = list[list[Ground]]
Landscape = dict[Square, Ground]


class Box:
    """N-1 … N-6: the tiles, skyscrapers and utilities of a component set."""

    def __init__(self, components: dict[str, Any]) -> None:
        self.looks: dict[TileId, Look] = {
            tile["id"]: [
                [Ground(square["terrain"], square["symbol"]) for square in line]
                for line in tile["squares"]
            ]
            for tile in components["tiles"]
        }
        self.looks_by_turn: dict[TileId, list[Look]] = {
            tile: [_turned(look, turn) for turn in range(4)] for tile, look in self.looks.items()
        }
        self.equity_numbers: dict[TileId, int] = {
            tile["id"]: tile["equity"]
            for tile in components["tiles"]
            if tile.get("equity") is not None
        }
        self.skyscrapers: dict[str, list[int]] = {
            skyscrapers["terrain"]: skyscrapers["values"]
            for skyscrapers in components["skyscrapers"]
        }
        self.utilities: dict[UtilityId, Utility] = {
            utility["id"]: utility for utility in components["utilities"]
        }


# What the referee offers


def legal_moves(position: Position, box: Box) -> list[Move]:
    """All legal moves of the seat to move, each once; none when the game is over."""
    if position["phase"] == "place":
        return _placements(position, box)
    if position["phase"] == "build":
        return [*_building_moves(position, box), *_draws(position)]
    if position["phase"] == "draw":
        return list(_draws(position))
    return []


def expected_after(before: Position, move: Move, box: Box) -> Position:
    """The position after a legal move, with None in hand and row for a tile of the pile.

    A turn that is not the smallest of its looks is taken too, and normalised.
    """
    after = deepcopy(before)
    if move["kind"] == "place":
        _do_place(after, move, box)
    elif move["kind"] == "skyscraper":
        _do_skyscraper(after, move)
    elif move["kind"] == "utility":
        _do_utility(after, move)
    elif move["kind"] == "draw":
        _do_draw(after, move)
    elif move["kind"] == "end":
        _end_turn(after)
    else:
        raise ValueError(f"no such kind of move: {move}")
    after["scores"] = totals(after, box)
    return after


def agrees(expected: Position, actual: Position) -> list[str]:
    """The differences, in words; a None in an expected hand or row stands for any one tile."""
    missing = [key for key in (*PLAIN_KEYS, "hands", "shown", "row") if key not in actual]
    if missing:
        return [f"{key}: missing" for key in missing]
    differences = _tile_differences("row", expected["row"], actual["row"])
    differences += _hand_differences(expected["hands"], actual["hands"])
    differences += _shown_differences(expected["shown"], actual["shown"])
    for key in PLAIN_KEYS:
        differences += _value_differences(key, expected[key], actual[key])
    return differences


def broken_rules(position: Position, move: Move, box: Box) -> set[str]:
    """The ids of all rules that speak against a move; none if it is legal.

    A turn that is not the smallest of its looks is legal if that one is.
    """
    kind, phase = move["kind"], position["phase"]
    if phase == "over":
        return {"N-16"}
    if (kind == "place") != (phase == "place"):
        return {"N-11"}
    if kind == "place":
        return _rules_against_placement(position, move, box)
    if kind in ("skyscraper", "utility"):
        return _rules_against_piece(position, move, box)
    return set() if move in _draws(position) else {"N-16"}


def phase_after_laying(position: Position, box: Box) -> str:
    """N-13: the phase of a seat that has laid its tile, and perhaps has built on it."""
    built = _has_piece_on_new_tile(_own_city(position))
    return "draw" if built or not any(_building_moves(position, box)) else "build"


def parts(position: Position, seat: int, box: Box) -> dict[str, int]:
    """The seat's points of each scoring rule as if the game ended now (N-R4)."""
    city = position["cities"][seat]
    return {
        "N-17": _skyscraper_points(city, box),
        "N-19": _bus_points(city, box),
        "N-20": _windmill_points(city, box),
        "N-21": _biosphere_points(city, box),
        "N-22": _majority_points(position, seat, box),
    }


def totals(position: Position, box: Box) -> list[int]:
    """Each seat's points as if the game ended now (N-R4)."""
    return [sum(parts(position, seat, box).values()) for seat in _seats(position)]


def winners(position: Position, box: Box) -> list[int]:
    """N-23: the seats with most points; ties by skyscrapers and utilities, then shared."""
    pieces = [len(city["pieces"]) for city in position["cities"]]
    ranks = list(zip(totals(position, box), pieces, strict=True))
    return [seat for seat in _seats(position) if ranks[seat] == max(ranks)]


def box_is_whole(position: Position, box: Box) -> list[str]:
    """N-1, N-8, N-9, N-10: what is missing, too much or out of order, in words."""
    return (
        _tile_faults(position, box)
        + _equity_tile_faults(position, box)
        + _skyscraper_faults(position, box)
        + _utility_faults(position, box)
    )


# Seats, tiles and squares


def _seats(position: Position) -> range:
    return range(position["players"])


def _own_city(position: Position) -> City:
    """The city of the seat to move."""
    city: City = position["cities"][position["to_move"]]
    return city


def _turned(look: Look, turn: int) -> Look:
    """The 2×2 squares after so many quarter turns clockwise."""
    for _ in range(turn):
        (top_left, top_right), (bottom_left, bottom_right) = look
        look = [[bottom_left, top_left], [bottom_right, top_right]]
    return look


def turns_that_differ(tile: TileId, box: Box) -> list[int]:
    """The turns of a tile, of those that look the same the smallest."""
    return [turn for turn in range(4) if _smallest_turn(tile, turn, box) == turn]


def _smallest_turn(tile: TileId, turn: int, box: Box) -> int:
    """The smallest turn that gives the same squares as this one."""
    looks = box.looks_by_turn[tile]
    return looks.index(looks[turn])


def _squares_of_place(place: Place) -> list[Square]:
    """The four squares that the tile at this place covers, row by row."""
    row, col = place
    return [(2 * row + down, 2 * col + right) for down in (0, 1) for right in (0, 1)]


def _place_of_square(square: Square) -> Place:
    """The place of the tile that covers this square."""
    row, col = square
    return row // 2, col // 2


def _beside(spot: tuple[int, int]) -> list[tuple[int, int]]:
    """The four places or squares that share a side with this one."""
    row, col = spot
    return [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]


def _places(city: City) -> set[Place]:
    return {(tile["row"], tile["col"]) for tile in city["tiles"]}


def _height_and_width(places: set[Place]) -> tuple[int, int]:
    """The rows and columns of tiles of the bounding box."""
    rows, cols = [row for row, _ in places], [col for _, col in places]
    return max(rows) - min(rows) + 1, max(cols) - min(cols) + 1


def landscape(city: City, box: Box) -> Landscape:
    """What every covered square of the city shows."""
    covered: Landscape = {}
    for tile in city["tiles"]:
        covered |= grounds_of_tile(tile, box)
    return covered


def grounds_of_tile(tile: dict[str, Any], box: Box) -> Landscape:
    """What the squares of a tile show that lies, or is about to lie, in a city."""
    look = box.looks_by_turn[tile["tile"]][tile["turn"]]
    grounds = [ground for line in look for ground in line]
    return dict(zip(_squares_of_place((tile["row"], tile["col"])), grounds, strict=True))


def _districts(city: City, box: Box) -> list[District]:
    """N-12: the maximal groups of squares of one terrain joined by their sides."""
    covered = landscape(city, box)
    districts: list[District] = []
    seen: set[Square] = set()
    for square in covered:
        if square not in seen:
            districts.append(district_around(square, covered))
            seen |= districts[-1]
    return districts


def district_around(start: Square, covered: Landscape) -> District:
    """N-12: all squares that can be reached from this one on its own terrain."""
    terrain = covered[start].terrain
    district, to_look_around = {start}, [start]
    while to_look_around:
        for square in _beside(to_look_around.pop()):
            is_same = square in covered and covered[square].terrain == terrain
            if is_same and square not in district:
                district.add(square)
                to_look_around.append(square)
    return district


# Pieces


def _square_of(piece: Piece) -> Square:
    return piece["row"], piece["col"]


def _skyscrapers_in(city: City, district: District) -> list[int]:
    """The values of the skyscrapers that stand in the district."""
    return [
        piece["value"]
        for piece in city["pieces"]
        if piece["kind"] == "skyscraper" and _square_of(piece) in district
    ]


def _utilities_of_kind(city: City, kind: str, box: Box) -> list[tuple[Square, Utility]]:
    """Where the buses, windmills or biospheres of the city stand, and what they show."""
    utilities = [
        (_square_of(piece), box.utilities[piece["utility"]])
        for piece in city["pieces"]
        if piece["kind"] == "utility"
    ]
    return [(square, utility) for square, utility in utilities if utility["kind"] == kind]


# Legal moves


def _placements(position: Position, box: Box) -> list[Move]:
    """N-11, N-12: those that join no guarded districts; if there are none of these, all."""
    possible = list(_ways_to_lay(position, box))
    joins = _joining(_own_city(position), box)
    return [move for move in possible if not joins(move)] or possible


def _ways_to_lay(position: Position, box: Box) -> Iterator[Move]:
    """N-11: a tile of the hand, a place next to the city, a turn that gives a new look."""
    free = places_to_grow(_own_city(position))
    for tile in position["hands"][position["to_move"]]:
        for row, col in free:
            for turn in turns_that_differ(tile, box):
                yield {"kind": "place", "tile": tile, "row": row, "col": col, "turn": turn}


def places_to_grow(city: City) -> list[Place]:
    """N-11: (0, 0) first; then free places, edge to edge with a tile, within 4×4 tiles."""
    taken = _places(city)
    if not taken:
        return [(0, 0)]
    beside = {neighbour for place in taken for neighbour in _beside(place)}
    return sorted(place for place in beside - taken if _fits({*taken, place}))


def _fits(places: set[Place]) -> bool:
    """N-11: whether the bounding box is not too large."""
    return max(_height_and_width(places)) <= SIDE


def _guarded_districts(city: City, box: Box) -> list[District]:
    """N-12: the districts that hold a skyscraper, or several after a forced join."""
    return [district for district in _districts(city, box) if _skyscrapers_in(city, district)]


def _joining(city: City, box: Box) -> Callable[[Move], bool]:
    """N-12: tells of a placement whether it makes one of two or more guarded districts.

    Only a district with a square of the new tile can be made of several.
    """
    guarded, before = _guarded_districts(city, box), landscape(city, box)

    def joins(move: Move) -> bool:
        new = grounds_of_tile(move, box)
        after = before | new
        grown = [district_around(square, after) for square in new] if len(guarded) > 1 else []
        return any(sum(not old.isdisjoint(made) for old in guarded) > 1 for made in grown)

    return joins


def _as_laid(move: Move, box: Box) -> dict[str, Any]:
    """The tile of a placement as a city names it."""
    turn = _smallest_turn(move["tile"], move["turn"], box)
    return {"tile": move["tile"], "row": move["row"], "col": move["col"], "turn": turn}


def _building_moves(position: Position, box: Box) -> Iterator[Move]:
    """N-13: one skyscraper or one utility on the tile just laid."""
    yield from _skyscraper_moves(position, box)
    yield from _utility_moves(position, box)


def _building_squares(city: City, box: Box) -> list[Square]:
    """N-13: the squares of the tile just laid without a park or sports ground."""
    grounds = grounds_of_tile(city["tiles"][-1], box)
    return [square for square, ground in grounds.items() if ground.symbol is None]


def _skyscraper_moves(position: Position, box: Box) -> Iterator[Move]:
    """N-14: on its own terrain, in a district that holds no skyscraper yet."""
    city = _own_city(position)
    covered = landscape(city, box)
    for square in _building_squares(city, box):
        if _skyscrapers_in(city, district_around(square, covered)):
            continue
        terrain, (row, col) = covered[square].terrain, square
        for value in position["skyscrapers"][terrain]:
            yield {
                "kind": "skyscraper",
                "terrain": terrain,
                "value": value,
                "row": row,
                "col": col,
            }


def _utility_moves(position: Position, box: Box) -> Iterator[Move]:
    """N-15: in any district."""
    for row, col in _building_squares(_own_city(position), box):
        for utility in position["utilities"]:
            yield {"kind": "utility", "utility": utility, "row": row, "col": col}


def _draws(position: Position) -> Iterator[Move]:
    """N-16: a face-up tile or the top of the pile; with nothing to draw the turn just ends."""
    for slot in range(len(position["row"])):
        yield {"kind": "draw", "slot": slot}
    if position["pile"] > 0:
        yield {"kind": "draw", "slot": None}
    if not position["row"] and position["pile"] == 0:
        yield {"kind": "end"}


# Why a move is illegal


def _rules_against_placement(position: Position, move: Move, box: Box) -> set[str]:
    """N-11: of the hand and to a place where the city may grow; N-12: no needless join."""
    city, place = _own_city(position), (move["row"], move["col"])
    in_hand = move["tile"] in position["hands"][position["to_move"]]
    if not in_hand or place not in places_to_grow(city):
        return {"N-11"}
    joins = _joining(city, box)
    if joins(move) and not all(joins(other) for other in _ways_to_lay(position, box)):
        return {"N-12"}
    return set()


def _rules_against_piece(position: Position, move: Move, box: Box) -> set[str]:
    """N-8, N-9: in the supply; N-13: one, on the new tile, on no symbol; N-14: see below."""
    city, square = _own_city(position), _square_of(move)
    against = set()
    if move["kind"] == "utility" and move["utility"] not in position["utilities"]:
        against.add("N-9")
    if move["kind"] == "skyscraper":
        if move["value"] not in position["skyscrapers"][move["terrain"]]:
            against.add("N-8")
        against |= _rules_against_district(move, city, box)
    if square not in _building_squares(city, box) or _has_piece_on_new_tile(city):
        against.add("N-13")
    return against


def _rules_against_district(move: Move, city: City, box: Box) -> set[str]:
    """N-14: a skyscraper's own terrain, and no other skyscraper in the district."""
    square, covered = _square_of(move), landscape(city, box)
    if square not in covered:
        return set()
    guarded = _skyscrapers_in(city, district_around(square, covered))
    return {"N-14"} if guarded or covered[square].terrain != move["terrain"] else set()


def _has_piece_on_new_tile(city: City) -> bool:
    """N-13: whether this turn's piece has been built."""
    new = _squares_of_place((city["tiles"][-1]["row"], city["tiles"][-1]["col"]))
    return any(_square_of(piece) in new for piece in city["pieces"])


# What a move changes


def _do_place(position: Position, move: Move, box: Box) -> None:
    """N-11, N-13, N-R3: the tile goes from the hand to the city; then building, if possible."""
    seat, tile = position["to_move"], move["tile"]
    position["hands"][seat].remove(tile)
    if tile in position["shown"][seat]:
        position["shown"][seat].remove(tile)
    _own_city(position)["tiles"].append(_as_laid(move, box))
    position["phase"] = phase_after_laying(position, box)


def _do_skyscraper(position: Position, move: Move) -> None:
    """N-9, N-13: a skyscraper of the common supply goes into the city."""
    position["skyscrapers"][move["terrain"]].remove(move["value"])
    _own_city(position)["pieces"].append(
        {key: move[key] for key in ("kind", "terrain", "value", "row", "col")}
    )
    position["phase"] = "draw"


def _do_utility(position: Position, move: Move) -> None:
    """N-9, N-13: a utility of the common supply goes into the city."""
    position["utilities"].remove(move["utility"])
    _own_city(position)["pieces"].append(
        {key: move[key] for key in ("kind", "utility", "row", "col")}
    )
    position["phase"] = "draw"


def _do_draw(position: Position, move: Move) -> None:
    """N-16, N-R3: everybody knows a tile from the row, nobody else one from the pile."""
    seat, slot = position["to_move"], move["slot"]
    if slot is None:
        position["pile"] -= 1
        position["hands"][seat].append(None)
    else:
        tile = position["row"][slot]
        position["hands"][seat].append(tile)
        position["shown"][seat].append(tile)
        _refill(position, slot)
    _end_turn(position)


def _refill(position: Position, slot: int) -> None:
    """N-16: the taken place gets an unknown tile; with an empty pile the row gets shorter."""
    if position["pile"] > 0:
        position["pile"] -= 1
        position["row"][slot] = None
    else:
        del position["row"][slot]


def _end_turn(position: Position) -> None:
    """N-16: the next seat clockwise; after the last seat a new round, or the end."""
    position["phase"] = "place"
    position["to_move"] = (position["to_move"] + 1) % position["players"]
    if position["to_move"] != 0:
        return
    if position["round"] == ROUNDS:
        position["phase"], position["to_move"] = "over", None
    else:
        position["round"] += 1


# Scoring: skyscrapers


def _skyscraper_points(city: City, box: Box) -> int:
    """N-17, N-18: the points of the skyscraper that counts in each district."""
    return sum(_best_skyscraper(city, district) for district in _districts(city, box))


def _best_skyscraper(city: City, district: District) -> int:
    """N-18: of several in a district the best counts, the others are 0."""
    values = _skyscrapers_in(city, district)
    return max((value if len(district) >= value else -value for value in values), default=0)


# Scoring: buses


def _bus_points(city: City, box: Box) -> int:
    """N-19: plus the points of each bus that has what it needs, minus those of the others."""
    return sum(
        bus["points"] if _has_what_it_needs(bus, square, city, box) else -bus["points"]
        for square, bus in _utilities_of_kind(city, "bus", box)
    )


def _has_what_it_needs(bus: Utility, square: Square, city: City, box: Box) -> bool:
    """N-4, N-19: enough of the things it asks for, other things ignored."""
    needs: list[str] = bus["needs"]
    count: int = bus["count"]
    return sum(thing in needs for thing in _things_in_line_with(square, city, box)) >= count


def _things_in_line_with(square: Square, city: City, box: Box) -> list[str]:
    """N-19: each park, sport, skyscraper and utility of the square's row and column."""
    symbols = [
        ground.symbol
        for other, ground in landscape(city, box).items()
        if ground.symbol is not None and _is_in_line(square, other)
    ]
    pieces = [piece["kind"] for piece in city["pieces"] if _is_in_line(square, _square_of(piece))]
    return [*symbols, *pieces]


def _is_in_line(square: Square, other: Square) -> bool:
    """N-19: another square of the same row or column."""
    return other != square and (other[0] == square[0] or other[1] == square[1])


# Scoring: windmills


def _windmill_points(city: City, box: Box) -> int:
    """N-20, N-R4: plus the points of each in its right place, minus wrong, 0 not settled."""
    points = 0
    for square, windmill in _utilities_of_kind(city, "windmill", box):
        if _is_settled(city, windmill["where"]):
            stands_right = _stands_right(city, square, windmill["where"])
            points += windmill["points"] if stands_right else -windmill["points"]
    return points


def _is_settled(city: City, where: str) -> bool:
    """N-R4: the city has reached 4 tiles in the direction that decides, or in both."""
    height, width = _height_and_width(_places(city))
    if where in ("left", "right"):
        return width == SIDE
    if where in ("top", "bottom"):
        return height == SIDE
    return height == SIDE and width == SIDE


def _stands_right(city: City, square: Square, where: str) -> bool:
    """N-5, N-20: whether the square's tile is where the windmill wants to stand, once settled."""
    places, (row, col) = _places(city), _place_of_square(square)
    row_from_top = row - min(row for row, _ in places)
    col_from_left = col - min(col for _, col in places)
    return {
        "left": col_from_left == 0,
        "right": col_from_left == 3,
        "top": row_from_top == 0,
        "bottom": row_from_top == 3,
        "corner": row_from_top in (0, 3) and col_from_left in (0, 3),
        "centre": row_from_top in (1, 2) and col_from_left in (1, 2),
    }[where]


# Scoring: biospheres


def _biosphere_points(city: City, box: Box) -> int:
    """N-21: district by district."""
    biospheres = _utilities_of_kind(city, "biosphere", box)
    return sum(
        _points_of_biospheres_in(district, [b for square, b in biospheres if square in district])
        for district in _districts(city, box)
    )


def _points_of_biospheres_in(district: District, biospheres: list[Utility]) -> int:
    """N-21: plus for the best of those that fit, minus for all the others."""
    points: list[int] = [b["points"] for b in biospheres]
    fitting: list[int] = [b["points"] for b in biospheres if _has_shape(district, b["shape"])]
    best = max(fitting, default=0)
    return best - (sum(points) - best)


def _has_shape(district: District, shape: list[list[int]]) -> bool:
    """N-21: in any rotation; a mirror image is another shape."""
    turned = [(row, col) for row, col in shape]
    for _ in range(4):
        if _moved_to_origin(turned) == _moved_to_origin(district):
            return True
        turned = [(col, -row) for row, col in turned]
    return False


def _moved_to_origin(squares: Iterable[Square]) -> Shape:
    """The same shape with its top row and its left column numbered 0."""
    squares = set(squares)
    top, left = min(row for row, _ in squares), min(col for _, col in squares)
    return frozenset((row - top, col - left) for row, col in squares)


# Scoring: majorities


def _majority_points(position: Position, seat: int, box: Box) -> int:
    """N-22: for most parks and for most sports grounds; there is neither in solo play."""
    if position["players"] == 1:
        return 0
    return sum(
        MAJORITY_BONUS for symbol in ("park", "sport") if _has_most(position, seat, symbol, box)
    )


def _has_most(position: Position, seat: int, symbol: str, box: Box) -> bool:
    """N-22: alone or tied, but not with zero."""
    numbers = [_number_of(symbol, city, box) for city in position["cities"]]
    return numbers[seat] == max(numbers) > 0


def _number_of(symbol: str, city: City, box: Box) -> int:
    looks = [box.looks[tile["tile"]] for tile in city["tiles"]]
    return sum(ground.symbol == symbol for look in looks for line in look for ground in line)


# Comparing two positions


def _hand_differences(expected: list[list[Any]], actual: list[list[Any]]) -> list[str]:
    if len(expected) != len(actual):
        return [f"hands: expected {len(expected)} of them, got {len(actual)}"]
    return [
        difference
        for seat, (wanted, got) in enumerate(zip(expected, actual, strict=True))
        for difference in _tile_differences(f"hands[{seat}]", wanted, got)
    ]


def _tile_differences(name: str, expected: list[Any], actual: list[Any]) -> list[str]:
    """In order, with None for any one tile, which must be there."""
    same = len(expected) == len(actual) and all(
        got is not None and wanted in (None, got)
        for wanted, got in zip(expected, actual, strict=True)
    )
    return [] if same else [f"{name}: expected {expected}, got {actual}"]


def _shown_differences(expected: list[list[Any]], actual: list[list[Any]]) -> list[str]:
    """N-R3: the same tiles of every hand, in any order."""
    if len(expected) != len(actual):
        return [f"shown: expected {len(expected)} of them, got {len(actual)}"]
    return [
        f"shown[{seat}]: expected {wanted} in any order, got {got}"
        for seat, (wanted, got) in enumerate(zip(expected, actual, strict=True))
        if Counter(wanted) != Counter(got)
    ]


def _value_differences(name: str, expected: Any, actual: Any) -> list[str]:
    """Goes into lists of equal length and dicts of equal keys, to name a difference's place."""
    if expected == actual:
        return []
    if isinstance(expected, dict) and isinstance(actual, dict) and set(expected) == set(actual):
        inner = [(f"{name}[{key!r}]", expected[key], actual[key]) for key in expected]
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        inner = [(f"{name}[{i}]", expected[i], actual[i]) for i in range(len(expected))]
    else:
        return [f"{name}: expected {expected}, got {actual}"]
    return [difference for triple in inner for difference in _value_differences(*triple)]


# The contents of the box


def _tile_faults(position: Position, box: Box) -> list[str]:
    """N-1, N-10: every tile once, the equity tiles of absent seats out of the game."""
    in_sight = Counter(_tiles_in_sight(position))
    absent = sum(number > position["players"] for number in box.equity_numbers.values())
    total, whole = sum(in_sight.values()) + position["pile"] + absent, len(box.looks)
    faults = [f"tile {tile} is not of this box" for tile in in_sight if tile not in box.looks]
    faults += [
        f"tile {tile} is there {times} times" for tile, times in in_sight.items() if times > 1
    ]
    if position["pile"] < 0:
        faults.append("the pile is negative")
    if total != whole:
        faults.append(f"{total} tiles instead of {whole}")
    return faults


def _tiles_in_sight(position: Position) -> list[TileId]:
    """The tiles of all cities, all hands and the row: all but the pile."""
    in_cities = [tile["tile"] for city in position["cities"] for tile in city["tiles"]]
    in_hands = [tile for hand in position["hands"] for tile in hand]
    return [*in_cities, *in_hands, *position["row"]]


def _equity_tile_faults(position: Position, box: Box) -> list[str]:
    """N-10, N-R3: seat 0 has laid or openly holds equity tile 1, and so on; no others anywhere."""
    wanted = [seat + 1 for seat in _seats(position)]
    owned = [_equity_numbers_of(position, seat, box) for seat in _seats(position)]
    in_sight = _tiles_in_sight(position)
    found = sorted(box.equity_numbers[tile] for tile in in_sight if tile in box.equity_numbers)
    faults = []
    if owned != [[number] for number in wanted]:
        faults.append(f"the seats have laid or show equity tiles {owned} instead of {wanted}")
    if found != wanted:
        faults.append(f"equity tiles {found} are in the game instead of {wanted}")
    return faults


def _equity_numbers_of(position: Position, seat: int, box: Box) -> list[int]:
    """The equity tiles that the seat has laid or that everybody knows in its hand."""
    laid = [tile["tile"] for tile in position["cities"][seat]["tiles"]]
    shown = [tile for tile in position["shown"][seat] if tile in position["hands"][seat]]
    return [box.equity_numbers[tile] for tile in (*laid, *shown) if tile in box.equity_numbers]


def _built_pieces(position: Position, kind: str) -> list[Piece]:
    """The skyscrapers or the utilities of all cities."""
    return [
        piece for city in position["cities"] for piece in city["pieces"] if piece["kind"] == kind
    ]


def _skyscraper_faults(position: Position, box: Box) -> list[str]:
    """N-8: those left, ascending, and those built are the ones of this number of players."""
    left, built = position["skyscrapers"], _built_pieces(position, "skyscraper")
    if set(left) != set(box.skyscrapers):
        return [f"skyscrapers of {sorted(left)} instead of {sorted(box.skyscrapers)}"]
    faults = []
    for terrain, values in box.skyscrapers.items():
        wanted = sorted(set(values) - VALUES_LEFT_OUT[position["players"]])
        in_cities = [piece["value"] for piece in built if piece["terrain"] == terrain]
        if left[terrain] != sorted(left[terrain]):
            faults.append(f"{terrain}: skyscrapers {left[terrain]} are not in order")
        if sorted([*left[terrain], *in_cities]) != wanted:
            faults.append(f"{terrain}: {left[terrain]} and {in_cities} are not all of {wanted}")
    return faults


def _utility_faults(position: Position, box: Box) -> list[str]:
    """N-9: those left, in the order of the box, and those built are so many of two kinds."""
    left, kinds = position["utilities"], position["options"]["utilities"]
    built = [piece["utility"] for piece in _built_pieces(position, "utility")]
    in_game = Counter([*left, *built])
    faults = [f"utility {name} is not of this box" for name in in_game if name not in box.utilities]
    if faults:
        return faults
    faults += [f"utility {name} is there {n} times" for name, n in in_game.items() if n > 1]
    if left != [name for name in box.utilities if name in left]:
        faults.append(f"utilities {left} are not in order")
    numbers = Counter(box.utilities[name]["kind"] for name in in_game.elements())
    wanted = dict.fromkeys(kinds, UTILITIES_OF_A_KIND[position["players"]])
    if kinds not in PAIRS_OF_KINDS:
        faults.append(f"the kinds of utilities are {kinds}")
    if dict(numbers) != wanted:
        faults.append(f"utilities {dict(numbers)} instead of {wanted}")
    return faults
