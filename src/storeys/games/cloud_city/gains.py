"""What each legal move of Cloud City brings at once."""

from collections.abc import Hashable, Sequence

from storeys.kernel.components import ComponentSet
from storeys.kernel.gaining import gains_by_pushing
from storeys.kernel.moves import part
from storeys.kernel.record import Records
from storeys.kernel.tiles.moves import KIND, PLACE_MOVE, TILE


def gains(states: Records, components: ComponentSet, codes: Sequence[int]) -> list[int]:
    """C-34 … C-38: a tile brings what its two buildings count for requests, wherever it lies."""
    return gains_by_pushing(states, components.tables, codes, _alike)


def _alike(code: int) -> Hashable:
    return (PLACE_MOVE, part(code, TILE)) if part(code, KIND) == PLACE_MOVE else code
