"""Files that somebody writes anew: asked for again and again, of which the lines that are new are given."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from base64 import b64decode, b64encode
from collections.abc import AsyncGenerator, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from etalis_py.connectors.address import Address
from etalis_py.connectors.base import Known, LostError, Message, Position, Source
from etalis_py.core.errors import UsageError

__all__ = ["source"]

_OWN: Final = ("every", "header")
_DIGEST: Final = 8
"""Bytes by which a line is known again."""
_MOST: Final = 256 << 20
"""Bytes of a file; a larger one is refused."""


def source(address: Address) -> Source:
    """A file (``poll:FILE``), or what an HTTP server has (``poll+http://``, ``poll+https://``)."""
    if address.scheme != "poll":
        return _PolledUrl(address)
    address.check(_OWN)
    return _PolledFile(address)


class _Polled(Source):
    """Every so many seconds (``every``) the lines that were not there the last time, in the file's order.

    The first ``header`` lines stand before each of these bodies. The memory of a position is the digests of
    the lines that were there.
    """

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._every = address.number("every", 60)
        self._header = round(address.number("header", 0))
        self._origin = str(address)
        self._known: frozenset[bytes] = frozenset()
        """The digests of the lines of the last time."""

    @abstractmethod
    async def _changed(self) -> bytes | None:
        """The content, if it is another than the last time.

        Raises:
            LostError: it cannot be had.
            UsageError: EP631, it is refused.
        """

    async def messages(self, known: Known) -> AsyncGenerator[Sequence[Message], None]:
        last = known.get(self._origin, Position(0, ""))
        number, is_open = last.number, False
        self._known = _unpacked(last.memory or "")
        while True:
            content = await self._changed()
            if not is_open:
                is_open = True
                yield []
            body = None if content is None else self._new(content)
            if body is not None:
                number += 1
                yield [Message(body, self._origin, number, memory=_packed(self._known), head=self._header)]
            await asyncio.sleep(self._every)

    def _new(self, content: bytes) -> bytes | None:
        """The new lines, none where some are gone only; None where the lines are those of the last time.

        What stands behind the last end of a line is not written yet.
        """
        lines = content[: content.rfind(b"\n") + 1].splitlines()
        header, rows = lines[: self._header], lines[self._header :]
        digests = [_digest(each) for each in rows]
        before, self._known = self._known, frozenset(digests)
        if before == self._known:
            return None
        new = [row for row, each in zip(rows, digests, strict=True) if row.strip() and each not in before]
        return b"".join(each + b"\n" for each in (*header, *new)) if new else b""


def _digest(line: bytes) -> bytes:
    return blake2b(line, digest_size=_DIGEST).digest()


def _packed(digests: Iterable[bytes]) -> str:
    return b64encode(b"".join(sorted(digests))).decode()


def _unpacked(text: str) -> frozenset[bytes]:
    data = b64decode(text)
    return frozenset(data[place : place + _DIGEST] for place in range(0, len(data), _DIGEST))


class _PolledFile(_Polled):
    def __init__(self, address: Address) -> None:
        super().__init__(address)
        word = unquote(address.url.partition(":")[2].partition("?")[0]).removeprefix("//")
        if not word:
            raise UsageError("EP630", f"{address} names no file", hint="poll:FILE")
        self._file = Path(word)
        self._origin = str(self._file.absolute())
        self._seen: tuple[int, int, int] | None = None

    async def _changed(self) -> bytes | None:
        try:
            found = self._file.stat()
            seen = found.st_ino, found.st_mtime_ns, found.st_size
            if seen == self._seen:
                return None
            content = self._file.read_bytes()
        except OSError as error:
            raise LostError(f"{self._file}: {error.strerror or error}") from error
        self._seen = seen
        return content


class _PolledUrl(_Polled):
    """Asked for with ``If-None-Match`` and ``If-Modified-Since``: what is as before is not sent."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        parts = urlsplit(address.url.removeprefix("poll+"))
        options = [each for each in parse_qsl(parts.query, keep_blank_values=True) if each[0] not in _OWN]
        self._url = urlunsplit(parts._replace(query=urlencode(options)))
        self._origin = str(Address.parse(self._url))
        self._validators: dict[str, str] = {}

    async def _changed(self) -> bytes | None:
        from etalis_py.connectors.http import get_if_changed

        found = await get_if_changed(self.address, self._url, self._validators, _MOST)
        if found is None:
            return None
        self._validators, content = found
        return content
