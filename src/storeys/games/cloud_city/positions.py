"""Between Cloud City's record and its position dict, which is checked on the way in."""

from typing import Any

import numpy as np

from storeys.games.cloud_city import rules
from storeys.games.cloud_city.moves import EDGE, walkway_code
from storeys.games.cloud_city.refusals import explain
from storeys.games.cloud_city.scoring import ends_of
from storeys.games.cloud_city.state import (
    COLOURS,
    DRAW,
    LENGTHS,
    NONE,
    OVER,
    PHASES,
    PLACE,
    REQUESTS,
    RIGHT,
    ROW,
    TILES,
    WALKWAYS,
    State,
)
from storeys.kernel import doors
from storeys.kernel.components import ComponentSet
from storeys.kernel.draft import HAND, add_to_hand, add_to_pile
from storeys.kernel.game import Setup
from storeys.kernel.grid import (
    REACH,
    beside,
    col_of_place,
    col_of_square,
    place_bit,
    row_of_place,
    row_of_square,
    square_at,
)
from storeys.kernel.reading import Place
from storeys.kernel.record import Records, lens


def to_position(states: Records, components: ComponentSet) -> dict[str, Any]:
    """The game's own part of the position; of a blinded record, what is hidden is null."""
    state: State = lens(states)
    seats = range(state.players)
    ids = components.tile_ids
    hands = [state.hands[seat, : state.hand_size[seat]].tolist() for seat in seats]
    shown = [
        [ids[tile] for tile, known in zip(hands[seat], state.shown[seat], strict=False) if known]
        for seat in seats
    ]
    totals, won = np.zeros(state.players, np.int32), np.zeros(state.players, bool)
    doors.results(states, components.tables, totals, won)
    return {
        "cities": [city_of(state, seat, ids) for seat in seats],
        "hands": [[None if tile == NONE else ids[tile] for tile in hand] for hand in hands],
        "shown": shown,
        "row": [ids[tile] for tile in state.row[: state.row_size].tolist()],
        "pile": int(state.pile_size),
        "supply": supply_of(state),
        "requests": [REQUESTS[card] for card in state.requests.tolist() if card != NONE],
        "scores": totals.tolist(),
    }


def city_of(state: State, seat: int, ids: list[str]) -> dict[str, Any]:
    """Tiles, buildings and walkways of a seat, in the order they were laid."""
    count = int(state.laid_count[seat])
    squares = state.building[seat, : 2 * count].tolist()
    return {
        "tiles": [
            {"tile": ids[tile], "row": row_of_place(place), "col": col_of_place(place), "turn": t}
            for tile, place, t in state.laid[seat, :count].tolist()
        ],
        "buildings": [
            {"colour": COLOURS[int(state.ground[seat, square]) - 1], **_coordinates(square)}
            for square in squares
        ],
        "walkways": [walkway_json(state, seat, n) for n in range(int(state.walkway_count[seat]))],
    }


def walkway_json(state: State, seat: int, nth: int) -> dict[str, Any]:
    """A walkway as positions and scores name it."""
    start, goal = (int(square) for square in ends_of(state, seat, nth))
    return {
        "colour": COLOURS[int(state.walkway[seat, nth, 0])],
        "from": list(_coordinates(start).values()),
        "to": list(_coordinates(goal).values()),
    }


def supply_of(state: State) -> dict[str, list[int]]:
    """The walkways left, by colour and length."""
    return {colour: state.supply[number].tolist() for number, colour in enumerate(COLOURS)}


def _coordinates(square: int) -> dict[str, int]:
    return {"row": row_of_square(square), "col": col_of_square(square)}


# --- reading


def from_position(position: Place, setup: Setup, states: Records) -> None:
    """Fill a blank state from a position or a view; everything is checked against the box."""
    state: State = lens(states)
    components = setup.components
    tables = lens(components.tables)
    rules.clear(state, tables)
    _read_course(position, state)
    used: set[str] = set()
    for seat, city in enumerate(position["cities"].items(int(state.players))):
        _read_tiles(city, state, seat, components, tables, used)
    for seat, city in enumerate(position["cities"].items()):
        _read_walkways(city, state, seat, components)
    _check_supply(position["supply"], state)
    _read_draft(position, state, components, used)
    _check_phase(position, states)
    _check_requests(position, setup)
    for entry in position["scores"].items(int(state.players)):
        entry.whole(-1000, 1000)


def _read_course(position: Place, state: State) -> None:
    state.phase = PHASES.index(position["phase"].one_of(PHASES))
    state.round_no = position["round"].whole(1, int(state.rounds))
    if state.phase == OVER:
        position["to_move"].one_of([None])
        state.turn_of = NONE
        if state.round_no != state.rounds:
            raise position["round"].fail(
                "cloud-city.position.not-last", "C-21", n=int(state.rounds)
            )
    else:
        state.turn_of = position["to_move"].whole(0, int(state.players) - 1)


def _read_tiles(
    city: Place, state: State, seat: int, components: ComponentSet, tables: Any, used: set[str]
) -> None:
    tiles = list(city.only("tiles", "buildings", "walkways")["tiles"].items())
    expected = _tiles_due(state, seat)
    if len(tiles) != expected:
        raise city["tiles"].fail("cloud-city.position.tiles", "C-12", n=expected, found=len(tiles))
    for nth, tile in enumerate(tiles):
        _read_tile(tile, state, seat, components, tables, nth == 0)
        used.add(_claim(tile["tile"], used))
    found = sorted(map(_read_building, city["buildings"].items()))
    standing = city_of(state, seat, components.tile_ids)["buildings"]
    if found != sorted((b["colour"], b["row"], b["col"]) for b in standing):
        raise city["buildings"].fail("cloud-city.position.buildings", "C-9")


def _tiles_due(state: State, seat: int) -> int:
    """C-12: the start tile and one for each turn that the seat has begun."""
    if state.phase == OVER or seat < state.turn_of:
        return 1 + int(state.round_no)
    laid_now = seat == state.turn_of and state.phase != PLACE
    return int(state.round_no) + laid_now


def _read_tile(
    tile: Place, state: State, seat: int, components: ComponentSet, tables: Any, first: bool
) -> None:
    number = components.tile_numbers[
        tile.only("tile", "row", "col", "turn")["tile"].one_of(components.tile_ids)
    ]
    row, col = (tile[key].whole(-REACH, REACH) for key in ("row", "col"))
    turn = tile["turn"].whole(0, 3) % int(tables.turns[number])
    if first:
        if number != tables.start[seat] or (row, col) != (0, 0):
            raise tile.fail("cloud-city.position.start", "C-6", number=seat + 1)
    elif tables.is_start[number]:
        raise tile.fail("cloud-city.position.second-start", "C-6")
    else:
        place = 1 << place_bit(row, col)
        if not beside(int(state.places[seat])) & place:
            raise tile.fail("cloud-city.position.beside", "C-7")
        if not int(rules.free_places(state, seat)) & place:
            rule = "C-8" if state.long_side == 3 else "C-22"
            raise tile.fail("cloud-city.position.size", rule)
    rules.lay_tile(state, tables, seat, number, row, col, turn)


def _claim(tile: Place, used: set[str]) -> str:
    """A tile is in one place only."""
    name = str(tile.value)
    if name in used:
        raise tile.fail("cloud-city.position.twice", "C-1", tile=name)
    return name


def _read_building(entry: Place) -> tuple[str, int, int]:
    colour = entry.only("colour", "row", "col")["colour"].one_of(COLOURS)
    row, col = (entry[key].whole(-EDGE, EDGE + 1) for key in ("row", "col"))
    return str(colour), row, col


def _read_walkways(city: Place, state: State, seat: int, components: ComponentSet) -> None:
    """C-13 … C-19: tiles laid later never come between, so the order of building is no matter."""
    mover, phase = state.turn_of, state.phase
    state.turn_of, state.phase = seat, WALKWAYS
    for entry in city["walkways"].items():
        entry.only("colour", "from", "to")
        colour = COLOURS.index(entry["colour"].one_of(COLOURS))
        start, goal = sorted(entry[key].wholes(2, -EDGE, EDGE + 1) for key in ("from", "to"))
        code = walkway_code(colour, *start, *goal)
        reason = int(rules.refusal_of_walkway(state, code))
        if reason:
            rule, message = explain(state, code, reason, components)
            raise entry.fail("cloud-city.position.walkway", rule, why=message)
        direction = RIGHT if start[0] == goal[0] else 1 - RIGHT
        length = goal[0] - start[0] + goal[1] - start[1]
        rules.lay_walkway(state, seat, square_at(*start), direction, length)
    state.turn_of, state.phase = mover, phase


def _check_supply(supply: Place, state: State) -> None:
    supply.only(*COLOURS)
    for colour, left in supply_of(state).items():
        if supply[colour].wholes(LENGTHS, 0, 99) != left:
            raise supply[colour].fail("cloud-city.position.supply", "C-3", left=str(left))


def _read_draft(position: Place, state: State, components: ComponentSet, used: set[str]) -> None:
    viewer = position.get("seat")
    shown = list(position["shown"].items(int(state.players)))
    for seat, hand in enumerate(position["hands"].items(int(state.players))):
        mine = viewer is None or viewer.value == seat
        _read_hand(hand, shown[seat], state, seat, components, used, mine)
    for slot, entry in enumerate(position["row"].items()):
        if slot == ROW:
            raise position["row"].fail("cloud-city.position.row", "C-11", n=ROW)
        state.row[slot] = _read_loose_tile(entry, components, used)
        state.row_size += 1
    hidden = sum(int(size) for size in state.hand_size) - int((state.hands >= 0).sum())
    left = [
        n for n, i in enumerate(components.tile_ids) if i not in used and not _start(n, components)
    ]
    size = len(left) - hidden
    if position["pile"].whole(0, TILES) != size:
        raise position["pile"].fail("cloud-city.position.pile", "C-1", n=size)
    if size and state.row_size < ROW:
        raise position["row"].fail("cloud-city.position.row", "C-11", n=ROW)
    if viewer is None:
        for number in left:
            add_to_pile(state, number)
    state.pile_size = size


def _start(number: int, components: ComponentSet) -> bool:
    return bool(components.tables[0].is_start[number])


def _read_hand(
    hand: Place,
    shown: Place,
    state: State,
    seat: int,
    components: ComponentSet,
    used: set[str],
    mine: bool,
) -> None:
    entries = list(hand.items())
    due = HAND - (seat == state.turn_of and state.phase in (WALKWAYS, DRAW))
    if len(entries) != due:
        raise hand.fail("cloud-city.position.hand", "C-6", n=due, found=len(entries))
    known = [entry.one_of(components.tile_ids) for entry in shown.items()]
    for entry in entries:
        if entry.value is None and not mine:
            add_to_hand(state, seat, NONE, 0)
            continue
        number = _read_loose_tile(entry, components, used)
        if not mine and entry.value not in known:
            raise entry.fail("cloud-city.position.not-shown", "C-R3", tile=str(entry.value))
        add_to_hand(state, seat, number, int(entry.value in known))
    if len(set(known)) != len(known) or not set(known) <= {entry.value for entry in entries}:
        raise shown.fail("cloud-city.position.shown", "C-R3")


def _read_loose_tile(entry: Place, components: ComponentSet, used: set[str]) -> int:
    number = components.tile_numbers[entry.one_of(components.tile_ids)]
    if _start(number, components):
        raise entry.fail("cloud-city.position.second-start", "C-6")
    used.add(_claim(entry, used))
    return number


def _check_phase(position: Place, states: Records) -> None:
    """C-10: after placing it is time for walkways while there is one to build."""
    phase = int(states["phase"][0])
    if phase in (WALKWAYS, DRAW):
        rules.find_open_walkways_of(states)
        found = int(states["phase"][0])
        if found != phase:
            raise position["phase"].fail("cloud-city.position.phase", "C-10", phase=PHASES[found])


def _check_requests(position: Place, setup: Setup) -> None:
    if position["requests"].value != setup.options["requests"]:
        raise position["requests"].fail("cloud-city.position.requests", "C-23")
