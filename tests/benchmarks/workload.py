"""What a benchmark is: a job, the engine that does it, and yardsticks that do the same job by hand.

Does not measure: that is `measure`. Names of the parts: a *workload* makes *trials* of any size; in a trial
*contenders* run over the same events, the first of them the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

__all__ = ["ENGINE", "Batches", "Contender", "Outcome", "Row", "Run", "Trial", "Unavailable", "Workload"]

ENGINE = "engine"
"""The name under which each trial has the engine."""

Row: TypeAlias = tuple[object, ...]
"""One answer: its bindings (plain values: text of IRIs, numbers, None), start and end in microseconds."""


class Batches(Protocol):
    """Events that come in batches: an Arrow table, or a stream that is made while it is read."""

    def to_batches(self, max_chunksize: int) -> Iterable[Any]:
        """Arrow record batches of at most so many rows, in order."""


class Unavailable(Exception):  # noqa: N818 - no error: a workload is passed over
    """What a workload needs is not on this machine; the text says what."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run of a contender came to.

    ``seconds`` of processor time where the contender took it itself (another process), else `measure` does.
    ``rows`` where the answers were to be kept. ``extra`` are further figures, by name with the unit
    (``load_seconds``). ``checksum`` of the answers where the contender took it itself (`peers.checksum`).
    """

    answers: int
    seconds: float | None = None
    rows: list[Row] | None = None
    checksum: int | None = None
    extra: Mapping[str, float] = field(default_factory=dict)


Run: TypeAlias = Callable[[], Outcome]


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to do the job.

    ``ready`` makes all that is not to be timed and gives the function that is; its argument says whether to
    keep the answers. ``events`` is the number of events where it differs from that of the trial. What is not
    ``same_answers`` has another job, such as the engine with fewer live goals.
    """

    ready: Callable[[bool], AbstractContextManager[Run]]
    events: int | None = None
    same_answers: bool = True


@dataclass(frozen=True, slots=True)
class Trial:
    """One size of a workload. ``details`` goes into the record (live goals, window, keys)."""

    events: int
    contenders: Mapping[str, Contender]
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Workload:
    """A job to measure; ``events`` of a full run, ``quick`` of one that only shows that it works."""

    name: str
    purpose: str
    trial: Callable[[int], Trial]
    events: int = 200_000
    quick: int = 2_000
