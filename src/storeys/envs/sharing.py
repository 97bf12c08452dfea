"""Work in pieces, shared by the thread that asks for it and some helpers that wait for more.

Whoever is free takes the next piece.  So a helper that wakes up late, or not at all because others
have the machine, takes fewer, and nobody waits for more than the piece that it has in hand.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from queue import Empty, SimpleQueue
from typing import Any, Protocol

Piece = tuple[int, int]
"""The first of some places, and the one after the last."""
Work = Callable[[int, int], Any]


class Helpful(Protocol):
    """Something that helpers can be called for."""

    def lend_a_hand(self) -> None:
        """Do what there is to do."""


Tasks = SimpleQueue[Helpful | None]

PIECES_OF_A_THREAD = 4
"""More of them even out better who begins late, fewer cost less."""


class Task:
    """Pieces of some work that nobody has taken yet, and what came of the others."""

    def __init__(self, work: Work, pieces: Sequence[Piece]) -> None:
        self._work, self._left, self._count = work, deque(pieces), len(pieces)
        self._done: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def lend_a_hand(self) -> None:
        """Take pieces as long as there are any."""
        while self._left:
            try:
                piece = self._left.popleft()
            except IndexError:  # somebody else was quicker
                return
            try:
                self._done.put((self._work(*piece), None))
            except BaseException as error:  # the thread that waits for it shall hear of it
                self._done.put((None, error))

    def answers(self) -> list[Any]:
        """What came of all pieces, in any order; waits for those that helpers have in hand."""
        done = [self._done.get() for _ in range(self._count)]
        for _, error in done:
            if error is not None:
                raise error
        return [answer for answer, _ in done]


class Crew:
    """So many helpers, started when there is something to share for the first time.

    >>> from storeys.envs.sharing import Crew
    >>> crew = Crew(1)
    >>> sorted(crew.share(lambda first, last: last - first, [(0, 3), (3, 5)]))
    [2, 3]
    >>> crew.dismiss()
    """

    def __init__(self, helpers: int) -> None:
        self._queues: list[Tasks] = [SimpleQueue() for _ in range(helpers)]
        self._started = False
        # A crew that is forgotten lets its helpers go.
        self.dismiss = weakref.finalize(self, _send_home, self._queues)

    def share(self, work: Work, pieces: Sequence[Piece]) -> list[Any]:
        """The answers of the work for each piece, in any order."""
        if len(pieces) == 1:
            return [work(*pieces[0])]
        task = Task(work, pieces)
        self.call(task)
        task.lend_a_hand()
        return task.answers()

    def call(self, task: Helpful) -> None:
        """Ask all helpers to lend a hand, as soon as they have time."""
        if not self._started:
            self._start()
        for queue in self._queues:
            if not queue.empty():  # a task that its helper has slept through
                with suppress(Empty):
                    queue.get_nowait()
            queue.put(task)

    def _start(self) -> None:
        self._started = True
        for queue in self._queues:
            threading.Thread(target=_help, args=(queue,), name="storeys-batch", daemon=True).start()


def _help(queue: Tasks) -> None:
    while (task := queue.get()) is not None:
        task.lend_a_hand()
        del task  # it holds the arrays of a batch that may be gone before the next one comes


def _send_home(queues: list[Tasks]) -> None:
    for queue in queues:
        queue.put(None)


def cut(count: int, threads: int, fewest: int) -> list[Piece]:
    """Places in pieces: some for each thread, but none that is not worth being handed over.

    >>> from storeys.envs.sharing import cut
    >>> cut(100, 2, 32)
    [(0, 33), (33, 66), (66, 100)]
    >>> cut(100, 1, 32)
    [(0, 100)]
    """
    pieces = max(1, min(threads * PIECES_OF_A_THREAD, count // fewest)) if threads > 1 else 1
    return list(pairwise(count * nth // pieces for nth in range(pieces + 1)))
