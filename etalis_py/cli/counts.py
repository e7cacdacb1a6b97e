"""What a run on Spark counted, as lines for the terminal (``--progress``)."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.core.counting import counted
from etalis_py.spark_udfs.execution.metrics import Counts

__all__ = ["counts_lines"]


def counts_lines(counts: Counts) -> Iterator[str]:
    """A line for all events, and one for each query.

    >>> from etalis_py.spark_udfs.execution.metrics import QueryCounts
    >>> for line in counts_lines(Counts(20, 7, 1, {"rise": QueryCounts(3, 1)})):
    ...     print(line)
    20 events, 7 left out before the shuffle, 1 late
    rise: 3 matches, 1 goal waiting at the end
    """
    late = f", {counts.late:,} late" if counts.late else ""
    yield f"{counted(counts.events, 'event')}, {counts.dropped:,} left out before the shuffle{late}"
    for name, each in counts.queries.items():
        yield f"{name}: {counted(each.matches, 'match')}, {counted(each.goals, 'goal')} waiting at the end"
