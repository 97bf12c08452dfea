"""Quoting: whatever somebody has sent, as it may stand in a sentence."""

import itertools
import reprlib
from typing import Any

from storeys.kernel.messages import DEFAULT_LANGUAGE, Message

SHORT = 60
"""How many signs of a value an error message quotes."""


class Quoted(str):
    """A text between quotation marks, which are those of the language of its sentence.

    >>> from storeys.kernel.quoting import Quoted
    >>> Quoted("“fly”").text("de")
    '„fly“'
    """

    __slots__ = ()

    def text(self, lang: str = DEFAULT_LANGUAGE) -> str:
        """As it stands in a sentence of a language."""
        return Message("storeys.quoted", text=self[1:-1]).text(lang)


def short(value: Any) -> str:
    """A value as an error message quotes it: never long, whatever it is.

    >>> from storeys.kernel.quoting import short
    >>> short("no\\nmove"), len(short("x" * 1_000_000)), short([1, 2.5, None])
    ('“no\\\\nmove”', 60, '[1, 2.5, None]')
    """
    if isinstance(value, str):
        return Quoted(f"“{clipped(value, SHORT - 2)}”")
    text = _REPR.repr(value)
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
