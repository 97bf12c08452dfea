"""Compile rule functions with Numba and keep the result in the user's cache folder.

Every rule function is decorated with :func:`jit`.  With ``STOREYS_UNCOMPILED=1`` in the
environment the decorator does nothing, so the same source runs under a debugger.

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
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

UNCOMPILED = os.environ.get("STOREYS_UNCOMPILED", "0") not in ("", "0")

F = TypeVar("F", bound=Callable[..., object])

_KERNEL = Path(__file__).parent
_DRAWS = re.compile(rb"^from storeys\.kernel\.drawing", re.MULTILINE)


def jit(function: F) -> F:
    """Compile ``function`` on first use, cached on disk; runs without the interpreter lock."""
    if UNCOMPILED:
        return function
    import numba

    folder = cache_folder_of(Path(function.__code__.co_filename))
    # Numba reads the folder once, while decorating, so that a user's own setting is left alone.
    config: Any = numba.config
    users_own = config.CACHE_DIR
    config.CACHE_DIR = str(folder) if folder else users_own
    try:
        make = numba.njit(cache=folder is not None, nogil=True, error_model="numpy")
        return cast(F, make(function))
    finally:
        config.CACHE_DIR = users_own


def jitable(function: F) -> F:
    """Let compiled code call a small function that stays plain Python for Python callers."""
    if UNCOMPILED:
        return function
    from numba.extending import register_jitable

    usable: F = register_jitable(function)
    return usable


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


def prune_cache() -> int:
    """Remove what older sources of the loaded packages have left; says how many folders."""
    import shutil

    in_use = {folder for path in _compiled_sources() if (folder := cache_folder_of(Path(path)))}
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


def _compiled_sources() -> set[str]:
    """The files of all loaded modules that hold compiled functions."""
    modules = [m for m in list(sys.modules.values()) if getattr(m, "jit", None) is jit]
    return {m.__file__ for m in modules if m.__file__}


@functools.cache
def sources_digest(package: Path) -> str:
    """A digest of the kernel's sources and of those of one package, as a short hex text."""
    digest = hashlib.sha256()
    for folder in (_KERNEL, package):
        for source in sorted(folder.rglob("*.py")):
            code = source.read_bytes()
            # What draws is never compiled, and may change without compiling the rules again.
            if not _DRAWS.search(code) and source.parent.name != "drawing":
                digest.update(source.name.encode() + b"\0" + code + b"\0")
    return digest.hexdigest()[:12]


@functools.cache
def _warn_once(sentence: str) -> None:
    warnings.warn(f"{sentence}; they are compiled again at every start", stacklevel=2)
