"""Why a move is refused, as a rule id and a sentence with the facts of the position."""

from storeys.games.manhattan import moves, rules
from storeys.games.manhattan.moves import colour_label, site_label
from storeys.games.manhattan.state import CELL_OF_CARD, CELLS, SIZES, State
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.moves import part


def explain(state: State, code: int, reason: int, components: ComponentSet) -> tuple[str, Message]:
    """The rule id and the sentence for a reason that `encode` gave."""
    if reason in _PLAIN:
        rule, message_id = _PLAIN[reason]
        return rule, Message(message_id)
    return _WITH_FACTS[reason](state, code)


_PLAIN = {
    rules.GAME_OVER: ("M-19", "manhattan.refused.over"),
    rules.PICK_FIRST: ("M-8", "manhattan.refused.pick-first"),
    rules.ALREADY_PICKED: ("M-8", "manhattan.refused.already-picked"),
    rules.CAN_BUILD: ("M-R1", "manhattan.refused.can-build"),
    rules.REDRAWN_ALREADY: ("M-R1", "manhattan.refused.redrawn"),
    rules.REDRAW_FIRST: ("M-R1", "manhattan.refused.redraw-first"),
}


def _not_your_colour(state: State, code: int) -> tuple[str, Message]:
    colour = colour_label(part(code, moves.COLOUR))
    if part(code, moves.KIND) != moves.PICK_MOVE:
        return "M-9", Message("manhattan.refused.not-yours", colour=colour)
    turn = colour_label(int(rules.colour_to_pick(state)))
    rule = "M-22" if state.players == 2 else "M-8"
    return rule, Message("manhattan.refused.pick-order", colour=colour, turn=turn)


def _wrong_number(state: State, code: int) -> tuple[str, Message]:
    rule = {2: "M-22", 3: "M-21"}.get(int(state.players), "M-8") if state.pick_size == 4 else "M-8"
    total = sum(part(code, moves.COUNTS[size]) for size in range(SIZES))
    return rule, Message("manhattan.refused.number", n=int(state.pick_size), total=total)


def _not_in_stock(state: State, code: int) -> tuple[str, Message]:
    colour = part(code, moves.COLOUR)
    size = next(s for s in range(SIZES) if part(code, moves.COUNTS[s]) > state.stock[colour, s])
    return "M-8", Message(
        "manhattan.refused.stock",
        colour=colour_label(colour),
        size=size + 1,
        left=int(state.stock[colour, size]),
        wanted=part(code, moves.COUNTS[size]),
    )


def _not_picked(state: State, code: int) -> tuple[str, Message]:
    return "M-9", Message(
        "manhattan.refused.not-picked",
        colour=colour_label(part(code, moves.COLOUR)),
        n=part(code, moves.SIZE) + 1,
    )


def _wrong_cell(state: State, code: int) -> tuple[str, Message]:
    card = part(code, moves.CARD)
    return "M-6", Message(
        "manhattan.refused.cell",
        card=card + 1,
        meant=moves.CELL_NAMES[CELL_OF_CARD[state.to_move, card]],
        cell=moves.CELL_NAMES[part(code, moves.CELL)],
    )


def _not_in_hand(state: State, code: int) -> tuple[str, Message]:
    return "M-9", Message(
        "manhattan.refused.card",
        card=part(code, moves.CARD) + 1,
        cell=moves.CELL_NAMES[part(code, moves.CELL)],
    )


def _too_low(state: State, code: int) -> tuple[str, Message]:
    city, cell, colour = part(code, moves.CITY), part(code, moves.CELL), part(code, moves.COLOUR)
    site = city * CELLS + cell
    owner = int(state.owner[site])
    return "M-14", Message(
        "manhattan.refused.takeover",
        site=site_label(city, cell),
        owner=colour_label(owner),
        n=int(state.storeys[site, owner]),
        yours=int(state.storeys[site, colour]) + part(code, moves.SIZE) + 1,
    )


_WITH_FACTS = {
    rules.NOT_YOUR_COLOUR: _not_your_colour,
    rules.WRONG_NUMBER: _wrong_number,
    rules.NOT_IN_STOCK: _not_in_stock,
    rules.NOT_PICKED: _not_picked,
    rules.WRONG_CELL: _wrong_cell,
    rules.NOT_IN_HAND: _not_in_hand,
    rules.TOO_LOW: _too_low,
}
