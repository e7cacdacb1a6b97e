"""Answers of several engines as those of one, by native code (``rules/native/merge.c``).

The columns are those of `answers_taken`: query numbers, starts, ends and `Cells`. Python's lock is given back
while native code works.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any, Final

from etalis_py.embedding.cells import Cells, places_before
from etalis_py.embedding.native import unlocked_library
from etalis_py.embedding.native_columns import Columns, EmptyColumns, address, pointer

__all__ = ["LEFT_OUT", "MOST_PARTS", "Names", "merge", "merged_order"]

LEFT_OUT: Final = 0x80
"""Added to the number of a part: its answer is not given."""
MOST_PARTS: Final = 64
_KINDS: Final = 8
_MOST_NAMES: Final = 100_000
_MOST_KNOWN: Final = 64
_FEW: Final = 8
"""Names that are looked up each time."""


class _Part(ctypes.Structure):
    _fields_ = (
        ("rows", ctypes.c_int64),
        ("queries", ctypes.c_void_p),
        ("starts", ctypes.c_void_p),
        ("ends", ctypes.c_void_p),
        ("kinds", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("names", ctypes.c_void_p),
        ("before", ctypes.c_int64 * _KINDS),
    )


class Names:
    """One table of names in the place of those of several parts; it begins anew when it has grown large."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._places: dict[str, int] = {}
        self._known: list[tuple[Sequence[str], array[int]]] = []

    def make_room(self) -> None:
        """Begin a new table, if this one is large; what has the old one keeps it."""
        if len(self.texts) > _MOST_NAMES:
            self.texts, self._places, self._known = [], {}, []

    def places(self, names: Sequence[str]) -> array[int]:
        """Where each name of a part stands here; a table that was here before may have grown."""
        found = [places for known, places in self._known if known is names]
        places = found[0] if found else array("q")
        if not found and len(names) >= _FEW:
            self._known = [*self._known[1 - _MOST_KNOWN :], (names, places)]
        for name in names[len(places) :]:
            place = self._places.setdefault(name, len(self.texts))
            if place == len(self.texts):
                self.texts.append(name)
            places.append(place)
        return places


def merged_order(parts: Sequence[Columns]) -> tuple[bytearray, list[tuple[int, int]]]:
    """From which part each answer of the whole is; and where answers of several parts have one interval and
    one query, so that their terms decide: from a place up to another.
    """
    rows = sum(len(part.numbers) for part in parts)
    order, ties = bytearray(rows), array("q", bytes(8 * (rows + 2)))
    described = _described(parts, [array("q")] * len(parts))
    count = unlocked_library().merge_order(described, len(parts), pointer(order), pointer(ties))
    return order, list(zip(ties[: 2 * count : 2], ties[1 : 2 * count : 2], strict=True))


def merge(parts: Sequence[Columns], order: bytearray, widths: Mapping[int, int], names: Names) -> Columns:
    """The answers of all parts in this order; ``widths`` is how many values those of each query have."""
    names.make_room()
    places = [names.places(part.values.names) for part in parts]
    by_query = array("i", bytes(4 * (max(widths) + 1)))
    for number, width in widths.items():
        by_query[number] = width
    rows, cells = len(order), sum(len(part.values) for part in parts)
    put = EmptyColumns(rows, cells)
    described = _described(parts, places)
    count = unlocked_library().merge_answers(
        described, pointer(order), ctypes.c_int64(rows), pointer(by_query), ctypes.byref(put.native)
    )
    if count < rows:
        del put.numbers[count:], put.starts[count:], put.ends[count:]
        cells = sum(map(by_query.__getitem__, put.numbers))
        del put.kinds[cells:], put.data[cells:]
    values = Cells.over(bytes(put.kinds), put.data, names.texts, [part.values for part in parts])
    return Columns(put.numbers, put.starts, put.ends, values)


def _described(parts: Sequence[Columns], places: Sequence[array[int]]) -> Any:
    """The parts as native code sees them; they and ``places`` are to be kept meanwhile."""
    before = places_before(part.values for part in parts)
    return (_Part * len(parts))(
        *(
            _Part(
                len(part.numbers),
                *map(address, (part.numbers, part.starts, part.ends)),
                address(part.values.kinds),
                address(part.values.data),
                address(own),
                (ctypes.c_int64 * _KINDS)(*map(shifts.get, range(_KINDS), repeat(0))),
            )
            for part, own, shifts in zip(parts, places, before, strict=True)
        )
    )
