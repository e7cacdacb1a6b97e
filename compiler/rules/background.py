"""The backward-chaining rules: solutions that background alone gives, found on demand.

``<node>_background(Columns...)`` enumerates them; a join calls it with its join variables bound, so that
the background's own indexing finds them. Such a solution has no interval: time functions are errors.
"""

from __future__ import annotations

from typing_extensions import assert_never

from etalis_py.compiler.algebra.scope import is_drawn
from etalis_py.compiler.plan.plan import (
    ClosurePlan,
    DistinctPlan,
    ExtendPlan,
    FilterPlan,
    GapPlan,
    GraphNamesPlan,
    GroupPlan,
    InstantPlan,
    OrderPlan,
    Pair,
    PartPlan,
    PlanNode,
    ProjectPlan,
    Scan,
    SlicePlan,
    TablePlan,
    UnionPlan,
    UnitPlan,
    WaitPlan,
)
from etalis_py.compiler.plan.trace_columns import is_trace
from etalis_py.compiler.rules.names import timeless_name
from etalis_py.compiler.rules.pair_sides import PairSides
from etalis_py.compiler.rules.path import PathRules
from etalis_py.compiler.rules.prolog_terms import (
    EMPTY_LIST,
    TRUE,
    UNBOUND,
    Atom,
    Compound,
    Number,
    Term,
    Var,
    conjunction,
    if_then_else,
    list_term,
    rdf_term,
    soft_if,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import Rule, RuleKind, VariableNames
from etalis_py.compiler.rules.settled import aggregate_terms, group_terms, order_term
from etalis_py.compiler.rules.single import SingleRules, extend_goal, filter_goal
from etalis_py.compiler.rules.trace_goals import SingleTraces

__all__ = ["BackgroundRules"]

_ROWS, _ORDERED = Var("Rows"), Var("Ordered")


class BackgroundRules:
    """Generates the background rules of one query's nodes."""

    def __init__(self, names: VariableNames) -> None:
        self._names = names
        self._single = SingleRules(names)
        self._traces = SingleTraces(names)

    def rules(self, node: PlanNode) -> list[Rule]:
        """The clauses of ``<node>_background``; none where background alone gives nothing."""
        if not node.timeless:
            return []
        if isinstance(node, ClosurePlan):
            return PathRules(node, self._names).timeless()
        return [
            Rule(RuleKind.TIMELESS, struct(timeless_name(node), *columns), body, node.span)
            for columns, body in self._clauses(node)
        ]

    def _goal(self, node: PlanNode) -> Term:
        return struct(timeless_name(node), *self._single.columns(node))

    def _clauses(self, node: PlanNode) -> list[tuple[tuple[Term, ...], Term]]:
        columns = self._single.columns(node)
        match node:
            case UnitPlan() | TablePlan() | GraphNamesPlan() | Scan():
                return self._leaf(node)
            case FilterPlan(input=below, condition=condition):
                goal = conjunction(self._goal(below), filter_goal(node, self._names, None))
                return [self._drawn(node, goal) if is_drawn(condition) else (columns, goal)]
            case ExtendPlan(input=below, expression=expression):
                goal = conjunction(self._goal(below), extend_goal(node, self._names, None))
                return [self._drawn(node, goal) if is_drawn(expression) else (columns, goal)]
            case ProjectPlan(input=below):
                return [(self._single.padded(below, node), self._goal(below))]
            case DistinctPlan(input=below):
                return [(columns, self._distinct(node, below))]
            case UnionPlan(left=left, right=right):
                sides = [side for side in (left, right) if side.timeless]
                return [(self._single.padded(side, node), self._goal(side)) for side in sides]
            case WaitPlan() | OrderPlan() | SlicePlan() | GroupPlan():
                return [(columns, self._settled(node))]
            case Pair():
                return [self._pair(node)]
            case ClosurePlan() | InstantPlan() | GapPlan() | PartPlan():
                return []
            case _:
                assert_never(node)

    def _distinct(self, node: DistinctPlan, below: PlanNode) -> Term:
        row = struct("row", *(self._names(each) for each in node.schema.columns if not is_trace(each)))
        hidden = [self._names(each) for each in node.schema.columns if is_trace(each)]
        if not hidden:
            return struct("distinct_solution", row, self._goal(below))
        return struct("distinct_traced_solution", row, struct("why", *hidden), self._goal(below))

    def _drawn(self, node: FilterPlan | ExtendPlan, goal: Term) -> tuple[tuple[Term, ...], Term]:
        """What would be another solution each time is found once and kept."""
        columns = tuple(self._names(each, "D") for each in node.schema.columns)
        kept, row = struct("row", *columns), struct("row", *self._single.columns(node))
        return columns, struct("drawn_once", Atom(node.name), kept, row, goal)

    def _settled(self, node: WaitPlan | OrderPlan | SlicePlan | GroupPlan) -> Term:
        """What need not wait here: all that background gives is known."""
        match node:
            case WaitPlan(input=below):
                return self._goal(below)
            case OrderPlan(input=below):
                return self._ordered(node, below)
            case SlicePlan(input=below):
                return self._sliced(node, below)
            case GroupPlan():
                return self._grouped(node)
            case _:
                assert_never(node)

    def _leaf(
        self, node: UnitPlan | TablePlan | GraphNamesPlan | Scan
    ) -> list[tuple[tuple[Term, ...], Term]]:
        match node:
            case UnitPlan():
                return [(self._single.columns(node), self._traces.unit(node))]
            case TablePlan(rows=rows):
                return [
                    ((*map(rdf_term, row), *self._traces.row(node, number)), TRUE)
                    for number, row in enumerate(rows, 1)
                ]
            case GraphNamesPlan(graph=graph):
                term = self._single.term(graph)
                found = struct("named_graph", term)
                return [(self._single.columns(node), conjunction(found, self._traces.graph(node, term)))]
            case Scan():
                told = self._traces.background(node, tuple(map(self._single.term, node.pattern.terms)))
                return [(self._single.columns(node), conjunction(self._scan(node), told))]
            case _:
                assert_never(node)

    def _scan(self, node: Scan) -> Term:
        pattern = node.pattern
        terms = tuple(self._single.term(each) for each in pattern.terms)
        if pattern.graph is not None:
            return struct("named_triple", self._single.term(pattern.graph), *terms)
        if pattern.sources is None:
            found = struct("background", *terms)
        else:
            found = struct("merged_triple", list_term(tuple(map(Atom, pattern.sources))), *terms)
        if not node.once:
            return found
        return conjunction(found, struct("\\+", struct("instant_triple", *terms)))

    def _apart(self, node: PlanNode) -> tuple[Term, tuple[Term, ...]]:
        """All solutions of ``node``, whatever is known of its columns: a row depends on the others."""
        columns = tuple(self._names(each, "D") for each in node.schema.columns)
        return struct(timeless_name(node), *columns), columns

    def _ordered(self, node: OrderPlan, below: PlanNode) -> Term:
        goal, columns = self._apart(below)
        timeless = Atom("timeless")
        return conjunction(
            struct("findall", struct("row", timeless, *columns), goal, _ROWS),
            struct("rows_in_order", order_term(node.keys, node.schema), _ROWS, _ORDERED),
            struct("member", struct("row", timeless, *self._single.columns(below)), _ORDERED),
        )

    def _sliced(self, node: SlicePlan, below: PlanNode) -> Term:
        goal, columns = self._apart(below)
        if node.offset:
            goal = struct("offset", Number(node.offset), goal)
        if node.limit is not None:
            goal = struct("limit", Number(node.limit), goal)
        return conjunction(goal, *map(unify, self._single.columns(below), columns))

    def _grouped(self, node: GroupPlan) -> Term:
        key, arguments = group_terms(node, self._names)
        row_key = struct("key", *(self._names(each, "M") for each in node.keys))
        values = Compound("values", tuple(self._names(each.variable) for each in node.aggregates))
        count, aggregates = Number(len(node.keys)), aggregate_terms(node)
        always = not node.keys and not node.input.eventful  # nothing will ever come, and that is counted
        return conjunction(
            struct("findall", struct("-", key, arguments), self._goal(node.input), _ROWS),
            TRUE if always else struct("\\==", _ROWS, EMPTY_LIST),
            struct("group_row_of_list", count, aggregates, _ROWS, row_key, values),
            *(unify(self._names(each), self._names(each, "M")) for each in node.keys),
        )

    def _pair(self, pair: Pair) -> tuple[tuple[Term, ...], Term]:
        operator = pair.operator
        if operator.optional is not None:
            kept = pair.side(operator.optional.other)
            if operator.needs_times or not pair.side(operator.optional).timeless:
                return self._single.padded(kept, pair), self._goal(kept)
            left, match_right = self._sides(pair)
            found = conjunction(left, soft_if(match_right, TRUE, self._alone(pair)))
            return self._single.columns(pair), found
        left, right = self._sides(pair)
        found = conjunction(left, right)
        if pair.left_is_open and not pair.shared:
            columns = (list_term(self._single.columns(side)) for side in (pair.left, pair.right))
            found = if_then_else(struct("only_second_known", *columns), conjunction(right, left), found)
        return self._single.columns(pair), found

    def _sides(self, pair: Pair) -> tuple[Term, Term]:
        """The goal of the left side, and that of the right side which agrees with it."""
        sides = PairSides(pair, self._names)
        found = conjunction(
            sides.handed_over(to_left=False),
            struct(timeless_name(pair.right), *sides.right.values()),
            sides.merged(),
            sides.condition(None, ends=None),
        )
        return struct(timeless_name(pair.left), *sides.left.values()), found

    def _alone(self, pair: Pair) -> Term:
        """What the columns are where the optional side has nothing to give."""
        left = PairSides(pair, self._names).left
        return conjunction(
            *(
                unify(self._names(each), left.get(each, UNBOUND))
                for each in pair.schema.columns
                if each not in pair.join
            )
        )
