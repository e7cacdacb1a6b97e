"""Columns of CSV of any names, read natively as codes of their texts, as long as the rows are plain.

Reading stops before the first row that is not plain (``texts/rows.c``); `csv_records` goes on there.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Final

from etalis_py.core.coded import Coded
from etalis_py.streams.mapping.records import Records, Wanted
from etalis_py.texts.library import Block, Column, text_library
from etalis_py.texts.words import Words

__all__ = ["PlainColumns"]

_LEAST: Final = 2
"""No row has fewer bytes, with its line end."""


class PlainColumns:
    """The plain rows of one source: `begin` takes the next lines, each call of `next` reads some of them.

    ``header`` are all columns of the file; the unit of numeric times has ``scale`` microseconds.
    """

    def __init__(self, header: Sequence[str], wanted: Wanted, scale: int) -> None:
        self._header = header
        self._library = text_library()
        self._kinds = dict(zip(wanted.times, ("start", "end"), strict=False))
        self._words = {
            name: Words(self._library)
            for name in header
            if self._library is not None and name in wanted.names and name not in self._kinds
        }
        self._scale = scale
        self._data = b""
        self._block = Block()

    def begin(self, text: str) -> None:
        """Read these lines next."""
        self._data = text.encode()
        self._block = Block(scale=self._scale)

    @property
    def lines(self) -> int:
        """How many of them were read, blank ones included."""
        return int(self._block.lines)

    def text_left(self) -> str:
        """Those that were not read."""
        return self._data[self._block.bytes :].decode()

    def next(self, first: int, line: int, most: int, *, numbers: bool) -> Records | None:
        """The next records, at most so many, numbered from ``first`` on; None if there is no plain one.

        ``line`` is the number of the first line of the text. ``numbers``: whether times may be numbers, since
        their unit is known.
        """
        block, library = self._block, self._library
        if library is None or block.bytes >= len(self._data):
            return None
        before = block.bytes, block.lines
        most = min(most, (len(self._data) - block.bytes) // _LEAST + 1)
        starts, ends = (array("q", bytes(8 * most)) for _ in range(2))
        codes = {name: array("i", bytes(4 * most)) for name in self._words}
        block.rows, block.has_ends, block.has_numbers = 0, 0, 0
        block.starts, block.ends = starts.buffer_info()[0], ends.buffer_info()[0]
        columns = (Column * len(self._header))(*(self._column(name, codes) for name in self._header))
        if not library.read_rows(self._data, len(self._data), True, len(columns), columns, most, block):
            raise MemoryError
        count = int(block.rows)
        if not count or (block.has_numbers and not numbers):
            block.bytes, block.lines = before
            for words in self._words.values():
                words.forget()
            return None
        values = {name: Coded(self._texts(name), each[:count]) for name, each in codes.items()}
        times = {name: (starts if kind == "start" else ends)[:count] for name, kind in self._kinds.items()}
        are_all = block.lines - before[1] == count  # none of them is blank
        lines = range(line + before[1], line + block.lines) if are_all else None
        return Records(values, range(first, first + count), lines, times=times)

    def _column(self, name: str, codes: dict[str, array[int]]) -> Column:
        if name in self._kinds:
            return Column(Column.KINDS.index(self._kinds[name]))
        if name not in codes:
            return Column(Column.KINDS.index("unused"))
        words = self._words[name]
        words.forget_many()
        words.begin_batch()
        return Column(Column.KINDS.index("term"), words.address, codes[name].buffer_info()[0])

    def _texts(self, name: str) -> list[Any]:
        """The texts of a column in this batch; None for an empty one."""
        words = self._words[name]
        words.keep_texts()
        return [text or None for text in words.of_batch()]
