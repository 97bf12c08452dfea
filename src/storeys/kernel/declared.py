"""A game whose box, words and positions follow from the pieces, moves and zones that it declares.

Whatever a game knows better it replaces.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from storeys.kernel import zones as zone_rules
from storeys.kernel.components import ComponentSet, Pieces, read_pieces
from storeys.kernel.errors import StoreysError
from storeys.kernel.game import Game
from storeys.kernel.messages import Message, Or
from storeys.kernel.reading import Node
from storeys.kernel.record import Records, as_rows, fast_record
from storeys.kernel.setup import Setup


class DeclaredGame(Game):
    """A game that declares what it is made of: a subclass adds the facts of :class:`Game`."""

    box: ClassVar[Sequence[Pieces]] = ()
    """What the data file ``components.toml`` lists."""
    tables_dtype: ClassVar["np.dtype[Any]"]
    refusals: ClassVar[Mapping[int, tuple[str, str]]] = {}
    """Why ``encode`` says no: rule id and the end of a message's id, by the reason's number."""
    end_rule: ClassVar[str] = ""
    """The rule that says when a match is over."""
    own_zones: ClassVar[zone_rules.OwnZones] = {}
    """How zones of the game's own (:func:`storeys.kernel.zones.own`) are shown and read."""

    def read_components(
        self, document: Node, problems: list[StoreysError]
    ) -> tuple[dict[str, Any], Records]:
        """The pieces that the box prints."""
        return read_pieces(document, self.box, self.tables_dtype, problems)

    # --- words

    def called(self, key: str, value: Any) -> Or:
        """What people call a value of a field: a message ``game.key.value`` if there is one."""
        return Or(f"{self.name}.{key}.{value}", str(value))

    def said(self, code: int, components: ComponentSet) -> dict[str, Any]:
        """What a move says, for its label and for refusals: a word for each of its fields."""
        said: dict[str, Any] = {}
        for one, numbers in self.notation.kind_of(code).said(code):
            words = one.to_words(numbers, components)
            said["square" if len(one.keys) > 1 else one.keys[0]] = self.called(one.keys[0], words)
        return said

    def move_label(self, code: int, components: ComponentSet) -> Message:
        """The message ``game.move.kind``, with the fields of the move."""
        kind = self.notation.kind_of(code).name
        return Message(f"{self.name}.move.{kind}", **self.said(code, components))

    def refusal(
        self, state: Any, code: int, reason: int, components: ComponentSet
    ) -> tuple[str, Message]:
        """The message ``game.refused.…`` of the reason, with the fields of the move."""
        rule, ending, facts = self.explain(state, code, reason)
        said = self.said(code, components) | facts
        return rule, Message(f"{self.name}.refused.{ending}", **said)

    def explain(self, state: Any, code: int, reason: int) -> tuple[str, str, dict[str, Any]]:
        """Rule id and end of the message's id, and what that says of the state: here nothing."""
        return *self.refusals[reason], {}

    # --- positions

    def to_position(self, states: Records, components: ComponentSet) -> dict[str, Any]:
        """What all zones show."""
        return zone_rules.to_position(self.zones, as_rows(states)[0], self.own_zones)

    def part_to_know(self, states: Records, components: ComponentSet) -> dict[str, Any]:
        """The hands: of all zones they alone are hidden from some and not from others."""
        hands = [zone for zone in self.zones if isinstance(zone, zone_rules.Hands)]
        return zone_rules.to_position(hands, as_rows(states)[0], self.own_zones)

    def from_position(self, position: Node, setup: Setup, states: Records) -> None:
        """Read phase, round, turn and all zones; what follows from them must be as it says."""
        state = fast_record(states)
        zone_rules.read_progress(position, state, self.phases, self.end_rule)
        reading = zone_rules.Reading(position, state, setup)
        zone_rules.read_zones(self.zones, reading, self.own_zones)
        self.check_position(position, state, reading.tables)

    def check_position(self, position: Node, state: Any, tables: Any) -> None:
        """Refuse a position that no match can come to, and fill in what follows from the zones.

        Errors are made by ``position["key"].fail(message_id, rule, …)``.
        """
