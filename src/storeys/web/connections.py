"""Connections: how many there may be, and how long one may take to ask for something.

Uvicorn closes connections on which nothing comes, but waits for ever for the rest of what has
begun: the head of a request, or the end of a body that nobody reads any more.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from storeys.web.limits import Limits
from storeys.web.rates import household_of, is_loopback

OWN_FILES = 200
"""How many open files a server needs for other things than connections."""


class Door:
    """Who is connected; proxies that are trusted may bring any number of people."""

    def __init__(self, limits: Limits, files: int | None = None) -> None:
        most = limits.connections
        self.most = most if files is None else max(1, min(most, files - OWN_FILES))
        self.most_per_address = limits.connections_per_address
        self.seconds = limits.head_seconds
        self.spares_own_machine = not limits.limit_own_machine
        self.inside: Counter[str] = Counter()
        self.closing: list[Callable[[], None]] = []
        """Told when the server is about to end, before it waits for what is being answered."""

    def lets_in(self, address: str, is_trusted: bool) -> bool:
        """Whether one more connection may be made from an address."""
        if self.inside.total() >= self.most:
            return False
        spared = is_trusted or (self.spares_own_machine and is_loopback(address))
        return spared or self.inside[household_of(address)] < self.most_per_address

    def entered(self, address: str) -> None:
        """There is one more connection."""
        self.inside[household_of(address)] += 1

    def left(self, address: str) -> None:
        """There is one less."""
        address = household_of(address)
        self.inside[address] -= 1
        if not self.inside[address]:
            del self.inside[address]


class WatchedProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]  # Uvicorn picks it at run time
    """Closes connections that are too many, or that do not finish what they have begun."""

    door: ClassVar[Door]
    came_from: str | None = None
    patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Let a connection in, or close it at once."""
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        trusted = getattr(self.app, "trusted_hosts", ())  # of uvicorn's proxy headers
        if not self.door.lets_in(address, bool(address) and address in trusted):
            transport.abort()
            return
        self.came_from = address
        self.door.entered(address)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Somebody has gone."""
        if self.came_from is not None:
            self.door.left(self.came_from)
            self.came_from = None
        self._stop_watching()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Something has come, perhaps not all."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """A request has been answered; what is left of it is still to come."""
        super().on_response_complete()
        self._watch()

    def shutdown(self) -> None:
        """The server ends, and its streams with it: they would never come to an end themselves."""
        for tell in self.door.closing:
            tell()
        super().shutdown()

    def _watch(self) -> None:
        """Wait for so long for whatever has begun, however many parts it comes in."""
        answering = self.cycle is not None and not self.cycle.response_complete
        # Uvicorn itself waits for the beginning of another request.
        if answering or self.timeout_keep_alive_task is not None:
            self._stop_watching()
        elif self.patience is None and not self.transport.is_closing():
            self.patience = self.loop.call_later(self.door.seconds, self.transport.abort)

    def _stop_watching(self) -> None:
        if self.patience is not None:
            self.patience.cancel()
            self.patience = None


def protocol_of(door: Door) -> type[asyncio.Protocol]:
    """Uvicorn's protocol, behind a door."""
    return type("WatchedProtocol", (WatchedProtocol,), {"door": door})
