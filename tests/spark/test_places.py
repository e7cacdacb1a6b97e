"""Queries that name streams and ask for elements give the same answers on Spark as in one engine."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from etalis_py import Engine
from etalis_py.core.errors import UsageError
from etalis_py.spark_udfs import detect
from tests.spark.streaming.streams import run_to_end, state_in_rocks_db

pytestmark = pytest.mark.spark

EVENTS = """\
1,<urn:a>,<urn:p>,<urn:b>,<urn:s>,<urn:g1>
1,<urn:a>,<urn:p>,<urn:b>,<urn:t>,<urn:g2>
1,<urn:b>,<urn:q>,<urn:c>,<urn:t>,<urn:g2>
1,<urn:b>,<urn:q>,<urn:d>,<urn:s>,<urn:g3>
2,<urn:a>,<urn:p>,<urn:b>,,
2,<urn:b>,<urn:q>,<urn:e>,,
3,<urn:b>,<urn:q>,<urn:c>,<urn:s>,
4,<urn:d>,<urn:p>,<urn:b>,<urn:t>,
5,<urn:a>,<urn:r>,<urn:w>,<urn:s>,
5,<urn:d>,<urn:r>,<urn:w>,<urn:t>,
"""
SCHEMA = "start long, s string, p string, o string, stream string, graph string"
WINDOWS = """FROM NAMED WINDOW :w ON :s [RANGE PT0.000003S STEP PT0.000002S]
    FROM NAMED WINDOW :v ON :t [RANGE PT0.000004S STEP PT0.000002S]"""
SLIDES = "FROM NAMED WINDOW :w ON :s [RANGE PT0.000002S]"
BY_KEY = [
    f"SELECT * {WINDOWS} {{ WINDOW :w {{ ?x :q ?y }} WINDOW :v {{ ?x :q ?z }} }}",
    f"SELECT ISTREAM ?x ?z {WINDOWS} {{ WINDOW :w {{ ?x :q ?y }} WINDOW :v {{ ?x :q ?z }} }}",
    f"SELECT * {WINDOWS} {{ WINDOW :w {{ ?x ?p ?y }} OPTIONAL {{ WINDOW :v {{ ?x :q ?y }} }} }}",
    f"SELECT ?x (COUNT(*) AS ?n) {WINDOWS} {{ WINDOW :w {{ ?x ?p ?y }} }} GROUP BY ?x",
    f"SELECT ISTREAM ?x ?y {SLIDES} {{ WINDOW :w {{ ?x ?p ?y }} }}",
    f"SELECT DSTREAM ?x {SLIDES} {{ WINDOW :w {{ ?x :q ?y }} }}",
]
TOGETHER = [
    f"SELECT (COUNT(*) AS ?n) {WINDOWS} {{ WINDOW :w {{ ?x ?p ?y }} }}",
    f"SELECT ?x {SLIDES} {{ WINDOW :w {{ ?x :q ?y }} }}",
]
TWO_STAGES = "SELECT * { { EVENT { ?x :p ?y . ?y :q ?z } } SEQ { STREAM :s { ?x :r ?w } } }"
QUERIES = [
    "SELECT * { STREAM ?s { ?x :p ?y } }",
    "SELECT * { EVENT { ?x :p ?y . ?y :q ?z } }",
    "SELECT * { STREAM ?s { GRAPH ?g { ?x :p ?y OPTIONAL { ?y :q ?z } } } }",
    "SELECT * { { STREAM :t { ?x :p ?y } } SEQ { ?y :q ?z } }",
    "SELECT * FROM STREAM :s FROM STREAM :t { ?x :p ?y . ?y :q ?z }",
    "CONSTRUCT STREAM :out {?x :o ?y} {?x :p ?y} ;; PREFIX : <urn:> SELECT * {STREAM :out {?x :o ?y}}",
    TWO_STAGES,
    "SELECT * { EVENT { ?x :p ?y } EVENT { ?y :q ?z } GRAPH ?g { ?z2 :q ?z } }",
]


def rows() -> list[tuple[Any, ...]]:
    read = csv.reader(EVENTS.splitlines())
    return [(int(time), *(each or None for each in terms)) for time, *terms in read]


def answers_of(found: list[tuple[str, int, dict[str, str]]]) -> list[str]:
    return sorted(json.dumps(each, sort_keys=True) for each in found)


def of_an_engine(query: str, stop: int | None = None) -> list[str]:
    """With ``stop`` another engine goes on behind so many rows."""
    with Engine() as engine, Engine() as another:
        engine.register(query, name="q")
        another.register(query, name="q")
        engine.send_batch(_columns(rows()[:stop]))
        found, last = list(engine.matches()), engine
        if stop is not None:
            another.restore([engine.snapshot()])
            another.send_batch(_columns(rows()[stop:]))
            last = another
        last.finish()
        return answers_of([
            (each.query, each.end, {name: str(term) for name, term in each.bindings.items()})
            for each in (*found, *last.matches())
            if each.encoded_triples is None
        ])  # fmt: skip


def _columns(some: list[tuple[Any, ...]]) -> dict[str, Any]:
    names = SCHEMA.replace(" long", "").replace(" string", "").split(", ")
    return dict(zip(names, zip(*some, strict=True), strict=True))


def of_spark(found: Any) -> list[str]:
    return of_spark_rows(found.collect())


def of_spark_rows(found: Any) -> list[str]:
    plain = {"query", "start", "end", "triples", "watermark"}
    answers = []
    for row in found:
        if row["query"] == "q" and row.asDict().get("triples") is not None:
            continue
        terms = {
            name: row[name]["value"] for name in row.asDict() if name not in plain and row[name] is not None
        }
        answers.append((row["query"], int(row["end"].timestamp() * 1_000_000), terms))
    return answers_of(answers)


def on_a_stream(spark: Any, query: str, folder: Path) -> list[str]:
    """In three micro-batches, the last of which lets time pass."""
    from pyspark.sql import functions as f

    names = SCHEMA.replace(" long", "").replace(" string", "").split(", ")
    later = (1_000_000, "<urn:nobody>", "<urn:looks>", "<urn:here>", None, None)
    (folder / "in").mkdir()
    for number, part in enumerate([rows()[:3], rows()[3:], [later]]):
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in part]
        (folder / "in" / f"{number}.json").write_text("\n".join(lines))
    files = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    timed = files.withColumn("start", f.timestamp_micros("start")).withWatermark("start", "5 microseconds")
    with state_in_rocks_db(spark):
        return of_spark_rows(run_to_end(detect(timed, {"q": query}), folder))


@pytest.mark.parametrize("query", [*QUERIES, *BY_KEY, *TOGETHER])
def test_batch(spark: Any, query: str) -> None:
    query = f"PREFIX : <urn:> {query}"
    events = spark.createDataFrame(rows(), SCHEMA)
    expected = of_an_engine(query)
    assert expected
    assert of_spark(detect(events, {"q": query}, partitions=3)) == expected


@pytest.mark.parametrize(
    "query",
    [
        *(QUERIES[2], TWO_STAGES, BY_KEY[3]),
        *(pytest.param(query, marks=pytest.mark.long) for query in (BY_KEY[1], BY_KEY[5])),
    ],
)
def test_stream(spark: Any, query: str, tmp_path: Path) -> None:
    query = f"PREFIX : <urn:> {query}"
    assert on_a_stream(spark, query, tmp_path) == of_an_engine(query)


def test_streams_by_name(spark: Any) -> None:
    query = f"PREFIX : <urn:> {QUERIES[0]}"
    schema = SCHEMA.replace(", stream string, graph string", "")
    streams = {
        name: spark.createDataFrame([each[:4] for each in rows() if each[4] == f"<{name}>"], schema)
        for name in ("urn:s", "urn:t")
    }
    named = [each for each in of_an_engine(query) if "urn:etalis:default" not in each]
    assert of_spark(detect(streams, {"q": query})) == named


def test_streams_that_have_names_already(spark: Any) -> None:
    with pytest.raises(UsageError, match="EP504"):
        detect({"urn:s": spark.createDataFrame(rows(), SCHEMA)}, "SELECT * { ?x ?p ?y }")
    with pytest.raises(UsageError, match="EP505"):
        detect({"no iri": spark.createDataFrame(rows(), SCHEMA)}, "SELECT * { ?x ?p ?y }")
