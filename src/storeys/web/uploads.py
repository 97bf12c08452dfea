"""Uploaded records: how large they may be, before anything is read from them."""

from typing import Any

from storeys.kernel.errors import BadRecord
from storeys.kernel.messages import Message
from storeys.web.limits import Limits

MOST_SIGNS = 1000
"""How long a text in a record may be: a seed of thousands of bits fits, and any move."""


def check_record(record: dict[str, Any], limits: Limits) -> None:
    """Refuse a record with too many moves, too many entries or texts that are too long."""
    moves = record.get("moves")
    if isinstance(moves, list) and len(moves) > limits.record_moves:
        raise BadRecord(
            Message("storeys.web.record-moves", n=limits.record_moves, found=len(moves))
        )
    entries, left = 0, [record]
    while left:
        content: Any = left.pop()
        entries += 1
        if isinstance(content, str) and len(content) > MOST_SIGNS:
            raise BadRecord(Message("storeys.web.record-text", n=MOST_SIGNS, found=len(content)))
        if isinstance(content, dict):
            left += content.keys()
            left += content.values()
        elif isinstance(content, list):
            left += content
        if entries + len(left) > limits.record_entries:
            raise BadRecord(Message("storeys.web.record-entries", n=limits.record_entries))
