"""The feed of an engine that has several threads: it deals what comes to lanes, and puts answers together.

While the lanes take one batch, the next one is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Final, Literal

from etalis_py.core.errors import DataError
from etalis_py.engine.dealer import is_sorted
from etalis_py.engine.feeding import Feed
from etalis_py.engine.lateness import too_late
from etalis_py.engine.threads import Threads
from etalis_py.streams.batch import Batch

__all__ = ["DealtFeed"]

ROUND_ROWS: Final = 30_000
"""So many rows pay for the beginning and the end of a round."""


class DealtFeed(Feed):
    """As `Feed`, with ``threads``; where these have no lanes it does all by itself."""

    def __init__(self, *parts: Any, threads: Threads, **options: Any) -> None:
        super().__init__(*parts, **options)
        self._threads = threads
        self._gathered: list[Batch] = []

    def settle(self) -> None:
        """Have Prolog know all that it is to know of what came."""
        super().settle()
        for lane in self._threads.known:
            lane.engine.feed.settle()

    def state(self, since: dict[str, Any] | None = None) -> dict[str, Any]:
        """As of `Feed`, with those of the lanes."""
        state = super().state(since)
        if lanes := self._threads.lanes:
            state["lanes"] = [lane.engine.feed.state() for lane in lanes]
        return state

    def go_on_from(self, states: Sequence[dict[str, Any]]) -> None:
        """Be in the last of ``states``, which follow one another."""
        super().go_on_from(states)
        for number, lane in enumerate(self._threads.lanes):
            lane.engine.feed.go_on_from([states[-1]["lanes"][number]])

    def _has_open_instant(self) -> bool:
        return not self._threads.lanes and super()._has_open_instant()

    def _send(self, batches: Iterable[Batch]) -> Iterator[None]:
        if not self._threads.lanes:
            yield from super()._send(batches)
            return
        try:
            for batch in batches:  # a batch is read while the lanes take the one before
                if self._reorder is None:
                    yield from self._feed(batch)
                else:
                    yield from self._feed_in_order(batch, self._reorder)
        except DataError:
            yield from self._all_collected()
            raise
        yield from self._all_collected()

    def _feed(self, batch: Batch) -> Iterator[None]:
        if not self._threads.lanes:
            yield from super()._feed(batch)
            return
        self._rules.complete()
        self._listening.look()
        self._listening.clock = self.clock
        batch = self._listening.heard_of(batch)
        late = self._late_rows(batch)
        rest = batch
        if late and self._on_late == "error":
            rest = batch.part(0, late[0])
        elif late:
            dropped = set(late)
            rest = batch.take([row for row in range(len(batch)) if row not in dropped])
            self.late += len(late)
        if len(rest):
            self._gathered.append(rest)
            self._pass_to(rest.end[-1])
        if sum(map(len, self._gathered)) >= ROUND_ROWS:
            yield from self._begin_round()
        if rest is not batch and self._on_late == "error":
            raise too_late(batch, late[0])

    def _late_rows(self, batch: Batch) -> list[int]:
        """The rows that end before the open instant."""
        ends = batch.end
        if not len(ends):
            return []
        first = ends[0] if self.clock is None else self.clock
        if ends[0] >= first and is_sorted(ends):
            return []
        newest = accumulate(ends, max, initial=first)
        return [row for row, (end, before) in enumerate(zip(ends, newest, strict=False)) if end < before]

    def _close_instants(self, how: Literal["advance", "finish"], detail: int | str) -> Iterator[None]:
        if not self._threads.lanes:
            yield from super()._close_instants(how, detail)
            return
        self._rules.complete()
        yield from self._all_collected()
        self._threads.begin_all(
            lambda lane: (
                lane.engine.advancing(int(detail))
                if how == "advance"
                else lane.engine.finishing()
                if detail == "complete"
                else lane.engine.giving_certain()
            )
        )
        yield from self._collected()

    def _begin_round(self) -> Iterator[None]:
        """Let the lanes take what was gathered, when they have done the round before."""
        yield from self._collected()
        if self._deliveries.waiting:
            yield
        batches, self._gathered = self._gathered, []
        self._threads.begin(batches)

    def _all_collected(self) -> Iterator[None]:
        if self._gathered:
            yield from self._begin_round()
        yield from self._collected()

    def _collected(self) -> Iterator[None]:
        """Take what the lanes find until they have done their round; a step for each portion but the last."""
        while self._threads.work:
            self._take(self._threads.step())
            if self._threads.work:
                yield
