"""Options that make each Java of a test start sooner: classes from an archive, and little compilation.

Half of what a small Spark program costs is the loading of Spark's classes. Java can map them from an archive
("class data sharing"). One is made for an installation and kept in `.pytest_cache`. Java ignores one that
does not fit.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from etalis_py.provision.java import lead_spark_to_java
from tests.patience import PATIENCE

__all__ = ["java_options"]

_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""A short program ends before the better compiler and the parallel collector pay."""

_FOLDER = Path(__file__).resolve().parents[1] / ".pytest_cache" / "java"
_PROGRAM = """
import sys
from pyspark import SparkContext
from pyspark.sql import SparkSession, functions as f

settings = {"spark.sql.shuffle.partitions": "1", "spark.ui.enabled": "false"}
spark = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
rows = spark.createDataFrame([(1, "a"), (2, "b")], "n long, s string")
rows.groupBy("s").agg(f.sum("n").alias("n")).write.parquet(f"{sys.argv[1]}/rows")
spark.read.parquet(f"{sys.argv[1]}/rows").mapInArrow(lambda batches: batches, "s string, n long").collect()
spark.stop()
java = SparkContext._gateway.proc
java.stdin.close()
java.wait()
"""
"""Uses what most programs use, and waits for Java, which writes the archive when it ends."""


def java_options() -> str:
    """Options for ``SPARK_SUBMIT_OPTS``, which whatever starts Spark gives to its Java.

    Raises:
        SetupError: EP535 no Java.
    """
    packages = f"{lead_spark_to_java()} pyspark {version('pyspark')} {sys.prefix}"
    archive = _FOLDER / f"{hashlib.sha256(packages.encode()).hexdigest()[:16]}.jsa"
    _FOLDER.mkdir(parents=True, exist_ok=True)
    with (_FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not archive.exists():
            _make(archive)
    return f'{_QUICK} "-XX:SharedArchiveFile={archive}" -Xlog:cds*=off' if archive.exists() else _QUICK


def _make(archive: Path) -> None:
    """Write the archive, unless this Java cannot."""
    with TemporaryDirectory(dir=archive.parent) as folder:
        new = Path(folder, archive.name)
        options = f'{_QUICK} "-XX:ArchiveClassesAtExit={new}" -Xlog:disable'
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_SUBMIT_OPTS": options}
        subprocess.run(
            [sys.executable, "-c", _PROGRAM, folder],
            env=environment, cwd=folder, capture_output=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        if new.exists():
            new.rename(archive)
