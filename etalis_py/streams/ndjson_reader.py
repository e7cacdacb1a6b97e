"""Stream files in NDJSON: one JSON object a line, keys as the columns of a table; others are ignored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, Final

from etalis_py.core.errors import DataError, Place
from etalis_py.streams.batch import COLUMNS, REQUIRED, Batch
from etalis_py.streams.columns import RawColumns, RowReader, shown
from etalis_py.streams.lines import Text
from etalis_py.streams.plain_rows import PlainRows
from etalis_py.streams.positions import Marks
from etalis_py.streams.problems import missing_columns
from etalis_py.streams.source import Source

__all__ = ["read", "read_ndjson"]

_needed = itemgetter(*REQUIRED)
_NOTHING: Final[dict[str, Any]] = dict.fromkeys(REQUIRED)
"""Stands for what is not an event."""
_WHITE: Final = " \t\r"


def read(source: Source) -> Iterator[Batch]:
    """Batches of an NDJSON stream."""
    return read_ndjson(source.text(source.on_bad), source.rows(), source.batch_rows, source.marks)


def read_ndjson(
    texts: Iterator[Text], reader: RowReader, batch_rows: int, marks: Marks | None = None
) -> Iterator[Batch]:
    """Batches of an NDJSON stream: what has come is given at once, at most ``batch_rows`` a batch.

    It adds to ``marks`` the ends of its batches.

    Bad lines are dealt with as the reader says (`RowReader.on_bad`): EP404 key missing, EP406 no JSON object,
    EP411 cut off, and what `RowReader` finds. A blank line is skipped and counts as no row.
    """
    row = 1
    if marks is not None:
        row += marks.begin_here(0)
    plain = PlainRows(reader, COLUMNS, is_csv=False)
    for text in texts:
        plain.begin(text.text, reader.scale)
        while (batch := plain.next(row, batch_rows)) is not None:
            row += len(batch)
            if marks is not None:
                marks.add(plain.text_read(), row - 1, text.line + plain.lines - 1)
            yield batch
        line = text.line + plain.lines
        lines = plain.text_left().split("\n")
        unfinished = text.unfinished
        if not unfinished:
            lines.pop()
        for first in range(0, len(lines), batch_rows):
            some = lines[first : first + batch_rows]
            at_end = unfinished and first + batch_rows >= len(lines)
            raw = _raw(some, line + first, row, reader.source, unfinished=at_end)
            row += len(raw.rows)
            if marks is not None:
                lines_read = line + first + len(some) - 1
                end = "" if at_end else "\n"
                marks.add("\n".join(some) + end, row - 1, lines_read, unfinished=at_end)
            yield from reader.read(raw)


def _raw(lines: list[str], line: int, row: int, source: str, *, unfinished: bool) -> RawColumns:
    """The columns of lines of which the first has these numbers: physical line, and row."""
    numbers: list[int] | range = range(line, line + len(lines))
    texts = lines
    if not all(lines) or any(map(str.isspace, lines)):  # blank lines are not rows
        unfinished = unfinished and bool(lines[-1].strip(_WHITE))
        numbers = [number for number, text in zip(numbers, lines, strict=True) if text.strip(_WHITE)]
        texts = [text for text in lines if text.strip(_WHITE)]
    objects, wrong = _parse(texts, numbers, row, source)
    try:
        needed = list(map(_needed, objects))
    except (KeyError, TypeError):
        wrong |= _no_events(objects, numbers, row, source)
        objects = [_NOTHING if index in wrong else found for index, found in enumerate(objects)]
        needed = list(map(_needed, objects))
    columns = list(zip(*needed, strict=True)) or [()] * len(REQUIRED)
    return RawColumns(
        columns[0],
        [found.get("end") for found in objects],
        columns[1],
        columns[2],
        columns[3],
        [found.get("stream") for found in objects],
        [found.get("graph") for found in objects],
        range(row, row + len(objects)),
        numbers,
        wrong=wrong,
        unfinished=unfinished,
        text=texts.__getitem__,
    )


def _parse(
    lines: list[str], numbers: Sequence[int], row: int, source: str
) -> tuple[list[Any], dict[int, DataError]]:
    """The JSON values of the lines, and by their indices the errors of those that have none."""
    # What json.loads calls, without what it does around; types of the library do not tell of it.
    scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
    objects: list[Any] = []
    wrong: dict[int, DataError] = {}
    for index, text in enumerate(lines):
        try:
            value, end = scan(text, 0)
        except (StopIteration, ValueError, RecursionError):
            value, end = None, -1
        if end != len(text):
            try:
                value = json.loads(text)  # takes white space around the value too, and tells the column
            except (ValueError, RecursionError) as error:
                value = _NOTHING
                wrong[index] = _no_json(text, numbers[index], row + index, source, error)
        objects.append(value)
    return objects, wrong


def _no_json(text: str, line: int, row: int, source: str, error: Exception) -> DataError:
    column = getattr(error, "pos", 0)
    return DataError(
        "EP406",
        "the line is not one JSON object",
        place=Place(source=source, line=line, column=column + 1, row=row, excerpt=shown(text)),
        hint='each line is an object of its own: {"start": ..., "s": "<...>", "p": "<...>", "o": "..."}',
    )


def _no_events(objects: list[Any], numbers: Sequence[int], row: int, source: str) -> dict[int, DataError]:
    """By their indices the errors of the values that are not objects with all the keys that are needed."""
    wrong: dict[int, DataError] = {}
    for index, found in enumerate(objects):
        place = Place(source=source, line=numbers[index], row=row + index)
        if not isinstance(found, dict):
            message = f"the line is not a JSON object but {type(found).__name__}"
            hint = 'each line is an object: {"start": ..., "s": "<...>", "p": "<...>", "o": "..."}'
            place = replace(place, excerpt=shown(json.dumps(found, ensure_ascii=False)))
            wrong[index] = DataError("EP406", message, place=place, hint=hint)
            continue
        missing = [name for name in REQUIRED if name not in found]
        if missing:
            others = [name for name in found if name not in COLUMNS]
            hint = missing_columns(missing, others, list(found), "keys")
            message = f"the event has no {', '.join(map(repr, missing))}"
            wrong[index] = DataError("EP404", message, place=place, hint=hint)
    return wrong
