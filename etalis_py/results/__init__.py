"""Writers of results: those in ``RESULT_FORMATS``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from etalis_py.core.errors import UsageError
from etalis_py.core.formats import RESULT_FORMATS
from etalis_py.results.base import Writer
from etalis_py.results.heads import QueryHead
from etalis_py.results.ndjson_writer import NdjsonWriter
from etalis_py.results.nquads_writer import NquadsWriter
from etalis_py.results.parquet_writer import ParquetWriter
from etalis_py.results.table_writer import TableWriter
from etalis_py.results.w3c_writers import CsvWriter, JsonWriter, TsvWriter, XmlWriter

__all__ = ["RESULT_FORMATS", "QueryHead", "Writer", "open_writer"]


def open_writer(
    format: str,  # noqa: A002 - the word of the command line
    file: BinaryIO,
    *,
    at_mode: bool = False,
    heads: Sequence[QueryHead] = (),
    live: bool = False,
    terminal: bool = False,
) -> Writer:
    """A writer of matches to a binary file (``sys.stdout.buffer``), which it flushes and does not close.

    ``heads`` tells of the queries what cannot be seen from a match: with them a document without matches
    has its right head, and a query that a format cannot hold is refused at once. ``at_mode``: all events
    were at one instant (``--at``), results are without times. ``live`` and ``terminal`` are for tables.

    Raises UsageError: EP527 unknown format, EP525 several queries in json, xml, csv, tsv or parquet, EP526 a
    form of query that the format cannot hold.

    >>> import io
    >>> from etalis_py.engine.matches import Match
    >>> with open_writer("csv", out := io.BytesIO()) as writer:
    ...     writer.write(Match("fall", 1, 2_000_000, ("x",), ("urn:a",)))
    >>> out.getvalue().decode().splitlines()
    ['x,start,end', 'urn:a,1970-01-01T00:00:00.000001Z,1970-01-01T00:00:02Z']
    """
    known = tuple(heads)
    match format:
        case "table":
            return TableWriter(file, known, at_mode=at_mode, live=live, terminal=terminal)
        case "ndjson":
            return NdjsonWriter(file)
        case "json":
            return JsonWriter(file, known, at_mode=at_mode)
        case "csv":
            return CsvWriter(file, known, at_mode=at_mode)
        case "tsv":
            return TsvWriter(file, known, at_mode=at_mode)
        case "xml":
            return XmlWriter(file, known, at_mode=at_mode)
        case "parquet":
            return ParquetWriter(file, known, at_mode=at_mode)
        case "nquads":
            return NquadsWriter(file, known, at_mode=at_mode)
        case _:
            hint = f"known are {', '.join(RESULT_FORMATS)}"
            raise UsageError("EP527", f"there is no result format {format!r}", hint=hint)
