"""Several server processes on one database of PostgreSQL: what one writes, all show and tell."""

import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import create_engine, text
from starlette.testclient import TestClient

from storeys.web import workers
from storeys.web.app import create_app
from storeys.web.identity import COOKIE
from storeys.web.news import CALLED, News
from storeys.web.presence import AWAY, SAID_EVERY, Presence, mark_of
from storeys.web.services import Services
from storeys.web.table import Table
from storeys.web.tables import Tables
from tests import commands
from tests.databases import WHY_NOT, postgresql
from tests.test_web_processes import PATIENCE, Served, children_of, is_gone, wait_for

on_postgresql = pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))
HERE = [{"kind": "here"}, {"kind": "here"}]
ADA = secrets.token_hex(32)
"""Somebody whom every process knows."""
LONG = 60.0


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgresql() as address:
        yield address


class Process:
    """One of several servers on a database, and what its streams and bots are told."""

    def __init__(self, url: str) -> None:
        self.app: FastAPI = create_app(url, workers=1, patience=LONG)
        self.services: Services = self.app.state.services
        self.heard: list[tuple[str, int]] = []
        self.browser = self.another_browser(self.services.identities.cookie_of(ADA))

    def another_browser(self, cookie: str) -> TestClient:
        browser = TestClient(self.app)
        browser.cookies.set(COOKIE, cookie)
        return browser

    def start(self) -> None:
        self.browser.__enter__()
        self.services.tables.listeners.append(lambda *news: self.heard.append(news))
        wait_for(self.hears)

    def stop(self) -> None:
        self.browser.__exit__(None, None, None)

    def hears(self) -> bool:
        """Whether it hears the others, and has asked for what it missed."""
        return not self.services.tables.presence._deaf

    def new_table(self, *seats: dict[str, str]) -> str:
        content = {"game": "neoville", "seats": list(seats) or HERE}
        return str(self.browser.post("/api/tables", json=content).json()["table"])

    def state(self, table: str) -> Any:
        return self.browser.get(f"/api/tables/{table}?seat=0").json()

    def post(self, table: str, kind: str, **more: Any) -> Any:
        seq = more.pop("seq", None)
        seq = self.state(table)["seq"] if seq is None else seq
        content = {"seq": seq, "id": secrets.token_hex(8), "seat": 0, "kind": kind} | more
        return self.browser.post(f"/api/tables/{table}/events", json=content)

    def rename(self, table: str, name: str, **more: Any) -> Any:
        return self.post(table, "rename", name=name, **more)


@pytest.fixture
def two(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Process, Process]]:
    for method in ("start", "consider"):  # Bots are another matter.
        monkeypatch.setattr(workers.Workers, method, lambda *_: None)
    both = Process(url), Process(url)
    for process in both:
        process.start()
    yield both
    for process in both:
        process.stop()


# --- events


@on_postgresql
def test_what_one_writes_the_other_shows_at_once(two: tuple[Process, Process]) -> None:
    """Whoever has an answer finds it everywhere, whatever process is asked next."""
    table = two[0].new_table()
    match = two[0].services.tables.get(table).match
    twin = two[1].services.tables.get(table)
    for nth in range(6):
        writer, reader = two[nth % 2], two[1 - nth % 2]
        seen = reader.state(table)
        made = writer.post(table, "move", move=seen["choices"][0]["move"], seat=seen["to_move"])
        assert made.status_code == 200
        assert reader.state(table)["seq"] == made.json()["seq"] == nth + 1
        assert reader.state(table)["log"] == made.json()["state"]["log"]
        if reader.state(table)["to_move"]:
            break
    assert two[1].services.tables.get(table) is twin  # in place
    assert twin.match.position() == two[0].services.tables.get(table).match.position()
    assert two[0].services.tables.get(table).match is match


@on_postgresql
def test_what_one_writes_the_other_streams(two: tuple[Process, Process]) -> None:
    one, other = two
    table = one.new_table()
    portal = other.browser.portal
    assert portal is not None
    stream = other.services.live.stream(frozenset({table}), "")
    assert portal.call(stream.__anext__) == ": hello\n\n"
    assert one.rename(table, "Ada").status_code == 200
    assert f'data: {{"table": "{table}", "seq": 1}}' in portal.call(stream.__anext__)
    portal.call(stream.aclose)


@on_postgresql
def test_a_reaction_told_to_one_is_streamed_by_both(two: tuple[Process, Process]) -> None:
    table = two[0].new_table()
    streams = []
    for process in two:
        portal = process.browser.portal
        assert portal is not None
        streams.append((portal, process.services.live.stream(frozenset({table}), "")))
        assert portal.call(streams[-1][1].__anext__) == ": hello\n\n"
    content = {"seat": 0, "reaction": "bravo"}
    assert two[0].browser.post(f"/api/tables/{table}/reactions", json=content).status_code == 200
    for portal, stream in streams:
        assert '"seat": 0, "reaction": "bravo"}' in portal.call(stream.__anext__)
        portal.call(stream.aclose)


@on_postgresql
def test_everybody_is_told_of_an_event_once(two: tuple[Process, Process]) -> None:
    """Of its own events a process hears twice: by itself, and by the database."""
    table = two[0].new_table()
    for nth in range(6):
        assert two[nth % 2].rename(table, f"Ada {nth}").status_code == 200
    for process in two:
        wait_for(lambda process=process: (table, 6) in process.heard)  # type: ignore[misc]
        assert [seq for name, seq in process.heard if name == table and seq] == [1, 2, 3, 4, 5, 6]


@on_postgresql
def test_of_two_who_post_at_once_one_is_refused(two: tuple[Process, Process]) -> None:
    table = two[0].new_table()
    with ThreadPoolExecutor() as pool:
        for seq in range(8):
            start = threading.Barrier(2)

            def race(process: Process, seq: int = seq, start: threading.Barrier = start) -> int:
                start.wait()
                return int(process.rename(table, "Ada", seq=seq).status_code)

            assert sorted(pool.map(race, two)) == [200, 409]
            assert [process.state(table)["seq"] for process in two] == [seq + 1] * 2


@on_postgresql
def test_the_same_post_to_both_counts_once(two: tuple[Process, Process]) -> None:
    table = two[0].new_table()
    for nth in range(4):
        own = {"id": secrets.token_hex(8), "seq": nth}
        with ThreadPoolExecutor() as pool:
            answers = list(pool.map(lambda one: one.rename(table, "Ada", **own).json(), two))  # noqa: B023
        assert [answer["seq"] for answer in answers] == [nth + 1] * 2


@on_postgresql
def test_a_table_that_one_deletes_is_gone_everywhere(two: tuple[Process, Process]) -> None:
    table = two[0].new_table({"kind": "me"}, {"kind": "bot", "bot": "random"})
    assert two[1].state(table)["seq"] == 0
    held = two[1].services.tables.get(table)
    assert two[0].browser.delete(f"/api/tables/{table}").status_code == 200
    assert two[1].browser.get(f"/api/tables/{table}").status_code == 404
    assert two[1].browser.get("/api/tables").status_code == 200
    assert two[1].services.tables._in_memory.get(table) is None
    assert held.seq == 0


@on_postgresql
def test_a_link_made_by_one_is_taken_by_the_other(two: tuple[Process, Process]) -> None:
    one, other = two
    table = one.new_table({"kind": "me"}, {"kind": "bot", "bot": "random"})
    assert other.state(table)["mine"] == [0]
    for maker, taker in ((one, other), (other, one)):
        link = maker.browser.post(f"/api/tables/{table}/seats/0/link").json()["url"]
        guest = taker.another_browser(taker.services.identities.cookie_of(secrets.token_hex(32)))
        assert guest.get(link).status_code == 200
        assert guest.post(f"/api/join/{link.rpartition('/')[2]}", json={}).json()["seats"] == [0]
        back = maker.another_browser(guest.cookies[COOKIE])
        link = back.post(f"/api/tables/{table}/seats/0/link").json()["url"]
        token = link.rpartition("/")[2]
        assert taker.browser.post(f"/api/join/{token}", json={}).json()["seats"] == [0]


# --- a connection that is lost


def end_listeners(url: str) -> None:
    """Let PostgreSQL end all connections on which anybody listens."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = :name"
    with engine.connect() as connection:
        assert len(connection.execute(text(ended), {"name": CALLED}).all()) == 2
    engine.dispose()


@on_postgresql
def test_news_that_were_missed_are_told_when_they_can_be_heard_again(
    two: tuple[Process, Process], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    table = one.new_table()
    one.rename(table, "Ada")
    wait_for(lambda: (table, 1) in other.heard)
    go_on, listener = threading.Event(), other.services.store.listener

    def listen_later() -> Any:
        go_on.wait()
        return listener()

    monkeypatch.setattr(other.services.store, "listener", listen_later)
    end_listeners(url)
    wait_for(lambda: not other.hears())
    assert one.rename(table, "Eve").status_code == 200
    assert (table, 2) not in other.heard
    assert other.state(table)["seats"][0]["name"] == "Eve"  # Who asks is not told less.
    go_on.set()
    wait_for(other.hears)
    assert (table, 2) in other.heard
    one.rename(table, "Ada")
    wait_for(lambda: (table, 3) in other.heard)


@on_postgresql
def test_without_asking_for_what_was_missed_it_would_be_lost(
    two: tuple[Process, Process], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tables, "hear_all", lambda *_: None)
    with pytest.raises(AssertionError):
        test_news_that_were_missed_are_told_when_they_can_be_heard_again(two, url, monkeypatch)


@on_postgresql
def test_without_a_look_at_the_number_something_old_would_be_shown(
    two: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tables, "_look_again", lambda *_: None)
    with pytest.raises(AssertionError):
        test_what_one_writes_the_other_shows_at_once(two)


@on_postgresql
def test_without_playing_in_place_a_table_would_be_there_twice(
    two: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_anew(tables: Tables, table: Table) -> None:
        tables._forget(table.id)

    monkeypatch.setattr(Tables, "_look_again", read_anew)
    with pytest.raises(AssertionError):
        test_what_one_writes_the_other_shows_at_once(two)


@on_postgresql
def test_a_locked_table_of_the_database_keeps_nobody_from_what_is_in_memory(
    two: tuple[Process, Process], url: str
) -> None:
    table = two[0].new_table()
    engine = create_engine(url)
    with engine.connect() as connection:
        connection.execute(text("LOCK TABLE events IN ACCESS EXCLUSIVE MODE"))
        assert two[0].state(table)["seq"] == 0
    engine.dispose()


# --- who is there


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@on_postgresql
def test_a_guest_who_is_with_one_process_is_not_away_for_another(
    two: tuple[Process, Process],
) -> None:
    one, other = two
    owner = secrets.token_hex(32)
    guest = other.another_browser(other.services.identities.cookie_of(owner))
    table = one.new_table({"kind": "me"}, {"kind": "friend"})
    guest.post(f"/api{one.state(table)['seats'][1]['invite']}", json={})
    presence, clock = one.services.tables.presence, Clock()
    clock.now = time.monotonic() + 2 * AWAY
    presence.clock = clock  # The host's process has heard nothing for long.
    assert presence.wait_for(table, owner) == 0
    link = f"/api/tables/{table}/seats/1/link"
    other.services.tables.presence._said.clear()  # as if a minute had passed
    guest.get(f"/api/tables/{table}")
    wait_for(lambda: presence.wait_for(table, owner) > 0)
    answer = one.browser.post(link)
    assert (answer.status_code, "10" in answer.json()["error"]) == (422, True)
    clock.now += AWAY
    assert one.browser.post(link).status_code == 200


@pytest.fixture
def clock() -> Clock:
    return Clock()


def shared(clock: Clock) -> Presence:
    presence = Presence(clock)
    presence.share()
    return presence


def test_nobody_is_away_for_who_cannot_hear(clock: Clock) -> None:
    presence = shared(clock)
    clock.now = 10 * AWAY
    assert presence.wait_for("table", "guest") == AWAY
    presence.found()
    clock.now += 60
    assert presence.wait_for("table", "guest") == AWAY - 60  # Who was there is not known.
    clock.now += AWAY
    assert presence.wait_for("table", "guest") == 0
    presence.lost()
    assert presence.wait_for("table", "guest") == AWAY


def test_who_is_there_is_said_now_and_then(clock: Clock) -> None:
    here, there = shared(clock), shared(clock)
    for presence in (here, there):
        presence.found()
    clock.now = 2 * AWAY
    here.opened(["table"], "guest")
    here.seen("table", "host")
    clock.now += 5
    said = here.to_say()
    assert sorted(said.values()) == [0, 5]
    there.hear(said.items())
    assert there.wait_for("table", "guest") == AWAY
    assert there.wait_for("table", "host") == AWAY - 5
    assert here.to_say() == {}
    clock.now += SAID_EVERY
    assert list(here.to_say().values()) == [0]  # the stream that is open
    here.closed(["table"], "guest")
    assert here.to_say() == {}
    clock.now += SAID_EVERY
    [(mark, age)] = here.to_say().items()
    assert age == SAID_EVERY
    there.hear([(mark, age)])
    assert there.wait_for("table", "guest") == AWAY - SAID_EVERY
    here.lost()
    here.found()
    assert len(here.to_say()) == 2  # What was said may have been lost.
    clock.now += AWAY
    there.hear([("somebody", 0.0)])
    assert list(there._elsewhere) == ["somebody"]


# --- the command


def test_several_processes_need_postgresql(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'web.db'}"
    ended = commands.run("serve", "--processes", "2", "--database", database)
    assert ended.returncode
    said = " ".join(ended.stderr.split())
    assert "several server processes (--processes) need PostgreSQL" in said
    assert "Traceback" not in said


@pytest.fixture
def many(tmp_path: Path, url: str) -> Iterator[Served]:
    made = Served(tmp_path, bad_bot=False, database=url, more=["--processes", "2"])
    try:
        made.wait()
        yield made
    finally:
        made.stop()


def servers_of(served: Served) -> list[str]:
    """The processes that answer; one more keeps count of what they share."""
    commands_of = {one: Path(f"/proc/{one}/cmdline") for one in children_of(served.process.pid)}
    return [one for one, line in commands_of.items() if b"spawn_main" in line.read_bytes()]


found_under_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="processes are found under /proc"
)


@on_postgresql
@found_under_proc
def test_processes_are_replaced_and_end_together(many: Served) -> None:
    first = servers_of(many)
    assert len(first) == 2
    os.kill(int(first[0]), signal.SIGKILL)
    wait_for(lambda: len(set(servers_of(many)) - {first[0]}) == 2)
    table = many.ask("/api/tables", {"game": "neoville", "seats": HERE})["table"]
    assert many.ask(f"/api/tables/{table}")["seq"] == 0
    running = servers_of(many)
    many.process.send_signal(signal.SIGTERM)
    assert many.process.wait(PATIENCE) == 0
    assert all(map(is_gone, running))
    assert "leaked" not in many.errors()
    assert "Traceback" not in many.errors()


PARENT = """
import multiprocessing, time
from storeys.cli.serving import _end_with_parent

if __name__ == "__main__":
    child = multiprocessing.get_context("spawn").Process(target=_end_with_parent)
    child.start()
    print(child.pid, flush=True)
    time.sleep(1000)
"""


@found_under_proc
def test_a_process_ends_when_the_one_is_killed_that_has_started_it(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = parent.stdout.readline().strip()
        assert not is_gone(child)
        parent.kill()
    wait_for(lambda: is_gone(child))


class Busy:
    """A connection over which nothing can be said once: others notify for too long."""

    def __init__(self, closed: bool = False) -> None:
        self.closed, self.said = closed, list[str]()
        self._refuses = True

    def execute(self, _: str, words: tuple[str, str]) -> None:
        if self._refuses:
            self._refuses = False
            raise TimeoutError("canceling statement due to lock timeout")
        self.said.append(words[1])


def news_of(presence: Presence) -> News:
    nothing: Any = None
    return News(nothing, nothing, nothing, presence)


def test_who_cannot_say_who_is_here_goes_on_listening_and_says_it_later() -> None:
    presence, connection = Presence(), Busy()
    presence.share()
    presence.found()
    presence.seen("a table", ADA)
    news = news_of(presence)
    news._say(connection)
    assert not connection.said
    assert not presence._deaf
    news._say(connection)
    assert [words.partition(":")[0] for words in connection.said] == [mark_of("a table", ADA)]
    news._say(connection)
    assert len(connection.said) == 1


def test_who_has_lost_the_connection_listens_anew() -> None:
    presence = Presence()
    presence.share()
    presence.seen("a table", ADA)
    with pytest.raises(TimeoutError):
        news_of(presence)._say(Busy(closed=True))
