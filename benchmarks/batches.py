"""What the batched environments do in a second, for every installed game."""

import time
from typing import NamedTuple

import numpy as np

import storeys
from storeys.envs.batch import Batch, batch

from .ours import default_players
from .timing import Contender, Effort, Figure, Label, ratios_of

BATCHES = "Batched environments, with observations and masks"
SIZES = (1, 16, 256, 4096)
USUAL = 256
"""The number of games that targets and ratios are for."""
ACTIONS = 300_000
"""Actions that a reading takes, whatever the number of games,"""
FEWEST, MOST = 200, 20_000
"""but at least and at most so many steps: with 200, games end in every reading."""
FLOATS, BYTES = "float32", "uint8"


class Case(NamedTuple):
    """A batch to be measured."""

    game: str
    size: int
    threads: int = 1
    dtype: str = FLOATS

    @property
    def name(self) -> str:
        """Floats and one thread are not worth a word."""
        games = "1 game" if self.size == 1 else f"{self.size:,} games"
        parts = [f"{self.game} batch of {games}, {default_players(self.game)} players"]
        if self.dtype != FLOATS:
            parts.append(self.dtype)
        if self.threads > 1:
            parts.append(f"{self.threads} threads")
        return ", ".join(parts)

    @property
    def label(self) -> Label:
        """Of its figure."""
        return Label(self.name, "steps/s")

    @property
    def of_copying(self) -> Label:
        """Of the figure of copying its arrays."""
        return Label(f"{self.name}, copying alone", "steps/s")


def contenders(effort: Effort) -> list[Contender]:
    """All sizes; threads, bytes and copying where there is something to share and to copy."""
    found = []
    for game in storeys.game_names():
        found += [contender(Case(game, size), effort) for size in SIZES if size < USUAL]
        for size in (size for size in SIZES if size >= USUAL):
            for dtype in (FLOATS, BYTES):
                cases = [Case(game, size, threads, dtype) for threads in (1, 2)]
                found += [contender(case, effort) for case in cases]
                found.append(copying(cases[0], effort))
    return found


def contender(case: Case, effort: Effort) -> Contender:
    """Random legal actions, drawn by the batch itself; games that end are followed by others."""
    steps = steps_of(case, effort)

    def measure() -> tuple[float]:
        # Made anew for every reading: all of them together would fill the memory.
        games = batch(case.game, case.size, seed=1, threads=case.threads, dtype=case.dtype)
        games.reset()
        play(games, 1)
        start = time.perf_counter()
        play(games, steps)
        seconds = time.perf_counter() - start
        games.close()
        return (steps * case.size / seconds,)

    measure()  # loads or compiles the rules
    return Contender(BATCHES, (case.label,), measure)


def copying(case: Case, effort: Effort) -> Contender:
    """What is left if a step does nothing but copy as many bytes: the bound of all steps."""
    steps = steps_of(case, effort)

    def measure() -> tuple[float]:
        games = batch(case.game, case.size, seed=1, dtype=case.dtype)
        games.reset()
        shown = games.observations, games.action_masks
        kept = [array.copy() for array in shown]
        start = time.perf_counter()
        for _ in range(steps):
            for target, source in zip(shown, kept, strict=True):
                np.copyto(target, source)
        return (steps * case.size / (time.perf_counter() - start),)

    return Contender(BATCHES, (case.of_copying,), measure)


def steps_of(case: Case, effort: Effort) -> int:
    return effort.of(min(max(ACTIONS // case.size, FEWEST), MOST))


def play(games: Batch, steps: int) -> None:
    for _ in range(steps):
        games.step(games.sample())


def ratios(section: str, found: dict[Label, Figure]) -> list[Figure]:
    """How much a batch gains from more games and from a second thread, and what copying leaves."""
    pairs = [
        pair
        for game in storeys.game_names()
        for pair in (
            (f"{game} batch, {USUAL} games ÷ 1", Case(game, USUAL).label, Case(game, 1).label),
            *(
                (
                    f"{game} batch, {size:,} games, 2 threads ÷ 1",
                    Case(game, size, 2).label,
                    Case(game, size).label,
                )
                for size in (USUAL, 4096)
            ),
            *(
                (
                    f"{game} batch, {USUAL} games of {dtype} ÷ copying alone",
                    Case(game, USUAL, 1, dtype).label,
                    Case(game, USUAL, 1, dtype).of_copying,
                )
                for dtype in (FLOATS, BYTES)
            ),
        )
    ]
    return ratios_of(section, pairs, found)
