"""What Spark calls: a stateful processor of ``transformWithStateInPandas`` whose keys are the buckets.

It has the methods of pyspark's StatefulProcessor and not its class, which a driver would have to import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from etalis_py.core.errors import EtalisError, RunTimeError
from etalis_py.spark_udfs.execution.failures import TaskError
from etalis_py.spark_udfs.execution.stage_output import Numbers, StageOutput
from etalis_py.spark_udfs.streaming.bucket import Bucket, BucketOutcome, BucketProgram
from etalis_py.spark_udfs.streaming.bucket_state import BucketState, Handle
from etalis_py.spark_udfs.streaming.live_engines import live_engines
from etalis_py.spark_udfs.streaming.packing import pack

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from etalis_py.engine.answer_columns import Answers
    from etalis_py.spark_udfs.execution.worker import AnswerForm

__all__ = ["SOURCE_BITS", "BucketProcessor", "given"]

_ANSWERS_AT_ONCE: Final = 10_000
SOURCE_BITS: Final = 40
"""In the number of a row the bits below those of the bucket that gave it."""


@dataclass
class BucketProcessor:
    """Rows of `PACKED_SCHEMA` in, rows of `ANSWER_SCHEMA` out.

    ``rows`` are the columns of rows for a later stage; without them answers go out.
    """

    program: BucketProgram
    form: AnswerForm
    rows: pa.Schema | None = None
    _handle: Any = field(default=None, init=False)
    _state: Any = field(default=None, init=False)

    def init(self, handle: Handle) -> None:
        """Declare the states; Spark calls it once a task, and once in the driver."""
        self._handle = handle
        self._state = BucketState(handle, self.program.fingerprint)

    # Spark calls the parameters by their names.

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[pd.DataFrame]:  # noqa: N802, N803
        """Rows of one bucket have come."""
        packed = (bytes(each) for frame in rows for each in frame["rows"] if each is not None)
        watermark = timerValues.getCurrentWatermarkInMs()
        yield from self._answered(key, packed, watermark)

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: Any,  # noqa: N803
        expiredTimerInfo: Any,  # noqa: ARG002, N803
    ) -> Iterator[pd.DataFrame]:
        """The watermark has passed what a bucket waits for. Spark deletes the timer."""
        watermark = timerValues.getCurrentWatermarkInMs()
        yield from self._answered(key, (), watermark, timer_is_set=False)

    def close(self) -> None:
        """Nothing is to be done: engines live on."""

    def _answered(
        self, key: tuple[int], packed: Iterable[bytes], watermark: int, *, timer_is_set: bool = True
    ) -> Iterator[pd.DataFrame]:
        number = int(key[0])
        waking = self._waking(number, packed, watermark, timer_is_set=timer_is_set)
        for table in given(self.program, self.form, self.rows, number, waking):
            for first in range(0, table.num_rows, _ANSWERS_AT_ONCE):
                yield _row(table.slice(first, _ANSWERS_AT_ONCE), watermark)

    def _waking(
        self, number: int, packed: Iterable[bytes], watermark: int, *, timer_is_set: bool
    ) -> Iterator[Answers | BucketOutcome]:
        """As `Bucket.wake`; in the end its timer is set."""
        try:
            for each in Bucket(self.program, number, self._state, live_engines()).wake(packed, watermark):
                if isinstance(each, BucketOutcome):
                    self._set_timer(each, timer_is_set=timer_is_set)
                yield each
        except EtalisError as error:
            raise TaskError(self._described(error, number)) from None

    def _set_timer(self, outcome: BucketOutcome, *, timer_is_set: bool) -> None:
        if outcome.timer == outcome.timer_before:
            return
        if timer_is_set and outcome.timer_before is not None:
            self._handle.deleteTimer(outcome.timer_before)
        if outcome.timer is not None:
            self._handle.registerTimer(outcome.timer)

    def _described(self, error: EtalisError, number: int) -> EtalisError:
        """The error with what is known here."""
        if not isinstance(error, RunTimeError):
            return error
        names = ", ".join(query.name for query in self.program.program.queries)
        message = f"{error.message}\n    queries: {names}; bucket: {number}"
        return RunTimeError(error.code, message, place=error.place, hint=error.hint)


def given(
    program: BucketProgram,
    form: AnswerForm,
    rows: pa.Schema | None,
    bucket: int,
    waking: Iterable[Answers | BucketOutcome],
) -> Iterator[pa.RecordBatch]:
    """What goes out of a bucket that is woken: of its own, what it passes on, and what was counted.

    The numbers of rows are unlike those of all other buckets. They begin anew each time, which is enough to
    keep equal solutions apart: these have one end, and what has one end is found at one time.
    """
    numbers = Numbers(bucket << SOURCE_BITS)
    output = StageOutput(form, program.flow, rows, numbers, counted=program.counted)
    for each in waking:
        if not isinstance(each, BucketOutcome):
            yield from output.tables(each)
            continue
        yield from map(output.passed, each.passed)
        if each.counts is not None:
            yield output.counts(each.counts)


def _row(answers: pa.RecordBatch, watermark: int) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({"answers": [pack(answers)], "watermark": [watermark]})
