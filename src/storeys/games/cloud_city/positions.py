"""Between Cloud City's record and its position dict, which is checked on the way in."""

from typing import Any

from storeys.games.cloud_city import rules
from storeys.games.cloud_city.moves import WALKWAY, WALKWAY_MOVE, goal_of, start_of
from storeys.games.cloud_city.refusals import explain, rule_ids
from storeys.games.cloud_city.scoring import ends_of
from storeys.games.cloud_city.state import COLOURS, LENGTHS, NONE, PHASES, REQUESTS, ROW, State
from storeys.kernel.components import ComponentSet
from storeys.kernel.reading import Node
from storeys.kernel.record import Records, fast_record
from storeys.kernel.setup import Setup
from storeys.kernel.tiles import positions as shared
from storeys.kernel.tiles.cities import BUILD, DRAW
from storeys.kernel.tiles.grid import square_at
from storeys.kernel.tiles.moves import EDGE
from storeys.kernel.tiles.positions import Reading, coordinates, square_json
from storeys.kernel.zones import read_progress


def to_position(states: Records, components: ComponentSet) -> dict[str, Any]:
    """The game's own part of the position; of a blinded record, what is hidden is null."""
    return shared.to_position(states, components, _built_json, _supply_json)


def _built_json(state: State, seat: int, components: ComponentSet) -> dict[str, Any]:
    """Buildings and walkways of a seat, in the order they were laid."""
    return {
        "buildings": [
            {"colour": COLOURS[int(state.ground[seat, square]) - 1], **square_json(square)}
            for square in state.building[seat, : 2 * int(state.laid_count[seat])].tolist()
        ],
        "walkways": [walkway_json(state, seat, n) for n in range(int(state.walkway_count[seat]))],
    }


def walkway_json(state: State, seat: int, nth: int) -> dict[str, Any]:
    """A walkway as positions and scores name it."""
    start, goal = (coordinates(int(square)) for square in ends_of(state, seat, nth))
    return {"colour": COLOURS[int(state.walkway[seat, nth, 0])], "from": start, "to": goal}


def _supply_json(state: State, components: ComponentSet) -> dict[str, Any]:
    """The walkways left, by colour and length, and the request cards."""
    return {
        "supply": dict(zip(COLOURS, state.supply.tolist(), strict=True)),
        "requests": [REQUESTS[card] for card in state.requests.tolist() if card != NONE],
    }


# --- reading


def from_position(position: Node, setup: Setup, states: Records) -> None:
    """Fill a blank state from a position or a view; everything is checked against the box."""
    state: State = fast_record(states)
    reading = Reading(state, setup.components, rule_ids(state), ROW, laid_before=1)
    rules.clear(state, reading.tables)
    read_progress(position, state, PHASES, reading.rules.end)
    for seat, city in enumerate(position["cities"].items(int(state.players))):
        _read_tiles(city, reading, seat)
    for seat, city in enumerate(position["cities"].items()):
        _read_walkways(city, state, seat, setup)
    _check_supply(position["supply"], state)
    shared.read_draft(position, reading)
    _check_phase(position, states)
    if position["requests"].value != setup.options["requests"]:
        raise position["requests"].fail("cloud-city.position.requests", "C-23")
    shared.check_scores(position, states, reading)


def _read_tiles(city: Node, reading: Reading, seat: int) -> None:
    """C-7, C-9: tile by tile; the buildings follow from them."""
    city.only("tiles", "buildings", "walkways")

    def check_first(entry: Node, seat: int, tile: int, place: tuple[int, int]) -> None:
        """C-6: the start tile was laid before the first turn."""
        if tile != reading.tables.own[seat] or place != (0, 0):
            raise entry.fail("cloud-city.position.start", "C-6", number=seat + 1)

    for _ in shared.read_tiles(city["tiles"], reading, seat, rules, check_first):
        pass  # A tile brings its buildings along.
    found = sorted(map(_read_building, city["buildings"].items()))
    standing = _built_json(reading.state, seat, reading.components)["buildings"]
    if found != sorted(tuple(building.values()) for building in standing):
        raise city["buildings"].fail("cloud-city.position.buildings", "C-9")


def _read_building(entry: Node) -> tuple[str, int, int]:
    colour = entry.only("colour", "row", "col")["colour"].one_of(COLOURS)
    row, col = (entry[key].whole(-EDGE, EDGE + 1) for key in ("row", "col"))
    return str(colour), row, col


def _read_walkways(city: Node, state: State, seat: int, setup: Setup) -> None:
    """C-10, C-13 … C-19: tiles laid later never come between, so the order is no matter."""
    if city["walkways"].value and not shared.turns_begun(state, seat):
        raise city["walkways"].fail("cloud-city.position.too-early", "C-10")
    mover, state.to_move = int(state.to_move), seat
    for entry in city["walkways"].items():
        entry.only("colour", "from", "to")
        code = WALKWAY_MOVE | WALKWAY.from_json(entry, setup)
        reason = int(rules.refusal_of_walkway(state, code))
        if reason:
            rule, message = explain(state, code, reason, setup.components)
            raise entry.fail("cloud-city.position.walkway", rule, why=message)
        (row, col), (to_row, to_col) = start_of(code), goal_of(code)
        direction, length = int(to_row > row), to_row - row + to_col - col
        rules.lay_walkway(state, seat, square_at(row, col), direction, length)
    state.to_move = mover


def _check_supply(supply: Node, state: State) -> None:
    supply.only(*COLOURS)
    for colour, left in zip(COLOURS, state.supply.tolist(), strict=True):
        if supply[colour].wholes(LENGTHS, 0, 99) != left:
            raise supply[colour].fail("cloud-city.position.supply", "C-3", left=str(left))


def _check_phase(position: Node, states: Records) -> None:
    """C-10: after placing it is time for walkways while there is one to build."""
    state = fast_record(states)
    given = int(state.phase)
    if given in (BUILD, DRAW):
        rules.find_open_walkways_of(states)
        shared.check_phase(position, given, int(state.phase), PHASES, "C-10")
