"""Windows that Spark shares out in different ways have the same answers in a batch, on a stream, restored."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from etalis_py import Engine
from etalis_py.compiler.partition.stages import Dealing, plan_stages
from etalis_py.spark_udfs import detect
from tests.spark.test_places import SCHEMA, of_an_engine, of_spark, on_a_stream, rows

CLOSES: Final = "FROM NAMED WINDOW :w ON :s [RANGE PT0.000003S STEP PT0.000002S]"
SLIDES: Final = "FROM NAMED WINDOW :w ON :s [RANGE PT0.000003S]"
ALL: Final = "WINDOW :w { ?x ?p ?y }"
PROGRAMS: Final = {
    "keyed": f"SELECT ?x (COUNT(*) AS ?n) {CLOSES} {{ {ALL} }} GROUP BY ?x",
    "every": f"REGISTER RSTREAM :o EVERY PT0.000003S AS SELECT ?x ?y {SLIDES} {{ {ALL} }}",
    "changes": f"SELECT DSTREAM ?x ?y {SLIDES} {{ {ALL} }}",
    "slices": f"SELECT ?x ?z {CLOSES} {{ WINDOW :w {{ ?x :p ?y . ?z :q ?u }} }}",
    "first": f"SELECT ?x ?y {CLOSES} {{ {ALL} }} ORDER BY DESC(?y) LIMIT 2",
    "elements": f"SELECT ?x ?y FROM NAMED WINDOW :w ON :s [ELEMENTS 2] {{ {ALL} }}",
    "triples": f"SELECT ISTREAM ?x ?y FROM NAMED WINDOW :w ON :s [TRIPLES 3 STEP 2] {{ {ALL} }}",
    "landmark": f"SELECT ISTREAM ?x FROM NAMED WINDOW :w ON :s [LND 3] {{ {ALL} }}",
    "content": f"SELECT ?x {SLIDES} {{ {ALL} }}",
    "arrival": f"REGISTER RSTREAM :o REPORT ARRIVAL AS SELECT ?x {SLIDES} {{ {ALL} }}",
    "derived": f"""REGISTER STREAM :made AS CONSTRUCT {{ ?x :is ?y }} {CLOSES} {{ {ALL} }} ;; PREFIX : <urn:>
        SELECT ?x (COUNT(*) AS ?n) FROM NAMED WINDOW :v ON :made [RANGE PT0.000006S STEP PT0.000004S]
        {{ WINDOW :v {{ ?x :is ?y }} }} GROUP BY ?x""",
}
NEWEST: Final = "which elements are the newest is known where all are"
NEVER_EMPTY: Final = (
    "the last evaluation over a window that is never empty comes with the last element of all"
)
ANY_ELEMENT: Final = "when the query is evaluated depends on the elements of all keys"
SHARED_OUT: Final = {
    "keyed": (Dealing.KEY, None),
    "every": (Dealing.KEY, None),
    "changes": (Dealing.KEY, None),
    "slices": (Dealing.SLICES, "this Join in windows has no variable in common on both sides"),
    "first": (Dealing.SLICES, "ORDER BY and LIMIT look at the rows of all keys"),
    "elements": (Dealing.ONE_PART, NEWEST),
    "triples": (Dealing.ONE_PART, NEWEST),
    "landmark": (Dealing.ONE_PART, NEVER_EMPTY),
    "content": (Dealing.ONE_PART, ANY_ELEMENT),
    "arrival": (Dealing.ONE_PART, ANY_ELEMENT),
    "derived": (Dealing.KEY, None),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_how_it_is_shared_out(name: str) -> None:
    dealing, obstacle = SHARED_OUT[name]
    with Engine() as engine:
        names = engine.register(_text(name))
        (stage,) = plan_stages([engine.query(each).plan for each in names])
    assert stage.dealing is dealing
    assert obstacle in {None, *(each.reason for each in stage.key.obstacles)}
    assert bool(obstacle) == bool(stage.key.obstacles)


@pytest.mark.parametrize("name", PROGRAMS)
def test_restored(name: str) -> None:
    whole = of_an_engine(_text(name))
    assert whole
    for stop in range(1, len(rows())):
        assert of_an_engine(_text(name), stop) == whole


def _often(*names: str) -> list[Any]:
    """The programs, of which others than these take their time."""
    return [pytest.param(each, marks=() if each in names else pytest.mark.long) for each in PROGRAMS]


@pytest.mark.spark
@pytest.mark.parametrize("name", _often("keyed", "changes", "derived"))
def test_batch(name: str, spark: Any) -> None:
    events = spark.createDataFrame(rows(), SCHEMA)
    found = detect(events, {"q": _text(name)}, partitions=3)
    assert of_spark(found) == of_an_engine(_text(name))


@pytest.mark.spark
@pytest.mark.parametrize("name", _often("triples", "derived"))
def test_stream(name: str, spark: Any, tmp_path: Path) -> None:
    assert on_a_stream(spark, _text(name), tmp_path) == of_an_engine(_text(name))


def _text(name: str) -> str:
    return f"PREFIX : <urn:> {PROGRAMS[name]}"
