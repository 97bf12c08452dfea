"""Contenders, rounds and figures.

Every round runs every contender once, so that a busy moment of the machine falls on all alike and
the two sides of a ratio are seconds apart. Nothing here, or anywhere else, fails on a time.
"""

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Label(NamedTuple):
    """What a figure is of, and its unit."""

    name: str
    unit: str


@dataclass(frozen=True)
class Contender:
    """Something that runs once a round and gives one number for each of its labels."""

    section: str
    labels: tuple[Label, ...]
    measure: Callable[[], Sequence[float]]


@dataclass(frozen=True)
class Figure:
    """The numbers that the rounds gave for one label."""

    section: str
    label: Label
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The number to quote."""
        return statistics.median(self.values)

    @property
    def best(self) -> float:
        """That of the round in which the machine did least else."""
        return max(self.values) if self.label.unit.endswith("/s") else min(self.values)

    @property
    def spread(self) -> float:
        """How far the rounds lay apart, as a share of the median."""
        return (max(self.values) - min(self.values)) / self.median if self.median else 0.0


@dataclass(frozen=True)
class Effort:
    """How many rounds, and which share of the full work a round does."""

    rounds: int
    share: float

    def of(self, full: int) -> int:
        """This effort's part of the full amount of work."""
        return max(1, round(full * self.share))


FULL = Effort(rounds=5, share=1.0)
QUICK = Effort(rounds=1, share=0.1)


def run_rounds(
    contenders: Sequence[Contender], rounds: int, tell: Callable[[str], object]
) -> dict[Label, Figure]:
    """Run every contender once a round; ``tell`` hears which round begins."""
    readings: list[list[Sequence[float]]] = [[] for _ in contenders]
    for number in range(1, rounds + 1):
        tell(f"Round {number} of {rounds} …")
        for contender, taken in zip(contenders, readings, strict=True):
            taken.append(contender.measure())
    return {
        label: Figure(contender.section, label, values)
        for contender, taken in zip(contenders, readings, strict=True)
        for label, values in zip(contender.labels, zip(*taken, strict=True), strict=True)
    }


def ratio(section: str, name: str, above: Figure, below: Figure) -> Figure:
    """The ratio of two figures, taken round by round."""
    pairs = zip(above.values, below.values, strict=True)
    return Figure(section, Label(name, "×"), tuple(a / b for a, b in pairs))


def ratios_of(
    section: str, pairs: Iterable[tuple[str, Label, Label]], found: dict[Label, Figure]
) -> list[Figure]:
    """Named ratios of figures, as far as both sides were measured."""
    return [
        ratio(section, name, found[above], found[below])
        for name, above, below in pairs
        if above in found and below in found
    ]


def seconds_of(work: Callable[[], object]) -> float:
    """How long a piece of work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def calls_a_second(call: Callable[[T], object], arguments: Sequence[T]) -> float:
    """How often a call is made in a second by a plain Python loop over its arguments."""
    start = time.perf_counter()
    for argument in arguments:
        call(argument)
    return len(arguments) / (time.perf_counter() - start)
