"""Spark's workers start the SWI-Prolog that the environment was made for, with no swipl on PATH."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def ask(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
    import os

    os.environ["PATH"] = "/usr/bin:/bin"
    import janus_swi  # noqa: TID251 - what is tested is the embedding itself
    import pyarrow as pa

    for batch in batches:
        answer = janus_swi.query_once("current_prolog_flag(home, Home), X is 2 ** 70 rdiv 2 ** 69")
        yield pa.RecordBatch.from_pydict(
            {"x": [answer["X"]] * batch.num_rows, "home": [answer["Home"]] * batch.num_rows}
        )


def test_every_worker_has_its_prolog(spark: SparkSession) -> None:
    rows = spark.range(4, numPartitions=2).mapInArrow(ask, "x long, home string").collect()
    assert [row.x for row in rows] == [2, 2, 2, 2]
    assert len({row.home for row in rows}) == 1
