"""Waiting for what must come, however busy the machine is."""

import time
from collections.abc import Callable

PATIENCE = 300


def wait_for(condition: Callable[[], object], pause: float = 0.005) -> None:
    """Until a condition holds."""
    patience = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < patience
        time.sleep(pause)
