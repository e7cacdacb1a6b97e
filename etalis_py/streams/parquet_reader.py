"""Stream files in Parquet: columns as in any table; terms in N-Triples text.

Times are integer microseconds, text as in CSV, or Arrow timestamps (without a zone: UTC).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import Any, Final

from etalis_py.core.errors import DataError, Place
from etalis_py.streams.arrow import check_schema, raw_columns
from etalis_py.streams.batch import Batch
from etalis_py.streams.columns import RawColumns, RowReader
from etalis_py.streams.lines import unreadable
from etalis_py.streams.source import Source

__all__ = ["open_parquet", "read", "read_parquet"]

_TERMS: Final = frozenset({"s", "p", "o", "stream", "graph"})


def read(source: Source) -> Iterator[Batch]:
    """Batches of a Parquet stream file."""
    return read_parquet(source.name, source.rows(), source.batch_rows)


def read_parquet(path: str, reader: RowReader, batch_rows: int) -> Iterator[Batch]:
    """Batches of a Parquet stream file; bad rows are dealt with as the reader says (`RowReader.on_bad`).

    Raises DataError: EP401 unreadable, EP404 a column missing, EP415 no Parquet or a column of the wrong
    type, and what `RowReader` finds.
    """
    for raw in _columns(path, batch_rows, reader.stream):
        yield from reader.read(raw)


def _columns(path: str, batch_rows: int, stream: str | None) -> Iterator[RawColumns]:
    """The columns of a Parquet stream file, unread, some rows at a time.

    Raises DataError: EP401 unreadable, EP404 a column missing, EP415 no Parquet or a column of the wrong
    type, EP409 a timestamp finer than a microsecond, EP419 a column of streams where the stream has an IRI
    already.
    """
    import pyarrow as pa

    with open_parquet(path, _TERMS) as file:
        names = check_schema(file.schema_arrow, path, stream)
        row = 1
        try:
            for record in file.iter_batches(batch_size=batch_rows, columns=names):
                yield raw_columns(record, names, path, row)
                row += record.num_rows
        except (pa.ArrowException, OSError) as error:
            message = f"the file is damaged: {str(error).splitlines()[0]}"
            hint = "check that the file was copied whole"
            raise DataError("EP415", message, place=Place(path, row=row), hint=hint) from error


def open_parquet(path: str, dictionaries: Collection[str]) -> Any:
    """The file, which gives the columns ``dictionaries`` as such. Raises DataError (EP401, EP415)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pa.OSFile(os.fsencode(path))  # a name may be no text
        present = set(dictionaries).intersection(pq.read_schema(file).names)
        return pq.ParquetFile(file, read_dictionary=sorted(present))
    except pa.ArrowInvalid as error:
        raise DataError(
            "EP415",
            "this is not Parquet, or the file is incomplete",
            place=Place(path),
            hint="--stream-format names another format",
        ) from error
    except OSError as error:
        raise unreadable(path, error) from error
