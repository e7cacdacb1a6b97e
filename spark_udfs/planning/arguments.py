"""The arguments of ``detect``, checked before anything is read or started.

What is wrong with them is an error here, by name; deep in Spark or in a worker it would be a stack trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from etalis_py.core.errors import UsageError
from etalis_py.engine.option_values import check_choice, check_count, check_query_text
from etalis_py.spark_udfs.execution.metrics import Metrics

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "check_columns",
    "check_events",
    "check_metrics",
    "check_options",
    "query_texts",
]


def query_texts(query: object) -> dict[str, str]:
    """The texts of the queries by name.

    Raises:
        UsageError: EP505, it is neither a text nor texts by name, or the name of a file.
    """
    texts = {"query": query} if isinstance(query, str) else query
    if (
        not isinstance(texts, Mapping)
        or not texts
        or not all(isinstance(each, str) for each in texts.values())
    ):
        raise UsageError(
            "EP505", f"query is {_short(query)}", hint='a text, or texts by name: {"warm": "..."}'
        )
    for text in texts.values():
        check_query_text(text)
    return {str(name): text for name, text in texts.items()}


def check_columns(columns: object) -> None:
    """Refuse what gives no type for each variable.

    Raises:
        UsageError: EP509.
    """
    if not isinstance(columns, Mapping):
        hint = 'types by variable: {"price": "double"}'
        raise UsageError("EP509", f"columns is {_short(columns)}", hint=hint)


def check_events(events: object) -> None:
    """Refuse what is no DataFrame of Spark's.

    Raises:
        UsageError: EP504.
    """
    if not hasattr(events, "isStreaming"):
        raise UsageError(
            "EP504",
            f"the events are no DataFrame of Spark's but a {type(events).__module__}.{type(events).__name__}",
            hint="spark.createDataFrame(...) makes one of rows, of pandas and of Arrow",
        )


def check_metrics(metrics: object) -> None:
    """Refuse all but `Metrics`.

    Raises:
        UsageError: EP505.
    """
    if metrics is not None and not isinstance(metrics, Metrics):
        raise UsageError(
            "EP505", f"metrics is {_short(metrics)}", hint="metrics = Metrics(), and hand that over"
        )


def check_options(
    events: DataFrame, *, partitions: int | None, on_late: str | None, buckets: int | None
) -> None:
    """Refuse what the one kind of DataFrame has no use for, and numbers that are none.

    Raises:
        UsageError: EP505, EP506.
    """
    unused: dict[str, object] = {"on_late": on_late, "buckets": buckets}
    kind, instead = (
        "batch",
        "that has no late rows: Spark sorts them; partitions says how many parts there are",
    )
    if events.isStreaming:
        unused = {"partitions": partitions}
        kind, instead = "streaming", "that has buckets, and spark.sql.shuffle.partitions"
    for name, value in unused.items():
        if value is not None:
            raise UsageError("EP506", f"{name} is not for a {kind} DataFrame", hint=instead)
    if on_late is not None:
        check_choice("on_late", on_late, ("error", "drop"))
    for name, number in (("partitions", partitions), ("buckets", buckets)):
        if number is not None:
            check_count(name, number)


def _short(value: object, most: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}..."
