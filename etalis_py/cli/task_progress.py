"""How far Spark is with the answers, as a bar on standard error, where it is a terminal."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from etalis_py.cli.progress import PATIENCE

if TYPE_CHECKING:
    import rich.progress

    from etalis_py.spark_udfs.session.tasks import Tasks

__all__ = ["TaskProgress"]


class TaskProgress:
    """Shows the tasks of the jobs that run now. ``wanted`` False, or no terminal: nothing is shown."""

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted and sys.stderr is not None and sys.stderr.isatty()
        self._began = time.perf_counter()
        self._bar: rich.progress.Progress | None = None

    def show(self, tasks: Tasks) -> None:
        """So many are done now."""
        if not self._wanted or time.perf_counter() - self._began < PATIENCE:
            return
        if self._bar is None:
            self._bar = _new_bar()
        text = f"{tasks.done:,} of {tasks.total:,} tasks of Spark" if tasks.total else "Spark plans"
        self._bar.update(self._bar.task_ids[0], completed=tasks.done, total=tasks.total or None, text=text)

    def close(self) -> None:
        """Take the bar away, for good."""
        self._wanted = False
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def _new_bar() -> rich.progress.Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TextColumn("{task.fields[text]}"), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("", total=None, text="")
    bar.start()
    return bar
