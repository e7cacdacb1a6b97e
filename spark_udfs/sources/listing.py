"""The stream files in a folder: what there is, and how tasks share them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from etalis_py.core.errors import DataError, Place, UsageError
from etalis_py.core.formats import MAPPED_FORMATS, TIMED_FORMATS
from etalis_py.streams import open_stream
from etalis_py.streams.lines import unreadable
from etalis_py.streams.mapping.yarrrml import StreamMap

__all__ = ["StreamFile", "check_unchanged", "list_files", "shares"]

_SHARE: Final = 32 << 20
_OPENING: Final = 1 << 20
"""Bytes: what one task reads, and what it costs to open a file."""


@dataclass(frozen=True, slots=True)
class StreamFile:
    """A file as it was when it was listed: ``size`` in bytes, ``modified`` in nanoseconds since 1970."""

    path: str
    size: int
    modified: int

    @property
    def key(self) -> bytes:
        """Eight bytes that stand for the path: two paths share them once in some 10^19 pairs."""
        return sha256(os.fsencode(self.path)).digest()[:8]

    @property
    def scope(self) -> str:
        """What keeps the labels of its blank nodes apart from those of other files."""
        return f"f{self.key.hex()}-"


def list_files(
    paths: Iterable[str], format_name: str | None, mapping: StreamMap | None = None
) -> list[StreamFile]:
    """All stream files at some paths, the oldest first; those of folders within them, too.

    With a ``mapping`` these are files of records.

    Names that begin with a dot or an underscore are left out, as by Spark's own sources.

    Raises:
        DataError: EP401 a path that is not there or cannot be read.
        UsageError: EP521, EP522 a file whose suffix does not tell a form with times; a file that is passed
            over would be lost without a word.
    """
    found = {}
    for path in paths:
        for name in _names(Path(path).absolute()):
            _look_at_name(name, format_name, mapping)
            try:
                status = os.stat(name)  # noqa: PTH116 - a Path for each file of a folder takes its time
            except FileNotFoundError:  # it was moved away just now
                continue
            found[name] = StreamFile(name, status.st_size, status.st_mtime_ns)
    return sorted(found.values(), key=lambda file: (file.modified, file.path))


def _look_at_name(name: str, format_name: str | None, mapping: StreamMap | None) -> None:
    try:
        open_stream(name, format=format_name, mapping=mapping)  # only looks at the name
    except UsageError as error:
        formats = TIMED_FORMATS if mapping is None else MAPPED_FORMATS
        forms = f".option('streamFormat', ...) says the form of all files: {', '.join(formats)}"
        hint = f"{forms}; files whose names begin with an underscore are passed over"
        raise UsageError(error.code, error.message, place=error.place, hint=hint) from error


def _names(path: Path) -> Iterator[str]:
    def give_up(error: OSError) -> None:
        raise unreadable(str(path), error)

    try:
        path.stat()
    except OSError as error:
        raise unreadable(str(path), error) from error
    if not path.is_dir():
        yield str(path)
        return
    for folder, inner, names in os.walk(path, onerror=give_up):
        inner[:] = [name for name in inner if name[0] not in "._"]
        yield from (os.path.join(folder, name) for name in names if name[0] not in "._")  # noqa: PTH118


def shares(files: Sequence[StreamFile]) -> list[tuple[StreamFile, ...]]:
    """The files dealt out to tasks, in their order: small ones together, a large one alone.

    >>> [len(each) for each in shares([StreamFile("a", 10, 0), StreamFile("b", 10, 0)])]
    [2]
    """
    dealt: list[list[StreamFile]] = []
    size = _SHARE
    for file in files:
        cost = _OPENING + file.size
        if size + cost > _SHARE:
            dealt.append([])
            size = 0
        dealt[-1].append(file)
        size += cost
    return [tuple(each) for each in dealt]


def check_unchanged(file: StreamFile) -> None:
    """See that a file is what was listed.

    Raises:
        DataError: EP401 it cannot be read, EP602 it has another size.
    """
    try:
        size = Path(file.path).stat().st_size
    except OSError as error:
        raise unreadable(file.path, error) from error
    if size != file.size:
        raise DataError(
            "EP602",
            f"the file has {size} bytes, but had {file.size} when it was listed",
            place=Place(file.path),
            hint="write a file under a name that begins with a dot, and rename it when it is complete",
        )
