"""Columns of Arrow record batches as Python values; what Parquet files and Arrow tables have in common."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from etalis_py.core.arrow_times import TimeTexts
from etalis_py.core.coded import Coded
from etalis_py.core.errors import DataError, Place
from etalis_py.streams.arrow_texts import texts_of_array
from etalis_py.streams.columns import RawColumns
from etalis_py.streams.problems import check_columns

__all__ = ["arrow_values", "check_schema", "integers", "is_stamped", "raw_columns"]

_FORMS: Final[Mapping[str, Literal["b", "h", "i", "q"]]] = {
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
}
"""How an array names the integers of an Arrow array."""


def check_schema(schema: Any, source: str, stream: str | None) -> list[str]:
    """The names of the columns that are used; ``stream`` is the IRI of the stream, where it has one.

    Raises DataError: EP404 a column is missing, EP415 a column has a type that cannot hold what it should,
    EP419 there is one of streams, and the stream has an IRI already.
    """
    names = list(check_columns(list(schema.names), source, stream))
    for name in names:
        _check_type(schema.field(name), source)
    return names


def _check_type(field: Any, source: str) -> None:
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
        place=Place(source),
        hint=f"the type is to be {expected}",
    )


def raw_columns(record: Any, names: list[str], source: str, first: int) -> RawColumns:
    """The columns of a record batch whose first row has the number ``first``.

    Raises DataError (EP409) for a timestamp finer than a microsecond.
    """
    columns = {name: arrow_values(record.column(name), name, source, first) for name in names}
    rows = range(first, first + record.num_rows)
    s, p, o = (columns[name] for name in "spo")
    stamped = [name for name in ("start", "end") if name in columns and is_stamped(record.column(name))]
    end, stream, graph = (columns.get(name) for name in ("end", "stream", "graph"))
    return RawColumns(columns["start"], end, s, p, o, stream, graph, rows, stamped=stamped)


def is_stamped(column: Any) -> bool:
    """Whether the type of a column says what its times are."""
    import pyarrow as pa

    return bool(pa.types.is_timestamp(column.type))


def arrow_values(column: Any, name: str, source: str, first: int) -> Sequence[Any]:
    """Python values of an Arrow array, of text each different value once; timestamps as microseconds.

    Raises DataError (EP409) for a timestamp finer than a microsecond.
    """
    import pyarrow as pa

    if pa.types.is_timestamp(column.type):
        try:
            column = column.cast(pa.timestamp("us", tz=column.type.tz)).cast(pa.int64())
        except pa.ArrowInvalid as error:
            message = f"column {name!r}: a time in it is finer than a microsecond"
            hint = "cast the column to timestamp[us]"
            raise DataError("EP409", message, place=Place(source, row=first), hint=hint) from error
    if name in ("start", "end") and pa.types.is_string(column.type):
        return TimeTexts(column)
    if name in ("s", "p", "o") and (texts := texts_of_array(column)) is not None:
        return texts
    if pa.types.is_dictionary(column.type) and len(column.dictionary) > len(column):
        column = column.dictionary_decode()  # that of a whole file, say
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = column.dictionary_encode()
    if not pa.types.is_dictionary(column.type):
        return integers(column)
    words = column.dictionary.to_pylist()
    if column.null_count:
        return [None if index is None else words[index] for index in column.indices.to_pylist()]
    return Coded(words, integers(column.indices))


def integers(column: Any) -> Sequence[Any]:
    """Values of any array; of one of integers an array."""
    form = _FORMS.get(str(column.type))
    if form is None or column.null_count:
        values: list[Any] = column.to_pylist()
        return values
    data = array(form)
    first, last = column.offset * data.itemsize, (column.offset + len(column)) * data.itemsize
    data.frombytes(memoryview(column.buffers()[1])[first:last])
    return data
