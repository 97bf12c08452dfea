"""Memory that a process gives back: the compiler's library, which only loading code needs.

The pages of a library that were run once stay mapped, a third of a bot's process.  Linux takes them
out of the process when it is told that nobody needs them; where somebody does, they come back by
themselves from the file, or from the memory in which the system keeps it.
"""

import ctypes
import re
from collections.abc import Iterator
from pathlib import Path

COMPILER = "libllvmlite"
"""With what the name of the library's file begins."""
_SMAPS = Path("/proc/self/smaps")
_HEAD = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S+) .*?(\S*)$")
_NOT_NEEDED = 4
"""MADV_DONTNEED, as Linux knows it."""


def give_back(library: str = COMPILER) -> int:
    """Let the system have the pages of a library's code; how many kB they were.

    Only those that are as they are in the file: nothing that was written can be lost.
    """
    try:
        parts = list(_unchanged_code(library))
        advise = ctypes.CDLL(None).madvise
    except (OSError, AttributeError):  # not Linux
        return 0
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return sum(
        kilobytes for start, end, kilobytes in parts if not advise(start, end - start, _NOT_NEEDED)
    )


def _unchanged_code(library: str) -> Iterator[tuple[int, int, int]]:
    """From where to where a library's code is mapped, and how many kB of it are in memory."""
    for text in re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", _SMAPS.read_text()):
        head, _, facts = text.partition("\n")
        found = _HEAD.fullmatch(head)
        if found is None or found[3] != "r-xp" or not Path(found[4]).name.startswith(library):
            continue
        if _kilobytes(facts, "Anonymous") == 0:
            yield int(found[1], 16), int(found[2], 16), _kilobytes(facts, "Rss")


def _kilobytes(facts: str, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB$", facts, re.MULTILINE)
    return int(found[1]) if found else 0
