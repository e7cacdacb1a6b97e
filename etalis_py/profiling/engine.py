"""An engine that measures its rules: which part of a query costs.

An `Engine` has nothing of this. Measuring slows a run by some times, so that shares of the time are what to
look at; what the clock itself takes is subtracted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from time import thread_time
from typing import TYPE_CHECKING, Any

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.core.times import TimeUnit
from etalis_py.embedding import prolog
from etalis_py.engine.deliveries import Deliveries
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.engine.option_values import check_time_unit
from etalis_py.engine.rule_base import RuleBase
from etalis_py.profiling.counts import Counts, query_profiles
from etalis_py.profiling.report import Profile
from etalis_py.profiling.rule_base import WatchedRules
from etalis_py.streams.batch import Batch
from etalis_py.streams.table import Moment

if TYPE_CHECKING:
    from etalis_py.streams.mapping.mapped_tables import MapFile

__all__ = ["ProfilingEngine"]


class ProfilingEngine(Engine):
    """An `Engine` that tells, by `profile`, where its time went.

    >>> with ProfilingEngine() as engine:
    ...     _ = engine.register("SELECT ?x { ?x <urn:is> 'low' } SEQ { ?x <urn:is> 'high' }", name="rise")
    ...     engine.send_batch(
    ...         {"start": [1, 5], "s": ["<urn:a>"] * 2, "p": ["<urn:is>"] * 2, "o": ['"low"', '"high"']}
    ...     )
    >>> for each in engine.profile().queries[0].operators:
    ...     print(each.text, each.events_in, each.goals_made, each.matches_out)
    answers 1 0 1
    project 1 0 1
    SEQ on ?x 2 1 1
    ?x <urn:is> "low" 1 0 1
    ?x <urn:is> "high" 1 0 1
    """

    _is_watched = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._times: defaultdict[str, float] = defaultdict(float)
        self._events = 0
        self._last: Profile | None = None
        self._watched = _WatchedDeliveries(self._times)
        super().__init__(*arguments, **options)
        prolog.do("etalis_profile", "watch_engines")
        self._is_watched = True

    def _new_deliveries(self) -> Deliveries:
        return self._watched

    def _new_rules(self, *, shares: bool) -> RuleBase:
        with as_file(files("etalis_py.rules.tools") / "profile.pl") as source:
            prolog.do("system", "use_module", str(source), [])
        self._watched_rules = WatchedRules(
            self._module, self._knowledge, at_instant=self.at is not None, shares=shares
        )
        return self._watched_rules

    # ---- what is measured -------------------------------------------------------------------------------

    def _install(
        self, compiled: list[CompiledQuery], on_match: Callable[[Match], object] | None = None
    ) -> None:
        super()._install(compiled, None if on_match is None else self._timed(on_match))

    def _timed(self, on_match: Callable[[Match], object]) -> Callable[[Match], object]:
        def timed(match: Match) -> object:
            with self._clock_of("callbacks"):
                return on_match(match)

        return timed

    @contextmanager
    def _clock_of(self, what: str) -> Iterator[None]:
        began = thread_time()
        try:
            yield
        finally:
            self._times[what] += thread_time() - began

    def reading(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The same batches; the time that it takes to get them is part of the profile."""
        while True:
            with self._clock_of("reading"):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def send_batch(
        self,
        table: Any,
        *,
        time_unit: TimeUnit | None = None,
        map: MapFile | None = None,  # noqa: A002 - as Engine has it
    ) -> None:
        """As `Engine.send_batch`."""
        check_time_unit(time_unit)
        if map is None:
            batches = self._tables.batches(table, time_unit)
        else:
            batches = self._mapped_tables().batches(table, map, time_unit)
        for batch in self.reading(batches):
            self.send_encoded(batch)

    def send_encoded(self, batch: Batch) -> None:
        """As `Engine.send_encoded`."""
        self._events += len(batch)
        with self._clock_of("engine"):
            super().send_encoded(batch)

    def advance(self, time: Moment) -> None:
        """As `Engine.advance`."""
        with self._clock_of("engine"):
            super().advance(time)

    def finish(self) -> None:
        """As `Engine.finish`."""
        with self._clock_of("engine"):
            super().finish()

    # ---- the profile ------------------------------------------------------------------------------------

    def profile(self) -> Profile:
        """What was measured up to here; of a closed engine, up to its end."""
        if self._last is not None:
            return self._last
        with self._guard.lock, self._clock_of("engine"):
            if self._guard.failure is None:
                self._guard.change(self._rules.complete)
        return self._taken()

    def _taken(self) -> Profile:
        counts = Counts.of(prolog.call("etalis_profile", "profile_counts", self._module))
        queries = query_profiles(self._watched_rules.probes, counts, self._watched.answers)
        times = self._times
        known = times["answers"] + times["callbacks"] + self._watched_rules.seconds + counts.ran_seconds
        outside = {
            "reading the stream": times["reading"],
            "between Python and Prolog": max(0.0, times["engine"] - known),
            "terms": counts.outside("terms"),
            **self._instants(counts),
            "answers": counts.outside("answers") + times["answers"],
            "garbage collection": counts.outside("collection"),
        }
        measuring = counts.clock_seconds + counts.outside("measuring")
        return Profile(self._events, queries, outside, measuring)

    def _instants(self, counts: Counts) -> dict[str, float]:
        instants, entailment = counts.outside("instants"), counts.outside("entailment")
        if self._background is None:  # then the occurrences of an instant are only put in order
            return {"clock and instants": instants + entailment}
        return {"clock and instants": instants, "entailment": entailment}

    def discard(self) -> None:
        """As `Engine.discard`; the profile can still be taken."""
        try:
            if self._is_watched:
                self._is_watched = False
                prolog.do("etalis_profile", "unwatch_engines")
                self._last = self._taken()
        finally:
            super().discard()


class _WatchedDeliveries(Deliveries):
    """Counts the answers of each query, and the time that it takes to keep them."""

    def __init__(self, times: defaultdict[str, float]) -> None:
        super().__init__()
        self._times = times
        self.answers: Counter[str] = Counter()

    def add(self, answers: Sequence[Sequence[Any]]) -> None:
        """As `Deliveries.add`."""
        began = thread_time()
        super().add(answers)
        self.answers.update(self.receivers[number].name for number in answers[0])
        self._times["answers"] += thread_time() - began
