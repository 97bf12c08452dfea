"""What other server processes have written, as PostgreSQL tells it, and whom they have seen.

PostgreSQL tells of an event exactly when it is committed, and only of which table and number.  What
was missed while the connection was lost is asked for when it is there again.
"""

import threading
from contextlib import closing
from typing import Any

import structlog

from storeys.web.live import Live
from storeys.web.presence import Presence
from storeys.web.reactions import CHANNEL as REACTIONS_CHANNEL
from storeys.web.reactions import Reactions
from storeys.web.store import EVENTS_CHANNEL, Store
from storeys.web.tables import Tables

PRESENCE_CHANNEL = "storeys_presence"
CALLED = "storeys news"
"""By what PostgreSQL lists the connections on which servers listen."""
AT_ONCE = 200
"""How many browsers are spoken of at once: PostgreSQL carries 8,000 bytes."""
TICK = 0.25
"""After how many seconds of silence it is looked whether something is to be said."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 10.0
"""Seconds between two attempts to listen again."""
log = structlog.get_logger("storeys.web.news")


class News:
    """Listens to the other processes, where there may be any."""

    def __init__(
        self,
        store: Store,
        tables: Tables,
        live: Live,
        presence: Presence,
        reactions: Reactions | None = None,
    ) -> None:
        self._store, self._tables = store, tables
        self._reactions = reactions or Reactions(store, live)
        self._live, self._presence = live, presence
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="news")

    def start(self) -> None:
        """Listen from now on; comes back at once."""
        if self._store.is_shared:
            self._presence.share()
            self._thread.start()

    def stop(self) -> None:
        """Listen no more."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(10 * TICK)

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._closed.is_set():
            try:
                with closing(self._store.listener()) as connection:
                    self._begin(connection)
                    pause = FIRST_PAUSE
                    while not self._closed.is_set():
                        for notice in connection.notifies(timeout=TICK):
                            self._hear(notice.channel, notice.payload)
                        self._say(connection)
            except Exception as error:  # Whatever it was, listening begins anew.
                log.warning("news are lost", error=str(error))
            self._presence.lost()
            self._closed.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _begin(self, connection: Any) -> None:
        """Listen first, then ask for what was missed: nothing falls between the two."""
        connection.execute(f"SET application_name = '{CALLED}'")
        for channel in (EVENTS_CHANNEL, PRESENCE_CHANNEL, REACTIONS_CHANNEL):
            connection.execute(f"LISTEN {channel}")
        self._tables.hear_all(self._live.watched())
        self._presence.found()

    def _hear(self, channel: str, words: str) -> None:
        try:
            if channel == EVENTS_CHANNEL:
                table, _, seq = words.partition(" ")
                self._tables.hear(table, int(seq))
            elif channel == REACTIONS_CHANNEL:
                self._reactions.hear(words)
            else:
                said = (word.split(":") for word in words.split())
                self._presence.hear((mark, float(age)) for mark, age in said)
        except Exception as error:  # One listener must not make all others deaf.
            log.warning("news are lost", error=repr(error))

    def _say(self, connection: Any) -> None:
        """Tell the other processes who is here, or later where that cannot be done now.

        PostgreSQL lets one transaction after the other notify, each until it is on the disk: under
        load one may wait for too long, and still hears all that others say.
        """
        said = [f"{mark}:{age:.1f}" for mark, age in self._presence.to_say().items()]
        try:
            for start in range(0, len(said), AT_ONCE):
                words = " ".join(said[start : start + AT_ONCE])
                connection.execute("SELECT pg_notify(%s, %s)", (PRESENCE_CHANNEL, words))
        except Exception as error:
            if connection.closed:
                raise
            self._presence.not_said()
            log.info("presence is said later", error=str(error))
