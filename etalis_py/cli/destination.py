"""The file, pipe or terminal that answers are written to.

A form that is a whole document, of no use in part (json, parquet), is written to ``FILE.partial`` and takes
the name FILE when it is whole: under that name there is never a part of a document, whatever ends the run.
Forms of lines are written in place, so that others can follow them.
"""

from __future__ import annotations

import fcntl
import io
import os
import select
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from etalis_py.core.errors import Place, UsageError

__all__ = ["Destination", "open_destination"]

_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
_TAIL: Final = 65_536
"""How many bytes are looked at to tell whether a file is still the one that was written."""


class _Descriptor(io.RawIOBase):
    """An open file without a buffer, in which data could wait that a full disk does not take."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._written = 0

    def writable(self) -> bool:
        """Yes."""
        return True

    def fileno(self) -> int:
        """The file descriptor."""
        return self._descriptor

    def tell(self) -> int:
        """How many bytes were written, those before `seek` too."""
        return self._written

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Write on at ``offset``."""
        self._written = os.lseek(self._descriptor, offset, whence)
        return self._written

    def truncate(self, size: int | None = None) -> int:
        """Take back what was written after the first ``size`` bytes of a file."""
        size = self._written if size is None else size
        os.ftruncate(self._descriptor, size)
        return self.seek(size)

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Write all of ``data``, or raise OSError."""
        rest = memoryview(data)
        while rest:
            try:
                count = os.write(self._descriptor, rest)
            except BlockingIOError:  # another process on the same pipe or terminal may have made it so
                select.select([], [self._descriptor], [])
                continue
            self._written += count
            rest = rest[count:]
        return len(data)


class Destination:
    """Where answers go; ``file`` takes them."""

    def __init__(
        self,
        descriptor: int,
        path: str | None = None,
        partial: str | None = None,
        file: BinaryIO | None = None,
    ) -> None:
        self.file = cast("BinaryIO", _Descriptor(descriptor)) if file is None else file
        self._descriptor = descriptor
        self._path = path
        self._partial = None if partial is None else Path(partial)
        self._begun = False

    @property
    def name(self) -> str | None:
        """The file that is written to; None for standard output."""
        return self._path if self._partial is None else str(self._partial)

    @property
    def can_take_back(self) -> bool:
        """Whether the end of what was written can be cut off: of a file, and of nobody else's output."""
        return self._path is not None and self._is_file()

    def begin(self) -> None:
        """Leave out what stood in a file before: it is sure now that results can be written."""
        self._begun = True
        if self.can_take_back:
            os.ftruncate(self._descriptor, 0)

    def go_on_from(self, kept: dict[str, Any]) -> None:
        """Leave out what was written after `written` gave this.

        Raises:
            UsageError: EP580, what was written before is not there any more.
        """
        offset = kept["offset"]
        size = os.fstat(self._descriptor).st_size
        changed = None
        if size < offset:
            changed = f"it has {size:,} bytes, but {offset:,} were written"
        elif self._digest(offset) != kept["digest"]:
            changed = "the bytes where the run stopped have changed"
        if changed is not None:
            message = f"the results have changed since the run was saved: {changed}"
            hint = "restore the file, or start again with an empty state folder"
            raise UsageError("EP580", message, place=Place(self._path), hint=hint)
        self.file.truncate(offset)

    def written(self) -> dict[str, Any]:
        """How far a file was written, which is on the disk then; JSON."""
        os.fsync(self._descriptor)
        offset = self.file.tell()
        return {"offset": offset, "digest": self._digest(offset)}

    def check_can_be_kept(self) -> None:
        """
        Raises:
            UsageError: EP516, this is not a file, of which the end can be cut off.
        """
        if not self._is_file():
            message = f"{self._path} is not a regular file, and --state must continue in the middle of one"
            raise UsageError("EP516", message, hint="choose another --output FILE")

    def _is_file(self) -> bool:
        return stat.S_ISREG(os.fstat(self._descriptor).st_mode)

    def _digest(self, offset: int) -> str:
        """Of the last bytes before ``offset``."""
        assert self._path is not None, "standard output is not kept"
        with Path(self._path).open("rb") as file:
            file.seek(max(0, offset - _TAIL))
            return blake2b(file.read(min(offset, _TAIL)), digest_size=16).hexdigest()

    def complete(self) -> None:
        """All is written: give a document its name."""
        if self._partial is not None:
            assert self._path is not None, "what has another name for a time has one in the end"
            os.fsync(self._descriptor)
            self._partial.replace(self._path)

    def close(self) -> None:
        """Close it; nothing is left of a document that was not begun."""
        os.close(self._descriptor)
        if self._partial is not None and not self._begun:
            self._partial.unlink(missing_ok=True)


@contextmanager
def open_destination(path: str | None, *, document: bool) -> Iterator[Destination]:
    """The destination by the name ``path``; None is standard output. ``document``: of no use in part.

    Raises:
        UsageError: EP507, it cannot be opened.
    """
    if path is None:
        if sys.stdout is None:
            raise UsageError("EP507", "standard output is closed", hint="add --output FILE")
        sys.stdout.flush()
        yield _standard_output()
        return
    try:
        destination = _opened(path, document=document)
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"the results cannot be written to {path}: {reason}"
        raise UsageError("EP507", message, hint="choose another --output FILE") from error
    try:
        yield destination
    finally:
        destination.close()


def _standard_output() -> Destination:
    try:
        return Destination(sys.stdout.fileno())
    except io.UnsupportedOperation:  # a program that calls us has put an object of its own in its place
        return Destination(-1, file=sys.stdout.buffer)


def _opened(path: str, *, document: bool) -> Destination:
    """The file itself, or where it is a document that can be renamed later, one beside it."""
    if document and not os.path.lexists(path):
        target = os.path.realpath(path)
        return Destination(_open_alone(f"{target}.partial"), target, f"{target}.partial")
    descriptor = os.open(path, _FLAGS, 0o666)
    found = os.fstat(descriptor)
    if not document or not stat.S_ISREG(found.st_mode):
        return Destination(descriptor, path)
    target = os.path.realpath(path)
    try:
        partial = _open_alone(f"{target}.partial")
    except PermissionError:  # nothing can be added to the folder
        return Destination(descriptor, path)
    os.fchmod(partial, stat.S_IMODE(found.st_mode))
    os.close(descriptor)
    return Destination(partial, target, f"{target}.partial")


def _open_alone(path: str) -> int:
    """Open a file that no other run writes at the same time; it may be what a killed one left behind."""
    while True:
        descriptor = os.open(path, _FLAGS | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), Path(path).stat()):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            raise OSError(None, f"another run is writing {path}") from None
        except FileNotFoundError:  # the other run gave it its name in this moment
            pass
        os.close(descriptor)
