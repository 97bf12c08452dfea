"""Which functions are dear to compile: ``python -m benchmarks.compiling [--most 15]``.

Every game is warmed in a process of its own with an empty cache, and all that Numba compiles is
timed there, in seconds of one core: a function with all that is compiled because of it, and by
itself.  Numba's own functions are among them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table

import storeys

WIDE = 160


class Compiled(NamedTuple):
    """What was compiled of one function, for all kinds of arguments together."""

    name: str
    times: int
    own: float
    with_callees: float


class Warmed(NamedTuple):
    """What warming a game took: seconds for playing, what research adds, and the functions."""

    playing: float
    contests: float
    environments: float
    functions: list[Compiled]


def main() -> None:
    """Measure all games, then print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compiling", description=__doc__)
    parser.add_argument("game", nargs="?", help="measure this game in this process, print JSON")
    parser.add_argument("--most", type=int, default=15, help="how many functions to print")
    arguments = parser.parse_args()
    if arguments.game:
        print(json.dumps(measure(arguments.game)))
        return
    found = {game: in_a_fresh_process(game) for game in storeys.game_names()}
    functions = [line for warmed in found.values() for line in warmed.functions]
    out = Console(width=WIDE)
    out.print(make_table(merge(functions), arguments.most))
    for game, warmed in found.items():
        times = sum(line.times for line in warmed.functions)
        seconds = f"{warmed.playing:.1f} s"
        seconds += f", contests {warmed.contests:.1f} s more"
        seconds += f", environments {warmed.environments:.1f} s more"
        out.print(f"{game}: {times} compilations; {seconds}", highlight=False)


def in_a_fresh_process(game: str) -> Warmed:
    """Warm a game where nothing is compiled yet."""
    with tempfile.TemporaryDirectory() as empty:
        printed = subprocess.run(
            [sys.executable, "-m", "benchmarks.compiling", game],
            env=os.environ | {"STOREYS_CACHE": empty, "STOREYS_UNCOMPILED": "0"},
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
    playing, contests, environments, functions = json.loads(printed)
    lines = [Compiled(*line) for line in functions]
    return Warmed(playing, contests, environments, lines)


def measure(game: str) -> Warmed:
    """Warm a game in this process."""
    from storeys.warming import steps_for_contests, steps_for_environments, steps_to_play

    listener = listen()
    playing = cpu_seconds_of(steps_to_play(game))
    functions = listener.functions()
    contests = cpu_seconds_of(steps_for_contests(game))
    return Warmed(playing, contests, cpu_seconds_of(steps_for_environments(game)), functions)


def cpu_seconds_of(steps: Iterable[tuple[str, Any]]) -> float:
    start = time.process_time()
    for _, step in steps:
        step()
    return time.process_time() - start


def listen() -> Any:
    """Begin to take the time of all that Numba compiles."""
    from numba.core import event

    class Listener(event.Listener):
        """Compilations lie one within another: whoever calls waits for what it calls."""

        def __init__(self) -> None:
            self._open: list[tuple[float, list[float]]] = []
            self._times: dict[str, list[tuple[float, float]]] = defaultdict(list)

        def on_start(self, happened: Any) -> None:
            self._open.append((time.process_time(), []))

        def on_end(self, happened: Any) -> None:
            start, within = self._open.pop()
            whole = time.process_time() - start
            if self._open:
                self._open[-1][1].append(whole)
            name = name_of(happened.data["dispatcher"].py_func)
            self._times[name].append((whole - sum(within), whole))

        def functions(self) -> list[Compiled]:
            return [
                Compiled(name, len(taken), sum(own for own, _ in taken), sum(w for _, w in taken))
                for name, taken in self._times.items()
            ]

    listener = Listener()
    register: Any = event.register
    register("numba:compile", listener)
    return listener


def name_of(function: Any) -> str:
    """Module and name, without what all of ours have in common."""
    module = (function.__module__ or "written by the kernel").removeprefix("storeys.")
    return f"{module}.{function.__qualname__.replace('<locals>.', '')}"


def merge(functions: Iterable[Compiled]) -> list[Compiled]:
    """Add up the lines of each function, the dearest first."""
    lines: dict[str, list[Compiled]] = defaultdict(list)
    for line in functions:
        lines[line.name].append(line)
    added = [
        Compiled(
            name,
            sum(line.times for line in found),
            sum(line.own for line in found),
            sum(line.with_callees for line in found),
        )
        for name, found in lines.items()
    ]
    return sorted(added, key=lambda line: -line.own)


def make_table(functions: list[Compiled], most: int) -> Table:
    """The dearest functions, as Markdown, and what all take together."""
    table = Table(box=box.MARKDOWN)
    table.add_column("Function", no_wrap=True)
    for heading in ("Times", "Own CPU s", "With callees"):
        table.add_column(heading, justify="right")
    for name, times, own, whole in functions[:most]:
        table.add_row(f"`{name}`", str(times), f"{own:.2f}", f"{whole:.2f}")
    rest, left = functions[most:], len(functions) - most
    table.add_row(
        f"{max(left, 0)} others", str(sum(f.times for f in rest)), f"{sum(f.own for f in rest):.2f}"
    )
    return table


if __name__ == "__main__":
    main()
