"""Try all mutants, or a sample, and say what became of them; 1 if one survives unlisted.

Options: ``--sample N --seed S`` tries a few; ``--fresh`` forgets earlier verdicts; ``--within S``
gives every mutant so many seconds of tests; ``--only TEXT`` takes those whose name has it;
``--unlisted`` forgets the list; ``--jobs N`` sets how many are tried at a time.
"""

import os

os.environ["STOREYS_UNCOMPILED"] = "1"  # before anything of the package is imported

import argparse
import functools
import gc
import random
import sys
from collections import Counter
from collections.abc import Sequence

import pytest
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tools.mutants.judging import (
    CAUGHT,
    JURY,
    SURVIVED,
    TIMED_OUT,
    Children,
    Judge,
    Lines,
    Survey,
    Verdict,
    groups_of,
    survey_imports,
    survey_tests,
    verdict_of,
    with_tests,
)
from tools.mutants.keeping import (
    KEPT,
    Verdicts,
    keep_survey,
    known_survey,
    known_tests,
    read_list,
)
from tools.mutants.making import Mutant, all_mutants

LONGER = 4
"""So many times as long is tried what survives and is not listed."""
MOST_LISTED = 0.05
"""How much of a game's mutants may be on the list."""
SHOWN = 200
DONE = "done"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit status."""
    asked = _arguments().parse_args(arguments)
    console = Console()
    everyone = all_mutants()
    listed = {} if asked.unlisted else read_list()
    verdicts = Verdicts(KEPT / "verdicts.jsonl", known_tests())
    if asked.fresh:
        (KEPT / "verdicts.jsonl").unlink(missing_ok=True)
        verdicts.entries.clear()
    # Those on the list come last: they take longest.
    chosen = sorted(choose(everyone, listed, asked), key=lambda mutant: mutant.key in listed)
    run = Run(console, verdicts, asked)
    found = run.judge(chosen, asked.within)
    surprising = [m for m in chosen if found[m.key].word == SURVIVED and m.key not in listed]
    if surprising:  # How many tests fit the time depends on the machine.
        found = run.judge(surprising, LONGER * asked.within)
    if not asked.sample:
        console.print(table_of(chosen, found, listed))
    return 1 if tell_wrongs(console, everyone, found, listed) else 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--within", type=float, default=5.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--unlisted", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser


def choose(
    everyone: list[Mutant], listed: dict[str, str], asked: argparse.Namespace
) -> list[Mutant]:
    """All mutants, those asked for, or a sample of those that are not listed."""
    chosen = [mutant for mutant in everyone if asked.only in mutant.key]
    if asked.sample:
        unlisted = [mutant for mutant in chosen if mutant.key not in listed]
        return random.Random(asked.seed).sample(unlisted, asked.sample)
    return chosen


class Run:
    """One run: what is known, what is tried, and how far it is."""

    def __init__(self, console: Console, verdicts: Verdicts, asked: argparse.Namespace) -> None:
        self.console, self.verdicts, self.asked = console, verdicts, asked
        self.found: dict[str, Verdict] = {}
        self.survey = Survey()

    def judge(self, chosen: list[Mutant], within: float) -> dict[str, Verdict]:
        """All verdicts so far by key, these mutants' anew; a sample is tried whatever is known."""
        left = []
        for mutant in chosen:
            known = None if self.asked.sample else self.verdicts.of(mutant, within)
            if known:
                self.found[mutant.key] = known
            else:
                left.append(mutant)
        if left:
            self._survey({mutant.group for mutant in left})
            tried = {mutant.key: self.verdicts.tests_left(mutant, within) for mutant in left}
            only = {key: tests for key, tests in tried.items() if tests is not None}
            self._judge(left, Judge(self.survey, within, only))
        return self.found

    def _survey(self, groups: set[str]) -> None:
        """Find out what tests of some games run; for a sample, only what importing them does."""
        self.survey = known_survey(KEPT / "survey.json")
        if not self.survey.imported:
            self.survey.imported = survey_imports(JURY)
        if not self.asked.sample:
            in_child = Children[None](1, _must_be_done)
            in_child.start(None, functools.partial(self._survey_tests, groups))
            in_child.wait()
            self.survey = known_survey(KEPT / "survey.json")

    def _survey_tests(self, groups: set[str]) -> str:
        def is_new(item: pytest.Item) -> bool:
            known = item.nodeid in self.survey.seconds
            return not known and bool(groups & groups_of(item.nodeid))

        def work(items: list[pytest.Item]) -> None:
            survey_tests(filter(is_new, items), self.asked.jobs, self._note_test)

        try:
            with_tests(JURY, work)
        except RuntimeError as error:
            return str(error)
        keep_survey(KEPT / "survey.json", self.survey)
        return DONE

    def _note_test(self, nodeid: str, seconds: float, lines: Lines | None) -> None:
        self.survey.seconds[nodeid] = seconds
        if lines is not None:
            self.survey.lines[nodeid] = lines

    def _judge(self, left: list[Mutant], judge: Judge) -> None:
        columns = (TextColumn("mutants"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        words = TextColumn("{task.description}")
        # Without a thread of its own: this process forks.
        with Progress(*columns, words, console=self.console, auto_refresh=False) as progress:
            task = progress.add_task("", total=len(left))
            counts: Counter[str] = Counter()

            def finish(mutant: Mutant, answer: str, ended_by: int) -> None:
                verdict = verdict_of(answer, ended_by)
                judge.learn(mutant, verdict)
                self.found[mutant.key] = verdict
                if not self.asked.sample:
                    self.verdicts.add(mutant, verdict, judge.within)
                counts[verdict.word] += 1
                said = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
                progress.update(task, advance=1, description=said)
                progress.refresh()

            children = Children[Mutant](self.asked.jobs, finish)
            for mutant in filter(judge.is_imported, left):
                children.start(mutant, functools.partial(judge.try_imported, mutant))
            children.wait()

            def try_the_others(items: list[pytest.Item]) -> None:
                by_id = {item.nodeid: item for item in items}
                gc.freeze()  # or every child would copy what it only looks through
                for mutant in left:
                    if not judge.is_imported(mutant):
                        work = functools.partial(judge.try_loaded, mutant, by_id)
                        children.start(mutant, work)
                children.wait()

            with_tests(JURY, try_the_others)


def _must_be_done(_: None, answer: str, ended_by: int) -> None:
    if answer != DONE:
        sys.exit(f"The tests must pass before mutants are tried. {answer or f'Signal {ended_by}.'}")


# --- what is told


def table_of(chosen: list[Mutant], found: dict[str, Verdict], listed: dict[str, str]) -> Table:
    """How many mutants of each file and game were caught."""
    table = Table("", "mutants", "caught", "timed out", "survived", "listed", "share listed")
    for column in table.columns[1:]:
        column.justify = "right"
    rows = {mutant.file: [m for m in chosen if m.file == mutant.file] for mutant in chosen}
    for group in dict.fromkeys(mutant.group for mutant in chosen):
        for file, mutants in rows.items():
            if mutants[0].group == group:
                table.add_row(file, *_figures(mutants, found, listed))
        whole = [mutant for mutant in chosen if mutant.group == group]
        table.add_row(group, *_figures(whole, found, listed), style="bold", end_section=True)
    table.add_row("all", *_figures(chosen, found, listed), style="bold")
    return table


def _figures(mutants: list[Mutant], found: dict[str, Verdict], listed: dict[str, str]) -> list[str]:
    words = Counter(found[mutant.key].word for mutant in mutants)
    on_list = sum(mutant.key in listed for mutant in mutants)
    counts = [len(mutants), words[CAUGHT], words[TIMED_OUT], words[SURVIVED], on_list]
    return [*map(str, counts), f"{on_list / len(mutants):.1%}"]


def tell_wrongs(
    console: Console, everyone: list[Mutant], found: dict[str, Verdict], listed: dict[str, str]
) -> bool:
    """Say which mutants survive unlisted, and what is wrong with the list."""
    wrongs = []
    for mutant in everyone:
        verdict = found.get(mutant.key)
        if verdict and verdict.word == SURVIVED and mutant.key not in listed:
            wrongs.append(f"survives: {mutant.file}:{mutant.lines[0]} {mutant.name}")
        if verdict and verdict.word != SURVIVED and mutant.key in listed:
            by = verdict.by or "its time"
            wrongs.append(f"listed, but caught by {by}: {mutant.key}")
    known = {mutant.key for mutant in everyone}
    wrongs += [f"listed, but there is none: {key}" for key in listed if key not in known]
    for group, mutants in Counter(mutant.group for mutant in everyone).items():
        on_list = sum(mutant.group == group and mutant.key in listed for mutant in everyone)
        if on_list > MOST_LISTED * mutants:
            wrongs.append(f"{group}: {on_list} of {mutants} mutants are listed, too many")
    for wrong in wrongs[:SHOWN]:
        console.print(wrong, markup=False, highlight=False, soft_wrap=True)
    if len(wrongs) > SHOWN:
        console.print(f"… and {len(wrongs) - SHOWN} more")
    return bool(wrongs)


if __name__ == "__main__":
    sys.exit(main())
