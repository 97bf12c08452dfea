"""The files of the pages, and what tells this version of them from any other."""

import hashlib
from functools import cache
from pathlib import Path

import storeys

STATIC = Path(__file__).parent / "static"
NOT_NEEDED = (".json", ".txt")
HEADER = b"storeys-files"
"""By which answers say the version of the files."""


@cache
def files() -> list[str]:
    """The files of all pages, by their addresses."""
    found = sorted(file.relative_to(STATIC).as_posix() for file in STATIC.rglob("*.*"))
    return [f"/static/{name}" for name in found if not name.endswith(NOT_NEEDED)]


@cache
def version_of_files() -> str:
    """What tells these files from any others: a digest of all of them and of the templates."""
    digest = hashlib.sha256(storeys.__version__.encode())
    for folder in (STATIC, STATIC.parent / "templates"):
        for file in sorted(folder.rglob("*.*")):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]
