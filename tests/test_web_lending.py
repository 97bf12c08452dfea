"""What a bot's process gives back: code of the compiler that only loading needs."""

import multiprocessing
import threading
from pathlib import Path
from typing import Any

import pytest

from storeys.web import lending, thinking
from tests.commands import said_by

needs_linux = pytest.mark.skipif(
    not Path("/proc/self/smaps").exists(), reason="memory is told apart under /proc"
)
GIVEN_BACK = """
import json
from llvmlite import binding
from storeys.web.lending import COMPILER, _unchanged_code, give_back

def use():
    module = binding.parse_assembly("define i32 @one() { ret i32 1 }")
    module.verify()
    return str(module)

def in_memory():
    return sum(kilobytes for _, _, kilobytes in _unchanged_code(COMPILER))

before, first, given = use(), in_memory(), give_back()
left = in_memory()
print(json.dumps([first, given, left, use() == before, in_memory()]))
"""


@needs_linux
def test_code_that_is_given_back_comes_again_when_it_is_needed() -> None:
    first, given, left, works, again = said_by(GIVEN_BACK)
    assert given == first > 1000
    assert left == 0
    assert works
    assert 0 < again < first


@needs_linux
def test_what_is_no_unchanged_code_is_left_alone() -> None:
    assert lending.give_back("no-such-library") == 0


def test_nothing_is_given_back_where_the_system_cannot_tell(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(lending, "_SMAPS", tmp_path / "none")
    assert lending.give_back() == 0


def test_a_process_gives_back_after_it_has_loaded_code_and_not_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[str] = []
    loaded = iter([3, 3, 5])
    monkeypatch.setattr(thinking, "begin", lambda compiled: None)
    monkeypatch.setattr(thinking, "_compiled_functions", lambda: next(loaded))
    monkeypatch.setattr(thinking, "give_back", lambda: given.append("given"))
    mine, theirs = multiprocessing.Pipe()
    process = threading.Thread(target=thinking.answer, args=(theirs, True))
    process.start()
    assert mine.recv() == "ready"
    found: list[tuple[Any, int]] = []
    for _ in range(3):
        mine.send((abs, (-1,)))
        found.append((mine.recv(), len(given)))
    mine.close()
    process.join()
    assert [answer for answer, _ in found] == [(True, 1)] * 3
    assert len(given) == 2
