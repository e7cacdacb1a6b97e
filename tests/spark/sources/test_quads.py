"""Rows as N-Quads, and what cannot be."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import StructType

from etalis_py.core.errors import DataError, EtalisError, UsageError
from etalis_py.spark_udfs.execution.answers import spark_schema
from etalis_py.spark_udfs.execution.failures import TaskError
from etalis_py.spark_udfs.sources.quads import QuadLines, check_columns_of
from etalis_py.spark_udfs.sources.sink import QuadsWriter, StreamQuadsWriter, Written
from etalis_py.spark_udfs.sources.staging import staging_folder, this_driver
from etalis_py.streams import open_stream
from tests.spark.sources.conftest import rows

Golden = Callable[[EtalisError], None]


def event(**changes: Any) -> pa.RecordBatch:
    row = {"start": 1, "end": 2, "s": "<urn:s>", "p": "<urn:p>", "o": '"a\\"b"@EN', "graph": None, **changes}
    return pa.RecordBatch.from_pylist([row])


def term(kind: str, value: str, **more: str) -> dict[str, str | None]:
    return {"type": kind, "value": value, "datatype": None, "lang": None, **more}


def answer(triples: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([{"query": "my query", "start": 5, "end": 5, "triples": triples}])


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    quads = QuadLines("x-")
    text = "".join(quads.lines(event()))
    text += "".join(quads.lines(event(graph="<urn:g>", o="_:b")))
    number = term("literal", "05", datatype="http://www.w3.org/2001/XMLSchema#integer")
    triple = {"s": term("bnode", "b1"), "p": term("uri", "urn:p"), "o": number}
    text += "".join(quads.lines(answer([triple, triple])))
    assert "<urn:etalis:events:1-2:x-1>" in text
    assert "<urn:etalis:my%20query:5-5:x-2>" in text
    (tmp_path / "a.nq").write_text(text)
    assert rows(open_stream(tmp_path / "a.nq")) == [
        (1, 2, "<urn:s>", "<urn:p>", '"a\\"b"@en'),
        (1, 2, "<urn:s>", "<urn:p>", "_:b"),
        (5, 5, "_:b1", "<urn:p>", '"05"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    ]


def test_one_graph_has_one_time() -> None:
    quads = QuadLines("x-")
    told = [line.count("prov#") for _ in range(2) for line in quads.lines(event(graph="<urn:g>"))]
    assert told == [1, 1, 0, 0]
    with pytest.raises(DataError, match="EP414"):
        list(quads.lines(event(graph="<urn:g>", end=3)))


@pytest.mark.parametrize(
    ("code", "record"),
    [
        ("EP407", event(o="x> <urn:y> . <urn:z")),
        ("EP408", event(p='"p"')),
        ("EP407", event(s=None)),
        ("EP409", event(start=None)),
        ("EP410", event(start=3)),
    ],
)
def test_rows_that_are_no_events(code: str, record: pa.RecordBatch) -> None:
    with pytest.raises(DataError) as caught:
        list(QuadLines("x-").lines(record))
    assert caught.value.code == code


def test_an_answer_without_triples(golden: Golden) -> None:
    with pytest.raises(DataError) as caught:
        list(QuadLines("x-").lines(answer(None)))
    assert caught.value.code == "EP604"
    golden(caught.value)
    assert list(QuadLines("x-").lines(answer([]))) == []


def test_an_event_of_a_stream_with_a_name(golden: Golden) -> None:
    for plain in ("", "<urn:etalis:default>"):
        assert len(list(QuadLines("x-").lines(event(stream=plain)))) == 3
    with pytest.raises(DataError, match="EP609") as caught:
        list(QuadLines("x-").lines(event(stream="<urn:dock>")))
    golden(caught.value)


@pytest.mark.spark
def test_columns(spark: object, golden: Golden) -> None:
    def check(schema: str) -> None:
        check_columns_of(StructType.fromDDL(schema))

    check("start timestamp, s string, p string, o string, note int")
    check("start bigint, end bigint, s string, p string, o string, graph string")
    check(spark_schema(("x",)))
    for wrong in (
        "start timestamp, s string, p string",
        "s string, p string, o string",
        "start timestamp, end timestamp, triples array<string>",
        "start timestamp, s string, p string, o string, graph int",
        "start timestamp, s string, p string, o string, stream int",
    ):
        with pytest.raises(UsageError, match="EP603"):
            check(wrong)
    with pytest.raises(UsageError) as caught:
        check("start string, s string, p string, o string")
    golden(caught.value)


def shown(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.nq"))


def test_a_write_shows_when_all_its_tasks_are_done(tmp_path: Path) -> None:
    writer = QuadsWriter(str(tmp_path), overwrite=False)
    one, two, none = (writer.write(iter(each)) for each in ([event()], [event(), event()], []))
    left = writer.write(iter([event()]))  # by a task that was run twice
    assert none.name is None
    assert not [name for name in shown(tmp_path) if not name.startswith(".staging/")]
    assert left.name
    writer.commit([one, two, none])
    assert [name.partition("/")[2] for name in shown(tmp_path)] == ["part-00000.nq", "part-00001.nq"]
    again = QuadsWriter(str(tmp_path), overwrite=True)
    (tmp_path / "mine.nq").write_text("")
    again.commit([again.write(iter([event()]))])
    assert [name.rpartition("/")[2] for name in shown(tmp_path)] == ["mine.nq", "part-00000.nq"]
    broken = QuadsWriter(str(tmp_path), overwrite=True)
    broken.write(iter([event()]))
    broken.abort([])
    assert len(shown(tmp_path)) == 2


def test_a_micro_batch_that_is_run_again_changes_nothing(tmp_path: Path) -> None:
    writer = StreamQuadsWriter(str(tmp_path))
    for text in ("first\n", "second\n"):
        staged(tmp_path, "q-000000007", text)
        writer.commit([Written("q-000000007", "00000-ab.nq"), None], 7)
    assert shown(tmp_path) == ["batch-q-000000007/part-00000.nq"]
    assert (tmp_path / "batch-q-000000007" / "part-00000.nq").read_text() == "first\n"
    assert not list((tmp_path / ".staging").iterdir())


def staged(folder: Path, run: str, text: str = "", *, driver: str = "") -> Path:
    """A file as a task of a run leaves it."""
    place = staging_folder(folder, driver or this_driver(), run)
    place.mkdir(parents=True)
    (place / "00000-ab.nq").write_text(text)
    return place


def test_a_task_that_meets_the_abort_leaves_nothing(tmp_path: Path) -> None:
    """It writes while the driver gives the write up, or begins only then: Spark cannot stop it at once."""
    writer = QuadsWriter(str(tmp_path), overwrite=False)

    def gives_up_in_between() -> Iterator[pa.RecordBatch]:
        yield event()
        writer.abort([])
        yield event()

    writer.write(gives_up_in_between())
    with pytest.raises(TaskError, match="EP608"):
        writer.write(iter([event()]))
    assert list((tmp_path / ".staging").iterdir()) == []


DRIVER = """
import sys, pyarrow as pa
from pathlib import Path
from etalis_py.spark_udfs.sources.sink import QuadsWriter
writer = QuadsWriter(sys.argv[1], overwrite=False)
row = pa.RecordBatch.from_pylist([{"start": 1, "s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>"}])
written = writer.write(iter([row]))
print(flush=True)
sys.stdin.readline()
writer.commit([written])
"""


def test_what_a_killed_driver_left_goes_with_the_next_write_and_a_live_ones_stays(tmp_path: Path) -> None:
    command = [sys.executable, "-c", DRIVER, str(tmp_path)]
    drivers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for each in drivers:
            assert each.stdout
            assert each.stdout.readline()
        killed, live = drivers
        killed.kill()
        killed.wait()
        mine, other = (QuadsWriter(str(tmp_path), overwrite=False) for _ in range(2))
        waiting = other.write(iter([event()]))
        mine.commit([mine.write(iter([event()]))])
        assert len(list((tmp_path / ".staging").iterdir())) == 2  # the live driver's, and the other write's
        live.communicate(b"\n")
        assert live.returncode == 0
        other.commit([waiting])
    finally:
        for each in drivers:
            each.kill()
            each.communicate()
    assert len(shown(tmp_path)) == 3
    assert list((tmp_path / ".staging").iterdir()) == []


def test_what_a_stream_left_goes_with_a_later_micro_batch(tmp_path: Path) -> None:
    """Tasks of earlier attempts may come too late; what another query or a later batch wrote stays."""
    staged(tmp_path, "q-000000006")
    staged(tmp_path, "q-000000007", "text\n")
    kept = {staged(tmp_path, "q-000000008"), staged(tmp_path, "r-000000007")}
    StreamQuadsWriter(str(tmp_path)).commit([Written("q-000000007", "00000-ab.nq")], 7)
    assert set((tmp_path / ".staging").iterdir()) == kept


def test_what_another_machine_left_goes_after_a_week(tmp_path: Path) -> None:
    elsewhere = "00c0ffee.1.1"
    old, half = (staged(tmp_path, run, driver=elsewhere) for run in ("old", "half"))
    staged(tmp_path, "young", driver=elsewhere)
    nameless = tmp_path / ".staging" / "abc-00000-ab.nq"  # as earlier versions named them
    nameless.write_text("")
    for path in (old, old / "00000-ab.nq", half, nameless):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    writer = QuadsWriter(str(tmp_path), overwrite=False)
    writer.abort([])
    assert {path.name.rpartition(".")[2] for path in (tmp_path / ".staging").iterdir()} == {"half", "young"}


def test_a_folder_that_cannot_be_written(tmp_path: Path, golden: Golden) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EtalisError) as caught:
        QuadsWriter(str(tmp_path / "file"), overwrite=False)
    assert caught.value.code == "EP608"
    golden(caught.value)
