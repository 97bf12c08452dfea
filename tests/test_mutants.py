"""The mutants' tool, and a sample of the mutants: each must be noticed by a test, or listed."""

import os
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from tools.mutants.judging import (
    CAUGHT,
    SURVIVED,
    Judge,
    Survey,
    Verdict,
    groups_of,
    jury_of,
    verdict_of,
)
from tools.mutants.keeping import LIST, Jury, Verdicts, known_tests, read_list, shared_by_tests
from tools.mutants.making import Mutant, all_mutants, mutants_of

from tests.proofs import long_case

SAMPLE, SEED = 20, 6  # one without an endless mutant, which would take as long as all others

ROOT = Path(__file__).parent.parent

CODE = '''
LIMIT = 3


def best(values, least):
    """The largest of some values, if it is large enough."""
    found = 0
    for value in values:
        if value > least and not value == LIMIT:
            found = max(found, value)
    return found
'''


def changes() -> set[str]:
    return {mutant.change for mutant in mutants_of("games/manhattan/rules.py", CODE)}


def test_every_spot_is_changed() -> None:
    assert changes() == {
        "LIMIT = 3 → LIMIT = 4",
        "LIMIT = 3 → LIMIT = 2",
        "found = 0 → (deleted)",
        "found = 0 → found = 1",
        "found = 0 → found = (-1)",
        "for value in values: → (deleted)",
        "if value > least and not value == LIMIT: → (deleted)",
        "if value > least and not value == LIMIT: → if value > least or not value == LIMIT:",
        "if value > least and not value == LIMIT: → if value >= least and not value == LIMIT:",
        "if value > least and not value == LIMIT: → if value <= least and not value == LIMIT:",
        "if value > least and not value == LIMIT: → if value > least and value == LIMIT:",
        "if value > least and not value == LIMIT: → if value > least and not value != LIMIT:",
        "if value > least and not value == LIMIT: → if not (value > least and not value == LIMIT):",
        "found = max(found, value) → (deleted)",
        "found = max(found, value) → found = min(found, value)",
        "return found → (deleted)",
    }


def test_a_mutant_is_known_by_its_line_and_not_by_its_number() -> None:
    moved = mutants_of("games/manhattan/rules.py", "# A comment more.\n" + CODE)
    assert {mutant.change for mutant in moved} == changes()


def test_lines_that_read_alike_are_numbered() -> None:
    code = "def both(a):\n    if a:\n        a += 1\n    a += 1\n    return a\n"
    found = [mutant.change for mutant in mutants_of("games/manhattan/rules.py", code)]
    assert "a += 1 → a -= 1" in found
    assert "a += 1 → a -= 1 #2" in found


def test_the_rules_mutants_are_code_and_have_names_of_their_own() -> None:
    everyone = all_mutants()
    assert len(everyone) > 3000
    assert len({mutant.key for mutant in everyone}) == len(everyone)
    for mutant in everyone[::50]:
        compile(mutant.source, mutant.file, "exec")
        assert mutant.source.count(mutant.changed) >= 1


def test_a_tile_rule_is_judged_by_the_tile_games() -> None:
    assert groups_of("tests/test_neoville_rules.py::test_x") == {"neoville", "tiles"}
    assert groups_of("tests/test_records.py::test_x[cloud-city-v1-2]") == {"cloud_city", "tiles"}
    assert groups_of("tests/test_manhattan_rules.py::test_x") == {"manhattan"}
    assert "tests/test_neoville_rules.py" in jury_of("tiles")
    assert "tests/test_manhattan_rules.py" not in jury_of("tiles")
    assert "tests/test_records.py" in jury_of("tiles")


# --- verdicts


def some_mutant() -> Mutant:
    return mutants_of("games/manhattan/rules.py", CODE)[-1]


NOW = Jury("helpers", {"tests/a.py::test_one": "1", "tests/a.py::test_two": "2"})
A_TEST = "tests/test_mutants.py::test_every_spot_is_changed"


def test_verdicts_are_kept_and_survivors_tried_by_the_tests_that_are_new(tmp_path: Path) -> None:
    path, mutant = tmp_path / "verdicts.jsonl", some_mutant()
    Verdicts(path, NOW).add(mutant, Verdict(SURVIVED), 5.0)
    assert Verdicts(path, NOW).of(mutant, 5.0) == Verdict(SURVIVED)
    assert Verdicts(path, NOW).of(mutant, 50.0) is None
    assert Verdicts(path, NOW).tests_left(mutant, 50.0) is None

    changed = {"tests/a.py::test_two": "changed", "tests/a.py::test_three": "3"}
    later = Verdicts(path, Jury("helpers", NOW.functions | changed))
    assert later.of(mutant, 5.0) is None
    assert later.tests_left(mutant, 5.0) == set(changed)

    elsewhere = Verdicts(path, Jury("other helpers", NOW.functions))
    assert elsewhere.of(mutant, 5.0) is None
    assert elsewhere.tests_left(mutant, 5.0) is None


def test_what_was_caught_stays_so_while_its_test_reads_the_same(tmp_path: Path) -> None:
    path, mutant = tmp_path / "verdicts.jsonl", some_mutant()
    Verdicts(path, NOW).add(mutant, Verdict(CAUGHT, A_TEST), 5.0)
    other_tests = Jury("other helpers", {})
    assert Verdicts(path, other_tests).of(mutant, 50.0) == Verdict(CAUGHT, A_TEST)
    was = Verdicts(path, NOW).entries[mutant.key]["test"]
    path.write_text(path.read_text("utf-8").replace(was, "another text"), "utf-8")
    assert Verdicts(path, NOW).of(mutant, 5.0) is None


def test_a_mutant_judged_again_meets_only_the_tests_that_are_left() -> None:
    mutant = some_mutant()
    nodes = [f"tests/test_manhattan_rules.py::test_{name}[case]" for name in ("one", "two")]
    left = {"tests/test_manhattan_rules.py::test_two"}
    assert Judge(Survey(), 5.0).tests_for(mutant, nodes) == nodes
    assert Judge(Survey(), 5.0, {mutant.key: left}).tests_for(mutant, nodes) == nodes[1:]


def test_tests_are_known_one_by_one() -> None:
    tests = known_tests()
    assert len(set(tests.functions.values())) == len(tests.functions) > 300
    assert tests.since(tests) == set()
    assert {path.name for path in shared_by_tests()} >= {"comparing.py", "referee_neoville.py"}


def test_a_verdict_ends_with_the_function_it_is_about(tmp_path: Path) -> None:
    verdicts = Verdicts(tmp_path / "verdicts.jsonl", NOW)
    verdicts.add(some_mutant(), Verdict(CAUGHT, A_TEST), 5.0)
    changed = mutants_of("games/manhattan/rules.py", CODE.replace("least and", "LIMIT and"))[-1]
    assert changed.key == some_mutant().key
    assert verdicts.of(changed, 5.0) is None


def test_a_child_that_ends_without_an_answer_has_noticed() -> None:
    assert verdict_of("", 0).word == CAUGHT
    assert verdict_of(SURVIVED, 0).word == SURVIVED


def test_what_could_not_be_changed_is_no_mutant_that_was_caught() -> None:
    missing = replace(some_mutant(), function="no_such_function")
    answer = Judge(Survey(), 5.0).try_loaded(missing, {})
    with pytest.raises(RuntimeError, match="no mutant"):
        verdict_of(answer, 0)


def test_every_reason_is_a_sentence_and_names_mutants_that_exist() -> None:
    with LIST.open("rb") as file:
        groups = tomllib.load(file)["equivalent"]
    assert all(group["why"].endswith(".") and group["mutants"] for group in groups)
    assert set(read_list()) <= {mutant.key for mutant in all_mutants()}
    assert len(read_list()) == sum(len(group["mutants"]) for group in groups)


# --- the command


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.mutants", "--jobs", "1", *arguments],
        cwd=ROOT,
        env=os.environ | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_sample_of_the_mutants_is_caught() -> None:
    child = run("--sample", str(SAMPLE), "--seed", str(SEED))
    assert child.returncode == 0, child.stdout + child.stderr


@pytest.mark.parametrize(
    ("change", "status"),
    [
        long_case("may_build: return True → return False", 0),  # as a sample shows
        ("sample_pick: for _ in range(8): → for _ in range(9):", 1),
    ],
    ids=["fatal", "equivalent"],
)
def test_a_known_mutant(change: str, status: int) -> None:
    """The list is left out: what changes nothing then counts as a survivor."""
    child = run("--sample", "1", "--within", "1", "--unlisted", "--only", change)
    assert child.returncode == status, child.stdout + child.stderr
    assert ("survives: " in child.stdout) == (status == 1)
