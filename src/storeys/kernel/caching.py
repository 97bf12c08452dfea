"""Where compiled code is kept, and for how long it holds.

Numba looks at the file of a function, not at the files of the functions it calls.  A cache
folder is therefore named after a digest of all the sources that can end up in the compiled
code: the kernel's and those of the package the function lives in.  What a *generic* function
pulls in from a game is covered by the record types of its arguments, which carry the digest of
that game's sources in a field name (see :mod:`storeys.kernel.record`).
"""

import functools
import hashlib
import os
import re
import sys
import warnings
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_KERNEL = Path(__file__).parent
_DRAWS = re.compile(rb"^from storeys\.kernel\.drawing", re.MULTILINE)


def cache_root() -> Path:
    """The folder of all compiled code: ``STOREYS_CACHE`` or the user's cache folder."""
    chosen = os.environ.get("STOREYS_CACHE")
    if chosen:
        return Path(chosen)
    import platformdirs

    return platformdirs.user_cache_path("storeys") / "compiled"


@functools.cache
def cache_folder_of(source: Path) -> Path | None:
    """The cache folder for functions of this source file, or None if it cannot be written."""
    package = source.parent
    folder = cache_root() / f"{package.name}-{sources_digest(package)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _warn_once(f"compiled rules cannot be kept in {cache_root()} ({error.strerror})")
        return None
    return folder


def prune_cache(sources: Iterable[Path]) -> int:
    """Remove what older versions of the packages of some files have left; says how many folders."""
    import shutil

    in_use = {folder for path in sources if (folder := cache_folder_of(path))}
    packages = {_package_of(folder) for folder in in_use}
    old = [
        folder
        for folder in cache_root().glob("*-*")
        if _package_of(folder) in packages and folder not in in_use
    ]
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
    return len(old)


def _package_of(folder: Path) -> str:
    return folder.name.rpartition("-")[0]


def is_ready(tag: str, source: Path) -> bool:
    """Whether all entry points of a source file's package are compiled for a game.

    The tag is that of its state, which tells the versions of its rules apart.
    """
    return _ready_mark(tag, source.parent).exists()


def mark_ready(tag: str, source: Path) -> None:
    """Note that they are; where that cannot be kept, nothing was."""
    mark = _ready_mark(tag, source.parent)
    with suppress(OSError):
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


@functools.cache
def _ready_mark(tag: str, package: Path) -> Path:
    """A file named after all that compiled code depends on: sources, Numba, Python, the machine."""
    import platform
    from importlib import metadata

    made_by = metadata.version("numba"), sys.version, platform.platform(), platform.processor()
    whole = "\0".join([tag, sources_digest(package), *made_by])
    name = f"{tag}-{package.name}-{hashlib.sha256(whole.encode()).hexdigest()[:12]}"
    return cache_root() / "ready" / name


@functools.cache
def sources_digest(package: Path) -> str:
    """A digest of the kernel's sources and of those of one package, as a short hex text."""
    return _with_sources(_kernel_digest(), package).hexdigest()[:12]


@functools.cache
def _kernel_digest() -> "hashlib._Hash":
    """All packages' digests begin with the kernel's, which is read once."""
    return _with_sources(hashlib.sha256(), _KERNEL)


def _with_sources(begun: "hashlib._Hash", folder: Path) -> "hashlib._Hash":
    """A digest to which the sources of a folder are added."""
    digest = begun.copy()
    for source in sorted(folder.rglob("*.py")):
        code = source.read_bytes()
        # What draws is never compiled, and may change without compiling the rules again.
        if not _DRAWS.search(code) and source.parent.name != "drawing":
            digest.update(source.name.encode() + b"\0" + code + b"\0")
    return digest


@functools.cache
def _warn_once(sentence: str) -> None:
    warnings.warn(f"{sentence}; they are compiled again at every start", stacklevel=2)
