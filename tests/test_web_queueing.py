"""Whose bot is next: a person's does not wait behind a stranger's three hundred."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from storeys.web import queueing, thinking, workers
from storeys.web.queueing import FairQueue, Waiting
from storeys.web.store import Store
from storeys.web.table import Table
from storeys.web.tables import Tables
from storeys.web.workers import Turn, Workers
from tests.posting import table_request
from tests.waiting import wait_for

ADA, STRANGER = "a" * 64, "b" * 64
ME, BOT = {"kind": "me"}, {"kind": "bot", "bot": "novice"}


def taken(queue: FairQueue, count: int | None = None) -> list[str]:
    return [queue.take().table for _ in range(len(queue) if count is None else count)]  # type: ignore[union-attr]


def test_owners_take_turns_and_people_come_first() -> None:
    queue = FairQueue()
    for number in range(300):
        queue.put(Waiting(f"s{number}", "stranger", people=number > 1))
    assert taken(queue, 1) == ["s2"]
    for table, owner in [("a1", "ada"), ("a2", "ada"), ("b1", "ben")]:
        queue.put(Waiting(table, owner, people=True))
    assert queue.next().table == "a1"  # type: ignore[union-attr]
    assert taken(queue, 6) == ["a1", "b1", "s3", "a2", "s4", "s5"]
    assert taken(queue)[-3:] == ["s299", "s0", "s1"]


def test_who_comes_back_at_once_does_not_go_before_those_who_wait() -> None:
    queue = FairQueue()
    for table, owner in [("a", "ada"), ("b", "ben"), ("s1", "stranger"), ("s2", "stranger")]:
        queue.put(Waiting(table, owner, people=True))
    order = []
    for _ in range(9):
        order += taken(queue, 1)
        if order[-1] in "ab":
            queue.put(Waiting(order[-1], {"a": "ada", "b": "ben"}[order[-1]], people=True))
    assert order == ["a", "b", "s1", "a", "b", "s2", "a", "b", "a"]


def test_no_more_is_remembered_than_need_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queueing, "REMEMBERED", 3)
    queue = FairQueue()
    for number in range(20):
        queue.put(Waiting("t", str(number), people=True))
        queue.take()
    assert len(queue._lines[0]._served) == 3


# --- at tables


class Held:
    """Bots that think until they are let go, each alone; which tables were asked, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[str] = []
        self.seconds: list[float] = []
        self.bots: list[str] = []
        self._go_on = threading.Semaphore(0)

        def think(bots: Workers, turn: Turn) -> list[str]:
            self.seconds.append(bots._seconds_each())
            self.bots.append(turn.bot)
            self.asked.append(turn.table)
            self._go_on.acquire()
            return thinking.think("random", turn.view, turn.seq)

        monkeypatch.setattr(Workers, "_thought", think)

    def let_go(self, count: int = 1) -> None:
        self._go_on.release(count)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    made = Held(monkeypatch)
    yield made
    made.let_go(1000)


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    return Tables(Store(f"sqlite:///{tmp_path / 'tables.db'}"))


@pytest.fixture
def bots(tables: Tables, held: Held) -> Iterator[Workers]:
    made = Workers(tables, [], count=1, pace=0)
    tables.listeners.append(made.consider)
    yield made
    made.stop()


@pytest.fixture
def seat(tables: Tables) -> Callable[..., Table]:
    def sit_down(owner: str, *seats: dict[str, str]) -> Table:
        return tables.create(table_request(game="cloud-city", seats=list(seats)), owner)

    return sit_down


def test_a_person_waits_only_for_the_bot_that_thinks(
    bots: Workers, held: Held, seat: Callable[..., Table]
) -> None:
    strangers = [seat(STRANGER, BOT, ME).id for _ in range(30)]
    wait_for(lambda: len(held.asked) == 1 and len(bots._queue) == 29)
    alone = seat(ADA, BOT, BOT).id
    mine = seat(ADA, BOT, ME).id
    wait_for(lambda: len(bots._queue) == 31)
    held.let_go()
    wait_for(lambda: len(held.asked) == 2)
    assert held.asked[1] == mine
    held.let_go(29)
    wait_for(lambda: len(held.asked) == 31)
    assert set(held.asked) == {mine, *strangers}
    assert alone not in held.asked


def test_threads_do_not_grow_with_tables(
    bots: Workers, held: Held, seat: Callable[..., Table]
) -> None:
    before = threading.active_count()
    for _ in range(60):
        seat(STRANGER, BOT, ME)
    wait_for(lambda: len(held.asked) == 1 and len(bots._queue) == 59)
    assert threading.active_count() - before <= workers.HANDS + 1


def test_where_many_wait_they_share_the_time(
    bots: Workers, held: Held, seat: Callable[..., Table]
) -> None:
    for _ in range(4):
        seat(STRANGER, BOT, ME)
    wait_for(lambda: len(held.asked) == 1 and len(bots._queue) == 3)
    held.let_go()
    wait_for(lambda: len(held.asked) == 2)
    assert held.seconds[1] == thinking.SECONDS_TO_THINK / 3


@pytest.mark.parametrize(("took", "bot"), [(1.0, "random"), (0.001, "novice"), (None, "novice")])
def test_who_has_waited_for_long_is_served_by_a_quick_bot_if_that_is_quicker(
    bots: Workers, held: Held, seat: Callable[..., Table], took: float | None, bot: str
) -> None:
    if took is not None:
        bots._took["novice", "cloud-city"] = took
    seat(STRANGER, BOT, ME)
    wait_for(lambda: len(held.asked) == 1)
    seat(STRANGER, BOT, ME)
    wait_for(lambda: len(bots._queue) == 1)
    bots._queue.next().since -= workers.LONGEST_WAIT  # type: ignore[union-attr]
    held.let_go()
    wait_for(lambda: len(held.asked) == 2)
    assert held.bots == ["novice", bot]
