"""What a worker keeps between tasks, and what a driver never has."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from etalis_py.core.errors import CompileError, DataError
from etalis_py.spark_udfs import detect
from tests.patience import PATIENCE

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

BELOW = "<http://www.w3.org/2000/01/rdf-schema#subPropertyOf>"
COLUMNS = "start long, s string, p string, o string"
RISE = "SELECT ?x { { ?x <urn:low> ?a } SEQ { ?x <urn:high> ?b } }"


def look_around(chunks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The Prolog modules of engines and backgrounds in this worker, if it has Prolog."""
    import sys

    import pyarrow as pa

    for _ in chunks:
        names = []
        if "janus_swi" in sys.modules:
            found = sys.modules["janus_swi"].query("current_module(M), sub_atom(M, 0, _, _, etalis_engine_)")
            names = [row["M"] for row in found]
            streams = sys.modules.get("etalis_py.spark_udfs.streaming.live_engines")
            if streams is not None:  # those of streams are to live on
                names = names[len(streams.live_engines()) :]
        yield pa.record_batch({"prolog": ["janus_swi" in sys.modules], "left": [len(names)]})


@pytest.mark.spark
def test_a_worker_forgets_each_task(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "o.ttl").write_text(
        "<urn:up> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <urn:high> ."
    )
    rows = [(1, "<urn:a>", "<urn:low>", "<urn:b>"), (2, "<urn:a>", "<urn:up>", "<urn:b>")]
    events = spark.createDataFrame(rows, COLUMNS)
    background = [str(tmp_path / "o.ttl")]
    # The high side alone, after tasks that saw the low side: no goal is left of them.
    for _ in range(3):
        assert detect(events, RISE, background=background).count() == 1
        assert detect(events, RISE).count() == 0
        assert detect(events.where("start = 2"), RISE, background=background).count() == 0
    seen = spark.range(4, numPartitions=4).mapInArrow(look_around, "prolog boolean, left long").collect()
    assert any(row.prolog for row in seen)
    assert [row.left for row in seen] == [0] * 4


@pytest.mark.spark
def test_what_a_worker_says_of_background(spark: SparkSession, tmp_path: Path) -> None:
    events = spark.createDataFrame([(1, "<urn:a>", "<urn:low>", "<urn:b>")], COLUMNS)
    (tmp_path / "broken.ttl").write_text("<urn:a> <urn:b>")
    with pytest.raises(DataError, match="EP422") as caught:
        detect(events, RISE, background=[str(tmp_path / "broken.ttl")])
    assert caught.value.place is not None
    assert caught.value.place.line == 1
    (tmp_path / "near.pl").write_text("near(_).\n")
    with pytest.raises(CompileError, match="EP207") as refused:
        detect(events, "SELECT * { ?x ?p ?y FILTER(prolog:nere(?x)) }", rules=[str(tmp_path / "near.pl")])
    assert refused.value.hint == "there is near/1"


# One process for all that needs a driver of its own.
DRIVER = """
import sys
from etalis_py.cli import main
code = main(["run", "-W", "none", "q.rq", "--stream", "s.csv", "--background", "o.ttl", "--engine", "spark"])
from etalis_py.spark_udfs import detect, local_session
session = local_session("test")
row = (1, "<urn:a>", "<urn:p>", "<urn:b>")
events = session.createDataFrame([row], "start long, s string, p string, o string")
count = detect(events, "SELECT * { ?x <urn:p> ?y }").count()
print(code, count, "janus_swi" in sys.modules, file=open("done.txt", "w"))
"""


@pytest.mark.spark
def test_a_driver_has_no_prolog_and_java_is_silent(tmp_path: Path) -> None:
    (tmp_path / "q.rq").write_text("SELECT * { ?x <urn:p> ?y . ?x <urn:q> ?z . ?u <urn:v> ?w }")
    rows = (
        "start,s,p,o",
        "1,<urn:a>,<urn:p>,<urn:b>",
        "1,<urn:a>,<urn:q>,<urn:c>",
        "1,<urn:d>,<urn:v2>,<urn:e>",
    )
    (tmp_path / "s.csv").write_text("\n".join([*rows, ""]))
    (tmp_path / "o.ttl").write_text(f"<urn:v2> {BELOW} <urn:v> .")
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (tmp_path / "done.txt").read_text() == "0 1 False\n", done.stderr
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["bindings"]["w"]["value"] == "urn:e"
    (line,) = [each for each in done.stderr.splitlines() if each]
    said = "warning: no common join key, so one partition does all the work of its stage: q, line"
    assert line.startswith(said)


def test_nothing_heavy_is_imported_with_detect() -> None:
    code = "import sys; from etalis_py.spark_udfs import detect; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"janus_swi", "pyspark", "pyarrow", "pandas"}.intersection(done.stdout.split())
