"""What batches and vector environments have in common: games at places 0 … n-1.

What is given for all places at once is checked here, and a game of theirs becomes a match.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from storeys.envs.batch_steps import read_log
from storeys.kernel.blanks import Blanks
from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import as_whole, short
from storeys.kernel.record import IntArray
from storeys.match import Match, Move, check_names, deal

ROOM_FOR_MOVES = 256
"""The moves of a game that fit into the log at first; it grows when a game has more."""


def read_count(what: str, number: Any) -> int:
    """How many there are to be, at least one."""
    count = as_whole(number)
    if count is None or count < 1:
        raise BadOption(Message("storeys.bad-count", what=what, low=1, found=short(number)))
    return count


def read_actions(actions: npt.ArrayLike, count: int) -> IntArray:
    """One whole number for each place."""
    try:
        numbers = np.asarray(actions)
    except ValueError:  # rows of different lengths
        numbers = np.empty(0)
    if numbers.shape != (count,) or numbers.dtype.kind not in "iu":
        raise misfit("storeys.envs.batch.actions", numbers, count)
    return np.ascontiguousarray(numbers, np.int64)


def read_reset_mask(options: Mapping[str, Any] | None, count: int) -> IntArray | None:
    """A truth value for each place, if the options of a reset have them."""
    given = dict(options or {})
    mask = given.pop("reset_mask", None)
    if given:
        found = short(next(iter(given)))
        raise BadOption(Message("storeys.envs.batch.reset-option", found=found))
    if mask is None:
        return None
    chosen = np.array(mask)
    if chosen.shape != (count,) or chosen.dtype != bool:
        raise misfit("storeys.envs.batch.reset-mask", chosen, count)
    return chosen


def read_place(place: Any, count: int) -> int:
    """The number of a place."""
    number, last = as_whole(place), count - 1
    if number is None or not 0 <= number <= last:
        raise StoreysError(Message("storeys.no-such-game-of-batch", found=short(place), last=last))
    return number


def misfit(message: str, found: IntArray, count: int) -> BadOption:
    """What to raise when an array does not have one entry of its kind for each place."""
    return BadOption(Message(message, n=count, found=kind_of(found)))


def kind_of(array: IntArray) -> str:
    """The shape and kind of an array, as an error message quotes them."""
    shape = " × ".join(map(str, array.shape)) or "1"
    return f"{shape} {array.dtype}"


def replay(blanks: Blanks, seed: int, log: IntArray) -> Match:
    """The match of a seed with the actions that were noted of it."""
    setup = blanks.setup_for(seed)
    state, codes = deal(blanks.game, setup, seed), np.zeros(log.size, np.int64)
    match = Match(blanks.game, setup, seed, state.copy(), check_names(setup, None))
    read_log(state, setup.components.tables, log, codes)
    for code in codes.tolist():
        match.push(Move(blanks.game, setup.components, code))
    return match
