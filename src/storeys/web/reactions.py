"""Quick reactions instead of a chat: a few drawn ones, told to who looks on, and kept nowhere.

They are no events: nothing about a match changes by them, so they are in no record, nobody hears of
them later, and one that is lost is no loss.
"""

import math
import threading

from sqlalchemy import func, select

from storeys.kernel.messages import Message
from storeys.web.buckets import Buckets, Rate
from storeys.web.errors import Refused, not_yours
from storeys.web.live import Live
from storeys.web.models import Reaction
from storeys.web.store import Store
from storeys.web.table import Snapshot

CHANNEL = "storeys_reactions"
"""Where PostgreSQL tells all server processes of reactions."""
RATE = Rate(at_once=5, per_minute=15)
"""How often somebody may react at a table."""


class Reactions:
    """Passes reactions on to everybody at a table, in whichever process they listen."""

    def __init__(self, store: Store, live: Live) -> None:
        self._store, self._live = store, live
        self._left = Buckets(RATE)
        self._lock = threading.Lock()

    def react(self, now: Snapshot, owner: str, seat: int, reaction: Reaction) -> None:
        """Let everybody know how somebody takes it; not too often."""
        if seat not in now.seats_of(owner):
            raise not_yours(seat)
        with self._lock:
            wait = math.ceil(self._left.take(f"{now.id} {owner}"))
        if wait:
            headers = {"Retry-After": str(wait)}
            raise Refused(429, Message("storeys.web.too-many", n=wait), headers)
        if not self._store.is_shared:
            self._live.tell_reaction(now.id, seat, reaction)
            return
        said = func.pg_notify(CHANNEL, f"{now.id} {seat} {reaction}")  # to this process too
        with self._store.writing() as connection:
            connection.execute(select(said))

    def hear(self, words: str) -> None:
        """Somebody has reacted, with this or another process."""
        table, seat, reaction = words.split(" ")
        self._live.tell_reaction(table, int(seat), reaction)
