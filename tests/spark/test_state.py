"""State on Spark: one partition, which is said, and the answers of one engine."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from etalis_py.spark_udfs import detect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERY = "PREFIX : <urn:> SELECT ?x { ?x :ask :now FILTER (prolog:closed(?x)) }"
RULES = (
    ":- prefix('', 'urn:').\n"
    ':- state(closed(Segment), begins("?Segment :status :closed"), ends("?Segment :status :open")).\n'
)


@pytest.mark.spark
def test_one_partition_has_the_state(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "roads.pl").write_text(RULES)
    happens = [
        (1, "status", "closed"),
        (2, "ask", "now"),
        (3, "status", "open"),
        (4, "ask", "now"),
        (5, "not", "x"),
    ]
    rows = [
        (time, f"<urn:{segment}>", f"<urn:{predicate}>", f"<urn:{what}>")
        for segment in "abcdefgh"
        for time, predicate, what in happens
    ]
    events = spark.createDataFrame(rows, "start long, s string, p string, o string")
    with caplog.at_level(logging.WARNING):
        answers = detect(events, QUERY, rules=[str(tmp_path / "roads.pl")])
    assert "roads.pl, line 2: closed/1 is state, that of the whole stream" in caplog.text
    rows = answers.selectExpr("x.value AS x", "unix_micros(end) AS end").collect()
    found = sorted((row["x"], row["end"]) for row in rows)
    assert found == [(f"urn:{each}", 2) for each in "abcdefgh"]


@pytest.mark.spark
def test_a_state_can_ask_for_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    rules = RULES.replace('"?Segment :status :closed"', '"STREAM :police { ?Segment :status :closed }"')
    (tmp_path / "roads.pl").write_text(rules)
    rows = [
        (1, "<urn:a>", "<urn:status>", "<urn:closed>", "<urn:police>"),
        (1, "<urn:b>", "<urn:status>", "<urn:closed>", "<urn:rumours>"),
        *((2, f"<urn:{segment}>", "<urn:ask>", "<urn:now>", "<urn:drivers>") for segment in "abc"),
    ]
    events = spark.createDataFrame(rows, "start long, s string, p string, o string, stream string")
    answers = detect(events, QUERY, rules=[str(tmp_path / "roads.pl")])
    assert [row["x"] for row in answers.selectExpr("x.value AS x").collect()] == ["urn:a"]
