"""The benchmark of Spark: engine and kernel find the same, and its program says what it should."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

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
@pytest.mark.long
@pytest.mark.parametrize("how", ["engine", "kernel"])
def test_it_runs_by_itself(how: str) -> None:
    command = [sys.executable, "-m", "tests.benchmarks.spark_run", how, "2", "10", "2000", "new"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True, timeout=300)
    told = json.loads(done.stdout)
    assert told["answers"] == 1_000
    assert told["seconds"] > 0
    assert told["worker_peak_bytes"] > 1 << 24
