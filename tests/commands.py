"""The command as the tests give it: in their own process, or in one of its own.

Starting Python and loading Numba takes seconds, so most tests call the command where they are; each
subcommand is started as a process too, by a test that says so.
"""

import io
import json
import os
import subprocess
import sys
from subprocess import CompletedProcess
from typing import Any
from unittest.mock import patch

import pytest

from storeys.cli import main
from storeys.cli.common import Speech, console, errors

WIDTH = 100
"""Columns of the terminal."""


def run(*words: str, typed: str = "", **env: str) -> CompletedProcess[str]:
    """Give the command in this process."""
    console.width = errors.width = WIDTH
    said, complained = _stream(), _stream()
    with (
        patch.object(sys, "argv", ["storeys", *words]),
        patch.object(sys, "stdin", _stream(typed)),
        patch.object(sys, "stdout", said),
        patch.object(sys, "stderr", complained),
        patch.dict(os.environ, env | {"COLUMNS": str(WIDTH)}),
        patch.object(Speech, "lang", "en"),
        pytest.raises(SystemExit) as end,
    ):
        main()
    code = int(end.value.code or 0)
    return CompletedProcess(words, code, _text(said), _text(complained))


def _stream(text: str = "") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", newline="\n", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def shown(*words: str, typed: str = "", **env: str) -> str:
    """What the command prints, given in this process."""
    return _printed(run(*words, typed=typed, **env))


def start(*words: str, typed: str = "", **env: str) -> CompletedProcess[str]:
    """Give the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "storeys.cli", *words],
        input=typed,
        env=os.environ | {"COLUMNS": str(WIDTH)} | env,
        capture_output=True,
        text=True,
        check=False,
    )


def said_by(code: str, *words: str, **env: str) -> Any:
    """What some code prints as JSON in a process of its own."""
    child = subprocess.run(
        [sys.executable, "-c", code, *words],
        env=os.environ | env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return json.loads(child.stdout)


def shown_by_process(*words: str, typed: str = "", **env: str) -> str:
    """What the command prints, given in a process of its own."""
    return _printed(start(*words, typed=typed, **env))


def _printed(ended: CompletedProcess[str]) -> str:
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
