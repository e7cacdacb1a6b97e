"""An engine that works in a thread of its own, on its share of a stream.

SWI-Prolog gives the interpreter's lock back while it works, and so does native code: so several lanes use
several cores. A lane works in rounds: it is given some occurrences, or how time goes on, and steps through
the answers portion by portion.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Final

from etalis_py.core.errors import RunTimeError
from etalis_py.embedding.interruption import INTERRUPTION
from etalis_py.engine.answer_columns import Answers
from etalis_py.engine.column_engine import ColumnEngine
from etalis_py.engine.feeding import Portions

__all__ = ["Lane", "step_all"]

_PATIENCE: Final = 0.05
"""Seconds between two attempts to stop a lane."""

_BEFORE_ALL: Final = -(1 << 63)


class Lane:
    """One lane. Other threads may use ``engine`` between two rounds.

    ``failure`` is the error with which its last round ended. ``reached`` is an instant (microseconds, UTC)
    before which the round brings no more answers; ``found`` are those that are not taken.
    """

    def __init__(self, engine: ColumnEngine, number: int) -> None:
        self.engine = engine
        self.failure: RunTimeError | None = None
        self.reached = _BEFORE_ALL
        self.found: list[Answers] = []
        self._has_more = False
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"etalis_py lane {number}")
        self._step: Future[None] | None = None
        self._thread = 0
        self._portions: Portions | None = None

    def begin(self, work: Callable[[], Portions]) -> None:
        """Begin a round."""
        self.reached = _BEFORE_ALL
        self._step = self._pool.submit(self._begin, work)

    @property
    def works(self) -> bool:
        """Whether a step of the round is under way or left."""
        return self._step is not None or self._has_more

    @property
    def count(self) -> int:
        """How many answers are not taken."""
        return sum(map(len, self.found))

    def go_on(self) -> Future[None]:
        """The step that is under way, or else the next one."""
        if self._step is None:
            self._step = self._pool.submit(self._take_step)
        return self._step

    def end_step(self) -> None:
        """The step is done. Raises what it raised, but for errors of the engine, which are kept."""
        assert self._step is not None, "it was waited for"
        step, self._step = self._step, None
        step.result()

    def before(self, time: int) -> list[Answers]:
        """Take the answers that end before an instant."""
        taken, left = [], []
        for some in self.found:
            cut = bisect_left(some.ends, time)
            if cut == len(some):
                taken.append(some)
                continue
            if cut:
                taken.append(some.part(0, cut))
            left.append(some.part(cut, len(some)) if cut else some)
        self.found = left
        return taken

    def all(self) -> list[Answers]:
        """Take all answers."""
        taken, self.found = self.found, []
        return taken

    def stop(self, error: BaseException) -> None:
        """End the round, whatever it is doing, and wait for that."""
        step = self._step
        while step is not None and not step.done():
            INTERRUPTION.stop(self._thread, error)
            wait([step], _PATIENCE)
        self._has_more, self._step = False, None

    def close(self) -> None:
        """Give the engine back."""
        self._pool.submit(self._discard).result()
        self._pool.shutdown()

    # ---- in the thread of the lane ------------------------------------------------------------------------

    def _begin(self, work: Callable[[], Portions]) -> None:
        self._thread = threading.get_ident()
        self._portions = work()
        self._take_step()

    def _take_step(self) -> None:
        assert self._portions is not None, "the round has begun"
        try:
            self._has_more = next(self._portions, self) is None
        except RunTimeError as error:
            self.failure, self._has_more = error, False
        if found := self.engine.answers_in_parts():
            self.found += found
            self.reached = found[-1].ends[-1]
        clock = self.engine.clock
        if clock is not None:
            self.reached = max(clock, self.reached)

    def _discard(self) -> None:
        if self._portions is not None:
            self._portions.close()
        self.engine.discard()


def step_all(lanes: Sequence[Lane]) -> None:
    """Let each lane take a step, side by side."""
    try:
        with INTERRUPTION.waiting():
            wait([lane.go_on() for lane in lanes])
    except BaseException as error:
        for lane in lanes:
            lane.stop(error)
        raise
    for lane in lanes:
        lane.end_step()
