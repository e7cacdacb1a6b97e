"""A two-step SEQ with a join key: ``detect`` on all cores against one engine in one process, in the same run.

Run: python tests/benchmarks/spark_seq.py [--events N] [--keys N] [--runs N]

Both read the same Parquet file in chunks of 50,000 events, and both make Arrow columns of their answers,
which are thrown away. Spark is warm: its first run is not counted. The figure to quote is the ratio.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from etalis_py.column_engine import ColumnEngine
from etalis_py.spark_udfs import detect, local_session
from etalis_py.spark_udfs.answers import StructForm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

XSD_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
CHUNK = 50_000
STEP = 1_000  # microseconds from one event to the next


def query_for(keys: int) -> str:
    """A window that keeps one goal a key alive, so that each second step has one partner."""
    window = f'"PT{2 * keys * STEP / 1_000_000}S"^^xsd:duration'
    steps = "{ ?x <urn:p> ?a } SEQ { ?x <urn:q> ?b }"
    return f"SELECT * {{ {steps} FILTER(getDURATION() < {window}) }}"


def write_events(path: Path, events: int, keys: int) -> None:
    """The stream, in order."""
    with pq.ParquetWriter(
        path, pa.schema([("start", pa.int64()), *((name, pa.string()) for name in "spo")])
    ) as file:
        for first in range(0, events, CHUNK):
            numbers = range(first, min(first + CHUNK, events))
            columns = {
                "start": [number * STEP for number in numbers],
                "s": [f"<urn:k{number // 2 % keys}>" for number in numbers],
                "p": ["<urn:p>" if number % 2 == 0 else "<urn:q>" for number in numbers],
                "o": [f'"{number % 1000}"^^<{XSD_INTEGER}>' for number in numbers],
            }
            file.write_table(pa.table(columns))


def plain_seconds(path: Path, query: str) -> tuple[float, int]:
    """Seconds and answers of one engine in this process."""
    form = StructForm(("x", "a", "b"))
    found = 0
    began = time.perf_counter()
    with ColumnEngine() as engine, pq.ParquetFile(path) as file:
        engine.register(query, name="query")
        for chunk in file.iter_batches(CHUNK):
            engine.send_batch(chunk)
            found += sum(table.num_rows for table in form.tables(engine.answers()))
        engine.finish()
        found += sum(table.num_rows for table in form.tables(engine.answers()))
    return time.perf_counter() - began, found


def spark_seconds(session: SparkSession, path: Path, query: str) -> float:
    """Seconds of Spark, until all answers are there and thrown away."""
    began = time.perf_counter()
    answers = detect(session.read.parquet(str(path)), query)
    answers.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - began


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--events", type=int, default=1_000_000)
    arguments.add_argument("--keys", type=int, default=1_000)
    arguments.add_argument("--runs", type=int, default=3)
    given = arguments.parse_args()
    query = query_for(given.keys)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.parquet"
        write_events(path, given.events, given.keys)
        session = local_session("benchmark")
        spark_seconds(session, path, query)
        assert detect(session.read.parquet(str(path)), query).count() == plain_seconds(path, query)[1]
        plain, spark = [], []
        for _ in range(given.runs):
            plain.append(given.events / plain_seconds(path, query)[0])
            spark.append(given.events / spark_seconds(session, path, query))
        session.stop()
    ratio = statistics.median(a / b for a, b in zip(spark, plain, strict=True))
    speeds = f"one process {statistics.median(plain):,.0f}/s, Spark {statistics.median(spark):,.0f}/s"
    print(f"{speeds}, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
