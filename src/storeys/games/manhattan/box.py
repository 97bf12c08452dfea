"""What is in Manhattan's box: cards and blocks, checked against what the box prints."""

from collections.abc import Mapping
from typing import Any

from storeys.games.manhattan.state import BLOCKS_OF_A_COLOUR, CARDS, CELLS, SIZES, TABLES
from storeys.kernel.components import Pieces, read_pieces
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import Node
from storeys.kernel.record import Records

BOX = (
    Pieces("cards", "cell", range(1, CELLS + 1), "copies", CARDS, "M-2", "copies"),
    Pieces("blocks", "storeys", range(1, SIZES + 1), "count", BLOCKS_OF_A_COLOUR, "M-3", "blocks"),
)


def read_components(document: Node, problems: list[StoreysError]) -> tuple[dict[str, Any], Records]:
    """M-2, M-3: 45 cards over 9 cells, 24 blocks a colour over 4 sizes."""
    return read_pieces(document, BOX, TABLES, problems)


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
