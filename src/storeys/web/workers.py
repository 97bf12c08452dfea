"""Bots at the tables: they think in processes of their own, never where requests are answered.

A bot that dies or takes too long is replaced for that turn by a quick one; one that fails, or says
what cannot be done, is replaced for good, and the people at the table are told.  So a match always
goes on.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import TimeoutError as TooSlow
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from storeys.bots import bot_names
from storeys.bots.registry import OURS
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.web.compiling import is_compiled
from storeys.web.handlers import play_for_bot, substitute_bot
from storeys.web.processes import Closed, Processes
from storeys.web.store import Late
from storeys.web.tables import Tables
from storeys.web.thinking import SECONDS_TO_THINK, ThinkingFailed, think

PACE = 0.6
"""Seconds between the moves of bots, so that people can follow them."""
QUICK = "random"
log = structlog.get_logger("storeys.web.bots")


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
        # A turn that waits for a process is not slow: the clock starts when it has one.
        self.processes = Processes(count or max(1, (os.cpu_count() or 2) - 1))
        self._busy: set[str] = set()
        self._unwieldy: set[str] = set()
        """Games whose compiled code took too long to load: their bots are interpreted."""
        self.failing: set[str] = set()
        """Bots of other packages that failed when they were tried."""
        self.complain: Callable[[Message], None] = lambda why: None
        """Told why a bot of another package fails."""
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._seconds = Histogram(
            "storeys_bot_seconds", "How long bots think over a turn", ["bot"], registry=registry
        )
        self._replaced = Counter(
            "storeys_bots_replaced", "Turns played by a quick bot, by the reason", ["bot", "why"],
            registry=registry,
        )  # fmt: skip
        running = Gauge("storeys_bot_processes", "Processes that bots think in", registry=registry)
        running.set_function(lambda: len(self.processes.running))

    def start(self) -> None:
        """Try the bots of other packages, if there are any; ours are asked when they are needed."""
        foreign = [name for name in bot_names() if name not in OURS]
        if foreign:
            threading.Thread(target=self._try, args=(foreign,), daemon=True).start()

    def stop(self) -> None:
        """End the processes."""
        self._closed.set()
        self.processes.stop()

    def _try(self, names: list[str]) -> None:
        """Let bots make a move in every game; who fails is not offered to anybody."""
        for name in names:
            for game in self._games:
                try:
                    with self.processes.borrow(is_compiled(game)) as process:
                        why = process.try_bot(name, game)
                except Closed:
                    return
                except Exception as error:
                    why = Message("storeys.bot-failed", bot=name, why=repr(error))
                if why is not None:
                    self.failing.add(name)
                    self.complain(why)
                    break

    def resume(self) -> None:
        """Go on where bots were to move when the server stopped."""
        threading.Thread(target=self._look_at_all, daemon=True).start()

    def _look_at_all(self) -> None:
        waiting, unknown = self._tables.store.tables_of_bots()
        for table in waiting:
            self.consider(table, 0)
        for table in unknown:
            try:
                match = self._tables.get(table).match
                self._tables.store.note_turn(table, match.to_move)
            except Exception as error:  # One table must not keep the others waiting.
                log.warning("table left out", table=table, error=repr(error))
                continue
            self.consider(table, 0)

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
        except Exception as error:  # One table must not touch the others.
            log.warning("table left out", table=table, error=repr(error))
            return
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
        game = turn.view["game"]
        compiled = game not in self._unwieldy and is_compiled(game)
        try:
            with self.processes.borrow(compiled) as process:
                start = time.perf_counter()
                moves = process.think(turn.bot, turn.view, turn.seq, self._seconds_each())
        except Closed:
            return None
        except TooSlow as error:
            self._note(turn, "slow", error)
            if compiled and turn.bot in OURS:
                self._unwieldy.add(game)
            return None
        except BrokenProcessPool as error:
            self._note(turn, "died", error)
            return None
        except Exception as error:
            self._note(turn, "failed", error)
            raise ThinkingFailed(repr(error)) from None
        self._seconds.labels(turn.bot).observe(time.perf_counter() - start)
        return moves

    def _seconds_each(self) -> float:
        """How long a bot may think: where many wait, as after a restart, they share the time."""
        in_line = 1 + self.processes.waiting / self.processes.most
        return SECONDS_TO_THINK / in_line

    def _note(self, turn: Turn, why: str, error: Exception) -> None:
        log.warning("bot replaced", table=turn.table, bot=turn.bot, why=why, error=repr(error))
        self._replaced.labels(turn.bot, why).inc()
