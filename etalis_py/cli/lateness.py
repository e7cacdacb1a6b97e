"""``--on-late DURATION``: elements re-ordered within a delay, and what is late even so."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from etalis_py.errors import DataError
from etalis_py.reorder import Reorder
from etalis_py.streams import Batch
from etalis_py.times import format_time

__all__ = ["in_order", "late_text"]


def in_order(batches: Iterator[Batch], delay: int) -> Iterator[Batch]:
    """The batches with elements in order of end times, as far as ``delay`` (microseconds, 0: none) goes.

    Where the input breaks off, what still waits is not given: what is missing might belong before it.

    Raises:
        DataError: EP413, an element that is later than that; what precedes it was given as far as it is due.
    """
    if not delay:
        yield from batches
        return
    buffer = Reorder(delay)
    for batch in batches:
        late = _first_late(batch, buffer)
        due, _ = buffer.push(batch.part(0, len(batch) if late is None else late))
        if due is not None:
            yield due
        if late is not None:
            assert buffer.newest is not None, "there is one element at least before a late one"
            raise _too_late(batch, late, buffer.newest)
    rest = buffer.flush()
    if rest is not None:
        yield rest


def _first_late(batch: Batch, buffer: Reorder) -> int | None:
    """The index of the first element that ends more than the delay before another one that came earlier."""
    if not len(batch):
        return None
    first = batch.end[0] if buffer.newest is None else buffer.newest
    if min(batch.end) >= max(first, *batch.end) - buffer.delay:
        return None
    newest = accumulate(batch.end, max, initial=first)
    late = (
        index
        for index, (end, before) in enumerate(zip(batch.end, newest, strict=False))
        if end < before - buffer.delay
    )
    return next(late, None)


def _too_late(batch: Batch, index: int, newest: int) -> DataError:
    return DataError(
        "EP413",
        f"an element that ends at {format_time(batch.end[index])} comes too late: one that ends at "
        f"{format_time(newest)} came before it",
        place=batch.place(index),
        hint="sort the stream by end time, or give --on-late a longer duration, or drop",
    )


def late_text(count: int) -> str:
    """How many elements were too late.

    >>> late_text(1)
    '1 element came too late and was dropped'
    """
    if count == 1:
        return "1 element came too late and was dropped"
    return f"{count:,} elements came too late and were dropped"
