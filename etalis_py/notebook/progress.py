"""A line below a cell that says how many events were sent, if that takes long."""

from __future__ import annotations

import time
from typing import Final

from IPython.display import DisplayHandle, display

__all__ = ["Progress"]

_BETWEEN: Final = 0.5
"""Seconds between two updates, and before the first."""


class Progress:
    """Tells a number now and then; ``end`` takes the line away."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._line: DisplayHandle | None = None

    def tell(self, count: int) -> None:
        """So many events were sent so far."""
        if time.monotonic() - self._last < _BETWEEN:
            return
        self._last = time.monotonic()
        self._show(f"{count:,} events ...")

    def end(self) -> None:
        """There are no more."""
        if self._line is not None:
            self._show("")

    def _show(self, text: str) -> None:
        line = {"text/plain": text}
        if self._line is None:
            self._line = display(line, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._line.update(line, raw=True)  # type: ignore[no-untyped-call]
