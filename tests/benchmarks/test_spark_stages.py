"""The benchmark of stages: both programs find as many answers, and have as many stages as they say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from etalis_py.compiler.partition.stages import plan_stages
from etalis_py.spark_udfs.planning.program import QuerySource, compile_all
from tests.benchmarks.spark_stages import answers_of, query_for, write_events

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COUNT, KEYS = 2_000, 7


@pytest.mark.parametrize(("name", "count"), [("one", 1), ("two", 2)])
def test_how_many_stages_there_are(name: str, count: int) -> None:
    (query,) = compile_all([QuerySource(name, query_for(name, KEYS))])
    assert len(plan_stages([query.plan])) == count


@pytest.mark.spark
@pytest.mark.parametrize("name", ["one", "two"])
def test_each_part_is_sold_once(name: str, spark: SparkSession, tmp_path: Path) -> None:
    write_events(tmp_path / "events", COUNT, KEYS)
    assert answers_of(spark, name, tmp_path / "events", KEYS).count() == COUNT // 4
