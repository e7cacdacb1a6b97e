"""Slices of time: each event goes to the slice in which it ends, and to later ones that look back to it.

The borders are quantiles of the ends of the events, but no slice is shorter than answers look back, so that
no event goes to more than three. Spark finds them when it runs, in a pass over the events before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["in_slices"]

_FIRST, _LAST = -(1 << 63), (1 << 63) - 1
_NONE: Final = "CAST(array() AS array<bigint>)"
_BORDERS: Final = """aggregate(coalesce(borders, {none}), {none}, (kept, border) ->
    CASE WHEN size(kept) = 0 OR border - element_at(kept, -1) > {reach} THEN concat(kept, array(border))
         ELSE kept END)"""
_SLICES: Final = """filter(transform(sequence(0, size(borders)), at -> named_struct(
    'slice', at,
    'low', CASE WHEN at = 0 THEN {first}L ELSE borders[at - 1] END,
    'high', CASE WHEN at = size(borders) THEN {last}L ELSE borders[at] END)),
    each -> end <= each.high AND (each.slice = 0 OR end > each.low - {reach}L))"""


def in_slices(rows: DataFrame, events: DataFrame, reach: int, partitions: int | None) -> DataFrame:
    """The rows with columns ``slice``, ``low`` and ``high``, once for each slice they belong to.

    ``reach``: how far back answers look, in microseconds. The slices are about as many as ``partitions``, or
    twice as many as tasks can run side by side.
    """
    from pyspark.sql import functions as f

    count = partitions or 2 * rows.sparkSession.sparkContext.defaultParallelism
    fractions = [number / count for number in range(1, count)] or [0.5]
    quantiles = f.percentile_approx("end", fractions, 1000).alias("borders")
    borders = events.agg(quantiles).select(f.expr(_BORDERS.format(reach=reach, none=_NONE)).alias("borders"))
    slices = f.expr(_SLICES.format(first=_FIRST + 1, last=_LAST, reach=reach))
    spread = rows.crossJoin(f.broadcast(borders)).withColumn("of", f.explode(slices)).drop("borders")
    sliced = spread.select("*", "of.slice", "of.low", "of.high").drop("of")
    return sliced.repartition(count, "slice")
