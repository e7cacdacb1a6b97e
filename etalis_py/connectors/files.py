"""Files as sources: one that grows, and those that are put into a folder."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterator, Sequence
from glob import escape
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import unquote
from zlib import crc32

from etalis_py.connectors.address import Address
from etalis_py.connectors.base import MOST_AT_ONCE, Known, LostError, Message, Source
from etalis_py.core.errors import UsageError

__all__ = ["source"]

_EVERY: Final = 0.2
"""Seconds between two looks."""
_CHUNK: Final = 1 << 20
_MARK: Final = 1024
"""Bytes of the first line of a file by which it is known again."""
_TIMES: Final = 1 << 44
"""The number of a place in a file that was written anew has so much more each time."""


def source(address: Address) -> Source:
    """Lines as they are added to a file, or the files of a folder."""
    address.check(["from", "header"] if address.scheme == "follow" else ["pattern"])
    return _Follow(address) if address.scheme == "follow" else _Folder(address)


def _path(address: Address) -> Path:
    word = unquote(address.url.partition(":")[2].partition("?")[0])
    word = word.removeprefix("//")
    if not word:
        raise UsageError("EP630", f"{address} names no file", hint=f"{address.scheme}:PATH")
    return Path(word)


class _Follow(Source):
    """The whole lines of a file, as ``tail -F`` has them: the numbers are those of the bytes before.

    A file that is replaced begins anew, as does one that is shorter than before. Where the one before was
    renamed in its folder, the rest of it comes first. The first ``header`` lines of a file stand before
    each of its bodies.
    """

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._path = _path(address).absolute()
        self._header = round(address.number("header", 0))
        self._from_start = address.option("from", "start", ("start", "end")) == "start"
        self._numbers: dict[str, int] = {}

    async def messages(self, known: Known) -> AsyncGenerator[Sequence[Message], None]:
        mine = (origin for origin in known if origin.partition("#")[0] == str(self._path))
        self._numbers = {origin: known[origin].number for origin in mine}
        try:
            ends = [] if self._from_start or self._numbers else self._ends()
            yield []
            if ends:
                yield ends
            for renamed in self._renamed():
                with renamed:
                    while (message := self._next(renamed)) is not None:
                        yield [message]
            while True:
                if not self._path.exists():
                    await asyncio.sleep(_EVERY)
                    continue
                with self._path.open("rb") as file:
                    is_current = True
                    while is_current:
                        is_current = self._is_current(file)
                        while (message := self._next(file)) is not None:
                            yield [message]
                        await asyncio.sleep(_EVERY)
        except OSError as error:
            raise LostError(f"{self._path}: {error.strerror or error}") from error

    def _ends(self) -> list[Message]:
        """The end of the lines that there are. That of no file tells that what is not known later is new."""
        ends = [Message(b"", str(self._path), 0)]
        if self._path.exists():
            with self._path.open("rb") as file:
                if (origin := self._origin(file)) is not None:
                    self._numbers[origin] = file.seek(0, os.SEEK_END)
                    ends.append(Message(b"", origin, self._numbers[origin]))
        return ends

    def _origin(self, file: BinaryIO) -> str | None:
        """Where a file is on the disk, and how it begins; None before there is a line."""
        file.seek(0)
        first, end, _ = file.read(_MARK).partition(b"\n")
        if not end and len(first) < _MARK:
            return None
        return f"{self._path}#{os.fstat(file.fileno()).st_ino}-{crc32(first):08x}"

    def _renamed(self) -> Iterator[BinaryIO]:
        """The files of its folder that were read under its name, the oldest first."""
        near = self._path.parent.glob(f"*{escape(self._path.stem)}*")
        others = [path for path in near if path != self._path and path.is_file()]
        for path in sorted(others, key=lambda each: each.stat().st_mtime_ns):
            file = path.open("rb")
            if self._origin(file) in self._numbers:
                yield file
            else:
                file.close()

    def _is_current(self, file: BinaryIO) -> bool:
        """Whether no other file has taken its place. One that is shorter than before is read anew."""
        now, origin = os.fstat(file.fileno()), self._origin(file)
        number = self._numbers.get(origin or "", 0)
        if origin is not None and number % _TIMES > now.st_size:
            self._numbers[origin] = (number // _TIMES + 1) * _TIMES
        try:
            there = self._path.stat()
        except FileNotFoundError:  # it goes on under another name, until there is one
            return True
        return (there.st_dev, there.st_ino) == (now.st_dev, now.st_ino)

    def _next(self, file: BinaryIO) -> Message | None:
        """Some more lines."""
        origin, header = self._origin(file), self._head(file)
        if origin is None or header is None:
            return None
        number = self._numbers.get(origin, 0)
        number += max(len(header) - number % _TIMES, 0)
        file.seek(number % _TIMES)
        data = file.read(_CHUNK)
        while data and b"\n" not in data and len(more := file.read(_CHUNK)):
            data += more  # a line longer than that
        end = data.rfind(b"\n") + 1
        if not end:
            return None
        self._numbers[origin] = number + end
        return Message(header + data[:end], origin, number + end, head=self._header)

    def _head(self, file: BinaryIO) -> bytes | None:
        """What stands before the events; None while it is not there."""
        file.seek(0)
        lines = [file.readline() for _ in range(self._header)]
        return b"".join(lines) if all(each.endswith(b"\n") for each in lines) else None


class _Folder(Source):
    """Each file once, in the order of names. A file must be whole: write it elsewhere, then rename it."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._folder = _path(address).absolute()
        self._pattern = address.option("pattern", "*")

    async def messages(self, known: Known) -> AsyncGenerator[Sequence[Message], None]:
        if not self._folder.is_dir():
            raise UsageError("EP631", f"{self._folder} is not a folder")
        yield []
        done = set(known)
        while True:
            paths = sorted(path for path in self._folder.glob(self._pattern) if str(path) not in done)
            for path in [path for path in paths if path.is_file()][:MOST_AT_ONCE]:
                done.add(str(path))
                try:
                    body = path.read_bytes()
                except OSError as error:
                    raise LostError(f"{path}: {error.strerror or error}") from error
                yield [Message(body, str(path), 0)]
            if not paths:
                await asyncio.sleep(_EVERY)
