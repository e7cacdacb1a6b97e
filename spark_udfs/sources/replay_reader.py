"""Replay: files of the past read as a stream, each row when its time has come.

The clock of the stream goes ``speed`` times as fast as that on the wall, from the end of the first row on;
after a restart from the row at which it stopped. A micro-batch holds what is due, up to 100,000 rows. Rows
are read by the driver and handed to the tasks: a replay is as fast as one reader, at most.

With ``trigger(availableNow=True)`` nothing waits: all is read, in micro-batches of 100,000 rows.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow

from etalis_py.core.errors import DataError
from etalis_py.spark_udfs.execution.failures import sent_home
from etalis_py.spark_udfs.sources.listing import StreamFile, list_files
from etalis_py.spark_udfs.sources.offsets import wrong_offset
from etalis_py.spark_udfs.sources.options import ReadOptions
from etalis_py.spark_udfs.sources.replay_feed import ReplayFeed
from etalis_py.spark_udfs.sources.rows import to_record_batch

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ReplayReader"]

_VERSION = 1
_ROWS = 100_000
_TASK_ROWS = 50_000


class RowsPartition(InputPartition):
    """Rows on their way to a task, as an Arrow stream."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)


class ReplayReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Rows when they are due; an offset is the number of the next row, with a digest of the files."""

    def __init__(
        self,
        options: ReadOptions,
        schema: pa.Schema,
        speed: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._options, self._schema, self._speed, self._clock = options, schema, speed, clock
        self._feed: ReplayFeed | None = None
        self._digest = ""
        self._began: tuple[float, int] | None = None
        self._waits = True

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - as Spark calls it, here and below
        """The first row of the files that are there now: a replay goes through these, and no more."""
        self._opened()
        return self._offset(0)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Nothing waits for its time."""
        self._waits = False

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: ARG002, N802
        """The offset after the last row that is due."""
        with sent_home():
            row = self._row(start)
            feed = self._opened()
            feed.seek(row)
            last = max(row, feed.due(row, self._time(feed, row), _ROWS))
        return start if last == row else self._offset(last)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """The rows between two offsets."""
        with sent_home():
            first, last = self._row(start), self._row(end)
            rows = self._opened().between(first, last)
        if rows is None:
            return []
        if len(rows) < last - first:
            raise self._other_files()
        parts = [rows.part(index, index + _TASK_ROWS) for index in range(0, len(rows), _TASK_ROWS)]
        return [RowsPartition(_packed(to_record_batch(part, self._schema))) for part in parts]

    def commit(self, end: dict[str, Any]) -> None:
        """Forget what is done."""
        self._opened().seek(self._row(end))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows that came with the task."""
        import pyarrow as pa

        with pa.ipc.open_stream(partition.value) as stream:
            yield from stream

    def _opened(self) -> ReplayFeed:
        if self._feed is None:
            with sent_home():
                files = sorted(
                    list_files(self._options.paths, self._options.format, self._options.mapping), key=_path
                )
            self._digest = sha256(repr([(file.path, file.size) for file in files]).encode()).hexdigest()[:16]
            self._feed = ReplayFeed.of_files(files, self._options)
        return self._feed

    def _offset(self, row: int) -> dict[str, Any]:
        return {"version": _VERSION, "row": row, "files": self._digest}

    def _row(self, offset: dict[str, Any]) -> int:
        if offset.get("version") != _VERSION or not isinstance(offset.get("row"), int):
            raise wrong_offset(offset)
        self._opened()
        if offset["files"] != self._digest:
            raise self._other_files()
        return int(offset["row"])

    def _time(self, feed: ReplayFeed, row: int) -> float:
        """The time of the stream now, in microseconds."""
        if not self._waits:
            return math.inf
        if self._began is None:
            end = feed.end_at(row)
            if end is None:
                return -math.inf if feed.read > row else math.inf
            self._began = self._clock(), end
        began, end = self._began
        return end + (self._clock() - began) * self._speed * 1e6

    def _other_files(self) -> DataError:
        return DataError(
            "EP602",
            f"the files in {', '.join(self._options.paths)} are not those that this replay began with",
            hint="put them back, or begin with a new checkpoint",
        )


def _path(file: StreamFile) -> str:
    return file.path


def _packed(rows: pa.RecordBatch) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_batch(rows)
    data: bytes = sink.getvalue().to_pybytes()
    return data
