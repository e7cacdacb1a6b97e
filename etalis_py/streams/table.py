"""Tables in memory as batches: Arrow tables, record batches, and dicts of lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from etalis_py.core.errors import DataError, UsageError
from etalis_py.core.terms import from_rdflib
from etalis_py.core.times import TimeUnit, format_time
from etalis_py.streams.batch import COLUMNS, REQUIRED, Batch
from etalis_py.streams.columns import RawColumns, RowReader
from etalis_py.streams.problems import check_columns

if TYPE_CHECKING:
    from rdflib.term import Identifier

__all__ = ["Moment", "TableReader", "moment", "one_occurrence"]

Moment: TypeAlias = int | datetime
"""A time: microseconds since the epoch, UTC, or a datetime (UTC where it has no zone)."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)

SOURCE: Final = "table"
_ROWS: Final = 10_000


class TableReader:
    """Reads tables that belong together: what it has seen of terms and times serves the next one.

    Columns ``start``, ``end`` (optional), ``s``, ``p``, ``o``, ``graph`` (optional) as in the file forms:
    terms in N-Triples text, times as integer microseconds, xsd:dateTime text or Arrow timestamps.
    """

    def __init__(self) -> None:
        self._readers: dict[TimeUnit | None, RowReader] = {}
        self._row = 1

    def batches(self, table: Any, unit: TimeUnit | None = None) -> Iterator[Batch]:
        """The rows of ``table``; the good rows before a bad one first. ``unit``: as of `RowReader`.

        Raises:
            DataError: EP404 a column missing, EP407 to EP410 a bad row, EP418 times of another unit.
            UsageError: EP504, this is no table, or its columns differ in length.
        """
        reader = self._readers.setdefault(unit, RowReader(SOURCE, unit=unit))
        columns = _columns(table)
        stamped = [name for name in ("start", "end") if name in columns and _is_stamped(columns[name])]
        check_columns(list(columns), SOURCE)
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            raise UsageError("EP504", f"the columns of a batch differ in length: {sorted(lengths)}")
        length = lengths.pop()
        first, self._row = self._row, self._row + length
        for begin in range(0, length, _ROWS):
            part: dict[str, Any] = {
                name: _values(column[begin : begin + _ROWS], name, first + begin)
                for name, column in columns.items()
            }
            rows = range(first + begin, min(first + begin + _ROWS, first + length))
            raw = RawColumns(**{"end": None, "graph": None} | part, rows=rows, stamped=stamped)
            yield from reader.read(raw)


def _is_stamped(column: Any) -> bool:
    if isinstance(column, list):
        return False
    from etalis_py.streams.arrow import is_stamped

    return is_stamped(column)


def _columns(table: Any) -> dict[str, Any]:
    """The columns that are used, as they are: lists, or of Arrow."""
    if isinstance(table, Mapping):
        _check_names(list(table))
        return {name: _listed(name, column) for name, column in table.items() if name in COLUMNS}
    if hasattr(table, "schema") and hasattr(table, "column"):
        _check_names(table.schema.names)
        return {name: table.column(name) for name in table.schema.names if name in COLUMNS}
    frame = type(table).__module__.startswith("pandas.")
    raise UsageError(
        "EP504",
        f"a batch is an Arrow table or a dict of lists, not {type(table).__name__}",
        hint="send_batch(pyarrow.Table.from_pandas(frame))"
        if frame
        else "send_batch({'start': [...], 's': [...], 'p': [...], 'o': [...]})",
    )


def _check_names(names: Sequence[str]) -> None:
    """Raises DataError (EP404), which names all columns, where one is missing."""
    if not set(REQUIRED) <= set(names):
        check_columns(names, SOURCE)


def _listed(name: str, column: Any) -> list[Any]:
    if isinstance(column, str) or not isinstance(column, Iterable):
        kind = type(column).__name__
        raise UsageError(
            "EP504", f"the column {name!r} is no list but of the type {kind}", hint="one value: [value]"
        )
    return list(column)


def _values(column: Any, name: str, first: int) -> Sequence[Any]:
    """Python values of a part of a column whose first row has the number ``first``."""
    if isinstance(column, list):
        return column
    from etalis_py.streams.arrow import arrow_values

    whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    return arrow_values(whole, name, SOURCE, first)


def moment(time: Moment) -> int:
    """A time given in Python as microseconds since the epoch; a datetime without a zone is UTC.

    >>> from datetime import datetime
    >>> moment(datetime(1970, 1, 1, 0, 0, 2)), moment(5)
    (2000000, 5)

    Raises:
        DataError: EP409, it is neither an int nor a datetime.
    """
    if isinstance(time, datetime):
        zoned = time.replace(tzinfo=timezone.utc) if time.tzinfo is None else time
        return (zoned - _EPOCH) // timedelta(microseconds=1)
    if type(time) is int:  # neither a bool nor a number of another library
        return time
    raise DataError(
        "EP409",
        f"the time {time!r} is a {type(time).__name__}",
        hint="a time is a datetime, or whole microseconds since 1970",
    )


def one_occurrence(
    subject: Identifier, predicate: Identifier, object_: Identifier, start: Moment, end: Moment | None
) -> Batch:
    """A batch with one occurrence of a triple of rdflib terms; a point where there is no ``end``.

    Raises:
        DataError: EP407 or EP408 for what is no RDF triple, EP409 for what is no time, EP410 if it ends
            before it starts.
    """
    first = moment(start)
    last = first if end is None else moment(end)
    if last < first:
        raise DataError(
            "EP410",
            f"the event ends at {format_time(last)}, before its start at {format_time(first)}",
            hint="swap start and end, or leave out the end of an event without duration",
        )
    try:
        terms = [from_rdflib(term) for term in (subject, predicate, object_)]
    except ValueError as error:
        raise DataError(
            "EP407", f"the term {error}", hint="send rdflib terms: URIRef, BNode, Literal"
        ) from error
    if not isinstance(terms[0], str) or not isinstance(terms[1], str) or terms[1].startswith("_:"):
        raise DataError("EP408", "a subject is an IRI or a blank node, a predicate an IRI")
    return Batch([first], [last], [terms[0]], [terms[1]], [terms[2]], None, [SOURCE], [1])
