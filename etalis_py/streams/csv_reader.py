"""Stream files in CSV (RFC 4180, with a header line): columns start, end, s, p, o, graph in any order."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from etalis_py.errors import DataError, Place
from etalis_py.streams.batch import Batch
from etalis_py.streams.columns import RawColumns, RowReader, shown
from etalis_py.streams.lines import Text
from etalis_py.streams.problems import check_columns, cut_off, empty

__all__ = ["read_csv"]


@dataclass(slots=True)
class _Feed(Iterator[str]):
    """Lines for the csv module, which may ask for more within one row; ``total`` lines have come so far."""

    texts: Iterator[Text]
    total: int = 0
    unfinished: bool = False
    lines: Iterator[str] = field(default_factory=lambda: iter(()))

    def __next__(self) -> str:
        for line in self.lines:
            return line
        text = next(self.texts)
        # newline="" keeps line ends as they are: within quotes they belong to the value.
        lines = io.StringIO(text.text, newline="").readlines()
        self.total += len(lines)
        self.unfinished = text.unfinished
        self.lines = iter(lines)
        return next(self.lines)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Some rows of the file, with the number of the first (from 1) and the physical line each ends on."""

    rows: list[list[str]]
    lines: list[int]
    first: int
    unfinished: bool  # the last row has no line end


def read_csv(texts: Iterator[Text], reader: RowReader, batch_rows: int) -> Iterator[Batch]:
    """Batches of a CSV stream; the good rows before a bad one first, then its DataError.

    Raises DataError: EP402 empty, EP404 columns missing, EP405 broken CSV, EP411 cut off, and what
    `RowReader` finds.
    """
    csv.field_size_limit((1 << 31) - 1)  # a literal may be longer than the 128 KiB the csv module allows
    feed = _Feed(texts)
    parsed = csv.reader(feed, strict=True)
    try:
        header = next(parsed, None)
    except csv.Error as error:
        raise _broken(reader.source, 1, None, feed, error) from error
    if header is None:
        raise empty(reader.source)
    header = [name.strip() for name in header]
    places = check_columns(header, reader.source)
    first, last_line = 1, parsed.line_num
    while True:
        found = _Rows([], [], first, False)
        problem = None
        try:
            for row in parsed:
                if row:
                    found.rows.append(row)
                    found.lines.append(parsed.line_num)
                if parsed.line_num >= feed.total or len(found.rows) >= batch_rows:
                    break
            else:
                return
        except csv.Error as error:
            problem = error
        at_end = feed.unfinished and parsed.line_num >= feed.total and problem is None
        batch, wrong = _read_rows(_Rows(found.rows, found.lines, first, at_end), places, len(header), reader)
        if len(batch):
            yield batch
        if wrong is not None:
            raise wrong
        first += len(found.rows)
        last_line = found.lines[-1] if found.lines else last_line
        if problem is not None:
            raise _broken(reader.source, last_line + 1, first, feed, problem) from problem


def _read_rows(
    found: _Rows, places: dict[str, int], width: int, reader: RowReader
) -> tuple[Batch, DataError | None]:
    rows, lines = found.rows, found.lines
    wrong = None
    if set(map(len, rows)) - {width}:
        bad = next(index for index, row in enumerate(rows) if len(row) != width)
        excerpt = shown(",".join(rows[bad]))
        wrong = DataError(
            "EP405",
            f"the row has {len(rows[bad])} values, and the header {width}",
            place=Place(source=reader.source, line=lines[bad], row=found.first + bad, excerpt=excerpt),
            hint="quote a value that has a comma or a quote in it, and double its quotes",
        )
        rows, lines = rows[:bad], lines[:bad]
    columns: Sequence[Sequence[str]] = list(zip(*rows, strict=True)) or [()] * width
    raw = RawColumns(
        columns[places["start"]],
        columns[places["end"]] if "end" in places else None,
        columns[places["s"]],
        columns[places["p"]],
        columns[places["o"]],
        columns[places["graph"]] if "graph" in places else None,
        range(found.first, found.first + len(rows)),
        lines,
    )
    batch, earlier = reader.read(raw)
    wrong = earlier or wrong
    if wrong is not None and wrong.place is not None and found.unfinished:
        last_row = found.first + len(found.rows) - 1
        wrong = cut_off(wrong) if wrong.place.row == last_row else wrong
    return batch, wrong


def _broken(source: str, line: int, row: int | None, feed: _Feed, error: csv.Error) -> DataError:
    """EP405 for what the csv module refuses, in the row that begins at ``line``."""
    unclosed = "unexpected end of data" in str(error)
    reason = "a quoted value is not closed before the end of the file" if unclosed else str(error)
    result = DataError(
        "EP405",
        f"this is not CSV: {reason}",
        place=Place(source=source, line=line, row=row),
        hint='a value with quotes is quoted and its quotes doubled: """text""@en"',
    )
    return cut_off(result) if unclosed and feed.unfinished else result
