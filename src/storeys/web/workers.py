"""Bots at the tables: they think in processes of their own, never where requests are answered.

A bot that dies or takes too long is replaced for that turn by a quick one; one that fails, or says
what cannot be done, is replaced for good, and the people at the table are told.  So a match always
goes on.

The work at a table goes round: a look whether a bot is to move, the wait for a process, thinking,
the moves, the next look.  Looks and moves are done by a few threads (``schedule.py``); as many
threads as there are processes wait for bots that think.  What fails is tried again, and every now
and then all tables are looked at, so that none is forgotten.
"""

import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooSlow
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from storeys.bots import bot_names
from storeys.bots.registry import OURS
from storeys.kernel.errors import IllegalMove
from storeys.kernel.messages import Message
from storeys.web.compiling import is_compiled
from storeys.web.errors import NoTable, Unreadable
from storeys.web.failures import MOST_ATTEMPTS, passes, pause_after
from storeys.web.handlers import play_for_bot, substitute_bot
from storeys.web.lessons import recorded_moves
from storeys.web.processes import Closed, Died, Process, Processes
from storeys.web.queueing import FairQueue, Waiting
from storeys.web.schedule import Schedule
from storeys.web.store import Late
from storeys.web.table import Snapshot
from storeys.web.tables import Tables
from storeys.web.thinking import SECONDS_TO_THINK, ThinkingFailed, think
from storeys.web.turns import HOLDS, Turns

PACE = 0.6
"""Seconds between the moves of bots, so that people can follow them."""
QUICK = "random"
LONGEST_WAIT, QUICK_ENOUGH = 5.0, 0.05
"""Seconds that a turn waits for a process before a quick bot plays it, unless its own bot thinks
no longer than a moment: then that would gain nothing."""
HANDS = 2
"""Threads that look at tables and make moves; more would only wait for each other."""
LOOKS_EVERY, LOOKS_ALONE = 2.0, 60.0
"""Seconds between two looks at all tables: where others play too, and where nobody else does."""
LOOKS_TAKE = 0.02
"""Which part of the time looks at all tables may take."""
log = structlog.get_logger("storeys.web.bots")


@dataclass(frozen=True)
class Turn:
    """What a bot is asked: it is to move at a table."""

    table: str
    seq: int
    seat: int
    bot: str
    view: Mapping[str, Any]
    recorded: tuple[str, ...] = ()
    """What it does without being asked, in first steps."""


@dataclass
class Work:
    """What is being done about a table."""

    again: bool = False
    """Whether something has happened there since it was looked at."""
    failures: int = 0
    """In a row."""
    retry: Callable[[], None] | None = None
    """What is to be tried again after a pause."""


class Workers:
    """The bots of a server: whoever is to move at a table, its move is fetched and played."""

    def __init__(
        self,
        tables: Tables,
        games: list[str],
        count: int | None = None,
        pace: float = PACE,
        registry: CollectorRegistry | None = None,
        shared: bool | None = None,
    ) -> None:
        self._tables, self._games, self._pace = tables, games, pace
        count = max(1, (os.cpu_count() or 2) - 1) if count is None else count
        # A turn that waits for a process is not slow: the clock starts when it has one.
        self.processes, self._trials = Processes(count), Processes(1)
        self._queue, self._schedule = FairQueue(), Schedule(HANDS)
        self._turns = Turns(tables.store, shared)
        self._thinkers: list[threading.Thread] = []
        self._work: dict[str, Work] = {}
        self._news: set[str] = set()
        self._left_out: set[str] = set()
        """Tables that fail for a reason of their own; nobody tries until something happens."""
        self._unwieldy: set[str] = set()
        """Games whose compiled code took too long to load: their bots are interpreted."""
        self._played: WeakKeyDictionary[Process, set[str]] = WeakKeyDictionary()
        self._took: dict[tuple[str, str], float] = {}
        """How long a bot thought over its last turn in a game."""
        self.failing: set[str] = set()
        """Bots of other packages that failed when they were tried."""
        self.complain: Callable[[Message], None] = lambda why: None
        """Told why a bot of another package fails."""
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._looks_every = LOOKS_EVERY if self._turns.shared else LOOKS_ALONE
        self._looks_failed = 0
        self._seen_waiting, self._alone = set[str](), False
        self._count_all(registry)

    def _count_all(self, registry: CollectorRegistry | None) -> None:
        self._seconds = Histogram(
            "storeys_bot_seconds", "How long bots think over a turn", ["bot"], registry=registry
        )
        self._replaced = Counter(
            "storeys_bots_replaced", "Turns played by a quick bot, by the reason", ["bot", "why"],
            registry=registry,
        )  # fmt: skip
        self._retries = Counter(
            "storeys_bot_retries", "Work for bots that failed and is tried again", registry=registry
        )
        running = Gauge("storeys_bot_processes", "Processes that bots think in", registry=registry)
        running.set_function(lambda: len(self.processes.running))
        in_line = Gauge(
            "storeys_bot_turns_waiting", "Turns that wait for a process", registry=registry
        )
        in_line.set_function(lambda: self.in_line)

    @property
    def in_line(self) -> int:
        """How many turns wait for a process."""
        return len(self._queue)

    def start(self) -> None:
        """Try the bots of other packages, if there are any; ours are asked when they are needed."""
        foreign = [name for name in bot_names() if name not in OURS]
        if foreign and self.processes.most:
            threading.Thread(target=self._try, args=(foreign,), daemon=True).start()

    def resume(self) -> None:
        """Go on where bots were to move when the server stopped, and look after them from now."""
        self._schedule.do(self._look_at_all)
        if self._turns.shared:
            self._schedule.later(HOLDS / 3, self._renew)

    def stop(self) -> None:
        """End the processes, and let others have what was claimed."""
        self._closed.set()
        self._queue.close()
        for processes in (self.processes, self._trials):
            processes.stop()
        self._schedule.stop()
        self._turns.release()

    def _try(self, names: list[str]) -> None:
        """Let bots make a move in every game; who fails is not offered to anybody.

        They have a process beside the others: nobody waits for one that hangs.
        """
        for name in names:
            for game in self._games:
                try:
                    with self._trials.borrow(is_compiled(game)) as process:
                        why = process.try_bot(name, game)
                except Closed:
                    return
                except Exception as error:
                    why = Message("storeys.bot-failed", bot=name, why=repr(error))
                if why is not None:
                    self.failing.add(name)
                    self.complain(why)
                    break
        self._trials.stop()

    # --- looking where bots are to move

    def consider(self, table: str, seq: int) -> None:
        """If a bot is to move at a table, let it think; one thought a table at a time."""
        if self._closed.is_set() or not self.processes.most:
            return
        with self._lock:
            self._left_out.discard(table)
            if table in self._work:
                self._work[table].again = True
                return
            if self._has_no_bots(table):
                return
            self._work[table] = Work()
        self._look_again(table)

    def _has_no_bots(self, table: str) -> bool:
        """Whether surely only people play at a table: then the database need not be asked."""
        found = self._tables.at_hand(table)
        return found is not None and all(seat.kind != "bot" for seat in found.snapshot.seats)

    def _look_again(self, table: str) -> None:
        """Look at a table, with others that wait to be looked at."""
        with self._lock:
            first = not self._news
            self._news.add(table)
        if first:
            self._schedule.do(self._look)

    def _look(self) -> None:
        """Find the tables among the news at which a bot is to move."""
        with self._lock:
            tables, self._news = self._news, set()
            for table in tables:
                self._work[table].again = False
        try:
            found = self._waiting_at(tables)
        except Exception as error:
            for table in tables:
                self._failed(table, error)
            return
        for waiting in found:
            self._queue_up(waiting)
        self._end(tables - {waiting.table for waiting in found})

    def _waiting_at(self, tables: set[str]) -> list[Waiting]:
        """Those of some tables at which a bot is to move, the longest waiting first.

        Where nobody else plays, what is in memory need not be asked for.
        """
        known = [] if self._turns.shared else [*map(self._tables.at_hand, tables)]
        at_hand = sorted((one.snapshot for one in known if one), key=lambda now: now.last)
        found = [_waiting_for(now) for now in at_hand if now.waits_for_bot]
        return found + self._turns.waiting(tables - {now.id for now in at_hand})

    def _end(self, tables: Collection[str]) -> None:
        """No bot is to move at some tables, unless something has happened meanwhile."""
        self._turns.release(tables)
        with self._lock:
            again = [table for table in tables if self._work[table].again]
            for table in set(tables).difference(again):
                del self._work[table]
        for table in again:
            self._look_again(table)

    def _look_at_all(self) -> None:
        """Find all tables at which a bot is to move and nobody works; do so again and again."""
        start = time.monotonic()
        try:
            found, unknown = self._turns.waiting(), self._turns.unknown()
        except Exception as error:
            self._looks_failed += 1
            self._note_failure(error, self._looks_failed == 1)
            self._schedule.later(pause_after(self._looks_failed), self._look_at_all)
            return
        self._looks_failed = 0
        if self.processes.most:
            for table in self._idle(waiting.table for waiting in found):
                self.consider(table, 0)
            for table in self._idle(unknown):
                self._schedule.do(partial(self._note_turn, table))
        else:
            self._tell_if_nobody_plays({waiting.table for waiting in found})
        took = time.monotonic() - start
        self._schedule.later(max(self._looks_every, took / LOOKS_TAKE), self._look_at_all)

    def _idle(self, tables: Iterable[str]) -> list[str]:
        """Those of some tables at which nobody works, though that could be done."""
        with self._lock:
            return [one for one in tables if one not in self._work and one not in self._left_out]

    def _note_turn(self, table: str) -> None:
        """Keep whose turn it is at a table of an earlier release."""
        with self._lock:
            self._work.setdefault(table, Work())
        try:
            match = self._tables.get(table).match
            self._tables.store.note_turn(table, match.to_move)
        except Exception as error:
            self._failed(table, error, partial(self._note_turn, table))
        else:
            self._look_again(table)

    def _tell_if_nobody_plays(self, tables: set[str]) -> None:
        """Say so if bots wait from one look to the next, and nobody lets any bot think."""
        alone = bool(tables & self._seen_waiting) and not self._turns.anybody_claims()
        if alone and not self._alone:
            log.warning("bots wait and no process lets them think", tables=len(tables))
        self._alone, self._seen_waiting = alone, tables

    def _renew(self) -> None:
        """Keep what is claimed, as long as this process runs."""
        try:
            self._turns.renew()
        except Exception as error:
            self._note_failure(error, is_first=False)
        self._schedule.later(HOLDS / 3, self._renew)

    # --- failures

    def _failed(
        self, table: str, error: Exception, retry: Callable[[], None] | None = None
    ) -> None:
        """Try again after a pause, for ever if it is the database's fault; else not too often."""
        with self._lock:
            work = self._work[table]
            work.failures += 1
            failing = sum(work.failures > 0 for work in self._work.values())
        if isinstance(error, NoTable):
            self._end([table])
            return
        if isinstance(error, Unreadable) or (not passes(error) and work.failures > MOST_ATTEMPTS):
            self._leave_out(table, error)
            return
        self._note_failure(error, work.failures == failing == 1, table)
        work.retry = retry or partial(self._look_again, table)
        self._schedule.later(pause_after(work.failures, failing), partial(self._retry, table))

    def _leave_out(self, table: str, error: Exception) -> None:
        """Do nothing about a table until something happens there; others are not touched."""
        log.warning("table left out", table=table, error=repr(error))
        with self._lock:
            self._left_out.add(table)
        self._end([table])

    def _note_failure(self, error: Exception, is_first: bool, table: str | None = None) -> None:
        """Count it, and say so once: where the database is away, all fail."""
        self._retries.inc()
        tell = log.warning if is_first else log.debug
        tell("work for bots failed and is tried again", table=table, error=repr(error))

    def _retry(self, table: str) -> None:
        """Try again, unless that has been done already."""
        with self._lock:
            work = self._work.get(table)
            retry = None if work is None else work.retry
            if work is not None:
                work.retry = None
        if retry is not None:
            retry()

    def _succeeded(self, table: str) -> None:
        """If it had failed before, the database is back: others need not wait any longer."""
        with self._lock:
            failures, self._work[table].failures = self._work[table].failures, 0
            waiting = [table for table, work in self._work.items() if failures and work.retry]
        for other in waiting:
            self._retry(other)

    # --- thinking

    def _queue_up(self, waiting: Waiting) -> None:
        with self._lock:
            if len(self._thinkers) < self.processes.most and not self._closed.is_set():
                self._thinkers.append(threading.Thread(target=self._take_turns, daemon=True))
                self._thinkers[-1].start()
        self._queue.put(waiting)

    def _take_turns(self) -> None:
        """Let one bot after the other think, in a process."""
        while (waiting := self._queue.take()) is not None:
            self._prepare_next()
            try:
                self._let_think(waiting)
            except Exception as error:  # One table must not touch the others.
                self._failed(waiting.table, error)

    def _prepare_next(self) -> None:
        """Read what the next bot is to be asked while this one thinks."""
        following = self._queue.next()
        with self._lock:
            if following is None or following.prepared is not None:
                return
            prepared = following.prepared = Future()
        self._schedule.do(partial(self._prepare, following.table, prepared))

    def _prepare(self, table: str, prepared: "Future[Turn | None]") -> None:
        try:
            prepared.set_result(self._claimed_turn(table))
        except Exception as error:
            prepared.set_exception(error)

    def _let_think(self, waiting: Waiting) -> None:
        if waiting.prepared is None:
            turn = self._claimed_turn(waiting.table)
        else:
            turn = waiting.prepared.result()
        if turn is None:
            self._end([waiting.table])
            return
        moves = list(turn.recorded) or self._planned(turn, waiting)
        if not self._closed.is_set():  # What ended with the server plays no quick bot's moves.
            self._schedule.later(self._pace, partial(self._go_on, turn, turn.seq, moves))

    def _claimed_turn(self, table: str) -> Turn | None:
        """What a bot is to be asked, if no other process has claimed that."""
        return self._turn_at(table) if self._turns.claim(table) else None

    def _turn_at(self, table: str) -> Turn | None:
        """What a bot is to be asked at a table, if one is to move."""
        now = self._tables.get(table).snapshot
        seat = now.match.to_move
        if seat is None or not now.waits_for_bot:
            return None
        bot, recorded = str(now.seats[seat].bot), recorded_moves(now.match)
        return Turn(table, now.seq, seat, bot, now.match.view(seat), recorded)

    def _planned(self, turn: Turn, waiting: Waiting) -> list[str]:
        """A bot's moves; none if it has been replaced and who sits there now is to be asked."""
        try:
            if waiting.seconds > LONGEST_WAIT and self._thinks_long(turn):
                self._note(turn, "waited")
                turn = replace(turn, bot=QUICK)
            moves = self._thought(turn)
        except ThinkingFailed:
            if substitute_bot(self._tables, turn.table, turn.seq, turn.seat):
                return []
            moves = None
        return moves or think(QUICK, turn.view, turn.seq)

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
        except Died as error:
            self._note(turn, "died", error)
            return None
        except OSError:
            raise  # No process can be started now: that is not the bot's fault.
        except Exception as error:
            self._note(turn, "failed", error)
            raise ThinkingFailed(repr(error)) from None
        self._keep_time(turn, process, time.perf_counter() - start)
        return moves

    def _keep_time(self, turn: Turn, process: Process, seconds: float) -> None:
        """Know how long a bot thinks; the first time in a process it has to be loaded as well."""
        self._seconds.labels(turn.bot).observe(seconds)
        played = self._played.setdefault(process, set())
        if turn.view["game"] in played:
            self._took[turn.bot, turn.view["game"]] = seconds
        played.add(turn.view["game"])

    def _thinks_long(self, turn: Turn) -> bool:
        return self._took.get((turn.bot, turn.view["game"]), 0.0) > QUICK_ENOUGH

    def _seconds_each(self) -> float:
        """How long a bot may think: where many wait, as after a restart, they share the time."""
        in_line = 1 + len(self._queue) / self.processes.most
        return SECONDS_TO_THINK / in_line

    # --- playing

    def _go_on(self, turn: Turn, seq: int, moves: list[str]) -> None:
        """Make the moves of a turn one after the other, at a pace that people can follow.

        Where nobody follows them, they are made at once: that is one write instead of several.
        """
        pace = self._pace_at(turn.table)
        try:
            made = self._made(turn, seq, moves[:1] if pace else moves) if moves else 0
        except Late:
            made = 0  # Another process has written.
        except Exception as error:
            self._failed(turn.table, error)
            return
        self._succeeded(turn.table)
        if made and moves[made:]:
            self._schedule.later(pace, partial(self._go_on, turn, seq + made, moves[made:]))
        else:
            self._look_again(turn.table)

    def _pace_at(self, table: str) -> float:
        """Seconds between two moves at a table; with whom else somebody may watch is not known."""
        is_watched = self._turns.shared or self._tables.presence.is_watched(table)
        return self._pace if is_watched else 0.0

    def _made(self, turn: Turn, seq: int, moves: Sequence[str]) -> int:
        """Make a bot's moves, up to the end of its turn; how many, 0 if its plan does not hold."""
        try:
            return play_for_bot(self._tables, turn.table, seq, turn.seat, *moves)
        except IllegalMove as error:
            self._note(turn, "refused", error)
        if not substitute_bot(self._tables, turn.table, seq, turn.seat) and seq == turn.seq:
            play_for_bot(self._tables, turn.table, seq, turn.seat, think(QUICK, turn.view, seq)[0])
        return 0

    def _note(self, turn: Turn, why: str, error: Exception | None = None) -> None:
        if self._closed.is_set():
            return  # It died because the server ends.
        tell = log.info if error is None else log.warning
        tell("bot replaced", table=turn.table, bot=turn.bot, why=why, error=repr(error))
        self._replaced.labels(turn.bot, why).inc()


def _waiting_for(now: Snapshot) -> Waiting:
    people = any(seat.kind == "human" for seat in now.seats)
    return Waiting(now.id, now.host or now.id, people)
