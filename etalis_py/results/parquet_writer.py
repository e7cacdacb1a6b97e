"""Results in Parquet, for other programs: columns ``start``, ``end`` (timestamp, UTC) and the variables.

Terms are N-Triples text, an unbound variable is null. A CONSTRUCT or DESCRIBE gives the columns of a
stream file (start, end, s, p, o, graph), so that it can be read as a stream again. A document belongs to one
query; with ``at_mode`` there are no times (and no graph).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from etalis_py.core.errors import UsageError
from etalis_py.core.times import format_time
from etalis_py.embedding.cells import flat_graphs
from etalis_py.engine.answer_table import interval_names
from etalis_py.engine.coded_terms import int64_array, ntriples_column
from etalis_py.results.base import OneQueryWriter
from etalis_py.results.blocks import AnswerBlocks, Block
from etalis_py.results.heads import Form, QueryHead, columns_of
from etalis_py.results.nquads_writer import graph_names

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ParquetWriter"]

_GROUP_ROWS: Final = 65_536


class ParquetWriter(OneQueryWriter):
    """Writes a row group whenever it has 65,536 rows; the file is whole only after `close`.

    Raises UsageError (EP528) for a time beyond what 64 bits of microseconds hold.
    """

    format = "parquet"
    forms: tuple[Form, ...] = ("select", "construct", "describe")

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        self._waiting: list[pa.Table] = []
        self._number = 0
        self._writer: Any = None
        super().__init__(file, heads, at_mode=at_mode)

    def _write(self, blocks: AnswerBlocks) -> None:
        """Keep the rows until there are enough for a row group."""
        self._accept(blocks)
        self._waiting += map(self._table, blocks.blocks)
        if sum(table.num_rows for table in self._waiting) >= _GROUP_ROWS:
            self._write_group()

    def _table(self, block: Block) -> pa.Table:
        import pyarrow as pa

        first, self._number = self._number + 1, self._number + len(block)
        columns = [] if self._at_mode else [_moments(block.starts), _moments(block.ends)]
        if block.head.form == "select":
            columns += map(_texts, block.columns)
        else:
            sizes, terms = flat_graphs(block.columns[0])
            rows = pa.array([row for row, size in enumerate(sizes) for _ in range(size)], pa.int64())
            columns = [*(times.take(rows) for times in columns), *map(_texts, terms)]
            if not self._at_mode:
                names = (f"<{name}{number}>" for number, name in enumerate(graph_names(block), first))
                columns.append(pa.array(names, pa.string()).take(rows))
        return pa.Table.from_arrays(columns, schema=self._schema())

    def _schema(self) -> pa.Schema:
        import pyarrow as pa

        head = self._head or QueryHead("query")
        variables = columns_of(head)
        moment = pa.timestamp("us", tz="UTC")
        times = [] if self._at_mode else [(name, moment) for name in interval_names(variables)]
        texts = [*variables, "graph"] if head.form != "select" and not self._at_mode else variables
        return pa.schema([*times, *((name, pa.string()) for name in texts)])

    def _write_group(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = self._schema()
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._file, schema)
        group = pa.concat_tables([schema.empty_table(), *self._waiting]).combine_chunks()
        self._writer.write_table(group)
        self._waiting = []

    def close(self) -> None:
        """Write the last row group and the end of the file."""
        if self._waiting or self._writer is None:
            self._write_group()
        self._writer.close()
        self._file.flush()


def _texts(values: Sequence[Any]) -> pa.Array:
    import pyarrow as pa

    return ntriples_column(values).cast(pa.string())


def _moments(times: Sequence[int]) -> pa.Array:
    import pyarrow as pa

    try:
        return int64_array(times).view(pa.timestamp("us", "UTC"))
    except OverflowError:
        far = next(time for time in times if not -(2**63) <= time < 2**63)
        message = f"parquet cannot hold the time {format_time(far)}"
        raise UsageError("EP528", message, hint="use ndjson") from None
