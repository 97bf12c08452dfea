"""Why a move is refused, as a rule id and a sentence with the facts of the position."""

from storeys.games.neoville import moves, rules
from storeys.games.neoville.moves import piece_json, piece_label
from storeys.games.neoville.state import SIDE, SKYSCRAPERS, TERRAINS, VALUES, State
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.moves import part
from storeys.kernel.record import fast_record
from storeys.kernel.tiles import grid, refusals
from storeys.kernel.tiles.cities import FIRST_OWN_REASON
from storeys.kernel.tiles.grid import square_name
from storeys.kernel.tiles.moves import TILE, TURN, place_of
from storeys.kernel.tiles.positions import coordinates
from storeys.kernel.tiles.refusals import RuleIds

RULES = RuleIds(
    tiles="N-1", deal="N-10", place="N-11", size="N-11", draw="N-16", turns="N-16", end="N-16",
    shown="N-R3", scores="N-R4",
)  # fmt: skip


def explain(state: State, code: int, reason: int, components: ComponentSet) -> tuple[str, Message]:
    """The rule id and the sentence for a reason that `encode` gave."""
    if reason < FIRST_OWN_REASON:
        return refusals.explain(code, reason, components, RULES, f"{SIDE}×{SIDE}")
    if reason == rules.JOINS:
        return "N-12", _joins(state, code, components)
    if reason == rules.BUILT_ALREADY:
        return "N-13", Message("neoville.refused.built")
    seat = int(state.to_move)
    if reason == rules.NOT_ON_NEW_TILE:
        place = rules.new_place(state, seat)
        corner = square_name(2 * grid.row_of_place(place), 2 * grid.col_of_place(place))
        return "N-13", Message("neoville.refused.new-tile", square=corner)
    return explain_site(state, seat, code, reason, components)


def explain_site(
    state: State, seat: int, code: int, reason: int, components: ComponentSet
) -> tuple[str, Message]:
    """Why a piece may not stand on a square of a city."""
    piece, (row, col) = part(code, moves.PIECE), moves.square_of(code)
    square, name = grid.square_at(row, col), square_name(row, col)
    label = piece_label(piece_json(piece, components), components)
    if reason == rules.NOT_LEFT:
        rule = "N-8" if piece < SKYSCRAPERS else "N-9"
        return rule, Message("neoville.refused.supply", piece=label)
    if reason == rules.ON_SYMBOL:
        return "N-13", Message("neoville.refused.symbol", square=name)
    if reason == rules.OTHER_TERRAIN:
        terrains = {"terrain": piece // len(VALUES), "found": int(state.terrain[seat, square])}
        named = {key: Message(f"neoville.terrain.{TERRAINS[t]}") for key, t in terrains.items()}
        return "N-14", Message("neoville.refused.terrain", piece=label, square=name, **named)
    other, where = _skyscraper_in(state, seat, int(state.district[seat, square]), components)
    return "N-14", Message("neoville.refused.guarded", other=other, where=where)


def _joins(state: State, code: int, components: ComponentSet) -> Message:
    """N-12: the two skyscrapers that would meet."""
    seat, tables = int(state.to_move), fast_record(components.tables)
    place, tile, turn = grid.place_bit(*place_of(code)), part(code, TILE), part(code, TURN)
    both = rules.joined_by(state, tables, seat, place, tile, turn)
    one, one_at = _skyscraper_in(state, seat, (both >> 8) - 1, components)
    two, two_at = _skyscraper_in(state, seat, (both & 255) - 1, components)
    return Message("neoville.refused.joins", one=one, one_at=one_at, two=two, two_at=two_at)


def _skyscraper_in(
    state: State, seat: int, district: int, components: ComponentSet
) -> tuple[Message, str]:
    """The first skyscraper of a district, and the name of its square."""
    for piece, square in state.piece[seat, : int(state.piece_count[seat])].tolist():
        if piece < SKYSCRAPERS and state.district[seat, square] == district:
            label = piece_label(piece_json(piece, components), components)
            return label, square_name(*coordinates(square))
    raise LookupError(district)
