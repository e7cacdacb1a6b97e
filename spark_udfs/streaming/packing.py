"""Rows as bytes, in Arrow's stream format: Spark's rows, its state and pandas leave them as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ANSWER_SCHEMA", "PACKED_SCHEMA", "PackTask", "UnpackTask", "pack", "unpack"]

PACKED_SCHEMA: Final = "bucket int, rows binary"
ANSWER_SCHEMA: Final = "answers binary, watermark long"


def pack(rows: pa.RecordBatch) -> bytes:
    """A record batch as bytes."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, rows.schema, options=options) as writer:
        writer.write_batch(rows)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def unpack(packed: bytes) -> pa.RecordBatch:
    """The record batch that `pack` made bytes of."""
    import pyarrow as pa

    with pa.ipc.open_stream(packed) as reader:
        return reader.read_next_batch()


@dataclass(frozen=True, slots=True)
class PackTask:
    """The function for ``mapInArrow`` before the shuffle: events with their bucket in, packed rows out."""

    prompted: int = 1
    """So many buckets get a row, and so are woken, whatever comes."""

    def __call__(self, chunks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One row for each bucket that occurs in a chunk; and one without events for the first buckets.

        So the first one is woken whenever events come, and a stream that goes on with the state of another
        program is refused at once, and not when a bucket is woken that has some.
        """
        import pyarrow as pa

        buckets = pa.array(range(self.prompted), pa.int32())
        yield pa.record_batch({"bucket": buckets, "rows": pa.nulls(self.prompted, pa.binary())})
        for chunk in chunks:
            if chunk.num_rows:
                numbers, packed = zip(*_by_bucket(chunk), strict=True)
                columns = [pa.array(numbers, pa.int32()), pa.array(packed, pa.binary())]
                yield pa.RecordBatch.from_arrays(columns, names=["bucket", "rows"])


def _by_bucket(chunk: pa.RecordBatch) -> Iterable[tuple[int, bytes]]:
    """The rows of each bucket, in the order they came in."""
    import numpy as np
    import pyarrow as pa

    place = chunk.schema.get_field_index("bucket")
    buckets = chunk.column(place).to_numpy(zero_copy_only=False)
    order = np.argsort(buckets, kind="stable")
    ordered = buckets[order]
    rows = chunk.remove_column(place).take(pa.array(order))
    borders = [0, *(np.flatnonzero(np.diff(ordered)) + 1).tolist(), len(ordered)]
    for first, last in pairwise(borders):
        yield int(ordered[first]), pack(rows.slice(first, last - first))


@dataclass(frozen=True, slots=True)
class UnpackTask:
    """The function for ``mapInArrow`` after the engines: packed answers in, answers with watermark out."""

    has_watermark: bool = True
    """Rows for a later stage have none."""

    def __call__(self, chunks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One record batch for each row; ``watermark`` is in milliseconds, as Spark has it."""
        import pyarrow as pa

        for chunk in chunks:
            columns = (chunk.column(name).to_pylist() for name in ("answers", "watermark"))
            for packed, watermark in zip(*columns, strict=True):
                answers = unpack(packed)
                if not self.has_watermark:
                    yield answers
                    continue
                times = pa.repeat(pa.scalar(watermark, pa.int64()), answers.num_rows)
                yield answers.append_column("watermark", times)
