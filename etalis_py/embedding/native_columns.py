"""Answers in columns that native code reads and writes (``rules/native/answer_columns.h``)."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from etalis_py.embedding.cells import Cells

__all__ = ["Columns", "EmptyColumns", "NativeColumns", "address", "pointer"]


class Columns(NamedTuple):
    """Those of `answers_taken`: query numbers, starts, ends and values."""

    numbers: array[int]
    starts: array[int]
    ends: array[int]
    values: Cells

    @classmethod
    def of(
        cls, numbers: Sequence[int], starts: Sequence[int], ends: Sequence[int], values: Sequence[Any]
    ) -> Columns:
        """The same, whatever they were in.

        Raises:
            OverflowError: a time is beyond 64 bits.
        """
        return cls(_array("i", numbers), _array("q", starts), _array("q", ends), Cells.of(values))


class NativeColumns(ctypes.Structure):
    """Where columns are; they are to be kept meanwhile."""

    _fields_ = (
        ("queries", ctypes.c_void_p),
        ("starts", ctypes.c_void_p),
        ("ends", ctypes.c_void_p),
        ("kinds", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
    )

    @classmethod
    def of(cls, columns: Columns) -> NativeColumns:
        """Where these are."""
        *times, values = columns
        return cls(*map(address, times), address(values.kinds), address(values.data))


class EmptyColumns:
    """Room for so many answers with so many values, for native code to write."""

    def __init__(self, rows: int, values: int) -> None:
        self.numbers = array("i", bytes(4 * rows))
        self.starts = array("q", bytes(8 * rows))
        self.ends = array("q", bytes(8 * rows))
        self.kinds = bytearray(values)
        self.data = array("q", bytes(8 * values))

    @property
    def native(self) -> NativeColumns:
        """Where they are."""
        times = map(address, (self.numbers, self.starts, self.ends))
        return NativeColumns(*times, address(self.kinds), address(self.data))


def pointer(column: array[int] | bytearray) -> ctypes.c_void_p:
    """For native code."""
    return ctypes.c_void_p(address(column))


def address(column: array[int] | bytearray | bytes) -> int:
    """Where a column is; native code does not write to bytes."""
    if isinstance(column, bytes):
        return ctypes.cast(ctypes.c_char_p(column), ctypes.c_void_p).value or 0
    if isinstance(column, bytearray):
        return ctypes.addressof((ctypes.c_char * len(column)).from_buffer(column)) if column else 0
    return column.buffer_info()[0]


def _array(form: Any, column: Sequence[int]) -> array[int]:
    return column if isinstance(column, array) and column.typecode == form else array(form, column)
