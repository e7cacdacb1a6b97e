"""Rows of stream files in the order of their end, numbered, and which of them are due.

The files are read forwards and once. What a micro-batch has read is forgotten when Spark says that it is
done; one that has to be run again after a restart is found by reading from the beginning to its number.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from etalis_py.core.errors import DataError
from etalis_py.spark_udfs.sources.files import file_batches
from etalis_py.spark_udfs.sources.listing import StreamFile
from etalis_py.spark_udfs.sources.options import ReadOptions
from etalis_py.streams import Batch, concat, merge

__all__ = ["ReplayFeed"]


@dataclass(slots=True)
class ReplayFeed:
    """What was read and is not done with, from the row ``first`` on (numbers from 0)."""

    open: Callable[[], Iterator[Batch]]
    first: int = 0
    _stream: Iterator[Batch] | None = None
    _rows: list[Batch] = field(default_factory=list)
    _newest: list[int] = field(default_factory=list)
    """The greatest end up to each row: a row that is late in its file is due with those before it."""
    _error: DataError | None = None
    _ended: bool = False

    @classmethod
    def of_files(cls, files: Sequence[StreamFile], options: ReadOptions) -> ReplayFeed:
        """The rows of all files, merged by end."""
        return cls(lambda: merge([file_batches(file, options) for file in files]))

    @property
    def read(self) -> int:
        """The number of the row after the last that was read."""
        return self.first + len(self._newest)

    def seek(self, row: int) -> None:
        """Let the row with this number be the first that is kept."""
        if row < self.first:
            self.first, self._stream, self._rows, self._newest = 0, None, [], []
            self._error, self._ended = None, False
        while self.read < row and self._more():
            self._forget(row)
        self._forget(row)

    def end_at(self, row: int) -> int | None:
        """The greatest end (microseconds) up to a row; None after the last."""
        while self.read <= row and self._more():
            pass
        return self._newest[row - self.first] if row < self.read else None

    def due(self, row: int, time: float, at_most: int) -> int:
        """The number after the last row from ``row`` on whose end is not after ``time``.

        Raises:
            DataError: that of a bad record, once all before it has been given.
        """
        while self.read - row < at_most and (not self._newest or self._newest[-1] <= time) and self._more():
            pass
        if self._error is not None and row == self.read:
            raise self._error
        return min(self.first + bisect_right(self._newest, time), row + at_most)

    def between(self, row: int, last: int) -> Batch | None:
        """The rows from ``row`` up to, without, ``last``."""
        self.seek(row) if row < self.first else None
        while self.read < last and self._more():
            pass
        if row >= min(last, self.read):
            return None
        return concat(self._rows).part(row - self.first, last - self.first)

    def _more(self) -> bool:
        """Read on; False at the end, or at an error."""
        if self._ended or self._error is not None:
            return False
        self._stream = self._stream or self.open()
        try:
            batch = next(self._stream, None)
        except DataError as error:
            self._error = error
            return False
        if batch is None:
            self._ended = True
            return False
        if len(batch):
            self._rows.append(batch)
            newest = [*self._newest[-1:], *batch.end]
            self._newest += list(accumulate(newest, max))[len(self._newest[-1:]) :]
        return True

    def _forget(self, row: int) -> None:
        while self._rows and self.first + len(self._rows[0]) <= row:
            self._drop(len(self._rows[0]))
            del self._rows[0]
        if self._rows and row > self.first:
            self._rows[0] = self._rows[0].part(row - self.first, len(self._rows[0]))
            self._drop(row - self.first)

    def _drop(self, count: int) -> None:
        del self._newest[:count]
        self.first += count
