"""Values of answers as the indices of an Arrow dictionary, by native code (``rules/native/coding.c``)."""

from __future__ import annotations

import ctypes
from array import array
from typing import TYPE_CHECKING

from etalis_py.embedding.cells import Cells
from etalis_py.embedding.native import unlocked_library
from etalis_py.embedding.native_columns import address

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["different_cells"]


def different_cells(cells: Cells, place: int, width: int) -> tuple[pa.Array, Cells]:
    """Of every ``width``-th cell, from ``place`` on, its number among the different ones, null if it is
    unbound; and the different ones, in the order in which they come first.

    Two cells may be different and their terms equal: those of `OTHER` and of `DECIMAL` have a place each.

    Raises:
        MemoryError: there is not enough for it.
    """
    import pyarrow as pa

    rows = len(range(place, len(cells), width))
    numbers, is_bound = pa.allocate_buffer(4 * rows), pa.allocate_buffer((rows + 7) // 8)
    kinds, values = pa.allocate_buffer(rows), pa.allocate_buffer(8 * rows)
    ctypes.memset(is_bound.address, 0xFF, is_bound.size)
    unbound = ctypes.c_int64()
    count = unlocked_library().number_values(
        *(address(cells.kinds) + place, address(cells.data) + 8 * place, width, rows),
        *(numbers.address, is_bound.address, kinds.address, values.address, ctypes.byref(unbound)),
    )
    if count < 0:
        raise MemoryError
    nulls = unbound.value
    found = pa.Array.from_buffers(pa.int32(), rows, [is_bound if nulls else None, numbers], nulls)
    data = array("q", values.slice(0, 8 * count).to_pybytes())
    return found, cells.with_cells(kinds.slice(0, count).to_pybytes(), data)
