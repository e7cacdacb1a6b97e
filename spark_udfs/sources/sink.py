"""The N-Quads sink: what is written shows in the folder as a whole, or not at all.

Each task writes one file into ``.staging`` of the folder, to disk and not only to the system's memory. When
all tasks are done, the driver puts their files into one new folder in there, and renames it into place: that
is one step of the file system. Readers (Spark's, `list_files`, shell patterns) pass over names that begin
with a dot. A batch write makes a folder ``write-ID``; a micro-batch makes ``batch-QUERY-NUMBER``, QUERY being
the first digits of Spark's id of the streaming query. One that Spark runs again, for it does not know whether
the last one came through, finds its folder and leaves it as it is: nothing is written twice.

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

from etalis_py.errors import RunTimeError
from etalis_py.spark_udfs.failures import sent_home
from etalis_py.spark_udfs.sources.quads import QuadLines

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["QuadsWriter", "StreamQuadsWriter"]

_STAGING = ".staging"


class Written(WriterCommitMessage):
    """What a task wrote: the name of its file in the staging folder, None for no rows.

    ``run`` is what that name begins with.
    """

    def __init__(self, run: str, name: str | None) -> None:
        self.run, self.name = run, name


class QuadsWriter(DataSourceArrowWriter):
    """Writes a batch DataFrame."""

    def __init__(self, folder: str, *, overwrite: bool) -> None:
        self._folder, self._overwrite = Path(folder), overwrite
        self._run = uuid4().hex[:12]

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Write the rows of one task."""
        from pyspark import TaskContext

        context = TaskContext.get()
        part = context.partitionId() if context else 0
        return _write(self._folder, self._run, part, iterator)

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Let all of it show."""
        with _told(self._folder):
            old = _made_here(self._folder) if self._overwrite else []
            _show(self._folder, self._run, f"write-{self._run}", _names(messages))
            for each in old:
                shutil.rmtree(each)
            _sweep(self._folder, self._run)

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:  # noqa: ARG002
        """Leave nothing behind."""
        _sweep(self._folder, self._run)


class StreamQuadsWriter(DataSourceStreamArrowWriter):
    """Writes the micro-batches of a stream."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Write the rows of one task.

        Only a task knows which streaming query it belongs to: the writer in the driver is new each time.
        """
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None, "Spark runs it in a task"
        query = context.getLocalProperty("sql.streaming.queryId")
        batch = context.getLocalProperty("streaming.sql.batchId")
        assert query is not None
        assert batch is not None
        run = f"{query[:8]}-{int(batch):09}"
        return _write(self._folder, run, context.partitionId(), iterator)

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: ARG002, N803
        """Let a micro-batch show, unless it does already."""
        for run in _runs(messages):
            with _told(self._folder):
                if not (self._folder / f"batch-{run}").exists():
                    _show(self._folder, run, f"batch-{run}", _names(messages))
                _sweep(self._folder, run)

    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: ARG002, N803
        """Leave nothing behind of what is known."""
        for run in _runs(messages):
            _sweep(self._folder, run)


def _write(folder: Path, run: str, part: int, records: Iterator[pa.RecordBatch]) -> Written:
    """Write rows to a file in the staging folder."""
    staging = folder / _STAGING
    name = f"{run}-{part:05}-{uuid4().hex[:8]}.nq"
    lines = QuadLines(f"{run}-{part}-")
    with sent_home(), _told(folder):
        staging.mkdir(parents=True, exist_ok=True)
        path = staging / name
        try:
            with path.open("w", encoding="utf-8", newline="\n") as file:
                for record in records:
                    file.writelines(lines.lines(record))
                file.flush()
                os.fsync(file.fileno())
                size = file.tell()
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        if not size:
            path.unlink()
    return Written(run, name if size else None)


def _show(folder: Path, run: str, final: str, names: Sequence[str]) -> None:
    """Put the files of all tasks into one folder, under its final name."""
    folder.mkdir(parents=True, exist_ok=True)
    if not names:
        return
    ready = folder / _STAGING / f"{run}-{uuid4().hex[:8]}"
    ready.mkdir()
    for number, name in enumerate(sorted(names)):
        (folder / _STAGING / name).rename(ready / f"part-{number:05}.nq")
    _sync(ready)
    ready.rename(folder / final)
    _sync(folder)


def _sync(folder: Path) -> None:
    """Let the names in a folder outlive a failure of the machine."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sweep(folder: Path, run: str) -> None:
    """Remove what tasks that failed, or ran twice, left of a run."""
    for path in (folder / _STAGING).glob(f"{run}-*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _made_here(folder: Path) -> list[Path]:
    """What earlier writes left; files of others stay."""
    return [path for kind in ("write-*", "batch-*") for path in folder.glob(kind) if path.is_dir()]


def _names(messages: Iterable[WriterCommitMessage | None]) -> list[str]:
    return [each.name for each in messages if isinstance(each, Written) and each.name is not None]


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
            hint="driver and workers write there: is there space, and permission?",
        ) from error
