"""Files as sources: one that grows, and those that are put into a folder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from etalis_py.connectors.address import Address
from etalis_py.connectors.base import MOST_AT_ONCE, LostError, Message, Source
from etalis_py.core.errors import UsageError

__all__ = ["source"]

_EVERY: Final = 0.2
"""Seconds between two looks."""
_CHUNK: Final = 1 << 20


def source(address: Address) -> Source:
    """Lines as they are added to a file, or the files of a folder."""
    address.check(["from"] if address.scheme == "follow" else ["pattern"])
    return _Follow(address) if address.scheme == "follow" else _Folder(address)


def _path(address: Address) -> Path:
    word = unquote(address.url.partition(":")[2].partition("?")[0])
    word = word.removeprefix("//")
    if not word:
        raise UsageError("EP630", f"{address} names no file", hint=f"{address.scheme}:PATH")
    return Path(word)


class _Follow(Source):
    """The whole lines of a file, as ``tail -F`` has them: the numbers are those of the bytes before.

    A file that is replaced, or shorter than before, begins anew.
    """

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._file = _path(address)
        self._from_start = address.option("from", "start", ("start", "end")) == "start"

    async def messages(self, known: Mapping[str, int]) -> AsyncGenerator[Sequence[Message], None]:
        place, inode = None, -1
        while True:
            try:
                found = self._file.stat()
            except FileNotFoundError:
                if place is None:
                    place = 0  # all that it will hold is new
                    yield []
                await asyncio.sleep(_EVERY)
                continue
            except OSError as error:
                raise LostError(f"{self._file}: {error.strerror or error}") from error
            origin = f"{self._file}#{found.st_ino}"
            if place is None or inode != found.st_ino or found.st_size < place:
                is_first = place is None
                place = known.get(origin, found.st_size if is_first and not self._from_start else 0)
                place, inode = place if place <= found.st_size else 0, found.st_ino
                if is_first:
                    yield []
            messages, place = self._lines(place, origin)
            if messages:
                yield messages
            else:
                await asyncio.sleep(_EVERY)

    def _lines(self, place: int, origin: str) -> tuple[list[Message], int]:
        try:
            with self._file.open("rb") as file:
                file.seek(place)
                data = file.read(_CHUNK)
                while data and b"\n" not in data and len(more := file.read(_CHUNK)):
                    data += more  # a line longer than that
        except OSError as error:
            raise LostError(f"{self._file}: {error.strerror or error}") from error
        end = data.rfind(b"\n") + 1
        if not end:
            return [], place
        return [Message(data[:end], origin, place + end)], place + end


class _Folder(Source):
    """Each file once, in the order of names. A file must be whole: write it elsewhere, then rename it."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._folder = _path(address)
        self._pattern = address.option("pattern", "*")

    async def messages(self, known: Mapping[str, int]) -> AsyncGenerator[Sequence[Message], None]:
        if not self._folder.is_dir():
            raise UsageError("EP631", f"{self._folder} is not a folder")
        yield []
        done = {origin for origin in known if Path(origin).parent == self._folder}
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
