"""Records of CSV with a header line of any names; separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any, Final

from etalis_py.core.errors import DataError, Place
from etalis_py.core.times import SCALES
from etalis_py.streams.csv_reader import CsvFeed, broken_csv, row_text, wrong_width
from etalis_py.streams.lines import read_text
from etalis_py.streams.mapping.plain_columns import PlainColumns
from etalis_py.streams.mapping.records import Records, Wanted, coded_by_value, no_column, unit_check
from etalis_py.streams.problems import empty
from etalis_py.streams.source import Source

__all__ = ["records", "separator_of"]

_SEPARATORS: Final = (",", ";", "\t", "|")


def records(source: Source, wanted: Wanted) -> Iterator[Records]:
    """As `RecordReader.records`; all values are texts, an empty one is missing.

    Raises:
        DataError: EP401, EP402, EP403, EP405, EP435.
    """
    csv.field_size_limit((1 << 31) - 1)
    feed = CsvFeed(read_text(source.name, source.opened, source.on_read), None)
    first = feed.more()
    if first is None:
        raise empty(source.name)
    feed.give(first)
    separator = separator_of(first)
    parsed = csv.reader(feed, strict=True, delimiter=separator)
    try:
        header = [name.strip() for name in next(parsed)]
    except csv.Error as error:
        raise broken_csv(source.name, 1, None, feed, error) from error
    for name in wanted.names:
        if name not in header:
            raise no_column(source.name, name, header)
        if header.count(name) > 1:
            hint = "rename one of the two"
            raise DataError(
                "EP404", f"the column {name!r} appears twice", place=Place(source.name, 1), hint=hint
            )
    yield from _Body(source, feed, parsed, header, wanted, is_plain=separator == ",").records()


def separator_of(text: str) -> str:
    """What separates the columns of a header line."""
    return max(_SEPARATORS, key=text.partition("\n")[0].count)


class _Body:
    """What follows the header: rows that are plain, else rows that the csv module finds."""

    def __init__(
        self,
        source: Source,
        feed: CsvFeed,
        parsed: Any,
        header: list[str],
        wanted: Wanted,
        *,
        is_plain: bool,
    ) -> None:
        self._source = source
        self._feed = feed
        self._parsed = parsed
        self._header = header
        self._places = {name: header.index(name) for name in wanted.names}
        self._plain = PlainColumns(header, wanted) if is_plain else None
        self._lines = 0
        self._last_line = parsed.line_num
        self._first = 1

    def records(self) -> Iterator[Records]:
        """All of them."""
        text: str | None = self._feed.take_rest()
        while text is not None:
            if self._plain is not None:
                yield from self._read_plain(self._plain, text)
                text = self._plain.text_left()
            self._feed.give(text)
            while self._parsed.line_num < self._feed.total:
                yield from self._parse(self._source.batch_rows)
            text = self._feed.more()

    def _read_plain(self, plain: PlainColumns, text: str) -> Iterator[Records]:
        plain.begin(text, SCALES[self._source.unit or "us"])
        line, most = self._lines + self._parsed.line_num + 1, self._source.batch_rows
        check = unit_check(self._source, self._first)
        while (found := plain.next(self._first, line, most, check)) is not None:
            self._first += len(found)
            yield found
        self._lines += plain.lines
        self._last_line = self._lines + self._parsed.line_num

    def _parse(self, most: int) -> Iterator[Records]:
        """Some of the rows that the csv module finds; when all the lines that have come are read, no more."""
        parsed, feed, source = self._parsed, self._feed, self._source
        rows: list[list[str]] = []
        lines: list[int] = []
        problem: csv.Error | DataError | None = None
        try:
            for row in parsed:
                if row:
                    rows.append(row)
                    lines.append(self._lines + parsed.line_num)
                if parsed.line_num >= feed.total or len(rows) >= most:
                    break
        except (csv.Error, DataError) as error:  # not CSV, or not text
            problem = error
        at_end = feed.unfinished and parsed.line_num >= feed.total and problem is None
        numbers = range(self._first, self._first + len(rows))
        self._first += len(rows)
        if rows:
            yield self._found(rows, lines, numbers, unfinished=at_end)
            self._last_line = lines[-1]
        if isinstance(problem, csv.Error):
            raise broken_csv(source.name, self._last_line + 1, self._first, feed, problem) from problem
        if problem is not None:
            raise problem

    def _found(self, rows: list[list[str]], lines: list[int], numbers: range, *, unfinished: bool) -> Records:
        width = len(self._header)
        wrong = {
            index: wrong_width(row, width, Place(self._source.name, lines[index], None, numbers[index]))
            for index, row in enumerate(rows)
            if len(row) != width
        }
        good = [[""] * width if index in wrong else row for index, row in enumerate(rows)] if wrong else rows
        columns = {
            name: coded_by_value([row[place] or None for row in good]) for name, place in self._places.items()
        }
        return Records(
            columns,
            numbers,
            lines,
            wrong=wrong,
            unfinished=unfinished,
            text=lambda index: row_text(rows[index]),
        )
