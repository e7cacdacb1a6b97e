"""Lines that are as plain as most, read natively into columns of codes (``texts/rows.c``).

Reading stops before the first row that is not plain. A reader in Python goes on there.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from etalis_py.streams.json_keys import JsonKeys
from etalis_py.texts.library import Block, Column, text_library
from etalis_py.texts.words import Words

__all__ = ["PlainLines", "RowsRead"]

_LEAST: Final = 2
"""Bytes of the shortest row, with its line end."""


class RowsRead(NamedTuple):
    """Rows of one call: the times of each, and the codes of the texts in each column of texts."""

    number: int
    starts: array[int]
    ends: array[int]
    codes: dict[str, array[int]]


class PlainLines:
    """The plain rows of one source.

    ``names`` are the columns in their order, ``kinds`` those of them that are read, by `Column.KINDS`.
    ``words`` has the table of each column of texts. ``keys`` lead to the columns in objects of JSON; without
    any the lines are CSV.
    """

    def __init__(
        self,
        names: Sequence[str],
        kinds: Mapping[str, str],
        words: Callable[[str], Words | None],
        keys: JsonKeys | None = None,
    ) -> None:
        self._names = names
        self._kinds = kinds
        self._keys = keys
        self._library = text_library()
        tables = {name: words(name) for name, kind in kinds.items() if kind not in ("start", "end")}
        self._words = {name: table for name, table in tables.items() if table is not None}
        self._data = b""
        self._told = 0
        self._block = Block()
        self._before = (0, 0)

    def begin(self, text: str, scale: int) -> None:
        """Read these lines next; the unit of numeric times has ``scale`` microseconds."""
        self._data = text.encode()
        self._told = 0
        self._block = Block(scale=scale)

    @property
    def lines(self) -> int:
        """How many of them were read, blank ones included."""
        return int(self._block.lines)

    def text_read(self) -> str:
        """Those that were read since this was asked last."""
        first, self._told = self._told, int(self._block.bytes)
        return self._data[first : self._told].decode()

    def text_left(self) -> str:
        """Those that were not read."""
        return self._data[self._block.bytes :].decode()

    def _read_rows(self, most: int, may_begin_with: Callable[[int], bool]) -> RowsRead | None:
        """The next rows, at most so many; None if there is no plain one.

        ``may_begin_with`` is asked of the first times, where there are numbers: are they in their unit?

        Raises:
            MemoryError: there is no room for them.
        """
        block, library = self._block, self._library
        if library is None or block.bytes >= len(self._data):
            return None
        self._before = int(block.bytes), int(block.lines)
        most = min(most, (len(self._data) - block.bytes) // _LEAST + 1)
        starts, ends = (array("q", bytes(8 * most)) for _ in range(2))
        codes = {name: array("i", bytes(4 * most)) for name in self._words}
        block.rows, block.has_ends, block.has_numbers = 0, 0, 0
        block.starts, block.ends = starts.buffer_info()[0], ends.buffer_info()[0]
        columns = (Column * len(self._names))(*(self._column(name, codes) for name in self._names))
        keys: tuple[Any, int] = (None, 0) if self._keys is None else (self._keys.table, len(self._keys.table))
        data = self._data
        if not library.read_rows(data, len(data), *keys, len(columns), columns, most, block):
            raise MemoryError
        number = int(block.rows)
        firsts = {starts[0] // block.scale, ends[0] // block.scale} if block.has_numbers else ()
        if not number or not all(map(may_begin_with, firsts)):
            self.take_back()
            return None
        codes = {name: each[:number] for name, each in codes.items()}
        return RowsRead(number, starts[:number], ends[:number], codes)

    def _column(self, name: str, codes: dict[str, array[int]]) -> Column:
        kind = Column.KINDS.index(self._kinds.get(name, "unused"))
        if name not in codes:
            return Column(kind)
        words = self._words[name]
        words.forget_many()
        words.begin_batch()
        return Column(kind, words.address, codes[name].buffer_info()[0])

    def take_back(self) -> None:
        """Leave what was read last to the reader in Python."""
        self._block.bytes, self._block.lines = self._before
        for words in self._words.values():
            words.forget()
