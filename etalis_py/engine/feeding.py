"""Occurrences on their way into Prolog, and the answers on their way back.

Answers come in portions (``rules/engine/portions.pl``): whatever is taken, and however much comes of it, no
more is in memory than a portion. Between two portions the engine is in the middle of its work.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from functools import partial
from itertools import chain
from typing import Any, Final, Literal, TypeAlias, TypeVar

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.core.errors import Place, RunTimeError, warn
from etalis_py.core.times import format_time
from etalis_py.embedding import prolog
from etalis_py.engine.crossing import block_of, columns_of
from etalis_py.engine.deliveries import Deliveries
from etalis_py.engine.direct_instant import Few
from etalis_py.engine.functions import Functions
from etalis_py.engine.guard import Guard
from etalis_py.engine.lateness import check_instant, first_late, too_late
from etalis_py.engine.listening import Listening
from etalis_py.engine.open_instant import OpenInstant, Terms
from etalis_py.engine.open_places import OpenPlaces
from etalis_py.engine.option_values import AtEnd, Lateness
from etalis_py.engine.recall import Recall
from etalis_py.engine.reorder import Reorder
from etalis_py.engine.rule_base import RuleBase
from etalis_py.engine.run_time_problems import out_of_memory, run_time_error
from etalis_py.streams.batch import Batch
from etalis_py.streams.frames import SOURCE
from etalis_py.streams.heard import Hearing
from etalis_py.streams.table import Moment, OneTime, Triple, encoded_triple

__all__ = ["MOST_ANSWERS_AT_ONCE", "Feed", "Portions"]

ROWS_AT_ONCE = 10_000
"""Most occurrences that cross to Prolog in one call, as lists."""
BLOCK_ROWS = 60_000
"""The same, where they cross in arrays and no rule is run by Prolog."""
MOST_ANSWERS_AT_ONCE = 20_000
"""The answers of a portion, and the most answers of one instant that are in order (docs/semantics.md)."""
PORTIONS_AT_ONCE = 10
"""So many portions may come as one where their answers wait all the same: no callback gets them before."""
SECONDS_AT_ONCE = 0.5
"""After so long what was found is handed out, even if it is less than a portion."""

_EVENT: Final = Place(source=SOURCE, row=1)
"""Where one that comes by itself is from."""
_Input = TypeVar("_Input")

Portions: TypeAlias = Generator[None, None, None]
"""Work that is done as it is iterated over: at each step some answers can be taken (``Deliveries``).

Who does not go on to its end has to close it; the engine cannot go on then.
"""


class Feed:
    """Feeds the engine in ``module``, which ``guard`` guards.

    ``queries`` are all that it has, by number; ``at`` is the one instant of its run, microseconds (UTC).
    ``clock`` is the instant that is open, or in which the engine failed; None before the first element.
    ``late`` counts the elements that were dropped.
    """

    def __init__(
        self,
        module: str,
        guard: Guard,
        rules: RuleBase,
        deliveries: Deliveries,
        queries: Mapping[int, CompiledQuery],
        *,
        on_late: Lateness,
        at: int | None,
        at_end: AtEnd,
        recall: Recall | None,
        functions: Functions,
    ) -> None:
        self.clock: int | None = None
        self.late = 0
        self._places = OpenPlaces(module)
        self._open = OpenInstant(module, rules, self._places)
        self._listening = Listening(module, rules)
        self._later: deque[Callable[[], None]] = deque()
        self._open_walk: prolog.Solutions | None = None
        self._rows_at_once = BLOCK_ROWS
        self._portions_at_once = 1
        self._newest: int | None = None
        self._has_warned = False
        self.warns_of_parts = True
        """Whether it says so where the answers of an instant are not all in order."""
        self._module = module
        self._guard = guard
        self._rules = rules
        self._deliveries = deliveries
        self._queries = queries
        self._at, self._at_end = at, at_end
        self._recall = recall
        self._functions = functions
        self._on_late = "error" if isinstance(on_late, timedelta) else on_late
        self._reorder: Reorder | None = None
        if isinstance(on_late, timedelta):
            self._reorder = Reorder(on_late // timedelta(microseconds=1))

    # ---- all at once: callbacks get what is found ---------------------------------------------------------

    def send(self, batches: Iterator[Batch]) -> None:
        """Take batches, or as much of them as is due where elements are put back in order.

        Raises:
            DataError: EP413 for an element that is late, EP417 for one at another instant; those before it
                were taken.
        """
        with self._guard.lock:
            if self._guard.pauses:
                self._later.append(partial(self.send, batches))
                return
            self._guard.check_usable()
            with self._deliveries.calling_back():
                first = next(batches, None)  # to read it changes nothing
                if first is not None:
                    self._do(self._send(chain([first], batches)))
            self._do_later()

    def send_point(self, triple: Triple, time: Moment) -> bool:
        """Take a point event where native code closes instants. False: it is not taken.

        Raises:
            DataError: EP407 or EP408, it is no triple.
        """
        with self._guard.lock:
            if self._guard.failure is not None or type(time) is not int or not self._open.is_direct(time):
                return False
            self._one_by_one(self._add_point, (self._open.known(triple) or encoded_triple(triple), time))
            return True

    def send_together(self, element: OneTime) -> None:
        """Take occurrences that have one time.

        Raises:
            DataError: as `send`.
        """
        self._one_by_one(self._add_to_instant, element)

    def advance(self, now: int) -> None:
        """Close the instants before ``now``."""
        self._one_by_one(self._advance_to, now)

    @property
    def next_deadline(self) -> int | None:
        """The first deadline that is open: there is something to do when it has passed, whatever comes."""
        deadline: int | None = prolog.call("etalis_feed", "open_deadline", self._module)
        return deadline

    def finish(self) -> None:
        """Close the last instant."""
        self._call(self._finish)

    def give_certain(self) -> None:
        """Give what further elements of the last instant cannot take back, and be fed no more.

        Elements that wait to be re-ordered are not used: what is missing may belong before them.
        """
        self._call(self._give_certain)
        self._guard.failure = "the input ended early"

    def _call(self, work: Callable[..., Iterator[None]], *inputs: Any) -> None:
        """What a callback asks for amid some work is done behind it."""
        with self._guard.lock:
            if self._guard.pauses:
                self._later.append(partial(self._call, work, *inputs))
                return
            with self._deliveries.calling_back():
                self._do(work(*inputs))
            self._do_later()

    def _one_by_one(self, work: Callable[[_Input], Iterator[None] | None], given: _Input) -> None:
        """Do ``work`` on the open instant. If it cannot be done there, it gives the work that does it."""
        with self._guard.lock:
            if self._guard.pauses:
                self._later.append(partial(self._one_by_one, work, given))
                return
            self._guard.check_usable()
            try:
                rest = self._guard.change(work, given)
                if rest is None:
                    self._functions.tell()  # outside: a warning may be made an exception
                else:
                    self._do(rest)
            except MemoryError as error:
                raise out_of_memory(self._queries.values(), self.clock) from error
            finally:
                self._deliveries.end_calls()
            if self._later:
                self._do_later()

    def _do(self, work: Iterator[None]) -> None:
        self._portions_at_once = 1 if self._deliveries.calls_back else PORTIONS_AT_ONCE
        try:
            with closing(self._portions(work)) as portions:
                for _ in portions:
                    self._deliveries.call_back()
        finally:
            self._portions_at_once = 1

    def _do_later(self) -> None:
        while self._later and self._guard.failure is None:
            self._later.popleft()()

    def abandon(self) -> None:
        """The engine goes, whatever it is doing."""
        if self._open_walk is not None:
            self._open_walk.close()

    # ---- in portions --------------------------------------------------------------------------------------

    def sending(self, batches: Iterable[Batch]) -> Portions:
        """As ``send``."""
        return self._portions(self._send(batches))

    def advancing(self, now: int) -> Portions:
        """As ``advance``."""
        return self._portions(self._advance(now))

    def finishing(self) -> Portions:
        """As ``finish``."""
        return self._portions(self._finish())

    def giving_certain(self) -> Portions:
        """As ``give_certain``."""
        yield from self._portions(self._give_certain())
        self._guard.failure = "the input ended early"

    # ---- on the open instant ----------------------------------------------------------------------------

    def settle(self) -> None:
        """Have Prolog know all that it is to know of what came."""
        self._open.hand_back()

    def _has_open_instant(self) -> bool:
        """Whether the open instant is here, and no column has to be made of what comes."""
        return (
            self._reorder is None
            and self._recall is None
            and not self._functions.calls_columns
            and self._open.take()
        )

    def _add_point(self, row: tuple[Terms, int]) -> None:
        terms, time = row
        instant = self._open
        if instant.clock is None or time > instant.clock:
            self._close_instant(time, _EVENT)
        instant.add_point(terms)
        self._pass_to(time)

    def _add_to_instant(self, element: OneTime) -> Iterator[None] | None:
        if not self._has_open_instant():
            return self._send([element.batch()])
        before, end = self._open.clock, element.end
        if before is not None and end < before:  # it is late
            return self._send([element.batch()])
        if element.triples:
            if before is None or end > before:
                self._close_instant(end, _EVENT)
            self._open.add(element)
            self._pass_to(end)
        return None

    def _advance_to(self, now: int) -> Iterator[None] | None:
        if not self._has_open_instant():
            return self._advance(now)
        before = self._open.clock
        if before is None or now > before:
            self._close_instant(now)
        self._pass_to(now)
        return None

    def _pass_to(self, now: int) -> None:
        if self.clock is None or now > self.clock:
            self.clock = now

    def _close_instant(self, now: int, event: Place | None = None) -> None:
        """Close the instant that is here, since it is ``now``, by an ``event`` or without one."""
        instant = self._open
        if instant.has_occurrences:
            closed = instant.close(MOST_ANSWERS_AT_ONCE)
            if isinstance(closed, Few):
                if closed.numbers:
                    self._newest = closed.end
                    self._deliveries.add_few(closed)
            else:
                self._take_closed(*closed, event)
        instant.clock = now

    def _take_closed(
        self, answers: Sequence[Sequence[Any]], problem: str, is_cut: bool, event: Place | None
    ) -> None:
        if is_cut:
            for earlier in self._open.portions():
                self._take(earlier)
        if answers[0]:
            self._take(answers)
        if len(answers[0]) > MOST_ANSWERS_AT_ONCE:
            self._warn_of_parts(answers[2][0])
        if problem:
            raise run_time_error(problem, self._queries.values(), self.clock, event)

    def _portions(self, work: Iterator[None]) -> Portions:
        with self._guard.lock, self._guard.changing():
            try:
                for _ in work:
                    self._guard.pauses = True
                    try:
                        yield
                    finally:
                        self._guard.pauses = False
                    if self._guard.failure == "":
                        raise RunTimeError("EP303", "the engine is closed")
            except MemoryError as error:
                raise out_of_memory(self._queries.values(), self.clock) from error
        self._functions.tell()  # outside: a warning may be made an exception

    # ---- state ------------------------------------------------------------------------------------------

    @property
    def options(self) -> dict[str, Any]:
        """Those that the state depends on."""
        delay = None if self._reorder is None else self._reorder.delay
        return {"at": self._at, "delay": delay, "recall": self._recall is not None}

    def hearing(self) -> Hearing | None:
        """What a reader may leave out; None where each row is needed.

        Rows that wait to be put in order are needed: a query that is added before they are due sees them.
        """
        if self._recall is not None or self._reorder is not None:
            return None
        self._listening.clock = self.clock
        return self._listening

    @property
    def waits(self) -> bool:
        """Whether elements wait to be put in order."""
        return bool(self._reorder)

    def state(self, since: dict[str, Any] | None = None) -> dict[str, Any]:
        """What decides later answers and is not in Prolog, as JSON has it; what changed ``since`` another."""
        reorder = None
        if self._reorder is not None:
            reorder = self._reorder.state(None if since is None else since["reorder"]["arrived"])
        places = self._places.state(self.clock)
        return {"clock": self.clock, "late": self.late, "reorder": reorder, "places": places}

    def go_on_from(self, states: Sequence[dict[str, Any]]) -> None:
        """Be in the last of ``states``, which follow one another."""
        self.clock, self.late = states[-1]["clock"], states[-1]["late"]
        self._places.go_on_from(states[-1].get("places"))
        if self._reorder is not None:
            for each in states:
                self._reorder.go_on_from(each["reorder"])

    # ---- into Prolog ------------------------------------------------------------------------------------

    def _send(self, batches: Iterable[Batch]) -> Iterator[None]:
        for batch in batches:
            check_instant(batch, self._at)
            if self._reorder is None:
                yield from self._feed(batch)
            else:
                yield from self._feed_in_order(batch, self._reorder)
            if self._deliveries.count >= MOST_ANSWERS_AT_ONCE:
                yield

    def _feed_in_order(self, batch: Batch, reorder: Reorder) -> Iterator[None]:
        late = first_late(batch, reorder)
        due, _ = reorder.push(batch if late is None else batch.part(0, late))
        if due is not None:
            yield from self._feed(due)
        if late is not None:
            raise too_late(batch, late, reorder.newest)

    def _advance(self, now: int) -> Iterator[None]:
        due = None if self._reorder is None else self._reorder.release(now)
        if due is not None:
            yield from self._feed(due)
        yield from self._close_instants("advance", now)
        self._pass_to(now)

    def _finish(self) -> Iterator[None]:
        rest = None if self._reorder is None else self._reorder.flush()
        if rest is not None:
            yield from self._feed(rest)
        if self._at_end == "stop" and self._at is None:
            if self.clock is not None:
                yield from self._advance(self.clock + 1)
        else:
            yield from self._close_instants("finish", "complete")

    def _give_certain(self) -> Iterator[None]:
        yield from self._close_instants("finish", "broken")

    def _feed(self, batch: Batch) -> Iterator[None]:
        self._know_rules()
        if self._recall is None:
            self._listening.look()
            self._listening.clock = self.clock
            batch = self._listening.heard_of(batch)
        first = 0
        while first < len(batch):
            began = time.perf_counter()
            known = prolog.call("etalis_feed", "takes_blocks", self._module)
            most = self._rows_at_once if known else min(self._rows_at_once, ROWS_AT_ONCE)
            rest = batch.part(first, first + most)
            self._functions.call_ahead(rest)
            places = self._rules.asks_places
            block = block_of(rest, known, places=places) if known else None
            if block is not None:
                many = self._portions_at_once * MOST_ANSWERS_AT_ONCE
                yield from self._walk(
                    rest, "feed_block", block.terms, block.places, block.about, self._on_late, many
                )
            else:
                terms, columns = columns_of(rest, places=places)
                yield from self._walk(rest, "feed", terms, columns, self._on_late)
            first += len(rest)
            seconds = time.perf_counter() - began
            self._set_pace(len(rest), seconds)
            if first < len(batch) and (
                seconds > SECONDS_AT_ONCE or self._deliveries.count >= MOST_ANSWERS_AT_ONCE
            ):
                yield

    def _set_pace(self, rows: int, seconds: float) -> None:
        """Give fewer rows at once where these take long, so that answers need not wait for it."""
        if seconds > SECONDS_AT_ONCE:
            self._rows_at_once = max(rows // 2, 100)
        elif seconds < SECONDS_AT_ONCE / 5:
            self._rows_at_once = min(self._rows_at_once * 2, BLOCK_ROWS)

    def _close_instants(self, how: Literal["advance", "finish"], detail: int | str) -> Iterator[None]:
        self._know_rules()
        yield from self._walk(None, how, detail)

    def _know_rules(self) -> None:
        """Have Prolog know all rules, and the open instant."""
        self._open.hand_back()
        self._rules.complete()
        if self._rules.asks_places:
            self._places.tell()

    def _walk(self, batch: Batch | None, predicate: str, *inputs: Any) -> Iterator[None]:
        """Have Prolog walk through rows, or close instants; a step for each portion but the last.

        Raises:
            RunTimeError: it cannot go on.
            DataError: EP413, a row is late; those before it were taken.
        """
        inputs = (self._module, *inputs, MOST_ANSWERS_AT_ONCE)
        self._open_walk = prolog.Solutions("etalis_feed", predicate, *inputs)
        with closing(self._open_walk) as portions:
            answers, late, taken, problem = next(portions)
            while taken < 0:
                self._take(prolog.answers_taken(answers))
                yield
                answers, more_late, taken, problem = next(portions)
                late += more_late
        self._open_walk = None
        if batch is not None and taken:
            self._pass_to(max(batch.end[:taken]) if late else batch.end[taken - 1])
            if not self._rules.asks_places:
                assert self.clock is not None
                self._places.note(batch, taken, late, self.clock)
        self._take(prolog.answers_taken(answers), batch, taken, late)
        if problem:
            event = None if batch is None or taken >= len(batch) else batch.place(taken)
            raise run_time_error(problem, self._queries.values(), self.clock, event)
        if late and self._on_late == "error":
            assert batch is not None
            raise too_late(batch, late[0])
        self.late += len(late)

    def _take(
        self,
        answers: Sequence[Sequence[Any]],
        batch: Batch | None = None,
        taken: int = 0,
        late: Sequence[int] = (),
    ) -> None:
        ends = answers[2]
        if ends:
            if ends[0] == self._newest:
                self._warn_of_parts(ends[0])
            self._newest = ends[-1]
        self._deliveries.add(answers)
        if self._recall is not None:
            derived = self._deliveries.derived(answers)
            self._recall.keep(batch, taken, list(late), derived, self._queries.values())

    def _warn_of_parts(self, end: int) -> None:
        if self.warns_of_parts and not self._has_warned:
            self._has_warned = True
            message = (
                f"more than {MOST_ANSWERS_AT_ONCE:,} answers at {format_time(end)}, not all of them in order"
            )
            warn("EW65", message, hint="only within each portion; see docs/semantics.md, When answers come")
