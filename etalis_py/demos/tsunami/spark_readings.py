"""Cleaning with Spark windows: what ``clean`` does, on any number of readings.

Columns in: ``buoy`` (string), ``second``, ``kind``, ``height_mm`` (long), as a ``Recording`` has them.
Columns out: ``buoy``, ``second``, ``height_mm``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from etalis_py.demos.tsunami.dart import MISSING_MM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from etalis_py.demos.tsunami.dart import Recording

__all__ = ["cleaned", "events_of", "rows_of"]


def rows_of(spark: SparkSession, recordings: Sequence[Recording]) -> DataFrame:
    """The rows of recordings as a DataFrame, handed over as Arrow columns."""
    import pyarrow as pa

    tables = [
        pa.table(
            {
                "buoy": pa.array([recording.buoy], pa.string()).take(
                    pa.array([0] * len(recording.second), pa.int64())
                ),
                "second": recording.second,
                "kind": recording.kind,
                "height_mm": recording.height_mm,
            }
        )
        for recording in recordings
    ]
    return spark.createDataFrame(pa.concat_tables(tables))


def cleaned(rows: DataFrame) -> DataFrame:
    """Missing heights dropped; of several readings of one instant the greatest T, then the lowest height."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    instant = Window.partitionBy("buoy", "second").orderBy(f.desc("kind"), f.asc("height_mm"))
    return (
        rows.where(f.col("height_mm") != MISSING_MM)
        .withColumn("rank", f.row_number().over(instant))
        .where(f.col("rank") == 1)
        .select("buoy", "second", "height_mm")
    )


def events_of(readings: DataFrame) -> DataFrame:
    """The stream of readings, as ``stream.to_events`` makes it, in no order."""
    return readings.mapInArrow(_to_events, "start long, end long, s string, p string, o string")


def _to_events(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    from etalis_py.demos.tsunami.stream import to_events

    for batch in batches:
        for table in to_events(pa.Table.from_batches([batch])):
            yield from table.to_batches()
