"""A pipeline from Kafka to Kafka, to be copied and changed: events in, what a query finds out.

It runs with ``spark-submit --packages org.apache.spark:spark-sql-kafka-0-10_2.13:VERSION``, VERSION being
that of Spark. Messages of events are lines of the NDJSON form; those of answers are JSON objects of the
columns that ``detect`` gives. In the folder Spark keeps its checkpoint, and bad messages are put aside there.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.spark_udfs import detect, local_session
from etalis_py.spark_udfs.sources.messages import events_of_messages

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["main", "start"]


def start(spark: SparkSession, said: argparse.Namespace) -> StreamingQuery:
    """Start the pipeline on a session that has Kafka's connector."""
    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", said.servers)
    messages = source.option("subscribe", said.events).option("startingOffsets", "earliest").load()
    events = events_of_messages(messages, bad_records=f"{said.folder}/bad").withWatermark("end", said.delay)
    answers = detect(
        events, {Path(said.query).stem: Path(said.query).read_text()}, background=said.background
    )
    found = answers.selectExpr("query AS key", "to_json(struct(*)) AS value")
    sink = found.writeStream.format("kafka").option("kafka.bootstrap.servers", said.servers)
    sink = sink.option("topic", said.answers).option("checkpointLocation", f"{said.folder}/checkpoint")
    return (sink.trigger(availableNow=True) if said.once else sink).start()


def main() -> None:
    """Run the pipeline until it is stopped; with ``--once`` to the end of what is there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name in ("servers", "events", "answers", "query", "folder"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--background", nargs="*", default=[])
    parser.add_argument("--delay", default="10 seconds", help="how late an event may come")
    parser.add_argument("--once", action="store_true")
    start(local_session("kafka"), parser.parse_args()).awaitTermination()


if __name__ == "__main__":
    main()
