"""What is wrong with the arguments of ``detect`` is told before Spark does anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from etalis_py.core.errors import UsageError
from etalis_py.spark_udfs import Metrics, detect
from etalis_py.spark_udfs.planning.arguments import query_texts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERY = "SELECT ?x { ?x <urn:p> ?y }"


class Frame:
    """As much of a DataFrame as is looked at first."""

    isStreaming = False  # noqa: N815 - Spark's name for it
    columns: ClassVar[list[str]] = []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"events": [(1, "<urn:a>")]}, "EP504 the events are no DataFrame of Spark's but a builtins.list"),
        ({"query": None}, "EP505 query is None"),
        ({"query": [QUERY]}, "EP505 query is ['SELECT"),
        ({"query": {}}, "EP505 query is {}"),
        ({"query": {"warm": 5}}, "EP505 query is {'warm': 5}"),
        ({"query": "warm.rq"}, "hint: the text of the file: open('warm.rq').read()"),
        ({"background": None}, "EP505 background cannot be None"),
        ({"rules": [5]}, "EP505 rules cannot be [5]"),
        ({"entailment": "owl"}, "EP505 entailment cannot be 'owl'"),
        ({"policy": "newest"}, "EP505 policy cannot be 'newest'"),
        ({"max_derivations": "many"}, "EP505 max_derivations cannot be 'many'"),
        ({"metrics": Metrics}, "hint: metrics = Metrics(), and hand that over"),
        ({"columns": ["x"]}, "EP509 columns is ['x']"),
        ({"time_unit": "sec"}, "EP505 time_unit cannot be 'sec'"),
        ({"partitions": 0}, "EP505 partitions cannot be 0"),
        ({"partitions": "3"}, "EP505 partitions cannot be '3'"),
        ({"on_late": "drop"}, "EP506 on_late is not for a batch DataFrame\nhint: that has no late rows"),
    ],
)
def test_an_argument_that_cannot_be(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        detect(**{"events": Frame(), "query": QUERY, **wrong})
    assert message in str(caught.value)


def test_queries_by_name() -> None:
    assert query_texts(QUERY) == {"query": QUERY}
    assert query_texts({"a": QUERY}) == {"a": QUERY}


@pytest.mark.spark
def test_types_of_spark_and_one_path(spark: SparkSession, tmp_path: Path) -> None:
    from pyspark.sql.types import DoubleType

    (tmp_path / "onto.ttl").write_text(
        "<urn:q> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <urn:p> ."
    )
    row = (1, "<urn:a>", "<urn:q>", '"5"^^<http://www.w3.org/2001/XMLSchema#integer>')
    events = spark.createDataFrame([row], "start long, s string, p string, o string")
    columns: Any = {"y": DoubleType()}
    found = detect(
        events, "SELECT ?y { ?x <urn:p> ?y }", background=str(tmp_path / "onto.ttl"), columns=columns
    )
    assert [answer.y for answer in found.collect()] == [5.0]


@pytest.mark.spark
def test_a_column_of_texts_that_are_times(spark: SparkSession) -> None:
    events = spark.createDataFrame([], "start string, s string, p string, o string")
    with pytest.raises(UsageError) as caught:
        detect(events, QUERY)
    assert 'events.withColumn("start", events["start"].cast("timestamp"))' in str(caught.value)
