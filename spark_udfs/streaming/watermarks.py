"""The watermark of a stream: the user's, which Spark keeps. Its delay is how late events may be.

Spark drops late rows before a stateful operator, and silently, if the column that has the watermark reaches
it. Here the column does not: it ends before the shuffle, and whether a row is late is for the bucket to
say, by the row's own end. So none is lost that the watermark allows, and one that it does not allow is an
error, or counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from etalis_py.core.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["behind_watermark", "watermark_column"]

_DELAY: Final = "spark.watermarkDelayMs"
"""The key under which Spark notes the watermark with a column."""


def watermark_column(events: DataFrame) -> str:
    """The column of a streaming DataFrame that has its watermark.

    Raises:
        UsageError: EP581 there is none.
    """
    for column in events.schema:
        if _DELAY in (column.metadata or {}):
            return column.name
    raise UsageError(
        "EP581",
        "the streaming DataFrame has no watermark, so nothing tells when an instant is over",
        hint='events.withWatermark("start", "10 seconds"), on the column itself, and detect after it',
    )


def behind_watermark(condition: Column, column: str) -> Column:
    """A condition that Spark does not test before it has looked at the time of a row.

    An event that no query needs still says how late it is; where Spark may, it filters first, and events
    that are dropped move no watermark. It may not where the condition speaks of the watermark's column. A
    hash is never below the least integer, but Spark does not know.
    """
    from pyspark.sql import functions as f

    looked_at = f.hash(f.col(column)) >= f.lit(-(1 << 31))
    return f.when(condition, looked_at).otherwise(~looked_at)
