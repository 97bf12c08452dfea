"""What is in Manhattan's box: cards and blocks, checked against what the box prints."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from storeys.games.manhattan.state import BLOCKS_OF_A_COLOUR, CARDS, CELLS, SIZES, TABLES
from storeys.kernel.components import read_counts
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import Node, noted
from storeys.kernel.record import Records


def read_components(document: Node, problems: list[StoreysError]) -> tuple[dict[str, Any], Records]:
    """M-2, M-3: 45 cards over 9 cells, 24 blocks a colour over 4 sizes."""
    problems += document.strays("game", "cards", "blocks")
    kinds, sizes = range(1, CELLS + 1), range(1, SIZES + 1)
    cards: dict[int, int] = {}
    blocks: dict[int, int] = {}
    with noted(problems):
        cards = read_counts(document["cards"], "M-2", ("cell", kinds, "copies", CARDS), problems)
    with noted(problems):
        blocks = read_counts(
            document["blocks"], "M-3", ("storeys", sizes, "count", BLOCKS_OF_A_COLOUR), problems
        )
    if problems:
        raise problems[0]
    tables = np.zeros(1, TABLES)
    tables[0].copies[:] = list(cards.values())
    tables[0].blocks[:] = list(blocks.values())
    content = {
        "game": "manhattan",
        "cards": [{"cell": cell, "copies": copies} for cell, copies in cards.items()],
        "blocks": [{"storeys": size, "count": count} for size, count in blocks.items()],
    }
    return content, tables


def components_text(content: Mapping[str, Any], lang: str) -> str:
    """A small grid of how many cards mark each cell, and the blocks as they stand."""
    copies = [card["copies"] for card in content["cards"]]
    rows = ["  ".join(f"{n:>2}" for n in copies[row : row + 3]) for row in (0, 3, 6)]
    blocks = [f"{block['count']:>3} × {'▆' * block['storeys']}" for block in content["blocks"]]
    return "\n".join(
        [
            Message("manhattan.components.cards", n=sum(copies)).text(lang),
            *rows,
            "",
            Message("manhattan.components.blocks").text(lang),
            *blocks,
        ]
    )
