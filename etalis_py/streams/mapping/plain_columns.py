"""Columns of CSV of any names, and values in JSON, read natively as codes, as long as the rows are plain.

Where they are not, `csv_records` and `json_records` go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final

from etalis_py.core.coded import Coded
from etalis_py.streams.json_keys import JsonKeys
from etalis_py.streams.mapping.records import Records, Wanted
from etalis_py.streams.plain_lines import PlainLines
from etalis_py.texts.words import new_words

__all__ = ["PlainColumns"]

_MARK: Final = "\1"
"""Stands before what is no text of JSON, as in ``texts.h``."""
_WORDS: Final = {"": None, "true": True, "false": False}


class PlainColumns(PlainLines):
    """The plain rows of one source: `begin` takes the next lines, each call of `next` reads some of them.

    ``columns`` are those of a CSV file, or with ``steps`` the references that these lead to within an object.
    """

    def __init__(
        self,
        columns: Sequence[str],
        wanted: Wanted,
        steps: Mapping[str, Sequence[str | int]] | None = None,
    ) -> None:
        self._times = dict(zip(wanted.times, ("start", "end"), strict=False))
        kind = "term" if steps is None else "value"
        kinds = {name: kind for name in columns if name in wanted.names} | self._times
        super().__init__(columns, kinds, lambda _: new_words(), None if steps is None else JsonKeys(steps))
        self._is_csv = steps is None

    def next(self, first: int, line: int, most: int, may_begin_with: Callable[[int], bool]) -> Records | None:
        """The next records, at most so many, numbered from ``first`` on; None if there is no plain one.

        ``line`` is the number of the first line of the text. ``may_begin_with`` is as of `PlainLines`.
        """
        line += self.lines
        rows = self._read_rows(most, may_begin_with)
        if rows is None:
            return None
        values = {name: Coded(self._values(name), each) for name, each in rows.codes.items()}
        ends = rows.ends if self._block.has_ends else rows.starts
        times = {name: rows.starts if kind == "start" else ends for name, kind in self._times.items()}
        data, begin, end = self._data, self._before[0], int(self._block.bytes)
        numbered = cache(partial(_numbered, data, begin, end, "\r" if self._is_csv else " \t\r"))
        are_all = data.count(b"\n", begin, end) == rows.number  # none of them is blank
        lines = range(line, line + rows.number) if are_all else [line + after for after, _ in numbered()]
        return Records(
            values,
            range(first, first + rows.number),
            lines,
            times=times,
            text=None if self._is_csv else lambda index: numbered()[index][1],
        )

    def _values(self, name: str) -> list[Any]:
        """The values of a column in this batch; None for a missing one."""
        words = self._words[name]
        words.keep_texts(_texts if self._is_csv else _values)
        return words.of_batch().made()


def _numbered(data: bytes, begin: int, end: int, blanks: str) -> list[tuple[int, str]]:
    """The lines of a part of a text that are not blank, counted from 0 on."""
    lines = data[begin:end].decode().split("\n")
    return [(number, line) for number, line in enumerate(lines) if line.strip(blanks)]


def _texts(texts: list[str]) -> list[str | None]:
    return [text or None for text in texts]


def _values(texts: list[str]) -> list[Any]:
    return [_value(text[1:]) if text.startswith(_MARK) else text for text in texts]


def _value(text: str) -> Any:
    """A value of JSON that is no text, as Python's reader has it."""
    if text in _WORDS:
        return _WORDS[text]
    return int(text) if text.lstrip("-").isdigit() else float(text)
