"""Rows of CSV and NDJSON as most files have them, read natively into columns of codes.

Where they are not, the reader in Python goes on. So it is that reader which knows what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from etalis_py.core.coded import Coded
from etalis_py.core.terms import Encoded
from etalis_py.streams.batch import Batch
from etalis_py.streams.columns import NAMES, RowReader
from etalis_py.streams.plain_lines import PlainLines, RowsRead
from etalis_py.texts.library import Column

__all__ = ["PlainRows"]

_LEAST: Final = 4
"""Three commas and a line end."""
_TERMS: Final = frozenset({"s", "p", "o", *NAMES})


class PlainRows(PlainLines):
    """The plain rows of one source: `begin` takes the next lines, each call of `next` reads some of them.

    ``columns`` are the names of the columns in the order of a CSV file; in NDJSON those of `COLUMNS`.
    """

    def __init__(self, reader: RowReader, columns: Sequence[str], *, is_csv: bool) -> None:
        kinds = {name: "term" if name in _TERMS else name for name in columns}
        known = {name: kind for name, kind in kinds.items() if kind in Column.KINDS}
        super().__init__(columns, known, _LEAST, is_csv=is_csv)
        self._reader = reader
        self._told = 0

    def begin(self, text: str) -> None:
        """Read these lines next."""
        self._begin(text, self._reader.scale)
        self._told = 0

    def text_read(self) -> str:
        """Those that were read since this was asked last."""
        first, self._told = self._told, int(self._block.bytes)
        return self._data[first : self._told].decode()

    def next(self, first: int, most: int) -> Batch | None:
        """The next rows, at most so many, numbered from ``first`` on; None if there is no plain one."""
        rows = self._read_rows(most)
        if rows is None:
            return None
        try:
            batch = self._batch(first, rows)
        except (ValueError, TypeError):
            batch = None
        if batch is None:
            self._take_back()
        return batch

    def _batch(self, first: int, rows: RowsRead) -> Batch | None:
        if self._block.has_numbers and not self._reader.is_sure_of_unit:
            return None
        columns = {name: Coded(self._terms(name), each) for name, each in rows.codes.items()}
        starts = rows.starts if self._block.has_ends else rows.ends
        return self._reader.batch_of(starts, rows.ends, columns, range(first, first + rows.number))

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
