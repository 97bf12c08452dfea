"""Connections: how many there may be, and how long and how large a question may be.

Uvicorn closes connections on which nothing comes, but waits for ever for the rest of what has
begun: the head of a request, or the end of a body that nobody reads any more.  It keeps all of a
head that has no end.  It writes the head of an answer before its body is there; here both leave
together.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

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
        self.seconds, self.head_bytes = limits.head_seconds, limits.head_bytes
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


HEAD_BEGINS, HEAD_OF_NO_ANSWER = b"HTTP/1.1 ", b"HTTP/1.1 100"


class Whole:
    """A transport that keeps the head of an answer until its body comes: one packet, not two."""

    def __init__(self, transport: Any) -> None:
        self._transport, self._head = transport, b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write what there is, unless more is sure to follow."""
        if self._head:
            data, self._head = self._head + data, b""
        elif data.startswith(HEAD_BEGINS) and not data.startswith(HEAD_OF_NO_ANSWER):
            self._head = data
            return
        self._transport.write(data)

    def flush(self) -> None:
        """Write a head that no body has followed."""
        if self._head:
            self.write(b"")

    def close(self) -> None:
        """Close the connection once all has been written."""
        self.flush()
        self._transport.close()


class WatchedProtocol(HttpToolsProtocol):
    """Closes connections that are too many, or that do not finish what they have begun.

    What comes is of use when it ends a head, brings a part of a body, or ends a request.  All else
    belongs to something that has no end yet: a head, what follows a body, or how long a part is.
    """

    door: ClassVar[Door]
    transport: Any
    came_from: str | None = None
    patience: asyncio.TimerHandle | None = None
    unfinished = 0
    """How many bytes have come since any were of use."""
    of_use = False

    def connection_made(self, transport: Any) -> None:
        """Let a connection in, or close it at once."""
        whole: Any = Whole(transport)
        super().connection_made(whole)
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
        self.of_use = False
        super().data_received(data)
        # Where the rest begins after something of use is not known: it counts from the next part.
        self.unfinished = 0 if self.of_use else self.unfinished + len(data)
        if self.unfinished > self.door.head_bytes:
            self.transport.abort()
        self._watch()

    def on_headers_complete(self) -> None:
        """A head is there."""
        self.of_use = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of a body is there."""
        self.of_use = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """All of a request is there."""
        self.of_use = True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """A request has been answered; what is left of it is still to come."""
        self.transport.flush()
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
