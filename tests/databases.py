"""A server of PostgreSQL for tests, where its programs are installed."""

import getpass
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BIN = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
FOUND = shutil.which("initdb", path=str(BIN) if BIN else None)


def _why_not() -> str | None:
    if importlib.util.find_spec("psycopg") is None:
        return "psycopg is not installed (pip install 'storeys[postgres]')"
    if FOUND is None:
        return "no PostgreSQL server is installed (Debian: apt-get install postgresql)"
    return None


WHY_NOT = _why_not()
"""Why there can be no such server here, or None."""


def as_user() -> tuple[str, list[str]]:
    """Who runs the server, and how: PostgreSQL does not run as root."""
    if os.geteuid() != 0:
        return getpass.getuser(), []
    return "postgres", ["runuser", "-u", "postgres", "--"]


@contextmanager
def postgresql(*, durable: bool = False) -> Iterator[str]:
    """The URL of a server that listens on a socket in a folder of its own.

    Only one that is ``durable`` waits for the disk.
    """
    assert FOUND is not None
    user, prefix = as_user()
    folder = Path(tempfile.mkdtemp(prefix="storeys-pg-"))
    if prefix:
        shutil.chown(folder, user)
    programs = Path(FOUND).parent

    def run(program: str, *arguments: str) -> None:
        command = [*prefix, str(programs / program), *arguments]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)

    data = str(folder / "data")
    run("initdb", "-D", data, "-A", "trust", "-U", "storeys", "--no-sync")
    listen = f"-c listen_addresses='' -c unix_socket_directories='{folder}'"
    listen += "" if durable else " -c fsync=off"
    run("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", listen, "start")
    try:
        yield f"postgresql+psycopg://storeys@/postgres?host={folder}"
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder)
