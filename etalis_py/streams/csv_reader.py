"""Stream files in CSV (RFC 4180, with a header line): columns as in any table, in any order."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from etalis_py.core.errors import DataError, Place
from etalis_py.streams.batch import REQUIRED, Batch
from etalis_py.streams.columns import RawColumns, RowReader, shown
from etalis_py.streams.lines import Text
from etalis_py.streams.positions import Marks
from etalis_py.streams.problems import check_columns, cut_off, empty
from etalis_py.streams.source import Source

__all__ = ["read", "read_csv"]


@dataclass(slots=True)
class _Feed(Iterator[str]):
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
        text = next(self.texts)
        # newline="" keeps line ends as they are: within quotes they belong to the value.
        lines = io.StringIO(text.text, newline="").readlines()
        self.total += len(lines)
        self.unfinished = text.unfinished
        self.lines = iter(lines)
        return next(self)

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
    feed = _Feed(texts, None if marks is None else [])
    parsed = csv.reader(feed, strict=True)
    if marks is not None and marks.begin is not None and marks.begin.header is not None:
        header, lines_before = list(marks.begin.header), marks.begin.lines
    else:
        header, lines_before = _read_header(parsed, feed, reader.source), 0
    places = check_columns(header, reader.source, reader.stream)
    first, last_line = 1, lines_before + parsed.line_num
    if marks is not None:
        first += marks.begin_here(last_line, feed.text_taken(), header)
    while True:
        found = _Rows([], [], first, False)
        problem: csv.Error | DataError | None = None
        try:
            for row in parsed:
                if row:
                    found.rows.append(row)
                    found.lines.append(lines_before + parsed.line_num)
                if parsed.line_num >= feed.total or len(found.rows) >= batch_rows:
                    break
            else:
                return
        except (csv.Error, DataError) as error:  # not CSV, or not text
            problem = error
        at_end = feed.unfinished and parsed.line_num >= feed.total and problem is None
        first += len(found.rows)
        if marks is not None and problem is None:
            lines = lines_before + parsed.line_num
            marks.add(feed.text_taken(), first - 1, lines, unfinished=at_end, header=header)
        raw = _raw(_Rows(found.rows, found.lines, found.first, at_end), places, len(header), reader.source)
        yield from reader.read(raw)
        last_line = found.lines[-1] if found.lines else last_line
        if isinstance(problem, csv.Error):
            raise _broken(reader.source, last_line + 1, first, feed, problem) from problem
        if problem is not None:
            raise problem


def _read_header(parsed: Iterator[list[str]], feed: _Feed, source: str) -> list[str]:
    try:
        header = next(parsed, None)
    except csv.Error as error:
        raise _broken(source, 1, None, feed, error) from error
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
            index: DataError(
                "EP405",
                f"the row has {len(row)} values, but the header {width}",
                place=Place(source, found.lines[index], None, found.first + index, shown(",".join(row))),
                hint="quote a value that contains a comma or a quote, and double its quotes",
            )
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
        text=lambda index: _row_text(found.rows[index]),
    )


def _row_text(row: list[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(row)
    return line.getvalue().removesuffix("\n")


def _broken(source: str, line: int, row: int | None, feed: _Feed, error: csv.Error) -> DataError:
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
