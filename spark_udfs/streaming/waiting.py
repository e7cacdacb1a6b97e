"""Rows that wait for the watermark to pass their end."""

from __future__ import annotations

from bisect import bisect_left

from etalis_py.streams.batch import Batch, concat

__all__ = ["Waiting"]


class Waiting:
    """Rows in any order; those that are due come out sorted by end, and of one end as they came in.

    >>> columns = [["urn:a", "urn:b", "urn:c"]] * 3
    >>> waiting = Waiting()
    >>> waiting.add(Batch([5, 3, 9], [5, 3, 9], *columns, None, ["x"] * 3, [1, 2, 3]))
    >>> waiting.first, waiting.before(9).end, waiting.first, waiting.before(9)
    (3, [3, 5], 9, None)
    """

    def __init__(self) -> None:
        self._batches: list[Batch] = []

    @property
    def first(self) -> int | None:
        """The earliest end (microseconds)."""
        return min((min(batch.end) for batch in self._batches), default=None)

    def add(self, batch: Batch) -> None:
        """Let rows wait."""
        if len(batch):
            self._batches.append(batch)

    def before(self, time: int) -> Batch | None:
        """Take the rows that end before ``time``; None where there are none."""
        first = self.first
        if first is None or first >= time:
            return None
        together = concat(self._batches)
        order = sorted(range(len(together)), key=together.end.__getitem__)
        cut = bisect_left(order, time, key=together.end.__getitem__)
        self._batches = [together.take(order[cut:])] if cut < len(order) else []
        return together.take(order[:cut])
