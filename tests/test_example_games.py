"""The fourth game, a package of its own: at most 500 lines, and every way in is open to it.

What teaches it, which a game need not have, is counted apart.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.example_games import WAYS, environment, found

ROOT = Path(__file__).parent.parent
MOST_LINES = 500
MOST_LINES_OF_LESSON = 80
GAMES = pytest.mark.parametrize("name", found())


def test_there_is_one() -> None:
    assert found()


@GAMES
def test_every_way_in(name: str, tmp_path: Path) -> None:
    child = subprocess.run(
        [sys.executable, "-m", "tests.example_games", name],
        cwd=ROOT,
        env=environment(name, tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    assert json.loads(child.stdout.splitlines()[-1]) == [way.__name__ for way in WAYS]


@GAMES
def test_it_is_small(name: str) -> None:
    files = [file for file in found()[name].rglob("*") if file.is_file()]
    kept = [file for file in files if "__pycache__" not in file.parts]
    lesson = sum(map(lines_of_lesson, kept))
    assert sum(map(lines_of, kept)) - lesson <= MOST_LINES
    assert lesson <= MOST_LINES_OF_LESSON


def lines_of(file: Path) -> int:
    return len(file.read_text("utf-8").splitlines())


def lines_of_lesson(file: Path) -> int:
    """A lesson's data, and its sentences in a catalogue: three lines each."""
    if file.suffix == ".po":
        return 3 * file.read_text("utf-8").count(".lesson.")
    return lines_of(file) if file.name == "lesson.toml" else 0
