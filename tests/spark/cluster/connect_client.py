"""A client of Spark Connect, in a process of its own: what ``detect`` gives there, as JSON.

``python -m tests.spark.cluster.connect_client ADDRESS FOLDER``
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from etalis_py.core.errors import EtalisError
from etalis_py.spark_udfs import detect, project_errors
from etalis_py.spark_udfs.session.session import STATE_STORE
from tests.spark.cluster.page import block

COLUMNS = "start long, s string, p string, o string"
ROWS = [(1, "<urn:a>", "<urn:low>", "<urn:b>"), (2, "<urn:a>", "<urn:up>", '"x"')]
RISE = "SELECT ?x ?b { { ?x <urn:low> ?a } SEQ { ?x <urn:high> ?b } }"


def main(address: str, folder: Path) -> None:
    page: dict[str, Any] = {}
    exec(block("sc://").replace("sc://server:15002", address), page)
    spark = page["spark"]
    events = spark.createDataFrame(ROWS, COLUMNS)
    found = detect(events, RISE, background=[str(folder / "o.ttl")])
    told: dict[str, Any] = {
        "session": type(spark).__module__,
        "answers": [
            list(row) for row in found.selectExpr("x.value", "b.value", "unix_micros(end)").collect()
        ],
    }
    try:
        with project_errors():
            detect(spark.createDataFrame([(1, "<urn:a>", "<urn:p>", "c")], COLUMNS), RISE).count()
            detect(spark.createDataFrame([(1, "<urn:a>", "<urn:low>", "c")], COLUMNS), RISE).count()
    except EtalisError as error:
        told["error"] = [error.code, error.place.excerpt if error.place else None]
    told["stream"] = streamed(spark, folder)
    told["prolog"] = "janus_swi" in sys.modules
    print(json.dumps(told))
    spark.stop()


def streamed(spark: Any, folder: Path) -> list[list[Any]]:
    """The answers to a stream of two files, a micro-batch each."""
    source = folder / "in"
    source.mkdir()
    for number, (start, *terms) in enumerate([*ROWS, (9, "<urn:z>", "<urn:end>", "<urn:z>")]):
        row = dict(zip(("start", "s", "p", "o"), (f"1970-01-01T00:00:0{start}Z", *terms), strict=True))
        (source / f"{number}.json").write_text(json.dumps(row))
    for setting, value in STATE_STORE.items():
        spark.conf.set(setting, value)
    schema = "start timestamp, s string, p string, o string"
    events = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).json(str(source))
    answers = detect(
        events.withWatermark("start", "1 second"), RISE, background=[str(folder / "o.ttl")], buckets=2
    )
    writer = answers.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.trigger(availableNow=True).start(str(folder / "out"))
    query.awaitTermination()
    found = spark.read.parquet(str(folder / "out"))
    return [list(row) for row in found.selectExpr("x.value", "b.value", "unix_micros(end)").collect()]


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
