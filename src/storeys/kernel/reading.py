"""Checked reading of JSON and TOML: values that know where they stand, and say so when wrong."""

import itertools
import operator
import reprlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message

MANY = 14
SHORT = 60
"""How many signs of a value an error message quotes."""


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


def short(value: Any) -> str:
    """A value as an error message quotes it: never long, whatever it is.

    >>> from storeys.kernel.reading import short
    >>> short("no\\nmove"), len(short("x" * 1_000_000)), short([1, 2.5, None])
    ('“no\\\\nmove”', 58, '[1, 2.5, None]')
    """
    text = f"“{clipped(value)}”" if isinstance(value, str) else _REPR.repr(value)
    return text if len(text) <= SHORT else text[: SHORT - 3] + "…"


def clipped(text: str, most: int = SHORT) -> str:
    """A text as it may stand in a sentence: of at most so many signs, all of which can be seen."""
    text = text if len(text) <= most else text[: most - 1] + "…"
    return text if text.isprintable() else "".join(map(_seen, text))[:most]


def _seen(sign: str) -> str:
    return sign if sign.isprintable() else sign.encode("unicode_escape").decode()


class _Repr(reprlib.Repr):
    """What ``repr`` says, without reading on where nobody will."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 8
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = SHORT
        self.maxdeque = self.maxarray = SHORT
        self.maxstring = self.maxlong = self.maxother = 4 * SHORT

    def repr_int(self, x: int, level: int) -> str:
        """A number; Python puts none of thousands of digits into words."""
        return repr(x) if x.bit_length() < 8 * SHORT else f"{hex(x)[:SHORT]}…"

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        """A table, in its own order."""
        if level <= 0:
            return "{…}"
        first = itertools.islice(x.items(), self.maxdict)
        entries = [f"{self.repr1(k, level - 1)}: {self.repr1(v, level - 1)}" for k, v in first]
        return "{" + ", ".join(entries) + "}"


_REPR = _Repr()


def listing(choices: Sequence[Any]) -> str:
    """Choices as an error message lists them, many of them cut short."""
    texts = ["null" if c is None else str(c) for c in choices]
    return ", ".join(texts if len(texts) <= MANY else [*texts[:3], f"… {texts[-1]}"])
