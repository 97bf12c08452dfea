"""Compiling beside the server: a process for each game, at the lowest priority, none for long.

A game that is played comes first: where no core is left for it, another game is put off.  What is
compiled is kept step by step, so whoever is put off, or ended with the server, goes on from there.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from storeys import bots
from storeys.kernel.caching import is_ready
from storeys.kernel.compiling import UNCOMPILED
from storeys.kernel.record import tag_of
from storeys.registry import get_game

LOWEST = 19
"""The priority of processes that compile: they take what nobody else wants."""
BEGINS_AFTER = 1.0
"""Seconds, so that the first page comes first."""
log = structlog.get_logger("storeys.web.compiling")


def is_compiled(game: str) -> bool:
    """Whether bots can play a game in compiled code at once."""
    tag = tag_of(get_game(game).state_dtype)
    return not UNCOMPILED and is_ready(tag, Path(str(bots.__file__)))


@dataclass(frozen=True)
class Progress:
    """How far a game is compiled, in steps."""

    game: str
    done: int
    steps: int


Listener = Callable[[Progress], None]
"""Told of every step."""


class Compiling:
    """Compiles games in processes of their own, as many at once as there are cores."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most or os.cpu_count() or 1
        self._progress: dict[str, Progress] = {}
        self._waiting: list[str] = []
        self._running: dict[str, subprocess.Popen[str]] = {}
        self._played: set[str] = set()
        self._put_off: set[str] = set()
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self.listeners: list[Listener] = []

    def start(self, games: Sequence[str]) -> None:
        """Compile those of the games that are not; comes back at once."""
        threading.Thread(target=self._begin, args=(list(games),), daemon=True).start()

    def _begin(self, games: list[str]) -> None:
        if self._closed.wait(BEGINS_AFTER):
            return
        left = [game for game in games if not is_compiled(game)]
        with self._lock:
            self._progress = {game: Progress(game, 0, 1) for game in left}
            self._waiting = sorted(left, key=lambda game: game not in self._played)
        self._fill()

    @property
    def is_busy(self) -> bool:
        """Whether anything is still to be compiled."""
        return bool(self._waiting or self._running)

    def progress(self) -> list[Progress]:
        """How far each game is that was not compiled at the start."""
        return list(self._progress.values())

    def prefer(self, game: str) -> None:
        """Somebody plays a game: it is compiled before those that nobody plays."""
        with self._lock:
            self._played.add(game)
            if game not in self._waiting:
                return
            self._waiting.remove(game)
            self._waiting.insert(0, game)
            idle = [other for other in self._running if other not in self._played]
            if len(self._running) >= self._most and idle and not self._put_off:
                self._put_off.add(idle[-1])
                self._running[idle[-1]].terminate()

    def stop(self) -> None:
        """End the processes; what they have compiled is kept."""
        with self._lock:
            self._closed.set()
            self._waiting.clear()
            for process in self._running.values():
                process.terminate()

    def _fill(self) -> None:
        """Let as many games be compiled as there are cores for."""
        with self._lock:
            while self._waiting and len(self._running) < self._most and not self._closed.is_set():
                game = self._waiting.pop(0)
                self._running[game] = _process_for(game)
                threading.Thread(target=self._follow, args=(game,), daemon=True).start()

    def _follow(self, game: str) -> None:
        """Listen to a process that compiles a game, until it ends."""
        process, said = self._running[game], ""
        with process:
            for line in process.stdout or ():
                said = line.strip()
                self._note(game, said)
        with self._lock:
            del self._running[game]
            if game in self._put_off:
                self._put_off.remove(game)
                self._waiting.append(game)
            elif process.returncode and not self._closed.is_set():
                log.warning("not compiled", game=game, error=said)
                del self._progress[game]
        self._fill()

    def _note(self, game: str, said: str) -> None:
        """Take note of a line: how many steps are done, how many there are, what comes next."""
        done, steps, *_ = [*said.split(maxsplit=2), "", ""]
        if done.isdigit() and steps.isdigit():
            self._progress[game] = now = Progress(game, int(done), int(steps))
            for listener in self.listeners:
                listener(now)


def _process_for(game: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "storeys.warming", game, "--with-parent"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        creationflags=getattr(subprocess, "IDLE_PRIORITY_CLASS", 0),  # Windows
    )
    if hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, process.pid, LOWEST)
    return process
