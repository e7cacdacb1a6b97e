"""Work that waits for the thread of one engine: commands in their order, and questions, which go first."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final

from etalis_py.serve.commands import Command

__all__ = ["Full", "Job", "WorkQueue"]

_AT_ONCE: Final = 64
"""Commands that share one write to the disk."""
_MOST_LOOKS: Final = 1000
"""Questions that wait at one time."""


class Full(Exception):  # noqa: N818 - it is no error: who sends waits and sends again
    """More waits than may."""


@dataclass(frozen=True, slots=True)
class Job:
    """A command to be carried out, or a function of the engine that only looks; ``size`` in bytes."""

    work: Command | Callable[[Any], Any]
    size: int = 0
    done: Future[Any] = field(default_factory=Future)


class WorkQueue:
    """Holds at most ``most_bytes`` of commands that wait (one may be larger), and `_MOST_LOOKS` questions."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._ready = threading.Condition()
        self._commands: deque[Job] = deque()
        self._looks: deque[Job] = deque()
        self._is_closed = False
        self.bytes = 0

    def put(self, job: Job) -> None:
        """Add a job.

        Raises:
            Full: it does not fit now.
        """
        with self._ready:
            if self._is_closed:
                raise Full
            if callable(job.work):
                if len(self._looks) >= _MOST_LOOKS:
                    raise Full
                self._looks.append(job)
            else:
                if self.bytes and self.bytes + job.size > self._most:
                    raise Full
                self.bytes += job.size
                self._commands.append(job)
            self._ready.notify()

    def take(self) -> list[Job]:
        """Some jobs, as soon as there are any; none after `close`, when all was taken."""
        with self._ready:
            while not (self._looks or self._commands or self._is_closed):
                self._ready.wait()
            jobs = list(self._looks)
            self._looks.clear()
            for _ in range(min(len(self._commands), _AT_ONCE)):
                jobs.append(self._commands.popleft())
                self.bytes -= jobs[-1].size
            return jobs

    def close(self) -> None:
        """Take no more jobs."""
        with self._ready:
            self._is_closed = True
            self._ready.notify()
