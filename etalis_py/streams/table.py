"""Events that a program has at hand: an Arrow table, a record batch or a dict of lists, as batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from etalis_py.errors import DataError, Place
from etalis_py.streams.arrow import check_schema, raw_columns
from etalis_py.streams.batch import Batch
from etalis_py.streams.columns import COLUMNS, RawColumns, RowReader
from etalis_py.streams.problems import check_columns

__all__ = ["batches_of"]

SOURCE: Final = "table"


def batches_of(table: Any, *, reader: RowReader | None = None, batch_rows: int = 8192) -> Iterator[Batch]:
    """Batches of a table with the columns start, end, s, p, o, graph of a stream file.

    ``end`` (= start) and ``graph`` may be missing. Terms are N-Triples text; times are integer microseconds
    or ``xsd:dateTime`` text, in an Arrow table also timestamps. A ``reader`` that is used for many small
    tables keeps the terms it has read.

    Raises DataError after the rows before it: EP404, EP407 to EP410, EP415, EP417 as `open_stream` does.

    >>> table = {"start": [5], "s": ["<urn:a>"], "p": ["<urn:p>"], "o": ['"x"']}
    >>> [(batch.start, batch.s) for batch in batches_of(table)]
    [([5], ['urn:a'])]
    """
    reader = reader or RowReader(SOURCE)
    raws = _raw_dict(table, reader.source, batch_rows) if isinstance(table, Mapping) else None
    if raws is None:
        raws = _raw_arrow(table, reader.source, batch_rows)
    for raw in raws:
        batch, wrong = reader.read(raw)
        if len(batch):
            yield batch
        if wrong is not None:
            raise wrong


def _raw_dict(table: Mapping[str, Any], source: str, batch_rows: int) -> Iterator[RawColumns]:
    check_columns([str(name) for name in table], source)
    columns = {name: list(table[name]) for name in COLUMNS if table.get(name) is not None}
    lengths = {name: len(column) for name, column in columns.items()}
    count = lengths["start"]
    if set(lengths.values()) != {count}:
        told = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise DataError(
            "EP417",
            f"the columns have different lengths: {told}",
            place=Place(source),
            hint="each row of the table is one event",
        )
    s, p, o = (columns[name] for name in "spo")
    raw = RawColumns(columns["start"], columns.get("end"), s, p, o, columns.get("graph"), range(1, count + 1))
    for first in range(0, count, batch_rows):
        yield raw.part(first, first + batch_rows)


def _raw_arrow(table: Any, source: str, batch_rows: int) -> Iterator[RawColumns]:
    import pyarrow as pa

    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    if not isinstance(table, pa.Table):
        raise DataError(
            "EP417",
            f"this is no table but {type(table).__name__}",
            place=Place(source),
            hint="give an Arrow table or a dict of lists",
        )
    names = check_schema(table.schema, source)
    row = 1
    for record in table.to_batches(max_chunksize=batch_rows):
        yield raw_columns(record, names, source, row)
        row += record.num_rows
