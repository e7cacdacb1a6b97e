"""The N-Quads sink: what is written shows in the folder as a whole, or not at all.

Each task writes one file into the folder of its run below ``.staging``, to disk and not only to the system's
memory. When all tasks are done, the driver puts their files into one new folder in there, and renames it
into place: that is one step of the file system. Readers (Spark's, `list_files`, shell patterns) pass over
names that begin with a dot. A batch write makes a folder ``write-ID``; a micro-batch makes ``batch-QUERY-
NUMBER``, QUERY being the first digits of Spark's id of the streaming query. One that Spark runs again, for
it does not know whether the last one came through, finds its folder and leaves it as it is: nothing is
written twice.

A write that is given up removes the folder of its run, so that tasks that still run have nowhere to write.
What a driver could not remove, since it was killed, the next write removes (`staging.py`).

``overwrite`` removes what earlier writes left once the new folder shows: a failure between leaves both.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage

from etalis_py.core.errors import RunTimeError
from etalis_py.spark_udfs.execution.failures import sent_home
from etalis_py.spark_udfs.sources.quads import QuadLines
from etalis_py.spark_udfs.sources.staging import (
    begun_by_this_driver,
    remove,
    remove_abandoned,
    staging_folder,
    this_driver,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["QuadsWriter", "StreamQuadsWriter"]


class Written(WriterCommitMessage):
    """What a task wrote: the name of its file in the folder of its run, None for no rows."""

    def __init__(self, run: str, name: str | None) -> None:
        self.run, self.name = run, name


class QuadsWriter(DataSourceArrowWriter):
    """Writes a batch DataFrame. The driver makes one, with the folder of the run; tasks have copies."""

    def __init__(self, folder: str, *, overwrite: bool) -> None:
        self._folder, self._overwrite = Path(folder), overwrite
        self._run = uuid4().hex[:12]
        self._staging = staging_folder(self._folder, this_driver(), self._run)
        with _told(self._folder):
            self._staging.mkdir(parents=True)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Write the rows of one task."""
        from pyspark import TaskContext

        context = TaskContext.get()
        part = context.partitionId() if context else 0
        with sent_home(), _told(self._folder):
            return Written(self._run, _write(self._staging, self._run, part, iterator))

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Let all of it show."""
        with _told(self._folder):
            old = _made_here(self._folder) if self._overwrite else []
            _show(self._staging, self._folder / f"write-{self._run}", messages)
            for each in old:
                shutil.rmtree(each)
        self._clean_up()

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:  # noqa: ARG002
        """Leave nothing behind."""
        self._clean_up()

    def _clean_up(self) -> None:
        remove(self._staging)
        remove_abandoned(self._folder)


class StreamQuadsWriter(DataSourceStreamArrowWriter):
    """Writes the micro-batches of a stream. Each is written by copies of one, and shown by another one.

    Only a task knows which streaming query it belongs to, so tasks make the folder of their run.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._driver = this_driver()

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Write the rows of one task."""
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None, "Spark runs it in a task"
        query = context.getLocalProperty("sql.streaming.queryId")
        batch = context.getLocalProperty("streaming.sql.batchId")
        assert query is not None
        assert batch is not None
        run = f"{query[:8]}-{int(batch):09}"
        with sent_home(), _told(self._folder):
            staging = staging_folder(self._folder, self._driver, run)
            staging.mkdir(parents=True, exist_ok=True)
            return Written(run, _write(staging, run, context.partitionId(), iterator))

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: ARG002, N803
        """Let a micro-batch show, unless it does already."""
        for run in _runs(messages):
            with _told(self._folder):
                if not (self._folder / f"batch-{run}").exists():
                    _show(
                        staging_folder(self._folder, self._driver, run),
                        self._folder / f"batch-{run}",
                        messages,
                    )
        self._clean_up(messages)

    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: ARG002, N803
        """Leave nothing behind of what is known; the rest is for the next micro-batch."""
        self._clean_up(messages)

    def _clean_up(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Remove what this micro-batch, and what tasks of earlier ones that came too late, began."""
        for run in _runs(messages):
            query = run.rpartition("-")[0]
            for path, other in begun_by_this_driver(self._folder):
                if other.startswith(f"{query}-") and other[: len(run)] <= run:
                    remove(path)
        remove_abandoned(self._folder)


def _write(staging: Path, run: str, part: int, records: Iterator[pa.RecordBatch]) -> str | None:
    """Write rows to a new file; its name, None where there are no rows."""
    lines = QuadLines(f"{run}-{part}-")
    path = staging / f"{part:05}-{uuid4().hex[:8]}.nq"
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            for record in records:
                file.writelines(lines.lines(record))
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    if not size:
        path.unlink(missing_ok=True)
        return None
    return path.name


def _show(staging: Path, final: Path, messages: Iterable[WriterCommitMessage | None]) -> None:
    """Put the files of all tasks into one folder, under its final name."""
    names = sorted(each.name for each in messages if isinstance(each, Written) and each.name is not None)
    if not names:
        return
    ready = staging / f"ready-{uuid4().hex[:8]}"
    ready.mkdir()
    for number, name in enumerate(names):
        (staging / name).rename(ready / f"part-{number:05}.nq")
    _sync(ready)
    ready.rename(final)
    _sync(final.parent)


def _sync(folder: Path) -> None:
    """Let the names in a folder outlive a failure of the machine."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _made_here(folder: Path) -> list[Path]:
    """What earlier writes left; files of others stay."""
    return [path for kind in ("write-*", "batch-*") for path in folder.glob(kind) if path.is_dir()]


def _runs(messages: Iterable[WriterCommitMessage | None]) -> list[str]:
    return sorted({each.run for each in messages if isinstance(each, Written)})


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Say in words of the project what the file system refuses."""
    try:
        yield
    except OSError as error:
        raise RunTimeError(
            "EP608",
            f"{folder} cannot be written: {error.strerror or error}",
            hint="driver and check that the workers have space and permission there",
        ) from error
