"""Elements that come too late: what is late within a delay, and the error that says so."""

from __future__ import annotations

from itertools import accumulate

from etalis_py.core.errors import DataError
from etalis_py.core.terms import ntriples
from etalis_py.core.times import format_time
from etalis_py.engine.reorder import Reorder
from etalis_py.streams.batch import Batch

__all__ = ["check_instant", "first_late", "too_late"]


def check_instant(batch: Batch, at: int | None) -> None:
    """Refuse elements at another time than the one instant ``at`` of a run (None: any time is right).

    Raises:
        DataError: EP417.
    """
    if at is None:
        return
    for index, interval in enumerate(zip(batch.start, batch.end, strict=True)):
        if interval != (at, at):
            message = f"an element at another time than {format_time(at)}, the one instant of the run"
            hint = "all elements must start and end at that time"
            raise DataError("EP417", message, place=batch.place(index), hint=hint)


def first_late(batch: Batch, buffer: Reorder) -> int | None:
    """The index of the first element that ends more than the buffer's delay before an earlier arrival."""
    if not len(batch):
        return None
    first = batch.end[0] if buffer.newest is None else buffer.newest
    if min(batch.end) >= max(first, *batch.end) - buffer.delay:
        return None
    newest = accumulate(batch.end, max, initial=first)
    pairs = zip(batch.end, newest, strict=False)
    return next((index for index, (end, before) in enumerate(pairs) if end < before - buffer.delay), None)


def too_late(batch: Batch, index: int, open_instant: int | None = None) -> DataError:
    """EP413 for one element; ``open_instant`` is the end of the one that came before it, if it is known."""
    before = "a later one" if open_instant is None else f"one that ends at {format_time(open_instant)}"
    stream = None if batch.stream is None else batch.stream[index]
    what = "an element" if stream is None else f"an element of the stream {ntriples(stream)}"
    return DataError(
        "EP413",
        f"{what} that ends at {format_time(batch.end[index])} comes too late: {before} came before it",
        place=batch.place(index),
        hint="sort the stream by end time; or drop such elements with on_late='drop', or wait for them "
        "with a (longer) duration as on_late",
    )
