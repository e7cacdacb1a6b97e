"""DataFrames of events in the one form that workers take: start and end as whole microseconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from etalis_py.core.errors import UsageError
from etalis_py.core.terms import encode_ntriples
from etalis_py.core.times import SCALES, TimeUnit
from etalis_py.spark_udfs.execution.stage_rows import PLACE
from etalis_py.spark_udfs.planning.arguments import check_events
from etalis_py.streams.problems import nearest_column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["normalized", "together"]


def normalized(events: DataFrame, unit: TimeUnit = "us", *, places: bool = False) -> DataFrame:
    """Columns start, end (microseconds, UTC), s, p, o; with ``places`` also stream and graph, maybe null.

    ``unit`` is that of times that are numbers.

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
    texts = [_text(events, name) for name in "spo"]
    for name in PLACE if places else ():
        there = _text(events, name) if name in events.columns else f.lit(None).cast("string")
        texts.append(there.alias(name))
    return events.select(start.alias("start"), end.alias("end"), *texts)


def together(streams: Mapping[str, DataFrame], unit: TimeUnit) -> DataFrame:
    """One DataFrame of the events of several streams, which are named by their IRIs.

    Raises:
        UsageError: EP504, there is none, or columns do not fit; EP505, a name is not an IRI; EP506, one of
            them is a stream of Spark.
    """
    from pyspark.sql import functions as f

    if not streams:
        raise UsageError("EP504", "there is no stream of events", hint="give at least one DataFrame")
    parts = []
    for name, events in streams.items():
        iri = _stream_name(name)
        check_events(events)
        if events.isStreaming:
            hint = "give each a column stream, and make one of them: first.unionByName(second)"
            raise UsageError("EP506", "DataFrames by name cannot be streams of Spark", hint=hint)
        if "stream" in events.columns:
            raise UsageError(
                "EP504", f"the events of <{iri}> have a column stream of their own", hint="drop it"
            )
        parts.append(normalized(events, unit, places=True).withColumn("stream", f.lit(f"<{iri}>")))
    return reduce(lambda first, second: first.unionByName(second), parts)


def _stream_name(name: str) -> str:
    """The IRI of a stream.

    Raises:
        UsageError: EP505.
    """
    try:
        return str(encode_ntriples(f"<{name}>"))
    except ValueError:
        hint = "a stream is named by one, such as urn:dock"
        raise UsageError("EP505", f"events: {name!r} is not an absolute IRI", hint=hint) from None


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
