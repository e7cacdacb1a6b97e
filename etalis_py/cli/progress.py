"""A progress line on standard error, for runs that take a while, where it is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from etalis_py.streams import Batch
from etalis_py.times import format_time

if TYPE_CHECKING:
    import rich.progress

__all__ = ["Progress"]

PATIENCE: Final = 1.0
"""Seconds before anything is shown: a short run needs no progress line, and no import of rich."""


class Progress:
    """Watches the batches that an engine takes, and tells how many events came, how fast, and up to when.

    ``wanted`` False, or a standard error that is no terminal: nothing is shown. Where answers go to a
    terminal too, `give_way` before the first of them.
    """

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted and sys.stderr is not None and sys.stderr.isatty()
        self._line: _Line | None = None

    def watch(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The same batches."""
        began = time.perf_counter()
        events = 0
        try:
            for batch in batches:
                yield batch
                events += len(batch)
                if self._wanted and len(batch) and time.perf_counter() - began > PATIENCE:
                    self._line = self._line or _Line(events)
                    self._line.show(events, batch.end[-1])
        finally:
            self.give_way()

    def give_way(self) -> None:
        """Take the line away, for good."""
        self._wanted = False
        if self._line is not None:
            self._line.stop()
            self._line = None


class _Line:
    """The line itself."""

    def __init__(self, events: int) -> None:
        from rich.console import Console
        from rich.progress import Progress as RichProgress
        from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

        self._began, self._first = time.perf_counter(), events
        self._progress: rich.progress.Progress = RichProgress(
            SpinnerColumn(),
            TextColumn("{task.completed:,} events"),
            TextColumn("{task.fields[speed]}"),
            TextColumn("up to {task.fields[up_to]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("", total=None, completed=events, speed="", up_to="")
        self._progress.start()

    def show(self, events: int, end: int) -> None:
        seconds = time.perf_counter() - self._began
        speed = f"{(events - self._first) / seconds:,.0f}/s" if events > self._first else ""
        self._progress.update(self._task, completed=events, speed=speed, up_to=format_time(end))

    def stop(self) -> None:
        self._progress.stop()
