"""Answers put together from pieces of JSON, each written and compressed once however often sent.

A gzip stream is a row of blocks.  A piece that is compressed alone and ends on a whole byte can
stand in any such row, so an answer is compressed by joining what its pieces were compressed to.
"""

import json
import struct
import zlib
from collections.abc import Iterable
from typing import Any

EFFORT = 2
"""How hard pieces are compressed: 6 takes half as long again, for a tenth less to send."""
LEAST_BYTES = 200
"""Shorter pieces are not compressed: it would take longer than to send them."""
HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
LAST_BLOCK = b"\x03\x00"
STORED = struct.Struct("<BHH")


class Piece:
    """A part of an answer, as it is and compressed.

    >>> from storeys.web.pieces import Piece
    >>> Piece(b'{"seq": 1}').plain
    b'{"seq": 1}'
    """

    __slots__ = ("_packed", "plain", "weight")

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        self._packed: bytes | None = None
        self.weight = 200 + len(plain) + len(plain) // 3
        """About how many bytes it takes in memory, once it is compressed too."""

    @property
    def packed(self) -> bytes:
        """The piece as blocks of a gzip stream; two threads may both make it, to the same end."""
        if self._packed is None:
            self._packed = _packed(self.plain)
        return self._packed


def _packed(plain: bytes) -> bytes:
    if len(plain) < LEAST_BYTES:
        return STORED.pack(0, len(plain), len(plain) ^ 0xFFFF) + plain
    packer = zlib.compressobj(EFFORT, wbits=-zlib.MAX_WBITS)
    return packer.compress(plain) + packer.flush(zlib.Z_SYNC_FLUSH)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def as_json(content: Any) -> bytes:
    """Any content as JSON, in as few bytes as possible."""
    return _ENCODER.encode(content).encode()


def members(content: dict[str, Any]) -> bytes:
    """The members of an object, without its braces."""
    return as_json(content)[1:-1]


def plain(pieces: Iterable[Piece]) -> bytes:
    """An answer as it is."""
    return b"".join([piece.plain for piece in pieces])


def gzipped(pieces: Iterable[Piece]) -> bytes:
    """An answer as a gzip file.

    >>> import gzip
    >>> from storeys.web.pieces import Piece, gzipped
    >>> pieces = [Piece(b"short, "), Piece(b"long" * 100)]
    >>> gzip.decompress(gzipped(pieces)) == b"short, " + b"long" * 100
    True
    """
    blocks, check, size = [HEAD], 0, 0
    for piece in pieces:
        blocks.append(piece.packed)
        check = zlib.crc32(piece.plain, check)
        size += len(piece.plain)
    return b"".join([*blocks, LAST_BLOCK, struct.pack("<II", check, size & 0xFFFFFFFF)])
