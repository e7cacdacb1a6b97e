"""What a run counts, as Spark adds it up."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from etalis_py.spark_udfs import Metrics, detect
from etalis_py.spark_udfs.metrics import Counts, QueryCounts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = "start long, s string, p string, o string"
QUERIES = {
    "rise": "SELECT ?x { { ?x <urn:low> ?a } SEQ { ?x <urn:high> ?b } }",
    "made": "CONSTRUCT { ?x <urn:was> ?a } { ?x <urn:low> ?a }",
    "never": "SELECT ?x { ?x <urn:low> <urn:nothing> }",
}


@pytest.mark.spark
def test_counts_of_a_batch(spark: SparkSession) -> None:
    """Ten things are low, three of them become high; what else is told of them no query looks for."""
    rows = [(time, f"<urn:{time % 10}>", "<urn:low>", "<urn:b>") for time in range(10)]
    rows += [(20 + time, f"<urn:{time}>", "<urn:high>", "<urn:b>") for time in range(3)]
    rows += [(30, f"<urn:{number}>", "<urn:other>", "<urn:b>") for number in range(7)]
    events = spark.createDataFrame(rows, COLUMNS)
    metrics = Metrics("rises")
    answers = detect(events, QUERIES, metrics=metrics)
    assert answers.columns == detect(events, QUERIES).columns
    assert answers.count() == 13
    queries = {"rise": QueryCounts(3, 10), "made": QueryCounts(10, 0), "never": QueryCounts()}
    assert metrics.get == Counts(events=20, dropped=7, late=0, queries=queries)


@pytest.mark.spark
def test_counts_without_events(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    metrics = Metrics()
    with caplog.at_level(logging.ERROR):
        answers = detect(spark.createDataFrame([], COLUMNS), QUERIES["rise"], metrics=metrics)
    assert answers.collect() == []
    assert metrics.get == Counts(queries={"query": QueryCounts()})
