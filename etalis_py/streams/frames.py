"""Tables of other libraries as columns: of Arrow where they can be, else lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from etalis_py.core.errors import DataError, Place, UsageError
from etalis_py.streams.batch import COLUMNS, REQUIRED
from etalis_py.streams.problems import check_columns

__all__ = ["SOURCE", "tables_of"]

SOURCE: Final = "table"


def tables_of(table: Any, names: Collection[str] | None = None) -> Iterator[dict[str, Any]]:
    """The columns of events in a table, or those of these ``names``: lists, or arrays of Arrow.

    The table is a dict of lists, one of Arrow or pandas, or has ``__arrow_c_stream__`` as those of polars,
    DuckDB and readers of Arrow have, which give them part by part.

    Raises:
        DataError: EP404 a column missing, EP415 a stream of Arrow that breaks off.
        UsageError: EP504, this is not a table.
    """
    if isinstance(table, Mapping):
        yield {name: _listed(name, table[name]) for name in _used(list(table), names)}
    elif hasattr(table, "schema") and hasattr(table, "column"):
        yield _of_arrow(table, names)
    elif type(table).__module__.startswith("pandas.") and hasattr(table, "columns"):
        yield {name: _of_pandas(table[name]) for name in _used(list(table.columns), names)}
    elif hasattr(table, "__arrow_c_stream__"):
        yield from _of_stream(table, names)
    else:
        raise _no_table(table)


def _no_table(table: Any) -> UsageError:
    lazy = hasattr(table, "collect")
    return UsageError(
        "EP504",
        f"a batch is a table of pandas, polars or Arrow, or a dict of lists, not {type(table).__name__}",
        hint="collect() makes a table of it"
        if lazy
        else "send_batch({'start': [...], 's': [...], 'p': [...], 'o': [...]})",
    )


def _of_arrow(table: Any, names: Collection[str] | None) -> dict[str, Any]:
    return {name: _plain_text(table.column(name)) for name in _used(table.schema.names, names)}


def _of_stream(table: Any, names: Collection[str] | None) -> Iterator[dict[str, Any]]:
    import pyarrow as pa

    try:
        reader = pa.RecordBatchReader.from_stream(table)
    except (pa.ArrowException, TypeError) as error:
        raise _no_table(table) from error
    _used(reader.schema.names, names)
    while True:
        try:
            record = reader.read_next_batch()
        except StopIteration:
            return
        except (pa.ArrowException, OSError) as error:
            message = f"the stream breaks off: {str(error).splitlines()[0]}"
            raise DataError("EP415", message, place=Place(SOURCE), hint="check what it is made of") from error
        yield _of_arrow(record, names)


def _plain_text(column: Any) -> Any:
    """A column of text of any layout in the usual one, if that can hold it."""
    import pyarrow as pa

    if pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type):
        try:
            return column.cast(pa.string())
        except pa.ArrowInvalid:  # more than 2 GB
            return column
    return column


def _of_pandas(column: Any) -> Any:
    """A column of pandas; of mixed values a list, whose rows can be told from one another."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        found = pa.array(column, from_pandas=True)
        if pa.types.is_floating(found.type) and found.null_count:  # integers, some of which are missing
            found = pc.cast(found, pa.int64())
    except pa.ArrowException:
        return [None if missing else value for value, missing in zip(column, column.isna(), strict=True)]
    return _plain_text(found)


def _used(present: Sequence[Any], names: Collection[str] | None) -> list[Any]:
    """The columns that are used. Raises DataError (EP404), where one that events need is missing."""
    if names is None and not set(REQUIRED) <= set(present):
        check_columns(list(map(str, present)), SOURCE)
    return [name for name in present if name in (COLUMNS if names is None else names)]


def _listed(name: str, column: Any) -> list[Any]:
    if isinstance(column, str) or not isinstance(column, Iterable):
        kind = type(column).__name__
        raise UsageError(
            "EP504", f"the column {name!r} is not a list but of the type {kind}", hint="one value: [value]"
        )
    return list(column)
