"""Where matches stand, kept beside their events: a table is read again without playing them all.

A checkpoint is written when a table is let go of from memory, and for those at hand when the server
ends; never where somebody waits.  It is only a shortcut: one of another version of the rules, or of
other moves than the events tell, is left aside, and the match is played again from its start.
"""

import threading
from collections.abc import Iterable

import structlog

from storeys.web.store import Checkpoint, Store
from storeys.web.table import Snapshot

LEAST_NEW = 5
"""So many moves, or events since the last one, are worth one: fewer are played as quickly."""
AT_ONCE = 50
"""How many are written in a transaction."""
PAUSE = 1.0
"""Seconds in which more may come before they are written."""
log = structlog.get_logger("storeys.web.checkpoints")


class Checkpoints:
    """What is to be kept of matches that nobody has in memory any more."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._due: dict[str, Snapshot] = {}
        self._lock, self._stopped = threading.Lock(), threading.Event()
        self._writing: threading.Thread | None = None

    def let_go(self, now: Snapshot) -> None:
        """A table leaves memory: keep where its match stands, beside everything else."""
        if not _is_worth_it(now):
            return
        with self._lock:
            self._due[now.id] = now
            if self._writing is None:
                self._writing = threading.Thread(
                    target=self._write_soon, name="checkpoints", daemon=True
                )
                self._writing.start()

    def stop(self, at_hand: Iterable[Snapshot]) -> None:
        """The server ends: keep where all matches stand that are in memory."""
        self._stopped.set()
        with self._lock:
            self._due |= {now.id: now for now in at_hand if _is_worth_it(now)}
        self.write()

    def write(self) -> None:
        """Write what is due; where the database takes nothing now, nothing is lost by that."""
        while due := self._take():
            try:
                self._store.keep_checkpoints(map(_checkpoint_of, due))
            except Exception as error:
                log.info("checkpoints are not kept", error=repr(error))
                return

    def _take(self) -> list[Snapshot]:
        with self._lock:
            return [self._due.popitem()[1] for _ in range(min(AT_ONCE, len(self._due)))]

    def _write_soon(self) -> None:
        self._stopped.wait(PAUSE)
        with self._lock:
            self._writing = None
        self.write()


def _is_worth_it(now: Snapshot) -> bool:
    new = now.match.moves_made if now.kept is None else now.seq - now.kept
    return now.status != "over" and new >= LEAST_NEW


def _checkpoint_of(now: Snapshot) -> Checkpoint:
    return Checkpoint(now.id, now.seq, now.match.checkpoint())
