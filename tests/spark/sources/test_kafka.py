"""The pipeline of ``etalis_py.demos.kafka`` with a real broker: what goes in and what comes out."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from etalis_py import Engine
from etalis_py.streams import open_stream
from tests.patience import PATIENCE
from tests.spark.conftest import random_csv
from tests.spark.sources.kafka_broker import broker, connector

QUERY = "SELECT ?x ?y ?z WHERE { { ?x <urn:p> ?y } SEQ { ?x <urn:q> ?z } }"

# Java takes jars at its start, so the pipeline has a process of its own, in which messages are sent as well.
PROGRAM = """
import json, sys
from etalis_py.demos import kafka
from etalis_py.spark_udfs import local_session

servers, jars = sys.argv[1:]
from pyspark.sql import SparkSession
settings = {
    "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.jars": jars, "spark.log.level": "ERROR", "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false",
    "spark.sql.streaming.stateStore.providerClass":
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}
spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()

said = ["--servers", servers, "--events", "goods", "--answers", "found", "--query", "q.rq"]
sys.argv = ["kafka", *said, "--folder", "work", "--once"]
for part in ("first.json", "second.json"):
    rows = [(line,) for line in open(part).read().splitlines()]
    messages = spark.createDataFrame(rows, "value string")
    sink = messages.write.format("kafka").option("kafka.bootstrap.servers", servers)
    sink.option("topic", "goods").save()
    kafka.main()
source = spark.read.format("kafka").option("kafka.bootstrap.servers", servers)
found = source.option("subscribe", "found").load()
with open("answers.json", "w") as file:
    file.writelines(f"{row.value}\\n" for row in found.selectExpr("CAST(value AS string) AS value").collect())
"""


@pytest.mark.spark
@pytest.mark.long
def test_the_pipeline(tmp_path: Path) -> None:
    jars = connector()
    (tmp_path / "stream.csv").write_text(
        re.sub(r"^(\d+),(\d+),", r"\g<1>000000,\g<2>000000,", random_csv(11, 200), flags=re.MULTILINE)
    )
    (tmp_path / "q.rq").write_text(QUERY)
    with (tmp_path / "stream.csv").open() as file:
        lines = [json.dumps(row) + "\n" for row in csv.DictReader(file)]
    lines.append(
        json.dumps({"start": 9_000_000_000, "s": "<urn:end>", "p": "<urn:p>", "o": "<urn:o>"}) + "\n"
    )
    (tmp_path / "first.json").write_text("".join(lines[:120]))
    (tmp_path / "second.json").write_text("{no event}\n" + "".join(lines[120:]))
    with broker(tmp_path) as servers:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, servers, ",".join(map(str, jars))],
            cwd=tmp_path,
            env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in (tmp_path / "answers.json").read_text().splitlines()]
    told = sorted(tuple(each[name]["value"] for name in "xyz") for each in found)
    with Engine() as engine:
        engine.register(QUERY, name="q")
        for batch in open_stream(tmp_path / "stream.csv"):
            engine.send_encoded(batch)
        engine.finish()
        expected = sorted(tuple(str(match[name]) for name in "xyz") for match in engine.matches("q"))
    assert len(expected) > 20
    assert told == expected
    (bad,) = (tmp_path / "work" / "bad").iterdir()
    assert json.loads(bad.read_text())["record"] == "{no event}"
