"""What Spark calls: a stateful processor of ``transformWithStateInPandas`` whose keys are the buckets.

It has the methods of pyspark's StatefulProcessor and not its class, which a driver would have to import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from etalis_py.errors import EtalisError, RunTimeError
from etalis_py.spark_udfs.failures import TaskError
from etalis_py.spark_udfs.metrics import with_hidden
from etalis_py.spark_udfs.streaming.bucket import Bucket, BucketProgram, Woken
from etalis_py.spark_udfs.streaming.bucket_state import BucketState, Handle
from etalis_py.spark_udfs.streaming.live_engines import live_engines
from etalis_py.spark_udfs.streaming.packing import pack

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from etalis_py.spark_udfs.worker import AnswerForm

__all__ = ["BucketProcessor"]

_ANSWERS_AT_ONCE: Final = 10_000


@dataclass
class BucketProcessor:
    """Rows of `PACKED_SCHEMA` in, rows of `ANSWER_SCHEMA` out."""

    program: BucketProgram
    form: AnswerForm
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
        woken = self._wake(key, packed, watermark)
        if woken.timer != woken.timer_before and woken.timer_before is not None:
            self._handle.deleteTimer(woken.timer_before)
        yield from self._answered(woken, watermark)

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: Any,  # noqa: N803
        expiredTimerInfo: Any,  # noqa: ARG002, N803
    ) -> Iterator[pd.DataFrame]:
        """The watermark has passed what a bucket waits for. Spark deletes the timer."""
        watermark = timerValues.getCurrentWatermarkInMs()
        yield from self._answered(self._wake(key, (), watermark), watermark)

    def close(self) -> None:
        """Nothing is to be done: engines live on."""

    def _wake(self, key: tuple[int], packed: Iterable[bytes], watermark: int) -> Woken:
        number = int(key[0])
        try:
            return Bucket(self.program, number, self._state, live_engines()).wake(packed, watermark)
        except EtalisError as error:
            raise TaskError(self._told(error, number)) from None

    def _answered(self, woken: Woken, watermark: int) -> Iterator[pd.DataFrame]:
        if woken.timer is not None and woken.timer != woken.timer_before:
            self._handle.registerTimer(woken.timer)
        for table in () if woken.answers is None else self.form.tables(woken.answers):
            for first in range(0, table.num_rows, _ANSWERS_AT_ONCE):
                part = table.slice(first, _ANSWERS_AT_ONCE)
                yield _row(part if woken.counts is None else with_hidden(part), watermark)
        if woken.counts is not None:
            yield _row(woken.counts.row(self.form.schema), watermark)

    def _told(self, error: EtalisError, number: int) -> EtalisError:
        """The error with what is known here."""
        if not isinstance(error, RunTimeError):
            return error
        names = ", ".join(query.name for query in self.program.program.queries)
        message = f"{error.message}\n    queries: {names}; bucket: {number}"
        return RunTimeError(error.code, message, place=error.place, hint=error.hint)


def _row(answers: pa.RecordBatch, watermark: int) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({"answers": [pack(answers)], "watermark": [watermark]})
