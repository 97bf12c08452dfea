"""Why a shared move is refused, as a rule id of the game and a sentence."""

from dataclasses import dataclass

from storeys.kernel.components import ComponentSet
from storeys.kernel.messages import Message
from storeys.kernel.moves import part
from storeys.kernel.tiles import cities
from storeys.kernel.tiles.moves import TILE


@dataclass(frozen=True)
class RuleIds:
    """Which rules of a game the shared sentences refer to."""

    tiles: str
    """What tiles there are."""
    deal: str
    """Who gets what before the first turn."""
    place: str
    """Where a tile may go."""
    size: str
    """How large a city may be."""
    draw: str
    turns: str
    """Whose turn follows on whose."""
    end: str
    shown: str
    """Which tiles of a hand everybody knows."""
    scores: str
    """What a seat has, as if the match ended now."""


def explain(
    code: int, reason: int, components: ComponentSet, rules: RuleIds, size: str
) -> tuple[str, Message]:
    """The rule id and the sentence for a shared reason."""
    if reason == cities.NOT_IN_HAND:
        tile = components.tile_ids[part(code, TILE)]
        return rules.place, Message("storeys.tiles.refused.hand", tile=tile)
    if reason == cities.TOO_LARGE:
        return rules.size, Message("storeys.tiles.refused.size", size=size)
    rule, message_id = {
        cities.GAME_OVER: (rules.end, "storeys.tiles.refused.over"),
        cities.PLACE_FIRST: (rules.place, "storeys.tiles.refused.place-first"),
        cities.PLACED_ALREADY: (rules.place, "storeys.tiles.refused.placed"),
        cities.OCCUPIED: (rules.place, "storeys.tiles.refused.occupied"),
        cities.NOT_BESIDE: (rules.place, "storeys.tiles.refused.beside"),
        cities.SLOT_EMPTY: (rules.draw, "storeys.tiles.refused.slot"),
        cities.PILE_EMPTY: (rules.draw, "storeys.tiles.refused.pile"),
        cities.MUST_DRAW: (rules.draw, "storeys.tiles.refused.must-draw"),
    }[reason]
    return rule, Message(message_id)
