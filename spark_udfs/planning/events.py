"""DataFrames of events in the one form that workers take: start and end as whole microseconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from etalis_py.core.errors import UsageError
from etalis_py.core.times import SCALES, TimeUnit
from etalis_py.streams.problems import nearest_column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["normalized"]


def normalized(events: DataFrame, unit: TimeUnit = "us") -> DataFrame:
    """Columns start, end (microseconds, UTC), s, p, o. ``unit`` is that of times that are numbers.

    Raises:
        UsageError: EP504 columns that are missing or of another type.
    """
    from pyspark.sql import functions as f

    missing = [name for name in ("start", "s", "p", "o") if name not in events.columns]
    if missing:
        raise UsageError(
            "EP504",
            f"the events lack the columns {', '.join(missing)}",
            hint=_nearest(missing[0], events.columns),
        )
    start = _microseconds(events, "start", unit)
    end = f.coalesce(_microseconds(events, "end", unit), start) if "end" in events.columns else start
    return events.select(start.alias("start"), end.alias("end"), *(_text(events, name) for name in "spo"))


def _nearest(missing: str, names: Sequence[str]) -> str:
    near = nearest_column(missing, names)
    there = f"there is {', '.join(names)}"
    return there if near is None else f"{there}: events.withColumnRenamed({near!r}, {missing!r})?"


def _microseconds(events: DataFrame, column: str, unit: TimeUnit) -> Column:
    from pyspark.sql import functions as f
    from pyspark.sql.types import (
        DateType,
        FractionalType,
        IntegralType,
        StringType,
        TimestampNTZType,
        TimestampType,
    )

    kind = events.schema[column].dataType
    if isinstance(kind, IntegralType):
        return f.col(column).cast("long") * SCALES[unit]
    if isinstance(kind, FractionalType) and unit != "us":
        return f.round(f.col(column) * SCALES[unit]).cast("long")
    if isinstance(kind, TimestampType):
        return f.unix_micros(f.col(column))
    if isinstance(kind, TimestampNTZType):
        return f.expr(f"timestampdiff(MICROSECOND, timestamp_ntz'1970-01-01 00:00:00', `{column}`)")
    known = "times are timestamps or whole microseconds since 1970; time_unit='s' reads seconds"
    how = f'events.withColumn("{column}", events["{column}"].cast("timestamp"))'
    castable = isinstance(kind, (StringType, DateType))
    raise UsageError(
        "EP504",
        f"the column {column!r} has the type {kind.simpleString()}",
        hint=f"{known}: {how}" if castable else known,
    )


def _text(events: DataFrame, column: str) -> Column:
    from pyspark.sql import functions as f
    from pyspark.sql.types import StringType

    kind = events.schema[column].dataType
    if not isinstance(kind, StringType):
        raise UsageError(
            "EP504",
            f"the column {column!r} has the type {kind.simpleString()}",
            hint='terms are text in N-Triples syntax: <http://example.org/a>, _:b, "text", "5"^^<datatype>',
        )
    return f.col(column)
