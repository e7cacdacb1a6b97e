"""``detect`` on streaming DataFrames: the answers of one engine, what is late, and what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from etalis_py.core.errors import DataError, RunTimeError, UsageError
from etalis_py.core.terms import ntriples
from etalis_py.spark_udfs import detect, project_errors
from etalis_py.spark_udfs.execution.metrics import Metrics
from etalis_py.streams import open_streams
from tests.cases.test_cases import CASES
from tests.spark.streaming.streams import (
    SECOND,
    Event,
    answers_here,
    answers_there,
    cut,
    in_microseconds,
    read_micro_batches,
    run_to_end,
    state_in_rocks_db,
    write_micro_batches,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

FEW = ("paper-4-derived-downrating",)
SEQ = "SELECT * { { ?x <urn:p> ?y } SEQ { ?x <urn:q> ?z } }"


@pytest.fixture(autouse=True)
def rocks_db(spark: SparkSession) -> Iterator[None]:
    with state_in_rocks_db(spark):
        yield


def event(second: int, predicate: str, thing: str = "a") -> Event:
    time = second * SECOND
    return time, time, f"<urn:{thing}>", f"<urn:{predicate}>", "<urn:b>"


def case_events(case: Path) -> list[Event]:
    batches = open_streams([str(case / "stream.csv")])
    return [
        (start, end, ntriples(s), ntriples(p), ntriples(o))
        for batch in batches
        for start, end, s, p, o in zip(batch.start, batch.end, batch.s, batch.p, batch.o, strict=True)
    ]


@pytest.mark.parametrize(
    "case",
    [pytest.param(each, marks=() if each.name in FEW else pytest.mark.long) for each in CASES],
    ids=lambda case: case.name,
)
def test_case(case: Path, spark: SparkSession, tmp_path: Path) -> None:
    events = case_events(case)
    queries = {file.stem: file.read_text(encoding="utf-8") for file in sorted(case.glob("query*.rq"))}
    background = [str(file) for file in case.glob("background.ttl")]
    choice = Random(case.name)
    delay = choice.choice((0, 2, 10)) * SECOND
    write_micro_batches(tmp_path / "in", cut(events, delay, (5, 20), choice))
    stream = read_micro_batches(spark, tmp_path / "in", delay)
    answers = detect(stream, queries, background=background, buckets=3)
    rows = run_to_end(in_microseconds(answers), tmp_path)
    until = max(end for _, end, *_ in events) + 1000  # where the watermark stands in the end
    assert answers_there(row.asDict(recursive=True) for row in rows) == answers_here(
        events, queries, until, background=background
    )
    assert all(row["end"] < row["watermark"].timestamp() * SECOND for row in rows)


def test_the_deadline_of_a_key_that_is_quiet(spark: SparkSession, tmp_path: Path) -> None:
    """Time passes by what others say: the answer comes as soon as the watermark is past the deadline."""
    absence = "SELECT ?x { { ?x <urn:p> ?y } SEQ NOT { ?x <urn:q> ?z } FOR PT30S }"
    late = "SELECT ?x { { ?x <urn:p> ?y } SEQ AFTER PT40S }"
    seconds = (20, 31, 32, 39, 50)
    write_micro_batches(tmp_path / "in", [
        [event(1, "p", "a"), event(1, "p", "b"), event(9, "q", "b")],
        *([event(second, "p", "c")] for second in seconds),
    ])  # fmt: skip
    stream = read_micro_batches(spark, tmp_path / "in")
    rows = run_to_end(detect(stream, {"absence": absence, "late": late}, buckets=7), tmp_path)
    times = ((row["end"].second, row["watermark"].second) for row in rows)
    found = sorted((row["query"], row["x"]["value"], *each) for row, each in zip(rows, times, strict=True))
    assert found == [
        ("absence", "urn:a", 31, 32),
        ("late", "urn:a", 41, 50),
        ("late", "urn:b", 41, 50),
    ]  # fmt: skip


def test_late_rows_and_what_nobody_needs(spark: SparkSession, tmp_path: Path) -> None:
    """No row is lost silently, and one that no query needs moves the watermark all the same."""
    write_micro_batches(tmp_path / "in", [
        [event(1, "p"), event(2, "q", "b")],
        [event(30, "nothing")],
        [event(21, "p")],  # in time
        [event(19, "q")],  # late
    ])  # fmt: skip
    stream = read_micro_batches(spark, tmp_path / "in", 10 * SECOND)
    with pytest.raises(DataError, match=r"EP413 .*00:00:19Z comes too late"), project_errors():
        run_to_end(detect(stream, SEQ, buckets=2), tmp_path / "strict")
    write_micro_batches(tmp_path / "in", [[event(22, "q")], [event(60, "nothing")]])
    metrics, progress = Metrics("late"), []
    answers = detect(stream, SEQ, buckets=2, on_late="drop", metrics=metrics)
    found = run_to_end(answers, tmp_path / "lenient", progress)
    assert Counter(row["start"].second for row in found) == {1: 1, 21: 1}
    counts = [metrics.read(each.observedMetrics) for each in progress]
    assert [sum(each.events for each in counts), sum(each.dropped for each in counts)] == [7, 2]
    assert sum(each.late for each in counts) == 1
    assert sum(each.queries["query"].matches for each in counts) == 2
    write_micro_batches(tmp_path / "in", [[event(61, "q")]])
    with pytest.raises(RunTimeError, match="EP585"), project_errors():  # another number of buckets
        run_to_end(detect(stream, SEQ, buckets=3, on_late="drop"), tmp_path / "lenient")


def test_functions_of_the_user(spark: SparkSession, tmp_path: Path) -> None:
    """A function of this module travels by value; one may be changed when the stream goes on."""
    text = "SELECT ?n { ?x <urn:p> ?y BIND(<urn:f>(?x) AS ?n) FILTER(BOUND(?n)) }"
    micro_batches = [[event(1, "p", "ab"), event(2, "p"), event(3, "p", "abc")], [event(9, "nothing")]]
    (tmp_path / "in").mkdir()
    stream = read_micro_batches(spark, tmp_path / "in")
    for function in (lambda x: len(x) - 4 or None, lambda x: -len(x)):
        write_micro_batches(tmp_path / "in", micro_batches)
        answers = detect(stream, text, functions={"urn:f": function}, buckets=2, columns={"n": "int"})
        found = run_to_end(answers, tmp_path)
        micro_batches = [[event(20, "p", "ab")], [event(30, "nothing")]]
    assert sorted((row["start"].second, row["n"]) for row in found) == [(1, 2), (2, 1), (3, 3), (20, -6)]


def test_what_a_stream_has_to_have(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_micro_batches(tmp_path / "in", [[event(1, "p")]])
    stream = read_micro_batches(spark, tmp_path / "in")
    with pytest.raises(UsageError, match="EP581"):
        detect(stream.withColumnRenamed("end", "other").selectExpr("start", "s", "p", "o"), SEQ)
    with pytest.raises(UsageError, match="EP506 partitions"):
        detect(stream, SEQ, partitions=2)
    for option in ({"buckets": 2}, {"on_late": "drop"}):
        with pytest.raises(UsageError, match="EP506"):
            detect(
                spark.createDataFrame([event(1, "p")], "start long, end long, s string, p string, o string"),
                SEQ,
                **option,
            )
    for buckets in (0, True, "2"):
        with pytest.raises(UsageError, match="EP505"):
            detect(stream, SEQ, buckets=buckets)
    with pytest.raises(UsageError, match="EP505"):
        detect(stream, SEQ, on_late="never")
    monkeypatch.setattr("etalis_py.spark_udfs.streaming.detecting.find_spec", lambda _: None)
    with pytest.raises(UsageError, match="EP583"):
        detect(stream, SEQ)
    monkeypatch.undo()
    spark.conf.unset("spark.sql.streaming.stateStore.providerClass")
    with pytest.raises(UsageError, match="EP582"):
        detect(stream, SEQ)
