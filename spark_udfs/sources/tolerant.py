"""Stream files read past what is wrong in them: bad records are put aside, the good ones go on.

What one record is depends on the form: a row of a table; a line of N-Quads; a named graph whose time is
missing or contradictory; a TriG or JSON-LD file that breaks the syntax, of which nothing is read then; and of
CSV whose quotes do not close, all from there on, for what a row is there nobody can say.
"""

from __future__ import annotations

import csv
import io
import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from etalis_py.core.errors import DataError, Place
from etalis_py.streams import Batch
from etalis_py.streams.columns import RawColumns, RowReader
from etalis_py.streams.csv_reader import read_csv
from etalis_py.streams.lines import Text, read_bytes, read_text
from etalis_py.streams.ndjson_reader import read_ndjson
from etalis_py.streams.opening import BATCH_ROWS
from etalis_py.streams.parquet_reader import parquet_columns

__all__ = ["PutAside", "read_rows_past"]

PutAside: TypeAlias = Callable[[DataError, "str | None"], None]
"""Takes an error and the text of the record it is about."""

_OF_FILES = frozenset({"EP401", "EP418"})
"""Errors that are about a file and not about one of its records."""
_PIECE = 500
"""Lines: after a bad row the rest is cut into pieces, so that many bad rows do not each copy it all."""


def read_rows_past(path: str, format_name: str, reader: RowReader, put_aside: PutAside) -> Iterator[Batch]:
    """The good rows of a CSV, NDJSON or Parquet file.

    Raises DataError where it is no fault of a record: EP401 the file cannot be read, EP418 all its times seem
    to be in another unit.
    """
    match format_name:
        case "csv":
            return _csv_rows(path, reader, put_aside)
        case "ndjson":
            return _ndjson_rows(path, reader, put_aside)
        case _:
            return _parquet_rows(path, reader, put_aside)


@dataclass(slots=True)
class _Kept(Iterator[Text]):
    """Texts on their way to a reader, kept until it is past them: it can begin again behind a line."""

    source: Iterator[Text]
    split: Callable[[str], list[str]]
    waiting: deque[Text] = field(default_factory=deque)
    given: list[Text] = field(default_factory=list)
    passed: bool = False
    """Whether rows came since a text was given: what was given before the last text is then done with."""

    def __next__(self) -> Text:
        if self.passed:
            del self.given[:-1]
            self.passed = False
        text = self.waiting.popleft() if self.waiting else next(self.source)
        self.given.append(text)
        return text

    def back_to(self, line: int) -> str:
        """Go back to behind a physical line; that line."""
        lost, rest = "", []
        for text in self.given:
            lines = self.split(text.text)
            if text.line <= line < text.line + len(lines):
                lost = lines[line - text.line].rstrip("\r\n")
            first = max(line + 1, text.line)
            lines = lines[first - text.line :]
            rest += [
                Text("".join(lines[index : index + _PIECE]), first + index)
                for index in range(0, len(lines), _PIECE)
            ]
        self.waiting.extendleft(reversed(rest))
        self.given.clear()
        self.passed = False
        return lost


def _csv_lines(text: str) -> list[str]:
    """Lines as CSV counts them: a carriage return ends one, too."""
    return io.StringIO(text, newline="").readlines()


def _json_lines(text: str) -> list[str]:
    return [line + "\n" for line in text.removesuffix("\n").split("\n")]


def _csv_rows(path: str, reader: RowReader, put_aside: PutAside) -> Iterator[Batch]:
    texts = _Kept(_numbered(read_text(path)), _csv_lines)
    header, shift = "", 0
    while True:
        try:
            feed: Iterator[Text] = texts if not shift else _headed(header, texts)
            for batch in read_csv(feed, reader, BATCH_ROWS):
                header = header or texts.given[0].text.splitlines(keepends=True)[0]
                texts.passed = True
                yield batch
        except DataError as error:
            if error.code in _OF_FILES:
                raise
            place = error.place or Place()
            if place.line is None or place.row is None or _breaks_csv(error):
                put_aside(_at_line(error, None if place.line is None else place.line + shift), None)
                return
            header = header or texts.given[0].text.splitlines(keepends=True)[0]
            line = place.line + shift
            put_aside(_at_line(error, line), texts.back_to(line))
            shift = line - 1  # the header is line 1 again
        else:
            return


def _numbered(texts: Iterator[Text]) -> Iterator[Text]:
    """The texts with the numbers of lines as CSV counts them."""
    line = 1
    for text in texts:
        yield Text(text.text, line)
        line += len(_csv_lines(text.text))


def _headed(header: str, texts: Iterator[Text]) -> Iterator[Text]:
    yield Text(header, 1)
    yield from texts


def _breaks_csv(error: DataError) -> bool:
    return isinstance(error.__cause__, csv.Error) or error.code == "EP403"


def _at_line(error: DataError, line: int | None) -> DataError:
    """The error at a line of the file, with no row: rows are not counted over what was left out."""
    place = replace(error.place or Place(), line=line, row=None)
    return DataError(error.code, error.message, place=place, hint=error.hint)


def _ndjson_rows(path: str, reader: RowReader, put_aside: PutAside) -> Iterator[Batch]:
    texts = _Kept(read_lines_past(path, put_aside), _json_lines)
    while True:
        try:
            for batch in read_ndjson(texts, reader, BATCH_ROWS):
                texts.passed = True
                yield batch
        except DataError as error:
            line = None if error.place is None else error.place.line
            if line is None:
                raise
            put_aside(_at_line(error, line), texts.back_to(line))
        else:
            return


def read_lines_past(path: str, put_aside: PutAside) -> Iterator[Text]:
    """Text in whole lines; a line that is not UTF-8 is put aside, and an empty one stands for it.

    Raises DataError (EP401) where the file cannot be read.
    """
    rest, line = b"", 1
    for chunk in read_bytes(path):
        whole, newline, rest = (rest + chunk).rpartition(b"\n")
        if newline:
            yield Text(_decode(whole + newline, line, path, put_aside), line)
            line += whole.count(b"\n") + 1
    if rest:
        yield Text(_decode(rest, line, path, put_aside), line)


def _decode(data: bytes, first: int, path: str, put_aside: PutAside) -> str:
    data = data.removeprefix(b"\xef\xbb\xbf") if first == 1 else data
    try:
        return data.decode()
    except UnicodeDecodeError:
        lines = data.split(b"\n")
    for index, line in enumerate(lines):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            wrong = DataError(
                "EP403",
                f"byte 0x{line[error.start]:02X} is not UTF-8 text",
                place=Place(path, line=first + index, column=error.start + 1),
                hint="stream files are UTF-8; convert with: iconv -f LATIN1 -t UTF-8",
            )
            put_aside(wrong, line.decode(errors="backslashreplace"))
            lines[index] = b""
    return b"\n".join(lines).decode()


def _parquet_rows(path: str, reader: RowReader, put_aside: PutAside) -> Iterator[Batch]:
    try:
        for columns in parquet_columns(path, BATCH_ROWS):
            raw = columns
            while len(raw.rows):
                batch, wrong = reader.read(raw)
                yield batch
                if wrong is None:
                    break
                put_aside(wrong, _row_text(raw, len(batch)))
                raw = raw.part(len(batch) + 1, len(raw.rows))
    except DataError as error:
        if error.code in _OF_FILES:
            raise
        put_aside(error, None)


def _row_text(raw: RawColumns, index: int) -> str:
    columns = {name: getattr(raw, name) for name in ("start", "end", "s", "p", "o", "graph")}
    row = {name: column[index] for name, column in columns.items() if column is not None}
    return json.dumps(row, ensure_ascii=False, default=str)
