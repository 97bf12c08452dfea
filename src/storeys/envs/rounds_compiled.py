"""The compiled forms of what :mod:`rounds` does with its words."""

from storeys.envs.rounds import AWAKE, DONE, LARGEST, LEAVE, NEXT, PIECES
from storeys.kernel.atomics import add, raise_to, read, write
from storeys.kernel.record import IntArray


def begin(words: IntArray) -> None:
    """The piece to take comes last: whoever sees it sees the rest."""
    write(words, LARGEST, 0)
    write(words, DONE, 0)
    write(words, NEXT, 0)


def take(words: IntArray) -> int:
    """Look first: to add is dearer, and threads that wait do it all the time."""
    if read(words, NEXT) >= words[PIECES]:
        return -1
    taken = add(words, NEXT, 1)
    return taken if taken < words[PIECES] else -1


def finish(words: IntArray, answer: int) -> None:
    """The answer first."""
    raise_to(words, LARGEST, answer)
    add(words, DONE, 1)


def has_ended(words: IntArray) -> bool:
    """All are done."""
    return bool(read(words, DONE) == words[PIECES])


def must_leave(words: IntArray) -> bool:
    """Somebody has said so."""
    return bool(read(words, LEAVE))


def be_awake(words: IntArray, helpers: int) -> None:
    """One more, or one less."""
    add(words, AWAKE, helpers)
