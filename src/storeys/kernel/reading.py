"""Checked reading of JSON and TOML: values that know where they stand, and say so when wrong."""

import operator
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.quoting import short

MANY = 14
__all__ = ["Node", "as_whole", "listing", "noted", "short"]


class Node:
    """A value somewhere in a document, e.g. the one at ``position.towers[2][4]``."""

    __slots__ = ("error", "value", "where")

    def __init__(self, value: Any, where: str, error: type[StoreysError]) -> None:
        self.value, self.where, self.error = value, where, error

    def fail(self, message_id: str, rule: str | None = None, **params: Any) -> StoreysError:
        """The error to raise for something wrong here."""
        params.setdefault("where", self.where)
        return self.error(Message(message_id, **params), rule)

    def __getitem__(self, key: str) -> "Node":
        """The entry of an object; an error if this is none or lacks it."""
        if key not in self.mapping():
            raise self.fail("storeys.missing", key=key)
        return Node(self.value[key], f"{self.where}.{key}", self.error)

    def get(self, key: str) -> "Node | None":
        """The entry of an object, or None if it lacks it."""
        return self[key] if key in self.mapping() else None

    def mapping(self) -> dict[str, Any]:
        """The value, which must be a JSON object."""
        if not isinstance(self.value, dict):
            raise self.fail("storeys.not-a-table", found=short(self.value))
        return self.value

    def only(self, *keys: str) -> "Node":
        """This object, which must have no other keys."""
        for error in self.strays(*keys):
            raise error
        return self

    def strays(self, *keys: str) -> list[StoreysError]:
        """What is wrong with this object if it has other keys: an error for each of them."""
        known = ", ".join(keys)
        return [
            self.fail("storeys.unknown-key", key=short(key), known=known)
            for key in self.mapping()
            if key not in keys
        ]

    def items(self, length: int | None = None) -> Iterator["Node"]:
        """The entries of a list, of a given length."""
        if not isinstance(self.value, list | tuple):
            raise self.fail("storeys.not-a-list", found=short(self.value))
        if length is not None and len(self.value) != length:
            raise self.fail("storeys.wrong-length", n=length, found=len(self.value))
        for i, value in enumerate(self.value):
            yield Node(value, f"{self.where}[{i}]", self.error)

    def whole(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``."""
        number = as_whole(self.value)
        if number is None or not low <= number <= high:
            raise self.fail("storeys.not-whole", low=low, high=high, found=short(self.value))
        return number

    def wholes(self, length: int, low: int, high: int) -> list[int]:
        """A list of whole numbers."""
        return [entry.whole(low, high) for entry in self.items(length)]

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.fail("storeys.not-a-flag", found=short(self.value))
        return self.value

    def text(self) -> str:
        """A text."""
        if not isinstance(self.value, str):
            raise self.fail("storeys.not-a-text", found=short(self.value))
        return self.value

    def one_of(self, choices: Sequence[Any]) -> Any:
        """One of the given values."""
        # True == 1 in Python, but not in JSON; texts have no such doubles.
        known = isinstance(self.value, str) and self.value in choices
        if not known and not any(self.value == c and type(self.value) is type(c) for c in choices):
            raise self.fail("storeys.not-one-of", choices=listing(choices), found=short(self.value))
        return self.value


@contextmanager
def noted(problems: list[StoreysError]) -> Iterator[None]:
    """Add an error that is raised inside to the problems, and go on after it."""
    try:
        yield
    except StoreysError as error:
        problems.append(error)


def as_whole(value: Any) -> int | None:
    """A whole number of any kind, NumPy's too, as Python's own; None for anything else."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def listing(choices: Sequence[Any]) -> str:
    """Choices as an error message lists them, many of them cut short."""
    texts = ["null" if c is None else str(c) for c in choices]
    return ", ".join(texts if len(texts) <= MANY else [*texts[:3], f"… {texts[-1]}"])
