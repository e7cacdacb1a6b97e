"""How long a micro-batch takes with so many buckets: python -m tests.benchmarks.spark_buckets KEYS BUCKETS...

With many more buckets than keys, each key has one of its own: that is state by key. One event a key and
micro-batch; prints, for each number of buckets, the median of the micro-batches after the first two, and its
ratio to the first number's.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from etalis_py.spark_udfs import detect, local_session
from tests.spark.streaming.streams import SECOND, Event, read_micro_batches, write_micro_batches

QUERY = """SELECT ?x ?y ?z { { ?x <urn:p> ?y } SEQ { ?x <urn:q> ?z }
             FILTER (getDURATION() < "PT10S"^^xsd:dayTimeDuration) }"""
MICRO_BATCHES = 7


def main(keys: int, numbers: list[int]) -> None:
    """Measure all of them in one session."""
    spark = local_session("buckets")
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    first = None
    with TemporaryDirectory() as name:
        micro_batches = (events(keys, at) for at in range(1, MICRO_BATCHES + 1))
        write_micro_batches(Path(name) / "in", micro_batches)
        for number in numbers:
            took = seconds(spark, Path(name), number)
            first = first or took
            print(f"{keys} keys, {number} buckets: {took:.2f} s a micro-batch, {took / first:.1f} times")


def events(keys: int, at: int) -> list[Event]:
    """One event of each key."""
    time, predicate = at * SECOND, "pq"[at % 2]
    return [(time, time, f"<urn:{key}>", f"<urn:{predicate}>", "<urn:v>") for key in range(keys)]


def seconds(spark: SparkSession, folder: Path, buckets: int) -> float:
    """The median time of a micro-batch."""
    answers = detect(read_micro_batches(spark, folder / "in"), QUERY, buckets=buckets)
    writer = answers.writeStream.format("noop").option("checkpointLocation", str(folder / f"check{buckets}"))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    took = [each["durationMs"]["triggerExecution"] for each in query.recentProgress if each["numInputRows"]]
    return median(took[2:]) / 1000


if __name__ == "__main__":
    main(int(sys.argv[1]), [int(each) for each in sys.argv[2:]])
