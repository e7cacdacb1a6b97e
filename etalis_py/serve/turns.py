"""Questions take turns: between two of them an engine does what else waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from etalis_py.serve.problems import too_much

__all__ = ["Turns"]


class Turns:
    """One question at a time, and at most ``most`` that wait for theirs."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._turn = asyncio.Lock()
        self._waiting = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """It is this question's turn.

        Raises:
            RequestError: EP624, too many wait (429).
        """
        if self._waiting >= self._most:
            raise too_much("too many questions wait", "ask again, a little later", 5)
        self._waiting += 1
        try:
            async with self._turn:
                yield
        finally:
            self._waiting -= 1
