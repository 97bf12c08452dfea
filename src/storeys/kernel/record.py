"""How a game declares its state: one class of typed fields becomes one NumPy record dtype.

>>> from storeys.kernel import record
>>> class State(record.Header):
...     stock: record.IntArray = record.field("i2", 4, 4)  # blocks left, by colour and size
>>> dtype = record.record_dtype("my-game", record.__file__, State)
>>> dtype["stock"].shape, record.tag_of(dtype).startswith("my-game_")
((4, 4), True)

The class serves the reader and the type checker; at run time a state is a record of the dtype.
Its first field is named after the game and the digest of its sources: record types are
structural in Numba, so this is what tells two games apart, and a changed rule from a cached one.
"""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from storeys.kernel.caching import sources_digest

IntArray = npt.NDArray[Any]
Records = npt.NDArray[Any]
"""An array of states or tables; most calls take one of length 1, the cheapest to pass."""


int64 = cast(Callable[[Any], int], np.int64)
"""The one kind of integer that compiled code works in; a number out of an array is made one."""
WORD = np.dtype(np.int64)


class StateField:
    """A field of a state: a NumPy kind and the lengths of its axes."""

    name: str

    def __init__(self, kind: str, *shape: int) -> None:
        self.kind, self.shape = kind, shape

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


def field(kind: str, *shape: int) -> Any:
    """A field of a state: a NumPy kind like ``"i2"`` and the lengths of its axes.

    Single numbers are best "i8": compiled code then has one kind of integer, not one of each.
    """
    return StateField(kind, *shape)


class Header:
    """The fields that every game's state has."""

    rules_version: int = field("i8")  # of the rules that the match was begun under
    players: int = field("i8")
    phase: int = field("i8")  # index into the game's `phases`
    to_move: int = field("i8")  # the seat to move, -1 once the game is over
    round_no: int = field("i8")  # from 1

    # The keyed stream of storeys.kernel.chance.
    key: IntArray = field("u4", 8)
    nonce: int = field("i8")
    counter: int = field("i8")  # blocks of the stream made so far
    words: IntArray = field("u4", 16)  # the present one
    word_at: int = field("i8")  # words used of it


def record_dtype(name: str, source: str, declaration: type) -> np.dtype[Any]:
    """The dtype of a declared class; ``source`` is the ``__file__`` of the game's module."""
    tag = f"{name}_{sources_digest(Path(source).parent)}"
    # Large kinds first and the tail filled: no gap is left whose bytes a copy might not keep.
    declared = [(one.name, one.kind, one.shape) for one in fields_of(declaration)]
    fields = sorted(declared, key=lambda f: -np.dtype(f[1]).itemsize)
    used = np.dtype([(tag, "i8", ()), *fields]).itemsize
    layout = np.dtype([(tag, "i8", ()), *fields, ("filler", "u1", (-used % 8,))], align=True)
    return np.dtype((np.record, layout))


def tag_of(dtype: np.dtype[Any]) -> str:
    """The name of the first field, by which verbs find their game."""
    return str(dtype.names[0]) if dtype.names else ""


def fast_record(states: Records) -> Any:
    """The first record of an array, with quick access to its fields for Python code.

    NumPy's own records look every attribute up anew, which takes twenty times as long.
    """
    return _fast_record_class(states.dtype)(states)


def copy_of(states: Records) -> Records:
    """An independent copy; NumPy's own goes from field to field, which takes ten times as long."""
    return np.frombuffer(bytearray(states.tobytes()), states.dtype)


class Rows:
    """An array of records whose entries are fast ones: what interpreted entry points work on."""

    def __init__(self, states: Records) -> None:
        self.states, self.dtype, self.size = states, states.dtype, states.size
        self._seen: dict[int, Any] = {}

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Rows(self.states[index])
        found = self._seen.get(index)
        if found is None:
            found = self._seen[index] = fast_record(self.states[index : index + 1])
        return found

    def __setitem__(self, index: int, record: Any) -> None:
        mine = self[index]
        if mine.in_words and record.in_words:  # NumPy would go from field to field.
            mine.words_of_all[:] = record.words_of_all
        else:
            self.states[index] = record.states[0]

    def __len__(self) -> int:
        return len(self.states)

    def copy(self) -> "Rows":
        """An independent copy."""
        return Rows(copy_of(self.states))


_rows: dict[int, Rows] = {}
ROWS_KEPT = 64


def as_rows(argument: Any) -> Any:
    """An array of records as rows; anything else as it is.

    The same few arrays are asked for again and again: a match's own, and the tables of its box.
    """
    if not isinstance(argument, np.ndarray) or argument.dtype.names is None:
        return argument
    found = _rows.get(id(argument))
    if found is None or found.states is not argument:
        if len(_rows) >= ROWS_KEPT:
            _rows.clear()
        found = _rows[id(argument)] = Rows(argument)
    return found


class FastRecord:
    """What all fast records are, whatever their fields."""


@functools.cache
def _fast_record_class(dtype: np.dtype[Any]) -> type:
    """A class whose instances show arrays as views and single numbers as properties."""
    assert dtype.fields is not None
    arrays = frozenset(name for name, (kind, *_) in dtype.fields.items() if kind.shape)
    in_words = dtype.itemsize % WORD.itemsize == 0

    def look_through(self: Any, states: Records) -> None:
        self.states = states
        if in_words:
            self.words_of_all = memoryview(states.view(WORD))  # type: ignore[arg-type]  # a buffer

    def look_at(self: Any, name: str) -> Any:
        """An array that is asked for for the first time: most of them never are."""
        if name not in arrays:
            raise AttributeError(name)
        found = self.__dict__[name] = self.states[name][0]
        return found

    own: dict[str, Any] = {"__init__": look_through, "__getattr__": look_at, "dtype": dtype}
    own["in_words"] = in_words
    for name, (kind, offset, *_) in dtype.fields.items():
        if not kind.shape:
            is_word = in_words and kind == WORD and offset % WORD.itemsize == 0
            own[name] = _word(offset // WORD.itemsize) if is_word else _single(name)
    return type("FastRecord", (FastRecord,), own)


def _word(nth: int) -> property:
    """A number of 64 bits, as most are, by its place in the record."""

    def read(self: Any) -> int:
        found: int = self.words_of_all[nth]
        return found

    def write(self: Any, value: int) -> None:
        self.words_of_all[nth] = value

    return property(read, write)


def _single(name: str) -> property:
    def read(self: Any) -> int:
        return int(self.states[name][0])

    def write(self: Any, value: int) -> None:
        self.states[name][0] = value

    return property(read, write)


def fields_of(declaration: type) -> Iterator[StateField]:
    """The fields of a declared class and of those it extends, in the order they are declared."""
    for base in reversed(declaration.__mro__):
        for name, entry in vars(base).items():
            if isinstance(entry, StateField):
                if hasattr(np.ndarray, name):
                    raise TypeError(f"a field named {name!r} would hide a method of NumPy's")
                yield entry
