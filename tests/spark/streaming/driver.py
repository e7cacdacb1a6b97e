"""A driver in a process of its own, which the kill harness kills: runs the stream in FOLDER to its end.

It runs the program of PROGRAMS that is named after it.

Where a worker is killed, Spark does its task again; where that is not enough the query is started again here.
"""

from __future__ import annotations

import sys
from pathlib import Path

from etalis_py.spark_udfs import detect
from etalis_py.spark_udfs.session.session import local_session
from tests.spark.streaming.streams import SECOND, read_micro_batches

DELAY = 4 * SECOND
QUERIES = {
    "rise": """SELECT ?x ?y ?z { { ?x <urn:p> ?y } SEQ { ?x <urn:q> ?z }
                 FILTER (getDURATION() < "PT20S"^^xsd:dayTimeDuration) }""",
    "alone": "SELECT ?x ?y ?z { { ?x <urn:q> ?y } OPTIONAL { ?x <urn:r> ?z } }",
    "mark": 'CONSTRUCT { ?x <urn:mark> [] } { ?x <urn:p> ?y . ?x <urn:r> ?y }',
    "marked": """SELECT ?x ?m { { ?x <urn:mark> ?m } SEQ { ?x <urn:q> ?z }
                 FILTER (getDURATION() < "PT30S"^^xsd:dayTimeDuration) }""",
    "one": """PRAGMA policy recent SELECT ?x ?y ?z { { ?x <urn:p> ?y } SEQ { ?x <urn:r> ?z } }""",
}  # fmt: skip
PROGRAMS = {
    "one stage": QUERIES,
    "stages": {
        **{name: QUERIES[name] for name in ("alone", "mark", "marked")},
        "pair": """SELECT ?x ?y ?z { { ?x <urn:p> ?y ; <urn:q> ?n } SEQ { ?z <urn:r> ?y ; <urn:q> ?m }
                     FILTER (getDURATION() < "PT12S"^^xsd:dayTimeDuration) }""",
        "next": """SELECT ?x ?y ?z { { ?x <urn:p> ?y ; <urn:r> ?y } SEQ { ?z <urn:p> ?y }
                     FILTER (getDURATION() < "PT12S"^^xsd:dayTimeDuration) }""",
    },
}  # fmt: skip


def main(folder: Path, program: str) -> None:
    """Run it."""
    spark = local_session("kill harness")
    stream = read_micro_batches(spark, folder / "in", DELAY)
    answers = detect(stream, PROGRAMS[program], buckets=4)
    writer = (
        answers.selectExpr(
            "unix_micros(start) AS start",
            "unix_micros(end) AS end",
            "query",
            "x",
            "y",
            "z",
            "m",
            "triples",
        )
        .writeStream.format("parquet")
        .option("path", str(folder / "out"))
    )
    for _ in range(100):
        query = writer.option("checkpointLocation", str(folder / "check")).trigger(availableNow=True).start()
        try:
            query.awaitTermination()
        except Exception as error:  # noqa: BLE001 - whatever a killed worker leads to
            print(f"started again: {str(error)[:300]!r}", file=sys.stderr, flush=True)
        else:
            (folder / "done").touch()
            return
        finally:
            query.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
