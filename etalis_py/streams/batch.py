"""A batch: many occurrences as columns, the form in which events cross from a file to the engine."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, TypeVar

from etalis_py.core.errors import Place
from etalis_py.core.terms import Encoded
from etalis_py.core.value_class import value_class

__all__ = ["COLUMNS", "REQUIRED", "Batch", "concat"]

REQUIRED: Final = ("start", "s", "p", "o")
COLUMNS: Final = ("start", "end", "s", "p", "o", "stream", "graph")
"""Of a table of events; those that are not required may be left out, and their values, too."""

_Value = TypeVar("_Value")


@value_class
class Batch:
    """Occurrences in columns of equal length, in the order of their source (not sorted).

    ``start`` and ``end`` are microseconds since the epoch, UTC, ``start <= end``. Terms are encoded
    (`etalis_py.core.terms.Encoded`) and each stands where RDF allows it, so the lists can go to Prolog as
    they are. ``sources`` and ``rows`` say where each came from.

    ``graph`` names the element of each occurrence, ``stream`` is the IRI of its stream. None stands for no
    name and for the default stream (`etalis_py.core.vocabulary.DEFAULT_STREAM`); instead of a column, for a
    column of nothing else.
    """

    start: Sequence[int]
    end: Sequence[int]
    s: Sequence[Encoded]
    p: Sequence[Encoded]
    o: Sequence[Encoded]
    graph: Sequence[Encoded | None] | None
    sources: Sequence[str]
    rows: Sequence[int]
    stream: Sequence[Encoded | None] | None = None

    def __len__(self) -> int:
        return len(self.end)

    def place(self, index: int) -> Place:
        """The file and the row (counted from 1) of one occurrence."""
        return Place(source=self.sources[index], row=self.rows[index])

    def part(self, first: int, last: int) -> Batch:
        """The occurrences from ``first`` up to, without, ``last``."""
        if first == 0 and last >= len(self):
            return self
        return Batch(
            self.start[first:last],
            self.end[first:last],
            self.s[first:last],
            self.p[first:last],
            self.o[first:last],
            None if self.graph is None else self.graph[first:last],
            self.sources[first:last],
            self.rows[first:last],
            None if self.stream is None else self.stream[first:last],
        )

    def take(self, order: Sequence[int]) -> Batch:
        """The occurrences at these indices, in this order."""

        def pick(column: Sequence[_Value]) -> list[_Value]:
            return list(map(column.__getitem__, order))

        return Batch(
            pick(self.start),
            pick(self.end),
            pick(self.s),
            pick(self.p),
            pick(self.o),
            None if self.graph is None else pick(self.graph),
            pick(self.sources),
            pick(self.rows),
            None if self.stream is None else pick(self.stream),
        )


def concat(batches: Sequence[Batch]) -> Batch:
    """One batch with the occurrences of several, one after the other."""
    if len(batches) == 1:
        return batches[0]
    return Batch(
        list(chain.from_iterable(batch.start for batch in batches)),
        list(chain.from_iterable(batch.end for batch in batches)),
        list(chain.from_iterable(batch.s for batch in batches)),
        list(chain.from_iterable(batch.p for batch in batches)),
        list(chain.from_iterable(batch.o for batch in batches)),
        _names([batch.graph for batch in batches], batches),
        list(chain.from_iterable(batch.sources for batch in batches)),
        list(chain.from_iterable(batch.rows for batch in batches)),
        _names([batch.stream for batch in batches], batches),
    )


def _names(
    columns: Sequence[Sequence[Encoded | None] | None], batches: Sequence[Batch]
) -> list[Encoded | None] | None:
    """The columns of names of ``batches`` as one; None where none of them has one."""
    if all(column is None for column in columns):
        return None
    lengths = map(len, batches)
    return list(
        chain.from_iterable(
            [None] * length if column is None else column
            for column, length in zip(columns, lengths, strict=True)
        )
    )
