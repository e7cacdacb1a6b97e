"""One bucket: rows and time in, answers out, and its state as it is from then on.

Does not know of Spark's tasks, but for the state that it is handed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Final, Literal
from uuid import uuid4

from etalis_py.spark_udfs.execution.metrics import PartCounts
from etalis_py.spark_udfs.planning.program import Program
from etalis_py.spark_udfs.planning.stage_links import StageFlow
from etalis_py.spark_udfs.streaming.arrivals import Arrivals, sorted_out
from etalis_py.spark_udfs.streaming.bucket_state import BucketState, Head, Step
from etalis_py.spark_udfs.streaming.live_engine import LiveEngine
from etalis_py.spark_udfs.streaming.live_engines import LiveEngines
from etalis_py.spark_udfs.streaming.packing import pack, unpack

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.engine.answer_columns import Answers

__all__ = ["LEAST_LOG", "MOST_STEPS", "Bucket", "BucketOutcome", "BucketProgram"]

_log = logging.getLogger(__name__)

LEAST_LOG: Final = 1 << 18
"""A log with less bytes than this is not worth a snapshot, however small that would be."""
MOST_STEPS: Final = 256
"""A log has no more steps than this, though they be empty."""


@dataclass(frozen=True, slots=True)
class BucketProgram:
    """What all buckets of a stream have in common.

    ``fingerprint`` is what tells it from other programs, with the number of buckets and the like.
    ``keeps_time``: a bucket is woken whenever the watermark moves, whatever waits in it, as the passing of
    time itself makes answers, or as the buckets of several stages stand at the same time (``stages.py``).
    ``queries`` are the names of all; if ``counted``, what they do is counted.

    ``flow`` is what comes from earlier stages, and what goes to later ones. ``owners`` says whose part a part
    of a query is that runs here.

    ``call`` is the call of ``detect`` that it comes from. State goes on under the next one, but an engine
    that lives in a worker does not: it has the functions and the limits of the call that made it.
    """

    program: Program
    fingerprint: str
    on_late: Literal["error", "drop"] = "error"
    keeps_time: bool = False
    queries: tuple[str, ...] = ()
    counted: bool = False
    flow: StageFlow = field(default_factory=StageFlow)
    owners: Mapping[str, str] = field(default_factory=dict)
    call: str = ""


@dataclass(frozen=True, slots=True)
class BucketOutcome:
    """What a bucket gives besides answers when it is woken.

    ``timer`` is when to wake it again (milliseconds), ``timer_before`` when it would have been. ``passed`` is
    what is for later stages, as it came.
    """

    timer: int | None
    timer_before: int | None
    counts: PartCounts | None = None
    passed: Sequence[pa.RecordBatch] = ()


class Bucket:
    """The bucket ``number`` of a stream, whose ``state`` it is the turn of."""

    def __init__(self, program: BucketProgram, number: int, state: BucketState, engines: LiveEngines) -> None:
        self._program = program
        self._number = number
        self._state = state
        self._engines = engines

    def wake(self, packed: Iterable[bytes], watermark: int) -> Iterator[Answers | BucketOutcome]:
        """Take rows and the time, which is Spark's watermark in milliseconds (0: there is none yet).

        Gives the answers in portions, and then what else came of it. The state is written in between: before
        the last portion is taken, the bucket is as it was.

        Raises:
            DataError: EP4xx a row that is no event, EP413 one that comes after the watermark has passed its
            end. RunTimeError: EP3xx the engine cannot go on, EP58x the state cannot be used.
        """
        before = self._state.head() or Head.new(self._program.fingerprint, self._blank_nodes())
        time = watermark * 1000 if watermark > 0 else before.watermark
        came = sorted_out(packed, self._program.flow, before.watermark, self._program.on_late)
        rows = [*came.events, *came.rows]
        counts = PartCounts(self._program.queries) if self._program.counted else None
        engine = self._engine(before)
        try:
            for chunk in rows:
                engine.wait(chunk)
            with closing(engine.passing(time)) as portions:
                for answers in portions:
                    if counts is not None:
                        counts.answer(answers)
                    yield answers
            step = Step(uuid4().hex, time, tuple(map(pack, rows)))
            head = self._written(before, step, came.late, engine)
            engine.token = head.token
        except BaseException:
            engine.close()
            raise
        if counts is not None:
            self._count(counts, came, engine)
        self._engines.keep(head.lineage, engine)
        yield BucketOutcome(head.timer, before.timer, counts, came.passed)

    def _blank_nodes(self) -> str:
        return f"{self._program.program.options.blank_node_prefix}{self._number}x"

    def _count(self, counts: PartCounts, came: Arrivals, engine: LiveEngine) -> None:
        counts.take(came.taken)
        counts.late(came.late)
        engine.count(counts, self._program.owners)

    # ---- the engine ---------------------------------------------------------------------------------------

    def _engine(self, head: Head) -> LiveEngine:
        """The engine as ``head`` has it: the live one if it is that, or what is made of the state."""
        engine = self._engines.take(head.lineage)
        if engine is not None and engine.call != self._program.call:
            engine.close()
            engine = None
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
        program = self._program
        engine = LiveEngine(program.program, head.blank_nodes, program.flow.solutions, program.call)
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
        if self._program.keeps_time:
            return 1 if time is None else time // 1000 + 1
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
    import pyarrow.compute as pc

    chunks = [unpack(packed) for step in steps for packed in step.rows]
    if time is not None:
        chunks = [chunk.filter(pc.greater_equal(chunk.column("end"), time)) for chunk in chunks]
    kept = [chunk for chunk in chunks if chunk.num_rows]
    return tuple(chain(_together(kept, rows=False), _together(kept, rows=True)))


def _together(chunks: Iterable[pa.RecordBatch], *, rows: bool) -> Iterator[bytes]:
    """All events, or all rows of earlier stages, packed; for the columns are others."""
    import pyarrow as pa

    kind = [chunk for chunk in chunks if ("unit" in chunk.schema.names) is rows]
    if kind:
        yield from map(pack, pa.Table.from_batches(kind).combine_chunks().to_batches())
