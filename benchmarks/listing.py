"""What listing all legal moves costs in compiled code, for every installed game."""

import time

import numpy as np

import storeys
from storeys.kernel import verbs
from storeys.kernel.compiling import jit
from storeys.kernel.record import IntArray, Records

from .timing import Contender, Effort, Label

LISTING = "Listing legal moves in compiled code"
MATCHES = 200
TIMES = 1_000


@jit
def list_often(states: Records, tables: Records, out: IntArray, times: int) -> int:
    """List the legal actions of every state so many times; says how many there were."""
    count = 0
    for _ in range(times):
        for nth in range(states.size):
            count += verbs.legal(states[nth], tables[0], out)
    return count


def contenders(effort: Effort) -> list[Contender]:
    """The mean time for a position of the middle of the game, all phases as they come."""
    return [contender(game, effort) for game in storeys.game_names()]


def contender(game: str, effort: Effort) -> Contender:
    states, tables, out = middle_games(game)
    list_often(states, tables, out, 1)  # loads or compiles what the call needs
    times = effort.of(TIMES)

    def measure() -> tuple[float]:
        start = time.perf_counter()
        list_often(states, tables, out, times)
        return (1e6 * (time.perf_counter() - start) / (times * states.size),)

    return Contender(LISTING, (Label(f"{game} legal moves listed", "µs"),), measure)


def middle_games(game: str) -> tuple[Records, Records, IntArray]:
    """Positions half-way through random matches, the component set, and room for the actions."""
    batch = storeys.arena.playouts(game, MATCHES, seed=4)
    matches = [batch.match(nth) for nth in range(MATCHES)]
    for match in matches:
        for _ in range(match.moves_made // 2):
            match.pop()
    states = np.concatenate([match.state() for match in matches])
    return states, matches[0].setup.components.tables, np.empty(matches[0].game.actions, np.int64)
