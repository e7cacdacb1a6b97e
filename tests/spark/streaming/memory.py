# ruff: noqa: ARG002, N802, N803 - Spark's names
"""Spark's state store as it looks to a bucket, in memory; and a stream of micro-batches without Spark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from etalis_py.engine.answer_columns import Answers
from etalis_py.engine.matches import Match
from etalis_py.spark_udfs.streaming.bucket import Bucket, BucketOutcome, BucketProgram
from etalis_py.spark_udfs.streaming.bucket_state import BucketState
from etalis_py.spark_udfs.streaming.live_engines import LiveEngines
from etalis_py.spark_udfs.streaming.packing import pack

Row = tuple[int, int, str, str, str]
"""Start, end, subject, predicate, object."""


class OneValue:
    def __init__(self, values: dict[str, Any], name: str) -> None:
        self._values, self._name = values, name

    def get(self) -> Any:
        return self._values.get(self._name)

    def update(self, value: tuple[Any, ...]) -> None:
        self._values[self._name] = value


class OneList:
    def __init__(self, values: dict[str, Any], name: str) -> None:
        self._values, self._name = values, name

    def get(self) -> Iterator[Any]:
        return iter(self._values.get(self._name, []))

    def put(self, values: Sequence[Any]) -> None:
        self._values[self._name] = list(values)

    def appendList(self, values: Sequence[Any]) -> None:
        self._values.setdefault(self._name, []).extend(values)


@dataclass
class MemoryHandle:
    """The state of one bucket; ``values`` is all of it."""

    values: dict[str, Any] = field(default_factory=dict)

    def getValueState(self, stateName: str, schema: str) -> OneValue:
        return OneValue(self.values, stateName)

    def getListState(self, stateName: str, schema: str) -> OneList:
        return OneList(self.values, stateName)


def packed(rows: Sequence[Row]) -> list[bytes]:
    """Rows as a bucket gets them; none where there are none."""
    if not rows:
        return []
    start, end, s, p, o = zip(*rows, strict=True)
    columns = {"start": pa.array(start, pa.int64()), "end": pa.array(end, pa.int64())}
    return [pack(pa.record_batch({**columns, "s": s, "p": p, "o": o}))]


@dataclass
class OneBucket:
    """The state of a bucket, and when it is to be woken (milliseconds)."""

    handle: MemoryHandle = field(default_factory=MemoryHandle)
    timer: int | None = None


@dataclass
class MemoryStream:
    """A stream of micro-batches, whose tasks run in any of several processes, and may fail.

    ``processes`` are the engines that live in each; ``newest`` is the latest end that came (microseconds).
    """

    program: BucketProgram
    processes: Sequence[LiveEngines] = field(default_factory=lambda: [LiveEngines()])
    buckets: dict[int, OneBucket] = field(default_factory=dict)
    newest: int = 0
    matches: list[Match] = field(default_factory=list)

    def micro_batch(
        self, rows: Mapping[int, Sequence[Row]], delay: int = 0, *, process: int = 0, fails: bool = False
    ) -> None:
        """One micro-batch, rows by bucket. With ``fails`` it is done twice, and the first time is lost."""
        watermark = max(self.newest - delay, 0) // 1000
        came = {number: packed(own) for number, own in rows.items() if own}
        for _, (*portions, _) in self.woken(came, watermark, process=process, fails=fails):
            self.matches += [match for answers in portions for match in answers.matches()]
        self.newest = max([self.newest, *(row[1] for own in rows.values() for row in own)])

    def woken(
        self, rows: Mapping[int, Sequence[bytes]], watermark: int, *, process: int = 0, fails: bool = False
    ) -> Iterator[tuple[int, list[Any]]]:
        """Wake the buckets of ``rows``, and those whose time has come (milliseconds).

        Gives the number of each, and all that ``wake`` gives, which is a `BucketOutcome` in the end.
        """
        for number in sorted({*rows, *self.buckets}):
            bucket = self.buckets.setdefault(number, OneBucket())
            if number in rows or (bucket.timer is not None and bucket.timer <= watermark):
                own = rows.get(number, ())
                if fails:
                    before = deepcopy(bucket.handle.values)
                    self._wake(number, own, watermark, process)
                    bucket.handle.values = before
                    process = (process + 1) % len(self.processes)
                woken = self._wake(number, own, watermark, process)
                bucket.timer = woken[-1].timer
                yield number, woken

    def _wake(self, number: int, rows: Sequence[bytes], watermark: int, process: int) -> list[Any]:
        return list(self.waking(number, rows, watermark, process))

    def waking(
        self, number: int, rows: Sequence[bytes], watermark: int, process: int = 0
    ) -> Iterator[Answers | BucketOutcome]:
        """As the ``wake`` of a bucket."""
        bucket = self.buckets.setdefault(number, OneBucket())
        state = BucketState(bucket.handle, self.program.fingerprint)
        return Bucket(self.program, number, state, self.processes[process]).wake(rows, watermark)

    def end(self) -> None:
        """Let the watermark pass all that came."""
        self.newest += 1000
        self.micro_batch({})

    def close(self) -> None:
        for engines in self.processes:
            engines.close()
