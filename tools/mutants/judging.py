"""Run the tests on mutants, each in a forked child of a process that has loaded everything.

A mutated function gets the code of the mutant in place, so that every module that has imported it
runs the mutant.  What runs while modules are imported is imported anew instead, in a child of a
process that has not loaded the package yet.
"""

import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import re
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType, ModuleType
from typing import Any, Generic, TypeVar

# Loaded before the first fork, so that no child loads them again.
import hypothesis  # noqa: F401
import numpy  # noqa: F401
import pytest
import typer  # noqa: F401
from _pytest.runner import runtestprotocol

from tools.mutants.making import GAMES, PACKAGE, ROOT, TILES, Mutant, rule_files

# Tests on positions that a person made: each covers few lines.
CLOSE = [
    *(f"tests/test_{game}_{kind}.py" for game in GAMES for kind in ("rules", "positions")),
    *(f"tests/test_{game}_corners.py" for game in GAMES),
    "tests/test_dealing.py",
    "tests/test_hidden.py",
    "tests/test_sampling.py",
    "tests/test_tiles_corners.py",
]
# Tests that play whole games: each covers most lines of its game.
BROAD = [
    "tests/mutants_jury.py",
    "tests/test_records.py",
    *(f"tests/test_{game}_referee.py" for game in GAMES),
]
SECONDS = {"test_constructed": 0.2, "test_golden": 0.3, "test_check": 0.5, "": 3.0}
"""About what a broad test takes, by its name, as long as it is not timed."""
JURY = [path for path in CLOSE + BROAD if (ROOT / path).exists()]
LEFT_OUT = "command_line or showing or checking or terminal or script_makes"
"""Tests that say nothing of rules and start processes or lay pages out."""
LONG = re.compile(r"(cloud_city|neoville)_referee.*'players': [34]")
"""Games of many seats take the slow referees seconds each; the other tests have such games."""
SHARP = re.compile(r"test_constructed\[[\w-]+-(0|5|10)\]")
"""These are tried early: few positions, but of every kind."""

CAUGHT, TIMED_OUT, SURVIVED = "caught", "timed out", "survived"
BROKEN = "no mutant: "
PATIENCE = 1.0  # seconds that a test may take beside a multiple of what it takes
LONGER = 10
UNKNOWN = 1.0  # seconds, of a test that was not timed: of one position, so it takes far less
QUICK = 1.0  # seconds; a quicker test that has caught a neighbour is tried first
MEMORY = 4 << 30
ROOM = 2000  # letters of an error

T = TypeVar("T")
Lines = dict[str, list[int]]


@dataclass
class Survey:
    """What each test runs of the rules and how long it takes, and what importing runs."""

    imported: Lines = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[str, Lines] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant, and which test noticed."""

    word: str
    by: str = ""


# --- children


class Children(Generic[T]):
    """Runs pieces of work in forked children, so many at a time, and hands their answers on."""

    def __init__(self, width: int, finish: Callable[[T, str, int], None]) -> None:
        self.width, self.finish = width, finish
        self.running: dict[int, tuple[T, int]] = {}

    def start(self, job: T, work: Callable[[], str]) -> None:
        """Begin a piece of work when there is room; it answers with a text."""
        while len(self.running) >= self.width:
            self.reap()
        sys.stdout.flush()
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            _answer(writing, work)
        os.close(writing)
        self.running[pid] = (job, reading)

    def reap(self) -> None:
        """Wait for one child and hand its answer on, with the signal that ended it, if one did."""
        # Answers are short enough for a pipe's buffer, so that no child waits for its reader.
        pid, status = os.waitpid(-1, 0)
        job, reading = self.running.pop(pid)
        with os.fdopen(reading, encoding="utf-8") as pipe:
            self.finish(job, pipe.read(), os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0)

    def wait(self) -> None:
        """Wait for all that are running."""
        while self.running:
            self.reap()


def _answer(writing: int, work: Callable[[], str]) -> None:
    """The life of a child: silent, bounded in memory, ending here whatever happens."""
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.write(writing, work().encode())
    except BaseException as error:
        os.write(writing, f"the end by {error!r}"[:ROOM].encode())
    finally:
        os._exit(0)


# --- pytest


class _Loop:
    """A plugin that does something else with the collected tests than running them all."""

    def __init__(self, work: Callable[[list[pytest.Item]], None]) -> None:
        self.work = work
        self.failure: BaseException | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the work in place of the tests."""
        try:
            self.work([item for item in session.items if not LONG.search(item.nodeid)])
        except BaseException as failure:
            self.failure = failure
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport | None:
        """A failure without its words: to tell where it happened takes longer than most tests."""
        if call.excinfo is None:
            return None
        if call.excinfo.errisinstance(pytest.skip.Exception):
            return None
        assert call.when != "collect"
        return pytest.TestReport(item.nodeid, item.location, {}, "failed", None, call.when)


def with_tests(paths: Sequence[str], work: Callable[[list[pytest.Item]], None]) -> None:
    """Collect the jury's tests and do something with them, all in this process."""
    # Who notices is all that is asked: to rewrite assertions for their words, and to load plugins
    # of other tests, would take most of the time.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    quiet = ["-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:terminal", "-s"]
    quiet.append("--assert=plain")
    files = [str(ROOT / path) for path in paths]
    loop = _Loop(work)
    status = pytest.main([*quiet, f"--rootdir={ROOT}", "-k", f"not ({LEFT_OUT})", *files], [loop])
    if loop.failure:
        raise loop.failure
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise RuntimeError(f"the tests cannot be collected: {status!r}")


def passes(item: pytest.Item) -> bool:
    """Run one test with all its fixtures."""
    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def groups_of(nodeid: str) -> set[str]:
    """The games, and ``tiles``, that a test is about."""
    spelt = nodeid.replace("-", "_")
    games = {game for game in GAMES if game in spelt}
    return games | ({TILES} if games - {"manhattan"} else set())


def jury_of(group: str) -> list[str]:
    """The files with tests of a game, or of ``tiles``."""
    return [path for path in JURY if not groups_of(path) or group in groups_of(path)]


def is_broad(nodeid: str) -> bool:
    """Whether a test plays whole games."""
    return nodeid.split("::", maxsplit=1)[0] in BROAD


def function_of(nodeid: str) -> str:
    """A test without the case that it is called with."""
    return nodeid.split("[", maxsplit=1)[0]


# --- which test runs what


def survey_imports(paths: Sequence[str]) -> Lines:
    """What of the rules' functions runs while the tests are collected; in a child."""
    found: Lines = {}

    def work() -> str:
        tracer = _Tracer()
        sys.settrace(tracer)
        with_tests(paths, lambda _: sys.settrace(None))
        return json.dumps(tracer.found())

    def finish(_: None, answer: str, ended_by: int) -> None:
        if not answer:
            raise RuntimeError(f"the tests cannot be collected (signal {ended_by})")
        found.update(json.loads(answer))

    children = Children[None](1, finish)
    children.start(None, work)
    children.wait()
    return found


def survey_tests(
    items: Iterable[pytest.Item], width: int, note: Callable[[str, float, Lines | None], None]
) -> None:
    """Time all tests, and trace those that are close to a rule; each in a child."""

    def finish(nodeid: str, answer: str, ended_by: int) -> None:
        if not answer.startswith("["):
            raise RuntimeError(f"{nodeid} fails without any mutant {answer} (signal {ended_by})")
        seconds, lines = json.loads(answer)
        note(nodeid, seconds, lines)

    children = Children[str](width, finish)
    for item in items:
        children.start(item.nodeid, functools.partial(_survey_one, item))
    children.wait()


def _survey_one(item: pytest.Item) -> str:
    # First what it runs, before anything is remembered; then how long it takes without tracing.
    lines = None if is_broad(item.nodeid) else _lines_of(item)
    before = time.process_time()
    passed = passes(item)
    return json.dumps([time.process_time() - before, lines]) if passed else ""


def _lines_of(item: pytest.Item) -> Lines:
    tracer = _Tracer()
    sys.settrace(tracer)
    passes(item)
    sys.settrace(None)
    return tracer.found()


class _Tracer:
    """Notes which lines of the rules' functions run."""

    def __init__(self) -> None:
        self.files = {str(PACKAGE / file): file for file in rule_files()}
        self.seen: dict[str, set[int]] = {file: set() for file in rule_files()}

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        file = self.files.get(frame.f_code.co_filename)
        if file is None or frame.f_code.co_name == "<module>":
            return None
        return self.trace_lines

    def trace_lines(self, frame: FrameType, event: str, argument: Any) -> Any:
        self.seen[self.files[frame.f_code.co_filename]].add(frame.f_lineno)
        return self.trace_lines

    def found(self) -> Lines:
        return {file: sorted(lines) for file, lines in self.seen.items() if lines}


# --- judging


class Judge:
    """Tries mutants: chooses the tests for each, quickest first, and stops at the first failure."""

    def __init__(
        self, survey: Survey, within: float, only: dict[str, set[str]] | None = None
    ) -> None:
        self.survey, self.within = survey, within
        self.only = only or {}  # by mutant: it has survived all other tests
        self.catchers: dict[tuple[str, str], list[str]] = {}

    def is_imported(self, mutant: Mutant) -> bool:
        """Whether a mutant has run before any test does."""
        return not mutant.function or _touches(self.survey.imported, mutant)

    def tests_for(self, mutant: Mutant, nodeids: Iterable[str]) -> list[str]:
        """The tests that can notice a mutant, as many as fit the time."""
        chosen = [nodeid for nodeid in nodeids if self._can_notice(nodeid, mutant)]
        catchers = self.catchers.get((mutant.file, mutant.function), [])
        chosen.sort(key=lambda nodeid: (nodeid not in catchers[-3:], self._price(nodeid)))
        return list(self._those_in_time(chosen))

    def _those_in_time(self, nodeids: list[str]) -> Iterator[str]:
        spent = 0.0
        for nodeid in nodeids:
            spent += self._seconds(nodeid)
            if spent > self.within:
                return
            yield nodeid

    def _can_notice(self, nodeid: str, mutant: Mutant) -> bool:
        if mutant.group not in groups_of(nodeid):
            return False
        if mutant.key in self.only and function_of(nodeid) not in self.only[mutant.key]:
            return False
        lines = self.survey.lines.get(nodeid)
        return lines is None or self.is_imported(mutant) or _touches(lines, mutant)

    def _price(self, nodeid: str) -> tuple[bool, float]:
        """Most broad tests come last, however quick: they repeat each other."""
        return is_broad(nodeid) and not SHARP.search(nodeid), self._seconds(nodeid)

    def _seconds(self, nodeid: str) -> float:
        if nodeid in self.survey.seconds:
            return self.survey.seconds[nodeid]
        if is_broad(nodeid):
            return next(seconds for name, seconds in SECONDS.items() if name in nodeid)
        return 0.0

    def learn(self, mutant: Mutant, verdict: Verdict) -> None:
        """A quick test that has caught one mutant of a function is good for its neighbours."""
        if verdict.by and self._seconds(verdict.by) < QUICK:
            catchers = self.catchers.setdefault((mutant.file, mutant.function), [])
            if verdict.by in catchers:
                catchers.remove(verdict.by)
            catchers.append(verdict.by)

    def try_loaded(self, mutant: Mutant, items: dict[str, pytest.Item]) -> str:
        """In a child of a process that has loaded all tests."""
        try:
            change_in_place(mutant)
        except Exception as error:
            return f"{BROKEN}{error!r}"
        return self._run(mutant, items)

    def try_imported(self, mutant: Mutant) -> str:
        """In a child of a process that has not loaded the package."""
        answers: list[str] = []
        import_changed(mutant)
        try:
            with_tests(
                jury_of(mutant.group),
                lambda items: answers.append(
                    self._run(mutant, {item.nodeid: item for item in items})
                ),
            )
        except RuntimeError:
            return "the import"
        return answers[0] if answers else "the import"

    def _run(self, mutant: Mutant, items: dict[str, pytest.Item]) -> str:
        """The first test that fails, or the word for none."""
        for nodeid in self.tests_for(mutant, items):
            limit = PATIENCE + LONGER * (self._seconds(nodeid) or UNKNOWN)
            signal.setitimer(signal.ITIMER_VIRTUAL, limit)
            if not passes(items[nodeid]):
                return nodeid
        return SURVIVED


def verdict_of(answer: str, ended_by: int) -> Verdict:
    """What a child's answer means; one that was ended had run into an endless loop or worse."""
    if answer.startswith(BROKEN):
        raise RuntimeError(answer)
    if ended_by == signal.SIGVTALRM:
        return Verdict(TIMED_OUT)
    if answer == SURVIVED:
        return Verdict(SURVIVED)
    return Verdict(CAUGHT, answer or "the interpreter's end")


def _touches(lines: Lines, mutant: Mutant) -> bool:
    first, last = mutant.lines
    return any(first <= line <= last for line in lines.get(mutant.file, ()))


def module_of(file: str) -> str:
    """The name of a file's module."""
    return "storeys." + file.removesuffix(".py").replace("/", ".")


def change_in_place(mutant: Mutant) -> None:
    """Give a function of a loaded module the mutant's code."""
    function = getattr(sys.modules[module_of(mutant.file)], mutant.function)
    padding = "\n" * (mutant.first_line - 1)
    whole = compile(padding + mutant.changed, function.__code__.co_filename, "exec")
    function.__code__ = next(
        constant
        for constant in whole.co_consts
        if isinstance(constant, CodeType) and constant.co_name == mutant.function
    )


def import_changed(mutant: Mutant) -> None:
    """Let the module of a mutant be imported changed."""
    name, path = module_of(mutant.file), str(PACKAGE / mutant.file)
    assert not any(loaded.split(".")[0] == "storeys" for loaded in sys.modules)

    class Loader(importlib.machinery.SourceFileLoader):
        def get_code(self, fullname: str) -> CodeType:
            return compile(mutant.source, path, "exec")

    class Finder(importlib.abc.MetaPathFinder):
        def find_spec(
            self, fullname: str, path_: Any = None, target: ModuleType | None = None
        ) -> importlib.machinery.ModuleSpec | None:
            if fullname != name:
                return None
            return importlib.util.spec_from_file_location(name, path, loader=Loader(name, path))

    sys.meta_path.insert(0, Finder())
