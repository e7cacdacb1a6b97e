"""``detect`` through Spark Connect: the client has neither Java nor SWI-Prolog in its process."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.patience import PATIENCE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PROJECT = Path(__file__).resolve().parents[3]
ONTOLOGY = "<urn:up> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <urn:high> .\n"


@pytest.fixture
def address(spark: SparkSession) -> Iterator[str]:
    """A Connect server in the Java of the tests' own session, reachable from here only."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    java = spark.sparkContext._jvm
    assert java is not None
    context = spark.sparkContext._jsc.sc()
    context.conf().set("spark.connect.grpc.binding.address", "127.0.0.1")
    context.conf().set("spark.connect.grpc.binding.port", str(port))
    service = java.org.apache.spark.sql.connect.service.SparkConnectService
    service.start(context)
    yield f"sc://127.0.0.1:{port}"
    service.stop(java.scala.Option.apply(None), java.scala.Option.apply(None))


@pytest.mark.spark
def test_detect_through_connect(address: str, tmp_path: Path) -> None:
    (tmp_path / "o.ttl").write_text(ONTOLOGY)
    command = [sys.executable, "-m", "tests.spark.cluster.connect_client", address, str(tmp_path)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told == {
        "session": "pyspark.sql.connect.session",
        "answers": [["urn:a", "x", 2]],
        "error": ["EP407", "    {'start': 1, 'end': 1, 's': '<urn:a>', 'p': '<urn:low>', 'o': 'c'}"],
        "stream": [["urn:a", "x", 2_000_000]],
        "prolog": False,
    }
