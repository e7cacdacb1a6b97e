"""The threads of an engine: whether its events can be dealt to several, and the lanes that take them.

Queries that join on one key throughout can be run by several engines, each with the events of some keys; that
is how Spark runs them, too (`etalis_py.compiler.partition`). All other programs have one engine, and
`one_thread_because` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.stage_printer import obstacle_lines
from etalis_py.compiler.partition.join_key import KeyPlan, find_key
from etalis_py.compiler.partition.stage_reach import draws_values
from etalis_py.compiler.plan.plan import AbsencePlan, walk
from etalis_py.compiler.plan.triggers import TriggerFinder
from etalis_py.core.errors import CompileError
from etalis_py.embedding import prolog
from etalis_py.engine.dealer import Dealer
from etalis_py.engine.feeding import MOST_ANSWERS_AT_ONCE, Portions
from etalis_py.engine.function_columns import calls_any
from etalis_py.engine.functions import Functions, let_call
from etalis_py.engine.knowledge import Knowledge
from etalis_py.engine.merged_answers import MergedAnswers
from etalis_py.engine.options import EngineOptions
from etalis_py.engine.rule_base import RuleBase
from etalis_py.streams.batch import Batch

if TYPE_CHECKING:
    from etalis_py.engine.lanes import Lane

__all__ = ["Threads", "one_thread_because"]


def one_thread_because(
    options: EngineOptions, queries: Collection[CompiledQuery], triggers: TriggerFinder
) -> list[str]:
    """Why an engine works in one thread, however many it may have; nothing if it need not."""
    reasons = list(_options_in_the_way(options))
    for each in queries:
        if each.form not in ("select", "ask"):
            reasons.append(f"{each.name}: a {each.form.upper()} makes triples that queries of all keys see")
        elif draws_values(each.plan):
            reasons.append(f"{each.name}: it makes values that are new each time")
        elif calls_any(each.plan.root, options.functions):
            reasons.append(f"{each.name}: it calls functions of Python, which one thread runs at a time")
        elif any(isinstance(node, AbsencePlan) for node in walk(each.plan.root)):
            reasons.append(f"{each.name}: deadlines come in the order of time, whatever the key")
        elif each.max_answers is not None:
            reasons.append(f"{each.name}: its answers at one instant are limited")
    key = find_key([each.plan for each in queries], triggers)
    reasons += obstacle_lines(key, {each.plan.number: each for each in queries})
    return reasons


def _options_in_the_way(options: EngineOptions) -> Iterator[str]:
    whole = {
        "at": options.at is not None,
        "rules": bool(options.rules),
        "recall": options.recall is not False,
        "trace": options.trace,
        "record_changes": options.record_changes,
        "max_memory": options.max_memory is not None,
        "max_answers_per_instant": options.max_answers_per_instant is not None,
        "max_time_per_instant": options.max_time_per_instant is not None,
    }
    yield from (f"the option {name} is for one engine" for name, is_given in whole.items() if is_given)


class Threads:
    """The lanes of the engine in ``module`` with ``rules``, which ``queries`` gives by their names.

    Whether there are some is decided when the first element comes.
    """

    def __init__(
        self,
        module: str,
        options: EngineOptions,
        knowledge: Knowledge,
        functions: Functions,
        rules: RuleBase,
        queries: Mapping[str, CompiledQuery],
    ) -> None:
        self._module = module
        self._options = options
        self._knowledge = knowledge
        self._functions = functions
        self._rules = rules
        self._queries = queries
        self._merged = MergedAnswers()
        self._dealer: Dealer | None = None
        self._is_decided = False
        self._lanes: list[Lane] = []

    # ---- whether there are lanes --------------------------------------------------------------------------

    @property
    def lanes(self) -> Sequence[Lane]:
        """The lanes, if events are dealt to some; from now on that is decided."""
        if not self._is_decided:
            count, self._is_decided = self.planned, True
            if count > 1:
                self._begin(count)
        return self._lanes

    @property
    def known(self) -> Sequence[Lane]:
        """The lanes that there are."""
        return self._lanes

    @property
    def planned(self) -> int:
        """How many threads work, or will when the first element comes."""
        if self._lanes or self._is_decided:
            return len(self._lanes) or 1
        queries = list(self._queries.values())
        is_one = not queries or one_thread_because(self._options, queries, self._knowledge.triggers)
        return 1 if is_one else self._options.threads

    @property
    def modules(self) -> list[str]:
        """The modules that have the state."""
        return [lane.engine.module for lane in self.lanes] or [self._module]

    def _begin(self, count: int) -> None:
        key = self._key(list(self._queries.values()))
        self._rules.complete()
        lanes = []
        with ExitStack() as undo:
            for number in range(count):
                lane = self._new_lane(number)
                undo.callback(lane.close)
                lanes.append(lane)
                for portion in self._rules.fingerprints:
                    lane.engine.install([self._queries[name] for name, _ in portion])
                    lane.engine.complete()
            undo.pop_all()
        self._lanes, self._dealer, self._merged.sets = lanes, Dealer(key.routes, count), key.merge
        prolog.do("etalis_question_views", "see_lanes", self._module, self.modules)

    def _key(self, queries: Sequence[CompiledQuery]) -> KeyPlan:
        return find_key([each.plan for each in queries], self._knowledge.triggers)

    def _new_lane(self, number: int) -> Lane:
        from etalis_py.engine.column_engine import ColumnEngine
        from etalis_py.engine.lanes import Lane

        engine = ColumnEngine(**self._options.keywords(threads=1, on_late="error"))
        let_call(engine.module, self._functions)
        engine.feed.warns_of_parts = False
        return Lane(engine, number)

    def check(self, compiled: Sequence[CompiledQuery]) -> None:
        """Whether queries can be added now.

        Raises:
            CompileError: EP219, the events are dealt to threads as these queries cannot use them.
        """
        if self._dealer is None:
            return
        queries = [*self._queries.values(), *compiled]
        reasons = one_thread_because(self._options, queries, self._knowledge.triggers)
        if not reasons:
            dealer = Dealer(self._key(queries).routes, len(self._lanes))
            predicates = {*dealer.routes.positions, *self._dealer.routes.positions, ""}
            if any(dealer.position(name) != self._dealer.position(name) for name in predicates):
                reasons = ["it joins on another key"]
        if reasons:
            names = ", ".join(each.name for each in compiled)
            raise CompileError(
                "EP219",
                f"{names} cannot be added: the events are dealt to {len(self._lanes)} threads by the key of "
                f"the queries before, and {reasons[-1]}",
                hint="register all queries before the first element, or leave out threads",
            )

    def add(self, compiled: Sequence[CompiledQuery]) -> None:
        """Queries were added; the lanes get them, too, if there are some."""
        if self._dealer is not None:
            key = self._key(list(self._queries.values()))
            self._dealer = Dealer(key.routes, len(self._lanes))
            self._merged.sets = key.merge
            for lane in self._lanes:
                lane.engine.install(compiled)

    def remove(self, names: Collection[str]) -> None:
        """Queries leave the lanes, too; events are dealt as before, since goals are where they are."""
        for lane in self._lanes:
            lane.engine.unregister(names)

    def close(self) -> None:
        """Give back all lanes."""
        lanes, self._lanes = self._lanes, []
        for lane in lanes:
            lane.close()

    # ---- rounds -------------------------------------------------------------------------------------------

    def begin(self, batches: Sequence[Batch]) -> None:
        """Let the lanes take their shares of batches, none of which is empty, in the order of their ends."""
        assert self._dealer is not None, "there are lanes"
        until = batches[-1].end[-1]
        for lane, *shares in zip(self._lanes, *map(self._dealer.shares, batches), strict=True):
            lane.begin(partial(_take, lane, [share for share in shares if len(share)], until))

    def begin_all(self, work: Callable[[Lane], Portions]) -> None:
        """Let all lanes do some work."""
        for lane in self._lanes:
            lane.begin(partial(work, lane))

    @property
    def work(self) -> bool:
        """Whether a step is left of the round."""
        return any(lane.works or lane.failure is not None for lane in self._lanes)

    def step(self) -> Sequence[Sequence[Any]]:
        """Wait for the next answers, in their order: query numbers, starts, ends and values.

        Raises:
            RunTimeError: a lane failed, and all answers before that were given.
        """
        from etalis_py.engine.lanes import step_all

        if working := [lane for lane in self._lanes if lane.works]:
            step_all([lane for lane in working if lane.count < MOST_ANSWERS_AT_ONCE] or [_last(working)])
        working = [lane for lane in self._lanes if lane.works]
        failed = [lane for lane in self._lanes if lane.failure is not None]
        if not working and not failed:
            return self._merged.columns([part for lane in self._lanes for part in lane.all()])
        last = _last([*failed, *working])
        found = self._merged.columns([part for lane in self._lanes for part in lane.before(last.reached)])
        if len(found[0]):
            return found
        if last.failure is not None:
            raise last.failure
        if any(lane.count >= MOST_ANSWERS_AT_ONCE for lane in working):  # of one instant: not all in order
            return self._merged.columns(
                [part for lane in self._lanes for part in lane.before(last.reached + 1)]
            )
        return found


def _last(lanes: Sequence[Lane]) -> Lane:
    """The one that is furthest behind."""
    return min(lanes, key=lambda lane: lane.reached)


def _take(lane: Lane, shares: Sequence[Batch], until: int) -> Portions:
    yield from lane.engine.feed.sending(shares)
    yield from lane.engine.feed.advancing(until)
