"""From the algebra to the binary plan: names, columns, join variables and window bounds.

A window bound goes down into every input that is part of each solution; never into an optional side,
where a solution that is too old still decides that there was a match, nor into groups and tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.aggregate_windows import RangeWindow
from etalis_py.compiler.algebra.correlate import Outside, joined
from etalis_py.compiler.algebra.operators import JOIN, Operator, Side
from etalis_py.compiler.algebra.policies import Policy, leads_to_pair
from etalis_py.compiler.algebra.scope import certain_variables, end_variables, is_open
from etalis_py.compiler.algebra.stream_windows import Report, Schedule
from etalis_py.compiler.algebra.window import duration_bound, narrower
from etalis_py.compiler.algebra.windows_read import reach_of_windows
from etalis_py.compiler.passes.late_paths import late_paths
from etalis_py.compiler.plan.age import Age, age_bound
from etalis_py.compiler.plan.beginnings import with_pairs_told
from etalis_py.compiler.plan.build_asked import Asking
from etalis_py.compiler.plan.gaps import with_gap
from etalis_py.compiler.plan.graph_nodes import node_variables, paths_of_nodes
from etalis_py.compiler.plan.group_demand import on_demand
from etalis_py.compiler.plan.plan import (
    AbsencePlan,
    AskPlan,
    BetweenPlan,
    ChangesPlan,
    ChosenPlan,
    ClosurePlan,
    ConstructPlan,
    DescribePlan,
    DistinctPlan,
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    GroupPlan,
    InstantPlan,
    LookupPlan,
    OrderPlan,
    Pair,
    PlanNode,
    ProjectPlan,
    QueryPlan,
    RepeatPlan,
    Scan,
    Schema,
    SelectPlan,
    SkipPlan,
    SlicePlan,
    SnapshotPlan,
    Step,
    TablePlan,
    TicksPlan,
    UnionPlan,
    UnitPlan,
    UnusedPlan,
    WaitPlan,
    walk,
)

__all__ = ["BackgroundTest", "build_plan"]

BackgroundTest = Callable[[algebra.TriplePattern], bool]
"""Whether a triple of the background could match a pattern."""

_Node = TypeVar(
    "_Node",
    OrderPlan,
    SlicePlan,
    SkipPlan,
    ProjectPlan,
    DistinctPlan,
    FilterPlan,
    ExtendPlan,
    ChangesPlan,
    ChosenPlan,
    UnusedPlan,
)


def build_plan(
    query: algebra.Query,
    number: int,
    background: BackgroundTest,
    *,
    at_instant: bool = False,
    policy: Policy | None = None,
) -> QueryPlan:
    """The plan of ``query``; ``number`` keeps the names of an engine's queries apart.

    With ``at_instant`` the run has one instant only: background holds there, as plain SPARQL has it.
    """
    builder = _Builder(number, background, at_instant=at_instant, policy=policy)
    root = builder.with_interval(builder.node(query.pattern, None))
    match query:
        case algebra.SelectQuery(ordered=ordered):
            return SelectPlan(number, root, ordered, query.span, policy)
        case algebra.ConstructQuery(template=template):
            return ConstructPlan(number, root, template, query.span, policy, stream=query.stream)
        case algebra.AskQuery():
            return AskPlan(number, root, query.span, policy)
        case algebra.DescribeQuery(triple=triple):
            return DescribePlan(number, root, triple, query.span)
        case _:
            assert_never(query)


class _Builder:
    def __init__(
        self, number: int, background: BackgroundTest, *, at_instant: bool, policy: Policy | None
    ) -> None:
        self._prefix = f"q{number}"
        self._number = number
        self._background = background
        self._at_instant = at_instant
        self._policy = policy
        self._count = 0

    def name(self, kind: str) -> str:
        """A new name."""
        self._count += 1
        return f"{self._prefix}_{kind}_{self._count}"

    def _schema(self, pattern: algebra.Pattern) -> Schema:
        used = self._policy is not None
        return Schema(algebra.variables(pattern), certain_variables(pattern), used, end_variables(pattern))

    def node(  # noqa: C901 - one branch for each operator
        self, pattern: algebra.Pattern, window: int | None, steps: tuple[Step, ...] = ()
    ) -> PlanNode:
        """The plan of ``pattern``, whose solutions of ``window`` or longer do not matter.

        Under a policy ``steps`` are the filters directly above, lowest first.
        """
        match pattern:
            case algebra.Unit() | algebra.Table() | algebra.Lookup() | algebra.TriplePattern():
                return self._leaf(pattern, window)
            case algebra.Union():
                return self._union(pattern, window)
            case algebra.Filter():
                return self._filter(pattern, window, steps)
            case algebra.Extend():
                return self._extend(pattern, window, steps)
            case algebra.Minus():
                return self._minus(pattern, window)
            case algebra.Closure():
                return self._closure(pattern, window)
            case algebra.Group():
                return self._group(pattern)
            case algebra.OrderBy(keys=keys):
                below = self.with_interval(self.node(pattern.pattern, None))
                return self._above(OrderPlan, "order", pattern, None, below, keys, below)
            case algebra.Slice(offset=offset, limit=limit, keys=order):
                below = self.node(pattern.pattern, None)
                return self._above(SlicePlan, "slice", pattern, None, below, offset, limit, below, order)
            case algebra.Project():
                below = self.node(pattern.pattern, window)
                if pattern.closed and pattern.variables == below.schema.columns:
                    return below
                return self._above(ProjectPlan, "project", pattern, window, below, below)
            case algebra.Distinct():
                below = self.with_interval(self.node(pattern.pattern, window))
                if isinstance(below, SnapshotPlan):
                    return below  # it has each solution once
                return self._above(DistinctPlan, "distinct", pattern, window, below, below)
            case algebra.Snapshot():
                return self._snapshot(pattern)
            case algebra.Changes(to_stream=to_stream, schedule=schedule, held=held):
                below, own = self.node(pattern.pattern, None), self._own(schedule)
                if to_stream == "RSTREAM":
                    below = _read_above(below)
                node = self._above(ChangesPlan, "changes", pattern, None, below, to_stream, own, held, below)
                return _beginnings(node) if to_stream == "ISTREAM" and node.tells_at_once else node
            case algebra.Chosen(keys=keys, start=start, end=end, last=last):
                below = self.node(pattern.pattern, None)
                return self._above(ChosenPlan, "chosen", pattern, None, below, keys, start, end, last, below)
            case algebra.Unused(match=match, triples=triples, consumes=consumes):
                below, consumed = self.node(pattern.pattern, None), f"{self._prefix}_consumed_{match}"
                details = consumed, triples, consumes, reach_of_windows(pattern)
                return self._above(UnusedPlan, "unused", pattern, None, below, *details, below)
            case algebra.Pair():
                return self._pair(pattern, window, steps)
            case algebra.Gap():
                return self._between(pattern, window)
            case algebra.Ticks(period=period):
                name = self.name("every")
                return TicksPlan(name, self._schema(pattern), window, True, False, pattern.span, period)
            case algebra.Absence():
                return self._absence(pattern)
            case algebra.Repeat():
                return self._repeat(pattern, window)
            case algebra.Skip(keys=keys, to_next=to_next, ended=ended):
                below = self.with_interval(self.node(pattern.pattern, window))
                return self._above(SkipPlan, "skip", pattern, window, below, keys, to_next, ended, below)
            case _:
                assert_never(pattern)

    def _union(self, pattern: algebra.Union, window: int | None) -> PlanNode:
        pattern = _balanced(pattern)
        left, right = self.node(pattern.left, window), self.node(pattern.right, window)
        schema = self._schema(pattern)
        for one, other in ((left, right), (right, left)):
            if not (other.eventful or other.timeless) and one.schema.columns == schema.columns:
                return one  # the other one has no solution
        eventful, timeless = left.eventful or right.eventful, left.timeless or right.timeless
        name = self.name("union")
        return UnionPlan(name, schema, window, eventful, timeless, pattern.span, left, right)

    def with_interval(self, node: PlanNode) -> PlanNode:
        """``node``; in a run at one instant, what it has from background alone holds at that instant.

        To be used below an operator that must see all solutions of an instant together.
        """
        if not (self._at_instant and node.timeless):
            return node
        name = self.name("instant")
        return InstantPlan(name, node.schema, node.window, True, False, node.span, node)

    def _above(
        self,
        kind: Callable[..., _Node],
        label: str,
        pattern: algebra.Pattern,
        window: int | None,
        below: PlanNode,
        *details: Any,
    ) -> _Node:
        """An operator on one input, whose solutions come about as the input's do."""
        name, schema = self.name(label), self._schema(pattern)
        return kind(name, schema, window, below.eventful, below.timeless, pattern.span, *details)

    def _leaf(
        self,
        pattern: algebra.Unit | algebra.Table | algebra.Lookup | algebra.TriplePattern,
        window: int | None,
    ) -> PlanNode:
        schema, span = self._schema(pattern), pattern.span
        match pattern:
            case algebra.Unit():
                return UnitPlan(self.name("unit"), schema, window, False, True, span)
            case algebra.Table(rows=rows):
                return TablePlan(self.name("values"), schema, window, False, True, span, rows)
            case algebra.Lookup(graph=graph, predicate=predicate, arguments=arguments):
                name = self.name("graphs" if predicate is None else "goal")
                return LookupPlan(name, schema, window, False, True, span, graph, predicate, arguments)
            case algebra.TriplePattern():
                named, still = pattern.graph is not None, not pattern.eventful
                timeless = named or bool(pattern.sources) or self._background(pattern)
                if pattern.place is not None and not pattern.place.background:
                    timeless = False
                name = self.name("pattern")
                if pattern.place is not None and pattern.place.extent is not None:
                    window = None  # an occurrence is in a window by its end, however long it is
                return Scan(
                    name, schema, window, not still, timeless, span, pattern, self._at_instant and not still
                )
            case _:
                assert_never(pattern)

    def _snapshot(self, pattern: algebra.Snapshot) -> SnapshotPlan:
        longest = reach_of_windows(pattern.pattern)
        below = self.node(pattern.pattern, longest)
        return SnapshotPlan(
            self.name("snapshot"), self._schema(pattern), None, True, False, pattern.span,
            self._own(pattern.schedule), longest, pattern.always, pattern.newest, pattern.changes, below,
        )  # fmt: skip

    def _own(self, schedule: Schedule) -> Schedule:
        """``schedule`` as that of this query, where it depends on the elements of its streams."""
        return schedule if schedule.report is Report.CLOSE else replace(schedule, query=self._number)

    # ---- expressions ------------------------------------------------------------------------------------

    def _filter(self, pattern: algebra.Filter, window: int | None, steps: tuple[Step, ...]) -> PlanNode:
        window = narrower(window, duration_bound(pattern.condition, pattern.pattern))
        judges = self._policy is not None and leads_to_pair(pattern.pattern)
        below, tests = self._judged(pattern.pattern, pattern.condition, None, window, steps, judges=judges)
        return self._above(FilterPlan, "filter", pattern, window, below, pattern.condition, below, tests)

    def _extend(self, pattern: algebra.Extend, window: int | None, steps: tuple[Step, ...]) -> PlanNode:
        below, tests = self._judged(
            pattern.pattern, pattern.expression, pattern.variable, window, steps, judges=bool(steps)
        )
        return self._above(
            ExtendPlan, "bind", pattern, window, below, pattern.variable, pattern.expression, below, tests
        )

    def _judged(
        self,
        pattern: algebra.Pattern,
        expression: algebra.Expression,
        variable: algebra.Variable | None,
        window: int | None,
        steps: tuple[Step, ...],
        *,
        judges: bool,
    ) -> tuple[PlanNode, tuple[ExistsPlan, ...]]:
        """The plan of ``pattern`` and the tests of ``expression`` on its solutions.

        They wait for the tests; where pairs are judged by the expression, what chooses them waits already.
        """
        if judges:
            schema = self._schema(pattern)
            tests = self.tests(expression, schema)
            return self.node(pattern, window, (Step(expression, variable, schema, tests), *steps)), tests
        below = self.node(pattern, window)
        tests = self.tests(expression, below.schema)
        return self._waiting(below, tests), tests

    def tests(
        self, expression: algebra.Expression | None, schema: Schema, depth: int = 0
    ) -> tuple[ExistsPlan, ...]:
        """The plans of the EXISTS of an expression on solutions with the columns of ``schema``."""
        return tuple(self._test(each, schema, depth) for each in algebra.existence_tests(expression))

    def _test(self, exists: algebra.Exists, schema: Schema, depth: int) -> ExistsPlan:
        pattern = late_paths(exists.pattern)
        outside = Outside(frozenset(schema.columns), schema.certain, self._at_instant)
        found = joined(pattern, outside)
        policy, self._policy = self._policy, None  # all combinations count in a test
        if found is None:
            test = self._asked_test(exists, pattern, schema, outside, depth)
        else:
            pattern, condition = found
            test = self._joined_test(exists, pattern, schema)
            columns = tuple(dict.fromkeys((*schema.columns, *test.node.schema.columns)))
            both = Schema(columns, schema.certain | test.node.schema.certain)
            within = self.tests(condition, both, depth + 1)
            age = None if depth else age_bound(condition, schema.ends)  # it looks up to now
            if _of_one_element(test.node, schema) or test.at_instant:
                age = Age(1, of_start=False)
            test = replace(test, condition=condition, depth=depth, tests=within, age=age)
        self._policy = policy
        return test

    def _joined_test(self, exists: algebra.Exists, pattern: algebra.Pattern, schema: Schema) -> ExistsPlan:
        node = self.node(pattern, None)
        common = [each for each in node.schema.columns if each in schema]
        join = tuple(each for each in common if each in node.schema.certain & schema.certain)
        shared = tuple(each for each in common if each not in join)
        at_instant = any(isinstance(each, SnapshotPlan) for each in walk(node))
        age = Age(1, of_start=False) if at_instant else None
        return ExistsPlan(self.name("exists"), exists, node, join, shared, age=age, at_instant=at_instant)

    def _asked_test(
        self, exists: algebra.Exists, pattern: algebra.Pattern, schema: Schema, outside: Outside, depth: int
    ) -> ExistsPlan:
        """The plan of a test for which joining is not substituting."""
        spoken_of = algebra.mentioned_variables(pattern)
        substituted = tuple(each for each in schema.columns if each in spoken_of)
        asking = Asking(self, outside, substituted, schema.ends, depth + 1)
        node = asking.node(pattern, frozenset(substituted))
        return ExistsPlan(
            self.name("exists"), exists, node, (), (),
            substituted=substituted, depth=depth, tests=tuple(asking.found),
        )  # fmt: skip

    def _waiting(self, node: PlanNode, tests: tuple[ExistsPlan, ...]) -> PlanNode:
        if not tests:
            return node
        node = self.with_interval(node)
        name, span = self.name("wait"), tests[0].expression.span
        return WaitPlan(name, node.schema, node.window, node.eventful, node.timeless, span, node, tests)

    def _minus(self, pattern: algebra.Minus, window: int | None) -> PlanNode:
        """A filter: no solution of the right side is compatible and has a variable in common."""
        left = self.node(pattern.left, window)
        exists = algebra.Exists(pattern.right, span=pattern.span)
        policy, self._policy = self._policy, None  # all combinations count
        test = self._joined_test(exists, pattern.right, left.schema)
        self._policy = policy
        own = set(test.join) | set(test.shared)
        if not own - pattern.ignored:
            return left
        overlap = not set(test.join) - pattern.ignored
        test = replace(test, is_minus=True, overlap=overlap)
        below = self._waiting(left, (test,))
        absent = algebra.Apply("!", (exists,), span=pattern.span)
        return self._above(FilterPlan, "minus", pattern, window, below, absent, below, (test,))

    # ---- paths and groups -------------------------------------------------------------------------------

    def _closure(self, pattern: algebra.Closure, window: int | None) -> ClosurePlan:
        below = self.node(pattern.pattern, window)
        timeless = below.timeless or pattern.zero
        return ClosurePlan(
            self.name("path"), self._schema(pattern), window, below.eventful, timeless, pattern.span,
            pattern, below, self._at_instant,
        )  # fmt: skip

    def _group(self, pattern: algebra.Group) -> GroupPlan:
        below = self.with_interval(self.node(pattern.pattern, None))
        stepwise = isinstance(pattern.window, RangeWindow) and pattern.window.step is not None
        always = self._at_instant and (stepwise or not pattern.keys)
        timeless = below.timeless or not (pattern.keys or below.eventful)  # that nothing can match is counted
        return GroupPlan(
            self.name("group"), self._schema(pattern), None, below.eventful, timeless, pattern.span,
            pattern.keys, pattern.aggregates, pattern.window, below, always,
        )  # fmt: skip

    # ---- pairs ------------------------------------------------------------------------------------------

    def _pair(self, pattern: algebra.Pair, window: int | None, steps: tuple[Step, ...]) -> PlanNode:
        operator, condition = pattern.operator, pattern.condition
        left, right = (
            self.node(pattern.side(each), window if operator.keeps_window(each) else None) for each in Side
        )
        left, right = self._timed(operator, left, right)
        both = _both(left.schema, right.schema)
        tests = (*self.tests(condition, both), *(test for step in steps for test in step.tests))
        left, right = self._completing(operator, left, right, tests)
        eventful, timeless = _origins(operator, left, right)
        common = [each for each in left.schema.columns if each in right.schema and each != algebra.CHANGE]
        certain = left.schema.certain & right.schema.certain
        join = tuple(each for each in common if each in certain)
        asks = None
        if operator.same_interval and left.eventful and self._policy is None:
            right, asks = on_demand(right, join, left)
        pair = Pair(
            self.name(operator.word.lower().replace(" ", "_")), self._schema(pattern),
            window, eventful, timeless, pattern.span, operator, left, right, condition,
            join, tuple(each for each in common if each not in certain), tests, asks, self._policy, steps,
            is_open(pattern.left), anti=self._policy is None and pattern.anti,
        )  # fmt: skip
        return with_gap(pair)

    def _between(self, pattern: algebra.Gap, window: int | None) -> PlanNode:
        left = None if pattern.left is None else self.node(pattern.left, window)
        right = self.node(pattern.right, window)
        if left is None:
            right = self.with_interval(right)
        none = self.node(pattern.none, None if left is None else window)
        around = right.schema if left is None else _both(left.schema, right.schema)
        step_tests = self.tests(pattern.step, around)
        tests = self.tests(pattern.condition, _both(around, none.schema))
        right = self._waiting(right, (*step_tests, *tests))
        eventful = right.eventful and (left is None or left.eventful)
        return BetweenPlan(
            self.name("between"), self._schema(pattern), window, eventful, False, pattern.span,
            left, none, right, pattern.operator, pattern.step, pattern.condition, pattern.length,
            pattern.word, tests, step_tests,
        )  # fmt: skip

    def _absence(self, pattern: algebra.Absence) -> PlanNode:
        left = self.with_interval(self.node(pattern.left, None))
        none: PlanNode | None = None
        tests: tuple[ExistsPlan, ...] = ()
        if pattern.none is not None:
            none = self.node(pattern.none, None)
            tests = self.tests(pattern.condition, _both(left.schema, none.schema))
            none = self._waiting(none, tests)
        return AbsencePlan(
            self.name("absence"), self._schema(pattern), None, left.eventful, False, pattern.span,
            left, none, pattern.condition, pattern.length, pattern.from_start, tests,
        )  # fmt: skip

    def _repeat(self, pattern: algebra.Repeat, window: int | None) -> PlanNode:
        if pattern.longest and pattern.left is None:
            window = None  # a run that began too early still decides that its ends are not the longest

        def planned(part: algebra.Pattern | None) -> PlanNode | None:
            return None if part is None else self.with_interval(self.node(part, window))

        left, then = planned(pattern.left), planned(pattern.then)
        group = self.with_interval(self.node(pattern.group, window))
        before = Schema((), frozenset()) if left is None else left.schema
        counted = _both(_both(before, group.schema), _of_aggregates(pattern.running))
        tests = self.tests(pattern.condition, counted)
        group = self._waiting(group, tests)
        then_tests: tuple[ExistsPlan, ...] = ()
        last_tests: tuple[ExistsPlan, ...] = ()
        last = planned(pattern.last_scope)
        if then is not None:
            shared = Schema(pattern.shared, frozenset())
            run = _both(_both(before, shared), _both(_of_aggregates(pattern.measures), then.schema))
            then_tests = self.tests(pattern.then_condition, run)
            between = Schema((), frozenset()) if last is None else last.schema
            last_tests = self.tests(pattern.last_condition, _both(run, between))
            then = self._waiting(then, (*then_tests, *last_tests))
        around = (each.eventful for each in (left, then) if each is not None)
        has_one = pattern.low == 0 or pattern.begun is not None
        eventful = all(around) and (group.eventful or has_one)
        return RepeatPlan(
            self.name("repeat"), self._schema(pattern), window, eventful, False, pattern.span,
            left, group, then, planned(pattern.scope), planned(pattern.first_scope),
            last, pattern, tests, then_tests, last_tests,
        )  # fmt: skip

    def _completing(
        self, operator: Operator, left: PlanNode, right: PlanNode, tests: tuple[ExistsPlan, ...]
    ) -> tuple[PlanNode, PlanNode]:
        """The sides, where those that complete pairs before the instant closes wait for the tests."""
        if operator.earlier is Side.LEFT or (operator is JOIN and not left.eventful):
            return left, self._waiting(right, tests)
        if operator.earlier is Side.RIGHT or (operator is JOIN and not right.eventful):
            return self._waiting(left, tests), right
        return left, right

    def _timed(self, operator: Operator, left: PlanNode, right: PlanNode) -> tuple[PlanNode, PlanNode]:
        """In a run at one instant: the sides whose solutions must be at an instant to take part."""
        if operator is JOIN and self._at_instant:
            return self._nodes_known(left, right), self._nodes_known(right, left)
        together = operator.needs_times and operator.holds_at_one_instant
        if together or operator.kept is Side.LEFT:
            left = self.with_interval(left)
        if together or operator.kept is Side.RIGHT:
            right = self.with_interval(right)
        return left, right

    def _nodes_known(self, side: PlanNode, other: PlanNode) -> PlanNode:
        """A side of a join that, asked as soon as the other has a solution, knows all nodes that matter.

        A path from each node to itself waits for all nodes, unless the other side says that its end is one.
        """
        paths = paths_of_nodes(side) if side.timeless and other.eventful else ()
        known = node_variables(other) if paths else frozenset()
        if all(known & {each.path.subject, each.path.object} for each in paths):
            return side
        return self.with_interval(side)


def _read_above(node: PlanNode) -> PlanNode:
    """Groups of changes whose rows need not be kept a second time, to be given at each instant."""
    if not isinstance(node, GroupPlan) or not node.of_changes or not node.keys:
        return node
    snapshots = [each for each in walk(node) if isinstance(each, SnapshotPlan)]
    if any(each.always or each.newest is not None for each in snapshots):
        return node
    return replace(node, read_above=True)


def _beginnings(node: PlanNode) -> PlanNode:
    """``node``, which hears no ends, above lives that tell none."""
    if isinstance(node, SnapshotPlan):
        below, told = node.input, replace(node, ends_heard=False)
        if not (told.tells_at_once and isinstance(below, ClosurePlan) and below.path.alive) or below.timeless:
            return with_pairs_told(told)
        return replace(told, input=replace(below, tells_beginnings=True))  # it knows the lives of its walks
    assert isinstance(node, ChangesPlan | ProjectPlan | FilterPlan | ExtendPlan)
    return replace(node, input=_beginnings(node.input))


def _balanced(union: algebra.Union) -> algebra.Union:
    """The same with a depth that is small: a solution goes through one operator for each level."""
    ways = list(_ways(union))
    if len(ways) <= 3:  # it has that depth
        return union
    half = (len(ways) + 1) // 2
    left, right = (algebra.united(each, union.span) for each in (ways[:half], ways[half:]))
    return replace(union, left=left, right=right)


def _ways(pattern: algebra.Pattern) -> Iterator[algebra.Pattern]:
    """The patterns of which any gives a solution, without recursion."""
    todo = [pattern]
    while todo:
        each = todo.pop()
        if isinstance(each, algebra.Union):
            todo += (each.right, each.left)
        else:
            yield each


def _both(some: Schema, others: Schema) -> Schema:
    """The columns of two sides."""
    columns = tuple(dict.fromkeys((*some.columns, *others.columns)))
    return Schema(columns, some.certain | others.certain)


def _of_aggregates(aggregates: Iterable[algebra.Aggregate]) -> Schema:
    """What is said of iterations; an aggregate may have no value."""
    return Schema(tuple(each.variable for each in aggregates), frozenset())


def _of_one_element(node: PlanNode, schema: Schema) -> bool:
    """Whether the solutions of ``node`` belong to the element of those with ``schema``: they end together."""
    places = (each.pattern.place for each in walk(node) if isinstance(each, Scan))
    return any(place is not None and place.element in schema.certain for place in places)


def _origins(operator: Operator, left: PlanNode, right: PlanNode) -> tuple[bool, bool]:
    """Whether the stream, and whether background alone, can give solutions of a pair."""
    kept = operator.kept
    if kept is not None:
        node = left if kept is Side.LEFT else right
        return node.eventful, node.timeless
    both = left.eventful and right.eventful
    if operator.needs_times:
        return both, False
    mixed = (left.eventful and right.timeless) or (left.timeless and right.eventful)
    return both or mixed, left.timeless and right.timeless
