"""The Python that Spark's workers start: this process's own where they run on this machine.

Without a setting Spark starts whatever ``python3`` is on PATH, which need not be the one that runs here: an
environment's interpreter may be called by its path. So what nobody has set is set before the first function
goes to Spark; what somebody has set stays, and is tried before any other work goes to it.

It is not set when this package is imported: then nobody knows yet whether the session will be one of this
machine, and the workers of a cluster have no interpreter of that path.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from etalis_py.spark_udfs.execution.failures import project_errors, sent_home

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["check_workers", "share_python"]

_SETTING: Final = "spark.sql.execution.pyspark.python"
_VARIABLE: Final = "PYSPARK_PYTHON"
_DEFAULT: Final = "python3"


def share_python(session: SparkSession) -> bool:
    """Let workers on this machine start this process's Python, where nothing is set; whether they do.

    A data source through Connect starts the Python that the server was started with, whatever is set here.
    """
    if (chosen := session.conf.get(_SETTING, None)) is not None:
        return chosen == sys.executable
    if (
        ".connect." in type(session).__module__
    ):  # the server names the Python, unless it was started from here
        if "SPARK_LOCAL_REMOTE" not in os.environ or _VARIABLE in os.environ:
            return False
        session.conf.set(_SETTING, sys.executable)
        return True
    context = session.sparkContext
    is_unset = context.pythonExec == _DEFAULT != os.environ.get(_VARIABLE)
    if is_unset and str(context.master).startswith("local"):
        context.pythonExec = sys.executable  # what functions that are pickled from here on are sent with
    return context.pythonExec == sys.executable


def check_workers(session: SparkSession) -> None:
    """See that workers can run what is sent to them; once a session, and only where they have another Python.

    Raises:
        RunTimeError: EP612 their Python does not start or is of another version, EP613 it has no etalis_py.
        SetupError: EP534 they have no SWI-Prolog.
    """
    if not share_python(session):
        _try_workers(session, session.conf.get(_SETTING, None))


@lru_cache(maxsize=8)
def _try_workers(session: SparkSession, _chosen: str | None) -> None:
    with project_errors():
        session.range(1, numPartitions=1).mapInArrow(_with_prolog, "id long").collect()


def _with_prolog(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What workers can run that have this package, and Prolog."""
    with sent_home():
        from etalis_py.embedding import prolog

        prolog.load_runtime()
    yield from rows
