"""Bodies that are on their way: how large, how slow, and how much of all of them at one time."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio

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
        taken: list[bytes] = []
        size = 0
        began = anyio.current_time()
        try:
            with anyio.CancelScope(deadline=began + self._limits.idle) as scope:
                async for piece in pieces:
                    if size + len(piece) > most:
                        message = f"the body has more than {most:,} bytes"
                        raise RequestError(413, "EP624", message, hint="send it in several requests")
                    if self._bytes + len(piece) > self._limits.arriving:
                        raise too_much("too many bodies are on their way", "send it again, a little later", 1)
                    taken.append(piece)
                    size += len(piece)
                    self._bytes += len(piece)
                    scope.deadline = self._deadline(began, size)
                return b"".join(taken)
        finally:
            self._bytes -= size
        message = f"the body is slower than {self._limits.pace:,} bytes a second, or stood still"
        raise RequestError(408, "EP624", message)

    def _deadline(self, began: float, size: int) -> float:
        """Until when there has to be more than these bytes."""
        limits = self._limits
        return min(anyio.current_time(), began + size / limits.pace) + limits.idle
