"""The server with something changed: a guard taken away, or faults that can be switched on.

``python -m tests.attacks.changes serve …`` is `storeys serve` after the functions that
``STOREYS_CHANGED`` names have run, also in the processes that it starts.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("STOREYS_FOLDER", "."))


def put(place: Any, name: str, what: Any) -> None:
    """Let a name stand for something else."""
    setattr(place, name, what)


# --- guards that are taken away


def acknowledge_before_keeping() -> None:
    """Events are written a while after they were acknowledged."""
    from storeys.web.store import Store

    append = Store.append

    def later(self: Store, *arguments: Any) -> None:
        threading.Timer(0.3, append, (self, *arguments)).start()

    put(Store, "append", later)


def count_posts_again() -> None:
    """A post that is sent again is taken for another."""
    from storeys.web.table import Table

    note = Table.note

    def note_without_id(self: Table, event: Any) -> None:
        note(self, event)
        self.answers.clear()

    put(Table, "note", note_without_id)


def forget_bots() -> None:
    """Nobody looks for bots that were to move when the server ended."""
    from storeys.web.workers import Workers

    put(Workers, "resume", lambda self: None)


def outlive_the_server() -> None:
    """Bots' processes do not end with their server."""
    from storeys.web import thinking

    put(thinking, "_end_with_parent", lambda: None)


def take_any_number() -> None:
    """A post builds on whatever has happened, not on the event that it names."""
    from storeys.web import api, handlers

    handle = handlers.handle_event

    def handle_any(tables: Any, table: Any, owner: str, event: Any) -> int:
        with table.lock:
            latest = event.model_copy(update={"seq": table.seq})
            return handle(tables, table, owner, latest)

    put(api, "handle_event", handle_any)


def let_all_join() -> None:
    """A link that was used is as good as a new one."""
    from storeys.kernel.errors import StoreysError
    from storeys.web.tables import Tables

    join = Tables.join

    def join_always(self: Tables, token: str, owner: str, *about: Any) -> Any:
        try:
            return join(self, token, owner, *about)
        except StoreysError:
            found = self.store.seat_of_token(token)
            return self.get(str(found and found[0]))

    put(Tables, "join", join_always)


def make_a_rematch_for_each() -> None:
    """Whoever asks for a rematch gets one of their own."""
    take_any_number()
    from storeys.web import handlers, models

    def handle(tables: Any, table: Any, event: Any) -> None:
        table.rematch = None
        handlers.handle_rematch(tables, table, event)

    handlers.HANDLERS[models.RematchEvent] = handle


def take_anything_back() -> None:
    """The last move can be taken back by anybody at any time."""
    take_any_number()
    from storeys.web.table import Table

    put(Table, "can_take_back", lambda self, seat: True)


def delete_nothing() -> None:
    """A table that is deleted stays in the database."""
    from storeys.web.store import Store

    put(Store, "delete", lambda *_: None)


def share_drawings() -> None:
    """What is drawn is kept for its tiles' ids, whatever those mean."""
    from storeys.kernel.drawing.scene import Scene

    begin = Scene.__init__

    def begin_without_box(self: Scene, box: Any, *more: Any, **named: Any) -> None:
        begin(self, ("", ""), *more, **named)

    put(Scene, "__init__", begin_without_box)


def hoard_memory() -> None:
    """Every answer leaves something behind."""
    hoard = list[str]()
    at_every_answer(lambda: hoard.append("x" * 1_000_000))


def leave_files_open() -> None:
    """Every answer leaves a file open."""
    files = list[Any]()
    at_every_answer(lambda: files.append(Path(os.devnull).open()))  # noqa: SIM115


def at_every_answer(do: Callable[[], None]) -> None:
    """Do something whenever the server answers."""
    from starlette.responses import Response

    begin = Response.init_headers

    def begin_and_do(self: Response, *arguments: Any) -> None:
        do()
        begin(self, *arguments)

    put(Response, "init_headers", begin_and_do)


def keep_streams() -> None:
    """Streams of those who have gone are kept."""
    from storeys.web.live import Live

    class Kept(set[Any]):
        def discard(self, one: Any) -> None:
            """It stays."""

    begin = Live.__init__

    def begin_to_keep(self: Live, *arguments: Any) -> None:
        begin(self, *arguments)
        self._watchers = Kept()

    put(Live, "__init__", begin_to_keep)


def wait_for_streams() -> None:
    """A server that is to end waits for its streams."""
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    from storeys.web.connections import WatchedProtocol

    put(WatchedProtocol, "shutdown", HttpToolsProtocol.shutdown)


def break_instead_of_refusing() -> None:
    """A database that fails is a fault of the server."""
    from contextlib import nullcontext

    from storeys.web import store

    put(store, "answering", nullcontext)


def give_up_on_bots() -> None:
    """Work for bots that fails is not tried again."""
    from storeys.web import workers

    put(workers, "passes", lambda error: False)
    put(workers, "MOST_ATTEMPTS", 0)


def read_after_writers() -> None:
    """Who reads a table waits for whoever writes to the database."""
    from storeys.web.tables import Tables

    get = Tables.get

    def get_when_nobody_writes(self: Tables, table: str) -> Any:
        with self.store._writing:
            pass
        return get(self, table)

    put(Tables, "get", get_when_nobody_writes)


def stop_where_logs_cannot_be_written() -> None:
    """What cannot be written to the log is an error."""
    from storeys.cli.logs import Log

    put(Log, "write", lambda self, text: self._file.write(text))
    put(Log, "flush", lambda self: self._file.flush())


def play_by_the_time_of_day() -> None:
    """Bots' work is done in the order of the time of day."""
    from storeys.web.schedule import Schedule

    later, latest = Schedule.later, [0.0]

    def later_today(self: Schedule, seconds: float, task: Callable[[], None]) -> None:
        latest[0] = max(latest[0], time.time() + seconds)
        later(self, latest[0] - time.time(), task)

    put(Schedule, "later", later_today)


def sweep_by_any_clock() -> None:
    """What nobody uses is removed by whatever the time of day is said to be."""
    from storeys.web.sweeping import Sweeping

    put(Sweeping, "_jump_before", lambda self, now: 0.0)


def read_tables_anew() -> None:
    """A table that is not at hand any more is read again, whoever still writes at it."""
    from storeys.web.tables import Tables

    begin = Tables.__init__

    def begin_without_owners(self: Tables, *arguments: Any) -> None:
        begin(self, *arguments)
        put(self, "_in_memory", self._at_hand)

    put(Tables, "__init__", begin_without_owners)


# --- circumstances


def keep_little() -> None:
    """So little is kept that memory is full of it soon."""
    from storeys.web import tables
    from storeys.web.states import AreaCache

    put(tables, "KEPT_AT_HAND", 10)
    put(AreaCache.__init__, "__defaults__", (100, *(AreaCache.__init__.__defaults__ or ())[1:]))


def keep_one_table() -> None:
    """Next to nothing stays in memory."""
    from storeys.web import tables

    put(tables, "KEPT_AT_HAND", 1)


def write_slowly() -> None:
    """A transaction takes a while before it is committed."""
    from sqlalchemy import Engine, event

    event.listen(Engine, "commit", lambda connection: time.sleep(0.01))


def faults_on_demand() -> None:
    """Faults that last as long as a file of their name lies in the folder.

    ``slow``: nothing is written until then.  ``read-only``: SQLite refuses to write.
    ``clock``: the time of day is off by as many seconds as the file says.
    ``bots-held``: no bot makes a move until then; ``failed-TABLE`` says that one could not.
    ``sweep``: what nobody uses is removed, once; then the file is gone.
    """
    from sqlalchemy import Engine, event

    from storeys.web import workers
    from storeys.web.handlers import play_for_bot

    def play_when_let(tables: Any, table: str, *more: Any) -> int:
        while (FOLDER / "bots-held").exists():
            time.sleep(0.01)
        try:
            return play_for_bot(tables, table, *more)
        except Exception:
            (FOLDER / f"failed-{table}").touch()
            raise

    put(workers, "play_for_bot", play_when_let)

    def before_statement(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        is_write = statement.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE"))
        while is_write and (FOLDER / "slow").exists():
            time.sleep(0.01)
        if connection.dialect.name == "sqlite":
            cursor.execute(f"PRAGMA query_only={int((FOLDER / 'read-only').exists())}")

    event.listen(Engine, "before_cursor_execute", before_statement)
    true_time = time.time

    def told_time() -> float:
        try:
            return true_time() + float((FOLDER / "clock").read_text())
        except (OSError, ValueError):  # There is no such file, or it is just being written.
            return true_time()

    put(time, "time", told_time)
    sweep_on_demand()


def sweep_on_demand() -> None:
    """What nobody uses is removed whenever a file asks for it."""
    from storeys.web.sweeping import Sweeping

    asked = FOLDER / "sweep"

    def sweep_when_asked(self: Sweeping) -> None:
        while not self._stopped.wait(0.01):
            if asked.exists():
                self.sweep()
                asked.unlink()

    put(Sweeping, "_sweep_often", sweep_when_asked)


def change() -> None:
    """Do what the environment names."""
    for name in filter(None, os.environ.get("STOREYS_CHANGED", "").split(",")):
        globals()[name]()


if __name__ in ("__main__", "__mp_main__"):
    change()
if __name__ == "__main__":
    from storeys.cli import main

    sys.argv[0] = "storeys"
    main()
