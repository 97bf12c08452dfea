"""An end to tables that nobody uses."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update
from starlette.testclient import TestClient
from structlog.testing import capture_logs

from storeys.web import sweeping
from storeys.web.app import create_app
from storeys.web.errors import NoTable
from storeys.web.handlers import handle_event
from storeys.web.limits import Limits
from storeys.web.store import EVENTS, SEATS, TABLES, Store
from storeys.web.sweeping import DAY, PERIOD, SLACK, Sweeping
from storeys.web.tables import Tables
from tests.posting import event_request, post, table_request

ADA = "ada"
NOW, YEAR = 1_000 * DAY, 365 * DAY
KEPT = Limits(keep_uploads_days=10, keep_unfinished_days=100, keep_finished_days=0)


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tables]:
    monkeypatch.setattr(sweeping, "PAUSE", 0)
    found = Tables(Store(f"sqlite:///{tmp_path / 'swept.db'}"))
    yield found
    found.store.close()


def sweep(tables: Tables, limits: Limits = KEPT, look: str | None = None) -> int:
    sweeper = Sweeping(tables.store, tables, limits, clock=lambda: NOW)
    if look is not None:
        sweeper.note_look(look)
    return sweeper.sweep()


def aged(tables: Tables, days: float, kind: str = "match", ended: bool = False) -> str:
    """A table that was last used so many days ago."""
    request = table_request(game="manhattan", seats=[{"kind": "me"}, {"kind": "me"}])
    table = tables.create(request, ADA)
    move = {"kind": "move", "move": str(table.match.legal_moves[0])}
    post(
        tables,
        table.id,
        ADA,
        event_request(seq=0, id="an-id-of-mine", seat=table.match.to_move, **move),
    )
    changed: dict[str, Any] = {"touched": NOW - days * DAY, "kind": kind}
    changed |= {"ended": NOW} if ended else {}
    with tables.store.writing() as connection:
        connection.execute(update(TABLES).where(TABLES.c.id == table.id).values(changed))
    return table.id


def is_there(tables: Tables, table: str) -> bool:
    with tables.store.reading() as connection:
        known = connection.scalars(select(TABLES.c.id).where(TABLES.c.id == table)).all()
        rows = [
            connection.execute(select(rows).where(rows.c.table_id == table)).all()
            for rows in (SEATS, EVENTS)
        ]
    assert all(rows) if known else not any(rows)
    return bool(known)


def check_what_is_removed(tables: Tables) -> None:
    old = {
        "upload": aged(tables, 11, "replay"),
        "unfinished": aged(tables, 101),
        "finished": aged(tables, 999, ended=True),
    }
    new = [aged(tables, 9, "replay"), aged(tables, 99)]
    assert sweep(tables) == 2
    assert [is_there(tables, table) for table in old.values()] == [False, False, True]
    assert all(is_there(tables, table) for table in new)
    with pytest.raises(NoTable):
        tables.get(old["unfinished"])
    assert sweep(tables) == 0
    assert sweep(tables, Limits(keep_finished_days=998)) == 1


def test_what_nobody_uses_is_removed(tables: Tables) -> None:
    check_what_is_removed(tables)


def test_many_are_removed_in_small_bites(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "BITE", 2)
    for _ in range(5):
        aged(tables, 11, "replay")
    assert sweep(tables) == 5


def check_a_table_in_use_stays(tables: Tables) -> None:
    looked, watched = aged(tables, 101), aged(tables, 101)
    tables.presence.opened([watched], ADA)
    assert sweep(tables, look=looked) == 0
    assert is_there(tables, looked)
    assert is_there(tables, watched)
    tables.presence.closed([watched], ADA)
    assert sweep(tables) == 0  # It counts from the last look.


def test_a_table_in_use_stays(tables: Tables) -> None:
    check_a_table_in_use_stays(tables)


class HeldClocks:
    """The time of day, which can be set, beside the clock that never jumps."""

    def __init__(self) -> None:
        self.now, self.steady = NOW, 5.0

    def sweeping(self, tables: Tables) -> Sweeping:
        return Sweeping(tables.store, tables, KEPT, lambda: self.now, lambda: self.steady)

    def pass_period(self, jump: float = 0.0) -> None:
        """Let a period go by, in which the time of day is set as well."""
        self.steady += PERIOD
        self.now += PERIOD + jump


def check_a_jump_of_the_clock_removes_nothing(tables: Tables) -> None:
    due, fresh, looked = aged(tables, 101), aged(tables, 1), aged(tables, 101)
    clocks = HeldClocks()
    sweeper = clocks.sweeping(tables)
    clocks.pass_period(jump=10 * YEAR)
    sweeper.note_look(looked)
    assert sweeper.sweep() == 0
    clocks.pass_period(jump=-10 * YEAR)  # Somebody has noticed.
    assert sweeper.sweep() == 0
    assert is_there(tables, due)
    clocks.pass_period()
    assert sweeper.sweep() == 1
    assert [is_there(tables, table) for table in (due, fresh, looked)] == [False, True, True]


def test_a_jump_of_the_clock_removes_nothing(tables: Tables) -> None:
    check_a_jump_of_the_clock_removes_nothing(tables)


def test_a_clock_is_believed_again_when_it_has_gone_on_evenly(tables: Tables) -> None:
    table, clocks = aged(tables, 1), HeldClocks()
    sweeper = clocks.sweeping(tables)
    with capture_logs() as said:
        clocks.pass_period(jump=100 * DAY)  # A machine that has slept.
        assert sweeper.sweep() == 0
    told = {"log_level": "warning", "event": "nothing is swept: the clock has jumped"}
    assert said == [told | {"seconds": round(100 * DAY)}]
    clocks.pass_period()
    assert sweeper.sweep() == 1
    assert not is_there(tables, table)


def test_a_clock_that_is_set_by_a_little_is_believed(tables: Tables) -> None:
    clocks = HeldClocks()
    sweeper = clocks.sweeping(tables)
    aged(tables, 101)
    clocks.pass_period(jump=SLACK / 2)
    assert sweeper.sweep() == 1


@pytest.mark.parametrize(
    ("check", "name", "fault"),
    [
        (check_what_is_removed, "_remove", lambda self, *_: False),
        (check_a_table_in_use_stays, "_keep_looks", lambda self, now: None),
        (check_a_jump_of_the_clock_removes_nothing, "_jump_before", lambda self, now: 0.0),
    ],
)
def test_without_its_guard_sweeping_is_found_out(
    tables: Tables,
    monkeypatch: pytest.MonkeyPatch,
    check: Callable[[Tables], None],
    name: str,
    fault: Callable[..., Any],
) -> None:
    monkeypatch.setattr(Sweeping, name, fault)
    with pytest.raises(AssertionError):
        check(tables)


def test_a_table_that_is_used_in_the_last_moment_stays(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = aged(tables, 101)
    plain = Sweeping._remove

    def touch_first(self: Sweeping, found: str, unused: Any) -> bool:
        with tables.store.writing() as connection:
            connection.execute(update(TABLES).values(touched=NOW))
        return plain(self, found, unused)

    monkeypatch.setattr(Sweeping, "_remove", touch_first)
    assert sweep(tables) == 0
    assert is_there(tables, table)


def test_a_post_after_the_end_of_a_table_is_refused(tables: Tables) -> None:
    table = tables.get(aged(tables, 101))
    assert sweep(tables) == 1
    event = event_request(seq=table.seq, id="another-id", seat=0, kind="resign")
    with pytest.raises(NoTable):
        handle_event(tables, table, ADA, event)
    with pytest.raises(NoTable):
        post(tables, table.id, ADA, event)


def pages_with(folder: Path, limits: Limits) -> dict[str, str]:
    """What pages say to somebody who has a table."""
    with TestClient(create_app(f"sqlite:///{folder / 'web.db'}", 1, limits=limits)) as client:
        seats = [{"kind": "me"}, {"kind": "friend"}]
        client.post("/api/tables", json={"game": "neoville", "seats": seats})
        asked = ("/", "/matches", "/new/neoville", "/replay")
        return {path: client.get(path).text for path in asked}


def test_the_pages_tell_how_long_things_are_kept(tmp_path: Path) -> None:
    limits = Limits(keep_uploads_days=1, keep_unfinished_days=7, keep_finished_days=30)
    said = pages_with(tmp_path, limits)
    assert "nobody has looked at it for 1 day;" in said.pop("/replay")
    for text in said.values():
        assert (
            "A match that is not over is removed when nobody has looked at it for 7 days." in text
        )
        assert "A match that is over is removed when nobody has looked at it for 30 days." in text


def test_the_pages_tell_what_stays(tmp_path: Path) -> None:
    stays = "A match that is over stays until somebody deletes it."
    some = pages_with(tmp_path, Limits(keep_unfinished_days=7, keep_finished_days=0))
    assert "nobody has looked at it for 7 days. " + stays in some["/matches"]
    finished = pages_with(tmp_path, Limits(keep_unfinished_days=0, keep_finished_days=30))
    assert "is not over is removed" not in finished["/matches"]
    assert "A match that is over is removed when" in finished["/matches"]
    all_stay = Limits(keep_uploads_days=0, keep_unfinished_days=0, keep_finished_days=0)
    for text in pages_with(tmp_path, all_stay).values():
        assert "nobody has looked" not in text
        assert stays not in text


def test_whoever_asks_for_a_table_looks_at_it(tmp_path: Path) -> None:
    app = create_app(f"sqlite:///{tmp_path / 'web.db'}", 1)
    with TestClient(app) as client:
        seats = [{"kind": "me"}, {"kind": "friend"}]
        made = client.post("/api/tables", json={"game": "neoville", "seats": seats}).json()
        app.state.services.sweeping._looks.clear()
        client.get(made["url"])
        assert app.state.services.sweeping._looks == {made["table"]}
