"""The queries on Spark, in two stages: what the first one constructs is the stream of the second one.

All but ``basin`` join on the buoy, so that all readings of some buoys make a part. ``basin`` compares buoys:
it runs in one part, on a few alerts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.demos.spark_answers import encoded, in_microseconds

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from etalis_py.demos.tsunami.detection import Derived

__all__ = ["STAGES", "detect_in_stages"]

STAGES = (("predict", "judge", "alert", "standing", "arrival", "arrived"), ("basin",))


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
