"""Tables in memory with columns of any names, read with a mapping."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from etalis_py.core.errors import UsageError
from etalis_py.core.times import TimeUnit
from etalis_py.streams.batch import Batch
from etalis_py.streams.columns import RowReader
from etalis_py.streams.frames import SOURCE, tables_of
from etalis_py.streams.mapping.arrow_records import records_of
from etalis_py.streams.mapping.json_records import steps_of
from etalis_py.streams.mapping.mapped_rows import MappedRows
from etalis_py.streams.mapping.yarrrml import StreamMap, read_mapping

__all__ = ["MapFile", "MappedTables", "mapping_of"]

MapFile: TypeAlias = "str | os.PathLike[str] | StreamMap"
"""A mapping, or the path of its file."""
_ROWS: Final = 60_000
"""Rows that are read at once."""


class MappedTables:
    """Reads tables that belong together, with mappings that are read once."""

    def __init__(self) -> None:
        self._maps: dict[MapFile, StreamMap] = {}
        self._rows: dict[tuple[str, TimeUnit | None], MappedRows] = {}
        self._number = 1

    def batches(self, table: Any, mapping: MapFile, unit: TimeUnit | None = None) -> Iterator[Batch]:
        """The events of ``table``, a table as of `tables_of`; those of the good rows before a bad one first.

        ``unit`` is that of numeric times, where the mapping has none.

        Raises:
            DataError: EP431 to EP436 for the mapping, EP409, EP410, EP414 a bad row, EP418 another unit.
            UsageError: EP504, this is not a table.
        """
        said = self._maps.setdefault(mapping, mapping_of(mapping))
        rows = self._rows.get((said.text, unit))
        if rows is None:
            reader = RowReader(SOURCE, unit=unit)
            rows = self._rows[said.text, unit] = MappedRows(said.parts, reader, unit)
        wanted = rows.wanted()
        tops = {str(steps_of(name)[0]) for name in wanted.names}
        for columns in tables_of(table, tops.union(wanted.names)):
            length = min(map(len, columns.values()), default=0)
            if any(len(column) != length for column in columns.values()):
                raise UsageError("EP504", "the columns of a batch differ in length")
            for begin in range(0, length, _ROWS):
                part = {name: column[begin : begin + _ROWS] for name, column in columns.items()}
                yield from rows.read(records_of(part, wanted, SOURCE, self._number + begin))
            if not columns:
                records_of(columns, wanted, SOURCE, 1)
            self._number += length


def mapping_of(given: MapFile) -> StreamMap:
    """The mapping itself. Raises DataError as `read_mapping`, UsageError (EP505) for anything else."""
    if isinstance(given, StreamMap):
        return given
    try:
        path = os.fspath(given)
    except TypeError:
        message = f"a mapping is the path of a file in YARRRML, not {type(given).__name__}"
        raise UsageError("EP505", message, hint="map='readings.yml'") from None
    return read_mapping(path)
