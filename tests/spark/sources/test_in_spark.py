"""``rdf-stream`` in Spark itself: the same events and answers as here, whatever fails in between."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from etalis_py import Engine
from etalis_py.core.errors import DataError, EtalisError, UsageError
from etalis_py.spark_udfs import detect, project_errors
from etalis_py.spark_udfs.sources import register_sources
from etalis_py.streams import open_stream, open_streams
from tests.patience import PATIENCE
from tests.spark.conftest import random_csv
from tests.spark.sources.conftest import rows
from tests.spark.streaming.streams import state_in_rocks_db

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
RULE = "CONSTRUCT { ?x <urn:then> ?z } WHERE { { ?x <urn:p> ?y } SEQ { ?x <urn:q> ?z } }"
FORMS = ("csv", "ndjson", "parquet", "nq", "trig", "jsonld")


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    register_sources(spark)
    return spark


def events(folder: Path, seed: int) -> None:
    """One random stream, cut into a file of each form, in order of time."""
    import json

    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    folder.mkdir()
    table = pc.read_csv(pa.BufferReader(random_csv(seed, 90).encode()))
    for number, form in enumerate(FORMS):
        part, path = table.slice(15 * number, 15), folder / f"{number}.{form}"
        found = part.to_pylist()
        if form == "parquet":
            pq.write_table(part, path)
        elif form == "csv":
            pc.write_csv(part, path)
        elif form == "ndjson":
            path.write_text("".join(json.dumps(row) + "\n" for row in found))
        else:
            path.write_text("".join(graph(form, f"<urn:g{at}>", row) for at, row in enumerate(found)))
        os.utime(path, (number, number))
        if form == "jsonld":  # written by the library that reads it
            import pyoxigraph as ox

            quads = list(ox.parse(path.read_bytes(), ox.RdfFormat.TRIG))
            path.write_bytes(ox.serialize(quads, format=ox.RdfFormat.JSON_LD))


def graph(form: str, name: str, row: dict[str, object]) -> str:
    from etalis_py.results.nquads_writer import time_quads

    times = time_quads(name, int(str(row["start"])), int(str(row["end"])))
    triple = f"{row['s']} {row['p']} {row['o']}"
    return "".join(times) + (f"{triple} {name} .\n" if form == "nq" else f"{name} {{ {triple} }}\n")


def local_rows(folder: Path) -> list[tuple[object, ...]]:
    return sorted(rows(open_streams(sorted(folder.glob("[!._]*.*")))))


def spark_rows(frame: DataFrame) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in frame.select("start", "end", "s", "p", "o").collect())


MICROSECONDS = "start long, end long, s string, p string, o string"


def test_the_same_events_in_every_form(session: SparkSession, tmp_path: Path) -> None:
    events(tmp_path / "in", 1)
    frame = session.read.format("rdf-stream").schema(MICROSECONDS).load(str(tmp_path / "in"))
    assert spark_rows(frame) == local_rows(tmp_path / "in")
    stamped = session.read.format("rdf-stream").load(str(tmp_path / "in"))
    assert stamped.dtypes[:2] == [("start", "timestamp"), ("end", "timestamp")]
    assert (
        stamped.selectExpr("unix_micros(end) AS end").orderBy("end").first()
        == frame.orderBy("end").select("end").first()
    )


@pytest.mark.long
def test_what_detect_finds_is_a_stream_again(session: SparkSession, tmp_path: Path) -> None:
    events(tmp_path / "in", 2)
    frame = session.read.format("rdf-stream").load(str(tmp_path / "in"))
    detect(frame, RULE).write.format("rdf-stream").mode("append").save(str(tmp_path / "out"))
    found = [each for path in (tmp_path / "out").glob("*/*.nq") for each in rows(open_stream(path))]
    with Engine() as engine:
        engine.register(RULE, name="rule")
        for batch in open_streams(sorted((tmp_path / "in").glob("*"))):
            engine.send_encoded(batch)
        engine.finish()
        expected = [
            (match.start, match.end, *(term.n3() for term in triple))
            for match in engine.matches("rule")
            for triple in match.triples or ()
        ]
    assert len(found) > 5
    assert sorted(map(str, set(found))) == sorted(map(str, set(expected)))


def test_files_as_they_come_through_restarts(session: SparkSession, tmp_path: Path) -> None:
    """Each file a micro-batch, some in one run and some in the next; one micro-batch is run again.

    What tells Spark that a micro-batch was done is taken from its checkpoint, as if the machine had failed
    between the sink's last word and Spark's.
    """
    events(tmp_path / "all", 3)
    (tmp_path / "in").mkdir()
    waiting = sorted((tmp_path / "all").iterdir())
    for count in (3, 0, 3):
        for path in waiting[:count]:
            path.rename(tmp_path / "in" / path.name)
        del waiting[:count]
        source = session.readStream.format("rdf-stream").option("maxFilesPerTrigger", 1).schema(MICROSECONDS)
        sink = source.load(str(tmp_path / "in")).writeStream.format("rdf-stream")
        run = sink.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True)
        query = run.start(str(tmp_path / "out"))
        assert query.awaitTermination(PATIENCE)
        commits = tmp_path / "checkpoint" / "commits"
        newest = max(commits.glob("[0-9]*"), key=lambda path: int(path.name))
        newest.unlink()
        (commits / f".{newest.name}.crc").unlink()
    written = sorted((tmp_path / "out").glob("*/*.nq"))
    assert len(written) == len(FORMS)
    found = [each for path in written for each in rows(open_stream(path))]
    assert sorted(found) == local_rows(tmp_path / "in")
    again = session.read.format("rdf-stream").schema(MICROSECONDS).load(str(tmp_path / "out"))
    assert len(spark_rows(again)) == len(found)


@pytest.mark.long
def test_detect_on_a_folder_as_a_stream(session: SparkSession, tmp_path: Path) -> None:
    """From the source through streaming ``detect`` to the sink: the triples of the batch."""
    events(tmp_path / "in", 4)
    (tmp_path / "in" / "z.csv").write_text("start,s,p,o\n60000000,<urn:end>,<urn:end>,<urn:end>\n")
    batch = session.read.format("rdf-stream").load(str(tmp_path / "in"))
    detect(batch, RULE).write.format("rdf-stream").mode("append").save(str(tmp_path / "batch"))
    source = session.readStream.format("rdf-stream").option("maxFilesPerTrigger", 3)
    stream = source.load(str(tmp_path / "in")).withWatermark("end", "1 second")
    with state_in_rocks_db(session):
        sink = detect(stream, RULE, buckets=2).writeStream.format("rdf-stream")
        run = sink.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True)
        assert run.start(str(tmp_path / "stream")).awaitTermination(PATIENCE)
    found, expected = (
        sorted(set(rows(each for path in (tmp_path / name).glob("*/*.nq") for each in open_stream(path))))
        for name in ("stream", "batch")
    )
    assert len(expected) > 5
    assert found == expected


def test_bad_records(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("start,s,p,o\n1,<urn:s>,<urn:p>,<urn:o>\n2,<urn:s>,<urn:p>,x\n")
    reader = session.read.format("rdf-stream").schema(MICROSECONDS)
    with pytest.raises(DataError, match="EP407") as caught, project_errors():
        reader.load(str(tmp_path / "in")).collect()
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.row) == (3, 2)
    tolerant = reader.option("mode", "putAside").option("badRecordsPath", str(tmp_path / "bad"))
    for _ in range(2):
        assert tolerant.load(str(tmp_path / "in")).count() == 1
    (bad,) = session.read.json(str(tmp_path / "bad")).collect()
    assert (bad.line, bad.code, bad.record) == (3, "EP407", "2,<urn:s>,<urn:p>,x")
    stream = session.readStream.format("rdf-stream").load(str(tmp_path / "in"))
    query = stream.writeStream.format("noop").trigger(availableNow=True).start()
    with pytest.raises(DataError, match="EP407"), project_errors():
        query.awaitTermination(PATIENCE)


def test_words_that_do_not_fit(session: SparkSession, tmp_path: Path) -> None:
    read = session.read.format("rdf-stream")
    for reader, code in (
        (read.option("speed", 5), "EP601"),
        (session.read.format("rdf-stream").option("spede", 5), "EP601"),
        (session.read.format("rdf-stream").schema("start string, s string"), "EP504"),
    ):
        with pytest.raises(UsageError, match=code), project_errors():
            reader.load(str(tmp_path)).count()
    with pytest.raises(DataError, match="EP401"), project_errors():
        session.read.format("rdf-stream").load(str(tmp_path / "none")).count()
    with pytest.raises(UsageError, match="EP603"), project_errors():
        session.range(3).write.format("rdf-stream").mode("append").save(str(tmp_path / "out"))


def fail_at_last(chunks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from chunks
    raise RuntimeError("lost")


def test_nothing_half_written(session: SparkSession, tmp_path: Path) -> None:
    row = (1, 1, "<urn:s>", "<urn:p>", "<urn:o>")
    good = session.createDataFrame([row] * 100, MICROSECONDS)
    good.write.format("rdf-stream").mode("append").save(str(tmp_path / "out"))
    before = sorted((tmp_path / "out").rglob("*.nq"))
    broken = good.mapInArrow(fail_at_last, MICROSECONDS)
    with pytest.raises(EtalisError), project_errors():
        broken.write.format("rdf-stream").mode("append").save(str(tmp_path / "out"))
    poison = session.createDataFrame([row, (1, 1, "<urn:s>", "p", "<urn:o>")], MICROSECONDS)
    with pytest.raises(DataError, match="EP407"), project_errors():
        poison.write.format("rdf-stream").mode("overwrite").save(str(tmp_path / "out"))
    assert sorted((tmp_path / "out").rglob("*.nq")) == before
    assert not list((tmp_path / "out" / ".staging").iterdir())
    good.limit(7).write.format("rdf-stream").mode("overwrite").save(str(tmp_path / "out"))
    assert not list((tmp_path / "out" / ".staging").iterdir())
    assert session.read.format("rdf-stream").load(str(tmp_path / "out")).count() == 7


def test_a_replay(session: SparkSession, tmp_path: Path) -> None:
    """Four minutes at 240 times their pace: more than one micro-batch, and each event once."""
    lines = [f"{60_000_000 * minute},<urn:{minute}>,<urn:p>,<urn:o>" for minute in range(5)]
    (tmp_path / "a.csv").write_text("\n".join(["start,s,p,o", *lines, ""]))
    source = session.readStream.format("rdf-stream").option("speed", 240).schema(MICROSECONDS)
    sink = source.load(str(tmp_path / "a.csv")).writeStream.format("rdf-stream")
    query = sink.option("checkpointLocation", str(tmp_path / "checkpoint")).start(str(tmp_path / "out"))
    written: Callable[[], list[Path]] = lambda: sorted((tmp_path / "out").glob("batch-*/*.nq"))  # noqa: E731
    try:
        for _ in range(int(10 * PATIENCE)):
            if sum(len(rows(open_stream(path))) for path in written()) == 5:
                break
            assert not query.awaitTermination(0.1)
    finally:
        query.stop()
    found = [[row[2] for row in rows(open_stream(path))] for path in written()]
    assert [name for each in found for name in each] == [f"<urn:{minute}>" for minute in range(5)]
    assert len(found) > 1
