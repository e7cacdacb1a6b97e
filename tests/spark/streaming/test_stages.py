"""Streams of several stages on Spark: one operator after the other, all at the same watermark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from etalis_py.spark_udfs import detect
from etalis_py.spark_udfs.execution.metrics import Metrics
from tests.spark.streaming.streams import (
    SECOND,
    Event,
    answers_here,
    answers_there,
    cut,
    read_micro_batches,
    run_to_end,
    state_in_rocks_db,
    write_micro_batches,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

DELAY = 3 * SECOND
KNOWN = "<urn:graded> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <urn:grade> .\n"
QUERIES = {
    "pair": """PREFIX : <urn:> SELECT ?company ?agency ?low ?high {
        { ?first :company ?company ; :agency ?agency ; :grade ?low } SEQ
        { ?second :company ?company ; :agency ?agency ; :grade ?high } }""",
    "grade": "PREFIX : <urn:> SELECT ?first ?low { ?first :grade ?low ; :agency ?agency }",
    "failed": """PREFIX : <urn:> SELECT ?company ?low {
        { ?first :company ?company ; :grade ?low } SEQ { ?company :failed ?day } }""",
    "next": """PREFIX : <urn:> SELECT ?first ?second {
        { ?first :company ?company ; :grade ?low } SEQ { ?second :company ?company }
        FILTER (getDURATION() < "PT9S"^^xsd:dayTimeDuration) }""",
}  # fmt: skip
"""Stage 1 by rating: the parts of pair, failed and next, and grade, whose answers go through stage 2.

Stage 2 by company takes events of its own: what failed, and companies by object, which stage 1 takes, too.
"""


@pytest.fixture(autouse=True)
def rocks_db(spark: SparkSession) -> Iterator[None]:
    with state_in_rocks_db(spark):
        yield


def rated(choice: Random, count: int) -> list[Event]:
    """Ratings, each of three events within a second, and companies that fail now and then.

    To be graded is to have a grade, which background knows.
    """
    found = []
    for number in range(count):
        time = (10 + 2 * number) * SECOND
        company = f"<urn:company{choice.randrange(4)}>"
        agency, grade = f"<urn:{choice.choice('ab')}>", choice.choice(("grade", "graded"))
        told = {"company": company, "agency": agency, grade: f'"{number % 5}"'}
        for place, (predicate, value) in enumerate(choice.sample(sorted(told.items()), 3)):
            end = time + place * SECOND // 4
            found.append((end, end, f"<urn:rating{number}>", f"<urn:{predicate}>", value))
        if choice.random() < 0.4:
            found.append((time + SECOND, time + SECOND, company, "<urn:failed>", "<urn:today>"))
    return found


def times_as_numbers(answers: DataFrame) -> DataFrame:
    names = {name: f"unix_micros({name})" for name in ("start", "end", "watermark")}
    return answers.selectExpr(*(f"{names.get(name, f'`{name}`')} AS `{name}`" for name in answers.columns))


def test_ratings_with_a_restart(spark: SparkSession, tmp_path: Path) -> None:
    choice = Random(7)
    events = rated(choice, 13)
    *micro_batches, last = cut(events, DELAY, (15,), choice)
    late = (SECOND, SECOND, "<urn:rating0>", "<urn:company>", "<urn:company0>")
    write_micro_batches(tmp_path / "in", micro_batches[:2])
    (tmp_path / "known.nt").write_text(KNOWN)
    known = [str(tmp_path / "known.nt")]
    stream = read_micro_batches(spark, tmp_path / "in", DELAY)
    metrics, progress = Metrics("ratings"), list[Any]()

    def run() -> list[Any]:
        answers = detect(stream, QUERIES, background=known, buckets=3, on_late="drop", metrics=metrics)
        return run_to_end(times_as_numbers(answers), tmp_path, progress)

    before = run()
    write_micro_batches(tmp_path / "in", [[*micro_batches[2], late], *micro_batches[3:], last])
    rows = run()
    expected = answers_here(events, QUERIES, background=known)
    assert {query for query, *_ in expected} == set(QUERIES)
    assert 0 < len(before) < len(rows)
    assert answers_there(row.asDict(recursive=True) for row in rows) == expected

    # What any stage finds is given in the first micro-batch whose watermark has passed it.
    watermarks = sorted({row["watermark"] for row in rows})
    assert len(watermarks) > 3
    assert all(row["watermark"] == min(each for each in watermarks if each > row["end"]) for row in rows)

    # The late event would be for both stages.
    counts = [metrics.read(each.observedMetrics) for each in progress]
    assert sum(each.events for each in counts) == len(events) + 2
    assert [sum(each.dropped for each in counts), sum(each.late for each in counts)] == [1, 1]
    for query in QUERIES:
        matches = sum(count for (name, *_), count in expected.items() if name == query)
        assert sum(each.queries[query].matches for each in counts) == matches
