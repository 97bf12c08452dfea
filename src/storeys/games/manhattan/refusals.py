"""Why a move is refused: a rule id, a sentence, and the facts of the position that it names."""

from typing import Any

from storeys.games.manhattan import moves, rules
from storeys.games.manhattan.moves import CELL_NAMES, colour_label
from storeys.games.manhattan.state import CELL_OF_CARD, CELLS, SIZES, State
from storeys.kernel.moves import part

_REASONS = {
    rules.GAME_OVER: ("M-19", "over"),
    rules.PICK_FIRST: ("M-8", "pick-first"),
    rules.ALREADY_PICKED: ("M-8", "already-picked"),
    rules.NOT_YOUR_COLOUR: ("M-9", "not-yours"),
    rules.WRONG_NUMBER: ("M-8", "number"),
    rules.NOT_IN_STOCK: ("M-8", "stock"),
    rules.NOT_PICKED: ("M-9", "not-picked"),
    rules.WRONG_CELL: ("M-6", "cell"),
    rules.NOT_IN_HAND: ("M-9", "card"),
    rules.TOO_LOW: ("M-14", "takeover"),
    rules.CAN_BUILD: ("M-R1", "can-build"),
    rules.REDRAWN_ALREADY: ("M-R1", "redrawn"),
    rules.REDRAW_FIRST: ("M-R1", "redraw-first"),
}


def explain(state: State, code: int, reason: int) -> tuple[str, str, dict[str, Any]]:
    """The rule id, the end of the message's id, and what it says beside the fields of the move."""
    rule, ending = _REASONS[reason]
    colour, wanted = part(code, moves.COLOUR), [part(code, count) for count in moves.COUNTS]
    if reason == rules.NOT_YOUR_COLOUR and part(code, moves.KIND) == moves.PICK_MOVE:
        turn = colour_label(int(rules.colour_to_pick(state)))
        return "M-22" if state.players == 2 else "M-8", "pick-order", {"turn": turn}
    if reason == rules.WRONG_NUMBER:
        rule = "M-8" if state.pick_size == 6 else {2: "M-22", 3: "M-21"}[int(state.players)]
        return rule, ending, {"n": int(state.pick_size), "total": sum(wanted)}
    if reason == rules.NOT_IN_STOCK:
        left = state.stock[colour].tolist()
        size = next(size for size in range(SIZES) if wanted[size] > left[size])
        return rule, ending, {"size": size + 1, "left": left[size], "wanted": wanted[size]}
    if reason == rules.WRONG_CELL:
        meant = CELL_OF_CARD[state.to_move, part(code, moves.CARD)]
        return rule, ending, {"meant": CELL_NAMES[meant]}
    if reason == rules.TOO_LOW:
        site = part(code, moves.CITY) * CELLS + part(code, moves.CELL)
        storeys, owner = state.storeys[site].tolist(), int(state.owner[site])
        yours = storeys[colour] + part(code, moves.SIZE) + 1
        return rule, ending, {"owner": colour_label(owner), "n": storeys[owner], "yours": yours}
    return rule, ending, {}
