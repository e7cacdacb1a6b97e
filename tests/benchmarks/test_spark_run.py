"""The benchmarks of Spark: all find the same answers, and their programs say what they should."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks import spark_join, spark_window
from tests.benchmarks.spark_run import PROJECT, answers_of, write_events

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COUNT, KEYS = 2_000, 7


@pytest.mark.spark
def test_engine_and_kernel_find_the_same(spark: SparkSession, tmp_path: Path) -> None:
    write_events(tmp_path / "events", COUNT, KEYS)
    found = {
        how: sorted(map(tuple, answers_of(spark, how, tmp_path / "events", KEYS).collect()))
        for how in ("kernel", "plain")
    }
    assert len(found["kernel"]) == COUNT // 2
    plain = [(x, a, b) for _, _, _, x, a, b, _ in found["plain"]]
    assert sorted(plain) == sorted((x, a, b) for x, a, b, _, _ in found["kernel"])


@pytest.mark.spark
@pytest.mark.parametrize("how", ["sql", "bins"])
def test_engine_and_spark_sql_find_the_same(how: str, spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "events"
    spark_join.write_events(path, 5_000)
    joined = spark_join.answers_of(spark, how, path).collect()
    found = spark_join.answers_of(spark, "plain", path).select("x", "a", "b").collect()
    plain = [(row.x[1:-1], int(row.a.split('"')[1]), int(row.b.split('"')[1])) for row in joined]
    assert sorted(map(tuple, found)) == sorted(plain)
    assert len(found) > 2_000


@pytest.mark.spark
def test_engine_and_windows_of_spark_find_the_same(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "events"
    spark_window.write_events(path, 5_000)
    grouped = spark_window.answers_of(spark, "sql", path).collect()
    found = spark_window.answers_of(spark, "plain", path).select("x", "n", "sum").collect()
    assert sorted(map(tuple, found)) == sorted((row.x[1:-1], row.n, row.sum) for row in grouped)
    assert len(found) > 1_000


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.parametrize("how", ["engine", "kernel"])
def test_it_runs_by_itself(how: str) -> None:
    command = [sys.executable, "-m", "tests.benchmarks.spark_run", how, "2", "10", "2000", "new"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True, timeout=300)
    told = json.loads(done.stdout)
    assert told["answers"] == 1_000
    assert told["seconds"] > 0
    assert told["worker_peak_bytes"] > 1 << 24


@pytest.mark.spark
@pytest.mark.long
def test_the_join_runs_by_itself() -> None:
    command = [sys.executable, "-m", "tests.benchmarks.spark_join", "engine,sql", "2", "2000"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True, timeout=300)
    told = json.loads(done.stdout)
    assert told["answers"] > 800
    assert told["speed_to_sql"] > 0
