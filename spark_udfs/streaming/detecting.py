"""The streaming half of ``detect``: from a DataFrame of events to one of answers."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

from etalis_py.compiler.plan.plan import GroupPlan, walk
from etalis_py.core.errors import UsageError
from etalis_py.spark_udfs.execution.metrics import HIDDEN_SCHEMA
from etalis_py.spark_udfs.execution.worker import AnswerForm
from etalis_py.spark_udfs.planning.dealing import PlannedProgram
from etalis_py.spark_udfs.planning.events import normalized
from etalis_py.spark_udfs.planning.routing import is_needed, key_of
from etalis_py.spark_udfs.session.session import STATE_STORE
from etalis_py.spark_udfs.streaming.bucket import BucketProgram
from etalis_py.spark_udfs.streaming.fingerprints import fingerprint
from etalis_py.spark_udfs.streaming.operator import BUCKETS, bucket_column, in_buckets
from etalis_py.spark_udfs.streaming.packing import UnpackTask
from etalis_py.spark_udfs.streaming.processor import BucketProcessor
from etalis_py.spark_udfs.streaming.stages import run_stages
from etalis_py.spark_udfs.streaming.watermarks import behind_watermark, watermark_column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from etalis_py.spark_udfs.execution.metrics import Metrics

__all__ = ["check_surroundings", "detect_stream"]

_log = logging.getLogger(__name__)


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
    counted = metrics is not None
    if metrics is not None:
        events = metrics.observe_events(events)
        schema = f"{schema}, {HIDDEN_SCHEMA}"
    if planned.stages:
        count = buckets or BUCKETS
        answers = run_stages(events, column, planned, form, schema, count, on_late, counted=counted)
    else:
        count = 1 if _needs_one_bucket(planned) else buckets or BUCKETS
        answers = _one_stage(events, column, planned, form, schema, count, on_late, counted=counted)
    if metrics is not None:
        answers = metrics.observe_answers(answers, (each.name for each in planned.compiled))
    return answers.withColumn("watermark", f.timestamp_millis("watermark"))


def _one_stage(
    events: DataFrame,
    column: str,
    planned: PlannedProgram,
    form: AnswerForm,
    schema: str,
    count: int,
    on_late: Literal["error", "drop"],
    *,
    counted: bool,
) -> DataFrame:
    """The answers of a program with one key, or with none in one bucket."""
    routes = planned.deal.routes
    needed = is_needed(routes)
    kept = events if needed is None else events.where(behind_watermark(needed, column))
    dealt = normalized(kept).withColumn("bucket", bucket_column(key_of(routes), count))
    processor = BucketProcessor(_bucket_program(planned, count, on_late, counted=counted), form)
    return in_buckets(dealt, processor).mapInArrow(UnpackTask(), f"{schema}, watermark long")


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


def _needs_one_bucket(planned: PlannedProgram) -> bool:
    """Whether the events of all keys are to be together; says why where it has not been said."""
    deal = planned.deal
    if not deal.is_partitioned:
        return True
    for name in sorted(deal.merge):
        _log.warning("equal answers for several keys are one, so one bucket does all the work: %s", name)
    return bool(deal.merge)


def _bucket_program(
    planned: PlannedProgram, count: int, on_late: Literal["error", "drop"], *, counted: bool
) -> BucketProgram:
    program = planned.program
    nodes = [node for each in planned.compiled for node in walk(each.plan.root)]
    has_steps = any(isinstance(node, GroupPlan) and node.step is not None for node in nodes)
    names = tuple(each.name for each in planned.compiled)
    own = fingerprint(program, planned.deal.routes, count)
    return BucketProgram(program, own, on_late, has_steps, names, counted, call=uuid4().hex)
