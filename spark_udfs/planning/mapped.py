"""DataFrames with columns of any names as events, as a mapping in YARRRML says (docs/data.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from etalis_py.core.times import TimeUnit
from etalis_py.engine.option_values import check_time_unit
from etalis_py.spark_udfs.execution.failures import sent_home
from etalis_py.spark_udfs.planning.arguments import check_events
from etalis_py.spark_udfs.session.interpreter import check_workers
from etalis_py.spark_udfs.sources.rows import SCHEMA, arrow_schema, storable, to_record_batch
from etalis_py.streams.columns import RowReader
from etalis_py.streams.mapping.arrow_records import columns_within, records_of
from etalis_py.streams.mapping.mapped_rows import MappedRows
from etalis_py.streams.mapping.mapped_tables import MapFile, mapping_of
from etalis_py.streams.mapping.yarrrml import StreamMap

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["mapped"]

_SOURCE = "events"


def mapped(
    events: DataFrame,
    map: MapFile,  # noqa: A002 - the word of the command line
    *,
    time_unit: TimeUnit | None = None,
) -> DataFrame:
    """A DataFrame of events in the columns that ``detect`` takes, of one with columns of any names.

    For a batch ``detect(events, query, map=...)`` does the same. Of a stream the watermark comes behind it:
    ``mapped(rows, "readings.yml").withWatermark("end", "10 seconds")``.

    Args:
        events: a batch or a stream of Spark, whose columns the mapping names.
        map: the path of a file in YARRRML, which the driver reads; its sources are not looked at.
        time_unit: the unit of times that are numbers, where the mapping has none.

    Raises:
        DataError: EP431 to EP434 for the mapping, EP435 for a column that is not there. What is wrong with a
            row shows in an action, as of ``detect``.
        UsageError: EP504 no DataFrame, EP505 no such unit.
        RunTimeError: EP612, EP613 the workers' Python is not one that can run this.
    """
    from pyspark.sql.types import StructType

    check_events(events)
    check_time_unit(time_unit)
    said = mapping_of(map)
    check_workers(events.sparkSession)
    names = MappedRows(said.parts, RowReader(_SOURCE), time_unit).wanted().names
    columns = columns_within(names, events.columns, _SOURCE)
    rows = events.select(*(f"`{name}`" for name in columns))
    schema = arrow_schema(StructType.fromDDL(SCHEMA))
    return rows.mapInArrow(_maker(said, time_unit, schema), SCHEMA)


def _maker(
    said: StreamMap, time_unit: TimeUnit | None, schema: pa.Schema
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What a task does with its rows."""

    def make(records: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = MappedRows(said.parts, RowReader(_SOURCE, unit=time_unit), time_unit)
        wanted = rows.wanted()
        number = 1
        with sent_home():
            for record in records:
                columns = {name: record.column(name) for name in record.schema.names}
                for batch in storable(rows.read(records_of(columns, wanted, _SOURCE, number)), None):
                    yield to_record_batch(batch, schema)
                number += record.num_rows

    return make
