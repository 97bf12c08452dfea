"""Telling browsers: a stream of server-sent events for each, over all the tables it watches."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from storeys.web.presence import Presence

HEARTBEAT = 15.0
MOST_WAITING = 200


@dataclass(eq=False)
class Watcher:
    """One browser's stream."""

    tables: frozenset[str]
    news: "deque[str]" = field(default_factory=deque)
    """What it is still to be told, as it is sent."""
    is_open: bool = True
    waits: "asyncio.Future[None] | None" = None

    def wake(self) -> None:
        """There is something to be said, or nothing any more."""
        if self.waits is not None and not self.waits.done():
            self.waits.set_result(None)

    async def wait(self, seconds: float) -> None:
        """Until it is woken, or for so long; a future and a timer take less than a task."""
        loop = asyncio.get_running_loop()
        self.waits = loop.create_future()
        timer = loop.call_later(seconds, self.wake)
        try:
            await self.waits
        finally:
            timer.cancel()
            self.waits = None


class Live:
    """Who watches which table.  Browsers are only told that something is new, and then ask."""

    def __init__(self, presence: Presence | None = None) -> None:
        self._presence = presence or Presence()
        self._watchers: set[Watcher] = set()
        self._by_table: dict[str, set[Watcher]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Remember the loop that streams run on; events come from other threads."""
        self._loop = asyncio.get_running_loop()

    @property
    def watching(self) -> int:
        """How many streams are open."""
        return len(self._watchers)

    def watched(self) -> frozenset[str]:
        """The tables that anybody watches; may be called from any thread."""
        return frozenset().union(*(watcher.tables for watcher in list(self._watchers)))

    def tell(self, table: str, seq: int) -> None:
        """Let everyone who watches a table know; may be called from any thread."""
        self._later(self._spread, table, seq)

    def tell_reaction(self, table: str, seat: int, reaction: str) -> None:
        """Let everyone who watches a table know how somebody takes it; from any thread."""
        data = json.dumps({"table": table, "seat": seat, "reaction": reaction})
        self._later(self._pass_on, table, f"event: reaction\ndata: {data}\n\n")

    def _later(self, what: Callable[..., None], *about: Any) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(what, *about)

    def _spread(self, table: str, seq: int) -> None:
        data = json.dumps({"table": table, "seq": seq})
        self._pass_on(table, f"event: table\nid: {seq}\ndata: {data}\n\n")

    def _pass_on(self, table: str, words: str) -> None:
        for watcher in list(self._by_table.get(table, ())):
            if len(watcher.news) >= MOST_WAITING:  # It does not read; let it connect anew and ask.
                self._leave(watcher)
                continue
            watcher.news.append(words)
            watcher.wake()

    def stop(self) -> None:
        """End all streams."""
        for watcher in list(self._watchers):
            self._leave(watcher)

    def _enter(self, tables: Collection[str]) -> Watcher:
        watcher = Watcher(frozenset(tables))
        self._watchers.add(watcher)
        for table in watcher.tables:
            self._by_table.setdefault(table, set()).add(watcher)
        return watcher

    def _leave(self, watcher: Watcher) -> None:
        """End a stream, whatever it had still to say."""
        watcher.is_open = False
        self._watchers.discard(watcher)
        for table in watcher.tables:
            others = self._by_table.get(table, set())
            others.discard(watcher)
            if not others:
                self._by_table.pop(table, None)
        watcher.wake()

    async def stream(self, tables: frozenset[str], owner: str = "") -> AsyncGenerator[str, None]:
        """What is new, as server-sent events; a comment now and then keeps the line open."""
        watcher = self._enter(tables)
        self._presence.opened(tables, owner)
        try:
            yield ": hello\n\n"
            while watcher.is_open:
                if not watcher.news:
                    await watcher.wait(HEARTBEAT)
                    if watcher.is_open and not watcher.news:
                        yield ": still here\n\n"
                while watcher.news and watcher.is_open:
                    yield watcher.news.popleft()
        finally:
            self._leave(watcher)
            self._presence.closed(tables, owner)
