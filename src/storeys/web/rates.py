"""How much each may ask for: people by their cookie and, more generously, addresses.

Whoever makes cookies up to be given new buckets is still held by the address.
"""

import ipaddress
import math
import time
from collections import Counter
from collections.abc import Callable
from functools import lru_cache

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from storeys.kernel.messages import Message
from storeys.web.buckets import Buckets, Rate
from storeys.web.limits import Limits
from storeys.web.refusing import refusal

FREE = ("/static/", "/pictures/", "/faces/", "/icons/", "/healthz", "/metrics")
"""What costs next to nothing, or looks after the server."""
SETTING_UP = ("/api/tables", "/api/replays")
STREAM = "/api/stream"
FORWARDED = (b"x-forwarded-for", b"x-forwarded-proto", b"forwarded", b"via", b"x-real-ip")
"""What a proxy adds to a request: one of these did not come from this machine itself."""
STREAM_PAUSE = 5
"""After how many seconds a stream that was one too many may be tried again."""
SUBNET = 64
"""How much of an IPv6 address is a household's: all that follows it can choose itself."""


class Allowance:
    """What each may still ask for, by the limits of a server; open streams are counted too."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        rates = {
            "reads": Rate(limits.reads, limits.reads_per_minute),
            "posts": Rate(limits.posts, limits.posts_per_minute),
            "tables": Rate(limits.tables, limits.tables_per_minute),
        }
        factor = limits.people_per_address
        self.people = {kind: Buckets(rate, clock) for kind, rate in rates.items()}
        self.addresses = {kind: Buckets(rate.times(factor), clock) for kind, rate in rates.items()}
        self.streams: Counter[tuple[str, str]] = Counter()

    def is_limited(self, scope: Scope) -> bool:
        """Whether anything is counted of a request."""
        if scope["path"].startswith(FREE):
            return False
        return bool(self.limits.limit_own_machine) or not is_own_machine(scope)

    def wait_for(self, scope: Scope, person: str | None) -> float:
        """Let a request count; if it is one too many, in how many seconds it is no more."""
        if not self.is_limited(scope):
            return 0.0
        kind = kind_of(scope)
        wait = self.addresses[kind].take(address_of(scope))
        if person and not wait:
            wait = self.people[kind].take(person)
        return wait


class Rates:
    """Refuses what is too much, and says when to try again."""

    def __init__(self, app: ASGIApp, allowance: Allowance) -> None:
        self.app, self.allowance = app, allowance

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, unless it is one too many."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        person = scope["state"].get("person")
        wait = self.allowance.wait_for(scope, person)
        if wait:
            seconds = math.ceil(wait)
            await self._refuse(scope, receive, send, "storeys.web.too-many", seconds)
        elif scope["path"] == STREAM and self.allowance.is_limited(scope):
            await self._stream(scope, receive, send, person, address_of(scope))
        else:
            await self.app(scope, receive, send)

    async def _stream(
        self, scope: Scope, receive: Receive, send: Send, person: str | None, address: str
    ) -> None:
        streams = self.allowance.streams
        most = self.allowance.limits.streams
        opened = {("address", address): most * self.allowance.limits.people_per_address}
        if person:
            opened["person", person] = most
        if any(streams[who] >= allowed for who, allowed in opened.items()):
            await self._refuse(scope, receive, send, "storeys.web.too-many-streams", STREAM_PAUSE)
            return
        streams.update(opened.keys())
        try:
            await self.app(scope, receive, send)
        finally:
            for who in opened:
                streams[who] -= 1
                if not streams[who]:
                    del streams[who]

    @staticmethod
    async def _refuse(
        scope: Scope, receive: Receive, send: Send, message_id: str, seconds: int
    ) -> None:
        answer = refusal(Request(scope), Message(message_id, n=seconds), 429)
        answer.headers["Retry-After"] = str(seconds)
        if scope["method"] == "GET" and not scope["path"].startswith("/api/"):
            answer.headers["Refresh"] = str(seconds)  # A page does so by itself.
        await answer(scope, receive, send)


def kind_of(scope: Scope) -> str:
    """What is asked for: to read, to post, or to set up a table, which is kept for long."""
    if scope["method"] in ("GET", "HEAD", "OPTIONS"):
        return "reads"
    return "tables" if scope["path"] in SETTING_UP else "posts"


def address_of(scope: Scope) -> str:
    """From where a request comes, as uvicorn tells: from a proxy's word if it trusts that proxy."""
    client = scope.get("client")
    return household_of(client[0]) if client else ""


@lru_cache(10_000)
def household_of(address: str) -> str:
    """What an address stands for: itself, or for IPv6 all that its owner can choose."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, SUBNET), strict=False))


def is_own_machine(scope: Scope) -> bool:
    """Whether a program on this machine asks, and no proxy on it for somebody elsewhere."""
    client = scope.get("client")
    if client is None or not is_loopback(client[0]):
        return False
    return not any(name in FORWARDED for name, _ in scope["headers"])


@lru_cache(10_000)
def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback
