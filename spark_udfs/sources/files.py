"""One stream file as Arrow batches, with the local engine's readers; bad records may be put aside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from etalis_py.spark_udfs.execution.failures import sent_home
from etalis_py.spark_udfs.sources.aside import Aside
from etalis_py.spark_udfs.sources.listing import StreamFile, check_unchanged
from etalis_py.spark_udfs.sources.options import ReadOptions
from etalis_py.spark_udfs.sources.rows import storable, to_record_batch
from etalis_py.streams import Batch, open_stream

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["file_batches", "read_files"]


def read_files(
    files: Iterable[StreamFile], options: ReadOptions, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """The rows of some files, one after the other. Errors leave as those of a Spark task."""
    with sent_home():
        for file in files:
            for batch in file_batches(file, options):
                if len(batch):
                    yield to_record_batch(batch, schema)


def file_batches(file: StreamFile, options: ReadOptions) -> Iterator[Batch]:
    """The elements of one file. Bad records that are put aside are written when the file is done.

    Raises:
        DataError: EP401 unreadable, EP602 changed since it was listed; where no bad records are put aside,
            EP402 to EP416 and EP606, after the good elements before them.
        RunTimeError: EP608, bad records cannot be put aside.
    """
    check_unchanged(file)
    aside = None if options.aside is None else Aside(options.aside, file)
    put = None if aside is None else aside.put
    batches = open_stream(
        file.path,
        format=options.format,
        scope=file.scope,
        time_unit=options.time_unit,
        on_bad=put,
        mapping=options.mapping,
    )
    yield from storable(batches, put)
    if aside is not None:
        aside.write()
