"""Between the shared part of a tile game's record and its position dict, checked on the way in.

Its tables have the fields ``numbered`` (1 … 4 for a tile that belongs to a seat from the start, 0
for an ordinary one), ``own`` (that tile by seat) and ``turns`` (how many turns look different).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from storeys.kernel.components import ComponentSet
from storeys.kernel.reading import Node
from storeys.kernel.record import Records, as_rows, fast_record
from storeys.kernel.tiles import grid
from storeys.kernel.tiles.cities import BUILD, DRAW, OVER, PLACE, Cities
from storeys.kernel.tiles.draft import HAND, NONE, add_to_hand, add_to_pile
from storeys.kernel.tiles.grid import REACH, beside, place_bit
from storeys.kernel.tiles.refusals import RuleIds
from storeys.kernel.zones import totals_of

# --- writing


def to_position(
    states: Records,
    components: ComponentSet,
    built: Callable[[Any, int, ComponentSet], dict[str, Any]],
    supply: Callable[[Any, ComponentSet], dict[str, Any]],
) -> dict[str, Any]:
    """A game's own part of the position; of a blinded record, what is hidden is null.

    ``built`` gives what stands in a seat's city, ``supply`` what is left to build.
    """
    state = as_rows(states)[0]
    cities = [
        {"tiles": laid_json(state, seat, components), **built(state, seat, components)}
        for seat in range(state.players)
    ]
    own = supply(state, components)
    scores = totals_of(states, components)
    return {"cities": cities, **draft_json(state, components), **own, "scores": scores}


BITS = 64  # of a number of places
SQUARES = [(grid.row_of_square(at), grid.col_of_square(at)) for at in range(grid.SQUARES)]
PLACES = [(grid.row_of_place(at), grid.col_of_place(at)) for at in range(BITS)]
"""Rows and columns, worked out once: a view names every square and place there is."""


def coordinates(square: int) -> list[int]:
    """The row and column of a square."""
    return [*SQUARES[square]]


def square_json(square: int) -> dict[str, int]:
    """The same as the entries of something that stands there."""
    row, col = SQUARES[square]
    return {"row": row, "col": col}


def draft_json(state: Cities, components: ComponentSet) -> dict[str, Any]:
    """Hands, row and pile; of a blinded record, what is hidden is null."""
    ids, players = components.tile_ids, int(state.players)
    slots, sizes = state.hands[:players].tolist(), state.hand_size[:players].tolist()
    hands = [hand[:size] for hand, size in zip(slots, sizes, strict=True)]
    shown = [
        [ids[tile] for tile, known in zip(hand, marks, strict=False) if known]
        for hand, marks in zip(hands, state.shown[:players].tolist(), strict=True)
    ]
    return {
        "hands": [[None if tile == NONE else ids[tile] for tile in hand] for hand in hands],
        "shown": shown,
        "row": [ids[tile] for tile in state.row[: state.row_size].tolist()],
        "pile": int(state.pile_size),
    }


def laid_json(state: Cities, seat: int, components: ComponentSet) -> list[dict[str, Any]]:
    """The tiles of a city in the order they were laid."""
    ids = components.tile_ids
    return [
        {"tile": ids[tile], "row": PLACES[place][0], "col": PLACES[place][1], "turn": turn}
        for tile, place, turn in state.laid[seat, : int(state.laid_count[seat])].tolist()
    ]


# --- reading


@dataclass
class Reading:
    """A position being read into a state: what it is checked against, and the tiles met so far."""

    state: Any
    components: ComponentSet
    rules: RuleIds
    row_length: int
    laid_before: int
    """How many tiles of a city were laid before the first turn."""
    used: set[str] = field(default_factory=set)

    @cached_property
    def tables(self) -> Any:
        """The component set as the rules read it."""
        return fast_record(self.components.tables)

    def claim(self, tile: Node) -> int:
        """The number of a tile, which is in one place only."""
        name = tile.one_of(self.components.tile_ids)
        if name in self.used:
            raise tile.fail("storeys.tiles.position.twice", self.rules.tiles, tile=name)
        self.used.add(name)
        return self.components.tile_numbers[name]

    def claim_for(self, tile: Node, seat: int | None) -> int:
        """The same for a tile that is with a seat, or with nobody."""
        number = self.claim(tile)
        owner = int(self.tables.numbered[number]) - 1
        if owner not in (NONE, seat):
            raise tile.fail(
                "storeys.tiles.position.numbered", self.rules.deal, tile=tile.value, seat=owner
            )
        return number


def read_tiles(
    tiles: Node, reading: Reading, seat: int, rules: Any, check_first: Callable[..., None]
) -> Iterator[tuple[int, int]]:
    """Lay the tiles of a city, one for each turn begun and those before; gives each place laid.

    ``check_first`` raises what is wrong with the first one.
    """
    state, tables, entries = reading.state, reading.tables, list(tiles.items())
    due = reading.laid_before + turns_begun(state, seat)
    if len(entries) != due:
        raise tiles.fail(
            "storeys.tiles.position.tiles", reading.rules.turns, n=due, found=len(entries)
        )
    for entry in entries:
        number = reading.claim_for(entry.only("tile", "row", "col", "turn")["tile"], seat)
        row, col = (entry[key].whole(-REACH, REACH) for key in ("row", "col"))
        turn = entry["turn"].whole(0, 3) % int(tables.turns[number])
        if state.laid_count[seat] > 0:
            _check_place(entry, reading, seat, (row, col), int(rules.free_places(state, seat)))
        else:
            check_first(entry, seat, number, (row, col))
        rules.lay_tile(state, tables, seat, number, row, col, turn)
        yield row, col


def turns_ended(state: Any, seat: int) -> int:
    """How many turns of a seat have come to their end, each with a draw."""
    return int(state.round_no) - int(state.phase != OVER and seat >= state.to_move)


def turns_begun(state: Any, seat: int) -> int:
    """How many turns a seat has laid a tile in."""
    return turns_ended(state, seat) + int(seat == state.to_move and state.phase != PLACE)


def _check_place(
    entry: Node, reading: Reading, seat: int, place: tuple[int, int], free: int
) -> None:
    """A tile lies beside an earlier one, and the city keeps its size."""
    bit = 1 << place_bit(*place)
    if int(reading.state.places[seat]) & bit:
        raise entry.fail("storeys.tiles.position.occupied", reading.rules.place)
    if not beside(int(reading.state.places[seat])) & bit:
        raise entry.fail("storeys.tiles.position.beside", reading.rules.place)
    if not free & bit:
        raise entry.fail("storeys.tiles.position.size", reading.rules.size)


def read_draft(position: Node, reading: Reading) -> None:
    """Hands, row and pile; what the cities hold must have been claimed."""
    state, players = reading.state, int(reading.state.players)
    viewer = position.get("seat")
    shown = list(position["shown"].items(players))
    for seat, hand in enumerate(position["hands"].items(players)):
        mine = viewer is None or viewer.value == seat
        _read_hand(hand, shown[seat], reading, seat, mine)
    _read_row(position["row"], reading)
    left = _tiles_left(position["hands"], reading)
    hidden = sum(int(size) for size in state.hand_size) - int((state.hands >= 0).sum())
    size = len(left) - hidden
    if position["pile"].whole(0, len(reading.components.tile_ids)) != size:
        raise position["pile"].fail("storeys.tiles.position.pile", reading.rules.tiles, n=size)
    if size and state.row_size < reading.row_length:
        raise _wrong_row(position["row"], reading)
    _check_last_draws(shown, reading)
    if viewer is None:
        for number in left:
            add_to_pile(state, number)
    state.pile_size = size


def _read_row(row: Node, reading: Reading) -> None:
    for slot, entry in enumerate(row.items()):
        if slot == reading.row_length:
            raise _wrong_row(row, reading)
        reading.state.row[slot] = reading.claim_for(entry, None)
        reading.state.row_size += 1


def _wrong_row(row: Node, reading: Reading) -> Exception:
    return row.fail("storeys.tiles.position.row", reading.rules.draw, n=reading.row_length)


def _check_last_draws(shown: list[Node], reading: Reading) -> None:
    """Who drew after the pile was used up took an open tile, and has laid none since.

    The row is short by as many tiles as were drawn then; no set-up has a seat draw two of them.
    """
    state, players = reading.state, int(reading.state.players)
    last = (players if state.phase == OVER else int(state.to_move)) - 1
    late = [(last - nth) % players for nth in range(reading.row_length - int(state.row_size))]
    for seat in late:
        if _drawn_openly(reading, seat) == 0:
            raise shown[seat].fail("storeys.tiles.position.last-draw", reading.rules.shown)


def _drawn_openly(reading: Reading, seat: int) -> int:
    """How many tiles of a hand were taken from the row, as everybody saw."""
    hand, known = reading.state.hands[seat].tolist(), reading.state.shown[seat].tolist()
    own = reading.tables.own[seat]
    return sum(flag for tile, flag in zip(hand, known, strict=True) if tile != own)


def _tiles_left(hands: Node, reading: Reading) -> list[int]:
    """The tiles that are nowhere to be seen; those that belong to a seat never are."""
    ids = reading.components.tile_ids
    for seat, hand in enumerate(hands.items()):
        own = ids[int(reading.tables.own[seat])]
        if own not in reading.used:
            raise hand.fail("storeys.tiles.position.own", reading.rules.deal, tile=own)
    numbered = reading.tables.numbered
    return [n for n, i in enumerate(ids) if i not in reading.used and not numbered[n]]


def _read_hand(hand: Node, shown: Node, reading: Reading, seat: int, mine: bool) -> None:
    state, rules = reading.state, reading.rules
    entries = list(hand.items())
    due = HAND - (seat == state.to_move and state.phase in (BUILD, DRAW))
    if len(entries) != due:
        raise hand.fail("storeys.tiles.position.hand", rules.deal, n=due, found=len(entries))
    known = [entry.one_of(reading.components.tile_ids) for entry in shown.items()]
    for entry in entries:
        if entry.value is None and not mine:
            add_to_hand(state, seat, NONE, 0)
            continue
        number = reading.claim_for(entry, seat)
        if entry.value not in known and (not mine or reading.tables.numbered[number]):
            raise entry.fail("storeys.tiles.position.not-shown", rules.shown, tile=entry.value)
        add_to_hand(state, seat, number, int(entry.value in known))
    if len(set(known)) != len(known) or not set(known) <= {entry.value for entry in entries}:
        raise shown.fail("storeys.tiles.position.shown", rules.shown)
    drawn, draws = _drawn_openly(reading, seat), turns_ended(state, seat)
    if drawn > draws:
        raise shown.fail("storeys.tiles.position.too-many-shown", rules.shown, found=drawn, n=draws)


def check_phase(position: Node, given: int, found: int, phases: tuple[str, ...], rule: str) -> None:
    """After laying it is time to build while there is something to build, then to draw."""
    if given != found:
        raise position["phase"].fail("storeys.tiles.position.phase", rule, phase=phases[found])


def check_scores(position: Node, states: Records, reading: Reading) -> None:
    """What each seat has follows from the cities; null leaves it to be worked out."""
    given = position["scores"]
    if given.value is None:
        return
    totals = totals_of(states, reading.components)
    if given.wholes(len(totals), -1000, 1000) != totals:
        raise given.fail("storeys.tiles.position.scores", reading.rules.scores, scores=str(totals))
