"""Bodies that are on their way: how large, how slow, and how much of all of them at one time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from etalis_py.serve.limits import Limits
from etalis_py.serve.problems import RequestError, too_much

__all__ = ["Arrivals"]


class Arrivals:
    """Those of one server."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bytes = 0

    async def body(self, pieces: AsyncIterator[bytes], most: int) -> bytes:
        """A body of at most so many bytes.

        Raises:
            RequestError: EP624, it is too large (413), too slow (408), or one of too many (429).
        """
        taken = bytearray()
        began = asyncio.get_running_loop().time()
        try:
            while (piece := await self._next(pieces, began, len(taken))) is not None:
                if len(taken) + len(piece) > most:
                    message = f"the body has more than {most:,} bytes"
                    raise RequestError(413, "EP624", message, hint="send it in several requests")
                if self._bytes + len(piece) > self._limits.arriving:
                    raise too_much("too many bodies are on their way", "send it again, a little later", 1)
                taken += piece
                self._bytes += len(piece)
            return bytes(taken)
        finally:
            self._bytes -= len(taken)

    async def _next(self, pieces: AsyncIterator[bytes], began: float, size: int) -> bytes | None:
        limits = self._limits
        late = began + limits.idle + size / limits.pace - asyncio.get_running_loop().time()
        try:
            return await asyncio.wait_for(anext(pieces), min(limits.idle, late))
        except StopAsyncIteration:
            return None
        except asyncio.TimeoutError:
            message = f"the body is slower than {limits.pace:,} bytes a second, or stood still"
            raise RequestError(408, "EP624", message) from None
