"""Answers as Prolog gives them, column by column, and the matches that are made of them.

A match is made when somebody takes it, and what is in it when somebody looks: that takes longer than all else
that is done with an answer.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from itertools import accumulate, chain, groupby, islice, pairwise, repeat
from operator import mul
from typing import Any, Final

from typing_extensions import Self

from etalis_py.core.collection import without_collection
from etalis_py.core.value_class import value_class
from etalis_py.embedding.by_query import Bounds, QueryOrder, put_by_query
from etalis_py.embedding.cells import Cells, taken_at, terms_of
from etalis_py.embedding.native_columns import Columns
from etalis_py.engine.matches import Content, FoundMatch, Kind, Match

__all__ = ["Answers", "Receiver", "Receivers"]

_BLOCK: Final = 1000
"""Matches that are made at a time; so is what is in them, when somebody looks at one."""


@value_class
class Receiver(Kind):
    """What becomes of the answers of one query: without ``on_match`` they wait to be taken."""

    on_match: Callable[[Match], object] | None = None


class Receivers(dict[int, Receiver]):
    """By the numbers of their queries, which are known when it is made."""

    @cached_property
    def names(self) -> dict[int, str]:
        """The names of the queries."""
        return {number: each.name for number, each in self.items()}

    @cached_property
    def widths(self) -> dict[int, int]:
        """How many values an answer of each has."""
        return {number: each.width for number, each in self.items()}

    @cached_property
    def width(self) -> int | None:
        """The same of all of them; None where they differ."""
        several = set(self.widths.values())
        return several.pop() if len(several) == 1 else None

    @cached_property
    def called(self) -> set[int]:
        """Those that have a callback for each match."""
        return {number for number, each in self.items() if each.on_match is not None}

    @cached_property
    def tables(self) -> dict[int, tuple[str, ...]]:
        """Equal for queries whose answers may stand in one table. A graph has a row a triple: it is alone."""
        return {
            number: (each.form, *each.variables) if each.form in ("select", "ask") else (each.form, each.name)
            for number, each in self.items()
        }

    @cached_property
    def by_tables(self) -> QueryOrder:
        """Those behind one another whose answers may stand in one table."""
        order = sorted(self, key=lambda number: (self.tables[number], number))
        return QueryOrder([(number, self.widths[number]) for number in order])

    @cached_property
    def table_bounds(self) -> list[tuple[int, int]]:
        """The places in `by_tables` of those whose answers may stand in one table: from one up to another."""
        tables = map(self.tables.__getitem__, self.by_tables.numbers)
        firsts = list(accumulate((len(list(same)) for _, same in groupby(tables)), initial=0))
        return list(pairwise(firsts))

    @cached_property
    def table_names(self) -> list[tuple[int, str]]:
        """The place of each in `by_tables` and its name, in the order of their numbers."""
        return [(self.by_tables.places[number], self[number].name) for number in sorted(self)]

    @cached_property
    def are_rows(self) -> bool:
        """Whether each query is a SELECT."""
        return all(each.form == "select" for each in self.values())


@value_class
class Answers:
    """Answers in their order: for each the number of its query, its start and its end (microseconds, UTC).

    ``values`` are those of all answers one after the other, in the form of ``rules/engine/answers.pl``: an
    answer of a SELECT has one a variable (an IRI or blank node as text, an xsd:integer and an xsd:double as a
    number, other literals as lists, None: unbound), of a CONSTRUCT or DESCRIBE one, its triples, of an ASK
    none. The columns are lists, or what native code has written: arrays and `Cells`.
    """

    receivers: Receivers = field(default_factory=Receivers)
    numbers: Sequence[int] = ()
    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    values: Sequence[Any] = ()

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def columns(self) -> tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[Any]]:
        """All but the receivers."""
        return self.numbers, self.starts, self.ends, self.values

    @staticmethod
    def width(receiver: Receiver) -> int:
        """How many values an answer of a query has here."""
        return receiver.width

    @classmethod
    def joined(cls, receivers: Receivers, parts: Sequence[Answers]) -> Self:
        """All the ``parts``, one after the other."""
        return cls(
            receivers,
            _joined([each.numbers for each in parts]),
            _joined([each.starts for each in parts]),
            _joined([each.ends for each in parts]),
            _joined([each.values for each in parts]),
        )

    def goes_with(self, others: Answers) -> bool:
        """Whether both have native columns that are put together at no more cost than a copy."""
        return (
            isinstance(self.values, Cells)
            and isinstance(others.values, Cells)
            and self.values.goes_with(others.values)
        )

    def matches(self) -> Iterator[Match]:
        """The same answers, each as a match, some of which are made when the first of them is asked for."""
        if len(self) <= _BLOCK:
            return iter(self.made())
        return chain.from_iterable(map(type(self).made, self.blocks(_BLOCK)))

    def made(self) -> Sequence[Match]:
        """The same answers, all made at once."""
        with without_collection():
            source = repeat(_Contents(self))
            kinds = self._each(self.receivers)
            return list(map(FoundMatch, kinds, self.starts, self.ends, source, range(len(self))))

    def contents(self) -> list[Content]:
        """Of each answer what is in its match."""
        with without_collection():
            if self.receivers.are_rows:  # what is done for each answer of a SELECT is left to builtins
                return list(self._rows())
            values = iter(terms_of(self.values))
            return [each.content(islice(values, each.width)) for each in self._each(self.receivers)]

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        """The encoded terms of each answer."""
        width = self.receivers.width
        if width is None:
            terms = iter(terms_of(self.values))
            return (tuple(islice(terms, each)) for each in self._each(self.receivers.widths))
        columns = [terms_of(self.values[place::width]) for place in range(width)]
        return zip(*columns, strict=True) if width else repeat((), len(self))

    def names(self) -> Iterator[str]:
        """The name of the query of each answer."""
        return self._each(self.receivers.names)

    def _each(self, known: Mapping[int, Any]) -> Iterator[Any]:
        """For each answer what is known of its query."""
        if len(known) == 1:
            return repeat(next(iter(known.values())), len(self))
        return map(known.__getitem__, self.numbers)

    def shown(self) -> Answers:
        """The answers as everybody sees them."""
        return self

    def blocks(self, size: int) -> Iterator[Self]:
        """The same answers, ``size`` at a time."""
        if len(self) <= size:
            if len(self):
                yield self
            return
        firsts = self._firsts()
        for first in range(0, len(self), size):
            yield self._part(first, min(first + size, len(self)), firsts)

    def part(self, first: int, last: int) -> Self:
        """The answers from number ``first`` to before number ``last``, as Python counts."""
        return self._part(first, last, self._firsts())

    def _part(self, first: int, last: int, firsts: Sequence[int]) -> Self:
        return type(self)(
            self.receivers,
            self.numbers[first:last],
            self.starts[first:last],
            self.ends[first:last],
            self.values[firsts[first] : firsts[last]],
        )

    def only(self, numbers: Collection[int]) -> Self:
        """The answers of the queries with these numbers, in their order."""
        receivers = Receivers((number, self.receivers[number]) for number in numbers)
        places = [place for place, number in enumerate(self.numbers) if number in receivers]
        return self._at(receivers, places, self._firsts())

    def by_query(self) -> Iterator[tuple[Receiver, Self]]:
        """The answers of each query that has some."""
        if len(self.receivers) == 1 and len(self):
            yield next(iter(self.receivers.values())), self
            return
        queries = [(number, self.width(self.receivers[number])) for number in sorted(self.receivers)]
        whole, bounds = self.put_by_query(QueryOrder(queries))
        for place, (number, _) in enumerate(queries):
            if bounds.rows[place] < bounds.rows[place + 1]:
                receiver = self.receivers[number]
                yield receiver, whole.between(bounds, place, place + 1, Receivers({number: receiver}))

    def put_by_query(self, order: QueryOrder) -> tuple[Self, Bounds]:
        """The same answers, query by query in this ``order``, and where those of each are."""
        try:
            columns, bounds = put_by_query(Columns.of(*self.columns), order)
        except OverflowError:  # a time is beyond 64 bits
            return self._put_by_python(order)
        return type(self)(self.receivers, *columns), bounds

    def _put_by_python(self, order: QueryOrder) -> tuple[Self, Bounds]:
        rows = sorted(range(len(self)), key=lambda row: order.places[self.numbers[row]])
        count_of = Counter(self.numbers)
        counts = [count_of[number] for number in order.numbers]
        bounds = Bounds(
            list(accumulate(counts, initial=0)), list(accumulate(map(mul, counts, order.widths), initial=0))
        )
        return self._at(self.receivers, rows, self._firsts()), bounds

    def between(self, bounds: Bounds, first: int, last: int, receivers: Receivers) -> Self:
        """The answers of the queries from one place up to another, see `put_by_query`."""
        rows = slice(bounds.rows[first], bounds.rows[last])
        values = self.values[bounds.values[first] : bounds.values[last]]
        return type(self)(receivers, self.numbers[rows], self.starts[rows], self.ends[rows], values)

    def _at(self, receivers: Receivers, places: Sequence[int], firsts: Sequence[int]) -> Self:
        """The answers at these places, which are those of some of the queries."""
        cells = list(chain.from_iterable(range(firsts[place], firsts[place + 1]) for place in places))
        return type(self)(
            receivers,
            taken_at(self.numbers, places),
            taken_at(self.starts, places),
            taken_at(self.ends, places),
            taken_at(self.values, cells),
        )

    def _firsts(self) -> Sequence[int]:
        """Where the values of each answer begin, and where the last ones end."""
        widths = {number: self.width(receiver) for number, receiver in self.receivers.items()}
        several = set(widths.values())
        if len(several) == 1 and (width := several.pop()):
            return range(0, (len(self) + 1) * width, width)
        return list(accumulate(map(widths.__getitem__, self.numbers), initial=0))


def _joined(columns: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """All the columns, one after the other; natively, where some are and it is possible."""
    if any(isinstance(column, Cells) for column in columns):
        return Cells.joined(list(map(Cells.of, columns)))
    codes = {column.typecode if isinstance(column, array) else "" for column in columns}
    if len(codes) == 1 and codes != {""}:
        joined = array(*codes)
        for column in columns:
            joined.extend(column)
        return joined
    if codes - {""}:
        with suppress(OverflowError):
            return array("q", chain.from_iterable(columns))
    return list(chain.from_iterable(columns))


class _Contents:
    """What is in the matches of some answers; that of all is made with the first."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    @cached_property
    def _all(self) -> list[Content]:
        return self._answers.contents()

    def content(self, _: Kind, place: int) -> Content:
        """That of one of them."""
        return self._all[place]
