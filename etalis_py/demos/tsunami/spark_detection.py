"""The queries on Spark, in two stages: what the first one constructs is the stream of the second one.

All but ``basin`` join on the buoy, so that all readings of some buoys make a part. ``basin`` compares buoys:
it runs in one part, on a few alerts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.demos.spark_answers import encoded, in_microseconds
from etalis_py.provision.java import lead_spark_to_java

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from etalis_py.demos.tsunami.detection import Derived

__all__ = ["STAGES", "detect_in_stages", "session"]

STAGES = (("predict", "judge", "alert", "standing"), ("basin",))


def session() -> SparkSession:
    """The Spark that runs already, or a local one as wide as this machine, reachable from here only.

    Raises ``EtalisError`` EP535 where there is no Java for it.
    """
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    lead_spark_to_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": str(os.cpu_count() or 2),
        "spark.ui.enabled": "false",
    }
    return SparkSession.builder.appName("etalis demo tsunami").config(map=settings).getOrCreate()


def detect_in_stages(
    events: DataFrame, queries: Mapping[str, str], background: Sequence[Path]
) -> Iterator[Derived]:
    """Solutions of the queries on a DataFrame with the columns ``start``, ``end``, ``s``, ``p``, ``o``."""
    from etalis_py.spark_udfs import detect

    for stage in STAGES:
        texts = {name: queries[name] for name in stage}
        answers = detect(events, texts, background=[str(path) for path in background]).cache()
        for row in in_microseconds(answers).select("start", "end", "triples").toArrow().to_pylist():
            triples = [(encoded(one["s"]), encoded(one["p"]), encoded(one["o"])) for one in row["triples"]]
            yield row["start"], row["end"], triples
        events = _stream_of(answers)


def _stream_of(answers: DataFrame) -> DataFrame:
    """The triples that solutions constructed, as events with the solutions' times."""
    from pyspark.sql import functions as f

    triples = answers.select("start", "end", f.explode("triples").alias("triple"))
    return triples.select("start", "end", *(_text(f"triple.{name}").alias(name) for name in "spo")).distinct()


def _text(term: str) -> Column:
    """A term's N-Triples text; the demo's literals are numbers, so nothing needs escaping."""
    from pyspark.sql import functions as f

    value = f.col(f"{term}.value")
    return (
        f.when(f.col(f"{term}.type") == "uri", f.concat(f.lit("<"), value, f.lit(">")))
        .when(f.col(f"{term}.type") == "bnode", f.concat(f.lit("_:"), value))
        .otherwise(f.concat(f.lit('"'), value, f.lit('"^^<'), f.col(f"{term}.datatype"), f.lit(">")))
    )
