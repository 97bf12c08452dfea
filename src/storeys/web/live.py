"""Telling browsers: a stream of server-sent events for each, over all the tables it watches."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field

from storeys.web.presence import Presence

HEARTBEAT = 15.0
MOST_WAITING = 200


@dataclass(eq=False)
class Watcher:
    """One browser's stream."""

    tables: frozenset[str]
    news: "asyncio.Queue[tuple[str, int] | None]" = field(
        default_factory=lambda: asyncio.Queue(MOST_WAITING)
    )


class Live:
    """Who watches which table.  Browsers are only told that something is new, and then ask."""

    def __init__(self, presence: Presence | None = None) -> None:
        self._presence = presence or Presence()
        self._watchers: set[Watcher] = set()
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
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._spread, table, seq)

    def _spread(self, table: str, seq: int) -> None:
        for watcher in list(self._watchers):
            if table in watcher.tables:
                try:
                    watcher.news.put_nowait((table, seq))
                except asyncio.QueueFull:  # It does not read; let it connect anew and ask.
                    self._watchers.discard(watcher)

    def stop(self) -> None:
        """End all streams."""
        for watcher in list(self._watchers):
            with suppress(asyncio.QueueFull):  # It has more to read, and ends at the next look.
                watcher.news.put_nowait(None)
            self._watchers.discard(watcher)

    async def stream(self, tables: frozenset[str], owner: str = "") -> AsyncIterator[str]:
        """What is new, as server-sent events; a comment now and then keeps the line open."""
        watcher = Watcher(tables)
        self._watchers.add(watcher)
        self._presence.opened(tables, owner)
        try:
            yield ": hello\n\n"
            while watcher in self._watchers:
                try:
                    news = await asyncio.wait_for(watcher.news.get(), HEARTBEAT)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                if news is None:
                    return
                table, seq = news
                data = json.dumps({"table": table, "seq": seq})
                yield f"event: table\nid: {seq}\ndata: {data}\n\n"
        finally:
            self._watchers.discard(watcher)
            self._presence.closed(tables, owner)
