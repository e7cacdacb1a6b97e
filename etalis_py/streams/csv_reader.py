"""Stream files in CSV (RFC 4180, with a header line): columns as in any table, in any order."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from etalis_py.core.errors import DataError, Place
from etalis_py.streams.batch import REQUIRED, Batch
from etalis_py.streams.columns import RawColumns, RowReader, shown
from etalis_py.streams.lines import Text
from etalis_py.streams.plain_rows import PlainRows
from etalis_py.streams.positions import Marks
from etalis_py.streams.problems import check_columns, cut_off, empty
from etalis_py.streams.source import Source

__all__ = ["CsvFeed", "broken_csv", "read", "read_csv", "row_text", "wrong_width"]


@dataclass(slots=True)
class CsvFeed(Iterator[str]):
    """Lines for the csv module, which may ask for more within one row; ``total`` lines have come so far.

    ``taken`` are the lines that it has had, if they are wanted.
    """

    texts: Iterator[Text]
    taken: list[str] | None
    total: int = 0
    unfinished: bool = False
    lines: Iterator[str] = field(default_factory=lambda: iter(()))

    def __next__(self) -> str:
        for line in self.lines:
            if self.taken is not None:
                self.taken.append(line)
            return line
        text = self.more()
        if text is None:
            raise StopIteration
        self.give(text)
        return next(self)

    def more(self) -> str | None:
        """The lines that come next from the source; None at its end."""
        text = next(self.texts, None)
        if text is None:
            return None
        self.unfinished = text.unfinished
        return text.text

    def give(self, text: str) -> None:
        """Let the csv module have these lines."""
        # newline="" keeps line ends as they are: within quotes they belong to the value.
        lines = io.StringIO(text, newline="").readlines()
        self.total += len(lines)
        self.lines = iter(lines)

    def take_rest(self) -> str:
        """Lines that have come, which the csv module is not to have now."""
        rest = list(self.lines)
        self.total -= len(rest)
        return "".join(rest)

    def text_taken(self) -> str:
        """The lines that were had since this was asked last."""
        text = "".join(self.taken or ())
        self.taken = [] if self.taken is not None else None
        return text


@dataclass(frozen=True, slots=True)
class _Rows:
    """Some rows of the file, with the number of the first (from 1) and the physical line each ends on."""

    rows: list[list[str]]
    lines: list[int]
    first: int
    unfinished: bool  # the last row has no line end


def read(source: Source) -> Iterator[Batch]:
    """Batches of a CSV stream."""
    return read_csv(source.text(), source.rows(), source.batch_rows, source.marks)


def read_csv(
    texts: Iterator[Text], reader: RowReader, batch_rows: int, marks: Marks | None = None
) -> Iterator[Batch]:
    """Batches of a CSV stream; bad rows are dealt with as the reader says (`RowReader.on_bad`).

    It adds to ``marks`` the ends of its batches.

    Raises DataError: EP402 empty, EP404 columns missing, EP405 broken CSV, EP411 cut off, EP419 a column
    of streams where the stream has an IRI already, and what `RowReader` finds.
    """
    csv.field_size_limit((1 << 31) - 1)  # a literal may be longer than the 128 KiB the csv module allows
    feed = CsvFeed(texts, None if marks is None else [])
    parsed = csv.reader(feed, strict=True)
    lines = 0
    if marks is not None and marks.begin is not None and marks.begin.header is not None:
        header, lines = list(marks.begin.header), marks.begin.lines
    else:
        header = _read_header(parsed, feed, reader.source)
    yield from _Body(reader, feed, parsed, header, lines, marks).batches(batch_rows)


class _Body:
    """What follows the header: rows that are plain, else rows that the csv module finds.

    ``lines`` are those before the ones that the csv module counts.
    """

    def __init__(
        self,
        reader: RowReader,
        feed: CsvFeed,
        parsed: Any,
        header: list[str],
        lines: int,
        marks: Marks | None,
    ) -> None:
        self._reader = reader
        self._feed = feed
        self._parsed = parsed
        self._header = header
        self._places = check_columns(header, reader.source, reader.stream)
        self._marks = marks
        self._lines = lines
        self._last_line = lines + parsed.line_num
        self._first = 1  # the number of the next row
        if marks is not None:
            self._first += marks.begin_here(self._last_line, feed.text_taken(), header)

    def batches(self, batch_rows: int) -> Iterator[Batch]:
        names = dict(zip(self._places.values(), self._places, strict=True))
        plain = PlainRows(
            self._reader, [names.get(place, "") for place in range(len(self._header))], is_csv=True
        )
        text: str | None = self._feed.take_rest()
        while text is not None:
            plain.begin(text, self._reader.scale)
            while (batch := plain.next(self._first, batch_rows)) is not None:
                self._first += len(batch)
                self._mark(plain.text_read(), plain.lines)
                yield batch
            self._lines += plain.lines
            self._last_line = self._lines + self._parsed.line_num
            self._feed.give(plain.text_left())
            while self._parsed.line_num < self._feed.total:
                yield from self._parse(batch_rows)
            text = self._feed.more()

    def _parse(self, batch_rows: int) -> Iterator[Batch]:
        """Some of the rows that the csv module finds; when all the lines that have come are read, no more."""
        parsed, feed = self._parsed, self._feed
        found = _Rows([], [], self._first, False)
        problem: csv.Error | DataError | None = None
        try:
            for row in parsed:
                if row:
                    found.rows.append(row)
                    found.lines.append(self._lines + parsed.line_num)
                if parsed.line_num >= feed.total or len(found.rows) >= batch_rows:
                    break
        except (csv.Error, DataError) as error:  # not CSV, or not text
            problem = error
        at_end = feed.unfinished and parsed.line_num >= feed.total and problem is None
        self._first += len(found.rows)
        if problem is None:
            self._mark(feed.text_taken(), 0, unfinished=at_end)
        raw = _raw(
            _Rows(found.rows, found.lines, found.first, at_end),
            self._places,
            len(self._header),
            self._reader.source,
        )
        yield from self._reader.read(raw)
        self._last_line = found.lines[-1] if found.lines else self._last_line
        if isinstance(problem, csv.Error):
            raise broken_csv(
                self._reader.source, self._last_line + 1, self._first, feed, problem
            ) from problem
        if problem is not None:
            raise problem

    def _mark(self, text: str, lines: int, *, unfinished: bool = False) -> None:
        """So far all is read; ``text`` since the last mark, with ``lines`` that are not counted yet."""
        if self._marks is not None:
            lines += self._lines + self._parsed.line_num
            self._marks.add(text, self._first - 1, lines, unfinished=unfinished, header=self._header)


def _read_header(parsed: Iterator[list[str]], feed: CsvFeed, source: str) -> list[str]:
    try:
        header = next(parsed, None)
    except csv.Error as error:
        raise broken_csv(source, 1, None, feed, error) from error
    if header is None:
        raise empty(source)
    header = [name.strip() for name in header]
    _check_separator(header, source)
    return header


def _check_separator(header: list[str], source: str) -> None:
    """Raises DataError (EP404) where the columns are separated by something else than commas."""
    for separator, name in ((";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")):
        if len(header) == 1 and header[0].count(separator) >= len(REQUIRED) - 1:
            raise DataError(
                "EP404",
                f"the columns are separated by {name}, but in CSV by commas",
                place=Place(source=source, line=1, excerpt=shown(header[0])),
                hint="write it with commas, and quote the values that have one",
            )


def _raw(found: _Rows, places: dict[str, int], width: int, source: str) -> RawColumns:
    """The columns; rows that have not as many values as the header are wrong."""
    rows, wrong = found.rows, {}
    if set(map(len, rows)) - {width}:
        wrong = {
            index: wrong_width(row, width, Place(source, found.lines[index], None, found.first + index))
            for index, row in enumerate(rows)
            if len(row) != width
        }
        rows = [[""] * width if index in wrong else row for index, row in enumerate(rows)]
    columns: Sequence[Sequence[str]] = list(zip(*rows, strict=True)) or [()] * width
    return RawColumns(
        columns[places["start"]],
        columns[places["end"]] if "end" in places else None,
        columns[places["s"]],
        columns[places["p"]],
        columns[places["o"]],
        columns[places["stream"]] if "stream" in places else None,
        columns[places["graph"]] if "graph" in places else None,
        range(found.first, found.first + len(rows)),
        found.lines,
        wrong=wrong,
        unfinished=found.unfinished,
        text=lambda index: row_text(found.rows[index]),
    )


def wrong_width(row: list[str], width: int, place: Place) -> DataError:
    """EP405: a row has not as many values as the header."""
    return DataError(
        "EP405",
        f"the row has {len(row)} values, but the header {width}",
        place=replace(place, excerpt=shown(",".join(row))),
        hint="quote a value that contains a comma or a quote, and double its quotes",
    )


def row_text(row: list[str]) -> str:
    """The row as a line of CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(row)
    return line.getvalue().removesuffix("\n")


def broken_csv(source: str, line: int, row: int | None, feed: CsvFeed, error: csv.Error) -> DataError:
    """EP405 for what the csv module refuses, in the row that begins at ``line``."""
    unclosed = "unexpected end of data" in str(error)
    reason = "a quoted value is not closed before the end of the file" if unclosed else str(error)
    result = DataError(
        "EP405",
        f"this is not CSV: {reason}",
        place=Place(source=source, line=line, row=row),
        hint='quote a value that contains quotes, and double them: """text""@en"',
    )
    return cut_off(result) if unclosed and feed.unfinished else result
