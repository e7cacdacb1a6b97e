"""What Prolog compiled, in the user's cache: never half written, checked before it is read.

A damaged ``.qlf`` file makes SWI-Prolog end the process, so each file ends with a checksum of its own. Files
appear under their name complete (renamed there), so processes need no lock: the last one wins, with the same
content.
"""

from __future__ import annotations

import hashlib
import logging
import os
import struct
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Final

from etalis_py.provision.places import cache_folder

__all__ = ["checked_number", "digest_file", "new_file", "ready_folder", "seal"]

_log = logging.getLogger(__name__)
_TRAILER: Final = struct.Struct(">8sQ32s")
_MAGIC: Final = b"etalisbg"
_BLOCK: Final = 1 << 18


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
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        _log.warning("no cache for compiled %s: %s", kind, error)
        return None
    if not os.access(folder, os.W_OK | os.X_OK):
        _log.warning("no cache for compiled %s: %s cannot be written to", kind, folder)
        return None
    return folder


@contextmanager
def new_file(folder: Path, suffix: str) -> Iterator[Path]:
    """A file of this process only, removed at the end unless it was renamed."""
    handle, name = tempfile.mkstemp(suffix=suffix, prefix="new-", dir=folder)
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def seal(path: Path, number: int) -> None:
    """Add a number to keep (of triples, say) and the checksum to a compiled file."""
    trailer = _TRAILER.pack(_MAGIC, number, digest_file(path))
    with path.open("ab") as file:
        file.write(trailer)


def checked_number(path: Path) -> int | None:
    """The number kept in a compiled file; None if it is not there, or not whole."""
    trailer = digest = b""
    try:
        with path.open("rb", buffering=0) as file:
            length = os.fstat(file.fileno()).st_size - _TRAILER.size
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
    _log.warning("%s is damaged and will be made anew", path)
    return None
