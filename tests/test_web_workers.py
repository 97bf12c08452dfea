"""The processes that bots think in: when they start, who gets one, when they end."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import TimeoutError as TooSlow

import pytest

from storeys.web import processes
from storeys.web.processes import Closed, Processes


class Quiet:
    """In the place of a process."""

    def __init__(self, compiled: bool) -> None:
        self.compiled, self.ended = compiled, False

    def stop(self) -> None:
        self.ended = True


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    monkeypatch.setattr(processes, "Process", Quiet)
    made = Processes(2)
    yield made
    made.stop()


def test_none_is_started_before_one_is_needed_and_none_too_many(two: Processes) -> None:
    assert two.running == []
    with two.borrow(False) as one:
        assert two.running == [one]
    with two.borrow(False) as again, two.borrow(False) as other:
        assert again is one
        assert two.running == [one, other]


def test_who_finds_all_in_use_waits_for_one(two: Processes) -> None:
    with two.borrow(False):
        pass  # The watch waits as well from here on, and must not be woken in the place of others.
    got: list[object] = []

    def ask() -> None:
        with two.borrow(False) as process:
            got.append(process)

    with two.borrow(False) as one:
        with two.borrow(False) as other:
            asking = threading.Thread(target=ask)
            asking.start()
            assert got == []
        asking.join()
        assert got == [other]
        assert two.running == [one, other]


def test_one_that_hangs_is_ended_and_replaced_when_it_is_needed(two: Processes) -> None:
    with pytest.raises(TooSlow), two.borrow(False) as slow:
        raise TooSlow
    assert slow.ended  # type: ignore[attr-defined]
    assert two.running == []
    with two.borrow(False) as fresh:
        assert fresh is not slow


def test_those_that_nobody_needs_are_ended(two: Processes) -> None:
    with two.borrow(False) as busy:
        with two.borrow(False) as idle:
            pass
        two.end_idle(time.monotonic() - 1)
        assert two.running == [busy, idle]
        two.end_idle(time.monotonic())
        assert two.running == [busy]
        assert idle.ended  # type: ignore[attr-defined]
        assert not busy.ended  # type: ignore[attr-defined]


def test_the_watch_ends_them_by_itself(two: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "IDLE", 0.02)
    with two.borrow(False) as process:
        pass
    while two.running:
        time.sleep(0.001)
    assert process.ended  # type: ignore[attr-defined]


def test_nobody_gets_one_from_a_server_that_ends(two: Processes) -> None:
    with two.borrow(False) as process:
        two.stop()
    assert process.ended  # type: ignore[attr-defined]
    with pytest.raises(Closed), two.borrow(False):
        pass


def test_a_process_is_compiled_or_interpreted_for_its_life(two: Processes) -> None:
    with two.borrow(False) as one, two.borrow(False) as another:
        pass
    with two.borrow(True) as fast:  # in the place of one that nobody used
        assert fast.compiled
        assert len(two.running) == 2
    with two.borrow(True) as again, two.borrow(False) as other:
        assert again is fast
        assert other in (one, another)
    assert [one.ended, another.ended].count(True) == 1  # type: ignore[attr-defined]
