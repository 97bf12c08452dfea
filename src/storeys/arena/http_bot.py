"""A bot behind an address: it is asked for a move over HTTP.

The request is a POST of JSON: ``game``, ``seat``, ``view``, ``seed`` as text, and ``seconds`` and
``simulations`` if they are set.  The answer is JSON too: ``{"move": …}`` for one move, or
``{"moves": […]}`` for the rest of the turn, each in notation or as a dict.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from storeys.bots import Bot
from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import short
from storeys.match import Match, Move

PATIENCE = 60.0
"""Seconds that an answer may take."""
MOST_BYTES = 100_000
"""No answer is longer."""


class HttpBot(Bot):
    """Asks a program at an address.

    >>> from storeys.arena.http_bot import HttpBot
    >>> HttpBot(url="http://127.0.0.1:8001/move", seconds=0.3).timeout
    60.0
    """

    def __init__(
        self,
        seconds: float | None = None,
        seed: int | str | None = None,
        simulations: int | None = None,
        url: str = "",
        timeout: float = PATIENCE,
        name: str = "",
    ) -> None:
        super().__init__(seconds, seed)
        parts = urlsplit(str(url))
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise BadOption(Message("storeys.arena.http-address", found=short(url)))
        if not (isinstance(timeout, int | float) and timeout > 0):
            raise BadOption(Message("storeys.bad-seconds", found=short(timeout)))
        self.url, self.timeout, self.simulations = url, timeout, simulations

    def plan(self, view: Mapping[str, Any]) -> list[Move]:
        """What the program says, one move or those of the rest of the turn, each found legal."""
        world = self.open_view(view)
        seat, drawn, moves = world.to_move, world.chance_used(), []
        for said in self._ask(view):
            if world.to_move != seat or world.chance_used() != drawn:
                break  # What was hidden is shown: the program is asked again.
            moves.append(world.move_of(world.action_of(said)))
            world.push(moves[-1])
        return moves

    def choose(self, view: Mapping[str, Any]) -> Move:
        """The first move of it."""
        return self.plan(view)[0]

    def choose_in(self, world: Match) -> Move:
        """A move in a world of ones own, which is shown to the program as a view."""
        return self.choose(world.view(world.to_move))

    def _ask(self, view: Mapping[str, Any]) -> list[Any]:
        question = {
            "game": view["game"],
            "seat": view["to_move"],
            "view": view,
            "seed": str(self.seed),
            "seconds": self.seconds,
            "simulations": self.simulations,
        }
        said = self._post(json.dumps(question).encode())
        moves = said.get("moves", [said.get("move")]) if isinstance(said, dict) else None
        if not isinstance(moves, list) or not moves or None in moves:
            raise StoreysError(
                Message("storeys.arena.http-answer", url=self.url, found=short(said))
            )
        return moves

    def _post(self, content: bytes) -> Any:
        request = Request(self.url, content, {"Content-Type": "application/json"})
        try:
            with urlopen(request, timeout=self.timeout) as answer:
                return json.loads(answer.read(MOST_BYTES))
        except HTTPError as error:
            why = f"{error.code} {error.reason}"
        except (OSError, ValueError) as error:
            why = str(getattr(error, "reason", error)) or type(error).__name__
        raise StoreysError(Message("storeys.arena.http-failed", url=self.url, why=why))
