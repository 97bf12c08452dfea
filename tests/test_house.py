"""The house: which room may import which, and that no shared room names a game."""

import subprocess
import sys
from pathlib import Path

import pytest

import storeys
from storeys.registry import game_names

ROOT = Path(__file__).parent.parent
PACKAGE = Path(storeys.__file__).parent


def test_imports_point_one_way() -> None:
    child = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stdout


def shared_files() -> list[Path]:
    pages = [
        file for kind in ("js", "css", "html") for file in (PACKAGE / "web").rglob(f"*.{kind}")
    ]
    files = [*PACKAGE.rglob("*.py"), *(PACKAGE / "locale").glob("*.po"), *pages]
    return [file for file in files if "games" not in file.relative_to(PACKAGE).parts[:-1]]


@pytest.mark.parametrize("file", shared_files(), ids=lambda f: str(f.relative_to(PACKAGE)))
def test_no_shared_room_names_a_game(file: Path) -> None:
    """Outside docstrings' examples: those may show one."""
    lines = file.read_text("utf-8").splitlines()
    code = [line for line in lines if not line.strip().startswith((">>>", "..."))]
    for name in game_names():
        named = [line for line in code if f'"{name}"' in line or f"games.{name}" in line]
        assert named == []


def test_the_architecture_page_names_every_room() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    for entry in PACKAGE.iterdir():
        if entry.name.startswith("__") or entry.suffix == ".typed":
            continue
        assert f"`{entry.name}`" in page or f"`{entry.name}/`" in page, entry.name


def test_no_hosts_in_the_constraints() -> None:
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        assert line.startswith("#") or line.count("==") == 1, line
        assert "/" not in line


def test_hooks_run_nothing_from_elsewhere() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8").splitlines()
    assert [line.split()[-1] for line in hooks if "repo:" in line] == ["local"]
    entries = [line.split()[1] for line in hooks if "entry:" in line]
    assert entries
    assert all(entry.startswith(".venv/bin/") for entry in entries)
