"""A game of one's own: the package that is laid out plays, and what it must say is said."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from storeys.cli.new_game import TEMPLATE, lay_out
from storeys.kernel.errors import BadOption
from tests.own_bots import install, with_site

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs" / "new-game.md").read_text("utf-8")
TRY_IT = """
import json, random, sys
import storeys
from storeys import testing
trial = testing.Trial("my-game", {"players": 3}, random.Random(1))
trial.matches = [testing._play_to_the_end(trial)]
for check in testing.CHECKS:
    if check.__name__ not in ("check_redeal_is_uniform", "check_sample_is_uniform",
                              "check_uncompiled_agrees"):
        check(trial)
try:
    storeys.new("my-game", seed=1).push("build one a1")
except storeys.IllegalMove as error:
    refused = str(error)
print(json.dumps({"games": storeys.game_names(), "refused": refused,
                  "untranslated": testing.untranslated("my-game")}))
"""


def test_the_toy_plays_and_passes_the_suite(tmp_path: Path) -> None:
    """Uncompiled; the fourth game of examples/ goes through it compiled."""
    folder = lay_out("my-game", tmp_path / "made")
    install(tmp_path / "site", "my-game", {}, {"my-game": "my_game:GAME"}, "storeys.games")
    path = with_site(tmp_path / "site")["PYTHONPATH"]
    child = subprocess.run(
        [sys.executable, "-c", TRY_IT],
        env=os.environ
        | {"STOREYS_UNCOMPILED": "1", "PYTHONPATH": os.pathsep.join([str(folder), path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    found = json.loads(child.stdout)
    assert "my-game" in found["games"]
    assert found["refused"] == "R-3: a1 is beside no tower"
    assert [sentence.split(":")[0] for sentence in found["untranslated"]] == [
        "12 messages are not translated to de",
        "12 messages are not translated to nl",
    ]


def test_nothing_is_left_of_the_template(tmp_path: Path) -> None:
    folder = lay_out("two-words", tmp_path / "made")
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert len(files) == len(list(TEMPLATE.rglob("*.txt")))
    for file in files:
        assert not re.search("NAME|PACKAGE|TITLE", str(file) + file.read_text("utf-8"))
    assert 'two-words = "two_words:GAME"' in (folder / "pyproject.toml").read_text("utf-8")
    assert (folder / "two_words" / "rules.py").exists()


@pytest.mark.parametrize("name", ["", "My-Game", "1st", "a--b", "a_b", "manhattan"])
def test_a_bad_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadOption):
        lay_out(name, tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(BadOption, match="is there already"):
        lay_out("my-game", tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["kept.txt"]


def test_the_laid_out_package_is_clean(tmp_path: Path) -> None:
    folder = lay_out("my-game", tmp_path / "made")
    ruff = [str(Path(sys.executable).parent / "ruff"), "check", "--isolated"]
    child = subprocess.run(
        [*ruff, "--line-length", "100", "--select", "E,F,W,B,UP", str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert child.returncode == 0, child.stdout


@pytest.mark.parametrize("module", ["zones", "observing", "plain", "components"])
def test_the_guide_names_what_there_is_to_declare(module: str) -> None:
    """Every name that the guide takes from the kernel is there."""
    import importlib

    kernel = importlib.import_module(f"storeys.kernel.{module}")
    told = {
        "zones": re.findall(r"zones\.(\w+)\(", GUIDE),
        "observing": re.findall(r"^\| `(\w+)\(.*meaning", GUIDE, re.MULTILINE),
        "plain": ["Table"],
        "components": ["Pieces", "tables_dtype"],
    }[module]
    assert told
    assert [name for name in told if not hasattr(kernel, name)] == []
