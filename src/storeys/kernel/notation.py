"""Reading notation word by word, with errors that point at the wrong word."""

import unicodedata
from collections.abc import Sequence

from storeys.kernel.errors import NotAMove
from storeys.kernel.messages import Message
from storeys.kernel.reading import listing, short


class Words:
    """The words of a move a person typed; capitals and accents do not matter."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._words = text.split()
        self._at = 0

    def one_of(self, choices: Sequence[str]) -> int:
        """The index of the next word among the choices."""
        word = plain(self._next(listing(choices)))
        if word not in choices:
            raise self._wrong(listing(choices))
        return choices.index(word)

    def whole(self, low: int, high: int) -> int:
        """The next word as a whole number."""
        expected = f"{low}–{high}"
        word = self._next(expected)
        if not (word.isascii() and word.isdigit() and low <= int(word) <= high):
            raise self._wrong(expected)
        return int(word)

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


def plain(word: str) -> str:
    """A word in small letters without accents."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))
