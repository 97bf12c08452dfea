"""What evaluating a position costs in compiled code, and how quickly a bot decides.

By itself, to compare two checkouts in turns: ``python -m benchmarks.thinking``.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from rich.console import Console

import storeys
from storeys.kernel import verbs
from storeys.kernel.compiling import jit
from storeys.kernel.record import IntArray, Records

from . import report
from .listing import middle_games
from .timing import FULL, Contender, Effort, Label, calls_a_second, run_rounds

THINKING = "Evaluations in compiled code, and decisions of bots"
TIMES = 200
MATCHES = 40
WIDE = 120


@jit
def evaluate_often(states: Records, tables: Records, out: IntArray, times: int) -> float:
    """Evaluate every state so many times, all seats of it."""
    total = 0.0
    for _ in range(times):
        for nth in range(states.size):
            verbs.evaluate(states[nth], tables[0], out)
            total += out[0]
    return total


@jit
def evaluate_a_seat_often(states: Records, tables: Records, out: IntArray, times: int) -> float:
    """Evaluate every state so many times for its first seat."""
    total = 0.0
    for _ in range(times):
        for nth in range(states.size):
            total += verbs.evaluate_seat(states[nth], tables[0], 0)
    return total


def contenders(effort: Effort) -> list[Contender]:
    """Positions half-way through random matches: as they are, and as seat 0 sees them."""
    return [one for game in storeys.game_names() for one in contenders_of(game, effort)]


def contenders_of(game: str, effort: Effort) -> list[Contender]:
    full, tables, _ = middle_games(game)
    blinded = full.copy()
    for nth in range(blinded.size):
        storeys.kernel.entry_points.blind(blinded[nth : nth + 1], tables, 0)
    forms = {
        f"{game} evaluation": (evaluate_often, full),
        f"{game} evaluation, blinded": (evaluate_often, blinded),
        f"{game} evaluation of a seat, blinded": (evaluate_a_seat_often, blinded),
    }
    evaluations = [
        evaluation(name, call, states, tables, effort.of(TIMES))
        for name, (call, states) in forms.items()
    ]
    return [*evaluations, *decisions(game, effort.of(MATCHES))]


def evaluation(
    name: str, call: Callable[..., float], states: Records, tables: Records, times: int
) -> Contender:
    out = np.zeros(int(states[0].players))
    call(states, tables, out, 1)  # loads or compiles what the call needs

    def measure() -> tuple[float]:
        start = time.perf_counter()
        call(states, tables, out, times)
        return (1e6 * (time.perf_counter() - start) / (times * states.size),)

    return Contender(THINKING, (Label(name, "µs"),), measure)


def decisions(game: str, count: int) -> list[Contender]:
    """`builder` at every stage of some random matches, asked with the match and with its view."""
    batch, bot = storeys.arena.playouts(game, count, seed=4), storeys.bot("builder", seed=1)
    finished = [batch.match(nth) for nth in range(count)]
    matches = [match.at(nth * match.moves_made // count) for nth, match in enumerate(finished)]
    bot.choose_for(matches[0])  # loads or compiles what it needs
    bot.choose(matches[0].view(matches[0].to_move))

    def measure(decide: Callable[[storeys.Match], object]) -> tuple[float]:
        return (calls_a_second(decide, matches),)

    ways: Sequence[tuple[str, Callable[[storeys.Match], object]]] = (
        ("builder", bot.choose_for),
        ("builder from a view", lambda match: bot.choose(match.view(match.to_move))),
    )
    return [
        Contender(THINKING, (Label(f"{game} {name}", "decisions/s"),), partial(measure, decide))
        for name, decide in ways
    ]


def main() -> None:
    """Measure this alone, then print."""
    out = Console(width=WIDE, highlight=False)
    for label, figure in run_rounds(contenders(FULL), FULL.rounds, out.print).items():
        out.print(f"{label.name}: {report.rounded(figure.median)} {label.unit}")


if __name__ == "__main__":
    main()
