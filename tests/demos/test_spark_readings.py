"""Spark cleans as this process does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from etalis_py.demos.tsunami.clean import clean
from etalis_py.demos.tsunami.dart import MISSING_MM, Recording
from etalis_py.demos.tsunami.stream import readings_table, to_events

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def recording(buoy: str, seed: int) -> Recording:
    """Readings at random times, some of them twice, some missing, in no order."""
    random = np.random.default_rng(seed)
    count = 600
    second = 1_300_000_000 + random.integers(0, 3_000, count)
    height = random.integers(5_000_000, 5_010_000, count)
    height[random.random(count) < 0.1] = MISSING_MM
    return Recording(buoy, second, random.integers(1, 4, count), height)


@pytest.mark.spark
def test_cleaning_and_stream_are_the_same(spark: SparkSession) -> None:
    from etalis_py.demos.tsunami.spark_readings import cleaned, events_of, rows_of

    recordings = [recording("21418", 1), recording("21413", 2)]
    expected = readings_table([clean([each]) for each in recordings])
    frame = cleaned(rows_of(spark, recordings))
    on_spark = frame.toArrow().sort_by([("second", "ascending"), ("buoy", "ascending")])
    assert on_spark.column_names == expected.column_names
    assert on_spark.to_pylist() == expected.to_pylist()
    assert sorted(map(str, events_of(frame).toArrow().to_pylist())) == sorted(
        str(row) for table in to_events(expected) for row in table.to_pylist()
    )
