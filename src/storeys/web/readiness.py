"""Whether a server can do its work: its database takes what is written."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from storeys.kernel.errors import StoreysError
from storeys.web.database import unavailable
from storeys.web.store import Store

EVERY = 5.0
"""For how many seconds an answer holds, so that many who ask cause no flood of writes."""


class Readiness:
    """Tries a write now and then, in a thread of its own: whoever asks never waits for long."""

    def __init__(
        self, store: Store, every: float = EVERY, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store, self._every, self._clock = store, every, clock
        self._trial: Future[None] | None = None
        self._next = 0.0
        self._lock = threading.Lock()

    async def problem(self) -> StoreysError | None:
        """What keeps the server from its work, or None; within the patience of the store."""
        trial = asyncio.wrap_future(self._last_trial())
        done, _ = await asyncio.wait({trial}, timeout=self._store.patience)
        if not done:
            trial.cancel()  # It goes on all the same; nobody waits for its end.
            return unavailable()
        error = trial.exception()
        return error if isinstance(error, StoreysError) or error is None else unavailable()

    def _last_trial(self) -> Future[None]:
        """The trial that counts now: the last one, until its time is over and it has ended."""
        with self._lock:
            last = self._trial
            if last is not None and (not last.done() or self._clock() < self._next):
                return last
            self._trial, self._next = Future(), self._clock() + self._every
            self._trial.set_running_or_notify_cancel()
            threading.Thread(target=self._try, args=(self._trial,), daemon=True).start()
            return self._trial

    def _try(self, trial: "Future[None]") -> None:
        try:
            self._store.try_to_write()
        except BaseException as error:
            trial.set_exception(error)
        else:
            trial.set_result(None)
