"""What a run counts, as Spark adds it up."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from etalis_py.core.errors import UsageError
from etalis_py.spark_udfs import Metrics, detect
from etalis_py.spark_udfs.execution.metrics import Counts, QueryCounts
from tests.spark.conftest import Done

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
def test_counts_of_stages_one_of_which_needs_all_events(spark: SparkSession) -> None:
    """``next`` is cut in two, as its key changes; ``all`` takes whatever happens."""
    queries = {
        "next": "SELECT ?y { { ?x <urn:p> ?y } SEQ { ?y <urn:p> ?z } }",
        "all": "SELECT ?s ?p ?o { ?s ?p ?o }",
    }
    rows = [(1, "<urn:a>", "<urn:p>", "<urn:b>"), (2, "<urn:b>", "<urn:p>", "<urn:c>")]
    rows += [(3, "<urn:c>", "<urn:other>", "<urn:d>")]
    metrics = Metrics("stages")
    answers = detect(spark.createDataFrame(rows, COLUMNS), queries, metrics=metrics)
    assert answers.count() == 4
    assert (metrics.get.events, metrics.get.dropped) == (3, 0)
    assert {name: each.matches for name, each in metrics.get.queries.items()} == {"next": 1, "all": 3}


@pytest.mark.spark
def test_counts_without_events(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    metrics = Metrics()
    with caplog.at_level(logging.ERROR):
        answers = detect(spark.createDataFrame([], COLUMNS), QUERIES["rise"], metrics=metrics)
    assert answers.collect() == []
    assert metrics.get == Counts(queries={"query": QueryCounts()})


def test_nothing_of_a_batch_was_counted() -> None:
    with pytest.raises(UsageError, match=r"EP506 metrics\.get is for a batch"):
        Metrics().get  # noqa: B018 - a property


@pytest.mark.spark
def test_progress_is_told_on_the_terminal(both: Callable[[str], tuple[Done, Done]], tmp_path: Path) -> None:
    (tmp_path / "rise.rq").write_text(QUERIES["rise"])
    rows = ["start,s,p,o", "3,<urn:a>,<urn:low>,<urn:b>", "1,<urn:a>,<urn:low>,<urn:b>"]
    rows += [f"{time},<urn:a>,<urn:{name}>,<urn:b>" for time, name in ((4, "high"), (5, "other"), (6, "low"))]
    (tmp_path / "s.csv").write_text("\n".join([*rows, ""]))
    here, there = both("run rise.rq --stream s.csv --on-late drop --progress")
    assert (here.code, here.err.splitlines()[0]) == (2, "EP506 --progress needs --engine spark")
    assert there.code == 0
    told = there.err.splitlines()
    assert "5 events, 1 left out before the shuffle, 1 late" in told
    assert "rise: 1 match, 2 goals waiting at the end" in told
