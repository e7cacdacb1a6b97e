"""The solutions of steps (NEXT, STRICT, NOT, timers, REPEAT, SKIP) over those of their parts.

Of a plan, with the functions of the oracle, which know nothing of rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from etalis_py.compiler.algebra.algebra import Aggregate, Expression, RepeatMode
from etalis_py.compiler.plan.plan import (
    AbsencePlan,
    BetweenPlan,
    ExistsPlan,
    Pair,
    PlanNode,
    RepeatPlan,
    SkipPlan,
    TicksPlan,
)
from etalis_py.compiler.plan.trace_columns import is_trace
from tests.oracle.deadlines import absences, each_multiple
from tests.oracle.following import Follows, Side, any_after, next_after, nothing_before, pairs_of, without
from tests.oracle.iterations import counted, over
from tests.oracle.repeats import Repeated, Repetition, Run, Then, Times
from tests.oracle.skipping import first_to_end, past_last
from tests.oracle.solutions import Interval, Solution, joined
from tests.oracle.values import ExpressionError

if TYPE_CHECKING:
    from tests.why.plan_solutions import PlanSolutions

__all__ = ["LISTED", "PlanSteps", "with_iterations"]

LISTED = "_: iterations"
"""The name that iterations have in a solution which says what they are."""


@dataclass(frozen=True)
class PlanSteps:
    """Steps; ``parts`` gives the solutions of what they are made of."""

    parts: PlanSolutions

    def of(self, node: PlanNode) -> Iterable[Solution]:
        """All solutions of a step."""
        match node:
            case TicksPlan(period=period):
                return each_multiple(period, self.parts.data.clock)
            case AbsencePlan(left=left):
                return self.absences(node, self.parts.of(left))
            case BetweenPlan(left=left, right=right):
                return self.between(node, None if left is None else self.parts.of(left), self.parts.of(right))
            case Pair(left=left, right=right):
                return self.next_pairs(node, self.parts.of(left), self.parts.of(right))
            case RepeatPlan(left=None):
                return self.repeated(node, None)
            case RepeatPlan(left=left):
                assert left is not None
                timed = [each for each in self.parts.of(left) if each.interval is not None]
                return [found for each in timed for found in self.repeated(node, each)]
            case SkipPlan(input=below):
                return self.skipped(node, self.parts.of(below))
            case _:
                raise AssertionError(type(node).__name__)

    # ---- pairs ------------------------------------------------------------------------------------------

    def next_pairs(
        self, pair: Pair, left: Iterable[Solution], right: Sequence[Solution]
    ) -> Iterable[Solution]:
        """Those of some left and some right solutions, among all."""
        return pairs_of(left, self._side(pair.right, pair.condition, pair.tests, right), next_after)

    def between(
        self, node: BetweenPlan, left: Iterable[Solution] | None, right: Sequence[Solution]
    ) -> Iterable[Solution]:
        """Pairs of some solutions with nothing between, or some solutions with nothing before."""
        none = self._side(node.none, node.condition, node.tests)
        if left is None:
            return nothing_before(none, node.length, right)
        follows = without(none, next_after if node.operator.next_only else any_after)
        return pairs_of(left, self._side(node.right, node.step, node.step_tests, right), follows)

    def absences(self, node: AbsencePlan, left: Iterable[Solution]) -> Iterable[Solution]:
        """What of some left solutions has waited in vain."""
        none = Side((), ()) if node.none is None else self._side(node.none, node.condition, node.tests)
        return absences(left, none, node.length, from_start=node.from_start)

    def _side(
        self,
        node: PlanNode,
        condition: Expression | None = None,
        tests: tuple[ExistsPlan, ...] = (),
        found: Sequence[Solution] | None = None,
    ) -> Side:
        def fits(one: Solution, other: Solution) -> bool:
            both = joined(one, other)
            assert both is not None
            return condition is None or self._passes(condition, both, tests, other.interval)

        known = self.parts.of(node)
        return Side(known if found is None else found, known, fits)

    def _passes(
        self,
        condition: Expression,
        both: Solution,
        tests: tuple[ExistsPlan, ...],
        interval: Interval | None,
    ) -> bool:
        return self.parts.passes(condition, both, tests, interval, True, both.interval)

    def skipped(self, node: SkipPlan, found: Iterable[Solution]) -> Iterator[Solution]:
        """What is given of solutions that overlap."""
        by_key: dict[tuple[Any, ...], list[tuple[Interval, Solution]]] = {}
        for each in found:
            if each.interval is None:
                yield each
                continue
            key = tuple(each.mapping.get(variable.name) for variable in node.keys)
            by_key.setdefault(key, []).append((each.interval, each))
        for some in by_key.values():
            yield from first_to_end(some) if node.to_next else past_last(some)

    # ---- REPEAT -----------------------------------------------------------------------------------------

    def repeated(
        self, node: RepeatPlan, first: Solution | None, *, listed: bool = False
    ) -> Iterator[Solution]:
        """The runs behind one solution, or behind nothing; with what follows, if there is something.

        Where it is ``listed``, each says what its iterations are.
        """
        repeat, repetition = node.repeat, self._repetition(node, listed=listed)
        if repeat.begun is not None:
            assert first is not None
            yield from repetition.each_run_from(first, _first_iteration(node, first))
        elif node.then is not None:
            whole = repetition.longest_before if repeat.longest else repetition.all_before
            for run, each in whole(first, self._then(node)):
                both = joined(run, each)
                assert both is not None
                yield both
        elif repeat.mode is RepeatMode.ALL:
            yield from repetition.each_growth(first)
        elif repeat.longest:
            yield from repetition.longest(first)
        else:
            yield from repetition.each_run(first)

    def _repetition(self, node: RepeatPlan, *, listed: bool) -> Repetition:
        """The repetition as the oracle has it."""
        repeat, clock = node.repeat, self.parts.data.clock
        shared = [each.name for each in repeat.shared]

        def fits(run: Run, each: Solution) -> bool:
            both = joined(run.solution, each)
            if both is None or repeat.condition is None:
                return both is not None
            for aggregate in repeat.running:
                both = both.extended(aggregate.variable.name, _aggregated(aggregate, run))
            return self._passes(repeat.condition, both, node.tests, each.interval)

        def measured(run: Run) -> Solution:
            solution = run.solution
            for each in repeat.measures:
                if not is_trace(each.variable):
                    solution = solution.extended(each.variable.name, _aggregated(each, run))
            return with_iterations(solution, node, run.iterations) if listed else solution

        scope = None if node.scope is None else self._side(node.scope)
        step = any_after if scope is None else without(scope, any_after)
        if repeat.mode is RepeatMode.NEXT:
            step = next_after
        return Repetition(
            Repeated(self._side(node.group), shared, fits),
            [each.name for each in repeat.per],
            Times(repeat.low, repeat.high),
            self._following(node.first_scope, next_only=repeat.operator.next_only),
            step,
            scope,
            0 if clock is None else clock[1],
            measured,
        )

    def _following(self, scope: PlanNode | None, *, next_only: bool) -> Follows:
        follows = next_after if next_only else any_after
        return follows if scope is None else without(self._side(scope), follows)

    def _then(self, node: RepeatPlan) -> Then:
        repeat = node.repeat
        assert node.then is not None
        side = self._side(node.then, repeat.then_condition, node.then_tests)
        follows, between = (next_after if repeat.then_next else any_after), any_after
        if node.last_scope is not None:
            none = self._side(node.last_scope, repeat.last_condition, node.last_tests)
            follows, between = without(none, follows), without(none, any_after)
        return Then(side, follows, repeat.then_next, between if repeat.then_next else follows)


def _first_iteration(node: RepeatPlan, left: Solution) -> Solution:
    """The one that a left solution holds; when it began no later one asks."""
    assert left.interval is not None
    names = {own.name: kept.name for own, kept in node.repeat.begun or () if not is_trace(own)}
    names |= {each.name: each.name for each in node.repeat.shared}
    mapping = {own: left.mapping[kept] for own, kept in names.items() if kept in left.mapping}
    return Solution(mapping, (left.interval[1], left.interval[1]))


def with_iterations(solution: Solution, node: RepeatPlan, iterations: Sequence[Solution]) -> Solution:
    """The solution of a run that says what its iterations are: what they bind, and when they end."""
    names = [each.name for each in node.group.schema.columns if not is_trace(each)]
    kept = [each.restricted(names) for each in iterations]
    ends = (each.interval and each.interval[1] for each in kept)
    told: Any = tuple(zip((each.key[0] for each in kept), ends, strict=True))
    return solution.extended(LISTED, told)


def _aggregated(aggregate: Aggregate, run: Run) -> Any:
    if aggregate.argument is None:
        return counted(run.iterations, distinct=aggregate.distinct)
    before = {} if run.first is None else run.first.mapping
    values = [{**before, **each.mapping}.get(aggregate.argument.name) for each in run.iterations]
    like = SimpleNamespace(
        name="GROUP_CONCAT" if aggregate.function == "LIST" else aggregate.function,
        distinct=aggregate.distinct,
        separator=aggregate.separator,
    )
    try:
        return over(like, values)  # type: ignore[arg-type]
    except ExpressionError:
        return None
