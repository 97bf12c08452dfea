"""Manhattan's component set: cards and blocks, checked against what the box prints."""

from typing import Any

import numpy as np

from storeys.games.manhattan.state import BLOCKS_OF_A_COLOUR, CARDS, CELLS, SIZES, TABLES
from storeys.kernel.reading import Place
from storeys.kernel.record import Records


def read_components(document: Place) -> tuple[dict[str, Any], Records]:
    """M-2, M-3: 45 cards over 9 cells, 24 blocks a colour over 4 sizes."""
    document.only("cards", "blocks")
    tables = np.zeros(1, TABLES)
    copies = _read_counts(document["cards"], "M-2", "cell", "copies", CELLS, CARDS)
    counts = _read_counts(document["blocks"], "M-3", "storeys", "count", SIZES, BLOCKS_OF_A_COLOUR)
    tables[0].copies[:] = copies
    tables[0].blocks[:] = counts
    content = {
        "cards": [{"cell": i + 1, "copies": n} for i, n in enumerate(copies)],
        "blocks": [{"storeys": i + 1, "count": n} for i, n in enumerate(counts)],
    }
    return content, tables


def _read_counts(
    entries: Place, rule: str, key: str, amount: str, kinds: int, total: int
) -> list[int]:
    """One entry for each kind 1 … ``kinds``, whose amounts add up to ``total``."""
    found: dict[int, int] = {}
    for entry in entries.items():
        kind = entry.only(key, amount)[key].whole(1, kinds)
        if kind in found:
            raise entry.fail("storeys.components.twice", rule, key=key, id=kind)
        found[kind] = entry[amount].whole(0, total)
    for kind in range(1, kinds + 1):
        if kind not in found:
            raise entries.fail("storeys.components.missing", rule, key=key, id=kind)
    if sum(found.values()) != total:
        raise entries.fail("storeys.components.total", rule, total=total, found=sum(found.values()))
    return [found[kind] for kind in range(1, kinds + 1)]
