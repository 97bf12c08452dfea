"""The processes that bots think in: started when a bot is to move, ended when none has for long."""

import multiprocessing
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import TimeoutError as TooSlow
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from storeys.kernel.messages import Message
from storeys.web import thinking

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

R = TypeVar("R")

PATIENCE = 10.0
"""How long a bot may take in all before a quick one plays for it."""
PATIENCE_WITH_STARTING = 120.0
"""How long a fresh process may take until it answers, on a busy machine."""
IDLE = 300.0
"""Seconds after which a process that nobody needed is ended."""


class Closed(RuntimeError):  # noqa: N818
    """No process is given any more: the server ends."""


class Died(RuntimeError):  # noqa: N818
    """A process has ended before it has answered."""


class Process:
    """One process.  Each bot has one to itself while it thinks: who falls, falls alone.

    It runs compiled code or none, for its life.  Whoever asks it writes to it and reads from it:
    what passes questions on to several processes takes more time than most bots' moves.
    """

    task = staticmethod(thinking.think)

    def __init__(self, compiled: bool) -> None:
        self.compiled = compiled
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe()
        inside = context.Process(target=thinking.answer, args=(theirs, compiled))
        inside.start()
        theirs.close()
        self._end = weakref.finalize(self, _kill, inside)  # at the latest with this process
        self._has_started = False

    def think(self, name: str, view: Mapping[str, Any], seed: int, seconds: float) -> list[str]:
        """What a bot says; ``TooSlow`` or ``Died`` if it does not."""
        return self._asked(self.task, name, view, seed, seconds)

    def try_bot(self, name: str, game: str) -> Message | None:
        """What a bot says against playing a game; the same errors if it takes all with it."""
        return self._asked(thinking.try_bot, name, game)

    def _asked(self, task: Callable[..., R], *arguments: Any) -> R:
        try:
            if not self._has_started:
                self._answer(PATIENCE_WITH_STARTING)
                self._has_started = True
            self._line.send((task, arguments))
            good, said = self._answer(PATIENCE)
        except TooSlow:
            raise
        except (EOFError, OSError) as error:
            raise Died(repr(error)) from None
        if not good:
            raise said
        answer: R = said
        return answer

    def _answer(self, patience: float) -> Any:
        if not self._line.poll(patience):
            raise TooSlow
        return self._line.recv()

    def stop(self) -> None:
        """End it, whatever it does."""
        self._end()


def _kill(inside: "SpawnProcess") -> None:
    inside.kill()
    inside.join()


class Processes:
    """At most so many processes, for as many threads; each has one to itself while it thinks."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.running: list[Process] = []
        self._free: list[tuple[Process, float]] = []  # with the time since when; the latest last
        self._changed = threading.Condition()
        self._watch: threading.Thread | None = None
        self._closed = False

    @contextmanager
    def borrow(self, compiled: bool) -> Iterator[Process]:
        """A process to oneself; one that does not survive is replaced when it is needed."""
        process = self._take(compiled)
        try:
            yield process
        except (TooSlow, Died):
            self._drop(process)
            raise
        except BaseException:
            self._give_back(process)
            raise
        self._give_back(process)

    def _take(self, compiled: bool) -> Process:
        with self._changed:
            self._changed.wait_for(
                lambda: self._free or len(self.running) < self.most or self._closed
            )
            if self._closed:
                raise Closed
            return self._free_one(compiled) or self._new_one(compiled)

    def _free_one(self, compiled: bool) -> Process | None:
        """The one of a kind that was used last."""
        for entry in reversed(self._free):
            if entry[0].compiled == compiled:
                self._free.remove(entry)
                return entry[0]
        return None

    def _new_one(self, compiled: bool) -> Process:
        """A fresh process, where need be in the place of one of the other kind."""
        if len(self.running) >= self.most:
            self._drop(self._free.pop(0)[0])
        self.running.append(Process(compiled))
        if self._watch is None:
            self._watch = threading.Thread(target=self._end_idle_ones, daemon=True)
            self._watch.start()
        return self.running[-1]

    def _give_back(self, process: Process) -> None:
        with self._changed:
            self._free.append((process, time.monotonic()))
            self._changed.notify_all()

    def _drop(self, process: Process) -> None:
        process.stop()
        with self._changed:
            if process in self.running:
                self.running.remove(process)
            self._changed.notify_all()

    def _end_idle_ones(self) -> None:
        """Look now and then for processes that nobody needs, as long as there are any."""
        with self._changed:
            while self.running and not self._closed:
                self._changed.wait_for(lambda: self._closed, IDLE / 4)
                self.end_idle(time.monotonic() - IDLE)
            self._watch = None

    def end_idle(self, since: float) -> None:
        """End the processes that have been free since a time or longer."""
        with self._changed:
            for process, when in [entry for entry in self._free if entry[1] <= since]:
                self._free.remove((process, when))
                self._drop(process)

    def stop(self) -> None:
        """End all processes; nobody gets one from now on."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for process in list(self.running):
            process.stop()
