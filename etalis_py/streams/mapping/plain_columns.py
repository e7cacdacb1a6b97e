"""Columns of CSV of any names, read natively as codes of their texts, as long as the rows are plain.

Where they are not, `csv_records` goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from etalis_py.core.coded import Coded
from etalis_py.streams.mapping.records import Records, Wanted
from etalis_py.streams.plain_lines import PlainLines

__all__ = ["PlainColumns"]

_LEAST: Final = 2


class PlainColumns(PlainLines):
    """The plain rows of one source: `begin` takes the next lines, each call of `next` reads some of them.

    ``header`` are all columns of the file; the unit of numeric times has ``scale`` microseconds.
    """

    def __init__(self, header: Sequence[str], wanted: Wanted, scale: int) -> None:
        self._times = dict(zip(wanted.times, ("start", "end"), strict=False))
        terms = {name: "term" for name in header if name in wanted.names}
        super().__init__(header, terms | self._times, _LEAST, is_csv=True)
        self._scale = scale

    def begin(self, text: str) -> None:
        """Read these lines next."""
        self._begin(text, self._scale)

    def next(self, first: int, line: int, most: int, *, numbers: bool) -> Records | None:
        """The next records, at most so many, numbered from ``first`` on; None if there is no plain one.

        ``line`` is the number of the first line of the text. ``numbers``: whether times may be numbers, since
        their unit is known.
        """
        before = self.lines
        rows = self._read_rows(most)
        if rows is None:
            return None
        if self._block.has_numbers and not numbers:
            self._take_back()
            return None
        values = {name: Coded(self._texts(name), each) for name, each in rows.codes.items()}
        times = {name: rows.starts if kind == "start" else rows.ends for name, kind in self._times.items()}
        are_all = self.lines - before == rows.number  # none of them is blank
        lines = range(line + before, line + self.lines) if are_all else None
        return Records(values, range(first, first + rows.number), lines, times=times)

    def _texts(self, name: str) -> list[Any]:
        """The texts of a column in this batch; None for an empty one."""
        words = self._words[name]
        words.keep_texts()
        return [text or None for text in words.of_batch()]
