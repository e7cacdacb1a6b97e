"""All solutions of a part of a plan over a finite stream, by brute force: what a proof says was not there.

Follows docs/semantics.md operator by operator and looks at all pairs. Not for paths and groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.plan.plan import (
    AbsencePlan,
    BetweenPlan,
    DistinctPlan,
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    InstantPlan,
    LookupPlan,
    Pair,
    PlanNode,
    ProjectPlan,
    RepeatPlan,
    Scan,
    SkipPlan,
    TablePlan,
    TicksPlan,
    UnionPlan,
    UnitPlan,
    WaitPlan,
)
from etalis_py.compiler.plan.trace_columns import is_trace
from tests.oracle.algebra_expressions import Sight, truth, value
from tests.oracle.places import given_elements
from tests.oracle.policy_parts import matched
from tests.oracle.relations import RELATIONS
from tests.oracle.solutions import Dataset, Interval, Solution, joined
from tests.why.plan_steps import PlanSteps

__all__ = ["NotCoveredError", "PlanSolutions"]

MOST = 2000
_OPTIONAL_SIDES = {"OPTIONAL": "right", "EQUALSOPTIONAL": "right", "OPTIONALSEQ": "left"}


class NotCoveredError(Exception):
    """A path, a group, or more solutions than can be looked at."""


@dataclass(frozen=True)
class PlanSolutions:
    """The solutions over ``data``, which is closed under entailment and has what queries made."""

    data: Dataset

    def of(self, node: PlanNode) -> list[Solution]:
        found = []
        for each in self._of(node):
            found.append(each)
            if len(found) > MOST:
                raise NotCoveredError
        return found

    def _of(self, node: PlanNode) -> Iterable[Solution]:  # noqa: C901 - one line an operator
        match node:
            case UnitPlan():
                return [Solution({}, None)]
            case TablePlan(rows=rows, schema=schema):
                names = [each.name for each in schema.columns if not is_trace(each)]
                cells = ([(n, c) for n, c in zip(names, row, strict=True) if c is not None] for row in rows)
                return [Solution(dict(row), None) for row in cells]
            case LookupPlan(graph=graph) if graph is not None:
                pattern = algebra.TriplePattern(graph, graph, graph)
                return [s for name in self.data.named for s in matched(pattern, (name, name, name), None)]
            case Scan():
                return self._scan(node)
            case UnionPlan(left=left, right=right):
                return [*self.of(left), *self.of(right)]
            case WaitPlan(input=below):
                return self.of(below)
            case InstantPlan(input=below):
                now = self.data.always
                return [Solution(each.mapping, each.interval or now) for each in self.of(below)]
            case FilterPlan(input=below, condition=condition, tests=tests):
                return [each for each in self.of(below) if self.passes(condition, each, tests)]
            case ExtendPlan(input=below, variable=variable) if is_trace(variable):
                return self.of(below)
            case ExtendPlan(input=below):
                return [self.extended(node, each) for each in self.of(below)]
            case ProjectPlan(input=below, schema=schema):
                names = [each.name for each in schema.columns]
                return [each.restricted(names) for each in self.of(below)]
            case DistinctPlan(input=below):
                return {each.key: each for each in self.of(below)}.values()
            case Pair(operator=operator) if operator.next_only:
                return PlanSteps(self).of(node)
            case Pair():
                return self._pair(node)
            case BetweenPlan() | AbsencePlan() | TicksPlan() | RepeatPlan() | SkipPlan():
                return PlanSteps(self).of(node)
            case _:
                raise NotCoveredError

    def _scan(self, node: Scan) -> Iterator[Solution]:
        pattern = node.pattern
        if pattern.graph is not None:
            for name, triples in self.data.named.items():
                if pattern.graph == algebra.Constant(name) or isinstance(pattern.graph, algebra.Variable):
                    for triple in triples:
                        for each in matched(pattern, triple, None):
                            yield from self._in_graph(each, pattern.graph, name)
            return
        background = self.data.background
        if pattern.sources is not None:
            background = frozenset(t for g in pattern.sources for t in self.data.named.get(g, ()))
        facts = [*self.data.stream, *((triple, None) for triple in background)]
        if node.once:
            there = {triple for triple, _ in self.data.stream}
            facts = [each for each in facts if each[1] is not None or each[0] not in there]
        if pattern.place is not None:
            raise NotCoveredError
        given = given_elements(self.data) if pattern.given else None
        for triple, interval in facts:
            if given is None or interval in given:
                yield from matched(pattern, triple, interval)

    def _in_graph(self, found: Solution, graph: algebra.TermPattern, name: str) -> Iterator[Solution]:
        if isinstance(graph, algebra.Constant):
            yield found
        else:
            both = joined(found, Solution({graph.name: name}, None))
            if both is not None:
                yield both

    def _pair(self, pair: Pair) -> Iterator[Solution]:
        left, right = self.of(pair.left), self.of(pair.right)
        optional = _OPTIONAL_SIDES.get(pair.operator.word)
        if optional is None:
            for one in left:
                for other in right:
                    yield from self.pairs(pair, one, [other])
        elif optional == "right":
            for one in left:
                yield from list(self.pairs(pair, one, right)) or [one]
        else:
            for other in right:
                found = [both for one in left for both in self.pairs(pair, one, [other])]
                yield from found or [other]

    def pairs(self, pair: Pair, one: Solution, others: Iterable[Solution]) -> Iterator[Solution]:
        """The pairs of a left solution with right ones."""
        optional = _OPTIONAL_SIDES.get(pair.operator.word)
        for other in others:
            both = joined(one, other)
            if both is None or not in_time(pair.operator.word, one.interval, other.interval):
                continue
            inner = one if optional == "left" else other
            if pair.condition is None or self.passes(pair.condition, both, pair.tests, inner.interval, True):
                yield both

    # ---- expressions ------------------------------------------------------------------------------------

    def passes(
        self,
        condition: algebra.Expression,
        solution: Solution,
        tests: tuple[ExistsPlan, ...],
        interval: Interval | None = None,
        timed: bool = False,
        until: Interval | None = None,
    ) -> bool:
        """Whether a condition is true of a solution; ``timed``: time functions speak of ``interval``."""
        seen = interval if timed else solution.interval
        sight = self._sight(solution, seen, until or solution.interval, tests)
        try:
            return truth(condition, sight) is True
        except NotImplementedError as error:
            raise NotCoveredError from error

    def extended(self, node: ExtendPlan, solution: Solution) -> Solution:
        """A solution with the value of a BIND."""
        sight = self._sight(solution, solution.interval, solution.interval, node.tests)
        try:
            return solution.extended(node.variable.name, value(node.expression, sight))
        except NotImplementedError as error:
            raise NotCoveredError from error

    def _sight(
        self,
        solution: Solution,
        seen: Interval | None,
        until: Interval | None,
        tests: tuple[ExistsPlan, ...],
    ) -> Sight:
        def exists(test: algebra.Exists) -> bool:
            plan = next(each for each in tests if each.expression == test)
            return next(self.met(plan, solution, until), None) is not None

        return Sight(solution.mapping, seen, exists)

    def met(self, test: ExistsPlan, solution: Solution, until: Interval | None) -> Iterator[Solution]:
        """The solutions of a tested pattern that a solution meets, known at the end of ``until``.

        A test within the condition looks up to the end of the solution that it is itself tested for.
        """
        if test.substituted is not None:
            raise NotCoveredError
        for other in self.of(test.node):
            both = joined(solution, other)
            late = other.interval is not None and (until is None or other.interval[1] > until[1])
            if both is None or late:
                continue
            if test.is_minus and not any(name in solution.mapping for name in other.mapping):
                continue
            condition = test.condition
            if condition is None or self.passes(
                condition, both, test.tests, other.interval, True, other.interval
            ):
                yield other


def in_time(word: str, one: Interval | None, other: Interval | None) -> bool:
    """Whether the times of a left and a right solution are those of the operator."""
    if word == "OPTIONAL":
        return other is None or (one is not None and other[1] <= one[1])
    word = word.removesuffix("OPTIONAL").removeprefix("OPTIONAL")  # pairs are those of EQUALS, and of SEQ
    return word == "Join" or RELATIONS[word](Solution({}, one), Solution({}, other))
