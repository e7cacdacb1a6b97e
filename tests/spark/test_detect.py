"""``detect`` on DataFrames: what goes in and out, and that nothing depends on how Spark cuts the events."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as f

from etalis_py.core.errors import DataError, EtalisWarning, RunTimeError, UsageError
from etalis_py.core.terms import Encoded, lexical_form
from etalis_py.engine.engine import Engine
from etalis_py.spark_udfs import detect, project_errors
from etalis_py.streams import open_streams
from tests.spark.conftest import XSD, integer, random_csv

pytestmark = pytest.mark.spark
SEQ = "SELECT * { { ?x <urn:p> ?y } SEQ { ?y <urn:q> ?z } }"
COLUMNS = "start long, end long, s string, p string, o string"


def events(spark: SparkSession, rows: Sequence[tuple[Any, ...]]) -> DataFrame:
    """Rows (end, s, p, o); names stand for <urn:name>."""
    named = (
        (end, [each if each[:1] in '<"_' else f"<urn:{each}>" for each in terms]) for end, *terms in rows
    )
    return spark.createDataFrame([(end, end, *terms) for end, terms in named], COLUMNS)


def values(answers: DataFrame, *names: str) -> list[tuple[Any, ...]]:
    rows = microseconds(answers).collect()
    return sorted((row.start, row.end, *(row[name] and row[name].value for name in names)) for row in rows)


def microseconds(answers: DataFrame) -> DataFrame:
    """Answers with their times as whole microseconds."""
    return answers.withColumns({name: f.unix_micros(name) for name in ("start", "end")})


@contextmanager
def settings(spark: SparkSession, changes: Mapping[str, str]) -> Iterator[None]:
    before = {name: spark.conf.get(name, None) for name in changes}
    for name, value in changes.items():
        spark.conf.set(name, value)
    yield
    for name, old in before.items():
        spark.conf.unset(name) if old is None else spark.conf.set(name, old)


def test_the_driver_warns_once_for_each_query(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "goods.ttl").write_text("<urn:n:Fish> a <http://www.w3.org/2000/01/rdf-schema#Class> .")
    query = "SELECT ?x ?w { ?x a <urn:n:Fihs> ; <urn:p> ?y }"
    with pytest.warns(EtalisWarning) as told:
        answers = detect(events(spark, [(1, "a", "p", "b")]), query, background=str(tmp_path / "goods.ttl"))
    assert [str(each.message).split()[0] for each in told if each.category is EtalisWarning] == [
        "EW06",
        "EW10",
    ]
    assert all(each.filename == __file__ for each in told if each.category is EtalisWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("error", EtalisWarning)
        assert answers.collect() == []


#   time  2     4     6          8              10
#   p     a1 b1 a2 b2            a3 b3
#   q                 b1 c1,     b2 c2          b1 c1
#                     b2 c2
def test_the_worked_example(spark: SparkSession) -> None:
    rows = [
        (10, "b1", "q", "c1"), (2, "a1", "p", "b1"), (6, "b1", "q", "c1"), (4, "a2", "p", "b2"),
        (6, "b2", "q", "c2"), (8, "a3", "p", "b3"), (8, "b2", "q", "c2"), (7, "b2", "other", "c2"),
    ]  # fmt: skip
    answers = detect(events(spark, rows), SEQ)
    assert answers.columns == ["query", "start", "end", "x", "y", "z", "triples"]
    pairs = {(row[2], row[3]): row[:2] for row in values(answers, "x", "z")}
    assert len(values(answers)) == 4
    assert [row[:2] for row in values(answers, "x", "z")] == [(2, 6), (2, 10), (4, 6), (4, 8)]
    assert set(pairs) == {("urn:a1", "urn:c1"), ("urn:a2", "urn:c2")}


def test_columns_of_answers(spark: SparkSession) -> None:
    rows = [(1, "a", "p", f'"01"^^<{XSD}integer>'), (1, "a", "q", '"hi"@EN'), (1, "a", "r", "_:b")]
    queries = {
        "some": "SELECT * { ?start <urn:p> ?y ; <urn:q> ?_start ; <urn:r> ?z } ",
        "made": "CONSTRUCT { ?x <urn:n> ?y , -0.0e0 , 0.0e0 } { ?x <urn:p> ?y }",
    }
    found = {row["query"]: row for row in detect(events(spark, rows), queries).collect()}
    some, made = found["some"], found["made"]
    assert some["_start"].value == "urn:a"
    assert some["__start"] == Row(type="literal", value="hi", datatype=None, lang="en")
    assert some.z == Row(type="bnode", value="b", datatype=None, lang=None)
    assert some.y == Row(type="literal", value="01", datatype=f"{XSD}integer", lang=None)
    assert [triple.o.value for triple in made.triples] == ["-0.0e0", "0.0e0", "01"]
    assert made.triples[0].s == some["_start"]
    assert made.y is None
    assert some.triples is None


def test_times_are_numbers_or_timestamps(spark: SparkSession) -> None:
    moment = datetime(2011, 3, 11, 5, 46, 23, 500000, tzinfo=timezone.utc)
    columns = COLUMNS.replace("long", "timestamp")
    frame = spark.createDataFrame([(moment, None, "<urn:a>", "<urn:p>", "<urn:b>")], columns)
    local = frame.selectExpr("timestamp_ntz'2011-03-11 05:46:23.5' AS start", "s", "p", "o")
    time = int(moment.timestamp() * 1_000_000)
    for each in (frame, local, frame.selectExpr("unix_micros(start) AS start", "s", "p", "o")):
        assert values(detect(each, "SELECT * { ?x <urn:p> ?y }")) == [(time, time)]


def test_the_unit_of_times_that_are_numbers(spark: SparkSession) -> None:
    """Whole or with decimals; a timestamp is what it is."""
    terms = "'<urn:s>' AS s, '<urn:p>' AS p, '<urn:o>' AS o"
    told = {
        "1773820801": "s",
        "1773820801000L": "ms",
        "1773820801.000": "s",
        "timestamp_seconds(1773820801)": "s",
    }
    for start, unit in told.items():
        frame = spark.range(1).selectExpr(f"{start} AS start", *terms.split(", "))
        found = detect(frame, "SELECT ?x { ?x <urn:p> ?y }", time_unit=unit)
        assert found.selectExpr("unix_micros(end)").first() == (1_773_820_801_000_000,), start


def test_times_are_kept_beyond_what_python_can_say(spark: SparkSession) -> None:
    times = (253_402_300_800_000_000, -62_167_219_200_000_001, (1 << 63) - 1)  # after 9999, before 0000
    rows = [(time, time, "<urn:a>", "<urn:p>", "<urn:b>") for time in times]
    answers = detect(spark.createDataFrame(rows, COLUMNS), "SELECT * { ?x <urn:p> ?y }")
    assert values(answers) == sorted((time, time) for time in times)


def test_typed_columns(spark: SparkSession) -> None:
    given = {
        "boolean": '"true"^^<boolean>', "tinyint": '"1"^^<integer>', "smallint": '"2"^^<integer>',
        "int": '"3"^^<int>', "bigint": '"4"^^<integer>', "float": '"1.5"^^<decimal>',
        "double": '"2.5E0"^^<double>', "decimal(5,2)": '"2.345"^^<decimal>', "string": "<urn:a>",
        "timestamp": '"2011-03-11T05:46:23.5Z"^^<dateTime>', "date": '"2011-03-11"^^<date>',
        "interval day to second": '"PT1H"^^<duration>',
    }  # fmt: skip
    names = [f"v{number}" for number in range(len(given))]
    rows = [
        (1, "x", f"p{name}", term.replace("^^<", f"^^<{XSD}"))
        for name, term in zip(names, given.values(), strict=True)
    ]
    pattern = " ; ".join(f"<urn:p{name}> ?{name}" for name in names)
    columns = dict(zip(names, given, strict=True))
    answers = detect(events(spark, rows), f"SELECT * {{ <urn:x> {pattern} }}", columns=columns)
    assert [answers.schema[name].dataType.simpleString() for name in names] == list(given)
    (row,) = answers.withColumn("v9", f.unix_micros("v9")).collect()
    assert [row[name] for name in names] == [
        True, 1, 2, 3, 4, 1.5, 2.5, Decimal("2.35"), "urn:a", 1299822383500000, date(2011, 3, 11),
        timedelta(hours=1),
    ]  # fmt: skip
    with pytest.raises(UsageError, match="EP509"):
        detect(events(spark, rows), SEQ, columns={"price": "double"})


WAYS = [
    ("<urn:\\u0061>", "<urn:a>"),
    ("<urn:\\U0001F600>", "<urn:\U0001f600>"),
    ('"a\\tb\\\\\\"\\u0020"', '"a\tb\\\\\\" "'),
    ('"a"', f'"a"^^<{XSD}string>'),
    ('"\\u0062"', f'"b"^^<{XSD}s\\u0074ring>'),
    ('"Hi"@EN-gb', '"Hi"@en-GB'),
    ('"é^^<urn:x>"', '"\\u00E9^^<urn:x>"'),
    ("_:b", "_:b"),
]


def test_one_term_written_in_two_ways_is_one_key(spark: SparkSession) -> None:
    rows = [(1, str(number), "<urn:\\u0070>", way) for number, (way, _) in enumerate(WAYS)]
    rows += [(2, str(number), "q", way) for number, ways in enumerate(WAYS) for way in ways]
    query = "SELECT * { { ?x <urn:p> ?y } SEQ { ?x2 <urn:q> ?y } FILTER (?x = ?x2) }"
    answers = detect(events(spark, rows), query, partitions=8)
    assert Counter(row[2] for row in values(answers, "x")) == {
        f"urn:{number}": 1 for number in range(len(WAYS))
    }


def test_how_spark_cuts_the_events_does_not_matter(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    file.write_text(random_csv(11, 600, things=40))
    queries = {
        "all": "SELECT ?x ?y ?z { { ?x <urn:p> ?y } OPTIONAL { ?x <urn:q> ?z } }",
        "once": "SELECT DISTINCT ?y { ?x <urn:r> ?y }",
    }
    expected = answers_here(file, queries)
    frame = spark.read.csv(str(file), header=True, escape='"')
    frame = frame.selectExpr("bigint(start) AS start", "bigint(end) AS end", "s", "p", "o")
    tiny = {
        "spark.sql.execution.arrow.maxRecordsPerBatch": "7",
        "spark.sql.adaptive.advisoryPartitionSizeInBytes": "2000",
        "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
        "spark.sql.adaptive.coalescePartitions.minPartitionSize": "1",
        "spark.sql.adaptive.coalescePartitions.initialPartitionNum": "12",
    }
    for changes in (tiny, {"spark.sql.adaptive.enabled": "false"}):
        with settings(spark, changes):
            found = microseconds(detect(frame.repartition(3), queries)).collect()
        terms = [tuple(row[name] and row[name].value for name in "xyz") for row in found]
        rows = zip(found, terms, strict=True)
        assert Counter((row["query"], row.start, row.end, *values) for row, values in rows) == expected


def answers_here(file: Path, queries: Mapping[str, str]) -> Counter[tuple[Any, ...]]:
    with Engine() as engine:
        for name, query in queries.items():
            engine.register(query, name=name)
        for batch in open_streams([str(file)]):
            engine.send_encoded(batch)
        engine.finish()
        return Counter(
            (each.query, each.start, each.end, *(text(each.encoded.get(name)) for name in "xyz"))
            for each in engine.matches()
        )


def text(term: Encoded | None) -> str | None:
    return None if term is None else lexical_form(term)[0]


def test_answers_can_be_taken_in_part_and_again(spark: SparkSession) -> None:
    rows = [(time, "a", "p", "b") for time in range(500)]
    answers = detect(events(spark, rows), "SELECT * { ?x <urn:p> ?y }")
    assert len(answers.limit(3).collect()) == 3
    assert answers.count() == answers.where("unix_micros(end) >= 0").count() == 500


# ---- errors ---------------------------------------------------------------------------------------------


def test_a_bad_row_is_shown(spark: SparkSession) -> None:
    frame = events(spark, [(1, "a", "p", "b"), (2, "a", "p", '"open'), (3, "a", "other", "oops>")])
    answers = detect(frame, "SELECT * { ?x <urn:p> ?y }")
    with pytest.raises(DataError, match="EP407") as caught, project_errors():
        answers.collect()
    assert "{'start': 2, 'end': 2, 's': '<urn:a>', 'p': '<urn:p>', 'o': '\"open'}" in str(caught.value)
    assert isinstance(caught.value.__cause__, PythonException)
    with pytest.raises(PythonException, match="EP407 events: column 'o': the term is a literal without"):
        answers.collect()


@pytest.mark.parametrize(
    ("times", "terms"),
    [((1, 1), (None, "p", "b")), ((1, 1), ("a", None, "b")), ((None, 1), "apb"), ((2, 1), "apb")],
)
def test_nothing_is_left_out_silently(
    times: tuple[Any, ...], terms: Sequence[Any], spark: SparkSession
) -> None:
    row = (*times, *(term and f"<urn:{term}>" for term in terms))
    answers = detect(spark.createDataFrame([row], COLUMNS), "SELECT * { ?x <urn:p> ?y }")
    with pytest.raises(DataError, match=r"EP4(07|09|10)"), project_errors():
        answers.collect()


def test_a_limit_names_the_key_and_the_time(spark: SparkSession) -> None:
    query = "CONSTRUCT { ?x <urn:p> ?m } { ?x <urn:p> ?n BIND(?n + 1 AS ?m) }"
    frame = events(spark, [(1, "a", "p", '"x"'), (5, "b", "p", integer(1))])
    with pytest.raises(RunTimeError, match="EP302") as caught, project_errors():
        detect(frame, {"count": query}, max_derivations=50).collect()
    where = "    queries: count; instant: 1970-01-01T00:00:00.000005Z; key: <urn:b>"
    assert str(caught.value).splitlines()[1] == where


def test_columns_that_do_not_fit(spark: SparkSession) -> None:
    frame = events(spark, [(1, "a", "p", "b")])
    text_as_time = frame.selectExpr("string(start) AS start", "s", "p", "o")
    for wrong in (frame.drop("o"), text_as_time, frame.withColumn("o", frame.start)):
        with pytest.raises(UsageError, match="EP504"):
            detect(wrong, SEQ)
    with pytest.raises(UsageError, match="EP504"):
        detect(spark.readStream.format("rate").load(), SEQ)


def test_one_part_is_said(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    query = "SELECT * {\n { ?x <urn:p> ?y } SEQ { ?z <urn:q> ?w } }"
    rows = [(time, "a", name, f"b{time}") for time in range(4) for name in "pqr"]
    answers = detect(events(spark, rows), {"far": query})
    reason = "far, line 2: this SEQ has no variable in common on both sides"
    assert caplog.messages == [f"no common join key, so one partition does all the work: {reason}"]
    assert answers.count() == 6
    assert answers.rdd.getNumPartitions() == 1
