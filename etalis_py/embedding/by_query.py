"""Answers query by query, by native code (``rules/native/by_query.c``)."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from etalis_py.embedding.native import unlocked_library
from etalis_py.embedding.native_columns import Columns, EmptyColumns, NativeColumns, pointer

__all__ = ["Run", "put_by_query"]


class Run(NamedTuple):
    """The answers of one query, and their values: from a place up to another."""

    number: int
    first: int
    last: int
    first_value: int
    last_value: int


def put_by_query(columns: Columns, queries: Sequence[tuple[int, int]]) -> tuple[Columns, list[Run]]:
    """The answers of each query behind one another, in this order of the ``queries``, and where those of each
    are that has some.

    A query is its number and how many values an answer of it has. The answers of one keep their order.
    """
    count = len(queries)
    places = array("i", bytes(4 * (max(number for number, _ in queries) + 1)))
    for place, (number, _) in enumerate(queries):
        places[number] = place
    widths = array("i", [width for _, width in queries])
    rows, values = array("q", bytes(8 * (count + 2))), array("q", bytes(8 * (count + 2)))
    put = EmptyColumns(len(columns.numbers), len(columns.values))
    unlocked_library().put_by_query(
        ctypes.byref(NativeColumns.of(columns)),
        ctypes.c_int64(len(columns.numbers)),
        pointer(places),
        pointer(widths),
        ctypes.c_int64(count),
        pointer(rows),
        pointer(values),
        ctypes.byref(put.native),
    )
    bounds = zip(queries, pairwise(rows[:-1]), pairwise(values[:-1]), strict=True)
    runs = [Run(number, *own, *own_values) for (number, _), own, own_values in bounds if own[0] < own[1]]
    cells = columns.values.with_cells(bytes(put.kinds), put.data)
    return Columns(put.numbers, put.starts, put.ends, cells), runs
