"""Signals that ask a run to end (Ctrl-C, SIGTERM, SIGHUP), and never cut a line of the output in two."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from typing_extensions import Self

from etalis_py.embedding.interruption import INTERRUPTION

__all__ = ["Interrupts", "Stopped"]


class Stopped(KeyboardInterrupt):
    """A signal has asked the run to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number
        """As shells have it."""


class Interrupts:
    """While it is entered, a signal raises Stopped at once, but for the parts that are ``held``.

    What comes after the first one, while the output is made whole, changes nothing, but for another Ctrl-C. A
    signal that was ignored before (``nohup``) still is.
    """

    _SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self._holding = False
        self._pending: int | None = None
        self._raised = False
        self._installed = threading.current_thread() is threading.main_thread()
        self._before: dict[signal.Signals, Any] = {}

    @contextmanager
    def held(self) -> Iterator[None]:
        """A signal within waits until the end of this part, unless a call into Prolog runs: that ends."""
        self._holding = True
        try:
            yield
        finally:
            self._holding = False
        self.check()

    def check(self) -> None:
        """Stop now, within a part that is held, if a signal has come."""
        if self._pending is not None and not self._raised:
            self._stop(self._pending)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self._pending is None:
            self._pending = number
        holds = self._holding and not INTERRUPTION.is_inside
        if not holds and (not self._raised or number == signal.SIGINT):
            self._stop(self._pending)

    def _stop(self, number: int) -> None:
        self._raised = True
        raise Stopped(number)

    def __enter__(self) -> Self:
        if self._installed:
            for each in self._SIGNALS:
                if signal.getsignal(each) is not signal.SIG_IGN:
                    self._before[each] = signal.signal(each, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
