"""Folders of stream files read by Spark: all at once, or file by file as they come."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)

from etalis_py.spark_udfs.execution.failures import sent_home
from etalis_py.spark_udfs.sources.files import read_files
from etalis_py.spark_udfs.sources.listing import StreamFile, list_files, shares
from etalis_py.spark_udfs.sources.offsets import FolderOffset
from etalis_py.spark_udfs.sources.options import ReadOptions

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FolderReader", "FolderStreamReader"]

_DAY = 86_400


class FilesPartition(InputPartition):
    """The files of one task."""

    def __init__(self, files: Sequence[StreamFile]) -> None:
        super().__init__(tuple(files))


class FolderReader(DataSourceReader):
    """All files that are there."""

    def __init__(self, options: ReadOptions, schema: pa.Schema) -> None:
        self._options, self._schema = options, schema

    def partitions(self) -> list[InputPartition]:
        """The files, dealt out to tasks; at least one."""
        with sent_home():
            files = list_files(self._options.paths, self._options.format, self._options.mapping)
        return [FilesPartition(each) for each in shares(files)] or [FilesPartition(())]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one task's files, each in its order."""
        return read_files(partition.value, self._options, self._schema)


class FolderStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Files as they come, the oldest first, so that event time goes on with them."""

    def __init__(self, options: ReadOptions, schema: pa.Schema) -> None:
        self._options, self._schema = options, schema
        self._target: list[StreamFile] | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - as Spark calls it, here and below
        """Nothing was read."""
        return FolderOffset({}).to_json()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """The files of a micro-batch, by the option ``maxFilesPerTrigger``."""
        limit = self._options.files_a_batch
        return ReadAllAvailable() if limit is None else ReadMaxFiles(limit)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """What is there now is all that is read."""
        self._target = self._list()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """The offset after the next files; ``start`` where there are none."""
        there = self._list() if self._target is None else self._target
        with sent_home():
            before = FolderOffset.from_json(start)
        new = before.unread(there)
        if isinstance(limit, ReadMaxFiles):
            new = new[: limit.max_files]
        return before.after(new, there, int(time.time()) // _DAY).to_json() if new else start

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """The files between two offsets, dealt out to tasks."""
        if start == end:
            return []
        with sent_home():
            before, after = FolderOffset.from_json(start), FolderOffset.from_json(end)
        return [FilesPartition(each) for each in shares(before.unread(after.new))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one task's files, each in its order."""
        return read_files(partition.value, self._options, self._schema)

    def _list(self) -> list[StreamFile]:
        with sent_home():
            return list_files(self._options.paths, self._options.format, self._options.mapping)
