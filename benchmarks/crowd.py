"""What many people at once need, by simulation: ``python -m benchmarks.crowd``.

One process is simulated as what it is, a single processor with a queue in front of it, with what
``python -m benchmarks.load`` measures for a move and those who see it. How many tables it can have
follows from how long people think and how long they are willing to wait; the rest is counting.
"""

import argparse
import heapq
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich import box
from rich.console import Console
from rich.table import Table

CROWDS = (10_000, 1_000_000)


@dataclass(frozen=True)
class Figures:
    """What is measured: by ``benchmarks.load`` at half the goal, like the page."""

    move_ms: float
    """CPU of a process for a move and the four who see it."""
    move_kb: float
    """What is sent to those four, compressed."""
    stream_kb: float
    """Memory of a process for an open stream."""


MEASURED = Figures(move_ms=10.9, move_kb=26.0, stream_kb=62.0)
"""What docs/scale.md is written for; after another measurement, change it here and paste there."""


@dataclass(frozen=True)
class Habits:
    """What is assumed of people, and of machines that were not measured here."""

    people_a_table: float = 2.5
    bots_a_table: float = 0.7
    seconds_a_move: float = 8.0
    """From one move at a table to the next, in the mean: one thinks, the others wait."""
    patience_ms: float = 100.0
    """99 of 100 moves are seen by everybody within this time."""
    bot_seconds: float = 1.0
    """CPU of a bot's move; those that look far ahead take all the time they are given."""
    cores_a_machine: int = 16
    notified_a_second: float = 20_000.0
    """Notifications that one PostgreSQL hands out in a second, over all who listen."""
    rows_a_second: float = 5_000.0
    """Events that one PostgreSQL writes in a second, each with its own commit."""

    @property
    def share_thinking(self) -> float:
        """Moves of people among all moves."""
        return self.people_a_table / (self.people_a_table + self.bots_a_table)


def waits(tables: int, figures: Figures, habits: Habits, moves: int, seed: int = 1) -> list[float]:
    """Milliseconds from a post to the last picture, at one process with so many tables.

    A table makes a move after a random time; the process does one thing after the other: the post,
    which is two fifths of the work, and then a picture for each viewer.
    """
    rng = random.Random(seed)
    seats = habits.people_a_table
    viewers = max(1, round(seats))
    post, view = 0.4 * figures.move_ms, 0.6 * figures.move_ms / 4
    mean = 1000 * habits.seconds_a_move
    coming = [(rng.expovariate(1 / mean), nth, 0, 0.0) for nth in range(tables)]
    heapq.heapify(coming)
    free, found = 0.0, list[float]()
    while len(found) < moves:
        now, table, done, posted = heapq.heappop(coming)
        posted = now if done == 0 else posted
        # Positions differ: what a request takes does too.
        free = max(free, now) + rng.gammavariate(4, (post if done == 0 else view) / 4)
        if done < viewers:
            heapq.heappush(coming, (free, table, done + 1, posted))
            continue
        found.append(free - posted)
        heapq.heappush(coming, (free + rng.expovariate(1 / mean), table, 0, 0.0))
    return sorted(found)


def quantile(times: Sequence[float], share: float) -> float:
    """A quantile of sorted times."""
    return times[min(len(times) - 1, int(share * len(times)))]


def most_tables(figures: Figures, habits: Habits, moves: int) -> int:
    """How many tables one process can have."""
    low, high = 1, math.ceil(1000 * habits.seconds_a_move / figures.move_ms * 2)
    while low < high:
        middle = (low + high + 1) // 2
        if quantile(waits(middle, figures, habits, moves), 0.99) <= habits.patience_ms:
            low = middle
        else:
            high = middle - 1
    return low


def needs(
    people: int, a_process: int, figures: Figures, habits: Habits
) -> Iterator[tuple[str, str]]:
    """What so many people at once need."""
    tables = people / habits.people_a_table
    moves = tables / habits.seconds_a_move
    processes = math.ceil(tables / a_process)
    yield "tables", f"{tables:,.0f}"
    yield "moves a second", f"{moves:,.0f}"
    yield "processes that answer", f"{processes:,}"
    yield "machines for them", f"{math.ceil(processes / habits.cores_a_machine):,}"
    yield "streams a process", f"{people / processes:,.0f}"
    yield "memory for streams a process", f"{people / processes * figures.stream_kb / 1000:,.0f} MB"
    yield "sent in all", f"{moves * figures.move_kb * habits.people_a_table / 4 * 8e-6:,.2f} Gbit/s"
    bots = moves * (1 - habits.share_thinking) * habits.bot_seconds
    yield "cores for bots", f"{math.ceil(bots):,}"
    yield "databases by events written", f"{math.ceil(moves / habits.rows_a_second):,}"
    told = moves * processes
    yield "notifications a second, each process told of all", f"{told:,.0f}"
    yield "the same, streams pinned by table", f"{moves:,.0f}"
    yield "databases by notifications to all", f"{math.ceil(told / habits.notified_a_second):,}"


def main() -> None:
    """Print what one process can do, and what the crowds need."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crowd", description=__doc__)
    for name, what in (
        ("move-ms", "CPU of a move, as measured"),
        ("move-kb", "sent for a move, as measured"),
        ("stream-kb", "memory of an open stream"),
    ):
        usual = getattr(MEASURED, name.replace("-", "_"))
        parser.add_argument(f"--{name}", type=float, default=usual, help=what)
    parser.add_argument("--seconds-a-move", type=float, default=Habits.seconds_a_move)
    parser.add_argument("--markdown", action="store_true", help="tables as docs/scale.md has them")
    parser.add_argument("--moves", type=int, default=20_000, help="simulated for each point")
    given = parser.parse_args()
    figures = Figures(given.move_ms, given.move_kb, given.stream_kb)
    habits = replace(Habits(), seconds_a_move=given.seconds_a_move)
    most = most_tables(figures, habits, given.moves)
    out = Console(width=120)
    how = box.MARKDOWN if given.markdown else box.HEAVY_HEAD
    curve = Table("tables at one process", "moves/s", "busy", "p50 ms", "p99 ms", box=how)
    for tables in sorted(
        {max(1, round(most * share)) for share in (0.25, 0.5, 0.8, 0.9, 1.0, 1.1)}
    ):
        found, rate = waits(tables, figures, habits, given.moves), tables / habits.seconds_a_move
        viewers = max(1, round(habits.people_a_table))
        busy = rate * figures.move_ms * (0.4 + 0.15 * viewers) / 1000
        times = (quantile(found, 0.5), quantile(found, 0.99))
        curve.add_row(f"{tables:,}", f"{rate:.0f}", f"{busy:.0%}", *(f"{one:.0f}" for one in times))
    out.print(curve)
    columns = [dict(needs(people, most, figures, habits)) for people in CROWDS]
    crowd = Table(
        "needed for so many people at once", *(f"{people:,}" for people in CROWDS), box=how
    )
    for name in columns[0]:
        crowd.add_row(name, *(column[name] for column in columns))
    out.print(crowd)


if __name__ == "__main__":
    main()
