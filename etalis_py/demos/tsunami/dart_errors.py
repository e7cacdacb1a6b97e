"""Say what is wrong with a DART file, and where: the slow path of ``dart``, walked only when something is."""

from __future__ import annotations

import calendar
from io import BytesIO

from etalis_py.core.errors import DataError, Place

__all__ = ["first_bad_row", "header_error", "truncated_row"]

_NAMES = ("year", "month", "day", "hour", "minute", "second", "T", "height")
_RANGES = ((1980, 2200), (1, 12), (1, 31), (0, 23), (0, 59), (0, 59), (1, 3))
_EXPECTED = "expected 'YYYY MM DD hh mm ss T HEIGHT', for example '2011 03 11 05 48 45 3 5662.347'"


def header_error(line: str, number: int, source: str) -> DataError:
    """EP453: the first line is not the header of an NDBC DART file."""
    return DataError(
        "EP453",
        f"the first line is {line[:60]!r}, expected '#YY  MM DD hh mm ss T   HEIGHT'",
        place=Place(source, line=number),
        hint="other NDBC files (weather, waves) have other columns; DART files are listed under 'Tsunameter'",
    )


def truncated_row(data: bytes, source: str) -> DataError | None:
    """EP455 if the file stops in the middle of a row: no line end, and no complete reading there."""
    if data.endswith((b"\n", b"\r")):
        return None
    lines = data.splitlines()
    fields = lines[-1].split()
    if lines[-1].startswith(b"#") or (
        len(fields) == len(_NAMES) and len(fields[-1].rpartition(b".")[2]) == 3
    ):
        return None
    text = lines[-1].decode("latin-1")
    return DataError(
        "EP455",
        "the recording stops in the middle of its last row",
        place=Place(source, line=len(lines), excerpt=_caret(text, len(text))),
        hint="fetch the file again, or delete its last line",
    )


def first_bad_row(data: bytes, skip: int, source: str) -> DataError:
    """The error of the first row that is not a reading: EP454 (its form) or EP456 (a value out of range)."""
    for number, line in enumerate(BytesIO(data), start=1):
        text = line.decode("latin-1").rstrip("\r\n")
        if number <= skip or not text.split("#")[0].strip():
            continue
        wrong = _check(text.split("#")[0].split())
        if wrong is not None:
            code, message, field = wrong
            return DataError(
                code,
                message,
                place=Place(source, line=number, excerpt=_caret(text, _column(text, field))),
                hint=_EXPECTED,
            )
    return DataError("EP454", "the rows of the recording cannot be read", place=Place(source), hint=_EXPECTED)


def _check(fields: list[str]) -> tuple[str, str, int] | None:
    """Code, message and index of the field in which a row is wrong, or ``None``."""
    if len(fields) != len(_NAMES):
        return "EP454", f"a reading has {len(_NAMES)} values, this row has {len(fields)}", len(fields) - 1
    for index, (name, text, (low, high)) in enumerate(zip(_NAMES, fields, _RANGES, strict=False)):
        if not (text.isascii() and text.isdigit()):
            return "EP454", f"the {name} is not a whole number: {text[:30]!r}", index
        if not low <= int(text) <= high:
            return "EP456", f"the {name} is {text}, expected {low} to {high}", index
    year, month, day = (int(text) for text in fields[:3])
    if day > calendar.monthrange(year, month)[1]:
        return (
            "EP456",
            f"the day is {day}, but {year}-{month:02} has {calendar.monthrange(year, month)[1]}",
            2,
        )
    try:
        height = float(fields[7])
    except ValueError:
        return "EP454", f"the height is not a number: {fields[7][:30]!r}", 7
    if not (0.001 <= height <= 11_000 or height == 9999):
        return "EP456", f"the height is {fields[7]} m, expected 0.001 to 11000, or 9999.000 for 'missing'", 7
    return None


def _column(text: str, field: int) -> int:
    """Where the field with that index begins, counted from 0."""
    position = 0
    for index, part in enumerate(text.split()):
        position = text.index(part, position)
        if index == field:
            return position
        position += len(part)
    return 0


def _caret(text: str, column: int) -> str:
    return f"{text[:100]}\n{' ' * min(column, 100)}^"
