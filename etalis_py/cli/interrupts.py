"""Ctrl-C that never cuts a line of the output in two."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

from typing_extensions import Self

__all__ = ["Interrupts"]


class Interrupts:
    """While it is entered, Ctrl-C raises KeyboardInterrupt at once, but for the parts that are ``held``."""

    def __init__(self) -> None:
        self._holding = False
        self._pending = False
        self._installed = threading.current_thread() is threading.main_thread()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Ctrl-C within waits until the end of this part."""
        self._holding = True
        try:
            yield
        finally:
            self._holding = False
        if self._pending:
            raise KeyboardInterrupt

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        self._pending = True
        if not self._holding:
            raise KeyboardInterrupt

    def __enter__(self) -> Self:
        if self._installed:
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, self._before)
