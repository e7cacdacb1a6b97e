"""Answers query by query, by native code (``rules/native/by_query.c``)."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from typing import Final, NamedTuple

from etalis_py.embedding.native import unlocked_library
from etalis_py.embedding.native_columns import Columns, EmptyColumns, NativeColumns, pointer

__all__ = ["QueryOrder", "Run", "different_queries", "put_by_query"]

_FEW: Final = 100
"""To go through so many numbers takes less time than a call."""


class Run(NamedTuple):
    """The answers of one query, and their values: from a place up to another."""

    number: int
    first: int
    last: int
    first_value: int
    last_value: int


class QueryOrder:
    """An order of queries: of each its number, and how many values an answer of it has."""

    __slots__ = ("numbers", "places", "widths")

    def __init__(self, queries: Sequence[tuple[int, int]]) -> None:
        self.numbers = [number for number, _ in queries]
        self.widths = array("i", [width for _, width in queries])
        self.places = array("i", [-1]) * (max(self.numbers, default=-1) + 1)
        """By the numbers of queries."""
        for place, number in enumerate(self.numbers):
            self.places[number] = place


def put_by_query(columns: Columns, order: QueryOrder) -> tuple[Columns, list[Run]]:
    """The answers of each query behind one another, in this order of the queries, and where those of each are
    that has some. The answers of one keep their order.
    """
    count = len(order.numbers)
    rows, values = array("q", bytes(8 * (count + 2))), array("q", bytes(8 * (count + 2)))
    put = EmptyColumns(len(columns.numbers), len(columns.values))
    is_done = unlocked_library().put_by_query(
        ctypes.byref(NativeColumns.of(columns)),
        ctypes.c_int64(len(columns.numbers)),
        ctypes.c_int64(len(columns.values)),
        pointer(order.places),
        ctypes.c_int64(len(order.places)),
        pointer(order.widths),
        ctypes.c_int64(count),
        pointer(rows),
        pointer(values),
        ctypes.byref(put.native),
    )
    assert is_done, "all answers are of these queries"
    bounds = zip(order.numbers, rows, rows[1:-1], values, values[1:-1], strict=False)
    runs = [Run._make(each) for each in bounds if each[1] < each[2]]
    cells = columns.values.with_cells(bytes(put.kinds), put.data)
    return Columns(put.numbers, put.starts, put.ends, cells), runs


def different_queries(numbers: array[int]) -> set[int]:
    """The different ones of the numbers of queries, a column of answers."""
    if len(numbers) <= _FEW:
        return set(numbers)
    found = array("i", bytes(4 * len(numbers)))
    count = unlocked_library().different_queries(
        pointer(numbers), ctypes.c_int64(len(numbers)), pointer(found)
    )
    if count < 0:
        raise MemoryError
    return set(found[:count])
