"""A Spark session for this machine: the one that runs, or one that is started and says nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.errors import RunTimeError, UsageError
from etalis_py.provision.java import lead_spark_to_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["local_session"]


def local_session(name: str, *, log: Path | None = None) -> SparkSession:
    """The session that is active, or a new one on all cores of this machine, reachable from here only.

    ``name`` is shown in Spark's own tools. What Java prints goes to the file ``log``, if one is named.
    Settings of ``spark-defaults.conf`` hold where they are not about the network; so a master named there is
    used.

    Raises:
        UsageError: EP535 no Java, EP536 no PySpark.
        RunTimeError: EP305, Spark does not start.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError(
            "EP536",
            f"PySpark cannot be imported: {error}",
            hint="pip install 'etalis_py[spark]'; all but Spark works without",
        ) from error
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    lead_spark_to_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 2)),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    try:
        with _java_prints_to(log):
            return SparkSession.builder.appName(name).config(map=settings).getOrCreate()
    except Exception as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise RunTimeError(
            "EP305", f"Spark does not start: {reason[0]}", hint="etalis doctor looks at what it needs"
        ) from error


@contextmanager
def _java_prints_to(log: Path | None) -> Iterator[None]:
    """Let a Java that is started within this write to a file instead of this process's outputs."""
    if log is None:
        yield
        return
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(descriptor) for descriptor in (1, 2)]
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        for descriptor in (1, 2):
            os.dup2(target, descriptor)
        yield
    finally:
        for descriptor, own in zip((1, 2), kept, strict=True):
            os.dup2(own, descriptor)
        for each in (target, *kept):
            os.close(each)
