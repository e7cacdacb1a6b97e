"""A window of a second by key on Spark, in a process of its own: by ``detect``, or grouped by Spark SQL.

Run: python -m tests.benchmarks.spark_window engine|plain|sql[,...] CORES EVENTS

Count and sum of each key when the window closes, as ``window-tumbling`` of ``etalis bench --peers``. All read
Parquet files and throw their answers away. ``sql`` groups by key and ``window(...)``; it takes numbers out of
their texts. ``plain`` is ``detect`` with columns of plain values. Prints JSON as ``spark_run`` does.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.peers.streams import mixed
from tests.benchmarks.spark_join import write_table
from tests.benchmarks.spark_run import compare

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["answers_of", "write_events"]

QUERY = f"""PRAGMA window-bounds closed-open
PREFIX : <{PREFIX}>
SELECT ?x (COUNT(*) AS ?n) (SUM(?v) AS ?sum) FROM NAMED WINDOW :w ON <urn:etalis:default> [RANGE 1s TUMBLING]
{{ WINDOW :w {{ ?x :p ?v }} }} GROUP BY ?x"""
SQL = f"""
    SELECT s AS x, count(*) AS n, sum(CAST(split_part(o, '"', 2) AS BIGINT)) AS sum FROM {{events}}
    WHERE p = '<{PREFIX}p>' GROUP BY s, window(timestamp_micros(start), '1 second')"""
COLUMNS = {"x": "string", "n": "bigint", "sum": "bigint"}


def write_events(folder: Path, count: int) -> None:
    """Values of random keys, a thousand a second; each comes once in a window."""
    write_table(folder, mixed(count, "p"))


def answers_of(session: SparkSession, how: str, path: Path) -> DataFrame:
    """The answers of the engine or of Spark, to be found by an action."""
    from etalis_py.spark_udfs import detect

    frame = session.read.parquet(str(path))
    if how == "sql":
        return session.sql(SQL, events=frame)
    return detect(frame, QUERY, columns=COLUMNS if how == "plain" else {})


if __name__ == "__main__":
    compare(__doc__, write_events, answers_of)
