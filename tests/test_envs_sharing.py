"""Pieces of work and who takes them."""

import gc
import threading
from typing import Any

import pytest

from storeys.envs.sharing import Crew, Task, cut


def length(first: int, last: int) -> int:
    return last - first


def test_all_pieces_are_done_once() -> None:
    crew, done = Crew(2), list[int]()
    for _ in range(50):
        done.clear()
        answers = crew.share(lambda first, last: done.append(first) or last, cut(64, 3, 4))  # type: ignore[func-returns-value]
        assert sorted(done) == [first for first, _ in cut(64, 3, 4)]
        assert sorted(answers) == [last for _, last in cut(64, 3, 4)]
    crew.dismiss()


def test_a_helper_takes_pieces_too() -> None:
    """Two that can only be done together are."""
    both, crew = threading.Barrier(2), Crew(1)

    def meet(first: int, last: int) -> str:
        both.wait()
        return threading.current_thread().name

    assert len(set(crew.share(meet, [(0, 1), (1, 2)]))) == 2
    crew.dismiss()


def test_nobody_waits_for_a_helper_that_does_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Crew, "_start", lambda self: None)
    crew = Crew(3)
    for _ in range(5):
        assert sum(crew.share(length, cut(100, 4, 10))) == 100
    assert [queue.qsize() for queue in crew._queues] == [1, 1, 1]  # nothing piles up either


@pytest.mark.parametrize("whose", ["own", "helper"])
def test_an_error_is_raised_where_the_work_was_asked_for(whose: str) -> None:
    both, crew, here = threading.Barrier(2), Crew(1), threading.current_thread()

    def fail(first: int, last: int) -> None:
        both.wait()
        if (threading.current_thread() is here) == (whose == "own"):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        crew.share(fail, [(0, 1), (1, 2)])
    assert crew.share(length, [(0, 2), (2, 3)]) in ([2, 1], [1, 2])
    crew.dismiss()


def test_who_comes_too_late_finds_nothing_to_do() -> None:
    task = Task(length, [(0, 2)])
    task.lend_a_hand()
    task.lend_a_hand()
    assert task.answers() == [2]


def test_helpers_go_with_their_crew() -> None:
    started: list[Any] = []

    def note(first: int, last: int) -> None:
        started.append(threading.current_thread())
        both.wait()

    both, crew = threading.Barrier(2), Crew(1)
    crew.share(note, [(0, 1), (1, 2)])
    (helper,) = {*started} - {threading.current_thread()}
    assert helper.is_alive()
    del crew
    gc.collect()
    helper.join(60)
    assert not helper.is_alive()


@pytest.mark.parametrize(
    ("count", "threads", "fewest", "pieces"),
    [
        (10, 1, 1, [10]),
        (7, 9, 1, [1] * 7),
        (31, 2, 32, [31]),
        (64, 2, 32, [32, 32]),
        (256, 2, 32, [32] * 8),
        (4096, 2, 32, [512] * 8),
        (1, 2, 32, [1]),
    ],
)
def test_places_are_cut(count: int, threads: int, fewest: int, pieces: list[int]) -> None:
    found = cut(count, threads, fewest)
    assert [last - first for first, last in found] == pieces
    assert [first for first, _ in found] == [0, *(last for _, last in found[:-1])]
    assert found[-1][1] == count
