"""Results in Parquet, for other programs: columns ``start``, ``end`` (timestamp, UTC) and the variables.

Terms are N-Triples text, an unbound variable is null. A CONSTRUCT or DESCRIBE gives the columns of a
stream file (start, end, s, p, o, graph), so that it can be read as a stream again. A document belongs to one
query; with ``at_mode`` there are no times (and no graph).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, BinaryIO, Final

from etalis_py.core.errors import UsageError
from etalis_py.core.terms import ntriples
from etalis_py.core.times import format_time
from etalis_py.engine.answer_table import interval_names
from etalis_py.engine.matches import Match
from etalis_py.results.base import Form, OneQueryWriter, QueryHead, columns_of
from etalis_py.results.nquads_writer import graph_name

__all__ = ["ParquetWriter"]

_GROUP_ROWS: Final = 65_536


class ParquetWriter(OneQueryWriter):
    """Writes a row group whenever it has 65,536 rows; the file is whole only after `close`.

    Raises UsageError (EP528) for a time beyond what 64 bits of microseconds hold.
    """

    format = "parquet"
    forms: tuple[Form, ...] = ("select", "construct", "describe")

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        self._rows: list[tuple[Any, ...]] = []
        self._number = 0
        self._writer: Any = None
        super().__init__(file, heads, at_mode=at_mode)

    def write_all(self, matches: Iterable[Match]) -> None:
        """Keep the rows until there are enough for a row group."""
        for match in matches:
            self._accept(match)
            if not self._at_mode and not -(2**63) <= match.start <= match.end < 2**63:
                far = format_time(match.start if match.start < -(2**63) else match.end)
                raise UsageError("EP528", f"parquet cannot hold the time {far}", hint="use ndjson")
            self._number += 1
            times = () if self._at_mode else (match.start, match.end)
            if match.encoded_triples is None:
                cells = (None if term is None else ntriples(term) for term in match.values)
                self._rows.append((*times, *cells))
            else:
                graph = () if self._at_mode else (ntriples(graph_name(match, self._number)),)
                self._rows += [(*times, *map(ntriples, spo), *graph) for spo in match.encoded_triples]
        if len(self._rows) >= _GROUP_ROWS:
            self._write_group()

    def _write_group(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        head = self._head or QueryHead("query")
        variables = columns_of(head)
        moment = pa.timestamp("us", tz="UTC")
        times = [] if self._at_mode else [(name, moment) for name in interval_names(variables)]
        texts = [*variables, "graph"] if head.form != "select" and not self._at_mode else variables
        schema = pa.schema([*times, *((name, pa.string()) for name in texts)])
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._file, schema)
        columns = list(zip(*self._rows, strict=True)) or [()] * len(schema)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
        self._rows = []

    def close(self) -> None:
        """Write the last row group and the end of the file."""
        if self._rows or self._writer is None:
            self._write_group()
        self._writer.close()
        self._file.flush()
