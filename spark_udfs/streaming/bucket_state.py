"""What a bucket keeps in Spark's state store: its head, the snapshot of its engine, and the log since.

``FORMAT`` is the version of all this; it goes up whenever the meaning of anything here, or of what an
engine makes of a log, changes. State of another version is refused, and so is that of another program: an
engine would go on with goals that are not its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, Protocol
from uuid import uuid4

from etalis_py.core.errors import RunTimeError
from etalis_py.spark_udfs.execution.causes import OTHER_PROGRAM

__all__ = ["FORMAT", "BucketState", "Handle", "Head", "Step"]

FORMAT: Final = 2

_HEAD: Final = (
    "format int, program string, lineage string, token string, base string, blank_nodes string,"
    " watermark long, timer long, snapshot_bytes long, log_bytes long, steps long, late long"
)
_LOG: Final = "token string, watermark long, rows binary"
_CHUNK: Final = 1 << 20
"""Bytes of a snapshot in one entry of its list."""


class Handle(Protocol):
    """As much of Spark's StatefulProcessorHandle as is used: states of the bucket whose turn it is."""

    # Spark's names
    def getValueState(self, stateName: str, schema: str) -> Any: ...  # noqa: D102, N802, N803
    def getListState(self, stateName: str, schema: str) -> Any: ...  # noqa: D102, N802, N803


@dataclass(frozen=True, slots=True)
class Head:
    """Where a bucket stands. ``program`` is what tells its program from others (`Program`).

    ``lineage`` is the bucket's own name, for ever; ``token`` that of its last step, ``base`` that of the
    step after which the snapshot was taken (None: there is none). ``blank_nodes`` is how labels begin.
    ``watermark`` (microseconds, UTC) is where its time stands, None before it has any; ``timer``
    (milliseconds) wakes it. ``snapshot_bytes``, ``log_bytes`` and ``steps`` are the sizes of snapshot and
    log; ``late`` rows were dropped.
    """

    program: str
    blank_nodes: str
    lineage: str
    token: str = ""
    base: str | None = None
    watermark: int | None = None
    timer: int | None = None
    snapshot_bytes: int = 0
    log_bytes: int = 0
    steps: int = 0
    late: int = 0

    @classmethod
    def new(cls, program: str, blank_nodes: str) -> Head:
        """The head of a bucket that nothing was ever in."""
        return cls(program, blank_nodes, uuid4().hex)


@dataclass(frozen=True, slots=True)
class Step:
    """One time that a bucket was woken: the rows that came, and the watermark (microseconds) it then had."""

    token: str
    watermark: int | None
    rows: tuple[bytes, ...]


class BucketState:
    """The state of the bucket whose turn it is.

    Raises on reading:
        RunTimeError: EP584 it has another format version, EP585 it is of another program.
    """

    def __init__(self, handle: Handle, program: str) -> None:
        self._program = program
        self._head = handle.getValueState("head", _HEAD)
        self._log = handle.getListState("log", _LOG)
        self._snapshot = handle.getListState("snapshot", "part binary")

    def head(self) -> Head | None:
        """Where the bucket stands; None if nothing was ever in it."""
        row = self._head.get()
        if row is None:
            return None
        version, program, lineage, token, base, blank_nodes, *numbers = row
        if version != FORMAT:
            raise RunTimeError(
                "EP584",
                f"the state of the stream has format version {version}; this version reads {FORMAT}",
                hint="go on with the version that wrote it, or begin with a new checkpoint folder",
            )
        if program != self._program:
            raise RunTimeError(
                "EP585",
                "the state of the stream is that of another program or another number of buckets",
                hint=OTHER_PROGRAM,
            )
        return Head(program, blank_nodes, lineage, token, base, *numbers)

    def write_head(self, head: Head) -> None:
        """Say where the bucket stands now."""
        self._head.update((
            FORMAT, head.program, head.lineage, head.token, head.base, head.blank_nodes, head.watermark,
            head.timer, head.snapshot_bytes, head.log_bytes, head.steps, head.late,
        ))  # fmt: skip

    def steps(self) -> Iterator[Step]:
        """The log, from the snapshot on."""
        rows = ((token, watermark, packed) for token, watermark, packed in self._log.get())
        for (token, watermark), group in groupby(rows, key=lambda row: (row[0], row[1])):
            yield Step(token, watermark, tuple(bytes(packed) for *_, packed in group if packed is not None))

    def append(self, step: Step) -> None:
        """Write a step at the end of the log."""
        self._log.appendList(_entries(step))

    def snapshot(self) -> bytes:
        """The snapshot of the engine; nothing where there is none."""
        return b"".join(bytes(part) for (part,) in self._snapshot.get())

    def compact(self, snapshot: bytes, rest: Step) -> None:
        """Write a snapshot, and begin the log anew with the rows that the engine has not had yet."""
        parts = [(snapshot[first : first + _CHUNK],) for first in range(0, len(snapshot), _CHUNK)]
        self._snapshot.put(parts)
        self._log.put(list(_entries(rest)))


def _entries(step: Step) -> list[tuple[str, int | None, bytes | None]]:
    packed: Iterable[bytes | None] = step.rows or (None,)
    return [(step.token, step.watermark, each) for each in packed]
