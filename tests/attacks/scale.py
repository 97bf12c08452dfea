"""How long an attack lasts: seconds among the other tests, minutes in ``make proof``."""

import time
from collections.abc import Callable
from typing import TypeVar

from tests.proofs import PROOF

T = TypeVar("T")

PATIENCE = 600.0
"""Seconds after which something is taken to hang; a busy machine needs less."""


def scaled(short: int, long: int) -> int:
    """So many of something: a few, or as many as the proof wants."""
    return long if PROOF else short


def eventually(check: Callable[[], T], what: str, patience: float = PATIENCE) -> T:
    """What a check gives once it gives something."""
    end = time.monotonic() + patience
    while not (found := check()):
        assert time.monotonic() < end, f"it never came about that {what}"
        time.sleep(0.02)
    return found
