"""Occurrences on their way into Prolog, and the answers on their way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

from etalis_py import prolog
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.crossing import columns_of
from etalis_py.deliveries import Deliveries
from etalis_py.errors import RunTimeError
from etalis_py.lateness import check_instant, first_late, too_late
from etalis_py.recall import Recall
from etalis_py.reorder import Reorder
from etalis_py.rule_base import RuleBase
from etalis_py.run_time_problems import run_time_error
from etalis_py.streams.batch import Batch

__all__ = ["Feed"]

ROWS_AT_ONCE = 10_000
"""How many occurrences cross to Prolog in one call, which cannot be interrupted."""
MOST_ANSWERS_AT_ONCE = 100_000
"""Prolog hands over answers when it has this many, so that a batch with a great many needs little memory."""


class Feed:
    """Feeds the engine in ``module``, and says why it cannot be fed any more.

    ``queries`` are all that it has, by number; ``at`` is the one instant of its run, microseconds (UTC).
    ``clock`` is the instant that is open, or in which the engine failed; None before the first element.
    ``late`` counts the elements that were dropped.
    """

    def __init__(
        self,
        module: str,
        rules: RuleBase,
        deliveries: Deliveries,
        queries: Mapping[int, CompiledQuery],
        *,
        on_late: Literal["error", "drop"] | timedelta,
        at: int | None,
        recall: Recall | None,
    ) -> None:
        self.clock: int | None = None
        self.late = 0
        self.failure: str | None = None
        self._module = module
        self._rules = rules
        self._deliveries = deliveries
        self._queries = queries
        self._at = at
        self._recall = recall
        self._on_late = "error" if isinstance(on_late, timedelta) else on_late
        self._reorder: Reorder | None = None
        if isinstance(on_late, timedelta):
            self._reorder = Reorder(on_late // timedelta(microseconds=1))

    def check_usable(self) -> None:
        """
        Raises:
            RunTimeError: EP303, the engine has failed or is closed.
        """
        if self.failure is not None:
            reason = "is closed" if self.failure == "" else f"has failed: {self.failure}"
            raise RunTimeError("EP303", f"the engine {reason}")

    def send(self, batch: Batch) -> None:
        """Take a batch, or as much of it as is due where elements are put back in order.

        Raises:
            DataError: EP413 for an element that is late, EP417 for one at another instant; those before it
                were taken.
        """
        self.check_usable()
        check_instant(batch, self._at)
        with self._deliveries.calling_back():
            if self._reorder is None:
                self._feed(batch)
            else:
                self._feed_in_order(batch, self._reorder)

    def advance(self, now: int) -> None:
        """Close the instants before ``now``."""
        self.check_usable()
        due = None if self._reorder is None else self._reorder.release(now)
        with self._deliveries.calling_back():
            if due is not None:
                self._feed(due)
            self._close_instants("advance", now)
        self.clock = now if self.clock is None else max(self.clock, now)

    def finish(self) -> None:
        """Close the last instant."""
        self.check_usable()
        rest = None if self._reorder is None else self._reorder.flush()
        with self._deliveries.calling_back():
            if rest is not None:
                self._feed(rest)
            self._close_instants("finish", "complete")

    def give_certain(self) -> None:
        """Give what further elements of the last instant cannot take back, and be fed no more.

        Elements that wait to be re-ordered are not used: what is missing may belong before them.
        """
        self.check_usable()
        with self._deliveries.calling_back():
            self._close_instants("finish", "broken")
            self.failure = "the input broke off"

    # ---- state ------------------------------------------------------------------------------------------

    @property
    def options(self) -> dict[str, Any]:
        """Those that the state depends on."""
        delay = None if self._reorder is None else self._reorder.delay
        return {"at": self._at, "delay": delay, "recall": self._recall is not None}

    @property
    def waits(self) -> bool:
        """Whether elements wait to be put in order."""
        return bool(self._reorder)

    def state(self, since: dict[str, Any] | None = None) -> dict[str, Any]:
        """What decides later answers and is not in Prolog, as JSON has it; what changed ``since`` another."""
        reorder = None
        if self._reorder is not None:
            reorder = self._reorder.state(None if since is None else since["reorder"]["arrived"])
        return {"clock": self.clock, "late": self.late, "reorder": reorder}

    def go_on_from(self, states: Sequence[dict[str, Any]]) -> None:
        """Be in the last of ``states``, which follow one another."""
        self.clock, self.late = states[-1]["clock"], states[-1]["late"]
        if self._reorder is not None:
            for each in states:
                self._reorder.go_on_from(each["reorder"])

    # ---- into Prolog ------------------------------------------------------------------------------------

    def _feed_in_order(self, batch: Batch, reorder: Reorder) -> None:
        late = first_late(batch, reorder)
        due, _ = reorder.push(batch if late is None else batch.part(0, late))
        if due is not None:
            self._feed(due)
        if late is not None:
            raise too_late(batch, late, reorder.newest)

    def _feed(self, batch: Batch) -> None:
        self._rules.complete()
        first = 0
        while first < len(batch):
            rest = batch.part(first, first + ROWS_AT_ONCE)
            terms, columns = columns_of(rest)
            taken, late, answers, problem = prolog.call(
                "etalis_feed", "feed", self._module, terms, columns, self._on_late, MOST_ANSWERS_AT_ONCE
            )
            if taken:
                newest = max(rest.end[:taken])
                self.clock = newest if self.clock is None else max(self.clock, newest)
            self._take(answers, problem, rest, taken, late)
            if late and self._on_late == "error":
                raise too_late(batch, first + late[0])
            self.late += len(late)
            first += taken

    def _close_instants(self, how: Literal["advance", "finish"], detail: int | str) -> None:
        self._rules.complete()
        _, _, answers, problem = prolog.call("etalis_feed", how, self._module, detail)
        self._take(answers, problem)

    def _take(
        self,
        answers: list[list[Any]],
        problem: str,
        batch: Batch | None = None,
        taken: int = 0,
        late: list[int] | None = None,
    ) -> None:
        self._deliveries.add(answers)
        if self._recall is not None:
            derived = self._deliveries.derived(answers)
            self._recall.keep(batch, taken, late or [], derived, self._queries.values())
        if problem:
            self.failure = problem
            raise run_time_error(problem, self._queries.values())
