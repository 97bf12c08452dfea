"""Between Neoville's record and its position dict, which is checked on the way in."""

from collections import Counter
from typing import Any

from storeys.games.neoville import rules
from storeys.games.neoville.moves import BUILDS, NOTATION, PIECE, piece_json, square_of, utility_ids
from storeys.games.neoville.refusals import RULES, explain_site
from storeys.games.neoville.state import KINDS, PHASES, ROW, SKYSCRAPERS, TERRAINS, VALUES, State
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.moves import part
from storeys.kernel.reading import Node
from storeys.kernel.record import Records, fast_record
from storeys.kernel.setup import Setup
from storeys.kernel.tiles import positions as shared
from storeys.kernel.tiles.cities import BUILD, DRAW
from storeys.kernel.tiles.grid import square_at
from storeys.kernel.tiles.positions import Reading, square_json
from storeys.kernel.zones import read_progress

Piece = tuple[Node, int]
"""A piece being read: where it stands in the document, and the code of the move that built it."""


def to_position(states: Records, components: ComponentSet) -> dict[str, Any]:
    """The game's own part of the position; of a blinded record, what is hidden is null."""
    return shared.to_position(states, components, _built_json, _supply_json)


def _built_json(state: State, seat: int, components: ComponentSet) -> dict[str, Any]:
    """The pieces of a seat, in the order they were built."""
    pieces = state.piece[seat, : int(state.piece_count[seat])].tolist()
    named = [piece_json(piece, components) | square_json(square) for piece, square in pieces]
    return {"pieces": named}


def _supply_json(state: State, components: ComponentSet) -> dict[str, Any]:
    """The values of skyscrapers that are left, by terrain, and the ids of the utilities."""
    ids, left = utility_ids(components), int(state.utilities)
    utilities = [name for number, name in enumerate(ids) if left >> number & 1]
    return {"skyscrapers": _skyscrapers_left(state), "utilities": utilities}


def _skyscrapers_left(state: State) -> dict[str, list[int]]:
    return {
        name: [value for nth, value in enumerate(VALUES) if left >> nth & 1]
        for name, left in zip(TERRAINS, state.skyscrapers.tolist(), strict=True)
    }


# --- reading


def from_position(position: Node, setup: Setup, states: Records) -> None:
    """Fill a blank state from a position or a view; everything is checked against the box.

    Whether a join was forced (N-12) depends on a hand of the past, so joined districts are taken
    as they are.
    """
    state: State = fast_record(states)
    reading = Reading(state, setup.components, RULES, ROW, laid_before=0)
    rules.clear(state)
    read_progress(position, state, PHASES, RULES.end)
    cities = list(position["cities"].items(int(state.players)))
    pieces = [_read_pieces(city, setup) for city in cities]
    _read_utilities(position["utilities"], pieces, setup, state)
    for seat, city in enumerate(cities):
        _read_city(city, reading, seat, pieces[seat])
    _check_supply(position, state)
    shared.read_draft(position, reading)
    _check_phase(position, state)
    shared.check_scores(position, states, reading)


def _read_pieces(city: Node, setup: Setup) -> list[Piece]:
    city.only("tiles", "pieces")
    kinds = [kind.name for kind in BUILDS]  # Pieces are named like the moves that build them.
    return [(p, NOTATION.read_json(p, setup, kinds)) for p in city["pieces"].items()]


def _read_utilities(left: Node, pieces: list[list[Piece]], setup: Setup, state: State) -> None:
    """N-9: so many of each kind in play, in the supply or built, each one once."""
    ids = utility_ids(setup.components)
    found = [ids.index(entry.one_of(ids)) for entry in left.items()]
    built = [part(code, PIECE) for city in pieces for _, code in city]
    found += [piece - SKYSCRAPERS for piece in built if piece >= SKYSCRAPERS]
    for number, count in Counter(found).items():
        if count > 1:
            raise left.fail("neoville.position.utility-twice", "N-9", id=ids[number])
    kinds = Counter(setup.components.content["utilities"][number]["kind"] for number in found)
    due = rules.utilities_of_a_kind(int(state.players))
    for kind in KINDS:
        expected = due if kind in setup.options["utilities"] else 0
        if kinds[kind] != expected:
            name = Message(f"neoville.kind.{kind}")
            raise left.fail(
                "neoville.position.utilities", "N-9", kind=name, n=expected, found=kinds[kind]
            )
    state.utilities = sum(1 << number for number in found)


def _read_city(city: Node, reading: Reading, seat: int, pieces: list[Piece]) -> None:
    """N-11 … N-14: tile by tile, each with the piece that was built on it."""
    left = list(pieces)
    for place in shared.read_tiles(city["tiles"], reading, seat, rules, _check_first):
        if left and tuple(n // 2 for n in square_of(left[0][1])) == place:
            _put_piece(left.pop(0), reading, seat)
    if left:
        raise left[0][0].fail("neoville.position.piece", "N-13")


def _check_first(entry: Node, seat: int, tile: int, place: tuple[int, int]) -> None:
    if place != (0, 0):
        raise entry.fail("neoville.position.first", "N-11")


def _put_piece(piece: Piece, reading: Reading, seat: int) -> None:
    entry, code = piece
    state, number, square = reading.state, part(code, PIECE), square_at(*square_of(code))
    reason = int(rules.refusal_of_site(state, seat, number, square))
    if reason:
        rule, why = explain_site(state, seat, code, reason, reading.components)
        raise entry.fail("neoville.position.site", rule, why=why)
    rules.put_piece(state, seat, number, square)


def _check_supply(position: Node, state: State) -> None:
    supply = position["skyscrapers"].only(*TERRAINS)
    for terrain, left in _skyscrapers_left(state).items():
        if sorted(value.whole(0, 99) for value in supply[terrain].items()) != left:
            raise supply[terrain].fail("neoville.position.supply", "N-8", left=str(left))


def _check_phase(position: Node, state: State) -> None:
    """N-13: after placing it is time to build while something can be built, and once only."""
    if state.phase in (BUILD, DRAW):
        seat = int(state.to_move)
        to_build = not rules.built_this_turn(state, seat) and rules.can_build(state, seat)
        found = BUILD if to_build else DRAW
        shared.check_phase(position, int(state.phase), found, PHASES, "N-13")
