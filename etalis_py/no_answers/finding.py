"""Tries the steps of queries on events, within bounds of time and number."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.core.vocabulary import XSD_BOOLEAN
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.no_answers.report import Counted, NoAnswers, report
from etalis_py.no_answers.seen import Seen
from etalis_py.no_answers.steps import FilterStep, step_query, steps_of, untraced
from etalis_py.streams.batch import Batch

__all__ = ["MOST_EVENTS", "find_out"]

MOST_EVENTS: Final = 10_000
"""So many events are looked at."""
_MOST_SOLUTIONS: Final = 100_000
_SECONDS: Final = 3.0
_PORTION: Final = 100
"""Events between two looks at the clock, and fewer where each meets many that came before."""


def find_out(
    engine: Engine, queries: Sequence[CompiledQuery], names: Collection[str], batches: Iterable[Batch]
) -> list[NoAnswers]:
    """Why those of ``queries`` with these names have no answers.

    ``engine`` has the background and the settings of their engine, but no query, and its time has not begun.
    ``batches`` are what they saw; at most the first `MOST_EVENTS` are looked at.

    Raises:
        DataError: ``batches`` cannot be read.
    """
    trial = _Trial(engine, queries)
    tried = [(each, trial.tried(each)) for each in queries if each.name in names]
    trial.run(batches)
    return [report(query, counts, trial.seen, engine.knowledge) for query, counts in tried]


class _Trial:
    """An engine in which steps are tried, and what has come of it."""

    def __init__(self, engine: Engine, queries: Sequence[CompiledQuery]) -> None:
        self.seen = Seen()
        self._engine = engine
        self._solutions = 0
        self._ended = False
        engine.install([each for each in untraced(queries) if each.form == "construct"])
        self._last = max((each.plan.number for each in (*queries, *engine.state_queries)), default=0)

    def tried(self, query: CompiledQuery) -> list[Counted]:
        """The steps of a query, with counts that `run` fills in."""
        return [self._registered(query, Counted(step)) for step in steps_of(query)]

    def _registered(self, query: CompiledQuery, counted: Counted) -> Counted:
        self._last += 1
        known, at_instant = self._engine.knowledge, self._engine.at is not None
        own = step_query(counted.step, query, self._last, known.may_match, at_instant=at_instant)
        counted.may_be_timeless = own.plan.root.timeless
        self._engine.install([own], self._counter(counted))
        return counted

    def _counter(self, counted: Counted) -> Callable[[Match], None]:
        def count(match: Match) -> None:
            self._solutions += 1
            counted.matched += 1
            counted.at_end += self._ended
            if isinstance(counted.step, FilterStep):
                truth, *values = match.values
                if truth is None:
                    counted.errors += 1
                    counted.failed = counted.failed or tuple(values)
                elif truth == (False, XSD_BOOLEAN):
                    counted.false += 1
                    counted.refused = counted.refused or tuple(values)

        return count

    def run(self, batches: Iterable[Batch]) -> None:
        """Send the events, as many as may be."""
        began, portion, newest = time.monotonic(), 10, 0
        for batch in batches:
            first = 0
            while first < len(batch):
                part = batch.part(first, first + min(portion, MOST_EVENTS - self.seen.events))
                before = self._solutions
                newest = max(newest, *part.end)
                self._engine.send_encoded(part)
                self.seen.add(part)
                first += len(part)
                grown = self._solutions - before
                portion = max(1, portion // 4) if grown > 20 * _PORTION else min(2 * portion, _PORTION)
                too_long = time.monotonic() - began > _SECONDS or self._solutions > _MOST_SOLUTIONS
                if self.seen.events >= MOST_EVENTS or too_long:
                    self.seen.is_whole = False
                    self._finish(newest)
                    return
        self._finish(newest)

    def _finish(self, newest: int) -> None:
        self._engine.advance(newest + 1)
        self._ended = True
        self._engine.finish()
