"""Stream files in Parquet: columns start, end, s, p, o, graph; terms in N-Triples text.

Times are integer microseconds, text as in CSV, or Arrow timestamps (without a zone: UTC).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from etalis_py.errors import DataError, Place
from etalis_py.streams.batch import Batch
from etalis_py.streams.columns import RawColumns, RowReader
from etalis_py.streams.lines import unreadable
from etalis_py.streams.problems import check_columns, empty

__all__ = ["arrow_values", "read_parquet"]

_MAGIC: Final = b"PAR1"


def read_parquet(path: str, reader: RowReader, batch_rows: int) -> Iterator[Batch]:
    """Batches of a Parquet stream file; the good rows before a bad one first.

    Raises DataError: EP401 unreadable, EP402 empty, EP404 a column missing, EP415 no Parquet or a column of
    the wrong type, and what `RowReader` finds.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if Path(path).stat().st_size == 0:
            raise empty(path)
        present = set(pq.read_schema(path).names)
        file = pq.ParquetFile(path, read_dictionary=sorted(present & {"s", "p", "o", "graph"}))
    except pa.ArrowInvalid as error:
        raise DataError(
            "EP415",
            "this is not Parquet, or not all of it is there",
            place=Place(path),
            hint="--stream-format names another format",
        ) from error
    except OSError as error:
        raise unreadable(path, error) from error
    with file:
        names = list(file.schema_arrow.names)
        places = check_columns(names, path)
        for name in places:
            _check_type(file.schema_arrow.field(name), path)
        row = 1
        try:
            for record in file.iter_batches(batch_size=batch_rows, columns=list(places)):
                columns = {name: arrow_values(record.column(name), name, path, row) for name in places}
                rows = range(row, row + record.num_rows)
                raw = RawColumns(
                    columns["start"],
                    columns.get("end"),
                    columns["s"],
                    columns["p"],
                    columns["o"],
                    columns.get("graph"),
                    rows,
                )
                batch, wrong = reader.read(raw)
                if len(batch):
                    yield batch
                if wrong is not None:
                    raise wrong
                row += record.num_rows
        except (pa.ArrowException, OSError) as error:
            message = f"the file is damaged: {str(error).splitlines()[0]}"
            hint = "check that the file was copied whole"
            raise DataError("EP415", message, place=Place(path, row=row), hint=hint) from error


def _check_type(field: Any, path: str) -> None:
    """Raise EP415 unless the column has a type that can hold what it should."""
    import pyarrow as pa

    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    time = pa.types.is_integer(kind) or pa.types.is_timestamp(kind)
    if text or pa.types.is_null(kind) or (time and field.name in ("start", "end")):
        return
    expected = "int64, timestamp or string" if field.name in ("start", "end") else "string"
    raise DataError(
        "EP415",
        f"the column {field.name!r} has the type {field.type}",
        place=Place(path),
        hint=f"the type is to be {expected}",
    )


def arrow_values(column: Any, name: str, path: str, row: int) -> list[Any]:
    """Python values of a column; timestamps as microseconds."""
    import pyarrow as pa

    if pa.types.is_timestamp(column.type):
        try:
            column = column.cast(pa.timestamp("us", tz=column.type.tz)).cast(pa.int64())
        except pa.ArrowInvalid as error:
            message = f"column {name!r}: a time in it is finer than a microsecond"
            hint = "cast the column to timestamp[us]"
            raise DataError("EP409", message, place=Place(path, row=row), hint=hint) from error
    if pa.types.is_dictionary(column.type):
        words = column.dictionary.to_pylist()
        return [None if index is None else words[index] for index in column.indices.to_pylist()]
    values: list[Any] = column.to_pylist()
    return values
