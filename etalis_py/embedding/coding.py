"""Values of answers as the indices of an Arrow dictionary, by native code (``rules/native/coding.c``)."""

from __future__ import annotations

import ctypes
from array import array
from typing import TYPE_CHECKING, Final

from etalis_py.embedding.cells import QUOTIENT, Cells
from etalis_py.embedding.names import NameTable
from etalis_py.embedding.native import unlocked_library
from etalis_py.embedding.native_columns import address

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["different_cells", "different_decimals", "quoted_iris"]

_MOST_BYTES: Final = (1 << 31) - 1
"""Of the texts of an Arrow array."""
_LONGEST: Final = 128
"""No decimal is longer: EXACT_TEXT of ``rules/native/native.h``."""
_LONGEST_QUOTIENT: Final = 40
"""No quotient: QUOTIENT_TEXT."""


def different_cells(cells: Cells, place: int, width: int) -> tuple[pa.Array, Cells]:
    """Of every ``width``-th cell, from ``place`` on, its number among the different ones, null if it is
    unbound; and the different ones, in the order in which they come first.

    Two cells may be different and their terms equal: those of `OTHER` and of `DECIMAL` have a place each, and
    quotients are not in lowest terms.

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


def different_decimals(cells: Cells, behind: str) -> pa.DictionaryArray:
    """The texts of decimals, each in quotes with the same text ``behind`` it.

    Raises:
        MemoryError: there is not enough for it, or the texts are too long for an Arrow array.
    """
    import pyarrow as pa

    rows, end = len(cells), behind.encode()
    ends, texts = (cells.decimals.ends, cells.decimals.texts) if cells.decimals else (array("i", [0]), b"")
    quotients = cells.kinds.count(QUOTIENT)
    own = min((rows - quotients) * _LONGEST, len(texts)) + quotients * _LONGEST_QUOTIENT
    most = rows * (len(end) + 2) + own
    if most > _MOST_BYTES:
        raise MemoryError
    numbers, bounds = pa.allocate_buffer(4 * rows), pa.allocate_buffer(4 * rows + 4)
    written = pa.allocate_buffer(most)
    count = unlocked_library().number_decimals(
        *(address(cells.kinds), address(cells.data), rows, address(ends), address(texts), end, len(end)),
        *(numbers.address, bounds.address, written.address),
    )
    if count < 0:
        raise MemoryError
    found = pa.Array.from_buffers(pa.int32(), rows, [None, numbers])
    return pa.DictionaryArray.from_arrays(found, pa.StringArray.from_buffers(count, bounds, written))


def quoted_iris(names: NameTable, places: array[int]) -> pa.StringArray | None:
    """The names at these places as IRIs in N-Triples syntax; None where one is a blank node or has a
    character that is to be escaped, or where they are too long for an Arrow array.
    """
    import pyarrow as pa

    library, rows, (ends, texts) = unlocked_library(), len(places), names.utf8()
    size = library.iris_size(address(places), rows, address(ends))
    if not rows or size > _MOST_BYTES:
        return None
    bounds, written = pa.allocate_buffer(4 * rows + 4), pa.allocate_buffer(size)
    about = address(places), rows, address(ends), address(texts), bounds.address, written.address
    return pa.StringArray.from_buffers(rows, bounds, written) if library.write_iris(*about) else None
