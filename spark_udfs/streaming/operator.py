"""The stateful operator of Spark: rows go by the number of their bucket to what has its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from etalis_py.spark_udfs.streaming.packing import ANSWER_SCHEMA, PACKED_SCHEMA, PackTask
from etalis_py.spark_udfs.streaming.processor import BucketProcessor

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["BUCKETS", "bucket_column", "in_buckets"]

BUCKETS: Final = 32
"""How many buckets, where it is not said."""


def bucket_column(key: Column, count: int) -> Column:
    """The number of a row's bucket; what is no event goes into the first, to be found there."""
    from pyspark.sql import functions as f

    if count == 1:
        return f.lit(0)
    return f.coalesce(f.pmod(f.xxhash64(key), f.lit(count)).cast("int"), f.lit(0))


def in_buckets(rows: DataFrame, processor: BucketProcessor, prompted: int = 1) -> DataFrame:
    """What the buckets give for rows with the column ``bucket``, packed; ``prompted`` as of `PackTask`."""
    any_processor: Any = processor  # no subclass of Spark's, which would have to be imported
    return (
        rows.mapInArrow(PackTask(prompted), PACKED_SCHEMA)
        .groupBy("bucket")
        .transformWithStateInPandas(any_processor, ANSWER_SCHEMA, "append", "eventTime")
    )
