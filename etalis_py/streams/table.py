"""Tables in memory as batches, and single elements of rdflib terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from etalis_py.core.errors import DataError, UsageError
from etalis_py.core.terms import Encoded, from_rdflib, ntriples
from etalis_py.core.times import TimeUnit, format_time
from etalis_py.core.vocabulary import DEFAULT_STREAM
from etalis_py.streams.batch import COLUMNS, REQUIRED, Batch
from etalis_py.streams.columns import RawColumns, RowReader
from etalis_py.streams.frames import SOURCE, tables_of
from etalis_py.streams.heard import Hearing
from etalis_py.streams.needed_rows import NeededRows
from etalis_py.streams.problems import check_columns

if TYPE_CHECKING:
    from rdflib.term import Identifier

__all__ = ["Moment", "OneTime", "TableReader", "Triple", "moment", "one_element", "one_time"]

Moment: TypeAlias = int | datetime
"""A time: microseconds since the epoch, UTC, or a datetime (UTC where it has no zone)."""
Triple: TypeAlias = "tuple[Identifier, Identifier, Identifier]"
"""Subject, predicate and object as rdflib has them."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)

_ROWS: Final = 60_000
"""Rows that are read at once."""
_LEFT_OUT: Final = {name: None for name in COLUMNS if name not in REQUIRED}


def _everything() -> None:
    """Each row is needed."""


class TableReader:
    """Reads tables that belong together: what it has seen of terms and times serves the next one.

    Columns ``start``, ``s``, ``p``, ``o``, and optional ``end``, ``stream``, ``graph`` as in the file forms:
    terms in N-Triples text, times as integer microseconds, xsd:dateTime text or Arrow timestamps.
    """

    def __init__(self) -> None:
        self._readers: dict[TimeUnit | None, RowReader] = {}
        self._needed: dict[TimeUnit | None, NeededRows] = {}
        self._row = 1

    def batches(
        self, table: Any, unit: TimeUnit | None = None, hearing: Callable[[], Hearing | None] = _everything
    ) -> Iterator[Batch]:
        """The rows of ``table``; the good rows before a bad one first. ``unit``: as of `RowReader`.

        ``hearing`` says of rows that are about to be read which ones matter: of an Arrow table the others may
        be left out, if they are in the order of their ends.

        Raises:
            DataError: EP404 a column missing, EP407 to EP410, EP414 a bad row, EP418 times of another unit.
            UsageError: EP504, this is not a table, or its columns differ in length.
        """
        for columns in tables_of(table):
            yield from self._batches(columns, unit, hearing)

    def _batches(
        self, columns: Mapping[str, Any], unit: TimeUnit | None, hearing: Callable[[], Hearing | None]
    ) -> Iterator[Batch]:
        reader = self._readers.setdefault(unit, RowReader(SOURCE, unit=unit))
        needed = self._needed.setdefault(unit, NeededRows(reader))
        stamped = [name for name in ("start", "end") if name in columns and _is_stamped(columns[name])]
        check_columns(list(columns), SOURCE)
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            raise UsageError("EP504", f"the columns of a batch differ in length: {sorted(lengths)}")
        length = lengths.pop()
        first, self._row = self._row, self._row + length
        for part, rows in _parts(columns, first, length, needed, hearing):
            values: dict[str, Any] = {name: _values(column, name, rows[0]) for name, column in part.items()}
            yield from reader.read(RawColumns(**_LEFT_OUT | values, rows=rows, stamped=stamped))


def _parts(
    columns: Mapping[str, Any],
    first: int,
    length: int,
    needed: NeededRows,
    hearing: Callable[[], Hearing | None],
) -> Iterator[tuple[Mapping[str, Any], Sequence[int]]]:
    """The columns in parts of some rows, and the numbers of these, from ``first``: of those that are needed,
    if they can be found, else of all.
    """
    is_arrow = not any(isinstance(column, list) for column in columns.values())
    begin = 0
    while begin < length:
        heard = hearing() if is_arrow else None
        if heard is not None and heard.looks():
            end = min(begin + _ROWS, length)
            arrays = {name: _array(column[begin:end]) for name, column in columns.items()}
            rows = needed.find(arrays, heard)
            if rows is not None:
                numbers = [first + begin + row for row in rows.to_pylist()]
                yield {name: array.take(rows) for name, array in arrays.items()}, numbers
                begin = end
                continue
        end = min(begin + _ROWS, length)
        yield {name: column[begin:end] for name, column in columns.items()}, range(first + begin, first + end)
        begin = end


def _is_stamped(column: Any) -> bool:
    if isinstance(column, list):
        return False
    from etalis_py.streams.arrow import is_stamped

    return is_stamped(column)


def _values(column: Any, name: str, first: int) -> Sequence[Any]:
    """Python values of a part of a column whose first row has the number ``first``."""
    if isinstance(column, list):
        return column
    from etalis_py.streams.arrow import arrow_values

    return arrow_values(_array(column), name, SOURCE, first)


def _array(column: Any) -> Any:
    """A column of Arrow in one piece."""
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column


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


class OneTime(NamedTuple):
    """Occurrences that have one time, one stream (None: the default one) and one element.

    ``start`` and ``end`` are microseconds since the epoch, UTC; terms are encoded
    (`etalis_py.core.terms.Encoded`). ``graph`` names the element; None where it has no name.
    """

    start: int
    end: int
    triples: Sequence[tuple[Encoded, Encoded, Encoded]]
    stream: Encoded | None
    graph: Encoded | None

    def batch(self) -> Batch:
        """The same in columns."""
        count = len(self.triples)
        subjects, predicates, objects = zip(*self.triples, strict=True) if count else ((), (), ())
        return Batch(
            [self.start] * count,
            [self.end] * count,
            subjects,
            predicates,
            objects,
            None if self.graph is None else [self.graph] * count,
            [SOURCE] * count,
            range(1, count + 1),
            None if self.stream is None else [self.stream] * count,
        )


def one_time(
    triples: Iterable[Triple],
    start: Moment,
    end: Moment | None = None,
    *,
    stream: Identifier | None = None,
    graph: Identifier | None = None,
) -> OneTime:
    """Triples of rdflib terms that have one time; a point where there is no ``end``.

    ``stream`` is the IRI of the stream (None: the default one), ``graph`` the name of the element, an IRI or
    a blank node, where it has one.

    Raises:
        DataError: EP407 or EP408 for what is not an RDF triple or name, EP409 for a wrong time, EP410 if
            it ends before it starts.
    """
    first = moment(start)
    last = first if end is None else moment(end)
    if last < first:
        raise DataError(
            "EP410",
            f"the event ends at {format_time(last)}, before its start at {format_time(first)}",
            hint="swap start and end, or leave out the end of a point event",
        )
    rows = [encoded_triple(triple) for triple in triples]
    in_stream = None if stream is None else _name("stream", stream)
    in_graph = None if graph is None else _name("graph", graph)
    return OneTime(first, last, rows, None if in_stream == DEFAULT_STREAM else in_stream, in_graph)


def one_element(
    triples: Iterable[Triple],
    start: Moment,
    end: Moment | None = None,
    *,
    stream: Identifier | None = None,
    graph: Identifier | None = None,
) -> Batch:
    """As `one_time`, a batch."""
    return one_time(triples, start, end, stream=stream, graph=graph).batch()


def encoded_triple(triple: Any) -> tuple[Encoded, Encoded, Encoded]:
    """The terms of a triple of rdflib's.

    Raises:
        DataError: EP407 or EP408, it is none of RDF.
    """
    if not isinstance(triple, tuple) or len(triple) != 3:
        raise DataError(
            "EP407", f"{triple!r} is not a triple", hint="send tuples of subject, predicate and object"
        )
    s, p, o = map(_encoded, triple)
    if not isinstance(s, str) or not isinstance(p, str) or p.startswith("_:"):
        raise DataError("EP408", "a subject is an IRI or a blank node, a predicate an IRI")
    return s, p, o


def _name(kind: Literal["stream", "graph"], term: Identifier) -> Encoded:
    """The name of a stream or an element."""
    name = _encoded(term)
    if isinstance(name, str) and not (kind == "stream" and name.startswith("_:")):
        return name
    allowed = "an IRI" if kind == "stream" else "an IRI or a blank node"
    raise DataError("EP408", f"the name of a {kind} is {allowed}, not {ntriples(name)}")


def _encoded(term: Identifier) -> Encoded:
    try:
        return from_rdflib(term)
    except ValueError as error:
        raise DataError(
            "EP407", f"the term {error}", hint="send rdflib terms: URIRef, BNode, Literal"
        ) from error
