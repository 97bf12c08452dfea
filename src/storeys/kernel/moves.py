"""Moves as a game declares them: kinds with fields, and from those their codes, dicts and notation.

A *code* is one integer that says what a move does, in terms that outlive the state it is made in:
its lowest bits are the number of its kind, those above it the numbers of its fields, in order.
Compiled rules read it with :func:`part` and make it with :func:`at`.
"""

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from storeys.kernel.compiling import jitable
from storeys.kernel.components import ComponentSet
from storeys.kernel.errors import NotAMove
from storeys.kernel.messages import Message
from storeys.kernel.quoting import clipped
from storeys.kernel.reading import Node, listing, short
from storeys.kernel.setup import Setup

Numbers = Sequence[int]
Part = tuple[int, int]
"""Where a number stands in a code: its lowest bit, and the largest number there is room for."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
DICTS_KEPT = 4096


# --- codes


def parts_after(kind: Part, *bits: int) -> tuple[Part, ...]:
    """Parts of so many bits each, one after the other, above the number of the kind."""
    found, shift = [], kind[0] + kind[1].bit_length()
    for width in bits:
        found.append((shift, (1 << width) - 1))
        shift += width
    return tuple(found)


@jitable
def part(code: int, where: Part) -> int:
    """The number that stands somewhere in a code."""
    return (code >> where[0]) & where[1]


@jitable
def at(number: int, where: Part) -> int:
    """A number where it stands in a code."""
    return number << where[0]


# --- words


class Words:
    """The words of a move a person typed; capitals and accents do not matter.

    Names in ``joined`` like hong-kong are one word, also where they were typed as two.
    """

    def __init__(self, text: str, joined: Sequence[str] = ()) -> None:
        self.text = text
        self._typed = text.split()
        self._plain = list(map(plain, self._typed))
        for name in joined:
            self._join(name.split("-"))
        self._at = 0

    def _join(self, words: list[str]) -> None:
        for at in range(len(self._plain)):
            if self._plain[at : at + len(words)] == words:
                self._plain[at : at + len(words)] = ["-".join(words)]
                self._typed[at : at + len(words)] = ["-".join(words)]

    def one_of(self, choices: Sequence[str], known_as: str | None = None) -> int:
        """The index of the next word among the choices; errors call them ``known_as``."""
        if self._at < len(self._plain) and self._plain[self._at] in choices:
            self._at += 1
            return choices.index(self._plain[self._at - 1])
        expected = known_as or listing(choices)
        if not self.more():
            raise NotAMove(
                Message("storeys.missing-word", text=short(self.text), expected=expected)
            )
        raise self._wrong("storeys.wrong-word", expected=expected)

    def skip(self, word: str) -> bool:
        """Pass over a word if it comes next; says whether it did."""
        found = self.more() and self._plain[self._at] == word
        self._at += found
        return found

    def more(self) -> bool:
        """Whether any words are left."""
        return self._at < len(self._plain)

    def end(self) -> None:
        """No word may be left."""
        if self._at < len(self._plain):
            raise self._wrong("storeys.extra-word")

    def _wrong(self, message_id: str, **params: Any) -> NotAMove:
        place = {
            "word": clipped(self._typed[self._at]),
            "number": self._at + 1,
            "text": short(self.text),
        }
        return NotAMove(Message(message_id, **place, **params))


def plain(word: str) -> str:
    """A word in small letters without accents."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))


# --- fields


class Field(ABC):
    """What a kind of move has to say: numbers of its code, entries of its dict, words."""

    keys: tuple[str, ...]
    """The entries of a move's dict that it fills."""
    width = 1
    """How many numbers of a code it takes."""

    @abstractmethod
    def from_json(self, move: Node, setup: Setup) -> Numbers:
        """The numbers that a dict says."""

    @abstractmethod
    def to_json(self, numbers: Numbers, components: ComponentSet) -> dict[str, Any]:
        """The entries of the dict."""

    @abstractmethod
    def from_words(self, words: Words, setup: Setup, known: Numbers) -> Numbers:
        """The numbers that the next words say; ``known`` are those of the fields before."""

    @abstractmethod
    def to_words(self, numbers: Numbers, components: ComponentSet) -> str:
        """The words, or nothing for what need not be said."""


class Choice(Field):
    """One of a few things, or of those of a component set: a name, in dicts perhaps a number.

    Its number in a code is the index of the name, counted from ``first``; errors call the names
    ``known_as``.
    """

    def __init__(
        self,
        key: str,
        names: Sequence[str] | Callable[[ComponentSet], Sequence[str]],
        numbers: range | None = None,
        first: int = 0,
        known_as: str | None = None,
    ) -> None:
        self.keys = (key,)
        self.names, self.numbers, self.first, self.known_as = names, numbers, first, known_as

    def _names_in(self, components: ComponentSet) -> Sequence[str]:
        return self.names(components) if callable(self.names) else self.names

    def from_json(self, move: Node, setup: Setup) -> Numbers:
        """The index of the name, or the number less the lowest one."""
        entry = move[self.keys[0]]
        if self.numbers is not None:
            return (entry.whole(self.numbers[0], self.numbers[-1]) - self.numbers[0],)
        names = self._names_in(setup.components)
        return (self.first + names.index(entry.one_of(names)),)

    def to_json(self, numbers: Numbers, components: ComponentSet) -> dict[str, Any]:
        """The name or the number."""
        found = self.numbers or self._names_in(components)
        return {self.keys[0]: found[numbers[0] - self.first]}

    def from_words(self, words: Words, setup: Setup, known: Numbers) -> Numbers:
        """The index of the next word."""
        return (self.first + words.one_of(self._names_in(setup.components), self.known_as),)

    def to_words(self, numbers: Numbers, components: ComponentSet) -> str:
        """The name."""
        return self._names_in(components)[numbers[0] - self.first]


class Cell(Field):
    """A square of a map by row and column, the first of which is ``low``; in words like b3.

    A ``step`` is how many squares of words lie between two of them; errors call the names
    ``known_as``.
    """

    keys = ("row", "col")
    width = 2

    def __init__(
        self, rows: int, cols: int, low: int = 0, step: int = 1, known_as: str | None = None
    ) -> None:
        self.rows, self.cols, self.low, self.known_as = rows, cols, low, known_as
        letters = LETTERS[: step * cols : step]
        self.names = [f"{letter}{step * row + 1}" for row in range(rows) for letter in letters]

    def from_json(self, move: Node, setup: Setup) -> Numbers:
        """Row and column."""
        low = self.low
        sides = zip(self.keys, (self.rows, self.cols), strict=True)
        return [move[key].whole(low, low + side - 1) - low for key, side in sides]

    def to_json(self, numbers: Numbers, components: ComponentSet) -> dict[str, Any]:
        """Row and column."""
        return {"row": numbers[0] + self.low, "col": numbers[1] + self.low}

    def from_words(self, words: Words, setup: Setup, known: Numbers) -> Numbers:
        """The square's name."""
        return divmod(words.one_of(self.names, self.known_as), self.cols)

    def to_words(self, numbers: Numbers, components: ComponentSet) -> str:
        """The square's name."""
        return self.names[numbers[0] * self.cols + numbers[1]]


# --- kinds of moves


class Kind:
    """A kind of move: its fields, and where their numbers stand in a code."""

    def __init__(self, name: str, parts: Sequence[Part] = (), *fields: Field) -> None:
        self.name, self.parts, self.fields = name, parts, fields
        self.keys = [key for field in fields for key in field.keys]
        assert len(parts) == sum(field.width for field in fields)
        left = iter(parts)
        self._places = [(field, [*islice(left, field.width)]) for field in fields]

    def from_json(self, move: Node, setup: Setup) -> int:
        """What all fields of a dict say, as a part of a code."""
        return self.code([n for field in self.fields for n in field.from_json(move, setup)])

    def code(self, numbers: Numbers) -> int:
        """The numbers of all fields, as a part of a code."""
        return sum(map(at, numbers, self.parts))

    def said(self, code: int) -> Iterator[tuple[Field, list[int]]]:
        """The fields with their numbers."""
        for field, places in self._places:
            yield field, [code >> shift & most for shift, most in places]


class Notation:
    """All kinds of moves of a game, in the order of their numbers, which stand at ``where``."""

    def __init__(self, where: Part, *kinds: Kind, joined: Sequence[str] = ()) -> None:
        self.where, self.kinds, self.joined = where, kinds, joined
        self.names = tuple(kind.name for kind in kinds)
        self._dicts: dict[tuple[int, str], Mapping[str, Any]] = {}

    def kind_of(self, code: int) -> Kind:
        """The kind of a move."""
        return self.kinds[part(code, self.where)]

    def read_text(self, text: str, setup: Setup) -> int:
        """The code of a notation; ``NotAMove`` points at the word that cannot be read."""
        words = Words(text, self.joined)
        kind = words.one_of(self.names)
        numbers: list[int] = []
        for field in self.kinds[kind].fields:
            numbers += field.from_words(words, setup, numbers)
        words.end()
        return kind | self.kinds[kind].code(numbers)

    def read_json(self, move: Node, setup: Setup, names: Sequence[str] = ()) -> int:
        """The code of a dict, of some kinds or of any."""
        kind = self.names.index(move["kind"].one_of(names or self.names))
        move.only("kind", *self.kinds[kind].keys)
        return kind | self.kinds[kind].from_json(move, setup)

    def text(self, code: int, components: ComponentSet) -> str:
        """The notation of a code."""
        kind = self.kind_of(code)
        said = [field.to_words(numbers, components) for field, numbers in kind.said(code)]
        return " ".join(filter(None, [kind.name, *said]))

    def kept_json(self, code: int, components: ComponentSet) -> Mapping[str, Any]:
        """The dict of a code for who only reads it: the same one again, since pages ask again."""
        key = code, components.hash
        found = self._dicts.get(key)
        if found is None:
            if len(self._dicts) >= DICTS_KEPT:
                self._dicts.clear()
            found = self._dicts[key] = self.json(code, components)
        return found

    def json(self, code: int, components: ComponentSet) -> dict[str, Any]:
        """The dict of a code."""
        kind = self.kind_of(code)
        move: dict[str, Any] = {"kind": kind.name}
        for field, numbers in kind.said(code):
            move |= field.to_json(numbers, components)
        return move
