"""The rules of an EXISTS that is evaluated for the solution tested, with its values substituted.

``<node>_asked(Until, Values..., Start, End, Columns...)`` enumerates the solutions of a node that end no
later than ``Until``, top down: columns may be bound, and what is kept of the parts is found by them. A column
whose variable has a value from outside has that value in every solution. What background alone gives has an
interval that starts after its end, the neutral element of the hull.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from etalis_py.compiler.algebra.algebra import Closure, Variable
from etalis_py.compiler.algebra.operators import Endpoint, Side
from etalis_py.compiler.plan.plan import (
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    Pair,
    PartPlan,
    PlanNode,
    ProjectPlan,
    UnionPlan,
    asked_inputs,
)
from etalis_py.compiler.plan.trace_columns import TraceKind, is_trace, trace_column
from etalis_py.compiler.rules.exists import NEVER, ExistsRules, expressions_with
from etalis_py.compiler.rules.expression_goals import ExpressionCompiler, Scope
from etalis_py.compiler.rules.names import asked_name
from etalis_py.compiler.rules.pair_sides import PairSides
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    UNBOUND,
    Number,
    Term,
    Var,
    conjunction,
    either,
    hand_over,
    soft_if,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import END, START, Rule, RuleKind, RuleSet, VariableNames
from etalis_py.compiler.rules.trace_goals import packing_of
from etalis_py.compiler.rules.writing import rule, timeless

__all__ = ["asked_rules"]

_UNTIL, _ANY = Var("Until"), Var("_")
_LEFT = (Var("Start1"), Var("End1"))
_RIGHT = (Var("Start2"), Var("End2"))
_OWN = (START, END)


def asked_rules(test: ExistsPlan, names: VariableNames) -> RuleSet:
    """The clauses of all nodes of the group that ``test`` evaluates for the solution tested."""
    assert test.substituted is not None
    return RuleSet(tuple(_Group(test, test.substituted, names).clauses(test.node)))


class _Group:
    """The group of one test, or what of it sees the values of ``substituted``."""

    def __init__(self, test: ExistsPlan, substituted: tuple[Variable, ...], names: VariableNames) -> None:
        self._substituted = substituted
        self._test = test
        self._names = names

    def clauses(self, node: PlanNode) -> Iterator[Rule]:
        """Those of ``node`` and of all below it."""
        yield from self._of(node)
        for below in asked_inputs(node):
            yield from self._below(node).clauses(below)

    def _below(self, node: PlanNode) -> _Group:
        """What is below ``node``: the values of variables that it does not show are not for what is below."""
        if not isinstance(node, ProjectPlan):
            return self
        seen = tuple(each for each in self._substituted if each in node.schema)
        return _Group(self._test, seen, self._names)

    def _of(self, node: PlanNode) -> Iterator[Rule]:
        match node:
            case PartPlan():
                yield from self._part(node)
            case Pair():
                yield self._rule(node, self._pair(node))
            case UnionPlan(left=left, right=right):
                yield self._passed(node, left)
                yield self._passed(node, right)
            case ProjectPlan(input=below):
                yield self._passed(node, below)
            case FilterPlan(tests=(ExistsPlan(is_minus=True) as test,)):
                yield self._rule(node, self._minus(node, test))
            case FilterPlan(input=below, condition=condition):
                judged = self._expressions(node).condition(condition)
                yield self._rule(node, self.goal(below), judged)
            case ExtendPlan(input=below):
                yield self._rule(node, self.goal(below), self._value(node))
            case _:
                raise AssertionError("no operator of such a group")

    def _passed(self, node: UnionPlan | ProjectPlan, below: PlanNode) -> Rule:
        columns = (
            self._names(each) if each in below.schema else self._absent(each) for each in node.schema.columns
        )
        return self._rule(node, self._below(node).goal(below), columns=columns)

    def _rule(self, node: PlanNode, *goals: Term, columns: Iterable[Term] | None = None) -> Rule:
        return rule(RuleKind.ASKING, node, self.goal(node, columns), *goals)

    def goal(
        self,
        node: PlanNode,
        columns: Iterable[Term] | None = None,
        interval: tuple[Term, Term] = _OWN,
    ) -> Term:
        """The goal that finds solutions of ``node``, and the head of its clauses."""
        values = (self._from_outside(each) for each in self._substituted)
        own = self._names.columns(node) if columns is None else columns
        return struct(asked_name(node), _UNTIL, *values, *interval, *own)

    def _from_outside(self, variable: Variable) -> Var:
        return self._names(variable, "S")

    def _absent(self, variable: Variable) -> Term:
        """What a solution that does not bind a variable has for it."""
        return self._from_outside(variable) if variable in self._substituted else UNBOUND

    # ---- parts --------------------------------------------------------------------------------------------

    def _part(self, node: PartPlan) -> Iterator[Rule]:
        part = next(each for each in self._test.tests if each.is_part and each.name == node.part)
        kept = {each: self._kept(each, part) for each in node.schema.columns}
        witness = trace_column(TraceKind.WITNESS, part.name)
        kept[trace_column(TraceKind.PACKED, part.name)] = kept.get(witness, _ANY)
        known = (self._known(each, part) for each in node.schema.columns)
        agree = (
            struct("compatible", self._from_outside(each), kept[each], self._names(each))
            for each in node.schema.columns
            if each in self._substituted and each not in part.node.schema.certain
        )
        before, after = conjunction(*known), conjunction(*agree)
        if part.node.eventful:
            found = ExistsRules(part, self._names).points.point(kept.__getitem__, START, END)
            in_time = struct("=<", END, _UNTIL)
            start = TRUE if part.is_timed else unify(START, END)  # which is not asked for
            yield self._rule(node, before, found, in_time, start, after)
        if part.node.timeless:
            found = timeless(part.node, tuple(kept.get(each, _ANY) for each in part.node.schema.columns))
            yield self._rule(node, before, found, _always(node), after)
        if node.path is not None:
            yield from self._staying(node, node.path)
        if not part.node.eventful and not part.node.timeless:
            yield self._rule(node, FAIL)

    def _kept(self, variable: Variable, part: ExistsPlan) -> Term:
        """The value that the part has for a column; one from outside may take its place."""
        if variable in self._substituted and variable not in part.node.schema.certain:
            return self._names(variable, "E")
        return self._names(variable)

    def _known(self, variable: Variable, part: ExistsPlan) -> Term:
        """Give a column that the part always binds the value from outside, before it is looked for."""
        if variable not in self._substituted or variable not in part.node.schema.certain:
            return TRUE
        value = self._from_outside(variable)
        own = self._names(variable)
        return unify(own, value) if variable in part.join else hand_over(value, own)

    def _staying(self, node: PartPlan, path: Closure) -> Iterator[Rule]:
        """A walk of no step from a term that is substituted, be it in the graph or not."""
        ends = (path.subject, path.object)
        given = [each for each in node.schema.columns if each in self._substituted]
        bound = either(*(struct("\\==", self._from_outside(each), UNBOUND) for each in given if each in ends))
        handed = (hand_over(self._from_outside(each), self._names(each)) for each in given)
        graph = () if path.graph is None else (struct("named_graph", self._names.term(path.graph)),)
        same = unify(*map(self._names.term, ends))
        untold = (unify(self._names(each), UNBOUND) for each in node.schema.columns if is_trace(each))
        goals = (bound, *handed, same, *graph, *untold, _always(node))
        yield self._rule(node, *goals)

    # ---- operators ----------------------------------------------------------------------------------------

    def _pair(self, pair: Pair) -> Term:
        sides = PairSides(pair, self._names)
        left = self.goal(pair.left, sides.left.values(), _LEFT)
        right = self.goal(pair.right, sides.right.values(), _RIGHT)
        (start1, end1), (start2, end2) = _LEFT, _RIGHT
        hull = conjunction(
            struct("is", START, struct("min", start1, start2)), struct("is", END, struct("max", end1, end2))
        )
        timed = conjunction(struct("=<", start1, end1), struct("=<", start2, end2))
        operator, optional = pair.operator, pair.operator.optional
        times = dict(zip(Endpoint, (*_LEFT, *_RIGHT), strict=True))
        related = conjunction(
            timed if operator.needs_times else TRUE,
            *(
                struct("=:=" if order == "=" else order, times[first], times[second])
                for first, order, second in operator.relation
            ),
        )
        met = conjunction(related, sides.merged(), self._condition(pair))
        if optional is Side.LEFT:
            found = conjunction(sides.handed_over(to_left=True), left, met)
            return conjunction(right, soft_if(found, hull, self._alone(pair, sides.right, _RIGHT)))
        found = conjunction(sides.handed_over(to_left=False), right, met)
        if optional is Side.RIGHT:
            return conjunction(left, soft_if(found, hull, self._alone(pair, sides.left, _LEFT)))
        return conjunction(left, found, hull)

    def _alone(self, pair: Pair, kept: Mapping[Variable, Var], interval: tuple[Var, Var]) -> Term:
        values = (
            unify(self._names(each), kept[each] if each in kept else self._absent(each))
            for each in pair.schema.columns
            if each not in pair.join
        )
        return conjunction(*map(unify, _OWN, interval), *values)

    def _condition(self, pair: Pair) -> Term:
        """The filter of the optional side; its tests look up to the end of the pair."""
        if pair.condition is None:
            return TRUE
        left = pair.operator.optional is Side.LEFT
        interval, kept = (_LEFT, _RIGHT) if left else (_RIGHT, _LEFT)
        certain = pair.left.schema.certain | pair.right.schema.certain
        scope = self._scope(pair.schema.columns, certain, interval, kept[1])
        return expressions_with(scope, pair.tests, self._names).condition(pair.condition)

    def _scope(
        self,
        columns: tuple[Variable, ...],
        certain: frozenset[Variable],
        interval: tuple[Term, Term],
        ends: Term,
    ) -> Scope:
        outside = {each: self._from_outside(each) for each in self._substituted}
        own = {each: self._names(each) for each in columns}
        return Scope({**outside, **own}, certain, interval, ends, is_timed=False)

    def _expressions(self, node: FilterPlan | ExtendPlan) -> ExpressionCompiler:
        schema = node.input.schema
        return expressions_with(
            self._scope(schema.columns, schema.certain, _OWN, END), node.tests, self._names
        )

    def _value(self, node: ExtendPlan) -> Term:
        """The value of a BIND, which must be that from outside, where there is one."""
        packing = packing_of(node, self._names)
        if packing is not None:
            return packing
        expressions, result = self._expressions(node), self._names(node.variable)
        if node.variable not in self._substituted:
            return expressions.binding(result, node.expression)
        own = self._names(node.variable, "E")
        agree = struct("compatible", self._from_outside(node.variable), own, result)
        return conjunction(expressions.binding(own, node.expression), agree)

    def _minus(self, node: FilterPlan, test: ExistsPlan) -> Term:
        """Solutions of the left side that share no variable with a compatible one of the right side."""
        left, right = node.input.schema, test.node.schema
        keys = left.certain & right.certain
        columns = {each: self._names(each, "" if each in keys else "E") for each in right.columns}
        shared = [each for each in right.columns if each in left and each not in keys]
        handed = (hand_over(self._names(each), columns[each]) for each in shared if each in right.certain)
        agree = (struct("compatible", self._names(each), columns[each], _ANY) for each in shared)
        overlap = either(*(self._both_bind(each, columns[each]) for each in test.shared))
        right_goal = self.goal(test.node, columns.values(), _RIGHT)
        found = conjunction(*handed, right_goal, struct("=<", _RIGHT[1], END), *agree, overlap)
        return conjunction(self.goal(node.input), struct("\\+", found))

    def _both_bind(self, variable: Variable, right: Term) -> Term:
        """Whether a variable is one, and bound on both sides."""
        own = struct("==", self._from_outside(variable), UNBOUND) if variable in self._substituted else TRUE
        values = (self._names(variable), right)
        return conjunction(own, *(struct("\\==", each, UNBOUND) for each in values))


def _always(node: PartPlan) -> Term:
    """The interval of what background alone gives."""
    interval = (_UNTIL, _UNTIL) if node.at_instant else tuple(map(Number, NEVER))
    return conjunction(*map(unify, _OWN, interval))
