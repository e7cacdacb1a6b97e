"""A progress bar on standard error, for runs that take a while, where it is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from etalis_py.core.formats import FORMATS
from etalis_py.core.times import format_time
from etalis_py.streams import Batch, StreamFile
from etalis_py.streams.lines import PACKED
from etalis_py.streams.opening import choose_format

if TYPE_CHECKING:
    import rich.progress

__all__ = ["Progress", "total_size"]

PATIENCE: Final = 1.0
"""Seconds before anything is shown: a short run needs no progress bar, and no import of rich."""


class Progress:
    """Watches the batches that an engine takes, and tells how many events came, how fast, and up to when.

    ``total`` is the size of the input in bytes, None where that is not known. ``wanted`` False, or a standard
    error that is not a terminal: nothing is shown. Where answers go to a terminal too, `give_way` before the
    first of them.
    """

    def __init__(self, *, wanted: bool, total: int | None = None) -> None:
        self._wanted = wanted and sys.stderr is not None and sys.stderr.isatty()
        self._total = total
        self._bytes = 0
        self._bar: _Bar | None = None

    def on_read(self, size: int) -> None:
        """So many bytes of the input were read."""
        self._bytes += size

    def watch(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The same batches."""
        began = time.perf_counter()
        events = 0
        try:
            for batch in batches:
                yield batch
                events += len(batch)
                if self._wanted and len(batch) and time.perf_counter() - began > PATIENCE:
                    self._bar = self._bar or _Bar(began, self._total)
                    self._bar.show(events, self._bytes, batch.end[-1])
        finally:
            self.give_way()

    def give_way(self) -> None:
        """Take the bar away, for good."""
        self._wanted = False
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def total_size(files: Sequence[StreamFile], stream_format: str | None) -> int | None:
    """The size in bytes of streams that are files and read piece by piece; None if one of them is not.

    >>> total_size([StreamFile("-")], "ndjson") is None
    True
    """
    total = 0
    for file in files:
        if file.path.endswith(PACKED) or not Path(file.path).is_file():
            return None
        chosen = choose_format(file.path, stream_format, is_mapped=file.mapping is not None)
        if not FORMATS[chosen].in_pieces:
            return None
        total += Path(file.path).stat().st_size
    return total


class _Bar:
    """The bar itself; a line of counts where the total is not known."""

    def __init__(self, began: float, total: int | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TaskProgressColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._began, self._total = began, total
        columns = [SpinnerColumn()] if total is None else [BarColumn(), TaskProgressColumn()]
        texts = [TextColumn(f"{{task.fields[{name}]}}") for name in ("events", "speed", "up_to")]
        self._progress: rich.progress.Progress = RichProgress(
            *columns, *texts, console=Console(stderr=True), transient=True
        )
        self._task = self._progress.add_task("", total=total, events="", speed="", up_to="")
        self._progress.start()

    def show(self, events: int, size: int, end: int) -> None:
        speed = events / (time.perf_counter() - self._began)
        self._progress.update(
            self._task,
            completed=size,
            events=f"{events:,} events",
            speed=f"{speed:,.0f}/s",
            up_to=f"up to {format_time(end)}",
        )

    def stop(self) -> None:
        self._progress.stop()
