"""A progress line on standard error for runs that take a while, where it is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from etalis_py.cli.request import Request
from etalis_py.streams import Batch
from etalis_py.times import format_time

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["with_progress"]

PATIENCE: Final = 1.0
"""Seconds before anything is shown: a short run needs no progress line, and no import of rich."""


def with_progress(batches: Iterator[Batch], request: Request) -> Iterator[Batch]:
    """The same batches; while they are read, a line tells how many events came, how fast, and up to when.

    Nothing is shown with ``--quiet``, where standard error is no terminal, or where answers go to the same
    terminal.
    """
    shown = sys.stderr is not None and sys.stderr.isatty() and not request.quiet
    if not shown or (request.output is None and sys.stdout is not None and sys.stdout.isatty()):
        return batches
    return _with_line(batches)


def _with_line(batches: Iterator[Batch]) -> Iterator[Batch]:
    began = time.perf_counter()
    events = 0
    line: _Line | None = None
    try:
        for batch in batches:
            yield batch
            events += len(batch)
            if line is None and time.perf_counter() - began > PATIENCE:
                line = _Line(events)
            if line is not None and len(batch):
                line.show(events, batch.end[-1])
    finally:
        if line is not None:
            line.stop()


class _Line:
    """The line itself."""

    def __init__(self, events: int) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._progress: Progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.completed:,} events"),
            TextColumn("{task.speed:,.0f}/s"),
            TextColumn("up to {task.fields[up_to]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task: TaskID = self._progress.add_task("", total=None, completed=events, up_to="")
        self._progress.start()

    def show(self, events: int, end: int) -> None:
        self._progress.update(self._task, completed=events, up_to=format_time(end))

    def stop(self) -> None:
        self._progress.stop()
