"""Who plays in the arena: ``name``, ``name:option=value``, and so on with further options.

A name is that of an installed bot, or one that stands for a bot elsewhere: ``http`` asks a
program over HTTP, ``openspiel`` lets a search of OpenSpiel play through our adapter.
"""

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from storeys.arena.http_bot import HttpBot
from storeys.bots import Bot, bot, bot_names
from storeys.bots.registry import check_options, failed
from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import short

ELSEWHERE = ("http", "openspiel")
LIMITS = ("seconds", "simulations")
"""How long a search may think: what the command gives to every bot that knows it."""
NEXT_OPTION = re.compile(r":(?=[a-z_]+=)")
"""A colon begins an option; others may stand in a value, as in an address."""


@dataclass(frozen=True)
class Entrant:
    """A bot as it was asked for.

    >>> from storeys.arena import read_entrant
    >>> entrant = read_entrant("builder:seconds=0.5")
    >>> entrant.label, entrant.name, entrant.options
    ('builder:seconds=0.5', 'builder', {'seconds': 0.5})
    """

    label: str
    name: str
    options: dict[str, Any]

    def limited(self, limits: Mapping[str, Any]) -> "Entrant":
        """The same with limits, as far as the bot knows them and sets none of its own.

        >>> from storeys.arena import read_entrant
        >>> read_entrant("builder").limited({"seconds": 0.3}).options
        {}
        >>> read_entrant("http:url=http://127.0.0.1:9").limited({"seconds": 0.3}).options
        {'url': 'http://127.0.0.1:9', 'seconds': 0.3}
        """
        if any(limit in self.options for limit in LIMITS):
            return self
        known = _own_options(_class_of(self.name))
        taken = {name: value for name, value in limits.items() if name in known}
        return Entrant(self.label, self.name, self.options | taken)

    def make(self, seed: int) -> Bot:
        """The bot itself; ``BotFailed`` if it is there but cannot be made.

        >>> from storeys.arena import read_entrant
        >>> read_entrant("novice").make(seed=1).name
        'novice'
        """
        kind = _class_of(self.name)
        check_options(self.name, kind, self.options)
        try:
            made = kind(seed=seed, **self.options)
        except StoreysError:
            raise
        except (Exception, SystemExit) as error:
            raise failed(self.label, error) from error
        made.name = self.label
        return made


def read_entrant(text: str) -> Entrant:
    """An entrant as it is written; a bot that is not there is refused by :meth:`Entrant.make`.

    >>> from storeys.arena import read_entrant
    >>> read_entrant("http:url=http://127.0.0.1:8001/move:name=mine").options
    {'url': 'http://127.0.0.1:8001/move', 'name': 'mine'}
    """
    name, *given = NEXT_OPTION.split(str(text))
    options: dict[str, Any] = {}
    for each in given:
        key, _, value = each.partition("=")
        options[key] = _value(value)
    if not name or ":" in name:
        raise BadOption(Message("storeys.arena.entrant", found=short(text)))
    return Entrant(text, name, options)


def read_entrants(texts: Sequence[str], limits: Mapping[str, Any]) -> list[Entrant]:
    """All of them, each made once to see that it can be; the same text is the same entrant."""
    entrants = [read_entrant(text).limited(limits) for text in texts]
    for entrant in entrants:
        entrant.make(seed=0)
    return entrants


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _class_of(name: str) -> type[Bot]:
    if name == "http":
        return HttpBot
    if name == "openspiel":
        from storeys.envs.openspiel_bot import OpenSpielBot

        return OpenSpielBot
    if name not in bot_names():
        known = ", ".join([*bot_names(), *ELSEWHERE])
        raise BadOption(Message("storeys.unknown-bot", found=short(name), known=known))
    return type(bot(name))


def _own_options(kind: type[Bot]) -> list[str]:
    """The options that a class takes itself; those that all bots have do not count."""
    return [] if kind.__init__ is Bot.__init__ else _options(kind)


def _options(kind: type[Bot]) -> list[str]:
    named = inspect.signature(kind).parameters.values()
    return [
        each.name for each in named if each.kind is not each.VAR_KEYWORD and each.name != "seed"
    ]
