"""Who reads the answers of an engine as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from typing import Final

from etalis_py.serve.answer_log import AnswerLog, Read

__all__ = ["Reader", "Readers"]

_QUIET: Final = 15.0
"""Seconds after which a reader that has nothing to read says so, which keeps proxies from closing."""
_AT_ONCE: Final = 500
_MOST_SHARED: Final = 100
"""Reads that are kept until the next answer."""


class Readers:
    """Wakes the readers of one log, in the event loop; ``None`` is read when the server ends."""

    def __init__(self, log: AnswerLog) -> None:
        self._log = log
        self._loop = asyncio.get_running_loop()
        self._waiting: set[asyncio.Future[None]] = set()
        self._reads: dict[tuple[int, frozenset[str]], Read] = {}
        self._is_called = False
        self.is_closed = False
        self.count = 0
        log.woken = self._wake_soon

    def _wake_soon(self) -> None:
        """Called in the engine's thread."""
        if not self._is_called and not self._loop.is_closed():
            self._is_called = True
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._is_called = False
        self._reads.clear()
        waiting, self._waiting = self._waiting, set()
        for each in waiting:
            if not each.done():
                each.set_result(None)

    def close(self) -> None:
        """The server ends: readers read what there is, and end."""
        self.is_closed = True
        self._wake()

    def read(self, after: int, queries: frozenset[str]) -> Read:
        """What there is after a number; most readers stand at the same one, and get the same."""
        found = self._reads.get((after, queries))
        if found is None:
            found = self._log.read(after, queries, _AT_ONCE)
            if found.answers and len(self._reads) < _MOST_SHARED:
                self._reads[after, queries] = found
        return found

    async def wait(self, after: int) -> None:
        """Until there may be an answer after this number, or for `_QUIET` seconds."""
        if self.is_closed or self._log.last > after:
            return
        turn = self._loop.create_future()
        self._waiting.add(turn)
        if self._log.last > after:  # it came meanwhile
            return
        try:
            await asyncio.wait_for(turn, _QUIET)
        except asyncio.TimeoutError:
            pass
        finally:
            self._waiting.discard(turn)

    def reader(self, after: int, queries: Collection[str] = ()) -> Reader:
        """One more, that begins after an answer."""
        return Reader(self, self._log, after, queries)


class Reader:
    """Reads the answers after a number, as they come: at each step some, or none after a while."""

    def __init__(self, readers: Readers, log: AnswerLog, after: int, queries: Collection[str]) -> None:
        self._readers = readers
        self._log = log
        self._queries = frozenset(queries)
        self.after = after

    async def __aiter__(self) -> AsyncIterator[Read]:
        self._readers.count += 1
        try:
            while True:
                found = self._readers.read(self.after, self._queries)
                moved, self.after = found.upto > self.after, found.upto
                if found.answers or found.lost:
                    yield found
                elif not moved:
                    if self._readers.is_closed:
                        return
                    await self._readers.wait(self.after)
                    if self._log.last <= self.after and not self._readers.is_closed:
                        yield Read((), self.after, 0)
        finally:
            self._readers.count -= 1
