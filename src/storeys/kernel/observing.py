"""The observation tensor as a game declares it: parts of planes, one after the other.

From the parts follow the planes with their documentation and the verb ``observe``, in which every
plane has its fixed place.  What no part here can say, a game writes itself (:class:`Written`).

Who looks again and again, as a batch does, keeps a *memory* of what it saw, and the verb
``observe_again`` draws only those parts anew that have changed since (:class:`Kept`).

A tensor of floats holds every number divided by its plane's scale, one of bytes (uint8) the whole
numbers themselves.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np

from storeys.kernel import remembering
from storeys.kernel.composing import Function, compose
from storeys.kernel.remembering import COUNTED, MOST_COUNTED, SEATS


@dataclass(frozen=True)
class Plane:
    """One part of the observation tensor: numbers of one meaning, in C order.

    >>> import storeys
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> stock = match.game.planes[2]
    >>> stock.name, stock.shape, stock.meaning
    ('stock', (4, 4), 'blocks in stock, by colour and size')
    >>> match.observe(0)[432 : 432 + stock.size].reshape(stock.shape) * stock.scale
    array([[11.,  6.,  4.,  3.],
           [11.,  6.,  4.,  3.],
           [11.,  6.,  4.,  3.],
           [11.,  6.,  4.,  3.]], dtype=float32)
    """

    name: str
    shape: tuple[int, ...]
    scale: float
    """What a value was divided by, so that most lie between 0 and 1."""
    meaning: str
    wide: bool = False
    """Whether its whole numbers can leave 0 … 255: as bytes they are cut off there."""

    @property
    def size(self) -> int:
        """How many numbers it has.

        >>> from storeys.registry import get_game
        >>> [(plane.name, plane.size) for plane in get_game("manhattan").planes[:3]]
        [('storeys', 216), ('owner', 216), ('stock', 16)]
        """
        return math.prod(self.shape)


class Part(ABC):
    """Some planes and the lines of code that write them; ``viewer`` is the seat, a spectator's 0.

    The lines write whole numbers into a tensor of zeros; those of floats are divided by the scales
    afterwards.  ``names`` are the functions that the lines call.
    """

    def __init__(self, *planes: Plane) -> None:
        self.planes = planes
        self.size = sum(plane.size for plane in planes)
        self.names: dict[str, Function] = {}

    @abstractmethod
    def lines(self, at: int) -> Iterator[str]:
        """The code that writes the planes, the first of which begins at a place of the tensor."""

    def scaling(self, at: int) -> Iterator[str]:
        """The code that divides the numbers of a tensor of floats."""
        for plane, first in self.placed(at):
            if plane.scale != 1:
                yield f"divide(out, {first}, {plane.size}, {plane.scale})"

    def placed(self, at: int) -> Iterator[tuple[Plane, int]]:
        """The planes, each with the place where it begins."""
        for plane in self.planes:
            yield plane, at
            at += plane.size


class Number(Part):
    """A single number of the state, over a scale."""

    def __init__(
        self, name: str, scale: float, meaning: str, of: str = "", *, wide: bool = False
    ) -> None:
        super().__init__(Plane(name, (1,), scale, meaning, wide))
        self.of = of or name

    def lines(self, at: int) -> Iterator[str]:
        """The number at its place."""
        yield f"out[{at}] = {fitting(self.planes[0], f'state.{self.of}')}"


class OneHot(Part):
    """A 1 at the place that a number of the state says, counted from ``first``."""

    def __init__(self, name: str, size: int, meaning: str, of: str = "", first: int = 0) -> None:
        super().__init__(Plane(name, (size,), 1, f"one-hot: {meaning}"))
        self.of, self.first = of or name, first

    def lines(self, at: int) -> Iterator[str]:
        """The 1 at its place."""
        yield f"out[{at - self.first} + state.{self.of}] = 1"


class OneSeat(OneHot):
    """A 1 for a seat that the state names, counted from the viewer; none for no seat."""

    def __init__(self, name: str, meaning: str) -> None:
        super().__init__(name, SEATS, meaning)

    def lines(self, at: int) -> Iterator[str]:
        """The 1 at its place."""
        yield f"if state.{self.of} >= 0:"
        yield f"    out[{at} + seats_on(viewer, state.{self.of}, state.players)] = 1"


class OwnSeat(OneHot):
    """A 1 for the viewer's own seat."""

    def __init__(self, meaning: str) -> None:
        super().__init__("seat", SEATS, meaning)

    def lines(self, at: int) -> Iterator[str]:
        """The 1 at its place."""
        yield f"out[{at} + viewer] = 1"


class Numbers(Part):
    """An array of the state, over a scale.

    The first axis may be counted from the viewer: by the seats (``by_seat``), or by a function
    ``turned(state, viewer, nth)`` that says which entry is the nth.
    """

    def __init__(
        self,
        name: str,
        shape: tuple[int, ...],
        scale: float,
        meaning: str,
        *,
        by_seat: bool = False,
        turned: Function | None = None,
        wide: bool = False,
    ) -> None:
        super().__init__(Plane(name, shape, scale, meaning, wide))
        self.by_seat, self.turned = by_seat, turned
        if turned is not None:
            self.names = {turned.__name__: turned}

    def lines(self, at: int) -> Iterator[str]:
        """A loop for each axis."""
        plane = self.planes[0]
        first = "entry = i0"
        if self.by_seat:
            first = "entry = nth_seat(viewer, i0, state.players)"
        elif self.turned is not None:
            first = f"entry = {self.turned.__name__}(state, viewer, i0)"
        yield f"for i0 in range({'state.players' if self.by_seat else plane.shape[0]}):"
        yield f"    {first}"
        place, index, deep = "i0", "entry", "    "
        for axis, size in enumerate(plane.shape[1:], 1):
            yield f"{deep}for i{axis} in range({size}):"
            place, index, deep = f"({place}) * {size} + i{axis}", f"{index}, i{axis}", deep + "    "
        yield f"{deep}out[{at} + {place}] = {fitting(plane, f'state.{plane.name}[{index}]')}"


class Held(Part):
    """The viewer's own cards: for each slot of the hand a 1 for its kind; a spectator has none."""

    def __init__(self, name: str, slots: int, kinds: int, meaning: str) -> None:
        super().__init__(Plane(name, (slots, kinds), 1, meaning))

    def lines(self, at: int) -> Iterator[str]:
        """A loop over the slots."""
        slots, kinds = self.planes[0].shape
        yield "if seat >= 0:"
        yield f"    for slot in range({slots}):"
        yield "        if state.hands[seat, slot] >= 0:"
        yield f"            out[{at} + slot * {kinds} + state.hands[seat, slot]] = 1"


class Written(Part):
    """Planes that a function of the game writes: ``write(state, tables, seat, out, at, …)``.

    The tensor is zero before, and the function divides by the scales itself; ``more`` are further
    arguments of it.
    """

    def __init__(self, write: Function, *planes: Plane, more: Sequence[int] = ()) -> None:
        super().__init__(*planes)
        self.names, self.more = {write.__name__: write}, more

    def lines(self, at: int) -> Iterator[str]:
        """A call; for bytes, numbers that are no whole ones yet are written elsewhere first."""
        if all(plane.scale == 1 and not plane.wide for plane in self.planes):
            yield self._call("out", at)
            return
        yield "if out.itemsize > 1:"
        yield f"    {self._call('out', at)}"
        yield "else:"
        yield f"    floats = np.zeros({at + self.size}, np.float32)"
        yield f"    {self._call('floats', at)}"
        for plane, first in self.placed(at):
            yield f"    multiply(floats, out, {first}, {plane.size}, {plane.scale})"

    def scaling(self, at: int) -> Iterator[str]:
        """Nothing: the function has done it."""
        yield from ()

    def _call(self, out: str, at: int) -> str:
        (name,) = self.names
        return f"{name}(state, tables, seat, {out}, {', '.join(map(str, [at, *self.more]))})"


# --- parts that are kept


class Kept(Part):
    """Planes that a function of the game draws, and that are remembered as long as they stay.

    ``changes(state, seat)`` is a number that is another one whenever what is drawn has changed
    since the match began.  Its lowest 16 bits count what only adds to what was drawn before: the
    function is told them as ``since`` and need not draw that again.  If the bits above them change,
    all is drawn anew, over zeros and since 0.

    What is drawn are whole numbers up to 255, whatever the tensor holds.  These parts are written
    before all others, which may write over them.
    """

    slots: int
    """How many such numbers are remembered."""
    room: int
    """How many bytes of memory what is drawn takes."""

    def __init__(self, draw: Function, changes: Function, *planes: Plane) -> None:
        super().__init__(*planes)
        if any(plane.wide for plane in planes):
            raise TypeError("a plane that is kept has numbers from 0 to 255")
        self.draw, self.changes = draw.__name__, changes.__name__
        self.names = {self.draw: draw, self.changes: changes}

    def scaling(self, at: int) -> Iterator[str]:
        """Bytes are divided in a quicker way."""
        for plane, first in self.placed(at):
            if plane.scale != 1:
                high, low = remembering.inverse(plane.scale)
                yield f"copy_over(out, {first}, out, {first}, {plane.size}, {high}, {low})"

    @abstractmethod
    def lines_again(self, at: int, slot: int, place: int) -> Iterator[str]:
        """The code that brings memory up to date and copies it to its place in the tensor.

        ``slot`` is the first of its numbers in ``counts``, ``place`` its first byte in ``memory``.
        """

    def drawing(self, seat: str, slot: str, clear: Sequence[str], call: str) -> Iterator[str]:
        """The code that draws what has changed, ``call`` being what comes before ``since``."""
        yield f"now, since = {self.changes}(state, {seat}), counts[{slot}]"
        yield "if now != since:"
        yield f"    if now >> {COUNTED} != since >> {COUNTED}:"
        yield from (f"        {line}" for line in clear)
        yield "        since = 0"
        yield f"    {self.draw}(state, tables, {call})"
        yield f"    counts[{slot}] = now"


class EachSeat(Kept):
    """Planes of which every seat has its own, the first axis, the viewer's first.

    ``draw(state, tables, seat, nth, since, out, at)`` writes those of a seat as the nth of each
    plane.
    """

    slots = SEATS

    def __init__(self, draw: Function, changes: Function, *planes: Plane) -> None:
        super().__init__(draw, changes, *planes)
        self.room = self.size

    def lines(self, at: int) -> Iterator[str]:
        """A call for each seat."""
        yield "for nth in range(state.players):"
        yield "    other = nth_seat(viewer, nth, state.players)"
        yield f"    {self.draw}(state, tables, other, nth, 0, out, {at})"

    def lines_again(self, at: int, slot: int, place: int) -> Iterator[str]:
        """Draw what seats have changed; copy all, turned to the viewer."""
        sizes = [plane.size // SEATS for plane in self.planes]
        kept = [first for _, first in self.placed(place)]
        shown = [first for _, first in self.placed(at)]
        clear = [
            f"clear(memory, {first} + other * {size}, {size})"
            for first, size in zip(kept, sizes, strict=True)
        ]
        call = f"other, other, since & {MOST_COUNTED}, memory, {place}"
        yield "for other in range(state.players):"
        yield from indented(self.drawing("other", f"{slot} + other", clear, call))
        yield "for nth in range(state.players):"
        yield "    other = nth_seat(viewer, nth, state.players)"
        for plane, source, first, size in zip(self.planes, kept, shown, sizes, strict=True):
            here, to = f"{source} + other * {size}", f"{first} + nth * {size}"
            yield from indented(copying("memory", here, to, size, plane.scale))
        yield f"for nth in range(state.players, {SEATS}):"
        for first, size in zip(shown, sizes, strict=True):
            yield f"    clear(out, {first} + nth * {size}, {size})"


class Board(Kept):
    """Planes of a board that all share; seats may see it from different sides, or all alike.

    ``draw(state, tables, viewer, since, out, at)`` writes them as a viewer sees them.
    """

    def __init__(
        self, draw: Function, changes: Function, *planes: Plane, sides: int = SEATS
    ) -> None:
        super().__init__(draw, changes, *planes)
        self.slots, self.room = sides, sides * self.size

    def lines(self, at: int) -> Iterator[str]:
        """A call."""
        yield f"{self.draw}(state, tables, viewer, 0, out, {at})"

    def lines_again(self, at: int, slot: int, place: int) -> Iterator[str]:
        """Draw what has changed since it was seen from this side; copy it."""
        side = "viewer" if self.slots > 1 else "0"
        yield f"start = {place} + {side} * {self.size}"
        clear, call = f"clear(memory, start, {self.size})", "viewer, since & {}, memory, start"
        yield from self.drawing("viewer", f"{slot} + {side}", [clear], call.format(MOST_COUNTED))
        for plane, first in self.placed(at):
            here = f"start + {first - at}"
            yield from copying("memory", here, str(first), plane.size, plane.scale)


def copying(source: str, here: str, to: str, size: int, scale: float) -> Iterator[str]:
    """The code that copies bytes from one array to the tensor."""
    plain = f"copy({source}, {here}, out, {to}, {size})"
    if scale == 1:
        yield plain
        return
    high, low = remembering.inverse(scale)
    yield "if out.itemsize == 1:"
    yield f"    {plain}"
    yield "else:"
    yield f"    copy_over({source}, {here}, out, {to}, {size}, {high}, {low})"


def indented(lines: Iterable[str]) -> Iterator[str]:
    """Lines of code within something."""
    return (f"    {line}" for line in lines)


def fitting(plane: Plane, number: str) -> str:
    """A number that may be too large for a byte, cut off if it has to be."""
    return f"cut_off({number}, out)" if plane.wide else number


HELPERS = {
    helper.__name__: helper
    for helper in (
        remembering.clear,
        remembering.copy,
        remembering.copy_over,
        remembering.cut_off,
        remembering.divide,
        remembering.multiply,
        remembering.nth_seat,
        remembering.seats_on,
    )
} | {"np": np}
"""What the lines of all parts may call."""


@dataclass(frozen=True)
class Observation:
    """All parts of a game's tensor, in order."""

    parts: tuple[Part, ...]
    planes: tuple[Plane, ...] = field(init=False)

    def __post_init__(self) -> None:
        planes = tuple(plane for part in self.parts for plane in part.planes)
        object.__setattr__(self, "planes", planes)

    @property
    def slots(self) -> int:
        """How many numbers ``observe_again`` needs to know what has changed."""
        return sum(part.slots for part in self._kept())

    @property
    def room(self) -> int:
        """How many bytes of memory it needs."""
        return sum(part.room for part in self._kept())

    def verb(self, title: str) -> Function:
        """The verb ``observe``; a spectator (-1) sees as seat 0, without a hand."""
        lines = ["out[:] = 0", "viewer = max(seat, 0)"]
        for part, at in self._kept_first():
            lines += part.lines(at)
        lines += self._scaling(*self._placed())
        return self._compose("observe", "state, tables, seat, out", lines, title)

    def verb_again(self, title: str) -> Function:
        """The verb ``observe_again``: what is kept is copied, all the rest written anew."""
        lines, slot, place = ["viewer = max(seat, 0)"], 0, 0
        for part, at in self._placed():
            if isinstance(part, Kept):
                lines += part.lines_again(at, slot, place)
                slot, place = slot + part.slots, place + part.room
        for first, size in self._runs_not_kept():
            lines.append(f"clear(out, {first}, {size})")
        others = [(part, at) for part, at in self._placed() if not isinstance(part, Kept)]
        for part, at in others:
            lines += part.lines(at)
        lines += self._scaling(*others)
        return self._compose(
            "observe_again", "state, tables, seat, counts, memory, out", lines, title
        )

    def _compose(self, name: str, arguments: str, lines: list[str], title: str) -> Function:
        names: dict[str, Any] = dict(HELPERS)
        for part in self.parts:
            names |= part.names
        return compose(name, arguments, lines, names, title)

    def _kept(self) -> Iterator[Kept]:
        return (part for part in self.parts if isinstance(part, Kept))

    def _placed(self) -> Iterator[tuple[Part, int]]:
        at = 0
        for part in self.parts:
            yield part, at
            at += part.size

    def _kept_first(self) -> list[tuple[Part, int]]:
        return sorted(self._placed(), key=lambda placed: not isinstance(placed[0], Kept))

    def _runs_not_kept(self) -> Iterator[tuple[int, int]]:
        """Where the tensor is not copied from memory, as places and lengths."""
        for kept, run in groupby(self._placed(), lambda placed: isinstance(placed[0], Kept)):
            if not kept:
                placed = list(run)
                yield placed[0][1], sum(part.size for part, _ in placed)

    def _scaling(self, *placed: tuple[Part, int]) -> Iterator[str]:
        lines = [line for part, at in placed for line in part.scaling(at)]
        if lines:
            yield "if out.itemsize > 1:"
            yield from indented(lines)
