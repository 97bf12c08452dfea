"""Work in rounds, shared by threads that stay in compiled code from one round to the next.

Waking a thread through Python takes as long as a small batch's step does.  So a helper that has
nothing to do looks for the next round for a while before it goes; all that it needs to know stands
in a few words that threads change at once.

In a round everyone takes the next piece until there is none.  A helper that is not there, because
others have the machine, takes none, and nobody waits for more than the piece that it has in hand.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from storeys.kernel.compiling import Function, compiler
from storeys.kernel.record import IntArray

# The words: the next piece, the pieces done, the largest answer so far; how many pieces a round
# has; helpers that look for work, and whether they shall leave.  Each has a line of the cache.
LINE = 8
NEXT, DONE, LARGEST, PIECES, AWAKE, LEAVE = range(0, 6 * LINE, LINE)
WORDS = 6 * LINE

LEAD, WAIT, HELP = range(3)
"""Begin a round and lend a hand; wait for its end; look for rounds to lend a hand in."""
UNFINISHED = -1
LONG, SHORT = 1_000_000, 100_000
"""How often a helper looks for a round, a millisecond or two in all: the time in which games are
looked at and actions chosen.  How often a leader looks for the end of one before it lets others
have its core: as long as the last piece takes, since coming back from Python takes longer."""


class Rounds:
    """The rounds of some work, ``work(words, role)``, in so many pieces.

    >>> from storeys.envs import rounds
    >>> def count(words, role):
    ...     rounds.begin(words)
    ...     while (nth := rounds.take(words)) >= 0:
    ...         rounds.finish(words, 10 * nth)
    ...     return int(words[rounds.LARGEST])
    >>> rounds.Rounds(count, 4).run()
    30
    """

    def __init__(self, work: Callable[[IntArray, int], int], pieces: int) -> None:
        self._work, self._words = work, np.zeros(WORDS, np.int64)
        self._words[[NEXT, DONE, PIECES]] = pieces  # as if a round had ended

    def has_helpers(self, wanted: int) -> bool:
        """Whether so many look for the next round already, or are not needed."""
        left, self._words[LEAVE] = self._words[LEAVE], 0
        return bool(self._words[PIECES] == 1 or (self._words[AWAKE] >= wanted and not left))

    def run(self) -> int:
        """One round; gives the largest answer."""
        answer = self._work(self._words, LEAD)
        while answer == UNFINISHED:
            time.sleep(0)  # A helper with a piece in hand may need this core.
            answer = self._work(self._words, WAIT)
        return answer

    def lend_a_hand(self) -> None:
        """Help in all rounds that follow soon."""
        self._work(self._words, HELP)

    def end(self) -> None:
        """There is no other soon: who looks for one shall leave."""
        self._words[LEAVE] = 1


NO_ROUNDS = Rounds(lambda words, role: 0, 1)


# --- in compiled code; interpreted, there is but one thread


def begin(words: IntArray) -> None:
    """Let a round begin; the one before has ended."""
    words[LARGEST] = words[DONE] = words[NEXT] = 0


def take(words: IntArray) -> int:
    """The next piece, or -1 if there is none."""
    taken = int(words[NEXT])
    words[NEXT] += 1
    return taken if taken < words[PIECES] else -1


def finish(words: IntArray, answer: int) -> None:
    """A piece is done, with an answer."""
    words[LARGEST] = max(int(words[LARGEST]), answer)
    words[DONE] += 1


def has_ended(words: IntArray) -> bool:
    """Whether all pieces are done."""
    return bool(words[DONE] == words[PIECES])


def must_leave(words: IntArray) -> bool:
    """Whether helpers shall look no longer."""
    return bool(words[LEAVE])


def be_awake(words: IntArray, helpers: int) -> None:
    """So many helpers more look for work."""
    words[AWAKE] += helpers


def _compiled(name: str) -> Function:
    def resolve(*kinds: Any) -> Function:
        from storeys.envs import rounds_compiled  # loads the compiler

        found: Function = getattr(rounds_compiled, name)
        return found

    return resolve


for function in (begin, take, finish, has_ended, must_leave, be_awake):
    compiler.add(function, _compiled(function.__name__))
