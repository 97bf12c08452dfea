"""What is measured of storeys in processes of its own: importing, starting, compiling."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache, partial

import storeys

from . import compiling
from .timing import Contender, Effort, Label, seconds_of

STARTS = "Starting, in fresh processes"
CPU = "CPU s"

IMPORT = "import storeys"
COUNT_NUMBA = """
import sys, storeys
print(sum(name.split(".")[0] == "numba" for name in sys.modules))
"""
FIRST_MOVE = """
import storeys
match = storeys.new({game!r}, seed=1)
match.push(match.legal_moves[0])
"""


def contenders(effort: Effort) -> list[Contender]:
    """Python itself, the import, every game's first move, and compiling all that is compiled."""
    return [
        whole_process("python -c pass", "pass"),
        whole_process(IMPORT, IMPORT),
        printed(COUNT_NUMBA, Label("numba modules that the import loads", "modules")),
        *(second_start(game) for game in storeys.game_names()),
        warming(storeys.game_names()),
    ]


def whole_process(name: str, code: str) -> Contender:
    """The life of a process, the start and the end of the interpreter included."""
    run_python(code)  # writes bytecode, which an installed package has

    def measure() -> tuple[float]:
        return (seconds_of(partial(run_python, code)),)

    return Contender(STARTS, (Label(name, "s"),), measure)


def second_start(game: str) -> Contender:
    """A process that makes one move, of a game that an earlier process has played."""
    return whole_process(f"{game} second start to the first move", FIRST_MOVE.format(game=game))


def warming(games: Sequence[str]) -> Contender:
    """What `storeys warm` compiles on a new machine: rules, playouts and bots; what is added."""
    labels = [Label(f"{game} compiled", CPU) for game in games]
    more = [Label(f"{game} environments compiled", CPU) for game in games]
    whole = [Label(f"all {what} compiled", CPU) for what in ("games", "contests", "environments")]

    def measure() -> list[float]:
        found = [compiling.in_a_fresh_process(game) for game in games]
        playing = [warmed.playing for warmed in found]
        environments = [warmed.environments for warmed in found]
        contests = sum(warmed.contests for warmed in found)
        return [*playing, *environments, sum(playing), contests, sum(environments)]

    return Contender(STARTS, (*labels, *more, *whole), measure)


def printed(code: str, *labels: Label) -> Contender:
    """The numbers that a process with an empty cache prints, one for each label."""

    def measure() -> list[float]:
        with tempfile.TemporaryDirectory() as empty:
            return [float(number) for number in run_python(code, STOREYS_CACHE=empty).split()]

    return Contender(STARTS, labels, measure)


@cache
def _bytecode() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory()


def as_installed(**environment: str) -> dict[str, str]:
    """The environment of a process that keeps bytecode, as installed packages have it.

    Not every environment lets Python write it beside the sources, or has it of all packages: one
    side of a ratio would then be compiled at every start, and the other not.
    """
    settings = os.environ | {"PYTHONPYCACHEPREFIX": _bytecode().name} | environment
    settings.pop("PYTHONDONTWRITEBYTECODE", None)
    return settings


def run_python(code: str, **environment: str) -> str:
    """Run code in a fresh interpreter; what it prints."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env=as_installed(**environment),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
