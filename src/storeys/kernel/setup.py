"""What is settled before a match begins."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from storeys.kernel.components import ComponentSet


@dataclass(frozen=True)
class Setup:
    """What is settled before the first card: players, options, component set, rules version."""

    players: int
    options: dict[str, Any]
    components: ComponentSet
    rules_version: int

    def to_json(self) -> dict[str, Any]:
        """The options as records and positions hold them; a set of one's own travels inside."""
        carried = self.components.to_carry
        own = self.options if carried is None else {**self.options, "components": carried}
        return deepcopy(own)
