"""The errors that users meet: each is one sentence, by id, in any language of the catalogue."""

from storeys.kernel.messages import DEFAULT_LANGUAGE, Message


class StoreysError(ValueError):
    """Something that was asked for cannot be done; ``str()`` says what, where and what to do."""

    def __init__(self, message: Message, rule: str | None = None) -> None:
        super().__init__(message, rule)
        self.message = message
        self.rule = rule

    def text(self, lang: str = DEFAULT_LANGUAGE) -> str:
        """The sentence, led by the rule id where a rule is the reason."""
        sentence = self.message.text(lang)
        return f"{self.rule}: {sentence}" if self.rule else sentence

    def __str__(self) -> str:
        return self.text()


class IllegalMove(StoreysError):  # noqa: N818 — the contract's name
    """A move that the rules do not allow now; ``rule`` is the id of the rule that forbids it."""


class NotAMove(IllegalMove):
    """A text or a dict that cannot be read as a move of this game."""


class UnknownGame(StoreysError):  # noqa: N818
    """No game of this name is installed."""


class BadOption(StoreysError):  # noqa: N818
    """An option that the game does not have, or a value it does not take."""


class BadComponents(StoreysError):  # noqa: N818
    """A component set that does not meet what the box prints."""


class BadPosition(StoreysError):  # noqa: N818
    """A position dict that cannot stand."""


class BadRecord(StoreysError):  # noqa: N818
    """A record that cannot be replayed."""


class NotInstalled(StoreysError):  # noqa: N818
    """Something that an extra brings is missing."""
