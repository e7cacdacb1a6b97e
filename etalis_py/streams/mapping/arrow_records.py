"""Records of Parquet files, Arrow files and tables in memory, with columns of any names and types."""

from __future__ import annotations

from array import array
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from etalis_py.core.arrow_times import plain_times
from etalis_py.core.coded import Coded
from etalis_py.core.errors import DataError, Place
from etalis_py.streams.arrow import integers
from etalis_py.streams.lines import unreadable
from etalis_py.streams.mapping.json_records import steps_of
from etalis_py.streams.mapping.records import Records, Wanted, coded_by_value, no_column
from etalis_py.streams.source import Source

__all__ = ["columns_within", "record_batches", "records", "records_of"]


def records(source: Source, wanted: Wanted) -> Iterator[Records]:
    """As `RecordReader.records`, of a Parquet file or one of Arrow (IPC, also called Feather).

    Raises:
        DataError: EP401, EP415, EP435.
    """
    import pyarrow as pa

    with closing(record_batches(source.name, source.format, source.batch_rows, wanted.names)) as found:
        number = 1
        try:
            for record in found:
                columns = {name: record.column(name) for name in record.schema.names}
                yield records_of(columns, wanted, source.name, number)
                number += record.num_rows
        except (pa.ArrowException, OSError) as error:
            message = f"the file is damaged: {str(error).splitlines()[0]}"
            hint = "check that the file was copied whole"
            raise DataError("EP415", message, place=Place(source.name, row=number), hint=hint) from error


def record_batches(
    path: str, form: str, rows: int, names: Sequence[str] | None = None
) -> Generator[Any, None, None]:
    """So many rows at a time of a file of Parquet or Arrow; with the columns that ``names`` refer to, or all.

    Raises:
        DataError: EP401, EP415, EP435.
    """
    if form == "arrow":
        yield from _of_arrow(path, rows, names)
        return
    from etalis_py.streams.parquet_reader import open_parquet

    with open_parquet(path, ()) as file:
        tops = None if names is None else columns_within(names, file.schema_arrow.names, path)
        yield from file.iter_batches(batch_size=rows, columns=tops)


def _of_arrow(path: str, rows: int, names: Sequence[str] | None) -> Iterator[Any]:
    """The batches of a file of Arrow, of that with its places at the end or of a stream."""
    import pyarrow as pa

    try:
        with pa.memory_map(path) as mapped:
            try:
                file = pa.ipc.open_file(mapped)
                numbers = range(file.num_record_batches)
                batches = map(file.get_batch, numbers)
            except pa.ArrowInvalid:
                mapped.seek(0)
                file = batches = pa.ipc.open_stream(mapped)
            columns_within(names or (), file.schema.names, path)
            for batch in batches:
                for first in range(0, batch.num_rows, rows):
                    yield batch.slice(first, rows)
    except pa.ArrowInvalid as error:
        hint = "--stream-format names another format"
        message = "this is not a file of Arrow, or it is incomplete"
        raise DataError("EP415", message, place=Place(path), hint=hint) from error
    except OSError as error:
        raise unreadable(path, error) from error


def columns_within(references: Iterable[str], names: Sequence[str], source: str) -> list[str]:
    """The columns that have what is referred to. Raises DataError (EP435), if one is not there."""
    return list(dict.fromkeys(_top(each, names, source) for each in references))


def records_of(columns: Mapping[str, Any], wanted: Wanted, source: str, first: int) -> Records:
    """The records of columns, Arrow arrays or lists, the first of which has this number.

    Raises:
        DataError: EP435, a column that is not there.
    """
    names = list(columns)
    times = {name: found for name in wanted.times if (found := _times(columns.get(name))) is not None}
    values = {
        name: _values(columns, name, _top(name, names, source)) for name in wanted.names if name not in times
    }
    length = len(next(iter(columns.values()))) if columns else 0
    return Records(values, range(first, first + length), times=times)


def _times(column: Any) -> array[int] | None:
    """Microseconds of a column of times; None, if some are missing, or are to be looked at one by one."""
    import pyarrow as pa

    if column is None or isinstance(column, list) or column.null_count:
        return None
    column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    try:
        if pa.types.is_timestamp(column.type):
            found = column.cast(pa.timestamp("us", tz=column.type.tz)).cast(pa.int64())
        else:
            found = plain_times(column) if pa.types.is_string(column.type) else None
    except pa.ArrowInvalid:
        return None
    return None if found is None else array("q", integers(found))


def _top(reference: str, names: Sequence[str], source: str) -> str:
    """The column that a reference is, or is within."""
    if reference in names:
        return reference
    first = steps_of(reference)[0]
    if first not in names:
        raise no_column(source, reference, names)
    return str(first)


def _values(columns: Mapping[str, Any], reference: str, top: str) -> Coded[Any]:
    column = columns[top]
    if isinstance(column, list):
        return coded_by_value(column)
    column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    if reference != top:
        column = _within(column, steps_of(reference)[1:])
    return _coded(column)


def _within(column: Any, steps: Sequence[str | int]) -> Any:
    """What the steps lead to in each value; null where there is nothing."""
    import pyarrow as pa

    values = column.to_pylist()
    for step in steps:
        values = [_step(value, step) for value in values]
    try:
        return pa.array(values)
    except pa.ArrowException:
        return values


def _step(value: Any, step: str | int) -> Any:
    try:
        return value[step]
    except (KeyError, IndexError, TypeError):
        return None


def _coded(column: Any) -> Coded[Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, list):
        return coded_by_value(column)
    try:
        if pa.types.is_timestamp(column.type):
            column = column.cast(pa.timestamp("us", tz=column.type.tz))
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return coded_by_value(column.to_pylist())
    values = coded.dictionary.to_pylist()
    if not coded.null_count:
        return Coded(values, integers(coded.indices.cast(pa.int32())))
    indices = pc.fill_null(coded.indices.cast(pa.int32()), len(values))
    return Coded([*values, None], integers(indices))
