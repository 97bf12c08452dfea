"""Bots at the tables: they think in processes of their own, never where requests are answered.

A bot that crashes or takes too long is replaced for that move by a quick one, so that a match
always goes on.
"""

import multiprocessing
import os
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as TooSlow
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import structlog

from storeys.bots import bot
from storeys.kernel.errors import StoreysError
from storeys.web.tables import Tables

SECONDS_TO_THINK = 1.0
PATIENCE = 10.0
"""How long a bot may take in all before a quick one plays for it."""
QUICK = "random"
log = structlog.get_logger("storeys.web.bots")


def think(name: str, view: Mapping[str, Any], seed: int) -> list[str]:
    """What a bot plans for the rest of its turn; runs in a worker process."""
    return [str(move) for move in bot(name, seconds=SECONDS_TO_THINK, seed=seed).plan(view)]


def warm_up(games: list[str]) -> None:
    """Load the rules before the first match; runs in a worker process."""
    from storeys.warming import steps_to_warm

    for game in games:
        for _, step in steps_to_warm(game):
            step()


class Workers:
    """The processes that bots think in."""

    def __init__(self, tables: Tables, games: list[str], count: int | None = None) -> None:
        self._tables, self._games = tables, games
        self._count = count or max(1, (os.cpu_count() or 2) - 1)
        self._pool: ProcessPoolExecutor | None = None
        self._busy: set[str] = set()
        self._lock = threading.Lock()
        self._closed = False

    def start(self) -> None:
        """Start the processes and let them load the rules."""
        self._pool = self._new_pool()
        for _ in range(self._count):
            self._pool.submit(warm_up, self._games)

    def stop(self) -> None:
        """End the processes."""
        self._closed = True
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._count, multiprocessing.get_context("spawn"))

    def consider(self, table: str, seq: int) -> None:
        """If a bot is to move at a table, let it think; one thought a table at a time."""
        with self._lock:
            if self._closed or table in self._busy:
                return
            self._busy.add(table)
        threading.Thread(target=self._serve, args=(table,), daemon=True).start()

    def _serve(self, table: str) -> None:
        """Play bots' turns until a person is to move."""
        try:
            while not self._closed and self._play_one(table):
                pass
        finally:
            with self._lock:
                self._busy.discard(table)
        if not self._closed and self._asked(table) is not None:
            self.consider(table, 0)  # Something happened between the last look and now.

    def _asked(self, table: str) -> tuple[int, int, str, Mapping[str, Any]] | None:
        """Event number, seat, bot and view if a bot is to move."""
        try:
            found = self._tables.get(table)
        except StoreysError:
            return None
        with found.lock:
            seat = found.match.to_move
            if found.status != "playing" or seat is None or found.seats[seat].kind != "bot":
                return None
            return found.seq, seat, str(found.seats[seat].bot), found.match.view(seat)

    def _play_one(self, table: str) -> bool:
        asked = self._asked(table)
        if asked is None:
            return False
        seq, seat, name, view = asked
        moves = self._thought(name, view, seq) or think(QUICK, view, seq)
        try:
            self._tables.play(table, seq, seat, moves)
        except StoreysError as error:
            log.warning("bot move refused", table=table, why=str(error))
            self._tables.play(table, seq, seat, think(QUICK, view, seq))
        return True

    def _thought(self, name: str, view: Mapping[str, Any], seed: int) -> list[str] | None:
        """What a worker says in time, or None."""
        try:
            pool = self._pool or self._new_pool()
            future: Future[list[str]] = pool.submit(think, name, view, seed)
            return future.result(PATIENCE)
        except TooSlow:
            log.warning("bot too slow", bot=name)
            self._renew()
        except BrokenProcessPool:
            log.warning("bot process died", bot=name)
            self._renew()
        except Exception as error:
            log.warning("bot failed", bot=name, why=repr(error))
        return None

    def _renew(self) -> None:
        """Fresh processes in the place of those that hang or are gone."""
        with self._lock:
            old, self._pool = self._pool, self._new_pool()
        if old is not None:
            for process in list(getattr(old, "_processes", {}).values()):
                process.kill()
            old.shutdown(wait=False, cancel_futures=True)
