"""What is kept: verdicts, so that a run goes on where it stopped, and the list of equal mutants.

A verdict holds as long as the mutated function reads the same.  One that was caught stays so while
the test that caught it reads the same, whatever tests come or go; a survivor is tried again by the
tests that are new or have changed, and by all of them when what they rest on has changed.  The list
names mutants that change nothing, with the reason, one for all that share it.
"""

import ast
import functools
import hashlib
import json
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tools.mutants.judging import CAUGHT, JURY, SURVIVED, Survey, Verdict, function_of
from tools.mutants.making import PACKAGE, ROOT, Mutant

KEPT = ROOT / ".mutants"
LIST = ROOT / "tests" / "mutants_equivalent.toml"
RESTED_ON = ("kernel", "games", "match.py", "registry.py", "testing.py")
"""What of the package the tests of rules run."""


def digest_of(*texts: str) -> str:
    """A short digest."""
    whole = hashlib.sha256()
    for text in texts:
        whole.update(text.encode() + b"\0")
    return whole.hexdigest()[:16]


def digest_of_files(paths: list[Path]) -> str:
    """A short digest of what some files hold."""
    return digest_of(*(path.read_text("utf-8") for path in sorted(paths)))


def digest_of_helpers() -> str:
    """Of all that tests rest on: the kernel and the games, and what tests share."""
    package = [
        path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] in RESTED_ON
    ]
    return digest_of_files([*package, *shared_by_tests()])


def shared_by_tests() -> set[Path]:
    """The files of ``tests`` that the jury's files import, and those that these import."""
    jury = [ROOT / path for path in JURY]
    found, left = set[Path](), list(jury)
    while left:
        for path in set(imported_from_tests(left.pop())) - found - set(jury):
            found.add(path)
            left.append(path)
    return found


def imported_from_tests(file: Path) -> Iterator[Path]:
    """The files of ``tests`` that a file imports."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tests":
            folder = ROOT / str(node.module).replace(".", "/")
            parts = [folder / alias.name for alias in node.names]
            yield from filter(Path.exists, (path.with_suffix(".py") for path in [folder, *parts]))


# --- tests


@dataclass(frozen=True)
class Jury:
    """All that judges: what tests rest on, and every test by its name, as digests."""

    helpers: str
    functions: dict[str, str]

    @property
    def digest(self) -> str:
        """Of all of it."""
        return digest_of(self.helpers, json.dumps(self.functions, sort_keys=True))

    def since(self, earlier: "Jury") -> set[str] | None:
        """The tests that are new or have changed since; None if what they rest on has."""
        if earlier.helpers != self.helpers:
            return None
        return {
            name for name, digest in self.functions.items() if earlier.functions.get(name) != digest
        }


def known_tests() -> Jury:
    """The jury's tests as they are now."""
    functions: dict[str, str] = {}
    for path in JURY:
        found = functions_of(path)
        rest = found.pop("")
        functions |= {f"{path}::{name}": digest_of(rest, text) for name, text in found.items()}
    return Jury(digest_of_helpers(), functions)


@functools.cache
def functions_of(path: str) -> dict[str, str]:
    """The tests of a file as they are written, and the rest of it, by an empty name."""
    if not (ROOT / path).exists():
        return {"": ""}
    lines = (ROOT / path).read_text("utf-8").splitlines()
    found = {}
    for node in ast.parse("\n".join(lines)).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1
            found[node.name] = "\n".join(lines[first : node.end_lineno])
            lines[first : node.end_lineno] = [""] * ((node.end_lineno or 0) - first)
    return found | {"": "\n".join(filter(None, lines))}


def digest_of_test(nodeid: str) -> str:
    """Of the one test that caught a mutant; of nothing if it was none, or is there no more."""
    path, _, name = function_of(nodeid).partition("::")
    return digest_of(functions_of(path).get(name, "") if name else "")


# --- verdicts


@dataclass
class Verdicts:
    """The verdicts of earlier runs, in a file of JSON lines; the last of several counts."""

    path: Path
    tests: Jury
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    snapshots: dict[str, Jury | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path.exists():
            for line in self.path.read_text("utf-8").splitlines():
                entry = json.loads(line)
                self.entries[entry["mutant"]] = entry

    def of(self, mutant: Mutant, within: float) -> Verdict | None:
        """What is known of a mutant, unless it has to be tried again."""
        entry = self.entries.get(mutant.key)
        if entry is None or entry["function"] != digest_of(mutant.original):
            return None
        if entry["verdict"] == SURVIVED and self.tests_left(mutant, within) != set():
            return None
        if entry["verdict"] == CAUGHT and entry["test"] != digest_of_test(entry["by"]):
            return None
        return Verdict(entry["verdict"], entry["by"])

    def tests_left(self, mutant: Mutant, within: float) -> set[str] | None:
        """The tests that a survivor has not been tried by; None for all."""
        entry = self.entries.get(mutant.key)
        if entry is None or entry["function"] != digest_of(mutant.original):
            return None
        if entry["verdict"] != SURVIVED or entry["within"] < within:
            return None
        earlier = self._earlier(entry["tests"])
        return self.tests.since(earlier) if earlier else None

    def _earlier(self, digest: str) -> Jury | None:
        """The tests as they were when a verdict was found."""
        if digest not in self.snapshots:
            path = self._path_of_tests(digest)
            kept = json.loads(path.read_text("utf-8")) if path.exists() else None
            self.snapshots[digest] = Jury(**kept) if kept else None
        return self.snapshots[digest]

    def _path_of_tests(self, digest: str) -> Path:
        return self.path.parent / f"tests-{digest}.json"

    def add(self, mutant: Mutant, verdict: Verdict, within: float) -> None:
        """Keep a verdict at once."""
        entry = {
            "mutant": mutant.key,
            "function": digest_of(mutant.original),
            "verdict": verdict.word,
            "by": verdict.by,
            "test": digest_of_test(verdict.by),
            "tests": self.tests.digest,
            "within": within,
        }
        self.entries[mutant.key] = entry
        self.path.parent.mkdir(exist_ok=True)
        if self.snapshots.get(self.tests.digest) is None:
            self.snapshots[self.tests.digest] = self.tests
            text = json.dumps(asdict(self.tests))
            self._path_of_tests(self.tests.digest).write_text(text, "utf-8")
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")


# --- what tests run


def known_survey(path: Path) -> Survey:
    """What is known of tests whose files, and all that they rest on, have not changed."""
    if not path.exists():
        return Survey()
    kept = json.loads(path.read_text("utf-8"))
    if kept["helpers"] != digest_of_helpers():
        return Survey()
    same = {file for file in JURY if kept["files"].get(file) == digest_of_files([ROOT / file])}
    return Survey(
        kept["imported"] if same == set(JURY) else {},
        {test: value for test, value in kept["seconds"].items() if test.split("::")[0] in same},
        {test: value for test, value in kept["lines"].items() if test.split("::")[0] in same},
    )


def keep_survey(path: Path, survey: Survey) -> None:
    """Keep it for the next run."""
    path.parent.mkdir(exist_ok=True)
    kept = {
        "helpers": digest_of_helpers(),
        "files": {file: digest_of_files([ROOT / file]) for file in JURY},
        "imported": survey.imported,
        "seconds": survey.seconds,
        "lines": survey.lines,
    }
    path.write_text(json.dumps(kept), "utf-8")


# --- the list


def read_list(path: Path = LIST) -> dict[str, str]:
    """The reasons why mutants change nothing, by key."""
    with path.open("rb") as file:
        groups = tomllib.load(file).get("equivalent", [])
    return {
        f"{group['file']} {name}": group["why"] for group in groups for name in group["mutants"]
    }
