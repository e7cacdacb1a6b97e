"""From raw columns of one file to a batch: terms and times are read by column, errors found by row."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, repeat
from operator import lt
from typing import Any, Final, Literal, TypeAlias

from etalis_py.core.arrow_times import TimeTexts
from etalis_py.core.coded import Coded
from etalis_py.core.errors import DataError, Place
from etalis_py.core.terms import Encoded, TermPositionError
from etalis_py.core.times import SCALES, TimeCache, TimeUnit, format_time, likely_unit, parse_time_column
from etalis_py.core.value_class import value_class
from etalis_py.core.vocabulary import DEFAULT_STREAM, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER
from etalis_py.streams.arrow_texts import ArrowTexts
from etalis_py.streams.batch import COLUMNS, Batch
from etalis_py.streams.problems import OnBad, cut_off, named_twice, refuse, two_times
from etalis_py.streams.term_texts import NAMES, TermTexts

__all__ = ["RawColumns", "RowReader", "shown"]

_REMEMBERED: Final = 10_000
"""So many named elements of a source are known, with their times, while its rows are read."""


_Element: TypeAlias = "tuple[Encoded | None, Encoded | None]"
"""The names of a stream and of a graph in it."""
_Interval: TypeAlias = tuple[int, int]


@value_class
class RawColumns:
    """Columns as a file gives them: terms in N-Triples text, times as text or numbers.

    ``end``, ``stream`` and ``graph`` are None where the file has no such column; within it, None or ``""``
    stands for "as start", "the default stream" and "no graph". ``rows`` counts from 1; ``lines`` (physical
    lines) where the file has lines.
    """

    start: Sequence[Any]
    end: Sequence[Any] | None
    s: Sequence[Any]
    p: Sequence[Any]
    o: Sequence[Any]
    stream: Sequence[Any] | None
    graph: Sequence[Any] | None
    rows: Sequence[int]
    lines: Sequence[int] | None = None
    stamped: Collection[str] = ()
    """Columns of times that are microseconds in any unit, since their types say so."""
    wrong: Mapping[int, DataError] = field(default_factory=dict)
    """By their indices the rows that are none, with what is wrong; anything may stand in their columns."""
    unfinished: bool = False
    """Whether the source stops within the last row."""
    text: Callable[[int], str] | None = None
    """The text of the row at an index."""

    def record(self, index: int) -> str:
        """The row as it was; where the source has no text, as JSON."""
        if self.text is not None:
            return self.text(index)
        columns = {name: getattr(self, name) for name in COLUMNS}
        row = {name: column[index] for name, column in columns.items() if column is not None}
        return json.dumps(row, ensure_ascii=False, default=str)

    def part(self, first: int, last: int) -> RawColumns:
        """The rows from ``first`` up to, without, ``last``, none of which is wrong."""
        return RawColumns(
            self.start[first:last],
            None if self.end is None else self.end[first:last],
            self.s[first:last],
            self.p[first:last],
            self.o[first:last],
            None if self.stream is None else self.stream[first:last],
            None if self.graph is None else self.graph[first:last],
            self.rows[first:last],
            None if self.lines is None else self.lines[first:last],
            self.stamped,
        )


def shown(value: object, width: int = 100) -> str:
    """A value from a file as one safe line for a message: no control characters, not too long."""
    text = value if isinstance(value, str) else repr(value)
    cut = text[:width]
    safe = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in cut)
    return f"    {safe}" + ("..." if len(text) > width else "")


@dataclass(slots=True)
class RowReader:
    """Turns the raw columns of one source into batches; keeps what it read, so that nothing is read twice.

    ``unit`` is that of times that are numbers. With None they are microseconds. A first one that is hardly in
    its unit is an error. ``stream`` is the IRI of all rows' stream; then none may name it.
    """

    source: str
    texts: TermTexts = field(default_factory=TermTexts)
    unit: TimeUnit | None = None
    on_bad: OnBad | None = None
    stream: str | None = None
    _times: TimeCache = field(init=False)
    _stamps: TimeCache = field(default_factory=TimeCache)
    _elements: dict[_Element, _Interval] = field(default_factory=dict)
    _unit_is_sure: bool = False

    def __post_init__(self) -> None:
        self._times = TimeCache(self.unit or "us")

    def read(self, raw: RawColumns) -> Iterator[Batch]:
        """The good rows. Bad ones go to ``on_bad``; without it the first ends the reading with its error.

        Raises DataError: EP407 to EP410, EP414, EP419, and what ``raw`` tells to be wrong, after the rows
        before it; EP418 where the times seem to be in another unit.
        """
        if not self._unit_is_sure:
            self._check_unit(raw)
        batch = None if raw.wrong else self._attempt_all(raw)
        if batch is None:
            yield from self._read_past(raw)
        elif len(batch):
            yield batch

    @property
    def is_sure_of_unit(self) -> bool:
        """Whether times were seen that are in their unit."""
        return self._unit_is_sure

    def may_begin_with(self, time: int) -> bool:
        """Whether a number may be the first time: it seems to be in its unit, or one before did."""
        return self._unit_is_sure or likely_unit(time, self.unit) is None

    def check_unit(self, time: object, unit: TimeUnit | None, place: Place) -> None:
        """Raises DataError (EP418), if a time is hardly in its unit."""
        if (likely := likely_unit(time, unit)) is not None:
            raise _other_unit(time, unit, likely, place)

    def unit_is_sure(self) -> None:
        """Times were seen that are in their unit."""
        self._unit_is_sure = True

    def known_interval(self, stream: Encoded | None, graph: Encoded) -> tuple[int, int] | None:
        """The interval of an element that was read; None where there was none."""
        return self._elements.get((stream or self.stream, graph))

    @property
    def scale(self) -> int:
        """The microseconds of the unit of times that are numbers."""
        return self._times.scale

    def batch_of(
        self, start: Sequence[int], end: Sequence[int], terms: Mapping[str, Coded[Any]], rows: Sequence[int]
    ) -> Batch:
        """Rows whose terms and times were read already; the first time was in its unit.

        Raises ValueError where they are not good.
        """
        names = {name: terms[name] for name in NAMES if name in terms and any(terms[name].values)}
        streams = self._in_streams(names.get("stream"), len(end))
        sources = [self.source] * len(end)
        batch = Batch(
            start, end, terms["s"], terms["p"], terms["o"], names.get("graph"), sources, rows, streams
        )
        self._check_elements(batch)
        self._unit_is_sure = True
        return batch

    def _attempt_all(self, raw: RawColumns) -> Batch | None:
        try:
            return self._read(raw)
        except (ValueError, TypeError):
            return None

    def _read_past(self, raw: RawColumns) -> Iterator[Batch]:
        """The rows between the bad ones."""
        first, last = 0, len(raw.rows) - 1
        for index in range(len(raw.rows)):
            error = raw.wrong.get(index) or self._check_row(raw, index)
            if error is None:
                continue
            if first < index:
                yield self._read(raw.part(first, index))
            refuse(
                self.on_bad,
                cut_off(error) if raw.unfinished and index == last else error,
                raw.record(index),
            )
            first = index + 1
        if first <= last:
            yield self._read(raw.part(first, last + 1))

    def _read(self, raw: RawColumns) -> Batch:
        start = parse_time_column(raw.start, self._cache("start", raw))
        end = start
        if raw.end is not None:
            end = self._ends(raw.end, start, self._cache("end", raw))
            if any(map(lt, end, start)):
                raise ValueError("an end before its start")
        batch = Batch(
            start,
            end,
            self._column_of_terms("s", raw.s),
            self._column_of_terms("p", raw.p),
            self._column_of_terms("o", raw.o),
            self.texts.read_names("graph", raw.graph),
            [self.source] * len(start),
            raw.rows,
            self._in_streams(self.texts.read_names("stream", raw.stream), len(start)),
        )
        self._check_elements(batch)
        return batch

    def _column_of_terms(self, column: str, texts: Sequence[Any]) -> Sequence[Encoded]:
        if isinstance(texts, ArrowTexts) and (words := self.texts.words(column)) is not None:
            return self.texts.read_arrow(column, texts, words)
        return self.texts.read(column, texts)

    def _in_streams(
        self, found: Sequence[Encoded | None] | None, count: int
    ) -> Sequence[Encoded | None] | None:
        """The streams of so many rows, for which the source has ``found`` these names."""
        if self.stream is not None:
            if found is not None:
                raise ValueError("a stream with two names")
            return [self.stream] * count
        if found is not None and DEFAULT_STREAM in found:
            return [None if name == DEFAULT_STREAM else name for name in found]
        return found

    def _check_elements(self, batch: Batch) -> None:
        """Remember the times of named elements. Raises ValueError where one has two."""
        if batch.graph is None:
            return
        streams = repeat(None) if batch.stream is None else batch.stream
        intervals = zip(batch.start, batch.end, strict=True)
        for element, interval in zip(zip(streams, batch.graph, strict=False), intervals, strict=True):
            if element[1] is not None and self._elements.setdefault(element, interval) != interval:
                raise ValueError("an element with two times")
        self._forget_elements()

    def _forget_elements(self) -> None:
        for element in list(islice(self._elements, max(0, len(self._elements) - _REMEMBERED))):
            del self._elements[element]

    def _cache(self, column: str, raw: RawColumns) -> TimeCache:
        return self._stamps if column in raw.stamped else self._times

    def _check_unit(self, raw: RawColumns) -> None:
        index = next((index for index in range(len(raw.rows)) if index not in raw.wrong), None)
        if index is None:
            return
        if "start" not in raw.stamped:
            self.check_unit(raw.start[index], self.unit, _place(self.source, raw, index))
        self.unit_is_sure()

    def _ends(self, texts: Sequence[Any], start: Sequence[int], times: TimeCache) -> Sequence[int]:
        if isinstance(texts, TimeTexts) and (found := texts.microseconds()) is not None:
            return found
        if None not in texts and "" not in texts:
            return parse_time_column(texts, times)
        given = zip(texts, start, strict=True)
        return [first if last is None or last == "" else times[last] for last, first in given]

    def _check_row(self, raw: RawColumns, index: int) -> DataError | None:
        place = _place(self.source, raw, index)
        start = end = self._attempt(self._cache("start", raw).__getitem__, "start", raw.start[index], place)
        if isinstance(start, DataError):
            return start
        if raw.end is not None and raw.end[index] not in (None, ""):
            end = self._attempt(self._cache("end", raw).__getitem__, "end", raw.end[index], place)
            if isinstance(end, DataError):
                return end
            if end < start:
                return DataError(
                    "EP410",
                    f"the event ends at {format_time(end)}, before its start at {format_time(start)}",
                    place=place,
                    hint="swap start and end, or leave end empty for a point event",
                )
        names: dict[str, Encoded | None] = dict.fromkeys(NAMES)
        for name, cache in self.texts.terms.items():
            column = getattr(raw, name)
            if column is None or (name in names and column[index] in (None, "")):
                continue
            term = self._attempt(cache.__getitem__, name, column[index], place)
            if isinstance(term, DataError):
                return term
            if name in names:
                names[name] = term
        if self.stream is not None and names["stream"] is not None:
            return named_twice(self.stream, place)
        stream, graph = names["stream"] if names["stream"] != DEFAULT_STREAM else None, names["graph"]
        if graph is not None:
            known = self._elements.setdefault((stream or self.stream, graph), (start, end))
            if known != (start, end):
                return two_times(graph, known, (start, end), place)
        return None

    def _attempt(self, read: Callable[[Any], Any], column: str, value: object, place: Place) -> Any:
        try:
            return read(value)
        except (ValueError, TypeError) as error:
            place = place if value is None else replace(place, excerpt=shown(value))
            reason = (
                str(error) if isinstance(error, ValueError) else f"is not text but {type(value).__name__}"
            )
            is_time = column in ("start", "end")
            if type(value).__module__.startswith("rdflib."):
                code, hint = "EP407", "its N-Triples text is term.n3(); send takes rdflib terms"
                reason = f"is an rdflib {type(value).__name__} and not text"
            elif isinstance(error, TermPositionError):
                code, hint = "EP408", "only the column o takes literals; p and stream take only IRIs"
            elif is_time:
                code, hint = "EP409", _time_hint(value)
            else:
                code, hint = "EP407", _term_hint(value, reason)
            kind = "time" if is_time else "term"
            return DataError(code, f"column {column!r}: the {kind} {reason}", place=place, hint=hint)


def _place(source: str, raw: RawColumns, index: int) -> Place:
    line = None if raw.lines is None else raw.lines[index]
    return Place(source=source, line=line, row=raw.rows[index])


_UNIT_NAMES: Final = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}


def _other_unit(
    time: object, unit: TimeUnit | None, likely: Literal["s", "ms", "us", "ns"], place: Place
) -> DataError:
    """EP418; ``time`` is the first of a source, read in ``unit``."""
    number = int(time) if isinstance(time, (int, float)) else int(str(time).partition(".")[0])
    if likely == "ns":
        meant = number // 1_000
        hint = (
            "divide them by 1,000" if unit is None else "divide them by 1,000; time_unit='us' reads them then"
        )
    else:
        meant = number * SCALES[likely]
        hint = f"time_unit='{likely}' reads {_UNIT_NAMES[likely]}"
        if unit is None:
            hint += "; use time_unit='us' if microseconds are meant"
    read = unit or "us"
    return DataError(
        "EP418",
        f"column 'start': {time} looks like {_UNIT_NAMES[likely]} since 1970 ({format_time(meant)}), but a "
        f"number is read as {_UNIT_NAMES[read]} ({format_time(number * SCALES[read])})",
        place=place,
        hint=hint,
    )


def _time_hint(value: object) -> str:
    text = value if isinstance(value, str) else ""
    if isinstance(value, float) or re.fullmatch(r"[0-9]+\.[0-9]*", text):
        return "time_unit='s' reads seconds, and time_unit='ms' milliseconds, with decimals"
    return "write 2011-03-11T05:46:23Z or whole microseconds since 1970"


def _term_hint(value: object, reason: str) -> str:
    if "prefixed" in reason:
        return "write an IRI as <http://example.org/a>; or say --prefix ex=http://example.org/"
    if "IRI" in reason:
        return "write an IRI as <http://example.org/a>"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    kind = _type_of_bare(text)
    if kind is not None:
        return f'write "{text}"^^<{kind}>, in CSV with its quotes doubled: """{text}""^^<{kind}>"'
    return (
        'terms are in N-Triples syntax: <http://example.org/a>, _:b, "text", "5"^^<datatype>, "hi"@en; '
        'in CSV the quotes of a literal are doubled: """text"""'
    )


def _type_of_bare(text: str) -> str | None:
    """The datatype that a value without quotes has in Turtle."""
    for pattern, kind in (
        (r"[+-]?[0-9]+", XSD_INTEGER),
        (r"[+-]?[0-9]*\.[0-9]+", XSD_DECIMAL),
        (r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+", XSD_DOUBLE),
        (r"true|false", XSD_BOOLEAN),
    ):
        if re.fullmatch(pattern, text):
            return kind
    return None
