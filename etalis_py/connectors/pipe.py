"""A source as a pipe: its messages as lines, for who reads files."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from contextlib import aclosing, suppress
from io import RawIOBase

from etalis_py.connectors.base import Source
from etalis_py.connectors.reading import read_on
from etalis_py.connectors.table import open_source
from etalis_py.core.errors import UsageError

__all__ = ["open_pipe"]

_log = logging.getLogger(__name__)


def open_pipe(url: str) -> int:
    """A descriptor to read from, which ends where the source does; a thread writes to it.

    A message is confirmed when it is in the pipe, so those that were not read yet are lost with the process.

    Raises:
        UsageError: EP630 to EP632, there is no such source.
    """
    source = open_source(url)
    reading, writing = os.pipe()
    threading.Thread(target=_write_all, args=(source, writing), name=url, daemon=True).start()
    return reading


def _write_all(source: Source, descriptor: int) -> None:
    with os.fdopen(descriptor, "wb", buffering=0) as pipe, suppress(BrokenPipeError):
        try:
            asyncio.run(_copy(source, pipe))
        except UsageError as error:
            _log.error("%s", error)


async def _copy(source: Source, pipe: RawIOBase) -> None:
    async with aclosing(read_on(source)) as found:
        async for messages in found:
            for each in messages:
                if each.body:
                    await asyncio.to_thread(_write, pipe, each.body)
                if each.confirm is not None:
                    await each.confirm()


def _write(pipe: RawIOBase, body: bytes) -> None:
    left = memoryview(body if body.endswith(b"\n") else body + b"\n")
    while left:
        left = left[pipe.write(left) :]
