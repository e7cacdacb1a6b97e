"""Streams for Spark: read as they are for the local engine, and written to one Parquet file.

So a bad row is found, named and answered up to as it is there, and late elements are dealt with alike. Spark
does not read streams itself: its readers know nothing of RDF terms, and it has no rows to count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from etalis_py.core.errors import DataError
from etalis_py.engine.lateness import first_late, too_late
from etalis_py.engine.options import EngineOptions
from etalis_py.engine.reorder import Reorder
from etalis_py.spark_udfs.sources.rows import to_record_batch
from etalis_py.streams import Batch

__all__ = ["Written", "write_stream"]

_ROWS: Final = 100_000
"""Rows in memory at once."""


@dataclass
class Written:
    """What was read: ``count`` events up to the time ``newest``, ``late`` were dropped.

    ``error`` is where the streams broke off.
    """

    count: int = 0
    late: int = 0
    newest: int | None = None
    error: DataError | None = None


def write_stream(batches: Iterable[Batch], path: Path, options: EngineOptions) -> Written:
    """Write all elements that are to be taken, in columns as ``detect`` takes them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ("s", "p", "o", "stream", "graph")
    schema = pa.schema([("start", pa.int64()), ("end", pa.int64()), *((name, pa.string()) for name in names)])
    done = Written()
    with pq.ParquetWriter(path, schema) as writer:
        waiting: list[Any] = []
        rows = 0
        for batch in _taken(batches, options, done):
            waiting.append(to_record_batch(batch, schema))
            rows += len(batch)
            if rows >= _ROWS:
                writer.write_table(pa.Table.from_batches(waiting))
                waiting, rows = [], 0
        if waiting:
            writer.write_table(pa.Table.from_batches(waiting))
    return done


def _taken(batches: Iterable[Batch], options: EngineOptions, done: Written) -> Iterator[Batch]:
    """The elements that an engine would take, by what --on-late says; keeps account in ``done``."""
    try:
        for batch in _on_time(batches, options, done):
            if len(batch):
                done.count += len(batch)
                done.newest = max(batch.end) if done.newest is None else max(done.newest, *batch.end)
                yield batch
    except DataError as error:
        done.error = error


def _on_time(batches: Iterable[Batch], options: EngineOptions, done: Written) -> Iterator[Batch]:
    """As the engine does it: see `Engine.send_encoded`."""
    buffer = Reorder(options.delay)
    for batch in batches:
        late = first_late(batch, buffer)
        if late is not None and options.on_late == "drop":
            due, dropped = buffer.push(batch)
            done.late += 0 if dropped is None else len(dropped)
        elif late is None and not options.delay:
            due = batch
            if len(batch):
                buffer.newest = max(batch.end)
        else:
            due, _ = buffer.push(batch if late is None else batch.part(0, late))
        if due is not None:
            yield due
        if late is not None and options.on_late != "drop":
            raise too_late(batch, late, buffer.newest if options.delay else None)
    rest = buffer.flush()
    if rest is not None:
        yield rest
