"""One engine with the rows that wait for the watermark: what a bucket's log makes of its snapshot.

Does not know of Spark. The same snapshot and the same steps give the same engine, whatever process made
them: rows are taken sorted by end, and which ones are taken depends on the watermarks of the steps alone.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack
from types import MappingProxyType
from typing import TYPE_CHECKING

from etalis_py.spark_udfs.execution.stage_rows import StageReader
from etalis_py.spark_udfs.execution.worker import found_by, open_engine
from etalis_py.spark_udfs.planning.program import Program
from etalis_py.spark_udfs.streaming.bucket_state import Step
from etalis_py.spark_udfs.streaming.packing import unpack
from etalis_py.spark_udfs.streaming.waiting import Waiting

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.engine.answer_columns import Answers
    from etalis_py.spark_udfs.execution.metrics import PartCounts

__all__ = ["LiveEngine"]

_NO_SOLUTIONS: Mapping[int, int] = MappingProxyType({})


class LiveEngine:
    """``token`` is that of the last step it took.

    ``solutions`` are the units of earlier stages whose rows are solutions, with their widths.
    ``call`` is the call of ``detect`` whose functions and limits it has.
    """

    def __init__(
        self, program: Program, blank_nodes: str, solutions: Mapping[int, int] = _NO_SOLUTIONS, call: str = ""
    ) -> None:
        self.token = ""
        self.call = call
        self._waiting = Waiting()
        self._reader = StageReader(solutions)
        self._stack = ExitStack()
        opened = open_engine(program.with_blank_nodes(blank_nodes))
        self._engine, _ = self._stack.enter_context(opened)

    @property
    def clock(self) -> int | None:
        """The instant that is open, or in which the engine failed (microseconds, UTC)."""
        return self._engine.clock

    def close(self) -> None:
        """Give back what the engine owns."""
        self._stack.close()

    def count(self, counts: PartCounts, owners: Mapping[str, str]) -> None:
        """Say what waits in the engine now; ``owners`` as of `PartCounts.look`."""
        counts.look(self._engine, owners)

    def wait(self, rows: pa.RecordBatch) -> None:
        """Let events, or rows of an earlier stage, wait for the watermark.

        Raises:
            DataError: EP4xx for a row that is no event.
        """
        for batch in self._reader.batches(rows):
            self._waiting.add(batch)

    def passing(self, watermark: int | None) -> Generator[Answers, None, None]:
        """Take all rows that end before the watermark (microseconds), and close what is before it.

        It is done as this is iterated over, which gives what is found in portions. Who does not go on to the
        end has to close this, and then the engine.

        Raises:
            RunTimeError: the engine cannot go on.
        """
        if watermark is None:
            return
        due = self._waiting.before(watermark)
        if due is not None:
            yield from found_by(self._engine, self._engine.feed.sending((due,)))
        yield from found_by(self._engine, self._engine.advancing(watermark))

    @property
    def next_due(self) -> int | None:
        """The end of the first row that waits, or the first deadline that is open."""
        found = (self._waiting.first, self._engine.next_deadline)
        return min((each for each in found if each is not None), default=None)

    def snapshot(self) -> bytes:
        """The engine as bytes, without the rows that wait."""
        return self._engine.snapshot()

    def restore(self, snapshot: bytes) -> None:
        """Become the engine that was made bytes of.

        Raises:
            EtalisError: EP57x it cannot be.
        """
        if snapshot:
            self._engine.restore([snapshot])

    def catch_up(self, steps: Iterable[Step]) -> None:
        """Take steps whose answers were given already."""
        for step in steps:
            for packed in step.rows:
                self.wait(unpack(packed))
            for _ in self.passing(step.watermark):
                pass
            self.token = step.token
