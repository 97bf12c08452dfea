"""Where the server's logs go."""

from contextlib import suppress
from typing import TextIO


class Log:
    """A stream for logs; nobody is refused because that takes no more, as a full disk does.

    >>> import sys
    >>> from storeys.cli.logs import Log
    >>> print("something worth telling", file=Log(sys.stdout), flush=True)
    something worth telling
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """Write something, if that can be done."""
        with suppress(OSError):
            self._file.write(text)
        return len(text)

    def flush(self) -> None:
        """Let it be seen, if that can be done."""
        with suppress(OSError):
            self._file.flush()
