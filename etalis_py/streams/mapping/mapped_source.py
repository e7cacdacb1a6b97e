"""A stream file read with a mapping."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import cast

from etalis_py.core.errors import DataError, Place
from etalis_py.core.formats import FORMATS
from etalis_py.streams.batch import Batch
from etalis_py.streams.mapping.mapped_rows import MappedRows
from etalis_py.streams.mapping.records import RecordReader
from etalis_py.streams.source import Source

__all__ = ["read"]


def read(source: Source) -> Iterator[Batch]:
    """Batches of a stream that has a mapping.

    Raises:
        DataError: EP401 to EP410, EP414, EP415, EP418 and EP419 as of other streams; EP434 two paths to the
            records of one document; EP435 a column that is not there; EP436 a value that no term is made of.
    """
    assert source.mapping is not None
    parts = source.mapping.for_source(source.name)
    paths = {part.path for part in parts}
    if len(paths) > 1:
        hint = "give the file twice, with a mapping for each"
        message = f"{source.mapping.name}: two iterators over one document"
        raise DataError("EP434", message, place=Place(source.name), hint=hint)
    path = paths.pop()
    if path and source.format != "json":
        hint = "leave the iterator out: each line or row is a record"
        message = f"{source.mapping.name}: an iterator over {source.format}"
        raise DataError("EP434", message, place=Place(source.name), hint=hint)
    rows = MappedRows(parts, source.rows(), source.unit)
    reader = cast("RecordReader", import_module(FORMATS[source.format].records))
    for records in reader.records(replace(source, unit=rows.unit), rows.wanted(path)):
        yield from rows.read(records)
