"""What is measured of storeys in processes of its own: importing, starting, compiling."""

import os
import subprocess
import sys
import tempfile
from functools import partial

import storeys

from .timing import Contender, Label, seconds_of

STARTS = "Starting, in fresh processes"

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
COLD_RULES = """
import time
start = time.perf_counter()
import storeys
match = storeys.new({game!r}, seed=1)
match.push(match.legal_moves[0])
match.view(0), match.observe(0), match.action_mask(), match.score()
print(time.perf_counter() - start)
storeys.arena.playouts({game!r}, 1)
print(time.perf_counter() - start)
"""


def contenders() -> list[Contender]:
    """Python itself, the import, and for every game its warm and its cold start."""
    return [
        whole_process("python -c pass", "pass"),
        whole_process(IMPORT, IMPORT),
        printed(COUNT_NUMBA, Label("numba modules that the import loads", "modules")),
        *(second_start(game) for game in storeys.game_names()),
        *(cold_rules(game) for game in storeys.game_names()),
    ]


def whole_process(name: str, code: str) -> Contender:
    """The life of a process, the start and the end of the interpreter included."""
    run_python(code)  # writes bytecode, which an installed package has

    def measure() -> tuple[float]:
        return (seconds_of(partial(run_python, code)),)

    return Contender(STARTS, (Label(name, "s"),), measure)


def second_start(game: str) -> Contender:
    """A process that makes one move with rules that an earlier process compiled."""
    return whole_process(f"{game} second start to the first move", FIRST_MOVE.format(game=game))


def cold_rules(game: str) -> Contender:
    """The first use of a game on a machine: nothing compiled yet."""
    code, first_use = COLD_RULES.format(game=game), f"{game} rules compiled"
    return printed(code, Label(first_use, "s"), Label(f"{first_use}, with playouts", "s"))


def printed(code: str, *labels: Label) -> Contender:
    """The numbers that a process with an empty cache prints, one for each label."""

    def measure() -> list[float]:
        with tempfile.TemporaryDirectory() as empty:
            return [float(number) for number in run_python(code, STOREYS_CACHE=empty).split()]

    return Contender(STARTS, labels, measure)


def run_python(code: str, **environment: str) -> str:
    """Run code in a fresh interpreter; what it prints."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
