"""Rows with a mapping on Spark are the events that they are here."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from etalis_py import DataError, UsageError, run
from etalis_py.core.times import format_time
from etalis_py.spark_udfs import detect, mapped, project_errors
from etalis_py.spark_udfs.sources import register_sources

pytestmark = pytest.mark.spark
MAP = """
prefixes: {ex: "http://example.org/"}
mappings:
  reading:
    s: ex:$(sensor.id)
    po: [[ex:heat, $(heat), xsd:decimal], [ex:room, ex:$(room)]]
    time: $(when)
"""
FLAT = MAP.replace("sensor.id", "sensor")
QUERY = """PREFIX ex: <http://example.org/>
SELECT ?x ?b { { ?x ex:heat ?a } SEQ { ?x ex:heat ?b FILTER (?b > ?a + 5) } }"""
ROWS = [("a", 20.0, 1), ("b", 21.0, 2), ("a", 26.5, 3), ("b", 22.0, 4), ("b", 28.0, 5)]


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        path = tmp_path / "map.yml"
        path.write_text(text)
        return str(path)

    return write


def when(second: int) -> datetime:
    return datetime(2026, 3, 2, 8, 0, second, tzinfo=timezone.utc)


def write_rows(folder: Path) -> None:
    folder.mkdir()
    lines = [f"{sensor},{heat:g},hall,{format_time(second * 10**6)}" for sensor, heat, second in ROWS]
    (folder / "rows.csv").write_text("\n".join(["sensor,heat,room,when", *lines]) + "\n")


def found(answers: DataFrame) -> list[tuple[str, str]]:
    return sorted((row["x"]["value"], row["b"]["value"]) for row in answers.collect())


def expected(folder: Path, text: str) -> list[tuple[str, str]]:
    matches = run(QUERY, folder / "rows.csv", map=text)
    return sorted((str(match["x"]), str(match["b"])) for match in matches)


def test_a_batch_with_types_and_structs(
    spark: SparkSession, file: Callable[[str], str], tmp_path: Path
) -> None:
    rows = [((sensor,), heat, "hall", when(second)) for sensor, heat, second in ROWS]
    events = spark.createDataFrame(rows, "sensor struct<id string>, heat double, room string, when timestamp")
    write_rows(tmp_path / "rows")
    here = expected(tmp_path / "rows", file(FLAT))
    assert len(here) == 3
    assert found(detect(events, QUERY, map=file(MAP))) == here
    elsewhere = "SELECT ?x ?b { STREAM <urn:s> { ?x <http://example.org/heat> ?b FILTER (?b > 27) } }"
    named = detect({"urn:s": events}, elsewhere, map=file(MAP))
    assert found(named) == [("http://example.org/b", "28")]
    with pytest.raises(UsageError, match="EP504"):
        detect({"urn:s": events}, elsewhere, map=file(MAP + "    stream: ex:s\n"))


def test_files_and_streams(spark: SparkSession, file: Callable[[str], str], tmp_path: Path) -> None:
    register_sources(spark)
    write_rows(tmp_path / "rows")
    path, said = str(tmp_path / "rows"), file(FLAT)
    here = expected(tmp_path / "rows", said)
    source = spark.read.format("rdf-stream").option("map", said).load(path)
    assert found(detect(source, QUERY)) == here
    rows = spark.readStream.schema("sensor string, heat string, room string, when string")
    stream = mapped(rows.option("header", "true").csv(path), said)
    query = stream.writeStream.format("memory").queryName("mapped_rows").trigger(availableNow=True).start()
    query.awaitTermination()
    assert found(detect(spark.table("mapped_rows"), QUERY)) == here
    with pytest.raises(UsageError, match=r"EP506[\s\S]*withWatermark"):
        detect(rows.csv(path), QUERY, map=said)


def test_what_is_wrong_is_told(spark: SparkSession, file: Callable[[str], str]) -> None:
    events = spark.createDataFrame(
        [("a", "warm", "x", when(1))], "sensor string, heat string, room string, when timestamp"
    )
    with pytest.raises(DataError, match=r"EP436[\s\S]*warm"), project_errors():
        found(detect(events, QUERY, map=file(FLAT)))
    with pytest.raises(DataError, match=r"EP435[\s\S]*'heta'"):
        detect(events, QUERY, map=file(FLAT.replace("$(heat)", "$(heta)")))
    with pytest.raises(DataError, match="EP433"):
        detect(events, QUERY, map=file(FLAT.replace("po:", "op:")))
