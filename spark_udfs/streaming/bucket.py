"""One bucket, woken: rows and time in, answers out, and its state as it is from then on.

Does not know of Spark's tasks, but for the state that it is handed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal
from uuid import uuid4

from etalis_py.errors import DataError, Place
from etalis_py.spark_udfs.metrics import PartCounts
from etalis_py.spark_udfs.program import Program
from etalis_py.spark_udfs.streaming.bucket_state import BucketState, Head, Step
from etalis_py.spark_udfs.streaming.live_engine import LiveEngine
from etalis_py.spark_udfs.streaming.live_engines import LiveEngines
from etalis_py.spark_udfs.streaming.packing import pack, unpack
from etalis_py.streams.columns import shown
from etalis_py.times import format_time

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.answer_columns import Answers

__all__ = ["LEAST_LOG", "MOST_STEPS", "Bucket", "BucketProgram", "Woken"]

_log = logging.getLogger(__name__)

LEAST_LOG: Final = 1 << 18
"""A log with less bytes than this is not worth a snapshot, however small that would be."""
MOST_STEPS: Final = 256
"""A log has no more steps than this, though they be empty."""


@dataclass(frozen=True, slots=True)
class BucketProgram:
    """What all buckets of a stream have in common.

    ``fingerprint`` is what tells it from other programs, with the number of buckets and the like.
    ``has_steps``: the passing of time itself makes answers. ``queries`` are the names of all; if ``counted``,
    what they do is counted.
    """

    program: Program
    fingerprint: str
    on_late: Literal["error", "drop"] = "error"
    has_steps: bool = False
    queries: tuple[str, ...] = ()
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Woken:
    """What came of it: the answers; when to wake it again (milliseconds), and when it would have been."""

    answers: Answers | None
    timer: int | None
    timer_before: int | None
    counts: PartCounts | None = None


class Bucket:
    """The bucket ``number`` of a stream, whose ``state`` it is the turn of."""

    def __init__(self, program: BucketProgram, number: int, state: BucketState, engines: LiveEngines) -> None:
        self._program = program
        self._number = number
        self._state = state
        self._engines = engines

    def wake(self, packed: Iterable[bytes], watermark: int) -> Woken:
        """Take rows and the time, which is Spark's watermark in milliseconds (0: there is none yet).

        Raises:
            DataError: EP4xx a row that is no event, EP413 one that comes after the watermark has passed its
            end. RunTimeError: EP3xx the engine cannot go on, EP58x the state cannot be used.
        """
        before = self._state.head() or Head.new(self._program.fingerprint, self._blank_nodes())
        time = watermark * 1000 if watermark > 0 else before.watermark
        rows, late = self._in_time([unpack(each) for each in packed], before.watermark)
        engine = self._engine(before)
        try:
            engine.wait(batch for chunk in rows for batch in engine.read(chunk))
            answers = engine.pass_time(time)
            step = Step(uuid4().hex, time, tuple(map(pack, rows)))
            head = self._written(before, step, late, engine)
            engine.token = head.token
        except BaseException:
            engine.close()
            raise
        counts = self._counts(answers, rows, late, engine)
        self._engines.keep(head.lineage, engine)
        return Woken(answers, head.timer, before.timer, counts)

    def _blank_nodes(self) -> str:
        return f"{self._program.program.blank_nodes}{self._number}x"

    def _counts(
        self, answers: Answers | None, rows: Sequence[pa.RecordBatch], late: int, engine: LiveEngine
    ) -> PartCounts | None:
        if not self._program.counted:
            return None
        counts = PartCounts(self._program.queries)
        counts.take(sum(chunk.num_rows for chunk in rows) + late)
        counts.late(late)
        engine.count(counts)
        if answers is not None:
            counts.answer(answers)
        return counts

    # ---- rows that come -----------------------------------------------------------------------------------

    def _in_time(
        self, chunks: Sequence[pa.RecordBatch], time: int | None
    ) -> tuple[list[pa.RecordBatch], int]:
        """The rows that end no earlier than ``time``, and how many do.

        ``time`` is that to which the bucket has been brought, by an earlier micro-batch: nothing is late that
        can still be put in order. So it may be the answer of a stateful operator before this one, too, which
        gives what its watermark has passed in this very micro-batch.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        if time is None:
            return list(chunks), 0
        kept, late = [], 0
        for chunk in chunks:
            is_late = pc.fill_null(
                pc.less(chunk.column("end"), pa.scalar(time, pa.int64())), fill_value=False
            )
            count = pc.sum(is_late).as_py() or 0
            if count and self._program.on_late == "error":
                raise _too_late(chunk.filter(is_late).slice(0, 1).to_pylist()[0], time)
            late += count
            rest = chunk.filter(pc.invert(is_late)) if count else chunk
            if rest.num_rows:
                kept.append(rest)
        return kept, late

    # ---- the engine ---------------------------------------------------------------------------------------

    def _engine(self, head: Head) -> LiveEngine:
        """The engine as ``head`` has it: the live one if it is that, or what is made of the state."""
        engine = self._engines.take(head.lineage)
        if engine is not None and engine.token == head.token:
            return engine
        steps = list(self._state.steps())
        missed = _missed(engine, steps)
        if engine is None or missed is None:
            if engine is not None:
                engine.close()
            engine = self._new_engine(head)
            missed = steps
        try:
            engine.catch_up(missed)
        except BaseException:
            engine.close()
            raise
        return engine

    def _new_engine(self, head: Head) -> LiveEngine:
        engine = LiveEngine(self._program.program, head.blank_nodes)
        if head.base is not None:
            try:
                engine.restore(self._state.snapshot())
            except BaseException:
                engine.close()
                raise
        return engine

    # ---- what is written ----------------------------------------------------------------------------------

    def _written(self, before: Head, step: Step, late: int, engine: LiveEngine) -> Head:
        """The head after ``step``, written with all that belongs to it."""
        head = replace(
            before,
            token=step.token,
            watermark=step.watermark,
            timer=self._timer(step.watermark, engine.next_due),
            log_bytes=before.log_bytes + sum(map(len, step.rows)),
            steps=before.steps + 1,
            late=before.late + late,
        )
        if head.log_bytes > max(LEAST_LOG, head.snapshot_bytes) or head.steps > MOST_STEPS:
            head = self._compacted(head, step, engine.snapshot())
        else:
            self._state.append(step)
        self._state.write_head(head)
        return head

    def _compacted(self, head: Head, step: Step, snapshot: bytes) -> Head:
        rest = _ending_from([*self._state.steps(), step], step.watermark)
        self._state.compact(snapshot, Step(step.token, step.watermark, rest))
        return replace(
            head,
            base=step.token,
            snapshot_bytes=len(snapshot),
            log_bytes=sum(map(len, rest)),
            steps=1,
        )

    def _timer(self, time: int | None, next_due: int | None) -> int | None:
        """The first watermark (milliseconds) at which there is something to do."""
        if self._program.has_steps and time is not None:
            return time // 1000 + 1
        return None if next_due is None else max(next_due // 1000 + 1, 1)


def _missed(engine: LiveEngine | None, steps: Sequence[Step]) -> Sequence[Step] | None:
    """The steps that an engine that fell behind has not taken; None if it is not of this past."""
    if engine is None:
        return None
    tokens = [step.token for step in steps]
    if engine.token not in tokens:
        return None
    return steps[tokens.index(engine.token) + 1 :]


def _ending_from(steps: Iterable[Step], time: int | None) -> tuple[bytes, ...]:
    """The rows of a log that end no earlier than ``time``, which an engine has not had yet."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = [unpack(packed) for step in steps for packed in step.rows]
    if time is not None:
        chunks = [chunk.filter(pc.greater_equal(chunk.column("end"), time)) for chunk in chunks]
    kept = [chunk for chunk in chunks if chunk.num_rows]
    if not kept:
        return ()
    together = pa.Table.from_batches(kept).combine_chunks().to_batches()
    return tuple(map(pack, together))


def _too_late(row: dict[str, object], time: int) -> DataError:
    end = row["end"]
    assert isinstance(end, int)
    ends, passed = format_time(end), format_time(time)
    return DataError(
        "EP413",
        f"an element that ends at {ends} comes too late: the watermark was at {passed}",
        place=Place(source="events", excerpt=shown(row, 400)),
        hint="give the stream a watermark with a longer delay, or set on_late to drop",
    )
