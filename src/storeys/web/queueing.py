"""Who is next: bots' turns that wait for a process, queued so that nobody waits for a stranger's.

Tables at which people wait come before tables of bots alone.  Among them it is the turn of whoever
was served longest ago, however many tables each has set up; the tables of one are served in the
order in which they came.
"""

import heapq
import threading
import time
from collections import OrderedDict, deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

REMEMBERED = 10_000
"""Of how many is known when they were served last."""


@dataclass(eq=False)
class Waiting:
    """A table at which a bot is to move."""

    table: str
    owner: str
    """Who set it up; where that is not known, the table itself."""
    people: bool
    """Whether a person plays there too."""
    since: float = field(default_factory=time.monotonic)
    prepared: "Future[Any] | None" = None
    """What a bot is to be asked, if that was read ahead."""

    @property
    def seconds(self) -> float:
        """How long it has waited."""
        return time.monotonic() - self.since


class Line:
    """Tables by owner; first comes who was served longest ago."""

    def __init__(self) -> None:
        self._tables: dict[str, deque[Waiting]] = {}
        self._owners: list[tuple[int, int, str]] = []  # a heap: served when, came when, who
        self._served: OrderedDict[str, int] = OrderedDict()
        self._number = 0

    def __bool__(self) -> bool:
        return bool(self._owners)

    def first(self) -> Waiting:
        """Whose turn it is."""
        return self._tables[self._owners[0][2]][0]

    def put(self, waiting: Waiting) -> None:
        """Add a table to those of its owner."""
        if waiting.owner not in self._tables:
            self._tables[waiting.owner] = deque()
            self._come(waiting.owner)
        self._tables[waiting.owner].append(waiting)

    def take(self) -> Waiting:
        """Whose turn it is; whoever owns it comes after all others then."""
        owner = heapq.heappop(self._owners)[2]
        taken = self._tables[owner].popleft()
        self._number += 1
        self._served[owner] = self._number
        self._served.move_to_end(owner)
        if len(self._served) > REMEMBERED:
            self._served.popitem(last=False)
        if self._tables[owner]:
            self._come(owner)
        else:
            del self._tables[owner]
        return taken

    def _come(self, owner: str) -> None:
        self._number += 1
        heapq.heappush(self._owners, (self._served.get(owner, 0), self._number, owner))


class FairQueue:
    """Turns that wait, for threads that take them.

    >>> from storeys.web.queueing import FairQueue, Waiting
    >>> queue = FairQueue()
    >>> for table, owner in [("a1", "ada"), ("a2", "ada"), ("a3", "ada"), ("b1", "ben")]:
    ...     queue.put(Waiting(table, owner, people=True))
    >>> queue.put(Waiting("bots-only", "cy", people=False))
    >>> [queue.take().table for _ in range(len(queue))]
    ['a1', 'b1', 'a2', 'a3', 'bots-only']
    """

    def __init__(self) -> None:
        self._lines = (Line(), Line())
        self._count = 0
        self._closed = False
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return self._count

    def put(self, waiting: Waiting) -> None:
        """Let a table wait for its turn."""
        with self._changed:
            self._lines[0 if waiting.people else 1].put(waiting)
            self._count += 1
            self._changed.notify()

    def take(self) -> Waiting | None:
        """Whose turn it is, as soon as there is one; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._count or self._closed)
            if self._closed:
                return None
            self._count -= 1
            return next(line for line in self._lines if line).take()

    def next(self) -> Waiting | None:
        """Whose turn it is then, if nobody comes who is before them."""
        with self._changed:
            return next((line.first() for line in self._lines if line), None)

    def close(self) -> None:
        """Nobody gets anything any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
