"""Things to do, now or later, by a few threads: however much there is to do, there are no more."""

import heapq
import threading
import time
from collections.abc import Callable

import structlog

ENDS_WITHIN = 2.0
"""Seconds that what is being done has to come to an end."""
log = structlog.get_logger("storeys.web.schedule")


class Schedule:
    """Does what is due, in the order in which it was; threads are started when they are needed.

    >>> import threading
    >>> from storeys.web.schedule import Schedule
    >>> schedule, done, said = Schedule(threads=1), threading.Event(), []
    >>> schedule.later(0.02, done.set)
    >>> schedule.do(lambda: said.append("at once"))
    >>> done.wait(60), said
    (True, ['at once'])
    >>> schedule.stop()
    """

    def __init__(self, threads: int) -> None:
        self._most = threads
        self._threads: list[threading.Thread] = []
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0
        self._closed = False
        self._changed = threading.Condition()

    def do(self, task: Callable[[], None]) -> None:
        """Do something as soon as a thread is free."""
        self.later(0.0, task)

    def later(self, seconds: float, task: Callable[[], None]) -> None:
        """Do something after some seconds; what comes after the end is not done."""
        with self._changed:
            if self._closed:
                return
            self._number += 1
            heapq.heappush(self._due, (time.monotonic() + seconds, self._number, task))
            if len(self._threads) < self._most:
                self._threads.append(threading.Thread(target=self._work, daemon=True))
                self._threads[-1].start()
            self._changed.notify()

    def stop(self) -> None:
        """Do nothing any more; wait for what is being done, but not for long."""
        with self._changed:
            self._closed = True
            self._due.clear()
            self._changed.notify_all()
        patience = time.monotonic() + ENDS_WITHIN
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, patience - time.monotonic()))

    def _work(self) -> None:
        while (task := self._next()) is not None:
            try:
                task()
            except Exception as error:  # One task must not end the others' thread.
                log.warning("task failed", error=repr(error))

    def _next(self) -> Callable[[], None] | None:
        """What is due, as soon as something is; None at the end."""
        with self._changed:
            while not self._closed:
                wait = self._due[0][0] - time.monotonic() if self._due else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._due)[2]
                self._changed.wait(wait)
            return None
