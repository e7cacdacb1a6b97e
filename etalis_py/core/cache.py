"""What was compiled, in the user's cache: never half written, nobody else's, checked before it is read.

To load a compiled file is to run what is in it. So nothing is read that another user could have written, as
ssh has it with its keys: each file, and each folder up to the root, belongs to this user or to root, and
neither its group nor others may write to it. (A folder above may be sticky, as ``/tmp`` is.) Else the run
does without.

A damaged ``.qlf`` file makes SWI-Prolog end the process, so each file ends with a checksum of its own. Files
appear under their name complete (renamed there), so processes need no lock: the last one wins, with the same
content.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import stat
import struct
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from io import FileIO
from pathlib import Path
from typing import Final

from etalis_py.core.errors import warn

__all__ = ["cache_folder", "checked_number", "digest_file", "distrusted", "new_file", "ready_folder", "seal"]

_log = logging.getLogger(__name__)
_TRAILER: Final = struct.Struct(">8sQ32s")
_MAGIC: Final = b"etalisbg"
_BLOCK: Final = 1 << 18
_ABANDONED_AFTER: Final = 24 * 3600
"""Seconds after which nobody writes to a file that was begun: to compile takes minutes at most."""


def cache_folder() -> Path:
    """The user cache for what is built once: ``ETALIS_CACHE``, else ``etalis_py`` in the XDG cache folder.

    A user without a home, as containers have them, gets a folder that cannot be made: no cache is
    better than one shared with every user who can write to a common folder. A relative ``XDG_CACHE_HOME``
    does not count (XDG Base Directory Specification), and neither does a relative ``HOME``.
    """
    nowhere = Path(os.devnull) / "etalis_py"
    try:
        if chosen := os.environ.get("ETALIS_CACHE"):
            return Path(chosen).expanduser().resolve()
        base = Path(os.environ.get("XDG_CACHE_HOME", ""))
        if not base.is_absolute():
            if os.environ.get("HOME") == "":  # which Path.home takes for the root
                return nowhere
            base = Path.home() / ".cache"
    except (RuntimeError, ValueError):
        return nowhere
    return base / "etalis_py" if base.is_absolute() else nowhere


def digest_file(path: Path) -> bytes:
    """The hash of a file's content. Raises OSError."""
    with path.open("rb", buffering=0) as file:
        return _digest(file, sys.maxsize)


def _digest(file: FileIO, most: int) -> bytes:
    """The hash of the next bytes, up to so many. One block is used again and again: new memory costs more."""
    digest = hashlib.blake2b(digest_size=32)
    block = memoryview(bytearray(_BLOCK))
    while most > 0 and (count := file.readinto(block[:most])):
        digest.update(block[:count])
        most -= count
    return digest.digest()


def ready_folder(kind: str, chosen: str | os.PathLike[str] | None = None) -> Path | None:
    """The cache folder for files of a kind, made where it was missing; None if it cannot be written to."""
    folder = cache_folder() / kind if chosen is None else Path(chosen)
    try:
        _make(folder)
        real = Path(os.path.realpath(folder))  # what a link names later does not matter
        problem = distrusted(real)
    except (OSError, ValueError) as error:
        _log.warning("no cache for compiled %s: %s", kind, error)
        return None
    if problem is not None:
        _warn_of(problem)
        return None
    if not os.access(real, os.W_OK | os.X_OK):
        _log.warning("no cache for compiled %s: %s cannot be written to", kind, folder)
        return None
    _remove_abandoned(real)
    return real


def _make(folder: Path) -> None:
    """Make a folder, and those above it, for this user alone, whatever the umask lets others do."""
    for missing in [*(each for each in reversed(folder.parents) if not each.exists()), folder]:
        missing.mkdir(mode=0o700, exist_ok=True)


def distrusted(folder: Path) -> str | None:
    """Why another user could change what is in ``folder``, which is a path without links; None if none can.

    Raises OSError.
    """
    for place in (folder, *folder.parents):
        status = place.stat()
        if status.st_uid not in (os.geteuid(), 0):
            return f"{place} belongs to another user"
        if _for_others(status) and not (place != folder and status.st_mode & stat.S_ISVTX):
            return f"other users may write to {place}"
    return None


def _for_others(status: os.stat_result) -> bool:
    return bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


@cache
def _warn_of(problem: str) -> None:
    warn(
        "EW43",
        f"the cache is not used: {problem}",
        hint="remove the right of others to write (chmod go-w), or name a folder of your own in ETALIS_CACHE",
    )


@cache
def _remove_abandoned(folder: Path) -> None:
    """Remove what processes that were killed had begun, once in this process."""
    for path in folder.glob("new-*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _ABANDONED_AFTER:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def new_file(folder: Path, suffix: str) -> Iterator[Path]:
    """A file of this process only, removed at the end unless it was renamed."""
    handle, name = tempfile.mkstemp(suffix=suffix, prefix="new-", dir=folder)
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _open_itself(path: str, flags: int) -> int:
    """The opener of a file, not of what a link names; a pipe is not waited for."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def seal(path: Path, number: int) -> None:
    """Add a number to keep (of triples, say) and the checksum to a compiled file."""
    trailer = _TRAILER.pack(_MAGIC, number, digest_file(path))
    with path.open("ab") as file:
        file.write(trailer)


def checked_number(path: Path) -> int | None:
    """The number kept in a compiled file; None if it is not there, or not whole."""
    trailer = digest = b""
    try:
        with open(path, "rb", buffering=0, opener=_open_itself) as file:
            status = os.fstat(file.fileno())
            if status.st_uid not in (os.geteuid(), 0) or _for_others(status):
                _warn_of(f"{path} belongs to another user, or other users may write to it")
                return None
            length = status.st_size - _TRAILER.size
            if length > 0:
                digest = _digest(file, length)
                trailer = file.read(_TRAILER.size)
    except FileNotFoundError:
        return None
    except OSError as error:
        _log.warning("%s cannot be read: %s", path, error)
        return None
    if len(trailer) == _TRAILER.size:
        magic, number, expected = _TRAILER.unpack(trailer)
        if magic == _MAGIC and digest == expected:
            return int(number)
    _log.warning("%s is damaged and will be rebuilt", path)
    return None
