"""Backups: consistent while a server writes, and read into an empty database of any kind."""

import gzip
import json
import random
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Text, cast, select, text, update

from storeys.web import backup
from storeys.web.backup import BadBackup, Saved, back_up, restore
from storeys.web.database import REVISIONS, VERSION, BadDatabase
from storeys.web.handlers import play_for_bot
from storeys.web.identity import Identities
from storeys.web.store import METADATA, TABLES, Store
from storeys.web.tables import Tables
from tests.commands import run, shown
from tests.posting import table_request

ADA = "a" * 64
STORED = Path(__file__).parent / "stored" / "2026-11.sqlite"
SEATS = [{"kind": "here", "name": "Ada"}, {"kind": "here", "name": "Ben"}]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'served.db'}"


@pytest.fixture
def other(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'restored.db'}"


def play_some(tables: Tables, moves: int) -> str:
    table = tables.create(table_request(game="neoville", seats=SEATS), ADA)
    for _ in range(moves):
        assert table.match.to_move is not None
        move = str(table.match.legal_moves[0])
        play_for_bot(tables, table.id, table.seq, table.match.to_move, move)
    return table.id


def everything_in(url: str) -> dict[str, list[Any]]:
    store = Store(url)
    with store.reading() as connection:
        found = {
            rows.name: [tuple(row) for row in connection.execute(select(rows).order_by(*keys))]
            for rows in METADATA.sorted_tables
            if (keys := list(rows.primary_key))
        }
    store.close()
    return found


# --- while a server writes


class Players:
    """Threads that play at tables of their own, and note what was acknowledged."""

    def __init__(self, tables: Tables, count: int) -> None:
        self.acknowledged: dict[str, int] = {}
        self._tables, self._stop = tables, threading.Event()
        self._threads = [threading.Thread(target=self._play) for _ in range(count)]

    def __enter__(self) -> "Players":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def wait_for(self, events: int) -> dict[str, int]:
        """What was acknowledged once so many events were."""
        while sum((now := dict(self.acknowledged)).values()) < events:
            assert any(thread.is_alive() for thread in self._threads)
            threading.Event().wait(0.01)
        return now

    def _play(self) -> None:
        dice = random.Random(1)
        while not self._stop.is_set():
            table = self._tables.create(table_request(game="neoville", seats=SEATS), ADA)
            self.acknowledged[table.id] = 0
            while (seat := table.match.to_move) is not None and not self._stop.is_set():
                move = str(dice.choice(table.match.legal_moves))
                assert play_for_bot(self._tables, table.id, table.seq, seat, move)
                self.acknowledged[table.id] = table.seq


def assert_a_backup_under_load_is_whole(url: str, other: str, file: Path) -> None:
    """What was acknowledged before it began is there, in order, and every table opens."""
    tables = Tables(Store(url))
    with Players(tables, 2) as players:
        before = players.wait_for(12)
        saved = back_up(url, file)
        players.wait_for(sum(before.values()) + 6)
    assert restore(file, other) == saved
    again = Tables(Store(other))
    with again.store.reading() as connection:
        restored = list(connection.scalars(select(TABLES.c.id)))
    assert len(restored) == saved.tables
    for table, seq in before.items():
        assert again.get(table).seq >= seq, "an event that was acknowledged is gone"
    for table in restored:
        found = again.get(table)
        known = [str(move) for move in tables.get(table).match.moves]
        assert [str(move) for move in found.match.moves] == known[: found.match.moves_made]
    assert saved.events == sum(again.get(table).seq for table in restored)
    again.store.close()
    tables.store.close()


def test_a_backup_under_load_is_whole(url: str, other: str, tmp_path: Path) -> None:
    assert_a_backup_under_load_is_whole(url, other, tmp_path / "kept.gz")


def test_a_backup_that_is_no_snapshot_is_found(
    url: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event is written after the tables were read and before the events are."""
    tables = Tables(Store(url))
    play_some(tables, 2)
    write: Callable[..., Saved] = backup._write

    def write_between(connection: Any, out: Any) -> Saved:
        connection.execute(select(TABLES.c.id)).all()
        play_some(tables, 1)
        return write(connection, out)

    monkeypatch.setattr(backup, "_write", write_between)
    assert back_up(url, tmp_path / "kept.gz") == Saved(1, 2)
    monkeypatch.setattr(backup, "_hold_still", lambda _: None)
    assert back_up(url, tmp_path / "torn.gz") == Saved(3, 4), "the guard was needed for this"
    tables.store.close()


# --- into another database


def test_everything_is_restored(url: str, other: str, tmp_path: Path) -> None:
    """The secret too: cookies stay good."""
    store = Store(url)
    play_some(Tables(store), 3)
    cookie = Identities(store).cookie_of(ADA)
    file = tmp_path / "kept.gz"
    assert back_up(url, file) == Saved(1, 3)
    assert file.stat().st_mode & 0o777 == 0o600
    empty = Store(other)
    assert Identities(empty).cookie_of(ADA) != cookie
    empty.close()
    assert restore(file, other) == Saved(1, 3)
    assert everything_in(other) == everything_in(url)
    again = Store(other)
    assert Identities(again).cookie_of(ADA) == cookie
    again.close()
    store.close()


def test_a_table_that_cannot_be_read_is_kept_too(url: str, other: str, tmp_path: Path) -> None:
    store = Store(url)
    table, good = (play_some(Tables(store), 1) for _ in range(2))
    with store.writing() as connection:
        broken = update(TABLES).where(TABLES.c.id == table)
        connection.execute(broken.values(record=cast("{broken", Text)))
    back_up(url, tmp_path / "kept.gz")
    assert restore(tmp_path / "kept.gz", other) == Saved(2, 2)
    again = Tables(Store(other))
    with pytest.raises(Exception, match="cannot be read"):
        again.get(table)
    assert again.get(good).seq == 1
    again.store.close()
    store.close()


def test_claims_of_running_servers_are_left_out(url: str, other: str, tmp_path: Path) -> None:
    store = Store(url)
    play_some(Tables(store), 1)
    with store.writing() as connection:
        connection.execute(update(TABLES).values(claimant="somebody", claimed_until=1e12))
    store.close()
    back_up(url, tmp_path / "kept.gz")
    restore(tmp_path / "kept.gz", other)
    again = Store(other)
    with again.reading() as connection:
        (row,) = connection.execute(select(TABLES))
        assert (row.claimant, row.claimed_until) == (None, None)
    again.close()


def test_a_backup_of_an_earlier_release_is_migrated(url: str, other: str, tmp_path: Path) -> None:
    """As long as all its tables open, its rows were those of that release."""
    file = tmp_path / "kept.gz"
    shutil.copy(STORED, tmp_path / "stored.db")
    back_up_as_of(f"sqlite:///{tmp_path / 'stored.db'}", file)
    restore(file, other)
    assert everything_in(other) == everything_in(f"sqlite:///{tmp_path / 'stored.db'}")


def back_up_as_of(url: str, file: Path) -> None:
    """What an earlier release would have written: its own tables with its own columns."""
    from sqlalchemy import MetaData, create_engine

    engine, there = create_engine(url), MetaData()
    with engine.connect() as connection, gzip.open(file, "wt") as out:
        there.reflect(connection)
        revision = connection.scalar(select(VERSION))
        assert revision != REVISIONS[-1]
        head = {"storeys-backup": 1, "version": "0.0.9", "revision": revision}
        print(json.dumps(head), file=out)
        counts = {}
        for name in ("tables", "seats", "events"):
            rows = connection.execute(text(f"SELECT * FROM {name}")).mappings().all()
            counts[name] = len(rows)
            for row in rows:
                print(json.dumps({"table": name, "row": dict(row)}), file=out)
        print(json.dumps({"end": counts}), file=out)
    engine.dispose()


# --- what is refused


def test_nothing_is_read_into_a_database_that_is_not_empty(
    url: str, other: str, tmp_path: Path
) -> None:
    for one in (url, other):
        store = Store(one)
        play_some(Tables(store), 1)
        store.close()
    back_up(url, tmp_path / "kept.gz")
    before = everything_in(other)
    with pytest.raises(BadDatabase, match="is kept in the database"):
        restore(tmp_path / "kept.gz", other)
    assert everything_in(other) == before


def lines_of(file: Path) -> list[dict[str, Any]]:
    with gzip.open(file, "rt") as lines:
        return [json.loads(line) for line in lines]


def drop_end(lines: list[dict[str, Any]]) -> None:
    del lines[-1]


def drop_event(lines: list[dict[str, Any]]) -> None:
    del lines[-2]


def add_column(lines: list[dict[str, Any]]) -> None:
    lines[-2]["row"]["more"] = 1


def add_table(lines: list[dict[str, Any]]) -> None:
    lines[-2]["table"] = "alembic_version"


def drop_row(lines: list[dict[str, Any]]) -> None:
    lines[-2]["row"] = None


def drop_head(lines: list[dict[str, Any]]) -> None:
    del lines[0]


@pytest.mark.parametrize(
    "spoil", [drop_end, drop_event, add_column, add_table, drop_row, drop_head]
)
def test_a_file_that_is_not_whole(
    url: str, other: str, tmp_path: Path, spoil: Callable[[list[dict[str, Any]]], None]
) -> None:
    """It is refused, and the database stays empty: the right one can be read into it."""
    store = Store(url)
    play_some(Tables(store), 2)
    store.close()
    good, bad = tmp_path / "good.gz", tmp_path / "bad.gz"
    back_up(url, good)
    lines = lines_of(good)
    spoil(lines)
    with gzip.open(bad, "wt") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)
    with pytest.raises(BadBackup, match="no whole backup"):
        restore(bad, other)
    assert restore(good, other) == Saved(1, 2)


def test_a_file_that_is_cut_off_or_something_else(url: str, other: str, tmp_path: Path) -> None:
    Store(url).close()
    file = tmp_path / "kept.gz"
    back_up(url, file)
    whole = file.read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"no gzip at all", gzip.compress(b"[1]\n{}")):
        file.write_bytes(content)
        with pytest.raises(BadBackup, match="no whole backup"):
            restore(file, other)
    with pytest.raises(BadBackup, match="cannot be read: No such file"):
        restore(tmp_path / "nothing.gz", other)


def test_a_file_of_a_newer_release(url: str, other: str, tmp_path: Path) -> None:
    Store(url).close()
    file = tmp_path / "kept.gz"
    back_up(url, file)
    lines = lines_of(file)
    lines[0] |= {"revision": "9999", "version": "7.0"}
    with gzip.open(file, "wt") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)
    with pytest.raises(BadBackup, match=r"newer version of storeys \(“7.0”\)"):
        restore(file, other)


def test_a_database_of_another_release_is_left_to_it(tmp_path: Path) -> None:
    """A backup changes nothing: it does not migrate what another program serves."""
    shutil.copy(STORED, tmp_path / "stored.db")
    before = (tmp_path / "stored.db").read_bytes()
    url = f"sqlite:///{tmp_path / 'stored.db'}"
    with pytest.raises(BadDatabase, match="back it up with the version that serves it"):
        back_up(url, tmp_path / "kept.gz")
    assert (tmp_path / "stored.db").read_bytes()[100:] == before[100:]
    assert not list(tmp_path.glob("kept.gz*"))


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("nonsense", "cannot be used"),
        ("oracle2://x", "cannot be used"),
        ("sqlite:////no/such/folder/x.db", "there is no such file"),
        ("sqlite://", "there is no such file"),
        ("postgresql://ada:secret@127.0.0.1:1/x", "cannot be used"),
    ],
)
def test_a_database_that_cannot_be_opened(url: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(BadDatabase, match=why) as refused:
        back_up(url, tmp_path / "kept.gz")
    assert "secret" not in str(refused.value)


# --- the commands


def test_the_commands(url: str, other: str, tmp_path: Path) -> None:
    store = Store(url)
    play_some(Tables(store), 2)
    file = str(tmp_path / "kept.gz")
    assert "(tables: 1, events: 2)" in shown("backup", file, "--database", url)
    again = run("backup", file, "--database", url)
    assert (again.returncode, "there already" in again.stderr) == (2, True)
    assert "(Tische: 1, Ereignisse: 2)" in shown(
        "restore", file, "--database", other, "--lang", "de"
    )
    refused = run("restore", file, "--database", other)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    nowhere = run("backup", str(tmp_path / "no" / "folder"), "--database", url)
    assert (nowhere.returncode, "No such file" in nowhere.stderr) == (2, True)
    store.close()
