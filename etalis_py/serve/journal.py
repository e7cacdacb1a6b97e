"""What was done since the last checkpoint, in files of a folder: after a kill it is done again.

Records of a length, a checksum and their bytes stand one after the other. What a kill or a power failure cut
is at the end, was acknowledged to nobody, and is cut off.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from etalis_py.core.errors import RunTimeError
from etalis_py.serve.numbered_files import NumberedFiles

__all__ = ["Journal"]

_FRONT: Final = struct.Struct(">II")


class Journal:
    """The journal in a folder. Its files are numbered; each checkpoint begins a new one."""

    def __init__(self, folder: Path) -> None:
        self._files = NumberedFiles(folder, "journal", 8)
        self._file: BinaryIO | None = None
        self._written = False
        self.number = 0
        """Of the file that is written."""

    def records(self, first: int) -> Iterator[bytes]:
        """What was written to file number ``first`` and those after it.

        Raises:
            RunTimeError: EP517, it cannot be read.
        """
        for number in self._files.numbers():
            if number >= first:
                yield from self._records_of(number)

    def go_on(self, first: int) -> None:
        """Begin a file behind those that there are; what is before number ``first`` is needed no more.

        Raises:
            RunTimeError: EP517, it cannot be written.
        """
        self.forget_before(first)
        self.begin(max([first - 1, *self._files.numbers()]) + 1)

    def _records_of(self, number: int) -> Iterator[bytes]:
        path = self._files.path(number)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise _unusable(path, error) from error
        place = 0
        while place + _FRONT.size <= len(data):
            length, checksum = _FRONT.unpack_from(data, place)
            record = data[place + _FRONT.size : place + _FRONT.size + length]
            if len(record) < length or zlib.crc32(record) != checksum:
                break
            yield record
            place += _FRONT.size + length
        if place < len(data):
            os.truncate(path, place)

    def begin(self, number: int | None = None) -> int:
        """Begin the next file, or the one with a number; which one it is."""
        self.close()
        self.number = self.number + 1 if number is None else number
        path = self._files.path(self.number)
        try:
            self._file = path.open("ab")
        except OSError as error:
            raise _unusable(path, error) from error
        return self.number

    def forget_before(self, number: int) -> None:
        """A checkpoint has what is in the files before this one."""
        for each in self._files.numbers():
            if each < number:
                self._files.path(each).unlink()

    def write(self, record: bytes) -> None:
        """Add a record, which is on the disk after `sync`.

        Raises:
            RunTimeError: EP517.
        """
        assert self._file is not None, "it has begun"
        try:
            self._file.write(_FRONT.pack(len(record), zlib.crc32(record)) + record)
            self._file.flush()
        except OSError as error:
            raise _unusable(self._files.path(self.number), error) from error
        self._written = True

    def sync(self) -> None:
        """Bring what was written to the disk.

        Raises:
            RunTimeError: EP517.
        """
        if self._file is not None and self._written:
            try:
                os.fsync(self._file.fileno())
            except OSError as error:
                raise _unusable(self._files.path(self.number), error) from error
            self._written = False

    def close(self) -> None:
        """Bring everything to the disk, and close the file."""
        if self._file is not None:
            self.sync()
            self._file.close()
            self._file = None


def _unusable(path: Path, error: OSError) -> RunTimeError:
    message = f"the journal {path} cannot be used: {error.strerror or error}"
    return RunTimeError("EP517", message, hint="make room, or see who may write there; then start again")
