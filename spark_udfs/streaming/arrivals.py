"""What comes to a bucket: events of the stream, late ones among them, and what earlier stages give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from etalis_py.core.errors import DataError, Place
from etalis_py.core.times import format_time
from etalis_py.spark_udfs.execution.stage_rows import PLACE, event_columns, parted
from etalis_py.spark_udfs.planning.stage_links import StageFlow
from etalis_py.spark_udfs.streaming.packing import unpack
from etalis_py.streams.columns import shown

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ONWARD", "OWN", "Arrivals", "sorted_out"]

OWN: Final = "own"
ONWARD: Final = "onward"
"""Columns of events where later stages are: whether this stage takes an event, and whether later ones do."""
_LEFT_OUT: Final = {"s", "p", "o", *PLACE, "answer", OWN, ONWARD}
"""Columns that no engine reads in a row of an earlier stage."""


@dataclass(slots=True)
class Arrivals:
    """Events and rows for the engine of this bucket, and what is for later stages.

    ``taken`` is the number of events of the stream that came, ``late`` of those that were left out.
    """

    events: list[pa.RecordBatch] = field(default_factory=list)
    rows: list[pa.RecordBatch] = field(default_factory=list)
    passed: list[pa.RecordBatch] = field(default_factory=list)
    taken: int = 0
    late: int = 0

    def add_events(self, events: pa.RecordBatch, whole: Sequence[str]) -> None:
        """Events in time; those that are passed on have the columns ``whole``."""
        if ONWARD in events.schema.names:
            self._pass(events.filter(events.column(ONWARD)).select(whole))
            events = events.filter(events.column(OWN))
        if events.num_rows:
            self.events.append(events.select(event_columns(events.schema.names)))

    def add_rows(self, rows: pa.RecordBatch, flow: StageFlow) -> None:
        """Rows of an earlier stage, among them events that it passed on."""
        events, own, passed = parted(rows, flow.taken, flow.onward)
        self.add_events(events, [each for each in rows.schema.names if each not in (OWN, ONWARD)])
        if own.num_rows:
            self.rows.append(own.select([each for each in own.schema.names if each not in _LEFT_OUT]))
        self._pass(passed)

    def _pass(self, rows: pa.RecordBatch) -> None:
        if rows.num_rows:
            self.passed.append(rows)


def sorted_out(
    packed: Iterable[bytes], flow: StageFlow, time: int | None, on_late: Literal["error", "drop"]
) -> Arrivals:
    """What came to a bucket that stands at ``time``.

    What an earlier stage gives is never late (``stages.py``); an engine would refuse it if it were.

    Raises:
        DataError: EP413 an event is late, with ``on_late="error"``.
    """
    came = Arrivals()
    for chunk in map(unpack, packed):
        if "unit" in chunk.schema.names:
            came.add_rows(chunk, flow)
            continue
        kept = _in_time(chunk, time, on_late)
        came.taken += chunk.num_rows
        came.late += chunk.num_rows - kept.num_rows
        came.add_events(kept, event_columns(kept.schema.names))
    return came


def _in_time(events: pa.RecordBatch, time: int | None, on_late: Literal["error", "drop"]) -> pa.RecordBatch:
    """The events that end no earlier than ``time``.

    That is the time to which the bucket has been brought, by an earlier micro-batch: nothing is late that can
    still be put in order. So it may be the answer of a stateful operator before this one, too, which gives
    what its watermark has passed in this very micro-batch.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if time is None:
        return events
    before = pc.less(events.column("end"), pa.scalar(time, pa.int64()))
    is_late = pc.fill_null(before, fill_value=False)
    if not pc.any(is_late).as_py():
        return events
    if on_late == "error":
        raise _too_late(events.filter(is_late).slice(0, 1), time)
    return events.filter(pc.invert(is_late))


def _too_late(event: pa.RecordBatch, time: int) -> DataError:
    row = event.select(event_columns(event.schema.names)).to_pylist()[0]
    ends, passed = format_time(row["end"]), format_time(time)
    return DataError(
        "EP413",
        f"an element that ends at {ends} comes too late: the watermark was at {passed}",
        place=Place(source="events", excerpt=shown(row, 400)),
        hint="give the stream a watermark with a longer delay, or set on_late to drop",
    )
