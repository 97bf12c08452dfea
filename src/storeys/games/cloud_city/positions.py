"""Between Cloud City's record and its position dict, which is checked on the way in."""

from typing import Any

from storeys.games.cloud_city import rules
from storeys.games.cloud_city.moves import WALKWAY, WALKWAY_MOVE, goal_of, start_of
from storeys.games.cloud_city.refusals import explain, rule_ids
from storeys.games.cloud_city.scoring import ends_of
from storeys.games.cloud_city.state import (
    COLOURS,
    LENGTHS,
    NONE,
    PHASES,
    REQUESTS,
    RIGHT,
    ROW,
    WALKWAYS,
    State,
)
from storeys.kernel.components import ComponentSet
from storeys.kernel.reading import Node
from storeys.kernel.record import Records, fast_record
from storeys.kernel.setup import Setup
from storeys.kernel.tiles import positions as shared
from storeys.kernel.tiles.cities import DRAW
from storeys.kernel.tiles.grid import col_of_square, row_of_square, square_at
from storeys.kernel.tiles.moves import EDGE
from storeys.kernel.tiles.positions import Reading
from storeys.kernel.zones import read_progress


def to_position(states: Records, components: ComponentSet) -> dict[str, Any]:
    """The game's own part of the position; of a blinded record, what is hidden is null."""
    state: State = fast_record(states)
    return {
        "cities": [city_of(state, seat, components) for seat in range(state.players)],
        **shared.draft_json(state, components),
        "supply": supply_of(state),
        "requests": [REQUESTS[card] for card in state.requests.tolist() if card != NONE],
        "scores": shared.totals_of(states, components),
    }


def city_of(state: State, seat: int, components: ComponentSet) -> dict[str, Any]:
    """Tiles, buildings and walkways of a seat, in the order they were laid."""
    count = int(state.laid_count[seat])
    squares = state.building[seat, : 2 * count].tolist()
    return {
        "tiles": shared.laid_json(state, seat, components),
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


def from_position(position: Node, setup: Setup, states: Records) -> None:
    """Fill a blank state from a position or a view; everything is checked against the box."""
    state: State = fast_record(states)
    reading = Reading(state, setup.components, rule_ids(state), ROW)
    rules.clear(state, reading.tables)
    read_progress(position, state, PHASES, reading.rules.end)
    for seat, city in enumerate(position["cities"].items(int(state.players))):
        _read_tiles(city, reading, seat)
    for seat, city in enumerate(position["cities"].items()):
        _read_walkways(city, state, seat, setup)
    _check_supply(position["supply"], state)
    shared.read_draft(position, reading)
    _check_phase(position, states)
    _check_requests(position, setup)
    shared.check_scores(position, states, reading)


def _read_tiles(city: Node, reading: Reading, seat: int) -> None:
    """C-6: the start tile was laid before the first turn."""
    state, tables = reading.state, reading.tables

    def lay(entry: Node, tile: int, row: int, col: int, turn: int) -> None:
        if state.laid_count[seat] > 0:
            free = int(rules.free_places(state, seat))
            shared.check_place(entry, reading, seat, (row, col), free)
        elif tile != tables.own[seat] or (row, col) != (0, 0):
            raise entry.fail("cloud-city.position.start", "C-6", number=seat + 1)
        rules.lay_tile(state, tables, seat, tile, row, col, turn)

    city.only("tiles", "buildings", "walkways")
    shared.read_tiles(city["tiles"], reading, seat, 1, lay)
    found = sorted(map(_read_building, city["buildings"].items()))
    standing = city_of(state, seat, reading.components)["buildings"]
    if found != sorted((b["colour"], b["row"], b["col"]) for b in standing):
        raise city["buildings"].fail("cloud-city.position.buildings", "C-9")


def _read_building(entry: Node) -> tuple[str, int, int]:
    colour = entry.only("colour", "row", "col")["colour"].one_of(COLOURS)
    row, col = (entry[key].whole(-EDGE, EDGE + 1) for key in ("row", "col"))
    return str(colour), row, col


def _read_walkways(city: Node, state: State, seat: int, setup: Setup) -> None:
    """C-10, C-13 … C-19: tiles laid later never come between, so the order is no matter."""
    mover, phase = state.to_move, state.phase
    if city["walkways"].value and not shared.turns_begun(state, seat):
        raise city["walkways"].fail("cloud-city.position.too-early", "C-10")
    state.to_move, state.phase = seat, WALKWAYS
    for entry in city["walkways"].items():
        entry.only("colour", "from", "to")
        code = WALKWAY_MOVE | WALKWAY.from_json(entry, setup)
        reason = int(rules.refusal_of_walkway(state, code))
        if reason:
            rule, message = explain(state, code, reason, setup.components)
            raise entry.fail("cloud-city.position.walkway", rule, why=message)
        start, goal = start_of(code), goal_of(code)
        direction = RIGHT if start[0] == goal[0] else 1 - RIGHT
        length = goal[0] - start[0] + goal[1] - start[1]
        rules.lay_walkway(state, seat, square_at(*start), direction, length)
    state.to_move, state.phase = mover, phase


def _check_supply(supply: Node, state: State) -> None:
    supply.only(*COLOURS)
    for colour, left in supply_of(state).items():
        if supply[colour].wholes(LENGTHS, 0, 99) != left:
            raise supply[colour].fail("cloud-city.position.supply", "C-3", left=str(left))


def _check_phase(position: Node, states: Records) -> None:
    """C-10: after placing it is time for walkways while there is one to build."""
    state = fast_record(states)
    given = int(state.phase)
    if given in (WALKWAYS, DRAW):
        rules.find_open_walkways_of(states)
        shared.check_phase(position, given, int(state.phase), PHASES, "C-10")


def _check_requests(position: Node, setup: Setup) -> None:
    if position["requests"].value != setup.options["requests"]:
        raise position["requests"].fail("cloud-city.position.requests", "C-23")
