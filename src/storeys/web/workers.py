"""Bots at the tables: they think in processes of their own, never where requests are answered.

A bot that dies or takes too long is replaced for that turn by a quick one; one that fails, or says
what cannot be done, is replaced for good, and the people at the table are told.  So a match always
goes on.
"""

import multiprocessing
import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as TooSlow
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import structlog
from prometheus_client import CollectorRegistry, Counter, Histogram

from storeys.bots import bot
from storeys.kernel.errors import StoreysError
from storeys.web.handlers import play_for_bot, substitute_bot
from storeys.web.store import Late
from storeys.web.tables import Tables

SECONDS_TO_THINK = 1.0
PATIENCE = 10.0
"""How long a bot may take in all before a quick one plays for it."""
PATIENCE_WITH_WARMING = 300.0
"""How long fresh processes may take to load the rules: on a new machine they are compiled."""
PACE = 0.6
"""Seconds between the moves of bots, so that people can follow them."""
QUICK = "random"
log = structlog.get_logger("storeys.web.bots")


class ThinkingFailed(RuntimeError):  # noqa: N818
    """What a bot raised, in words: those can be sent from one process to another."""


def think(name: str, view: Mapping[str, Any], seed: int) -> list[str]:
    """What a bot plans for the rest of its turn; runs in a worker process."""
    try:
        moves = [str(move) for move in bot(name, seconds=SECONDS_TO_THINK, seed=seed).plan(view)]
    except BaseException as error:  # A bot may even ask its process to exit.
        raise ThinkingFailed(repr(error)) from None
    if not moves:
        raise ThinkingFailed("it has no move")
    return moves


def prepare(warm: Callable[[list[str]], object], games: list[str]) -> None:
    """Make a worker process ready; it ends with its server, however that ends."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    warm(games)


def _end_with_parent() -> None:
    """Wait until the server is gone: its end of a pipe is closed then, even if it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def warm_up(games: list[str]) -> None:
    """Load the rules before the first match; runs in every worker process as it starts."""
    from storeys.warming import steps_to_warm

    for game in games:
        for _, step in steps_to_warm(game):
            with suppress(Exception, SystemExit):  # Who fails here is told of when asked to play.
                step()


def is_warm() -> bool:
    """A question that a worker process answers as soon as it is ready."""
    return True


class Process:
    """One worker process.  Each bot has one to itself while it thinks: who falls, falls alone."""

    task = staticmethod(think)

    def __init__(self, games: list[str]) -> None:
        self._inside = ProcessPoolExecutor(
            1, multiprocessing.get_context("spawn"), prepare, (warm_up, games)
        )
        self._warm = self._inside.submit(is_warm)

    def think(self, name: str, view: Mapping[str, Any], seed: int) -> list[str]:
        """What a bot says; ``TooSlow`` or ``BrokenProcessPool`` if it does not."""
        self._warm.result(PATIENCE_WITH_WARMING)
        thought: Future[list[str]] = self._inside.submit(self.task, name, view, seed)
        return thought.result(PATIENCE)

    def stop(self) -> None:
        """End it, whatever it does."""
        for process in list((getattr(self._inside, "_processes", None) or {}).values()):
            process.kill()
        self._inside.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True)
class Turn:
    """What a bot is asked: it is to move at a table."""

    table: str
    seq: int
    seat: int
    bot: str
    view: Mapping[str, Any]


class Workers:
    """The bots of a server: whoever is to move at a table, its move is fetched and played."""

    def __init__(
        self,
        tables: Tables,
        games: list[str],
        count: int | None = None,
        pace: float = PACE,
        registry: CollectorRegistry | None = None,
    ) -> None:
        self._tables, self._games, self._pace = tables, games, pace
        self._count = count or max(1, (os.cpu_count() or 2) - 1)
        self._processes: list[Process] = []
        # A turn that waits for a process is not slow: the clock starts when it has one.
        self._free: queue.SimpleQueue[Process] = queue.SimpleQueue()
        self._busy: set[str] = set()
        self.failing: set[str] = set()
        """Bots of other packages that failed when they were tried at the start."""
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._seconds = Histogram(
            "storeys_bot_seconds", "How long bots think over a turn", ["bot"], registry=registry
        )
        self._replaced = Counter(
            "storeys_bots_replaced", "Turns played by a quick bot, by the reason", ["bot", "why"],
            registry=registry,
        )  # fmt: skip

    def start(self) -> None:
        """Start the processes and let them load the rules."""
        for _ in range(self._count):
            self._add_process()

    def stop(self) -> None:
        """End the processes."""
        with self._lock:
            self._closed.set()
        for process in list(self._processes):
            process.stop()

    def _add_process(self) -> None:
        with self._lock:
            if not self._closed.is_set():
                self._processes.append(Process(self._games))
                self._free.put(self._processes[-1])

    def _replace(self, broken: Process) -> None:
        """A fresh process in the place of one that hangs or is gone."""
        broken.stop()
        self._processes.remove(broken)
        self._add_process()

    def resume(self, tables: Iterable[str]) -> None:
        """Go on where bots were to move when the server stopped; one table after the other."""

        def look_at_all() -> None:
            for table in tables:
                try:
                    waits = self._turn_at(table) is not None
                except Exception as error:  # One table must not keep the others waiting.
                    log.warning("table left out", table=table, error=repr(error))
                    continue
                if waits:
                    self.consider(table, 0)

        threading.Thread(target=look_at_all, daemon=True).start()

    def consider(self, table: str, seq: int) -> None:
        """If a bot is to move at a table, let it think; one thought a table at a time."""
        with self._lock:
            if self._closed.is_set() or table in self._busy:
                return
            self._busy.add(table)
        threading.Thread(target=self._serve, args=(table,), daemon=True).start()

    def _serve(self, table: str) -> None:
        """Play bots' turns until a person is to move."""
        try:
            while not self._closed.is_set() and (turn := self._turn_at(table)) is not None:
                with suppress(Late):  # Another process has written: look again.
                    self._play(turn)
        finally:
            with self._lock:
                self._busy.discard(table)
        if not self._closed.is_set() and self._turn_at(table) is not None:
            self.consider(table, 0)  # Something happened between the last look and now.

    def _turn_at(self, table: str) -> Turn | None:
        """What a bot is to be asked at a table, if one is to move."""
        try:
            found = self._tables.get(table)
        except StoreysError as error:
            log.info("no table for bots", table=table, error=str(error))
            return None
        with found.lock:
            seat = found.match.to_move
            if found.status != "playing" or seat is None or found.seats[seat].kind != "bot":
                return None
            name = str(found.seats[seat].bot)
            return Turn(table, found.seq, seat, name, found.match.view(seat))

    def _play(self, turn: Turn) -> None:
        """Let a bot think, then make its moves at a pace that people can follow."""
        try:
            moves = self._thought(turn)
        except ThinkingFailed:
            if substitute_bot(self._tables, turn.table, turn.seq, turn.seat):
                return  # Who sits there now is asked next.
            moves = None
        moves = moves or think(QUICK, turn.view, turn.seq)
        for seq, move in enumerate(moves, start=turn.seq):
            if self._closed.wait(self._pace) or not self._made(turn, seq, move):
                return

    def _made(self, turn: Turn, seq: int, move: str) -> bool:
        """Make a bot's move; whether its plan still holds then."""
        try:
            return play_for_bot(self._tables, turn.table, seq, turn.seat, move)
        except StoreysError as error:
            self._note(turn, "refused", error)
        if not substitute_bot(self._tables, turn.table, seq, turn.seat) and seq == turn.seq:
            play_for_bot(self._tables, turn.table, seq, turn.seat, think(QUICK, turn.view, seq)[0])
        return False

    def _thought(self, turn: Turn) -> list[str] | None:
        """What a worker says in time, or None; ``ThinkingFailed`` if the bot itself is at fault."""
        if turn.bot in self.failing:
            raise ThinkingFailed(turn.bot)
        if not self._processes:
            return None
        process, start = self._free.get(), time.perf_counter()
        try:
            moves = process.think(turn.bot, turn.view, turn.seq)
        except (TooSlow, BrokenProcessPool) as error:
            self._note(turn, "slow" if isinstance(error, TooSlow) else "died", error)
            self._replace(process)
            return None
        except Exception as error:
            self._note(turn, "failed", error)
            self._free.put(process)
            raise ThinkingFailed(repr(error)) from None
        self._seconds.labels(turn.bot).observe(time.perf_counter() - start)
        self._free.put(process)
        return moves

    def _note(self, turn: Turn, why: str, error: Exception) -> None:
        log.warning("bot replaced", table=turn.table, bot=turn.bot, why=why, error=repr(error))
        self._replaced.labels(turn.bot, why).inc()
