"""Requests that write: a few at a time, in threads of their own, so that no reader waits."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

from storeys.web.database import unavailable, until
from storeys.web.store import WRITERS, Store

P = ParamSpec("P")
R = TypeVar("R")


class Writers:
    """The threads in which requests write; one that has not begun in time is refused."""

    def __init__(self, store: Store, most: int = WRITERS) -> None:
        self._store = store
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="writer")

    async def run(self, write: Callable[[], R]) -> R:
        """Let a request write; from now on it waits no longer than the patience in all."""
        patience = self._store.patience
        end = time.monotonic() + patience
        begun = self._threads.submit(copy_context().run, _run_until, end, write)
        answer = asyncio.wrap_future(begun)
        done, _ = await asyncio.wait({answer}, timeout=patience)
        if not done and begun.cancel():
            raise unavailable()
        return await answer

    def stop(self) -> None:
        """Begin no more writes."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _run_until(end: float, write: Callable[[], R]) -> R:
    with until(end):
        return write()


def writes(endpoint: Callable[P, R]) -> Callable[P, Coroutine[Any, Any, R]]:
    """An endpoint that writes; it has the ``services`` among its arguments."""

    @wraps(endpoint)
    async def run(*args: P.args, **kwargs: P.kwargs) -> R:
        services: Any = kwargs["services"]
        writers: Writers = services.writers
        return await writers.run(partial(endpoint, *args, **kwargs))

    return run
