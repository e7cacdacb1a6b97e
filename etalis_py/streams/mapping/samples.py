"""The first records of a file with all their columns, for whom a mapping is to be written."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from etalis_py.core.errors import DataError, Place
from etalis_py.streams.csv_reader import CsvFeed, broken_csv
from etalis_py.streams.lines import read_bytes, read_text
from etalis_py.streams.mapping.arrow_records import record_batches
from etalis_py.streams.mapping.csv_records import separator_of
from etalis_py.streams.problems import empty

__all__ = ["ROWS", "first_columns"]

ROWS: Final = 1_000
"""So many records are looked at."""


def first_columns(path: str, form: str) -> dict[str, list[Any]]:
    """The values of the first records of a file in a format of `MAPPED_FORMATS`, by the references to them.

    Values are as of `Records`; of lists the first items.

    Raises:
        DataError: EP401, EP402, EP403, EP405, EP406, EP415.
    """
    if form in ("csv", "tsv"):
        return _of_csv(path)
    rows = list(islice(_objects(path, form), ROWS))
    if not rows:
        raise empty(path)
    flat = [dict(_flat(row)) for row in rows]
    names = dict.fromkeys(name for row in flat for name in row)
    return {name: [row.get(name) for row in flat] for name in names}


def _of_csv(path: str) -> dict[str, list[Any]]:
    feed = CsvFeed(read_text(path), None)
    first = feed.more()
    if first is None:
        raise empty(path)
    feed.give(first)
    parsed = csv.reader(feed, strict=True, delimiter=separator_of(first))
    try:
        header = [name.strip() for name in next(parsed)]
        rows = [row for row in islice(parsed, ROWS) if len(row) == len(header)]
    except csv.Error as error:
        raise broken_csv(path, parsed.line_num, None, feed, error) from error
    if not rows:
        raise empty(path)
    return {name: [row[place] or None for row in rows] for place, name in enumerate(header)}


def _objects(path: str, form: str) -> Iterator[dict[str, Any]]:
    if form in ("parquet", "arrow"):
        for record in record_batches(path, form, ROWS):
            yield from record.to_pylist()
        return
    try:
        if form == "json":
            found = json.loads(b"".join(read_bytes(path)))
            yield from (
                each for each in (found if isinstance(found, list) else [found]) if isinstance(each, dict)
            )
            return
        for text in read_text(path):
            lines = (line for line in text.text.split("\n") if line.strip())
            yield from (each for each in map(json.loads, lines) if isinstance(each, dict))
    except ValueError as error:
        place = Place(path, getattr(error, "lineno", None), getattr(error, "colno", None))
        hint = "an object on each line is --stream-format ndjson, a whole document json"
        raise DataError("EP406", f"this is not JSON: {error}", place=place, hint=hint) from error


def _flat(found: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """The references to the values in an object, and these."""
    for key, value in found.items():
        name = f"{before}{key}"
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.")
        elif isinstance(value, list):
            if value and isinstance(value[0], dict):
                yield from _flat(value[0], f"{name}[0].")
            elif value:
                yield f"{name}[0]", value[0]
        else:
            yield name, value
