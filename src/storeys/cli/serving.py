"""The web server."""

import gc
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import TaskID

from storeys.cli.common import Lang, app, console, errors, progress, sentence, speak, warn
from storeys.cli.logs import Log
from storeys.kernel.compiling import UNCOMPILED, stay_interpreted
from storeys.kernel.errors import BadOption, NotInstalled
from storeys.kernel.messages import Message

if TYPE_CHECKING:
    from storeys.web.compiling import Progress

EVERYWHERE = ("0.0.0.0", "::")
"""Hosts that mean all addresses of this machine."""
Database = Annotated[
    str | None, typer.Option("--database", metavar="URL", help="SQLAlchemy's URL of a database")
]


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="the address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="the port to listen on")] = 8000,
    database: Database = None,
    workers: Annotated[int | None, typer.Option(min=1, help="processes for bots")] = None,
    pace: Annotated[
        float | None, typer.Option(min=0, max=10, help="seconds between bots' moves")
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

        from storeys.web.app import create_app
        from storeys.web.workers import PACE
    except ImportError as error:
        what = str(error.name)
        raise NotInstalled(Message("storeys.web.extra", what=what)) from None
    _check_port(host, port)
    _write_logs(log)
    stay_interpreted()  # What answers requests does without the compiler, which takes its time.
    pace = PACE if pace is None else pace
    server = create_app(database or _own_database(), workers, pace, compiles=not UNCOMPILED)
    server.state.services.workers.complain = _complain
    if errors.is_terminal:
        server.state.services.compiling.listeners.append(Bar().tell)
    url = f"http://{'localhost' if host in ('127.0.0.1', *EVERYWHERE) else host}:{port}"
    console.print(sentence("storeys.web.serving", url=url), highlight=False)
    if host in EVERYWHERE:
        address = f"http://{_own_address()}:{port}"
        console.print(sentence("storeys.web.serving-others", url=address), highlight=False)
    if open_page:
        _open_soon(url)
    signal.signal(signal.SIGTERM, _leave)
    gc.freeze()
    gc.enable()
    uvicorn.run(
        server, host=host, port=port, log_level="warning", access_log=False,
        timeout_graceful_shutdown=2,
    )  # fmt: skip


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
        logger_factory=structlog.PrintLoggerFactory(Log(sys.stderr)),  # type: ignore[arg-type]
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


def _own_address() -> str:
    """This machine's address in its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


def _own_database() -> str:
    import platformdirs

    folder = Path(platformdirs.user_data_path("storeys", ensure_exists=True))
    return f"sqlite:///{folder / 'storeys.db'}"


def _open_soon(url: str) -> None:
    """Open the page once the server answers."""
    import threading
    import time
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
