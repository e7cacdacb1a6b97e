"""Rows of CSV and NDJSON as most files have them, read natively into columns of codes.

Reading stops before the first row that is not plain (``texts/rows.c``), and the reader in Python goes on
there. So it is that reader which knows what is wrong.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from etalis_py.core.coded import Coded
from etalis_py.core.terms import Encoded
from etalis_py.streams.batch import Batch
from etalis_py.streams.columns import NAMES, RowReader
from etalis_py.texts.library import Block, Column, text_library
from etalis_py.texts.words import Words

__all__ = ["PlainRows"]

_LEAST: Final = 4
"""No row has fewer bytes, with three commas and a line end."""
_TERMS: Final = frozenset({"s", "p", "o", *NAMES})


class PlainRows:
    """The plain rows of one source: `begin` takes the next lines, each call of `next` reads some of them.

    ``columns`` are the names of the columns in the order of a CSV file; in NDJSON those of `COLUMNS`.
    """

    def __init__(self, reader: RowReader, columns: Sequence[str], *, is_csv: bool) -> None:
        self._reader = reader
        self._names = columns
        self._is_csv = is_csv
        self._library = text_library()
        self._words: dict[str, Words] = {}
        self._data, self._told = b"", 0
        self._block = Block()

    def begin(self, text: str) -> None:
        """Read these lines next."""
        self._data, self._told = text.encode(), 0
        self._block = Block(scale=self._reader.scale)

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

    def next(self, first: int, most: int) -> Batch | None:
        """The next rows, at most so many, numbered from ``first`` on; None if there is no plain one."""
        block, library = self._block, self._library
        if library is None or block.bytes >= len(self._data):
            return None
        before = block.bytes, block.lines
        most = min(most, (len(self._data) - block.bytes) // _LEAST + 1)
        starts, ends = (array("q", bytes(8 * most)) for _ in range(2))
        codes = {name: array("i", bytes(4 * most)) for name in self._names if name in _TERMS}
        block.rows, block.has_ends = 0, 0
        block.starts, block.ends = starts.buffer_info()[0], ends.buffer_info()[0]
        columns = (Column * len(self._names))(*(self._column(name, codes) for name in self._names))
        data = self._data
        if not library.read_rows(data, len(data), self._is_csv, len(columns), columns, most, block):
            raise MemoryError
        try:
            batch = self._batch(first, starts, ends, codes)
        except (ValueError, TypeError):
            for words in self._words.values():
                words.forget()
            batch = None
        if batch is None:
            block.bytes, block.lines = before
        return batch

    def _column(self, name: str, codes: dict[str, array[int]]) -> Column:
        if name not in codes:
            kind = name if name in Column.KINDS else "unused"
            return Column(Column.KINDS.index(kind))
        words = self._words.get(name)
        if words is None:
            assert self._library is not None
            words = self._words[name] = Words(self._library)
        words.forget_many()
        words.begin_batch()
        return Column(Column.KINDS.index("term"), words.address, codes[name].buffer_info()[0])

    def _batch(
        self, first: int, starts: array[int], ends: array[int], codes: dict[str, array[int]]
    ) -> Batch | None:
        rows = int(self._block.rows)
        if not rows or (self._block.has_numbers and not self._reader.is_sure_of_unit):
            return None
        columns = {name: Coded(self._terms(name), each[:rows]) for name, each in codes.items()}
        ends = ends[:rows]
        return self._reader.batch_of(
            starts[:rows] if self._block.has_ends else ends,
            ends,
            columns,
            range(first, first + rows),
        )

    def _terms(self, name: str) -> list[Any]:
        """The terms of a column in this batch; of a name that is missing None."""
        words = self._words[name]
        words.read_new(partial(self._read, name))
        return words.of_batch()

    def _read(self, name: str, texts: list[str]) -> Sequence[Encoded | None]:
        if name not in NAMES:
            return self._reader.read_terms(name, texts)
        given = iter(self._reader.read_terms(name, [text for text in texts if text]))
        return [next(given) if text else None for text in texts]
