"""Why a move is refused, as a rule id and a sentence with the facts of the position."""

from dataclasses import replace

from storeys.games.cloud_city import moves, rules
from storeys.games.cloud_city.moves import colour_label
from storeys.games.cloud_city.state import LENGTHS, NO_TILE, State
from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.moves import part
from storeys.kernel.tiles import refusals
from storeys.kernel.tiles.cities import FIRST_OWN_REASON
from storeys.kernel.tiles.grid import square_at, square_name
from storeys.kernel.tiles.refusals import RuleIds

RULES = RuleIds(
    tiles="C-1", deal="C-6", place="C-7", size="C-8", draw="C-11", turns="C-12", end="C-21",
    shown="C-R3", scores="C-21",
)  # fmt: skip


def rule_ids(state: State) -> RuleIds:
    """C-22 says how large the rectangle city is."""
    return RULES if state.long_side == 3 else replace(RULES, size="C-22")


def explain(state: State, code: int, reason: int, components: ComponentSet) -> tuple[str, Message]:
    """The rule id and the sentence for a reason that `encode` gave."""
    if reason < FIRST_OWN_REASON:
        size = f"3×{int(state.long_side)}"
        return refusals.explain(code, reason, components, rule_ids(state), size)
    if reason == rules.NOT_IN_LINE:
        return "C-13", Message("cloud-city.refused.line")
    if reason == rules.JOINED_ALREADY:
        return "C-17", Message("cloud-city.refused.joined")
    return _explain_walkway(state, code, reason)


def _explain_walkway(state: State, code: int, reason: int) -> tuple[str, Message]:
    colour = part(code, moves.COLOUR)
    named = {"colour": colour_label(colour)}
    (row, col), (to_row, to_col) = moves.start_of(code), moves.goal_of(code)
    length = to_row - row + to_col - col
    if reason == rules.NO_BUILDING:
        missing = next(
            end for end in ((row, col), (to_row, to_col)) if _height(state, end) != colour + 1
        )
        return "C-13", Message("cloud-city.refused.building", square=square_name(*missing), **named)
    if reason == rules.TOO_LONG:
        return "C-13", Message("cloud-city.refused.long", length=length, longest=LENGTHS)
    if reason == rules.NONE_LEFT:
        return "C-14", Message("cloud-city.refused.supply", length=length, **named)
    if reason == rules.TWO_ALREADY:
        full = next(end for end in ((row, col), (to_row, to_col)) if _has_two(state, end))
        return "C-18", Message("cloud-city.refused.two", square=square_name(*full))
    return _explain_obstacle(state, code, reason)


def _explain_obstacle(state: State, code: int, reason: int) -> tuple[str, Message]:
    """What lies between the two ends."""
    colour = part(code, moves.COLOUR)
    named = {"colour": colour_label(colour)}
    (row, col), (to_row, to_col) = moves.start_of(code), moves.goal_of(code)
    between = [
        (row + i * (to_row > row), col + i * (to_col > col))
        for i in range(1, to_row - row + to_col - col)
    ]
    if reason == rules.GAP:
        square = next(end for end in between if _height(state, end) == NO_TILE)
        return "C-15", Message("cloud-city.refused.gap", square=square_name(*square))
    if reason == rules.SAME_BETWEEN:
        square = next(end for end in between if _height(state, end) == colour + 1)
        return "C-16", Message("cloud-city.refused.same", square=square_name(*square), **named)
    if reason == rules.HIGHER_BETWEEN:
        square = next(end for end in between if _height(state, end) > colour + 1)
        higher = colour_label(_height(state, square) - 1)
        return "C-19", Message(
            "cloud-city.refused.higher", colour=higher, square=square_name(*square)
        )
    across = 1 << (2 * colour + (to_col > col))
    square = next(end for end in between if _at(state, end, "span") & across)
    return "C-17", Message("cloud-city.refused.crosses", square=square_name(*square), **named)


def _at(state: State, square: tuple[int, int], field: str) -> int:
    return int(getattr(state, field)[state.to_move, square_at(*square)])


def _height(state: State, square: tuple[int, int]) -> int:
    return _at(state, square, "ground")


def _has_two(state: State, square: tuple[int, int]) -> bool:
    return bool(rules.has_two(_at(state, square, "links")))
