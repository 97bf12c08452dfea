"""The errors that users meet: each is one sentence, by id, in any language of the catalogue."""

from typing import Any

from storeys.kernel.messages import DEFAULT_LANGUAGE, Message
from storeys.kernel.quoting import clipped, short

MOST_QUOTED = 200
"""How many signs of anything an error repeats, wherever it comes from."""
OWN_WORDS = "known"
"""The parameter in which a message lists what there is to choose from, however much that is."""


class StoreysError(ValueError):
    """Something that was asked for cannot be done; ``str()`` says what, where and what to do.

    >>> import storeys
    >>> try:
    ...     storeys.new("manhattan", players=7)
    ... except storeys.StoreysError as error:
    ...     print(error)
    manhattan cannot be played by 7; the number of players is one of 2, 3, 4
    """

    def __init__(self, message: Message, rule: str | None = None) -> None:
        for name, value in message.params.items():
            if name != OWN_WORDS:
                message.params[name] = _quotable(value)
        super().__init__(message, rule)
        self.message = message
        self.rule = rule

    def text(self, lang: str = DEFAULT_LANGUAGE) -> str:
        """The sentence, led by the rule id where a rule is the reason.

        >>> import storeys
        >>> try:
        ...     storeys.new("manhattan", seed=1).push("redraw")
        ... except storeys.IllegalMove as error:
        ...     error.text("nl")
        'M-8: kies eerst je bouwstenen voor deze ronde'
        """
        sentence = self.message.text(lang)
        return f"{self.rule}: {sentence}" if self.rule else sentence

    def __str__(self) -> str:
        return self.text()


def _quotable(value: Any) -> Any:
    """What may stand in the sentence of an error: somebody may have sent two million signs."""
    if isinstance(value, str):
        return clipped(value, MOST_QUOTED)
    return short(value) if isinstance(value, int) and value.bit_length() > MOST_QUOTED else value


class IllegalMove(StoreysError):  # noqa: N818 — the contract's name
    """A move that the rules do not allow now; ``rule`` is the id of the rule that forbids it.

    >>> import storeys
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> match.push("redraw")
    Traceback (most recent call last):
        ...
    storeys.kernel.errors.IllegalMove: M-8: pick your blocks for this round first
    """


class NotAMove(IllegalMove):
    """A text or a dict that cannot be read as a move of this game.

    >>> import storeys
    >>> try:
    ...     storeys.new("manhattan", seed=7).push("build purple")
    ... except storeys.NotAMove as error:
    ...     print(error)
    “purple” (word 2 of “build purple”) does not fit; expected red, blue, green, yellow
    """


class UnknownGame(StoreysError):  # noqa: N818
    """No game of this name is installed.

    >>> import storeys
    >>> try:
    ...     storeys.new("chess")
    ... except storeys.UnknownGame as error:
    ...     print(error)
    there is no game “chess”; known are cloud-city, manhattan, neoville
    """


class BadOption(StoreysError):  # noqa: N818
    """An option that the game does not have, or a value it does not take.

    >>> import storeys
    >>> try:
    ...     storeys.new("manhattan", tiebreak="coin")
    ... except storeys.BadOption as error:
    ...     print(error)
    the option tiebreak cannot be “coin”; choose one of shared, towers
    """


class BadComponents(StoreysError):  # noqa: N818
    """A component set that does not meet what the box prints.

    >>> import storeys
    >>> box = storeys.components("manhattan")
    >>> box["blocks"][0]["count"] = -1
    >>> try:
    ...     storeys.new("manhattan", components=box)
    ... except storeys.BadComponents as error:
    ...     print(error)
    components.blocks[0].count: expected a whole number from 0 to 24, found -1
    """


class BadPosition(StoreysError):  # noqa: N818
    """A position dict that cannot stand.

    >>> import storeys
    >>> position = storeys.new("manhattan", seed=7).position()
    >>> position["hands"][0].append(9)
    >>> storeys.from_position(position)
    Traceback (most recent call last):
        ...
    storeys.kernel.errors.BadPosition: position.hands[0]: expected a list of 4 entries, found 5
    """


class BadRecord(StoreysError):  # noqa: N818
    """A record that cannot be replayed.

    >>> import storeys
    >>> record = storeys.new("manhattan", seed=7).record()
    >>> try:
    ...     storeys.load(record | {"moves": ["redraw"], "length": 1})
    ... except storeys.BadRecord as error:
    ...     print(error)
    move 1 (“redraw”) cannot be replayed: M-8: pick your blocks for this round first
    """


class BadLesson(StoreysError):  # noqa: N818
    """First steps of a game that cannot be taken as its file says."""


class NotInstalled(StoreysError):  # noqa: N818
    """Something that an extra brings is missing."""
