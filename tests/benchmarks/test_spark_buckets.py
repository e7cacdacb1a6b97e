"""The benchmark of buckets runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.spark_buckets import MICRO_BATCHES, events, seconds
from tests.spark.streaming.streams import state_in_rocks_db, write_micro_batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.spark
@pytest.mark.long
def test_a_micro_batch_takes_time(spark: SparkSession, tmp_path: Path) -> None:
    write_micro_batches(tmp_path / "in", (events(9, at) for at in range(MICRO_BATCHES)))
    with state_in_rocks_db(spark):
        assert seconds(spark, tmp_path, 2) > 0
