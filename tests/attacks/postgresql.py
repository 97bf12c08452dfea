"""A PostgreSQL server of the tests' own that can be killed and started again."""

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from tests.attacks.server import is_gone, processes
from tests.databases import FOUND, as_user


class Postgresql:
    """A server that listens on a socket in a folder of its own; it can be killed and started."""

    def __init__(self) -> None:
        assert FOUND is not None
        self._programs = Path(FOUND).parent
        user, self._prefix = as_user()
        self._folder = Path(tempfile.mkdtemp(prefix="storeys-pg-"))
        if self._prefix:
            shutil.chown(self._folder, user)
        self._data = self._folder / "data"
        self.url = f"postgresql+psycopg://storeys@/postgres?host={self._folder}"
        made = self._run("initdb", "-D", str(self._data), "-A", "trust", "-U", "storeys", "-N")
        assert made == 0
        self._process: subprocess.Popen[bytes] | None = None

    def _command(self, program: str, *arguments: str) -> list[str]:
        return [*self._prefix, str(self._programs / program), *arguments]

    def _run(self, program: str, *arguments: str) -> int:
        command = self._command(program, *arguments)
        return subprocess.run(
            command, check=False, cwd=self._folder, stdout=subprocess.DEVNULL
        ).returncode

    def start(self) -> None:
        """Start it, and wait until it answers."""
        here = ["-D", str(self._data), "-k", str(self._folder), "-c", "listen_addresses="]
        with (self._folder / "log").open("ab") as said:
            self._process = subprocess.Popen(
                self._command("postgres", *here), cwd=self._folder, stderr=said, stdout=said
            )
        while self._run("pg_isready", "-q", "-h", str(self._folder)):
            assert self._process.poll() is None, (self._folder / "log").read_text()

    def kill(self) -> None:
        """End all its processes at once, as a power cut would, also those that it starts now."""
        while running := [one for one in processes() if self._is_one_of_ours(one)]:
            for process in running:
                with suppress(ProcessLookupError):  # It has ended by itself meanwhile.
                    os.kill(process, signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    def _is_one_of_ours(self, process: int) -> bool:
        """They all run in the folder of the data."""
        try:
            return Path(f"/proc/{process}/cwd").readlink() == self._data and not is_gone(process)
        except OSError:
            return False

    def clear_away(self) -> None:
        """Leave nothing running and no file."""
        self.kill()
        shutil.rmtree(self._folder)
