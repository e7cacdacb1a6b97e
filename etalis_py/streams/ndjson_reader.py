"""Stream files in NDJSON: one JSON object a line, keys start, end, s, p, o, graph; other keys are ignored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any, Final

from etalis_py.core.errors import DataError, Place
from etalis_py.streams.batch import Batch
from etalis_py.streams.columns import COLUMNS, REQUIRED, RawColumns, RowReader, shown
from etalis_py.streams.lines import Text
from etalis_py.streams.positions import Marks
from etalis_py.streams.problems import cut_off, missing_columns

__all__ = ["read_ndjson"]

_needed = itemgetter(*REQUIRED)
_Objects = list[dict[str, Any]]
_WHITE: Final = " \t\r"


def read_ndjson(
    texts: Iterator[Text], reader: RowReader, batch_rows: int, marks: Marks | None = None
) -> Iterator[Batch]:
    """Batches of an NDJSON stream: what has come is given at once, at most ``batch_rows`` a batch.

    It adds to ``marks`` the ends of its batches.

    Raises DataError after the good lines before it: EP404 key missing, EP406 no JSON object, EP411 cut off,
    and what `RowReader` finds. A blank line is skipped and counts as no row.
    """
    row = 1
    if marks is not None:
        row += marks.begin_here(0)
    for text in texts:
        lines = text.text.split("\n")
        unfinished = text.unfinished
        if not unfinished:
            lines.pop()
        for first in range(0, len(lines), batch_rows):
            some = lines[first : first + batch_rows]
            at_end = unfinished and first + batch_rows >= len(lines)
            batch, wrong = _read_lines(some, text.line + first, row, reader)
            if marks is not None and wrong is None:
                end = "" if at_end else "\n"
                lines_read = text.line + first + len(some) - 1
                marks.add("\n".join(some) + end, row + len(batch) - 1, lines_read, unfinished=at_end)
            if len(batch):
                yield batch
            if wrong is not None:
                last = at_end and wrong.place is not None and wrong.place.line == text.line + len(lines) - 1
                raise cut_off(wrong) if last else wrong
            row += len(batch)


def _read_lines(lines: list[str], line: int, row: int, reader: RowReader) -> tuple[Batch, DataError | None]:
    """Read lines of which the first has these numbers: physical line, and row (blank lines left out)."""
    numbers: list[int] | range = range(line, line + len(lines))
    objects, wrong = _parse(lines, line, row, reader.source)
    if len(objects) < len(lines):
        numbers = [number for number, text in zip(numbers, lines, strict=True) if text.strip(_WHITE)]
    try:
        columns = list(zip(*map(_needed, objects), strict=True)) or [()] * len(REQUIRED)
    except (KeyError, TypeError):
        bad, wrong = _why_no_event(objects, numbers, row, reader.source)
        objects = objects[:bad]
        columns = list(zip(*map(_needed, objects), strict=True)) or [()] * len(REQUIRED)
    raw = RawColumns(
        columns[0],
        [found.get("end") for found in objects],
        columns[1],
        columns[2],
        columns[3],
        [found.get("graph") for found in objects],
        range(row, row + len(objects)),
        numbers[: len(objects)],
    )
    batch, earlier = reader.read(raw)
    return batch, earlier or wrong


def _parse(lines: list[str], line: int, row: int, source: str) -> tuple[_Objects, DataError | None]:
    """The JSON values of the lines up to the first that has none; blank lines left out."""
    # What json.loads calls, without what it does around; types of the library do not tell of it.
    scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
    objects: _Objects = []
    for index, text in enumerate(lines):
        try:
            value, end = scan(text, 0)
        except (StopIteration, ValueError, RecursionError):
            value, end = None, -1
        if end != len(text):
            if not text.strip(_WHITE):
                continue
            try:
                value = json.loads(text)  # takes white space around the value too, and tells the column
            except (ValueError, RecursionError) as error:
                return objects, _no_json(text, line + index, row + len(objects), source, error)
        objects.append(value)
    return objects, None


def _no_json(text: str, line: int, row: int, source: str, error: Exception) -> DataError:
    column = getattr(error, "pos", 0)
    return DataError(
        "EP406",
        "the line is not one JSON object",
        place=Place(source=source, line=line, column=column + 1, row=row, excerpt=shown(text)),
        hint='each line is an object of its own: {"start": ..., "s": "<...>", "p": "<...>", "o": "..."}',
    )


def _why_no_event(
    objects: list[Any], numbers: list[int] | range, row: int, source: str
) -> tuple[int, DataError]:
    """The first value that is no object with all the keys that are needed, and its error."""
    for index, found in enumerate(objects):
        place = Place(source=source, line=numbers[index], row=row + index)
        if not isinstance(found, dict):
            excerpt = shown(json.dumps(found, ensure_ascii=False))
            message = f"the line is not a JSON object but {type(found).__name__}"
            hint = 'each line is an object: {"start": ..., "s": "<...>", "p": "<...>", "o": "..."}'
            place = Place(source=source, line=numbers[index], row=row + index, excerpt=excerpt)
            return index, DataError("EP406", message, place=place, hint=hint)
        missing = [name for name in REQUIRED if name not in found]
        if missing:
            others = [name for name in found if name not in COLUMNS]
            hint = missing_columns(missing, others, list(found), "keys")
            message = f"the event has no {', '.join(map(repr, missing))}"
            return index, DataError("EP404", message, place=place, hint=hint)
    raise AssertionError("every value has the keys")
