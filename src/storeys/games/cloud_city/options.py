"""Cloud City's options that are more than a choice: the request cards."""

from collections.abc import Mapping
from typing import Any

from storeys.games.cloud_city.state import COMPARING, MOST_REQUESTS, REQUESTS
from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message
from storeys.kernel.options import Draw, Several
from storeys.kernel.reading import as_whole, listing, short

LONGEST_ROUTE = "cloud-city.picture.request.valuable-route.walkways"
OTHERWISE = {("edition", "de"): {"valuable-route": LONGEST_ROUTE}}
"""C-30: the German edition counts walkways, so its card is not about the route worth most."""


def request_title(name: str, options: Mapping[str, Any]) -> Message:
    """What a request card is called in the edition of a match."""
    return Message(Requests.several.message_id(name, options))


class Requests:
    """C-23: none, one or two request cards by name, or how many to draw at random."""

    name = "requests"
    default: tuple[str, ...] = ()
    values: tuple[Any, ...] = ([], *([name] for name in REQUESTS), ["circuits", "balanced"], 1, 2)
    several = Several(REQUESTS, MOST_REQUESTS, (1, 2), "cloud-city.picture.request", OTHERWISE)
    form = "none | NAME | NAME,NAME | 0 | 1 | 2"

    def draw(self, value: Any, players: int) -> Draw | None:
        """So many of the cards."""
        number = as_whole(value)
        return Draw(self._allowed(players), number) if number else None

    def settle(self, value: Any, players: int, seed: int) -> list[str]:
        """The names of the cards."""
        number, cards = as_whole(value), [value] if isinstance(value, str) else value
        if number is not None and not 0 <= number <= MOST_REQUESTS:
            raise _refused("how-many", "C-23", found=number)
        if drawn := self.draw(value, players):
            return drawn.from_seed(seed)
        names = [] if number == 0 else cards
        several = isinstance(names, list | tuple) and len(names) <= MOST_REQUESTS
        if not several or len(set(map(str, names))) < len(names):
            raise _refused("how-many", "C-23", found=short(value))
        for name in names:
            if name not in REQUESTS:
                raise _refused("unknown", "C-4", found=short(name), known=listing(REQUESTS))
        return list(names)

    @classmethod
    def check_alone(cls, players: int, options: Mapping[str, Any]) -> None:
        """C-R2: alone, none that compares players; its edition says what it is called (C-30)."""
        for name in options[cls.name]:
            if name not in cls._allowed(players):
                raise _refused("alone", "C-R2", name=request_title(name, options))

    @staticmethod
    def _allowed(players: int) -> list[str]:
        return [name for nth, name in enumerate(REQUESTS) if players > 1 or nth not in COMPARING]


def _refused(why: str, rule: str, **facts: Any) -> BadOption:
    return BadOption(Message(f"cloud-city.option.{why}", **facts), rule)
