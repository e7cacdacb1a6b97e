"""Answers as text in files: how ``etalis run`` gets them from the workers, in their order.

One schema for all queries. Each part's file is in the order of the ends of the answers, so that the files are
merged and nothing is sorted twice. An error is a row, too, at the instant where it came up:
what was answered before it stays answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import accumulate, chain, groupby
from json import dumps, loads
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from etalis_py.core.errors import EtalisError
from etalis_py.core.terms import Encoded
from etalis_py.engine.answer_columns import Answers
from etalis_py.engine.answer_order import row_order
from etalis_py.engine.coded_terms import TermNumbers
from etalis_py.engine.matches import Match
from etalis_py.spark_udfs.execution.failures import from_text, to_text
from etalis_py.spark_udfs.execution.term_columns import read_term, text_and_type

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.compiler.compile import CompiledQuery

__all__ = ["TEXT_SCHEMA", "TermTexts", "TextForm", "read_answers"]

TEXT_SCHEMA: Final = "query string, start long, end long, terms array<string>, failure string"
_NAMES: Final = ["query", "start", "end", "terms", "failure"]
_BATCH: Final = 4096


@dataclass(frozen=True, slots=True)
class TextForm:
    """The values of a SELECT in their order, or the terms of a CONSTRUCT's triples one after the other."""

    @property
    def schema(self) -> pa.Schema:
        """The columns of a record batch."""
        return self.table([]).schema

    def tables(self, answers: Answers) -> Iterator[pa.RecordBatch]:
        """Answers as one record batch, in their order; none where there are none."""
        if len(answers):
            yield self.table(list(answers.matches()))

    def table(self, taken: Sequence[Match]) -> pa.RecordBatch:
        """Matches as one record batch."""
        terms = TermNumbers()
        rows = [_terms(match) for match in taken]
        flat = terms.numbers(chain.from_iterable(rows))
        texts = _strings(map(_term_text, terms.terms)).take(flat)
        return _batch(
            [match.query for match in taken],
            [match.start for match in taken],
            [match.end for match in taken],
            _lists(map(len, rows), texts),
            [None] * len(taken),
        )

    def failure(self, error: EtalisError, time: int | None) -> pa.RecordBatch | None:
        """A row for an error."""
        at = [0 if time is None else time]
        return _batch([""], at, at, _lists([0], _strings([])), [to_text(error)])


def _terms(match: Match) -> tuple[Encoded | None, ...]:
    if match.encoded_triples is None:
        return match.values
    return tuple(chain.from_iterable(match.encoded_triples))


def _term_text(term: Encoded) -> str:
    """A term in JSON, which holds any: what queries make need not be as N-Triples wants it."""
    text, kind = text_and_type(term)
    return dumps(text if kind is None else [text, kind])


class TermTexts(dict[str, Encoded]):
    """Terms by their text, each read once."""

    limit = 100_000

    def __missing__(self, text: str) -> Encoded:
        read = loads(text)
        lexical, kind = (read, None) if isinstance(read, str) else read
        term = read_term(lexical, kind)
        if len(self) > self.limit:
            self.clear()
        self[text] = term
        return term


def _strings(texts: Iterable[str | None]) -> pa.Array:
    import pyarrow as pa

    return pa.array(texts, pa.string())


def _lists(lengths: Iterable[int], values: pa.Array) -> pa.Array:
    import pyarrow as pa

    return pa.ListArray.from_arrays(pa.array(accumulate(lengths, initial=0), pa.int32()), values)


def _batch(
    query: list[str], start: list[int], end: list[int], terms: pa.Array, failure: list[str | None]
) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays(
        [_strings(query), pa.array(start, pa.int64()), pa.array(end, pa.int64()), terms, _strings(failure)],
        names=_NAMES,
    )


# ---- in the driver --------------------------------------------------------------------------------------


def read_answers(folder: Path, queries: Sequence[CompiledQuery], merged: frozenset[str]) -> Iterator[Match]:
    """The answers in all Parquet files of ``folder``, in the order in which one engine would give them.

    ``queries`` are in the order of the program. Of those in ``merged`` equal answers are one. The rows of a
    query with ORDER BY stay as they are: they are all of one part.

    In memory are the answers of one instant in all parts, which are sorted: as many as there are, or as the
    limit on answers per instant lets through in each part.

    Raises:
        EtalisError: what a worker found, after the answers that end before.
    """
    kinds = {query.name: _Kind(number, query) for number, query in enumerate(queries)}
    ordered = {query.name for query in queries if query.is_ordered}
    parts = [_by_instant(_rows(file, kinds)) for file in sorted(folder.glob("*.parquet"))]
    for _, group in groupby(merge(*parts, key=_key), key=_key):
        rows = [row for _, row in group]
        for row in rows:
            if isinstance(row, EtalisError):
                raise row
        matches = [row for row in rows if isinstance(row, Match)]
        if len(matches) > 1 and matches[0].query not in ordered:
            matches.sort(key=row_order)
            if matches[0].query in merged:
                matches = [first for first, *_ in ([*same] for _, same in groupby(matches, key=row_order))]
        yield from matches


_Key = tuple[int, bool, int, int]
"""The end; whether the rows come in an order of their own, after all others; then start and query."""
_Row: TypeAlias = "tuple[_Key, Match | EtalisError]"
_FIRST: Final = -(1 << 63)


def _key(row: _Row) -> _Key:
    return row[0]


def _rows(file: Path, kinds: Mapping[str, _Kind]) -> Iterator[_Row]:
    """The rows of one part; an error comes before the answers of its instant."""
    import pyarrow.parquet as pq

    cache = TermTexts()
    with pq.ParquetFile(file) as parquet:
        for batch in parquet.iter_batches(_BATCH):
            columns = [batch.column(name).to_pylist() for name in _NAMES]
            for query, start, end, texts, failure in zip(*columns, strict=True):
                if failure is not None:
                    yield (end, False, _FIRST, -1), from_text(failure)
                else:
                    terms = [None if text is None else cache[text] for text in texts]
                    yield kinds[query].key(start, end), kinds[query].match(start, end, terms)


def _by_instant(rows: Iterator[_Row]) -> Iterator[_Row]:
    """Where a part gives answers of several engines, those of one instant need to be put in order."""
    for _, group in groupby(rows, key=lambda row: row[0][0]):
        yield from sorted(group, key=_key)


class _Kind:
    """How the rows of one query are sorted, and what they mean."""

    def __init__(self, number: int, query: CompiledQuery) -> None:
        self._number = number
        self._name, self._form, self._variables = query.name, query.form, query.variables
        self._is_ordered, self._stream = query.is_ordered, query.stream

    def key(self, start: int, end: int) -> _Key:
        if self._is_ordered:
            return end, True, _FIRST, self._number
        return end, False, start, self._number

    def match(self, start: int, end: int, terms: list[Encoded | None]) -> Match:
        if self._form == "select":
            return Match(self._name, start, end, self._variables, tuple(terms), stream=self._stream)
        if self._form == "ask":
            return Match(self._name, start, end, boolean=True)
        flat: Iterator[Encoded] = (term for term in terms if term is not None)
        triples = tuple(zip(flat, flat, flat, strict=True))
        return Match(self._name, start, end, encoded_triples=triples, stream=self._stream)
