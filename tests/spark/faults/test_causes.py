"""Spark's own failures, told from the text of its exceptions: real texts, shortened."""

from __future__ import annotations

import pytest

from etalis_py.core.explanations import MESSAGES
from etalis_py.spark_udfs.execution.causes import known_cause

FULL = """An error occurred while calling o359.parquet.
: org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/small/out.
	at org.apache.spark.sql.errors.QueryExecutionErrors$.taskFailedWhileWritingRowsError(Query.scala:823)
Caused by: java.io.IOException: No space left on device
	at java.base/java.io.FileOutputStream.writeBytes(Native Method)"""
NO_PROGRAM = """An error occurred while calling o283.count.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 8.0 failed 1 times, most
java.io.IOException: Cannot run program "./environment/bin/python": error=2, No such file or directory
	at java.base/java.lang.ProcessBuilder.start(ProcessBuilder.java:1143)"""
OTHER_VERSION = """pyspark.errors.exceptions.base.PySparkRuntimeError: \
[PYTHON_VERSION_MISMATCH] Python in worker has different version: \
3.12 than that in driver: 3.11, PySpark cannot run with different minor versions.
Please check environment variables PYSPARK_PYTHON and PYSPARK_DRIVER_PYTHON are correctly set."""
NO_PACKAGE = """An exception was thrown from the Python worker:
    return cloudpickle.loads(obj, encoding=encoding)
ModuleNotFoundError: No module named 'etalis_py'"""
CRASH = """An error occurred while calling o60.count.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 3 in stage 2.0 failed 4 times, most
org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)
	at org.apache.spark.api.python.BasePythonRunner$ReaderIterator$$anonfun$1.applyOrElse(Runner.scala)"""


@pytest.mark.parametrize(
    ("code", "text"), [("EP612", NO_PROGRAM), ("EP613", NO_PACKAGE), ("EP614", CRASH), ("EP615", FULL)]
)
def test_the_message(code: str, text: str) -> None:
    assert f"{known_cause(text)}\n" == (MESSAGES / f"{code}.txt").read_text()


def test_another_version_of_python() -> None:
    found = known_cause(OTHER_VERSION)
    assert found is not None
    assert found.message == "the workers have Python 3.12, and the driver has 3.11"


def test_an_executor_that_is_lost() -> None:
    lost = "ExecutorLostFailure (executor 1 exited caused by one of the running tasks) Reason: it was killed"
    found = known_cause(f"Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times: {lost}")
    assert found is not None
    assert found.message == f"a worker died, each time it was tried: {lost}"


def test_state_of_a_stream_with_other_stages() -> None:
    found = known_cause(
        "org.apache.spark.sql.execution.streaming.state.StreamingStatefulOperatorNotMatchInStateMetadata: "
        "[STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA] Streaming stateful operator name does not "
        "match with the operator in state metadata."
    )
    assert found is not None
    assert found.code == "EP585"


def test_what_is_not_known() -> None:
    assert known_cause("org.apache.spark.SparkException: something else") is None
