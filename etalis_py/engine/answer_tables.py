"""The answers of many queries as Arrow tables, of which one is made for a query when somebody asks for it."""

from __future__ import annotations

from array import array
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

from etalis_py.core.collection import without_collection
from etalis_py.core.column_types import ColumnType
from etalis_py.embedding.by_query import order_by_query
from etalis_py.engine.answer_columns import Answers, Receivers
from etalis_py.engine.answer_table import answer_table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["AnswerTables"]


class AnswerTables(Mapping[str, "pa.Table"]):
    """The table of each query that has answers, by its name, in the order in which queries were registered.

    The answers of SELECTs with the same variables are one table, whose parts are those of the queries: a part
    is taken out when it is asked for, so that a query costs nothing whose table nobody looks at.
    """

    def __init__(self, receivers: Receivers, rows: Sequence[int], wholes: Mapping[int, pa.Table]) -> None:
        """``rows`` says where the answers of each query begin, by its place in `Receivers.by_tables`, and
        where the last ones end; ``wholes`` are by the first place of each.
        """
        self._receivers = receivers
        self._rows = rows
        self._wholes = wholes

    @classmethod
    def of(
        cls, receivers: Receivers, parts: Sequence[Answers], types: Mapping[str, ColumnType]
    ) -> AnswerTables:
        """The tables of all answers, as `answer_table` gives them; ``receivers`` are those of all queries.

        Raises:
            UsageError: EP528, a time that does not fit 64 bits.
        """
        if len(receivers) < 2:
            tables = [answer_table(each, parts, types) for each in receivers.values() if parts]
            return cls(receivers, array("q", (0, len(tables))), dict(enumerate(tables)))
        shown = [part.shown() for part in parts]
        joined = shown[0] if len(shown) == 1 else Answers.joined(receivers, shown)
        answers = Answers(receivers, *joined.columns)
        with without_collection():
            if len(receivers.table_bounds) == 1:
                return cls(receivers, *_one_table(receivers, answers, types))
            return cls(receivers, *_some_tables(receivers, answers, types))

    @property
    def num_rows(self) -> int:
        """The rows of all tables."""
        return sum(whole.num_rows for whole in self._wholes.values())

    @cached_property
    def _places(self) -> dict[str, int]:
        """Of each query with answers its place, by its name."""
        rows, names = self._rows, self._receivers.table_names
        return {name: place for place, name in names if rows[place] < rows[place + 1]}

    def __getitem__(self, name: str) -> pa.Table:
        place, rows, bounds = self._places[name], self._rows, self._receivers.table_bounds
        first, last = bounds[bisect(bounds, place, key=itemgetter(0)) - 1]
        whole = self._wholes[first]
        if last - first == 1:
            return whole
        return whole.slice(rows[place] - rows[first], rows[place + 1] - rows[place])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"AnswerTables({', '.join(map(repr, self))})"


def _one_table(
    receivers: Receivers, answers: Answers, types: Mapping[str, ColumnType]
) -> tuple[Sequence[int], dict[int, pa.Table]]:
    """All answers, which have the same variables, and where those of each query are."""
    import pyarrow as pa

    order, rows = order_by_query(answers.numbers, receivers.by_tables)
    places = pa.Array.from_buffers(pa.int32(), len(order), [None, pa.py_buffer(order)])
    as_they_came = answer_table(next(iter(receivers.values())), [answers], types)
    return rows, {0: as_they_came.take(places)}


def _some_tables(
    receivers: Receivers, answers: Answers, types: Mapping[str, ColumnType]
) -> tuple[Sequence[int], dict[int, pa.Table]]:
    """The same, a table for each of the different variables."""
    whole, bounds = answers.put_by_query(receivers.by_tables)
    wholes = {}
    for first, last in receivers.table_bounds:
        if bounds.rows[first] < bounds.rows[last]:
            part = whole.between(bounds, first, last, receivers)
            wholes[first] = answer_table(receivers[receivers.by_tables.numbers[first]], [part], types)
    return bounds.rows, wholes
