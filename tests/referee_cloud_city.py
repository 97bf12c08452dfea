"""An independent, slow referee for Cloud City, to cross-check the compiled rules move by move.

It is written from the rules page (C-1 … C-23, C-30 … C-41, C-R1 … C-R3) and the outside contract
alone and shares no code with the package. It works on full position dicts, on move dicts and on
the component set. Tile (R, C) of a city covers the squares of rows 2R, 2R+1 and columns 2C, 2C+1;
a place is a tile's row and column, a square is that of a square. Clockwise is the next higher
seat; seat 0 holds start tile 1.
"""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import combinations
from typing import Any, NamedTuple

Position = dict[str, Any]
Move = dict[str, Any]
City = dict[str, Any]
TileId = int | str
Place = tuple[int, int]
Square = tuple[int, int]
Colours = list[list[str | None]]

# C-2: how high the buildings and walkways of a colour are.
HEIGHTS = {"blue": 1, "green": 2, "sand": 3}

# C-21: the colours whose walkway votes break a tie, in this order.
TIE_BREAKERS = ("blue", "green", "sand")

# C-8, C-22: how many rows and columns of tiles a city may have.
TARGETS = {"3x3": ((3, 3),), "3x4": ((3, 4), (4, 3))}

# C-8, C-22: a city is complete after that many rounds.
ROUNDS = {"3x3": 8, "3x4": 11}

# C-23: the rules of the request cards.
REQUEST_RULES = {
    "valuable-route": "C-30",
    "separate-routes": "C-31",
    "varied-route": "C-32",
    "circuits": "C-33",
    "blue-buildings": "C-34",
    "green-buildings": "C-35",
    "minimalist": "C-36",
    "crossed-walkways": "C-37",
    "solo-buildings": "C-38",
    "balanced": "C-39",
}

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
    "supply",
    "requests",
)


class Box:
    """C-1, C-3: the tiles, walkways and votes of a component set."""

    def __init__(self, components: dict[str, Any]) -> None:
        self.squares: dict[TileId, Colours] = {
            tile["id"]: tile["squares"] for tile in components["tiles"]
        }
        self.start_numbers: dict[TileId, int] = {
            tile["id"]: tile["start"]
            for tile in components["tiles"]
            if tile.get("start") is not None
        }
        self.pieces: dict[str, list[int]] = {
            walkways["colour"]: walkways["counts"] for walkways in components["walkways"]
        }
        self.votes: list[int] = components["votes"]


class Walkway(NamedTuple):
    """C-13: a walkway from the upper or left end to the lower or right one."""

    colour: str
    start: Square
    end: Square


# What the referee offers


def legal_moves(position: Position, box: Box) -> list[Move]:
    """All legal moves of the seat to move, each once; none when the game is over."""
    if position["phase"] == "place":
        return list(_placements(position, box))
    if position["phase"] == "walkways":
        return [*_walkway_moves(position, box), *_draws(position)]
    if position["phase"] == "draw":
        return list(_draws(position))
    return []


def expected_after(before: Position, move: Move, box: Box) -> Position:
    """The position after a legal move, with None in hand and row for a tile of the pile.

    A turn that is not the smallest of its looks and a walkway named from its other end are
    taken too, and normalised.
    """
    after = deepcopy(before)
    if move["kind"] == "place":
        _do_place(after, move, box)
    elif move["kind"] == "walkway":
        _do_walkway(after, move, box)
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

    A turn that is not the smallest of its looks is legal if that one is, and so is a walkway
    named from its other end.
    """
    kind, phase = move["kind"], position["phase"]
    if phase == "over":
        return {"C-11", "C-21"}
    if (kind == "place") != (phase == "place"):
        return {"C-7"}
    if kind == "place":
        return _rules_against_placement(position, move)
    if kind == "walkway":
        return rules_against_walkway(
            _walkway_of(move), _own_city(position), position["supply"], box
        )
    return set() if move in _draws(position) else {"C-11"}


def phase_after_laying(position: Position, box: Box) -> str:
    """C-10: the walkway step lasts as long as a walkway can be built."""
    return "walkways" if any(_walkway_moves(position, box)) else "draw"


def parts(position: Position, seat: int, box: Box) -> dict[str, int]:
    """The seat's votes as if the game ended now, of its walkways (C-21) and of each request."""
    of_requests = {
        REQUEST_RULES[request]: _request_votes(position, request, box)[seat]
        for request in position["requests"]
    }
    return {"C-21": _walkway_votes(position["cities"][seat], box), **of_requests}


def totals(position: Position, box: Box) -> list[int]:
    """C-21, C-23: each seat's votes as if the game ended now, those of the requests included."""
    return [sum(parts(position, seat, box).values()) for seat in _seats(position)]


def winners(position: Position, box: Box) -> list[int]:
    """C-21, C-23: the seats with most votes; ties by river, then forest, then sand walkways."""
    all_votes = totals(position, box)
    ranks = [
        (all_votes[seat], *(_walkway_votes_of(city, colour, box) for colour in TIE_BREAKERS))
        for seat, city in enumerate(position["cities"])
    ]
    return [seat for seat in _seats(position) if ranks[seat] == max(ranks)]


def box_is_whole(position: Position, box: Box) -> list[str]:
    """C-1, C-3, C-6: what is missing or too much, in words."""
    return _tile_faults(position, box) + _walkway_faults(position, box)


# Seats, tiles and squares


def _seats(position: Position) -> range:
    return range(position["players"])


def _own_city(position: Position) -> City:
    """The city of the seat to move."""
    city: City = position["cities"][position["to_move"]]
    return city


def turned(squares: Colours, turn: int) -> Colours:
    """The 2×2 squares after so many quarter turns clockwise."""
    for _ in range(turn):
        (a, b), (c, d) = squares
        squares = [[c, a], [d, b]]
    return squares


def smallest_turn(squares: Colours, turn: int) -> int:
    """The smallest turn that gives the same squares as this one."""
    looks = [turned(squares, candidate) for candidate in range(4)]
    return looks.index(looks[turn])


def _squares_of_place(place: Place) -> list[Square]:
    """The four squares that the tile at this place covers, row by row."""
    row, col = place
    return [(2 * row + down, 2 * col + right) for down in (0, 1) for right in (0, 1)]


def _beside(place: Place) -> list[Place]:
    """The four places that share a side with this one."""
    row, col = place
    return [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]


def _places(city: City) -> set[Place]:
    return {(tile["row"], tile["col"]) for tile in city["tiles"]}


def _covered_squares(city: City) -> set[Square]:
    return {square for place in _places(city) for square in _squares_of_place(place)}


def _buildings(city: City) -> dict[Square, str]:
    """The colour of the building on each square that has one."""
    return {(b["row"], b["col"]): b["colour"] for b in city["buildings"]}


# Walkways


def _built_walkways(city: City) -> list[Walkway]:
    return [_walkway_of(laid) for laid in city["walkways"]]


def _walkway_of(named: dict[str, Any]) -> Walkway:
    """The walkway that a move dict or a city names, from whichever end."""
    one, other = tuple(named["from"]), tuple(named["to"])
    return Walkway(named["colour"], min(one, other), max(one, other))


def as_dict(walkway: Walkway) -> dict[str, Any]:
    return {"colour": walkway.colour, "from": list(walkway.start), "to": list(walkway.end)}


def length(walkway: Walkway) -> int:
    """C-3: the distance between the centres of the two squares."""
    (top, left), (bottom, right) = walkway.start, walkway.end
    return (bottom - top) + (right - left)


def _is_along_row(walkway: Walkway) -> bool:
    return walkway.start[0] == walkway.end[0]


def _is_straight(walkway: Walkway) -> bool:
    """C-13: in one row or column."""
    return _is_along_row(walkway) or walkway.start[1] == walkway.end[1]


def _squares_between(walkway: Walkway) -> list[Square]:
    """The squares strictly between the ends."""
    row, col = walkway.start
    if _is_along_row(walkway):
        return [(row, between) for between in range(col + 1, walkway.end[1])]
    return [(between, col) for between in range(row + 1, walkway.end[0])]


def _meet_at_right_angles(one: Walkway, other: Walkway) -> bool:
    """C-17, C-41: along a row and along a column, with a square between the ends of both."""
    return _is_along_row(one) != _is_along_row(other) and bool(
        set(_squares_between(one)) & set(_squares_between(other))
    )


def _walkways_at(city: City, square: Square) -> int:
    """C-18: how many walkways the building on the square has."""
    return sum(square in (walkway.start, walkway.end) for walkway in _built_walkways(city))


# Legal moves


def _placements(position: Position, box: Box) -> Iterator[Move]:
    """C-7: a tile of the hand, a place next to the city, a turn that gives a new look."""
    free = places_to_grow(_own_city(position), position["options"]["city"])
    for tile in position["hands"][position["to_move"]]:
        squares = box.squares[tile]
        turns = [turn for turn in range(4) if smallest_turn(squares, turn) == turn]
        for row, col in free:
            for turn in turns:
                yield {"kind": "place", "tile": tile, "row": row, "col": col, "turn": turn}


def places_to_grow(city: City, target: str) -> list[Place]:
    """C-7, C-8: free places, edge to edge with a tile, that keep the city within its target."""
    taken = _places(city)
    beside = {near for place in taken for near in _beside(place)}
    return sorted(place for place in beside - taken if _fits({*taken, place}, target))


def _fits(places: set[Place], target: str) -> bool:
    """C-8, C-22: whether the bounding box fits in the target, in one orientation at least."""
    rows, cols = [row for row, _ in places], [col for _, col in places]
    height, width = max(rows) - min(rows) + 1, max(cols) - min(cols) + 1
    return any(
        height <= most_rows and width <= most_cols for most_rows, most_cols in TARGETS[target]
    )


def _walkway_moves(position: Position, box: Box) -> Iterator[Move]:
    """C-10: any walkway that may be built in one's own city."""
    city = _own_city(position)
    for walkway in straight_lines(city):
        if not rules_against_walkway(walkway, city, position["supply"], box):
            yield {"kind": "walkway", **as_dict(walkway)}


def straight_lines(city: City) -> list[Walkway]:
    """C-13: from every building to every other of its colour in its row or column."""
    buildings = _buildings(city)
    pairs = [
        Walkway(buildings[start], start, end)
        for start, end in combinations(sorted(buildings), 2)
        if buildings[start] == buildings[end]
    ]
    return [walkway for walkway in pairs if _is_straight(walkway)]


def rules_against_walkway(
    walkway: Walkway, city: City, supply: dict[str, list[int]], box: Box
) -> set[str]:
    """C-13 … C-19: all rules that forbid it; one without two ends in line breaks no others."""
    buildings = _buildings(city)
    fits = {buildings.get(walkway.start), buildings.get(walkway.end)} == {walkway.colour}
    if walkway.start == walkway.end or not fits or not _is_straight(walkway):
        return {"C-13"}
    kept = {
        "C-13": length(walkway) <= len(box.votes),
        "C-14": _has_piece(walkway, supply),
        "C-15": _lies_on_tiles(walkway, city),
        "C-16": _passes_no_building(walkway, city, {walkway.colour}),
        "C-17": _keeps_clear_of_its_colour(walkway, city),
        "C-18": _ends_have_room(walkway, city),
        "C-19": _passes_no_building(walkway, city, _higher_colours(walkway.colour)),
    }
    return {rule for rule, is_kept in kept.items() if not is_kept}


def _has_piece(walkway: Walkway, supply: dict[str, list[int]]) -> bool:
    """C-14: if there are pieces of this length, one of the colour is left."""
    left = supply[walkway.colour]
    return length(walkway) > len(left) or left[length(walkway) - 1] > 0


def _lies_on_tiles(walkway: Walkway, city: City) -> bool:
    """C-15: every square under it belongs to a laid tile (its ends do, they have buildings)."""
    return set(_squares_between(walkway)) <= _covered_squares(city)


def _passes_no_building(walkway: Walkway, city: City, colours: set[str]) -> bool:
    """C-16, C-19: between the ends stands no building of one of these colours."""
    buildings = _buildings(city)
    return not any(buildings.get(square) in colours for square in _squares_between(walkway))


def _higher_colours(colour: str) -> set[str]:
    """C-2, C-19."""
    return {other for other, height in HEIGHTS.items() if height > HEIGHTS[colour]}


def _keeps_clear_of_its_colour(walkway: Walkway, city: City) -> bool:
    """C-17: it is not built yet and crosses no walkway of its colour."""
    return not any(
        built == walkway or _meet_at_right_angles(built, walkway)
        for built in _built_walkways(city)
        if built.colour == walkway.colour
    )


def _ends_have_room(walkway: Walkway, city: City) -> bool:
    """C-18: neither building has 2 walkways yet."""
    return _walkways_at(city, walkway.start) < 2 and _walkways_at(city, walkway.end) < 2


def _draws(position: Position) -> Iterator[Move]:
    """C-11: a face-up tile or the top of the pile; with nothing to draw the turn just ends."""
    for slot in range(len(position["row"])):
        yield {"kind": "draw", "slot": slot}
    if position["pile"] > 0:
        yield {"kind": "draw", "slot": None}
    if not position["row"] and position["pile"] == 0:
        yield {"kind": "end"}


# Why a placement is illegal


def _rules_against_placement(position: Position, move: Move) -> set[str]:
    """C-7: of the hand, to a free place beside the city; C-8, C-22: that keeps it in its size."""
    target, taken = position["options"]["city"], _places(_own_city(position))
    place, against = (move["row"], move["col"]), set()
    if move["tile"] not in position["hands"][position["to_move"]]:
        against.add("C-7")
    if place in taken or not any(near in taken for near in _beside(place)):
        against.add("C-7")
    if not _fits({*taken, place}, target):
        against.add("C-8" if target == "3x3" else "C-22")
    return against


# What a move changes


def _do_place(position: Position, move: Move, box: Box) -> None:
    """C-7, C-9, C-R3: the tile goes from the hand to the city and gets its two buildings."""
    seat, tile = position["to_move"], move["tile"]
    position["hands"][seat].remove(tile)
    if tile in position["shown"][seat]:
        position["shown"][seat].remove(tile)
    turn = smallest_turn(box.squares[tile], move["turn"])
    city, place = _own_city(position), (move["row"], move["col"])
    city["tiles"].append({"tile": tile, "row": move["row"], "col": move["col"], "turn": turn})
    city["buildings"] += buildings_of_tile(turned(box.squares[tile], turn), place)
    position["phase"] = phase_after_laying(position, box)


def buildings_of_tile(squares: Colours, place: Place) -> list[dict[str, Any]]:
    """C-9: the buildings of a tile as it lies, row by row."""
    colours = [colour for line in squares for colour in line]
    return [
        {"colour": colour, "row": row, "col": col}
        for colour, (row, col) in zip(colours, _squares_of_place(place), strict=True)
        if colour is not None
    ]


def _do_walkway(position: Position, move: Move, box: Box) -> None:
    """C-3, C-10: a piece of the common supply goes into the city."""
    walkway = _walkway_of(move)
    position["supply"][walkway.colour][length(walkway) - 1] -= 1
    _own_city(position)["walkways"].append(as_dict(walkway))
    position["phase"] = phase_after_laying(position, box)


def _do_draw(position: Position, move: Move) -> None:
    """C-11, C-R3: everybody knows a tile from the row, nobody else one from the pile."""
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
    """C-11: the taken place gets an unknown tile; with an empty pile the row gets shorter."""
    if position["pile"] > 0:
        position["pile"] -= 1
        position["row"][slot] = None
    else:
        del position["row"][slot]


def _end_turn(position: Position) -> None:
    """C-11, C-12: the next seat clockwise; after the last seat a new round, or the end."""
    position["phase"] = "place"
    position["to_move"] = (position["to_move"] + 1) % position["players"]
    if position["to_move"] != 0:
        return
    if position["round"] == ROUNDS[position["options"]["city"]]:
        position["phase"], position["to_move"] = "over", None
    else:
        position["round"] += 1


# Scoring: walkways


def _votes(walkway: Walkway, box: Box) -> int:
    """C-3: the votes of the walkway's length."""
    return box.votes[length(walkway) - 1]


def _walkway_votes(city: City, box: Box) -> int:
    """C-21: the votes of all walkways."""
    return sum(_votes(walkway, box) for walkway in _built_walkways(city))


def _walkway_votes_of(city: City, colour: str, box: Box) -> int:
    """C-21: the votes of the walkways of one colour."""
    return sum(
        _votes(walkway, box) for walkway in _built_walkways(city) if walkway.colour == colour
    )


def _routes(city: City) -> list[list[Walkway]]:
    """C-23: the connected groups of same-colour walkways."""
    routes: list[list[Walkway]] = []
    for walkway in _built_walkways(city):
        joined = [route for route in routes if any(_share_an_end(walkway, w) for w in route)]
        others = [route for route in routes if route not in joined]
        routes = [*others, [walkway, *(w for route in joined for w in route)]]
    return routes


def _share_an_end(one: Walkway, other: Walkway) -> bool:
    same_building = {one.start, one.end} & {other.start, other.end}
    return one.colour == other.colour and bool(same_building)


# Scoring: requests


def _request_votes(position: Position, request: str, box: Box) -> list[int]:
    """C-23: the votes that a request gives to or takes from each seat."""
    cities, edition = position["cities"], position["options"]["edition"]
    match request:
        case "valuable-route":
            return _for_most_above_zero([_best_route(city, edition, box) for city in cities])
        case "separate-routes":
            return _for_most_above_zero([_counted_routes(city, edition) for city in cities])
        case "blue-buildings":
            return _for_most([_buildings_of_colour(city, "blue") for city in cities])
        case "green-buildings":
            return _for_most([_buildings_of_colour(city, "green") for city in cities])
        case _:
            return [_votes_of_one_city(city, request, edition, box) for city in cities]


def _votes_of_one_city(city: City, request: str, edition: str, box: Box) -> int:
    """C-23: the votes of a request that looks at one city alone."""
    match request:
        case "varied-route":
            return _for_varied_route(city)
        case "circuits":
            return _for_circuits(city)
        case "minimalist":
            return _for_buildings_with_one_walkway(city)
        case "crossed-walkways":
            return _for_crossed_walkways(city, edition)
        case "solo-buildings":
            return _for_buildings_without_walkway(city)
        case "balanced":
            return _for_balance(city, box)
        case _:
            raise ValueError(f"no such request: {request}")


def _for_most(amounts: list[int]) -> list[int]:
    """C-40: 6 to the one with most; 3 each to all who are tied for it, also at zero."""
    leaders = amounts.count(max(amounts))
    prize = 6 if leaders == 1 else 3
    return [prize if amount == max(amounts) else 0 for amount in amounts]


def _for_most_above_zero(amounts: list[int]) -> list[int]:
    """C-40, for C-30 and C-31: as for any most, but nothing if nobody has any."""
    return _for_most(amounts) if any(amounts) else [0 for _ in amounts]


def _best_route(city: City, edition: str, box: Box) -> int:
    """C-30: the best river or forest route, by votes; in `de` by its number of walkways."""
    routes = [route for route in _routes(city) if route[0].colour in ("blue", "green")]
    if edition == "de":
        return max((len(route) for route in routes), default=0)
    return max((sum(_votes(walkway, box) for walkway in route) for route in routes), default=0)


def _counted_routes(city: City, edition: str) -> int:
    """C-31: the number of routes; in `de` of those of 2 or more walkways."""
    fewest_walkways = 2 if edition == "de" else 1
    return sum(len(route) >= fewest_walkways for route in _routes(city))


def _for_varied_route(city: City) -> int:
    """C-32: 6 for at least 4 different lengths in one route, 8 for all 5, once."""
    most_lengths = max((len({length(w) for w in route}) for route in _routes(city)), default=0)
    return {4: 6, 5: 8}.get(most_lengths, 0)


def _for_circuits(city: City) -> int:
    """C-33: 3 for each closed route."""
    return 3 * sum(_is_closed(route) for route in _routes(city))


def _is_closed(route: list[Walkway]) -> bool:
    """C-33: through 4 buildings or more, each of which has two walkways of the route."""
    ends = Counter(square for walkway in route for square in (walkway.start, walkway.end))
    return len(ends) >= 4 and all(times == 2 for times in ends.values())


def _buildings_of_colour(city: City, colour: str) -> int:
    """C-34, C-35."""
    return list(_buildings(city).values()).count(colour)


def _buildings_with(city: City, walkways: int) -> int:
    """C-36, C-38: the buildings with exactly so many walkways."""
    return sum(_walkways_at(city, square) == walkways for square in _buildings(city))


def _for_buildings_with_one_walkway(city: City) -> int:
    """C-36: 2 each."""
    return 2 * _buildings_with(city, walkways=1)


def _for_buildings_without_walkway(city: City) -> int:
    """C-38: −2 each."""
    return -2 * _buildings_with(city, walkways=0)


def _for_crossed_walkways(city: City, edition: str) -> int:
    """C-37: −2 for each crossed walkway (`en`), each crossing (`de`), once for any (`nl`)."""
    crossings = _crossings(city)
    crossed_walkways = {walkway for crossing in crossings for walkway in crossing}
    times = {"en": len(crossed_walkways), "de": len(crossings), "nl": 1 if crossings else 0}
    return -2 * times[edition]


def _crossings(city: City) -> list[tuple[Walkway, Walkway]]:
    """C-41: the pairs of walkways of different colours that cross."""
    return [
        (one, other)
        for one, other in combinations(_built_walkways(city), 2)
        if one.colour != other.colour and _meet_at_right_angles(one, other)
    ]


def _for_balance(city: City, box: Box) -> int:
    """C-39: −4 unless there are at least 5 walkways worth 3, 1 worth 5 and 1 worth 8."""
    worth = Counter(_votes(walkway, box) for walkway in _built_walkways(city))
    is_balanced = worth[3] >= 5 and worth[5] >= 1 and worth[8] >= 1
    return 0 if is_balanced else -4


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
    """C-R3: the same tiles of every hand, in any order."""
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
        parts = [(f"{name}[{key!r}]", expected[key], actual[key]) for key in expected]
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        parts = [(f"{name}[{i}]", expected[i], actual[i]) for i in range(len(expected))]
    else:
        return [f"{name}: expected {expected}, got {actual}"]
    return [difference for part in parts for difference in _value_differences(*part)]


# The contents of the box


def _tile_faults(position: Position, box: Box) -> list[str]:
    """C-1, C-6: every tile once, the start tiles in their cities or, unused, out of the game."""
    in_sight = Counter(_tiles_in_sight(position))
    unused_starts = sum(number > position["players"] for number in box.start_numbers.values())
    total, whole = sum(in_sight.values()) + position["pile"], len(box.squares) - unused_starts
    faults = [f"tile {tile} is not of this box" for tile in in_sight if tile not in box.squares]
    faults += [
        f"tile {tile} is there {times} times" for tile, times in in_sight.items() if times > 1
    ]
    if position["pile"] < 0:
        faults.append("the pile is negative")
    if total != whole:
        faults.append(f"{total} tiles instead of {whole}")
    return faults + _start_tile_faults(position, box)


def _tiles_in_sight(position: Position) -> list[TileId]:
    """The tiles of all cities, all hands and the row: all but the pile."""
    in_cities = [tile["tile"] for city in position["cities"] for tile in city["tiles"]]
    in_hands = [tile for hand in position["hands"] for tile in hand]
    return [*in_cities, *in_hands, *position["row"]]


def _start_tile_faults(position: Position, box: Box) -> list[str]:
    """C-6: seat 0 has laid start tile 1 first, and so on; there are no others anywhere."""
    found = sorted(
        box.start_numbers[tile] for tile in _tiles_in_sight(position) if tile in box.start_numbers
    )
    first = [box.start_numbers.get(city["tiles"][0]["tile"]) for city in position["cities"]]
    wanted = [seat + 1 for seat in _seats(position)]
    faults = []
    if first != wanted:
        faults.append(f"the cities begin with start tiles {first} instead of {wanted}")
    if found != wanted:
        faults.append(f"start tiles {found} are in the game instead of {wanted}")
    return faults


def _walkway_faults(position: Position, box: Box) -> list[str]:
    """C-3: the walkways built and those in the supply are all the pieces of the box."""
    built = Counter(
        (walkway.colour, length(walkway))
        for city in position["cities"]
        for walkway in _built_walkways(city)
    )
    faults = []
    for colour, counts in box.pieces.items():
        for size, pieces in enumerate(counts, start=1):
            left, name = position["supply"][colour][size - 1], f"{colour} of length {size}"
            if left < 0:
                faults.append(f"{name}: negative supply {left}")
            if left + built[colour, size] != pieces:
                faults.append(f"{name}: {left + built[colour, size]} instead of {pieces}")
    return faults
