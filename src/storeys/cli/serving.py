"""The web server."""

import gc
import json
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO, cast

import typer

from storeys.cli.common import Lang, app, console, errors, progress, sentence, speak, warn
from storeys.cli.logs import Log
from storeys.kernel.compiling import UNCOMPILED, stay_interpreted
from storeys.kernel.errors import BadOption, NotInstalled
from storeys.kernel.messages import Message

if TYPE_CHECKING:
    from fastapi import FastAPI
    from rich.progress import TaskID

    from storeys.web.compiling import Progress

EVERYWHERE = ("0.0.0.0", "::")
"""Hosts that mean all addresses of this machine."""
MOST_FILES = 65_536
NOTE = "STOREYS_SERVING"
"""The variable in which a server process finds how it is to run."""
GARBAGE = 20_000, 20, 20
"""After how many new objects garbage is looked for, and how often in older ones: an answer makes
thousands, hardly any of them in circles, and every look holds all answers up."""
SWITCHES = 0.001
"""After how many seconds a thread that waits gets its turn: what is written waits for one several
times, at every answer of the database, while others' states are drawn."""
HUNG = 30
"""After how many seconds of silence a server process is taken for hung, and replaced."""
LAST_SECONDS = 5
"""How long a server process may take to end when the one that has started it was killed."""
Database = Annotated[
    str | None, typer.Option("--database", metavar="URL", help="SQLAlchemy's URL of a database")
]

Pace = Annotated[float | None, typer.Option(min=0, max=10, help="seconds between bots' moves")]


@dataclass(frozen=True)
class Serving:
    """How a server is to run: what each of its processes is told."""

    database: str
    workers: int | None
    pace: float | None
    patience: float | None
    log: str
    lang: str


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="the address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="the port to listen on")] = 8000,
    database: Database = None,
    processes: Annotated[
        int, typer.Option(min=1, help="processes that answer; more than one on PostgreSQL only")
    ] = 1,
    workers: Annotated[
        int | None, typer.Option(min=0, help="processes for bots; 0 where `storeys bots` runs")
    ] = None,
    pace: Pace = None,
    patience: Annotated[
        float | None, typer.Option(min=0.1, max=60, help="seconds that a write may wait")
    ] = None,
    log: Annotated[str, typer.Option(help="what to log: debug, info, warning, error")] = "warning",
    open_page: Annotated[bool, typer.Option("--open", help="open the page in a browser")] = False,
    lang: Lang = "en",
) -> None:
    """Serve the games on a web page; matches are kept in a database."""
    speak(lang)
    gc.disable()  # Nothing of what is loaded now is ever garbage, and looking takes its time.
    try:
        import uvicorn

        from storeys.web.connections import WatchedProtocol
    except ImportError as error:
        what = str(error.name)
        raise NotInstalled(Message("storeys.web.extra", what=what)) from None
    _check_token()
    _check_port(host, port)
    serving = Serving(database or own_database(), workers, pace, patience, log, lang)
    options: dict[str, Any] = {
        "host": host, "port": port, "log_level": "warning", "access_log": False,
        "timeout_graceful_shutdown": 2, "http": WatchedProtocol,
    }  # fmt: skip
    if processes > 1:
        with _many(serving, processes):
            _announce(host, port, open_page)
            uvicorn.run(
                f"{__name__}:app_of_child", factory=True, workers=processes,
                timeout_worker_healthcheck=HUNG, **options,
            )  # fmt: skip
        return
    server = _server(serving, compiles=not UNCOMPILED)
    if errors.is_terminal:
        server.state.services.compiling.listeners.append(Bar().tell)
    _announce(host, port, open_page)
    signal.signal(signal.SIGTERM, _leave)
    uvicorn.run(server, **options)


def _server(serving: Serving, compiles: bool = False, up_to_date: bool = False) -> "FastAPI":
    """The server of one process, as it is asked for."""
    from storeys.web.app import create_app
    from storeys.web.connections import Door, WatchedProtocol
    from storeys.web.database import PATIENCE
    from storeys.web.limits import Limits
    from storeys.web.workers import PACE

    limits = Limits.from_settings()
    WatchedProtocol.door = Door(limits, _open_more_files())
    _write_logs(serving.log)
    stay_interpreted()  # What answers requests does without the compiler, which takes its time.
    pace = PACE if serving.pace is None else serving.pace
    patience = PATIENCE if serving.patience is None else serving.patience
    server = create_app(
        serving.database, serving.workers, pace, compiles, limits,
        patience=patience, up_to_date=up_to_date,
    )  # fmt: skip
    server.state.services.workers.complain = _complain
    WatchedProtocol.door.closing.append(server.state.services.live.stop)
    sys.setswitchinterval(SWITCHES)
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    gc.enable()
    return server


def _announce(host: str, port: int, open_page: bool) -> None:
    """Say where the page is, and open it if that is wanted."""
    url = f"http://{'localhost' if host in ('127.0.0.1', *EVERYWHERE) else host}:{port}"
    console.print(sentence("storeys.web.serving", url=url), highlight=False)
    if host in EVERYWHERE:
        address = f"http://{_own_address()}:{port}"
        console.print(sentence("storeys.web.serving-others", url=address), highlight=False)
    if open_page:
        _open_soon(url)


# --- several processes


@contextmanager
def _many(serving: Serving, processes: int) -> Iterator[None]:
    """What the process does that starts the others: it brings the database up to date, compiles
    for all, and leaves a note for them.
    """
    import storeys
    from storeys.web.compiling import Compiling
    from storeys.web.store import Store

    store = Store(serving.database)
    store.close()
    if not store.is_shared:
        raise BadOption(Message("storeys.web.one-process"))
    _write_logs(serving.log)
    bots = max(1, (os.cpu_count() or 2) - 1) if serving.workers is None else serving.workers
    each = replace(serving, workers=max(1, bots // processes) if bots else 0)
    compiling = Compiling()
    if errors.is_terminal:
        compiling.listeners.append(Bar().tell)
    if not UNCOMPILED:
        compiling.start(storeys.game_names())
    os.environ[NOTE] = json.dumps(asdict(each))
    try:
        yield
    finally:
        del os.environ[NOTE]
        compiling.stop()


def app_of_child() -> "FastAPI":
    """The server of one of several processes, by the note of the one that has started it."""
    serving = Serving(**json.loads(os.environ[NOTE]))
    speak(serving.lang)
    _end_when_told()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    return _server(serving, up_to_date=True)


def _end_when_told() -> None:
    """End at SIGTERM as uvicorn does at SIGINT: what the bots' processes shared is then given back.

    Ctrl+C reaches all processes, and the first one passes it on to the others.
    """
    uvicorn_ends: Any = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda _, frame: uvicorn_ends(signal.SIGINT, frame))


def _end_with_parent() -> None:
    """Whoever has started this process and is killed cannot end it any more."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(LAST_SECONDS)
        os._exit(1)


class Bar:
    """How far the games are compiled, as a bar that goes away when they are."""

    def __init__(self) -> None:
        self._bar = progress()
        self._tasks: dict[str, TaskID] = {}

    def tell(self, now: "Progress") -> None:
        """Show how far a game is."""
        if now.game not in self._tasks:
            self._tasks[now.game] = self._bar.add_task(now.game)
        self._bar.update(self._tasks[now.game], completed=now.done, total=now.steps)
        if self._bar.finished:
            self._bar.stop()
        elif not self._bar.live.is_started:
            self._bar.start()


def _complain(why: Message) -> None:
    """Say on stderr that a bot of another package is not offered."""
    warn(Message("storeys.bot-skipped", why=why))


def _leave(*_: object) -> None:
    """End as after the last line: what the bots' processes shared is then given back.

    Uvicorn stops at SIGTERM and then sends it again, which would end the process on the spot.
    """
    raise SystemExit(0)


def _write_logs(level: str) -> None:
    """A line of JSON for each thing worth telling, on stderr."""
    import logging

    import structlog

    levels = logging.getLevelNamesMapping()
    if level.upper() not in levels:
        known = "debug, info, warning, error"
        raise BadOption(
            Message("storeys.bad-option-value", option="log", found=level, choices=known)
        )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(levels[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, Log(sys.stderr))),
    )


def _check_port(host: str, port: int) -> None:
    """Say in one sentence that a port cannot be had, before anything starts."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            why = error.strerror or str(error)
            raise BadOption(Message("storeys.web.port", host=host, port=port, why=why)) from None


def _open_more_files() -> int | None:
    """Let the process open as many files as it may, each a connection; how many that is."""
    try:
        import resource
    except ImportError:  # Windows counts otherwise
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        return most
    return None if soft == resource.RLIM_INFINITY else soft


def _check_token() -> None:
    """Refuse a token for the host's page that could be guessed."""
    from storeys.web.admin import SHORTEST, TOKEN

    if 0 < len(os.environ.get(TOKEN, "")) < SHORTEST:
        raise BadOption(Message("storeys.web.short-token", name=TOKEN, n=SHORTEST))


def _own_address() -> str:
    """This machine's address in its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


def own_database() -> str:
    """The database of who names none: a file in the user's data folder."""
    import platformdirs

    folder = Path(platformdirs.user_data_path("storeys", ensure_exists=True))
    return f"sqlite:///{folder / 'storeys.db'}"


def _open_soon(url: str) -> None:
    """Open the page once the server answers."""
    import urllib.request
    import webbrowser

    def wait_and_open() -> None:
        for _ in range(100):
            time.sleep(0.2)
            try:
                with urllib.request.urlopen(f"{url}/healthz", timeout=1):
                    webbrowser.open(url)
                    return
            except OSError:
                continue

    threading.Thread(target=wait_and_open, daemon=True).start()


# --- bots alone


def play_bots(database: str, workers: int | None, pace: float | None, log: str) -> None:
    """Let bots play until the process is told to end; what it has claimed is released then."""
    try:
        import storeys
        from storeys.web.compiling import Compiling
        from storeys.web.live import Live
        from storeys.web.news import News
        from storeys.web.presence import Presence
        from storeys.web.store import Store
        from storeys.web.tables import Tables
        from storeys.web.workers import PACE, Workers
    except ImportError as error:
        raise NotInstalled(Message("storeys.web.extra", what=str(error.name))) from None
    _write_logs(log)
    stay_interpreted()  # Bots have processes of their own, with the compiler.
    with ExitStack() as ending:
        store, compiling = Store(database), Compiling()
        ending.callback(store.close)
        if not store.is_shared:
            raise BadOption(Message("storeys.web.bots-alone"))
        games, presence = storeys.game_names(), Presence()
        tables = Tables(store, presence)
        seated = Workers(tables, games, workers, PACE if pace is None else pace)
        seated.complain = _complain
        tables.listeners.append(seated.consider)
        news = News(store, tables, Live(presence), presence)
        ending.callback(seated.stop)
        ending.callback(news.stop)
        ending.callback(compiling.stop)
        for end in (signal.SIGTERM, signal.SIGINT):
            signal.signal(end, _leave)
        seated.start()
        news.start()
        seated.resume()
        if not UNCOMPILED:
            compiling.start(games)
        console.print(sentence("storeys.web.bots-play"), highlight=False)
        threading.Event().wait()
