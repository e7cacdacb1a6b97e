"""The rules of EXISTS and MINUS: what solutions of the pattern leave behind, and how it is looked up.

Every stored solution ended at or before the one tested: tests are decided when an instant is complete. Only
a test in the condition of another one compares ends, since its solutions may be old. All that counts of a
solution are the variables in common and those of the condition, so one point is kept of each combination
(``points.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from etalis_py.compiler.algebra.algebra import Exists, Variable
from etalis_py.compiler.plan.plan import ExistsPlan
from etalis_py.compiler.plan.trace_columns import TraceKind, trace_column
from etalis_py.compiler.rules.expression_goals import ExpressionCompiler, Scope
from etalis_py.compiler.rules.names import asked_name
from etalis_py.compiler.rules.points import Moment, Points, deciding_moment, needed_columns
from etalis_py.compiler.rules.prolog_terms import (
    TRUE,
    UNBOUND,
    Number,
    Term,
    Var,
    conjunction,
    either,
    hand_over,
    struct,
)
from etalis_py.compiler.rules.rules import RuleSet, VariableNames
from etalis_py.compiler.rules.writing import insertion, own_solution, timeless

__all__ = ["NEVER", "ExistsRules", "expressions_with"]

NEVER = (1 << 62, -(1 << 62))
"""The interval of what background alone gives, where an interval is needed: it starts after its end."""


def expressions_with(
    scope: Scope,
    tests: Sequence[ExistsPlan],
    names: VariableNames,
    numbers: Iterator[int] | None = None,
) -> ExpressionCompiler:
    """A compiler of expressions that may hold ``tests``; ``numbers`` goes on with those of the clause."""
    goals = {test.expression: ExistsRules(test, names) for test in tests}

    def decide(exists: Exists, compiler: ExpressionCompiler) -> Term:
        return goals[exists].goal(compiler)

    return ExpressionCompiler(scope, decide, numbers)


class ExistsRules:
    """Generates the rules of one test."""

    def __init__(self, test: ExistsPlan, names: VariableNames) -> None:
        self._test = test
        self._names = names

    @property
    def points(self) -> Points:
        """What is kept of the solutions of the tested pattern."""
        test, condition = self._test, self._test.condition
        if test.is_part:
            moment = Moment.ALL if test.is_timed else Moment.EARLIEST_END
            return Points(test.name, (*test.join, *test.shared), moment, test.age, self._trace)
        columns = needed_columns(test.node.schema.columns, (*test.join, *test.shared), condition)
        moment = deciding_moment(condition)
        if test.at_instant:
            moment = Moment.LATEST_END
        elif test.depth:  # besides, it must have ended before the solution tested
            moment = Moment.EARLIEST_END if moment in (Moment.NONE, Moment.EARLIEST_END) else Moment.ALL
        return Points(test.name, columns, moment, test.age, self._trace)

    @property
    def _trace(self) -> Variable | None:
        """Of a traced test: the column with what its solutions are made of."""
        column = trace_column(TraceKind.PACKED, self._test.name)
        return column if column in self._test.node.schema else None

    def witness(self, compiler: ExpressionCompiler) -> Term:
        """Tell what the first solution is made of that is met; ``true`` without a trace."""
        if self._trace is None:
            return TRUE
        column = self._names(trace_column(TraceKind.WITNESS, self._test.name))
        return struct("trace_witness", self._names(self._trace, self._found), self.goal(compiler), column)

    @property
    def _found(self) -> str:
        """The side of what the pattern has; a test within the condition of another has one of its own."""
        return "E" * (self._test.depth + 1)

    @property
    def _met_side(self) -> str:
        """The side of what the pattern and the solution tested have together."""
        return "M" * (self._test.depth + 1)

    @property
    def _test_interval(self) -> tuple[Var, Var]:
        number = self._test.depth or ""
        return Var(f"TestStart{number}"), Var(f"TestEnd{number}")

    def rule_set(self) -> RuleSet:
        """What a solution of the tested pattern leaves behind."""
        node = self._test.node
        if not node.eventful:
            return RuleSet()
        points = self.points
        added = insertion(node, own_solution(node, self._names), points.added(self._names))
        return RuleSet((added,), (points.store,))

    def goal(self, compiler: ExpressionCompiler) -> Term:
        """A goal that succeeds, perhaps many times, where the solution that ``compiler`` sees passes."""
        scope = compiler.scope
        if self._test.substituted is not None:
            return self._asked(scope, self._test.substituted)
        ways = []
        if self._test.node.eventful and scope.ends is not None:
            points, (start, end) = self.points, self._test_interval
            lookup = points.point(lambda each: self._inside(each, scope), start, end)
            in_time = struct("=<", end, scope.ends) if self._test.depth else TRUE
            if self._test.at_instant:
                in_time = struct("=:=", end, scope.ends)
            kept = points.interval(start, end)
            interval = kept[0] or scope.ends, kept[1] or scope.ends  # what is not kept it does not speak of
            ways.append(self._met(conjunction(lookup, in_time), compiler, interval))
        if self._test.node.timeless:
            columns = tuple(self._inside(each, scope) for each in self._test.node.schema.columns)
            known = (each for each in self._test.shared if each in self._test.node.schema.certain)
            handed = (hand_over(scope.values[each], self._names(each, self._found)) for each in known)
            lookup = timeless(self._test.node, columns)
            ways.append(self._met(conjunction(*handed, lookup), compiler, None))
        return either(*ways)

    def _asked(self, scope: Scope, substituted: tuple[Variable, ...]) -> Term:
        """Evaluate the group with the values of the solution."""
        until = Number(NEVER[1]) if scope.ends is None else scope.ends
        values = (scope.values[each] for each in substituted)
        columns = (
            self._names(each, self._found) if each == self._trace else Var("_")
            for each in self._test.node.schema.columns
        )
        return struct(asked_name(self._test.node), until, *values, Var("_"), Var("_"), *columns)

    def _inside(self, variable: Variable, scope: Scope) -> Term:
        """The value that the tested pattern's solution has for ``variable``."""
        if variable in self._test.join:
            return scope.values[variable]
        return self._names(variable, self._found)

    def _met(self, lookup: Term, compiler: ExpressionCompiler, interval: tuple[Term, Term] | None) -> Term:
        scope, shared = compiler.scope, self._test.shared
        agree = (
            struct(
                "compatible",
                scope.values[each],
                self._names(each, self._found),
                self._names(each, self._met_side),
            )
            for each in shared
        )
        overlap: Term = TRUE
        if self._test.overlap:
            overlap = either(*(self._both_bound(each, scope) for each in shared))
        return conjunction(lookup, *agree, overlap, self._condition(compiler, interval))

    def _both_bound(self, variable: Variable, scope: Scope) -> Term:
        values = (scope.values[variable], self._names(variable, self._found))
        return conjunction(*(struct("\\==", value, UNBOUND) for value in values))

    def _condition(self, compiler: ExpressionCompiler, interval: tuple[Term, Term] | None) -> Term:
        """The filters of the group that speak of both; time functions speak of the group's interval."""
        condition = self._test.condition
        if condition is None:
            return TRUE
        scope, schema = compiler.scope, self._test.node.schema
        values = dict(scope.values)
        for each in schema.columns:
            if each not in self._test.join:
                values[each] = self._names(each, self._met_side if each in self._test.shared else self._found)
        pair = Scope.of(values, scope.certain | schema.certain, interval)
        return expressions_with(pair, self._test.tests, self._names, compiler.numbers).condition(condition)
