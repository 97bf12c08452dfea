"""What the batched environments do in a second, for every installed game."""

import time

import storeys
from storeys.envs.batch import Batch, batch

from .ours import default_players
from .timing import Contender, Effort, Figure, Label, ratio

BATCHES = "Batched environments, with observations and masks"
SIZES = (1, 16, 256, 4096)
USUAL = 256
"""The number of games that targets and ratios are for."""
ACTIONS = 300_000
"""Actions that a reading takes, whatever the number of games,"""
FEWEST, MOST = 200, 20_000
"""but at least and at most so many steps: with 200, games end in every reading."""


def contenders(effort: Effort) -> list[Contender]:
    """One thread for every size, two threads where there is something to share."""
    cases = [(size, 1) for size in SIZES] + [(size, 2) for size in SIZES if size >= USUAL]
    return [
        contender(game, size, threads, effort)
        for game in storeys.game_names()
        for size, threads in cases
    ]


def name_of(game: str, size: int, threads: int = 1) -> str:
    games = "1 game" if size == 1 else f"{size:,} games"
    name = f"{game} batch of {games}, {default_players(game)} players"
    return name if threads == 1 else f"{name}, {threads} threads"


def contender(game: str, size: int, threads: int, effort: Effort) -> Contender:
    """Random legal actions, drawn by the batch itself; games that end are followed by others."""
    steps = effort.of(min(max(ACTIONS // size, FEWEST), MOST))

    def measure() -> tuple[float]:
        # Made anew for every reading: all of them together would fill the memory.
        games = batch(game, size, seed=1, threads=threads)
        games.reset()
        play(games, 1)
        start = time.perf_counter()
        play(games, steps)
        seconds = time.perf_counter() - start
        games.close()
        return (steps * size / seconds,)

    measure()  # loads or compiles the rules
    return Contender(BATCHES, (Label(name_of(game, size, threads), "steps/s"),), measure)


def play(games: Batch, steps: int) -> None:
    for _ in range(steps):
        games.step(games.sample())


def ratios(section: str, found: dict[Label, Figure]) -> list[Figure]:
    """How much a batch gains from more games and from a second thread."""
    return [
        ratio(section, f"{game} batch, {what}", at(found, game, *above), at(found, game, *below))
        for game in storeys.game_names()
        for what, above, below in (
            (f"{USUAL} games ÷ 1", (USUAL, 1), (1, 1)),
            ("4,096 games, 2 threads ÷ 1", (4096, 2), (4096, 1)),
        )
    ]


def at(found: dict[Label, Figure], game: str, size: int, threads: int) -> Figure:
    return found[Label(name_of(game, size, threads), "steps/s")]
