"""Component sets: the pieces of a box, read from a data file and checked before anything starts.

A set of ours lies beside its game's rules; a set of one's own is a TOML or JSON file passed by
path, or its content as a dict.  Its hash goes into every record, and so does a set of one's own.
"""

import functools
import hashlib
import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from storeys.kernel.errors import BadComponents, StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import Node, noted, short
from storeys.kernel.record import Records, field, record_dtype

Source = str | Path | Mapping[str, Any] | None
"""Where a set comes from: None for ours, a path, or the content itself."""
Reader = Callable[[Any, list[StoreysError]], Any]
"""Reads an entry of a box; what is wrong with it is raised, or added to the problems."""


@dataclass(frozen=True)
class ComponentSet:
    """A checked set: its content as plain JSON, and as the tables compiled rules read."""

    content: dict[str, Any]
    tables: Records
    ours: bool

    @cached_property
    def hash(self) -> str:
        """A hash of the content, the same however the file is laid out."""
        return content_hash(self.content)

    @cached_property
    def tile_ids(self) -> list[str]:
        """The ids of the tiles, in the order of their numbers in the tables."""
        return [tile["id"] for tile in self.content["tiles"]]

    @cached_property
    def tile_numbers(self) -> dict[str, int]:
        """The number of each tile id."""
        return {tile_id: number for number, tile_id in enumerate(self.tile_ids)}

    @property
    def to_carry(self) -> dict[str, Any] | None:
        """What a record or a position must carry to be read elsewhere: None for a set of ours."""
        return None if self.ours else self.content


def content_hash(content: Mapping[str, Any]) -> str:
    """The hash that records name a component set by."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def open_document(source: str | Path | Mapping[str, Any], game: str | None = None) -> Node:
    """The content of a data file, as a place that errors can name; it must be of this game."""
    document = _read_document(source)
    if game is not None:
        document["game"].one_of([game])
    return document


def _read_document(source: str | Path | Mapping[str, Any]) -> Node:
    if isinstance(source, Mapping):
        return Node(dict(source), "components", BadComponents)
    if not isinstance(source, str | Path):
        raise BadComponents(Message("storeys.components-source", found=short(source)))
    path = Path(source)
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from None
    return Node(content, path.name, BadComponents)


def _unreadable(path: Path, why: str) -> BadComponents:
    return BadComponents(Message("storeys.components-unreadable", path=str(path), why=why))


# --- what is in a box


def read_box(
    document: Node,
    readers: Mapping[str, Reader],
    problems: list[StoreysError],
    may_lack: Sequence[str] = (),
) -> dict[str, Any]:
    """The content of a box from readers of its entries; None is passed for one that it may lack."""
    problems += document.strays("game", *readers)
    content = {"game": document["game"].value}
    for name, read in readers.items():
        with noted(problems):  # One entry that cannot be read does not hide the others.
            entry = document.get(name) if name in may_lack else document[name]
            content[name] = read(entry, problems)
    if problems:
        raise problems[0]
    return content


def read_kinds(
    entries: Node,
    rule: str,
    shape: tuple[str, Sequence[Any], str],
    read: Callable[[Node], Any],
    problems: list[StoreysError],
) -> dict[Any, Any]:
    """What ``read`` finds in the entry of each kind, which must be there once.

    ``shape`` is the key and the values of the kinds, and the key of what is read.  None stands for
    what cannot be.
    """
    key, kinds, amount = shape
    found: dict[Any, Any] = {}
    for entry in entries.items():
        kind = value = None
        with noted(problems):
            problems += entry.strays(key, amount)
            with noted(problems):
                kind = entry[key].one_of(kinds)
                if kind in found:
                    raise entry.fail("storeys.components.twice", rule, key=key, id=kind)
            value = read(entry)
        found[kind] = value
    if None not in found:  # what cannot be read would be missing
        problems += [
            entries.fail("storeys.components.missing", rule, key=key, id=kind)
            for kind in kinds
            if kind not in found
        ]
    return found


def read_counts(
    entries: Node,
    rule: str,
    shape: tuple[str, Sequence[Any], str],
    total: int,
    problems: list[StoreysError],
) -> dict[Any, int]:
    """How many there are of each kind, all together the ``total`` that the box prints."""
    _, kinds, amount = shape
    read = read_kinds(entries, rule, shape, lambda entry: entry[amount].whole(0, total), problems)
    found = {kind: count for kind, count in read.items() if None not in (kind, count)}
    if len(found) < len(read):
        return found  # what cannot be read would be missing below
    count = sum(found.values())
    if count != total:
        problems.append(entries.fail("storeys.components.total", rule, total=total, found=count))
    return {kind: found.get(kind, 0) for kind in kinds}


@dataclass(frozen=True)
class Pieces:
    """Things of a box that are counted by kind, as a data file lists them.

    Entries under ``name`` look like ``{ cell = 1, copies = 5 }``: ``key`` tells the kinds apart,
    ``amount`` says how many there are, and all together they are the ``total`` that the box prints.
    The counts go to the field ``table`` of the tables.
    """

    name: str
    key: str
    kinds: Sequence[Any]
    amount: str
    total: int
    rule: str
    table: str


def tables_dtype(name: str, source: str, box: Sequence[Pieces]) -> np.dtype[Any]:
    """The dtype of a box that is nothing but pieces counted by kind."""
    fields = {pieces.table: field("i2", len(pieces.kinds)) for pieces in box}
    return record_dtype(f"{name}_tables", source, type("Tables", (), fields))


def read_pieces(
    document: Node, box: Sequence[Pieces], dtype: np.dtype[Any], problems: list[StoreysError]
) -> tuple[dict[str, Any], Records]:
    """The content of a box that is nothing but pieces, and its tables."""
    tables = np.zeros(1, dtype)

    def read(pieces: Pieces, entries: Node, problems: list[StoreysError]) -> list[dict[str, Any]]:
        shape = (pieces.key, pieces.kinds, pieces.amount)
        found = read_counts(entries, pieces.rule, shape, pieces.total, problems)
        tables[pieces.table][0] = [found.get(kind, 0) for kind in pieces.kinds]
        return [{pieces.key: kind, pieces.amount: count} for kind, count in found.items()]

    readers = {pieces.name: functools.partial(read, pieces) for pieces in box}
    return read_box(document, readers, problems), tables
