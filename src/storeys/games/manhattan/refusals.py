"""Why a move is refused, as a rule id and a sentence with the facts of the position."""

from typing import Any

from storeys.games.manhattan import moves, rules
from storeys.games.manhattan.moves import CELL_NAMES, colour_label, site_label
from storeys.games.manhattan.state import CELL_OF_CARD, CELLS, SIZES, State
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.moves import part


def explain(state: State, code: int, reason: int, components: ComponentSet) -> tuple[str, Message]:
    """The rule id and the sentence for a reason that `encode` gave."""
    if reason == rules.NOT_YOUR_COLOUR:
        return _not_your_colour(state, code)
    if reason == rules.WRONG_NUMBER:
        return _wrong_number(state, code)
    rule, message_id = _REASONS[reason]
    return rule, Message(message_id, **_facts(state, code, reason))


_REASONS = {
    rules.GAME_OVER: ("M-19", "manhattan.refused.over"),
    rules.PICK_FIRST: ("M-8", "manhattan.refused.pick-first"),
    rules.ALREADY_PICKED: ("M-8", "manhattan.refused.already-picked"),
    rules.NOT_IN_STOCK: ("M-8", "manhattan.refused.stock"),
    rules.NOT_PICKED: ("M-9", "manhattan.refused.not-picked"),
    rules.WRONG_CELL: ("M-6", "manhattan.refused.cell"),
    rules.NOT_IN_HAND: ("M-9", "manhattan.refused.card"),
    rules.TOO_LOW: ("M-14", "manhattan.refused.takeover"),
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
    total = sum(part(code, count) for count in moves.COUNTS)
    return rule, Message("manhattan.refused.number", n=int(state.pick_size), total=total)


def _facts(state: State, code: int, reason: int) -> dict[str, Any]:
    """What the sentence for a reason tells of the position and the move."""
    colour, size = part(code, moves.COLOUR), part(code, moves.SIZE)
    card, cell = part(code, moves.CARD), part(code, moves.CELL)
    if reason == rules.NOT_IN_STOCK:
        wanted, left = [part(code, count) for count in moves.COUNTS], state.stock[colour].tolist()
        size = next(size for size in range(SIZES) if wanted[size] > left[size])
        block = {"colour": colour_label(colour), "size": size + 1}
        return block | {"left": left[size], "wanted": wanted[size]}
    if reason == rules.NOT_PICKED:
        return {"colour": colour_label(colour), "n": size + 1}
    if reason == rules.WRONG_CELL:
        meant = CELL_NAMES[CELL_OF_CARD[state.to_move, card]]
        return {"card": card + 1, "meant": meant, "cell": CELL_NAMES[cell]}
    if reason == rules.NOT_IN_HAND:
        return {"card": card + 1, "cell": CELL_NAMES[cell]}
    if reason == rules.TOO_LOW:
        city = part(code, moves.CITY)
        storeys = state.storeys[city * CELLS + cell].tolist()
        owner = int(state.owner[city * CELLS + cell])
        tower = {"site": site_label(city, cell), "owner": colour_label(owner)}
        return tower | {"n": storeys[owner], "yours": storeys[colour] + size + 1}
    return {}
