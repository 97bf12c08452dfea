"""The real server as a process: started, killed, started again on the same port, looked at."""

import os
import resource
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.attacks.scale import PATIENCE, eventually

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Usage:
    """What a process has taken."""

    kilobytes: int
    files: int
    threads: int


class Server:
    """`storeys serve` on a database; ``changed`` names what is changed in it (``changes.py``)."""

    def __init__(
        self, folder: Path, database: str | None = None, changed: str = "", **settings: str
    ) -> None:
        self.folder = folder
        self.database = database or f"sqlite:///{folder / 'web.db'}"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        program = "tests.attacks.changes" if changed else "storeys.cli"
        self._command = [
            sys.executable, "-m", program, "serve", "--port", str(self.port),
            "--database", self.database, "--workers", "1", "--pace", "0",
        ]  # fmt: skip
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(paths),
            "STOREYS_UNCOMPILED": "1",  # Bots that play at random need no compiler.
            "STOREYS_CHANGED": changed,
            "STOREYS_FOLDER": str(folder),
            **settings,
        }
        self._process: subprocess.Popen[bytes] | None = None
        self.family: dict[int, str] = {}  # when each began: numbers are given again
        """All processes that were ever seen to belong to it."""

    @property
    def pid(self) -> int:
        """The process that answers."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it, and wait until it answers."""
        allow_many_files()
        with (self.folder / "stderr").open("ab") as said:
            self._process = subprocess.Popen(
                self._command, stdout=subprocess.DEVNULL, stderr=said, env=self._environment
            )
        eventually(self._answers_or_ended, "the server answers")
        assert self._process.poll() is None, self.said()

    def _answers_or_ended(self) -> bool:
        assert self._process is not None
        return self._process.poll() is not None or self.answers()

    def answers(self) -> bool:
        """Whether it says that it is well."""
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=PATIENCE):
                return True
        except OSError:
            return False

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        assert self._process is not None
        self.look_around()
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def end(self) -> None:
        """Tell it to end, and wait until it has."""
        assert self._process is not None
        self.look_around()
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(PATIENCE)

    def look_around(self) -> None:
        """Note which processes belong to it now."""
        self.family |= {one: began(one) for one in family_of(self.pid)}

    def left_behind(self) -> set[int]:
        """Processes of it that still run."""
        return {one for one, then in self.family.items() if not is_gone(one) and began(one) == then}

    def clear_away(self) -> None:
        """Leave nothing running, whatever has happened."""
        if self._process is not None and self._process.poll() is None:
            self.kill()
        for one in self.left_behind():
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)

    def said(self) -> str:
        """What it has complained of."""
        return (self.folder / "stderr").read_text("utf-8")

    def usage(self) -> Usage:
        """What the process that answers has taken."""
        facts = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        figures = dict(line.split(":", 1) for line in facts)
        files = sum(1 for _ in Path(f"/proc/{self.pid}/fd").iterdir())
        return Usage(int(figures["VmRSS"].split()[0]), files, int(figures["Threads"]))

    def figure(self, name: str) -> float:
        """One of the figures that it gives to Prometheus."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=PATIENCE) as answer:
            lines = answer.read().decode().splitlines()
        return float(next(line for line in lines if line.startswith(f"{name} ")).split()[1])


def allow_many_files() -> None:
    """Let this process and those it starts have as many open files as they may."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def fields_of(process: int) -> list[str]:
    """State, parent and so on of a process, as the kernel lists them."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["X", "0"]


def is_gone(process: int) -> bool:
    """Whether a process has ended."""
    return fields_of(process)[0] in "ZX"


def began(process: int) -> str:
    """When a process began, as the kernel counts; nothing of one that is not there."""
    return (fields_of(process) + [""] * 20)[19]


def processes() -> list[int]:
    """All that run on this machine."""
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def family_of(process: int) -> set[int]:
    """A process with its children and theirs."""
    parents = {one: int(fields_of(one)[1]) for one in processes()}
    found = {process}
    while more := {one for one, parent in parents.items() if parent in found} - found:
        found |= more
    return found
