"""A session that a user made, in a Python that is called by its path: its workers start the same one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from etalis_py.provision.java import lead_spark_to_java
from tests.patience import PATIENCE

pytestmark = pytest.mark.spark

OWN = ("PYSPARK", "SPARK_")
QUICK = "SPARK_SUBMIT_OPTS"
"""With it Java starts quickly (tests/quick_java.py)."""

DRIVER = """
import json, sys
from pyspark.sql import SparkSession
from etalis_py.spark_udfs import detect, local_session, project_errors
from etalis_py.spark_udfs.sources import register_sources

kind, folder = sys.argv[1:]
builder = SparkSession.builder
builder = builder.remote("local[1]") if kind == "connect" else builder.master("local[1]")
spark = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "1").getOrCreate()
told = {}
try:
    with project_errors():
        if kind in ("connect", "rows", "rows after"):
            if kind == "rows after":
                local_session("the one that is active")
            rows = [(1, "<urn:a>", "<urn:up>", "<urn:b>")]
            events = spark.createDataFrame(rows, "start long, s string, p string, o string")
        else:
            register_sources(spark)
            events = spark.read.format("rdf-stream").load(f"{folder}/in")
        query = "SELECT ?x { ?x <urn:high> ?y }"
        found = detect(events, query, background=f"{folder}/o.ttl")
        told["batch"] = [row.x.value for row in found.collect()]
        if kind == "stream":
            source = spark.readStream.format("rdf-stream").load(f"{folder}/in")
            run = source.writeStream.format("rdf-stream").option("checkpointLocation", f"{folder}/checkpoint")
            run.trigger(availableNow=True).start(f"{folder}/out").awaitTermination()
            told["stream"] = spark.read.format("rdf-stream").load(f"{folder}/out").count()
except Exception as error:
    told["error"] = str(error)
print(json.dumps(told))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Events, and a ``python3`` that knows of nothing."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("start,s,p,o\n1,<urn:a>,<urn:up>,<urn:b>\n")
    (tmp_path / "o.ttl").write_text(
        "<urn:up> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <urn:high> .\n"
    )
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python3"
    python.write_text(f'#!/bin/sh\nexec {Path(sys.executable).resolve()} -S "$@"\n')
    python.chmod(0o755)
    return tmp_path


def told_by(kind: str, folder: Path, **settings: str) -> dict[str, object]:
    lead_spark_to_java()
    environment = {
        **{name: value for name, value in os.environ.items() if name == QUICK or not name.startswith(OWN)},
        "PATH": f"{folder / 'bin'}{os.pathsep}/usr/bin:/bin",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_TESTING": "1",  # a free port for Connect
        **settings,
    }
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, kind, str(folder)],
        capture_output=True, text=True, env=environment, cwd=folder, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_workers_on_this_machine_start_the_python_of_the_driver(folder: Path) -> None:
    assert told_by("stream", folder) == {"batch": ["urn:a"], "stream": 1}


@pytest.mark.long
def test_rows_of_python_before_detect_start_what_is_on_path_unless_the_session_is_told(folder: Path) -> None:
    python = folder / "bin" / "python3"
    python.write_text(python.read_text().replace("exec", "export PYTHONPATH=\nexec"))
    error = str(told_by("rows", folder)["error"])
    assert error.startswith("EP613 the workers' Python has no package pyspark")
    assert "PYSPARK_PYTHON" in error
    assert told_by("rows after", folder)["batch"] == ["urn:a"]


@pytest.mark.long
def test_so_they_do_through_a_connect_server_that_was_started_from_here(folder: Path) -> None:
    assert told_by("connect", folder) == {"batch": ["urn:a"]}


def test_what_the_user_has_set_stays_and_is_told_where_it_does_not_do(folder: Path) -> None:
    error = str(told_by("batch", folder, PYSPARK_PYTHON=str(folder / "bin" / "python3"))["error"])
    assert error.startswith("EP613 the workers' Python has no package etalis_py")
    assert "PYSPARK_PYTHON" in error
