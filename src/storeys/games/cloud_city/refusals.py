"""Why a move is refused, as a rule id and a sentence with the facts of the position."""

from dataclasses import replace
from typing import Any

from storeys.games.cloud_city import moves, rules
from storeys.games.cloud_city.state import COLOURS, LENGTHS, NO_TILE, State
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
OWN = {
    rules.NOT_IN_LINE: ("C-13", "cloud-city.refused.line"),
    rules.NO_BUILDING: ("C-13", "cloud-city.refused.building", "square", "colour"),
    rules.TOO_LONG: ("C-13", "cloud-city.refused.long", "length", "longest"),
    rules.NONE_LEFT: ("C-14", "cloud-city.refused.supply", "length", "colour"),
    rules.GAP: ("C-15", "cloud-city.refused.gap", "square"),
    rules.SAME_BETWEEN: ("C-16", "cloud-city.refused.same", "square", "colour"),
    rules.JOINED_ALREADY: ("C-17", "cloud-city.refused.joined"),
    rules.CROSSES: ("C-17", "cloud-city.refused.crosses", "square", "colour"),
    rules.TWO_ALREADY: ("C-18", "cloud-city.refused.two", "square"),
    rules.HIGHER_BETWEEN: ("C-19", "cloud-city.refused.higher", "colour", "square"),
}
"""The rule and the sentence for each reason against a walkway, and which facts that names."""


def rule_ids(state: State) -> RuleIds:
    """C-22 says how large the rectangle city is."""
    return RULES if state.long_side == 3 else replace(RULES, size="C-22")


def explain(state: State, code: int, reason: int, components: ComponentSet) -> tuple[str, Message]:
    """The rule id and the sentence for a reason that `encode` gave."""
    if reason < FIRST_OWN_REASON:
        size = f"3×{int(state.long_side)}"
        return refusals.explain(code, reason, components, rule_ids(state), size)
    rule, message_id, *named = OWN[reason]
    (row, col), (to_row, to_col) = moves.start_of(code), moves.goal_of(code)
    colour = COLOURS[part(code, moves.COLOUR)]
    facts: dict[str, Any] = {"length": to_row - row + to_col - col, "longest": LENGTHS}
    if "square" in named:
        square, found = _first_against(state, code, reason, facts["length"])
        facts["square"] = square_name(*square)
        colour = COLOURS[found - 1] if reason == rules.HIGHER_BETWEEN else colour
    facts["colour"] = moves.colour_label(colour)
    return rule, Message(message_id, **{fact: facts[fact] for fact in named})


def _first_against(
    state: State, code: int, reason: int, length: int
) -> tuple[tuple[int, int], int]:
    """The first square on a walkway's way that a reason is about, and what is found there."""
    (row, col), (to_row, to_col) = ends = moves.start_of(code), moves.goal_of(code)
    down, right = int(to_row > row), int(to_col > col)
    height = part(code, moves.COLOUR) + 1
    between = [(row + nth * down, col + nth * right) for nth in range(1, length)]
    for square in ends if reason in (rules.NO_BUILDING, rules.TWO_ALREADY) else between:
        where = int(state.to_move), square_at(*square)
        found, across = int(state.ground[where]), 1 << (2 * (height - 1) + right)
        against = {
            rules.NO_BUILDING: found != height,
            rules.TWO_ALREADY: rules.has_two(int(state.links[where])),
            rules.GAP: found == NO_TILE,
            rules.SAME_BETWEEN: found == height,
            rules.HIGHER_BETWEEN: found > height,
            rules.CROSSES: int(state.span[where]) & across,
        }
        if against[reason]:
            return square, found
    raise LookupError(reason)
