"""Puts elements back in order of their end times, for streams that are late by no more than a known delay.

What `on_late=DURATION` means: an element may come after elements that end later, as long as these do not end
more than ``delay`` after it. It costs that much waiting. Whether an element is late depends on the elements
before it only, not on how they were cut into batches.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from heapq import heappop, heappush
from itertools import accumulate, repeat
from typing import Any

from etalis_py.core.json_forms import from_json_form, json_form
from etalis_py.streams.batch import Batch

__all__ = ["Reorder"]


class Reorder:
    """A buffer of occurrences, sorted by end; those that have the same end keep the order they came in.

    ``delay`` is in microseconds. `push` gives what is due: all that ends no later than the newest end less
    the delay. After the last batch, `flush` gives the rest. ``newest`` is the latest end that came.

    >>> columns = [["urn:a", "urn:b", "urn:c"]] * 3
    >>> batch = Batch([5, 3, 9], [5, 3, 9], *columns, None, ["x"] * 3, [1, 2, 3])
    >>> reorder = Reorder(delay=4)
    >>> due, late = reorder.push(batch)
    >>> due.end, late, reorder.flush().end
    ([3, 5], None, [9])
    """

    def __init__(self, delay: int) -> None:
        if delay < 0:
            raise ValueError("a delay is not negative")
        self.delay = delay
        self.newest: int | None = None
        # Rows as (end, number of arrival, start, s, p, o, stream, graph, source, row), always a heap.
        # The number is unique, so no comparison ever reaches the terms.
        self._rows: list[tuple[Any, ...]] = []
        self._arrived = 0

    def __len__(self) -> int:
        """How many occurrences wait."""
        return len(self._rows)

    def push(self, batch: Batch) -> tuple[Batch | None, Batch | None]:
        """Take a batch; what is due now, sorted by end, and what came too late. None stands for nothing."""
        if not len(batch):
            return None, None
        first = batch.end[0] if self.newest is None else self.newest
        newest = list(accumulate(batch.end, max, initial=first))  # before each row, and after the last
        self.newest = newest[-1]
        late: Batch | None = None
        if min(batch.end) < self.newest - self.delay:
            delay = self.delay
            pairs = list(zip(batch.end, newest, strict=False))
            late_rows = [index for index, (end, before) in enumerate(pairs) if end < before - delay]
            if late_rows:
                late = batch.take(late_rows)
                batch = batch.take([i for i, (end, before) in enumerate(pairs) if end >= before - delay])
        return self._exchange(batch, self.newest - self.delay), late

    def flush(self) -> Batch | None:
        """All that waits, sorted by end."""
        rows, self._rows = sorted(self._rows), []
        return _to_batch(rows)

    def release(self, time: int) -> Batch | None:
        """All that ends before ``time``, sorted by end: nothing that ends earlier will come."""
        self.newest = time + self.delay if self.newest is None else max(self.newest, time + self.delay)
        self._rows.sort()
        cut = bisect_left(self._rows, time, key=lambda row: row[0])
        due, self._rows = self._rows[:cut], self._rows[cut:]
        return _to_batch(due)

    def state(self, since: int | None = None) -> dict[str, Any]:
        """What waits, and what it will be compared with, as JSON has it.

        With ``since``, how many rows had arrived then, only what changed: the rows that came after that, and
        the first row of the others that still waits; what is before that one was given.
        """
        state = {"newest": self.newest, "arrived": self._arrived}
        if since is None:
            return {**state, "rows": json_form(sorted(self._rows))}
        first = min((row[:2] for row in self._rows if row[1] < since), default=None)
        new = sorted(row for row in self._rows if row[1] >= since)
        return {**state, "rows": json_form(new), "first": json_form(first)}

    def go_on_from(self, state: dict[str, Any]) -> None:
        """Be as the buffer was that gave the state, or the changes after the state that this one is in."""
        self.newest, self._arrived = state["newest"], state["arrived"]
        kept = []
        if state.get("first") is not None:
            first = tuple(state["first"])
            kept = [row for row in self._rows if row[:2] >= first]
        self._rows = sorted([*kept, *from_json_form(state["rows"])])

    def _exchange(self, batch: Batch, due: int) -> Batch | None:
        """Add a batch, and remove what ends no later than ``due``."""
        rows = self._rows
        count = len(batch)
        numbers = range(self._arrived, self._arrived + count)
        self._arrived += count
        names = (repeat(None, count) if each is None else each for each in (batch.stream, batch.graph))
        new = zip(
            batch.end, numbers, batch.start, batch.s, batch.p, batch.o, *names, batch.sources, batch.rows,
            strict=True,
        )  # fmt: skip
        if count * 16 < len(rows):  # few rows into many: each finds its place alone
            for row in new:
                heappush(rows, row)
            given = []
            while rows and rows[0][0] <= due:
                given.append(heappop(rows))
            return _to_batch(given)
        rows.extend(new)
        rows.sort()  # two runs in order each, which the sort merges
        cut = bisect_right(rows, due, key=lambda row: row[0])
        given = rows[:cut]
        del rows[:cut]
        return _to_batch(given)


def _to_batch(rows: list[tuple[Any, ...]]) -> Batch | None:
    if not rows:
        return None
    end, _, start, s, p, o, stream, graph, sources, numbers = map(list, zip(*rows, strict=True))
    in_stream, in_graph = (column if any(column) else None for column in (stream, graph))
    return Batch(start, end, s, p, o, in_graph, sources, numbers, in_stream)
