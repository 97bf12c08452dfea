"""How much a server takes from whom: every limit, its default, and its setting."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message
from storeys.kernel.reading import short

SETTING = "STOREYS_"
"""With what the names of settings begin."""


@dataclass(frozen=True)
class Limits:
    """The limits of a server; ``STOREYS_POSTS=100`` in the environment sets ``posts``.

    Those who ask are people by their cookie, and addresses, from which many people may ask at once:
    an address is allowed ``people_per_address`` times as much as a person.  Each may do a number of
    things at once, and so many more every minute.

    >>> from storeys.web.limits import Limits
    >>> Limits.from_settings({"STOREYS_POSTS": "100"}).posts
    100
    """

    request_kilobytes: int = 2000
    request_seconds: int = 60
    head_seconds: int = 20
    head_kilobytes: int = 64
    connections: int = 10_000
    connections_per_address: int = 500
    streams: int = 20
    reads: int = 1000
    reads_per_minute: int = 3000
    posts: int = 600
    posts_per_minute: int = 3000
    tables: int = 60
    tables_per_minute: int = 20
    people_per_address: int = 8
    limit_own_machine: int = 0
    record_moves: int = 5000
    record_entries: int = 20_000
    keep_uploads_days: int = 30
    keep_unfinished_days: int = 180
    keep_finished_days: int = 0

    @property
    def request_bytes(self) -> int:
        """How large a request may be: a record with a set of its own has tens of thousands."""
        return 1000 * self.request_kilobytes

    @property
    def head_bytes(self) -> int:
        """How much of a head may come without its end."""
        return 1000 * self.head_kilobytes

    @classmethod
    def from_settings(cls, settings: Mapping[str, str] = os.environ) -> "Limits":
        """The limits that settings ask for; ``BadOption`` says which is no number."""
        chosen: dict[str, Any] = {}
        for one in fields(cls):
            name = f"{SETTING}{one.name.upper()}"
            if settings.get(name):
                chosen[one.name] = _number(name, settings[name])
        return cls(**chosen)


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise BadOption(Message("storeys.web.bad-setting", name=name, found=short(text)))
    return int(text)
