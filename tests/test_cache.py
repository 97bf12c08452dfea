"""Compiled code is kept, found again, and never outlives the rules it was made from."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import storeys
from storeys.kernel.caching import cache_folder_of, sources_digest

PACKAGE = Path(storeys.__file__).parent

COMPILE = "import storeys; from storeys.kernel.compiling import compiler; compiler.start();"
DEAL = COMPILE + "print(storeys.new('manhattan', players=2, seed=1).position()['round'])"


def run(code: str, source: Path, cache: Path, **env: str) -> str:
    """Run code in a process of its own, with the package of a folder and a cache of one's own.

    Python keeps bytecode by a file's size and age, which a test here leaves as they were.
    """
    own = {"PYTHONPATH": str(source), "STOREYS_CACHE": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    child = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | own | env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return child.stdout.strip()


@pytest.fixture(scope="module")
def own_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("source")
    shutil.copytree(PACKAGE, source / "storeys", ignore=shutil.ignore_patterns("__pycache__"))
    return source


def test_a_changed_rule_is_compiled_anew(own_copy: Path, tmp_path: Path) -> None:
    """Also a rule in another file than the function that was compiled, of the same size and age."""
    assert run(DEAL, own_copy, tmp_path) == "1"
    rules = own_copy / "storeys" / "games" / "manhattan" / "rules.py"
    times = rules.stat()
    text = rules.read_text("utf-8")
    changed = text.replace("state.round_no = 1\n", "state.round_no = 7\n")
    assert changed != text
    rules.write_text(changed, "utf-8")
    os.utime(rules, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert run(DEAL, own_copy, tmp_path) == "7"


@pytest.mark.parametrize(
    ("changed", "ready"),
    [
        ("web/app.py", "kernel bots"),
        ("envs/common.py", "kernel bots"),
        ("bots/novice.py", "kernel"),
        ("kernel/chance.py", ""),
    ],
)
def test_a_package_stays_ready_until_its_own_sources_change(
    changed: str, ready: str, own_copy: Path, tmp_path: Path
) -> None:
    code = (
        "from storeys import bots, envs, kernel; from storeys.kernel import caching;"
        "from pathlib import Path; import sys;"
        "packages = {'kernel': Path(kernel.__file__), 'bots': Path(bots.__file__)};"
    )
    mark = code + "[caching.mark_ready('game_1', path) for path in packages.values()]"
    ask = code + (
        "print(*[name for name, path in packages.items() if caching.is_ready('game_1', path)]);"
        "assert not caching.is_ready('game_2', packages['kernel']);"
        "assert not caching.is_ready('game_1', Path(envs.__file__))"
    )
    run(mark, own_copy, tmp_path)
    assert run(ask, own_copy, tmp_path) == "kernel bots"
    source = own_copy / "storeys" / changed
    source.write_text(source.read_text("utf-8") + "\n# changed\n", "utf-8")
    assert run(ask, own_copy, tmp_path) == ready


def test_pruning_removes_only_older_sources_of_loaded_packages(tmp_path: Path) -> None:
    code = COMPILE + (
        "from storeys.kernel.caching import cache_root, prune_cache;"
        "storeys.new('manhattan');"
        "[(cache_root() / name).mkdir() for name in ('kernel-old', 'othergame-1')];"
        "print(prune_cache(compiler.sources()),"
        "sorted(f.name.split('-')[0] for f in cache_root().iterdir()))"
    )
    assert run(code, PACKAGE.parent, tmp_path) == "1 ['kernel', 'othergame']"


def test_the_cache_is_outside_the_source() -> None:
    folder = cache_folder_of(PACKAGE / "match.py")
    assert folder is not None
    assert PACKAGE not in folder.parents
    assert sources_digest(PACKAGE) in folder.name


def test_without_a_writable_cache_the_rules_still_run(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", "utf-8")
    code = COMPILE + "print(storeys.new('manhattan', seed=1).to_move)"
    expected = storeys.new("manhattan", seed=1).to_move
    assert run(code, PACKAGE.parent, blocked, PYTHONWARNINGS="ignore") == str(expected)


def test_importing_storeys_is_light() -> None:
    code = "import sys, storeys; print([m for m in ('numba', 'typer', 'rich') if m in sys.modules])"
    assert run(code, PACKAGE.parent, PACKAGE.parent) == "[]"
