"""What is kept: verdicts, so that a run goes on where it stopped, and the list of equal mutants.

A verdict holds as long as the mutated function reads the same; a survivor is tried again when the
tests have changed.  The list names mutants that change nothing, with the reason, one for all that
share it.
"""

import hashlib
import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.mutants.judging import JURY, SURVIVED, Survey, Verdict
from tools.mutants.making import PACKAGE, ROOT, Mutant

KEPT = ROOT / ".mutants"
LIST = ROOT / "tests" / "mutants_equivalent.toml"


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
    """Of all that tests rest on: the package, and what tests share."""
    helpers = [path for path in (ROOT / "tests").rglob("*.py") if not _is_test_file(path)]
    return digest_of_files([*PACKAGE.rglob("*.py"), *helpers])


def digest_of_tests() -> str:
    """Of all that judges."""
    return digest_of(digest_of_helpers(), digest_of_files([ROOT / path for path in JURY]))


def _is_test_file(path: Path) -> bool:
    return path.name.startswith("test_") or "browser" in path.parts


# --- verdicts


@dataclass
class Verdicts:
    """The verdicts of earlier runs, in a file of JSON lines; the last of several counts."""

    path: Path
    tests: str
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)

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
        same_trial = entry["tests"] == self.tests and entry["within"] >= within
        if entry["verdict"] == SURVIVED and not same_trial:
            return None
        return Verdict(entry["verdict"], entry["by"])

    def add(self, mutant: Mutant, verdict: Verdict, within: float) -> None:
        """Keep a verdict at once."""
        entry = {
            "mutant": mutant.key,
            "function": digest_of(mutant.original),
            "verdict": verdict.word,
            "by": verdict.by,
            "tests": self.tests,
            "within": within,
        }
        self.entries[mutant.key] = entry
        self.path.parent.mkdir(exist_ok=True)
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
