"""From raw columns of one file to a batch: terms and times are read by column, errors found by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from operator import lt
from typing import Any, Final

from etalis_py.errors import DataError, Place
from etalis_py.streams.batch import Batch
from etalis_py.terms import Position, TermCache, TermPositionError, encode_column
from etalis_py.times import TimeCache, format_time, parse_time_column

__all__ = ["COLUMNS", "REQUIRED", "RawColumns", "RowReader", "shown"]

REQUIRED: Final = ("start", "s", "p", "o")
COLUMNS: Final = ("start", "end", "s", "p", "o", "graph")
_POSITIONS: Final[dict[str, Position]] = {"s": "subject", "p": "predicate", "o": "object", "graph": "graph"}


@dataclass(frozen=True, slots=True)
class RawColumns:
    """Columns as a file gives them: terms in N-Triples text, times as text or int microseconds.

    ``end`` and ``graph`` are None where the file has no such column; within it, None or ``""`` stands for
    "as start" and "no graph". ``rows`` counts from 1; ``lines`` (physical lines) where the file has lines.
    """

    start: Sequence[Any]
    end: Sequence[Any] | None
    s: Sequence[Any]
    p: Sequence[Any]
    o: Sequence[Any]
    graph: Sequence[Any] | None
    rows: Sequence[int]
    lines: Sequence[int] | None = None

    def part(self, first: int, last: int) -> RawColumns:
        """The rows from ``first`` up to, without, ``last``."""
        return RawColumns(
            self.start[first:last],
            None if self.end is None else self.end[first:last],
            self.s[first:last],
            self.p[first:last],
            self.o[first:last],
            None if self.graph is None else self.graph[first:last],
            self.rows[first:last],
            None if self.lines is None else self.lines[first:last],
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

    ``scope`` is put before blank node labels (see `TermCache`).
    """

    source: str
    scope: str = ""
    _times: TimeCache = field(default_factory=TimeCache)
    _terms: dict[str, TermCache] = field(init=False)

    def __post_init__(self) -> None:
        self._terms = {name: TermCache(position, self.scope) for name, position in _POSITIONS.items()}

    def read(self, raw: RawColumns) -> tuple[Batch, DataError | None]:
        """The batch of all rows; or of those before the first bad row, with the error of that row."""
        try:
            return self._read(raw), None
        except (ValueError, TypeError):
            for index in range(len(raw.rows)):
                error = self._check_row(raw, index)
                if error is not None:
                    return self._read(raw.part(0, index)), error
            raise

    def _read(self, raw: RawColumns) -> Batch:
        start = parse_time_column(raw.start, self._times)
        end = start
        if raw.end is not None:
            end = self._ends(raw.end, start)
            if any(map(lt, end, start)):
                raise ValueError("an end before its start")
        graph = None
        if raw.graph is not None and any(raw.graph):
            cache = self._terms["graph"]
            graph = [None if name is None or name == "" else cache[name] for name in raw.graph]
        return Batch(
            start,
            end,
            encode_column(raw.s, self._terms["s"]),
            encode_column(raw.p, self._terms["p"]),
            encode_column(raw.o, self._terms["o"]),
            graph,
            [self.source] * len(start),
            raw.rows,
        )

    def _ends(self, texts: Sequence[Any], start: list[int]) -> list[int]:
        if None not in texts and "" not in texts:
            return parse_time_column(texts, self._times)
        times = self._times
        given = zip(texts, start, strict=True)
        return [first if last is None or last == "" else times[last] for last, first in given]

    def _check_row(self, raw: RawColumns, index: int) -> DataError | None:
        place = Place(
            source=self.source,
            line=None if raw.lines is None else raw.lines[index],
            row=raw.rows[index],
        )
        start = self._attempt(self._times.__getitem__, "start", raw.start[index], place)
        if isinstance(start, DataError):
            return start
        if raw.end is not None and raw.end[index] not in (None, ""):
            end = self._attempt(self._times.__getitem__, "end", raw.end[index], place)
            if isinstance(end, DataError):
                return end
            if end < start:
                return DataError(
                    "EP410",
                    f"the event ends at {format_time(end)}, before its start at {format_time(start)}",
                    place=place,
                    hint="swap start and end, or leave end empty for an event without duration",
                )
        for name, cache in self._terms.items():
            column = getattr(raw, name)
            if column is None or (name == "graph" and column[index] in (None, "")):
                continue
            term = self._attempt(cache.__getitem__, name, column[index], place)
            if isinstance(term, DataError):
                return term
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
            if isinstance(error, TermPositionError):
                code, hint = "EP408", "only the column o takes literals, and p takes IRIs only"
            elif is_time:
                code, hint = "EP409", "write 2011-03-11T05:46:23Z or whole microseconds since 1970"
            else:
                code, hint = "EP407", _term_hint(reason)
            kind = "time" if is_time else "term"
            return DataError(code, f"column {column!r}: the {kind} {reason}", place=place, hint=hint)


def _term_hint(reason: str) -> str:
    if "IRI" in reason or "prefixed" in reason:
        return "write an IRI as <http://example.org/a>"
    return 'terms are in N-Triples syntax: <http://example.org/a>, _:b, "text", "5"^^<datatype>, "hi"@en'
