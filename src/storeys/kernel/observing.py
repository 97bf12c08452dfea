"""The observation tensor as a game declares it: parts of planes, one after the other.

From the parts follow the planes with their documentation and the verb ``observe``, in which every
plane has its fixed place.  What no part here can say, a game writes itself (:class:`Written`).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from storeys.kernel.composing import Function, compose


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

    ``names`` are the functions that the lines call.
    """

    def __init__(self, *planes: Plane) -> None:
        self.planes = planes
        self.names: dict[str, Function] = {}

    @abstractmethod
    def lines(self, at: int) -> Iterator[str]:
        """The code that writes the planes, the first of which begins at a place of the tensor."""


class Number(Part):
    """A single number of the state, over a scale."""

    def __init__(self, name: str, scale: float, meaning: str, of: str = "") -> None:
        super().__init__(Plane(name, (1,), scale, meaning))
        self.of = of or name

    def lines(self, at: int) -> Iterator[str]:
        """The number at its place."""
        yield f"out[{at}] = state.{self.of}{over(self.planes[0].scale)}"


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
        super().__init__(name, 4, meaning)

    def lines(self, at: int) -> Iterator[str]:
        """The 1 at its place."""
        yield f"if state.{self.of} >= 0:"
        yield f"    out[{at} + (state.{self.of} - viewer) % state.players] = 1"


class OwnSeat(OneHot):
    """A 1 for the viewer's own seat."""

    def __init__(self, meaning: str) -> None:
        super().__init__("seat", 4, meaning)

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
    ) -> None:
        super().__init__(Plane(name, shape, scale, meaning))
        self.by_seat, self.turned = by_seat, turned
        if turned is not None:
            self.names = {turned.__name__: turned}

    def lines(self, at: int) -> Iterator[str]:
        """A loop for each axis."""
        plane = self.planes[0]
        indices = [f"i{axis}" for axis in range(len(plane.shape))]
        for axis, size in enumerate(plane.shape):
            count = "state.players" if self.by_seat and axis == 0 else str(size)
            yield f"{'    ' * axis}for {indices[axis]} in range({count}):"
        deep = "    " * len(plane.shape)
        place = indices[0]
        for size, index in zip(plane.shape[1:], indices[1:], strict=True):
            place = f"({place}) * {size} + {index}"
        if self.by_seat:
            indices[0] = "(viewer + i0) % state.players"
        elif self.turned is not None:
            indices[0] = f"{self.turned.__name__}(state, viewer, i0)"
        source = f"state.{plane.name}[{', '.join(indices)}]"
        yield f"{deep}out[{at} + {place}] = {source}{over(plane.scale)}"


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

    The tensor is zero before; ``more`` are further arguments of the function.
    """

    def __init__(self, write: Function, *planes: Plane, more: Sequence[int] = ()) -> None:
        super().__init__(*planes)
        self.names, self.more = {write.__name__: write}, more

    def lines(self, at: int) -> Iterator[str]:
        """A call."""
        (name,) = self.names
        yield f"{name}(state, tables, seat, out, {', '.join(map(str, [at, *self.more]))})"


def over(scale: float) -> str:
    """A division by a scale, where it is one."""
    return "" if scale == 1 else f" / {scale}"


@dataclass(frozen=True)
class Observation:
    """All parts of a game's tensor, in order."""

    parts: tuple[Part, ...]
    planes: tuple[Plane, ...] = field(init=False)

    def __post_init__(self) -> None:
        planes = tuple(plane for part in self.parts for plane in part.planes)
        object.__setattr__(self, "planes", planes)

    def verb(self, title: str) -> Function:
        """The verb ``observe``; a spectator (-1) sees as seat 0, without a hand."""
        lines, names, at = ["out[:] = 0", "viewer = max(seat, 0)"], dict[str, Any](), 0
        for part in self.parts:
            lines += part.lines(at)
            names |= part.names
            at += sum(plane.size for plane in part.planes)
        return compose("observe", "state, tables, seat, out", lines, names, title)
