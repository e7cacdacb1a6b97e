"""Rows of CSV and NDJSON as most files have them, read natively into columns of codes.

Where they are not, the reader in Python goes on. So it is that reader which knows what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Final

from etalis_py.core.coded import Coded
from etalis_py.core.terms import Encoded
from etalis_py.streams.batch import Batch
from etalis_py.streams.columns import RowReader
from etalis_py.streams.json_keys import JsonKeys
from etalis_py.streams.plain_lines import PlainLines, RowsRead
from etalis_py.streams.term_texts import NAMES
from etalis_py.texts.words import BatchWords

__all__ = ["PlainRows"]

_KINDS: Final = {"s": "term", "p": "term", "o": "term", "start": "start", "end": "end"}


class PlainRows(PlainLines):
    """The plain rows of one source: `begin` takes the next lines, each call of `next` reads some of them.

    ``columns`` are the names of the columns in the order of a CSV file; in NDJSON they are keys.
    """

    def __init__(self, reader: RowReader, columns: Sequence[str], *, is_csv: bool) -> None:
        kinds = _KINDS | dict.fromkeys(NAMES, "name")
        known = {name: kinds[name] for name in columns if name in kinds}
        keys = None if is_csv else _keys(tuple(columns))
        super().__init__(columns, known, reader.texts.words, keys)
        self._reader = reader

    def next(self, first: int, most: int) -> Batch | None:
        """The next rows, at most so many, numbered from ``first`` on; None if there is no plain one."""
        rows = self._read_rows(most, self._reader.may_begin_with)
        if rows is None:
            return None
        try:
            return self._batch(first, rows)
        except (ValueError, TypeError):
            self.take_back()
            return None

    def _batch(self, first: int, rows: RowsRead) -> Batch:
        columns = {name: Coded(self._terms(name), each) for name, each in rows.codes.items()}
        starts = rows.starts if self._block.has_ends else rows.ends
        return self._reader.batch_of(starts, rows.ends, columns, range(first, first + rows.number))

    def _terms(self, name: str) -> BatchWords:
        """The terms of a column in this batch; of a name that is missing None."""
        words = self._words[name]
        words.read_new(partial(self._read, name), literals=name == "o")
        return words.of_batch()

    def _read(self, name: str, texts: list[str]) -> Sequence[Encoded | None]:
        if name not in NAMES:
            return self._reader.texts.read(name, texts)
        given = iter(self._reader.texts.read(name, [text for text in texts if text]))
        return [next(given) if text else None for text in texts]


@cache
def _keys(names: tuple[str, ...]) -> JsonKeys:
    return JsonKeys({name: [name] for name in names})
