"""Cleaning and the four running means with Spark windows: what ``clean`` and ``means`` do, on any number of
readings.

Columns in: ``buoy`` (string), ``second``, ``kind``, ``height_mm`` (long), as a ``Recording`` has them.
Columns out: ``buoy``, ``second``, ``height_mm`` and, per mean, ``mean<i>`` (metres) and ``age<i>``
(seconds), null where a window held no reading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from etalis_py.demos.tsunami.dart import MISSING_MM
from etalis_py.demos.tsunami.means import HOUR, LATEST, MEANS, SPAN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from etalis_py.demos.tsunami.dart import Recording

__all__ = ["cleaned", "events_of", "rows_of", "with_means"]


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


def with_means(readings: DataFrame) -> DataFrame:
    """Add the four means: sums of whole millimetres and seconds over a range of seconds, divided once."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    by_time = Window.partitionBy("buoy").orderBy("second")
    result = readings
    for i in range(MEANS):
        newest = -(i * HOUR + LATEST)  # the window is open at its old end, and seconds are whole
        window = by_time.rangeBetween(newest - SPAN + 1, newest)
        count = f.count("second").over(window)
        some = f.when(count > 0, count)
        result = result.withColumn(
            f"mean{i}", f.sum("height_mm").over(window).cast("double") / (some * 1000).cast("double")
        ).withColumn(
            f"age{i}",
            (some * f.col("second") - f.sum("second").over(window)).cast("double") / some.cast("double"),
        )
    return result


def events_of(readings: DataFrame) -> DataFrame:
    """The stream of readings with means, as ``stream.to_events`` makes it, in no order."""
    return readings.mapInArrow(_to_events, "start long, end long, s string, p string, o string")


def _to_events(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    from etalis_py.demos.tsunami.stream import to_events

    for batch in batches:
        for table in to_events(pa.Table.from_batches([batch])):
            yield from table.to_batches()
