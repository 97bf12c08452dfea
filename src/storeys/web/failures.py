"""Work that failed: when it is tried again, and when it is not."""

import random
from collections.abc import Callable

from sqlalchemy import exc

from storeys.web.database import Unavailable

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 5.0
"""Seconds until the next attempt: after the first failure, and at the most."""
SPACING = 0.01
"""Seconds between two attempts, whosever they are: where many tables fail, each waits longer."""
MOST_ATTEMPTS = 5
"""How often something is tried that fails for a reason of its own."""
OF_THE_DATABASE = (
    Unavailable, exc.OperationalError, exc.InterfaceError, exc.InternalError, exc.TimeoutError,
)  # fmt: skip
"""It cannot be reached, or is locked, full or read-only: that passes."""


def passes(error: Exception) -> bool:
    """Whether a failure is the database's, and not that of what was tried."""
    lost = isinstance(error, exc.DBAPIError) and error.connection_invalidated
    return lost or isinstance(error, OF_THE_DATABASE)


def pause_after(
    failures: int, failing: int = 1, draw: Callable[[float, float], float] = random.uniform
) -> float:
    """Seconds until the next attempt, longer after every failure, and no two alike.

    >>> from storeys.web.failures import pause_after
    >>> [pause_after(failures, draw=max) for failures in (1, 2, 3, 4, 5, 6, 1000)]
    [0.25, 0.5, 1.0, 2.0, 4.0, 5.0, 5.0]
    >>> pause_after(1, failing=2000, draw=max)
    20.0
    """
    grown = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures - 1, 10))
    longest = max(grown, SPACING * failing)
    return draw(longest / 2, longest)
