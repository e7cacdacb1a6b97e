"""A Spark session for this machine: the one that runs, or one that is started and says nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from etalis_py.core.errors import RunTimeError
from etalis_py.provision.console import SetupError
from etalis_py.provision.java import lead_spark_to_java
from etalis_py.spark_udfs.session.interpreter import share_python
from etalis_py.spark_udfs.session.java_log import few_words
from etalis_py.spark_udfs.session.tasks import Tasks, running_tasks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["STATE_STORE", "borrowed_session", "local_session", "run_interruptibly"]

_Result = TypeVar("_Result")

STATE_STORE: Final = {
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    )
}
"""What streams with state need: Spark's default store has no lists of values."""


def local_session(name: str) -> SparkSession:
    """The session that is active, or a new one on all cores of this machine, reachable from here only.

    Workers on this machine start this process's Python from here on, where nothing else is set.
    ``name`` is shown in Spark's own tools. ``spark-defaults.conf`` is heeded where it does not speak of what
    is set here; so a master that is named there is used. Java logs errors without stack traces, for an error
    of a task is in what the driver raises; a ``log4j2.properties`` among Spark's settings is heeded.

    Raises:
        SetupError: EP535 no Java, EP536 no PySpark.
        RunTimeError: EP305, Spark does not start.
    """
    builder = _builder()
    running = builder.getActiveSession()
    if running is None:
        return _start(builder, name, None)
    share_python(running)
    return running


@contextmanager
def borrowed_session(name: str, log: Path | None) -> Iterator[SparkSession]:
    """As `local_session`; a session that is started for this is stopped at the end.

    What its Java prints, stack traces too, goes to the file ``log``, or, without one, to standard error.
    """
    builder = _builder()
    running = builder.getActiveSession()
    if running is not None:
        yield running
        return
    session = _start(builder, name, log, talks=True)
    try:
        yield session
    finally:
        session.stop()


def run_interruptibly(
    session: SparkSession, action: Callable[[], _Result], on_wait: Callable[[Tasks], None] | None = None
) -> _Result:
    """The result of an action; Ctrl-C ends its jobs, and cuts off no word between Python and Java.

    ``on_wait`` is told now and then how far its jobs are.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(action)
        try:
            while on_wait is not None and not wait([future], timeout=0.2).done:
                on_wait(running_tasks(session))
            return future.result()
        except KeyboardInterrupt:
            while not wait([future], timeout=0.2).done:  # a job may be about to start
                session.sparkContext.cancelAllJobs()
            raise


def _builder() -> type[SparkSession]:
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise SetupError(
            "EP536",
            f"PySpark cannot be imported: {error}",
            hint="pip install 'etalis_py[spark]'; everything but Spark works without it",
        ) from error
    return SparkSession


def _start(kind: type[SparkSession], name: str, log: Path | None, *, talks: bool = False) -> SparkSession:
    lead_spark_to_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.sql.execution.arrow.maxBytesPerBatch": str((1 << 31) - 1),  # so Spark weighs no rows
        "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 2)),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **STATE_STORE,
    }
    try:
        with _java_prints_to(log), nullcontext() if talks else few_words():
            return kind.builder.appName(name).config(map=settings).getOrCreate()
    except Exception as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        hint = "run etalis doctor to check what it needs"
        raise RunTimeError("EP305", f"Spark does not start: {reason}", hint=hint) from error


@contextmanager
def _java_prints_to(log: Path | None) -> Iterator[None]:
    """Keep what a Java that is started within this prints off standard output, which is for answers."""
    kept = _duplicates((1, 2))
    target = None
    if log is not None:
        target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        for descriptor in kept:
            os.dup2(kept.get(2, descriptor) if target is None else target, descriptor)
        yield
    finally:
        for descriptor, own in kept.items():
            os.dup2(own, descriptor)
        for each in (*kept.values(), *(() if target is None else (target,))):
            os.close(each)


def _duplicates(descriptors: Iterable[int]) -> dict[int, int]:
    """Copies of those that are open."""
    found = {}
    for descriptor in descriptors:
        with suppress(OSError):
            found[descriptor] = os.dup(descriptor)
    return found
