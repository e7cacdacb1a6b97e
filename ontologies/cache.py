"""Compiled background in the user's cache: found by content, never half written, checked before it is read.

A damaged ``.qlf`` file makes SWI-Prolog end the process, so each file ends with a checksum of its own. Files
appear under their name complete (renamed there), so processes need no lock: the last one wins, with the same
content.
"""

from __future__ import annotations

import hashlib
import logging
import os
import struct
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Final

from etalis_py.ontologies.formats import GraphSource, Source, unreadable
from etalis_py.provision.places import cache_folder

__all__ = ["checked_count", "key", "new_file", "ready_folder", "seal"]

_log = logging.getLogger(__name__)
_WRITERS: Final = (
    ("etalis_py.ontologies", "facts.py"),
    ("etalis_py.rules", "background.pl"),
    ("etalis_py.rules", "background_compile.pl"),
    ("etalis_py.rules", "background_graphs.pl"),
    ("etalis_py", "literals.py"),
    ("etalis_py", "times.py"),
)
"""The code that decides what a compiled file holds; when it changes, all files are compiled anew."""

_TRAILER: Final = struct.Struct(">8sQ32s")
_MAGIC: Final = b"etalisbg"
_BLOCK: Final = 1 << 20


def key(
    sources: Sequence[Source], graphs: Sequence[GraphSource], prolog_version: str, *, with_places: bool
) -> str:
    """The name of what these files compile to: hash of their contents, in order, and of what compiles them.

    The names of graphs count, too.

    ``with_places``: where the files lie counts as well. Raises DataError EP421.
    """
    total = hashlib.blake2b(f"{prolog_version} {with_places}".encode(), digest_size=20)
    for package, name in _WRITERS:
        total.update(files(package).joinpath(name).read_bytes())
    for source in sources:
        total.update(_digest_source(source, with_places))
    for each in graphs:
        total.update(f"\ngraph <{each.graph}>".encode())
        for source in each.sources:
            total.update(_digest_source(source, with_places))
    return total.hexdigest()


def _digest_source(source: Source, with_places: bool) -> bytes:
    about = f"\n{source.format} {source.packed} {source.base if with_places else ''} ".encode()
    try:
        return about + _digest_file(source.path)
    except OSError as error:
        raise unreadable(str(source.path), error) from error


def _digest_file(path: Path) -> bytes:
    digest = hashlib.blake2b(digest_size=32)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.digest()


def ready_folder(chosen: str | os.PathLike[str] | None) -> Path | None:
    """The cache folder, made where it was missing; None if it cannot be written to."""
    folder = cache_folder() / "background" if chosen is None else Path(chosen)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        _log.warning("no cache for compiled background: %s", error)
        return None
    if not os.access(folder, os.W_OK | os.X_OK):
        _log.warning("no cache for compiled background: %s cannot be written to", folder)
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


def seal(path: Path, count: int) -> None:
    """Add the number of triples and the checksum to a compiled file."""
    trailer = _TRAILER.pack(_MAGIC, count, _digest_file(path))
    with path.open("ab") as file:
        file.write(trailer)


def checked_count(path: Path) -> int | None:
    """The number of triples in a compiled file; None if it is not there, or not whole."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        _log.warning("compiled background cannot be read: %s", error)
        return None
    body = memoryview(content)[: -_TRAILER.size]
    if len(content) > _TRAILER.size:
        magic, count, digest = _TRAILER.unpack(content[-_TRAILER.size :])
        if magic == _MAGIC and digest == hashlib.blake2b(body, digest_size=32).digest():
            return int(count)
    _log.warning("%s is damaged and will be made anew", path)
    return None
