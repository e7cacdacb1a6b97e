"""The streaming half of ``detect``: from a DataFrame of events to one of answers."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from etalis_py.core.errors import UsageError
from etalis_py.spark_udfs.execution.metrics import HIDDEN_SCHEMA
from etalis_py.spark_udfs.execution.worker import AnswerForm
from etalis_py.spark_udfs.planning.dealing import PlannedProgram
from etalis_py.spark_udfs.planning.events import normalized
from etalis_py.spark_udfs.session.session import STATE_STORE
from etalis_py.spark_udfs.streaming.operator import BUCKETS
from etalis_py.spark_udfs.streaming.stages import run_stages
from etalis_py.spark_udfs.streaming.watermarks import watermark_column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from etalis_py.spark_udfs.execution.metrics import Metrics

__all__ = ["check_surroundings", "detect_stream"]


def detect_stream(
    events: DataFrame,
    planned: PlannedProgram,
    form: AnswerForm,
    schema: str,
    *,
    buckets: int | None = None,
    on_late: Literal["error", "drop"] = "error",
    metrics: Metrics | None = None,
) -> DataFrame:
    """Answers of a streaming DataFrame, with the column ``watermark``.

    Raises:
        UsageError: EP504 columns that do not fit, EP581 no watermark, EP582 another state store than RocksDB,
            EP583 protobuf is not installed.
    """
    from pyspark.sql import functions as f

    check_surroundings(events)
    column = watermark_column(events)
    normalized(events)
    if metrics is not None:
        events = metrics.observe_events(events)
        schema = f"{schema}, {HIDDEN_SCHEMA}"
    answers = run_stages(
        events, column, planned, form, schema, buckets or BUCKETS, on_late, counted=metrics is not None
    )
    if metrics is not None:
        answers = metrics.observe_answers(answers, (each.name for each in planned.compiled))
    return answers.withColumn("watermark", f.timestamp_millis("watermark"))


def check_surroundings(events: DataFrame) -> None:
    """Whether Spark can keep state here.

    Raises:
        UsageError: EP582, EP583.
    """
    if find_spec("google") is None or find_spec("google.protobuf") is None:
        raise UsageError(
            "EP583",
            "Spark's transformWithState needs the Python package protobuf, which is not installed",
            hint="pip install 'etalis_py[streaming]', for the driver and for the workers",
        )
    for setting, needed in STATE_STORE.items():
        found = events.sparkSession.conf.get(setting, None)
        if found != needed:
            store = (found or "none").rpartition(".")[2]
            raise UsageError(
                "EP582",
                f"the state store of the session is {store}, and such a stream needs RocksDB",
                hint=f'spark.conf.set("{setting}", "{needed}")',
            )
