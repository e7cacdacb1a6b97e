"""How far Spark is: told while it works, and shown where standard error is a terminal."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from etalis_py.spark_udfs.session.session import run_interruptibly
from etalis_py.spark_udfs.session.tasks import Tasks

pytestmark = pytest.mark.spark


def test_it_is_told_while_a_job_runs(spark: SparkSession, tmp_path: Path) -> None:
    seen: list[Tasks] = []
    told = tmp_path / "told"

    def until_told(number: int) -> int:
        while not told.exists():
            time.sleep(0.01)
        return number

    def note(tasks: Tasks) -> None:
        seen.append(tasks)
        if tasks.total:
            told.touch()

    job = spark.sparkContext.parallelize([1, 2, 3], 3).map(until_told)
    assert run_interruptibly(spark, job.sum, note) == 6
    assert max(tasks.total for tasks in seen) == 3
    assert all(0 <= tasks.done <= tasks.total for tasks in seen)
