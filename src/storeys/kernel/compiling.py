"""Run rule functions as they are, or compiled by Numba; nobody sees which.

A function of the rules is marked with :func:`jitable`: Python runs it as it is, compiled code
compiles it in.  What Python calls are *entry points* over those.  One marked with :func:`jit` does
much work in a call, such as playing thousands of games, and is compiled when it is first called;
one marked with :func:`jit_when_it_pays` is interpreted until this process has spent so much time on
that loading compiled code, or compiling, is worth while.  So a short program never loads Numba, and
a long one soon runs at full speed.

With ``STOREYS_UNCOMPILED=1`` in the environment, or after :func:`stay_interpreted`, nothing is ever
compiled in this process, and the source runs under a debugger.
"""

import functools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar, cast

from storeys.kernel.caching import cache_folder_of, is_ready
from storeys.kernel.record import FastRecord, Rows, as_rows, int64

UNCOMPILED = os.environ.get("STOREYS_UNCOMPILED", "0") not in ("", "0")
PAYS_AFTER = 0.5
"""Seconds of interpreting after which compiled code is loaded: about what that takes."""
COMPILING_PAYS_AFTER = 5.0
"""The same where it would have to be compiled first."""

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)


class Compiler:
    """What this process knows of compiled code: what can be compiled, whether it is, or will be."""

    def __init__(self) -> None:
        self.may_compile = not UNCOMPILED
        self.seconds_interpreted = 0.0
        self.running = False
        self.entries: list[Entry] = []
        self._callable: list[tuple[Function, Function]] = []
        self._names: dict[str, dict[str, Any]] = {}
        self._told = "numba" in sys.modules
        self._lock = threading.RLock()

    def add(self, function: Function, resolve: Function) -> None:
        """Take a function that compiled code may call, and what it is for types of arguments."""
        with self._lock:
            self._callable.append((function, resolve))
            self.note_names(function)
            if self._told:
                self.tell_numba()

    def note_names(self, function: Any) -> None:
        """Take the names that a function of the rules finds in its module."""
        with self._lock:
            names = self._names[function.__module__] = function.__globals__
            self._choose_numbers([names])

    def stay_interpreted(self) -> None:
        """Never load Numba, unless somebody else does."""
        with self._lock:
            self.may_compile = False
            self._choose_numbers(self._names.values())

    def _choose_numbers(self, modules: Iterable[dict[str, Any]]) -> None:
        """Let interpreted rules count with Python's numbers, as long as nobody can compile them.

        NumPy's are what compiled code must be told of, and take three times as long in Python.
        """
        interpreted = not (self.may_compile or self._told)
        before, after = (int64, int) if interpreted else (int, int64)
        for names in modules:
            if names.get("int64") is before:
                names["int64"] = after

    def tell_numba(self) -> None:
        """Let compiled code call the functions taken so far, and those to come."""
        from storeys.kernel import dispatching

        with self._lock:
            self._told = True
            self._choose_numbers(self._names.values())
            while self._callable:
                dispatching.tell(*self._callable.pop())

    def start(self) -> None:
        """From now on entry points run compiled."""
        with self._lock:
            if not self.running:
                self.tell_numba()
                self.running = True
                for entry in self.entries:
                    entry.compile()

    def sources(self) -> set[Path]:
        """The files of all entry points."""
        return {entry.source for entry in self.entries}


compiler = Compiler()


class Entry:
    """An entry point: interpreted, until its dispatcher stands in its module in its place."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.source = Path(function.__code__.co_filename)
        self.dispatcher: Any = None

    def compile(self) -> None:
        """Put Numba's dispatcher in the place of the function; it compiles at its first call."""
        import numba

        folder = cache_folder_of(self.source)
        # Numba reads the folder once, while decorating, so that a user's own setting is left alone.
        config: Any = numba.config
        users_own = config.CACHE_DIR
        config.CACHE_DIR = str(folder) if folder else users_own
        try:
            make = numba.njit(cache=folder is not None, nogil=True, error_model="numpy")
            self.dispatcher = make(self.function)
        finally:
            config.CACHE_DIR = users_own
        module, name = sys.modules[self.function.__module__], self.function.__name__
        # Not if a test has put something else there.
        if getattr(getattr(module, name, None), "entry", None) is self:
            setattr(module, name, self.dispatcher)

    def interpret(self, arguments: tuple[Any, ...]) -> Any:
        """Run the function as it is."""
        return self.function(*map(as_rows, arguments))


def jitable(function: F) -> F:
    """Let compiled code call a function of the rules; Python runs it as it is."""
    compiler.add(function, lambda *types: function)
    return function


def jit(function: F) -> F:
    """An entry point that does much work in a call: compiled at its first, kept on disk."""

    def stand_in(entry: Entry, arguments: tuple[Any, ...]) -> Any:
        if not compiler.may_compile or _is_interpreted(arguments):
            return entry.interpret(arguments)
        compiler.start()
        return entry.dispatcher(*arguments)

    return _entry_point(function, stand_in)


def jit_when_it_pays(function: F) -> F:
    """An entry point that does little work in a call: interpreted until compiling pays."""

    def stand_in(entry: Entry, arguments: tuple[Any, ...]) -> Any:
        if entry.dispatcher is None and not _pays(entry, arguments):
            start = time.perf_counter()
            try:
                return entry.interpret(arguments)
            finally:
                compiler.seconds_interpreted += time.perf_counter() - start
        compiler.start()
        return entry.dispatcher(*arguments)

    return _entry_point(function, stand_in)


def _entry_point(function: F, stand_in: Callable[[Entry, tuple[Any, ...]], Any]) -> F:
    entry = Entry(function)
    compiler.entries.append(entry)
    compiler.note_names(function)
    if compiler.running:
        entry.compile()
        return cast(F, entry.dispatcher)

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        return stand_in(entry, arguments)

    vars(call)["entry"] = entry
    return cast(F, call)


def _pays(entry: Entry, arguments: tuple[Any, ...]) -> bool:
    is_enough = compiler.seconds_interpreted >= PAYS_AFTER
    if not compiler.may_compile or not is_enough or _is_interpreted(arguments):
        return False
    fields = arguments[0].dtype.names
    ready = fields is not None and is_ready(fields[0], entry.source)
    return ready or compiler.seconds_interpreted >= COMPILING_PAYS_AFTER


def _is_interpreted(arguments: tuple[Any, ...]) -> bool:
    """Whether an interpreted function calls: compiled code could not read its records."""
    return isinstance(arguments[0], Rows | FastRecord)


def plain(function: Any) -> Function:
    """A function as it was written, whatever it has become."""
    entry = getattr(function, "entry", None)
    written: Function = getattr(function, "py_func", function) if entry is None else entry.function
    return written


def stay_interpreted() -> None:
    """Never load Numba in this process, however much it plays."""
    compiler.stay_interpreted()


def tell_numba() -> None:
    """Let anybody's compiled code call our verbs: Numba asks for it before it first compiles."""
    compiler.tell_numba()
