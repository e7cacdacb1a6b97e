"""Answers query by query, by native code (``rules/native/by_query.c``)."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from typing import Final, NamedTuple

from etalis_py.embedding.native import unlocked_library
from etalis_py.embedding.native_columns import Columns, EmptyColumns, NativeColumns, pointer

__all__ = ["Bounds", "QueryOrder", "different_queries", "order_by_query", "put_by_query"]

_FEW: Final = 100
"""To go through so many numbers takes less time than a call."""


class Bounds(NamedTuple):
    """Where the answers of each query begin, and their values, by its place in an order; at the end, where
    those of the last one end.
    """

    rows: Sequence[int]
    values: Sequence[int]


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


def put_by_query(columns: Columns, order: QueryOrder) -> tuple[Columns, Bounds]:
    """The answers of each query behind one another, in this order of the queries, and where they are. The
    answers of one keep their order.
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
    cells = columns.values.with_cells(bytes(put.kinds), put.data)
    return Columns(put.numbers, put.starts, put.ends, cells), Bounds(rows[:-1], values[:-1])


def order_by_query(numbers: Sequence[int], order: QueryOrder) -> tuple[array[int], Sequence[int]]:
    """The places of answers in this order of the queries; of each answer ``numbers`` has its query. And where
    in that order those of each query begin, and where the last ones end.
    """
    count, answers = len(order.numbers), array("i", numbers)
    rows, found = array("q", bytes(8 * (count + 2))), array("i", answers)
    is_done = unlocked_library().order_by_query(
        pointer(answers),
        ctypes.c_int64(len(answers)),
        pointer(order.places),
        ctypes.c_int64(len(order.places)),
        ctypes.c_int64(count),
        pointer(rows),
        pointer(found),
    )
    assert is_done, "all answers are of these queries"
    return found, rows[:-1]


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
