"""How long to wait before a connection is tried again."""

from __future__ import annotations

import asyncio
from typing import Final

__all__ = ["Pauses"]

_FIRST: Final = 0.5
_LAST: Final = 30.0


class Pauses:
    """Half a second, then twice as long each time, up to half a minute."""

    def __init__(self) -> None:
        self._next = _FIRST

    def reset(self) -> None:
        """It worked."""
        self._next = _FIRST

    async def wait(self) -> None:
        """Wait once more."""
        await asyncio.sleep(self._next)
        self._next = min(2 * self._next, _LAST)
