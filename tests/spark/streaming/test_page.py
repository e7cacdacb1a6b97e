"""docs/spark-streaming.md: its example runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.spark.streaming.streams import state_in_rocks_db

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = Path(__file__).resolve().parents[3] / "docs" / "spark-streaming.md"
ROWS = [
    ("2026-03-02T08:00:00Z", "box2", "unloaded", "dock"),
    ("2026-03-02T09:15:00Z", "box2", "cooled", "fridge"),
    ("2026-03-03T09:15:00Z", "box9", "sold", "shop"),
]


@pytest.mark.spark
def test_the_example(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    for number, (start, *terms) in enumerate(ROWS):
        row = {
            "start": start,
            **{name: f"<urn:cold:{term}>" for name, term in zip("spo", terms, strict=True)},
        }
        (tmp_path / "events" / f"{number}.json").write_text(json.dumps(row))
    found = re.search(r"<!-- streaming -->\n```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    example = found[1]
    for name in ("events", "answers", "checkpoint"):  # the session has a folder of its own
        example = example.replace(f'"{name}"', repr(str(tmp_path / name)))
    with state_in_rocks_db(spark):
        exec(example, {})
    (answer,) = spark.read.parquet(str(tmp_path / "answers")).collect()
    assert (answer.box.value, answer.outside.value) == ("urn:cold:box2", "PT1H15M")
