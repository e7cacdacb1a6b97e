"""Rows of a DataFrame as lines of N-Quads: events, or what ``detect`` found for CONSTRUCT queries.

An event that has a graph goes into that graph. Each answer, and each event without a graph, is a graph of
its own, called ``urn:etalis:QUERY:START-END:N``; QUERY is ``events`` for events, and N is unlike that of any
other graph in the folder. The time of a graph comes before its triples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from etalis_py.core.errors import DataError, Place, UsageError
from etalis_py.core.terms import Position, TermCache, TermPositionError, encode_literal, ntriples
from etalis_py.core.times import format_time
from etalis_py.core.vocabulary import DEFAULT_STREAM
from etalis_py.results.nquads_writer import time_quads
from etalis_py.streams.columns import shown

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["QuadLines", "check_columns_of"]

_POSITIONS: tuple[Position, ...] = ("subject", "predicate", "object", "graph")
_KNOWN = 20_000
_EVENT = ("s", "p", "o", "graph")
_TERM = "struct<type:string,value:string,datatype:string,lang:string>"
_TRIPLES = f"array<struct<s:{_TERM},p:{_TERM},o:{_TERM}>>"


def check_columns_of(schema: Any) -> None:
    """See that rows of a Spark schema can be N-Quads.

    Raises:
        UsageError: EP603, columns are missing or of another type.
    """
    kinds = {field.name: field.dataType.simpleString() for field in schema.fields}
    times = [kinds.get("start"), kinds.get("end", "bigint")]
    fits = all(kind in ("timestamp", "bigint") for kind in times)
    if "triples" in kinds:
        fits = fits and kinds["triples"] == _TRIPLES and kinds.get("query", "string") == "string"
    else:
        fits = fits and all(kinds.get(name, "string") == "string" for name in ("stream", *_EVENT))
        fits = fits and {"s", "p", "o"} <= set(kinds)
    if not fits:
        used = (*_EVENT, "stream", "start", "end", "query", "triples")
        columns = ", ".join(f"{name} {kind}" for name, kind in kinds.items() if name in used)
        raise UsageError(
            "EP603",
            f"rows with {columns or 'these columns'} cannot be N-Quads",
            hint="give answers of CONSTRUCT queries as detect has them, or events: start, end, s, p, o, "
            "graph (times are timestamp or bigint, terms string)",
        )


@dataclass(slots=True)
class QuadLines:
    """Turns the rows of one file to lines. ``label`` goes before the number in the names of its graphs."""

    label: str
    _number: int = 0
    _graphs: dict[str, tuple[int, int]] = field(default_factory=dict)
    _terms: dict[tuple[Any, ...], str] = field(default_factory=dict)
    _caches: tuple[TermCache, ...] = field(
        default_factory=lambda: tuple(TermCache(position) for position in _POSITIONS)
    )

    def lines(self, record: pa.RecordBatch) -> Iterator[str]:
        """The lines of some rows.

        Raises:
            DataError: EP407, EP408 a wrong term or one in a wrong position, EP409 a wrong time, EP410 an end
                before its start, EP414 a graph with two times, EP604 an answer without triples, EP609 an
                event of a stream with a name.
        """
        columns: dict[str, list[Any]] = {
            name: _values(record.column(name), name)
            for name in ("start", "end", "query", "triples", "stream", *_EVENT)
            if name in record.schema.names
        }
        none = [None] * record.num_rows
        rows = zip(*(columns.get(name, none) for name in ("start", "end")), strict=True)
        for index, (start, end) in enumerate(rows):
            row = {name: column[index] for name, column in columns.items()}
            if start is None:
                raise _wrong("EP409", "the row has no start", row, "give each event a start")
            last = start if end is None else end
            if last < start:
                told = f"it ends at {format_time(last)}, before its start at {format_time(start)}"
                raise _wrong("EP410", told, row, "swap start and end")
            if "triples" in columns:
                yield from self._answer(row, start, last)
            else:
                yield from self._event(row, start, last)

    def _answer(self, row: Mapping[str, Any], start: int, end: int) -> list[str]:
        triples = row["triples"]
        if triples is None:
            hint = "N-Quads hold what CONSTRUCT and DESCRIBE give: filter(answers.triples.isNotNull())"
            raise _wrong("EP604", "the answer has no triples", row, hint)
        lines = dict.fromkeys(" ".join(self._term(triple[name]) for name in "spo") for triple in triples)
        if not lines:
            return []
        graph = self._new_graph(row.get("query") or "query", start, end)
        return [*time_quads(graph, start, end), *(f"{line} {graph} .\n" for line in lines)]

    def _event(self, row: Mapping[str, Any], start: int, end: int) -> list[str]:
        if row.get("stream") not in (None, "", ntriples(DEFAULT_STREAM)):
            hint = "write each stream to a folder of its own, without the column stream"
            raise _wrong("EP609", f"the event belongs to the stream {row['stream']}", row, hint)
        texts = [self._text(place, row) for place in range(3)]
        if row.get("graph") in (None, ""):
            graph, told = self._new_graph("events", start, end), None
        else:
            graph = self._text(3, row)
            told = self._graphs.get(graph)
            self._graphs.setdefault(graph, (start, end))
        if told is not None and told != (start, end):
            hint = "drop the column graph: each row is then a graph of its own"
            raise _wrong("EP414", f"the graph {graph} has two times in one file", row, hint)
        return [*(time_quads(graph, start, end) if told is None else ()), f"{' '.join(texts)} {graph} .\n"]

    def _new_graph(self, query: str, start: int, end: int) -> str:
        self._number += 1
        return f"<urn:etalis:{quote(query, safe='')}:{start}-{end}:{self.label}{self._number}>"

    def _text(self, place: int, row: Mapping[str, Any]) -> str:
        """A term of an event, read and written again, so that nothing else gets into the file."""
        name = _EVENT[place]
        try:
            return ntriples(self._caches[place][row[name]])
        except ValueError as error:
            code = "EP408" if isinstance(error, TermPositionError) else "EP407"
            hint = 'terms are in N-Triples syntax: <http://example.org/a>, _:b, "text"'
            raise _wrong(code, f"column {name!r}: the term {error}", row, hint) from error

    def _term(self, term: Mapping[str, str | None]) -> str:
        """A term of an answer."""
        key = tuple(term.values())
        text = self._terms.get(key)
        if text is None:
            value = str(term["value"])
            if term["type"] == "literal":
                text = ntriples(encode_literal(value, term["datatype"], term["lang"]))
            else:
                text = ntriples(f"_:{value}" if term["type"] == "bnode" else value)
            if len(self._terms) >= _KNOWN:
                self._terms.clear()
            self._terms[key] = text
        return text


def _values(column: pa.Array, name: str) -> list[Any]:
    import pyarrow as pa

    if name in ("start", "end") and pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", tz=column.type.tz)).cast(pa.int64())
    values: list[Any] = column.to_pylist()
    return values


def _wrong(code: str, message: str, row: Mapping[str, Any], hint: str) -> DataError:
    return DataError(code, message, place=Place("rows to write", excerpt=shown(dict(row), 400)), hint=hint)
