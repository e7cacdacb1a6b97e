"""The disk of a stream's checkpoint is full: the stream ends with that, and goes on where there is room."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from etalis_py.core.errors import RunTimeError
from etalis_py.spark_udfs import detect, project_errors
from tests.spark.faults.conftest import SmallDisk
from tests.spark.streaming.streams import (
    SECOND,
    read_micro_batches,
    run_to_end,
    state_in_rocks_db,
    write_micro_batches,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEQ = "SELECT ?x ?y { { ?x <urn:p> ?y } SEQ { ?x <urn:q> ?z } }"
THINGS = 300


def events(second: int, predicate: str, text: str) -> list[tuple[int, int, str, str, str]]:
    time = second * SECOND
    return [(time, time, f"<urn:{i}>", f"<urn:{predicate}>", f'"{text}{i:09}"') for i in range(THINGS)]


@pytest.mark.spark
@pytest.mark.long
def test_a_full_state_store(spark: SparkSession, small_disk: SmallDisk, tmp_path: Path) -> None:
    batches = [events(1, "p", "a" * 100), events(2, "q", "b"), [*events(9, "r", "c")[:1]]]
    write_micro_batches(tmp_path / "in", batches)
    (tmp_path / "check").mkdir()
    small_disk(tmp_path / "check", 48)
    with state_in_rocks_db(spark):
        stream = detect(read_micro_batches(spark, tmp_path / "in"), SEQ, buckets=2)
        with pytest.raises(RunTimeError, match="EP615"), project_errors():
            run_to_end(stream, tmp_path)
        small_disk(tmp_path / "check", 32_000)
        found = run_to_end(stream, tmp_path)
    assert Counter(row.x.value for row in found) == Counter(f"urn:{i}" for i in range(THINGS))
