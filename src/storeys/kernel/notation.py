"""Reading notation word by word, with errors that point at the wrong word."""

import unicodedata
from collections.abc import Sequence

from storeys.kernel.errors import NotAMove
from storeys.kernel.messages import Message
from storeys.kernel.reading import listing, short


class Words:
    """The words of a move a person typed; capitals and accents do not matter.

    Names in ``joined`` like hong-kong are one word, also where they were typed as two.
    """

    def __init__(self, text: str, joined: Sequence[str] = ()) -> None:
        self.text = text
        spaced = " ".join(text.split())
        for name in joined:
            spaced = plain(spaced).replace(name.replace("-", " "), name)
        self._words = spaced.split()
        self._at = 0

    def one_of(self, choices: Sequence[str], known_as: str | None = None) -> int:
        """The index of the next word among the choices; errors call them ``known_as``."""
        expected = known_as or listing(choices)
        word = plain(self._next(expected))
        if word not in choices:
            raise self._wrong(expected)
        return choices.index(word)

    def skip(self, word: str) -> bool:
        """Pass over a word if it comes next; says whether it did."""
        if self.more() and plain(self._words[self._at]) == word:
            self._at += 1
            return True
        return False

    def whole(self, low: int, high: int) -> int:
        """The next word as a whole number."""
        expected = f"{low}–{high}"
        word = self._next(expected)
        number = typed_number(word)
        if number is None or not low <= number <= high:
            raise self._wrong(expected)
        return number

    def more(self) -> bool:
        """Whether any words are left."""
        return self._at < len(self._words)

    def end(self) -> None:
        """No word may be left."""
        if self.more():
            self._at += 1
            raise NotAMove(
                Message(
                    "storeys.extra-word",
                    word=self._words[self._at - 1],
                    number=self._at,
                    text=short(self.text),
                )
            )

    def _next(self, expected: str) -> str:
        if not self.more():
            raise NotAMove(
                Message("storeys.missing-word", text=short(self.text), expected=expected)
            )
        self._at += 1
        return self._words[self._at - 1]

    def _wrong(self, expected: str) -> NotAMove:
        return NotAMove(
            Message(
                "storeys.wrong-word",
                word=self._words[self._at - 1],
                number=self._at,
                text=short(self.text),
                expected=expected,
            )
        )


def typed_number(word: str) -> int | None:
    """A small whole number as a person types it, or None."""
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else None


def plain(word: str) -> str:
    """A word in small letters without accents."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))
