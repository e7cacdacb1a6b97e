"""The plan of an EXISTS whose group is evaluated for the solution tested, with its values substituted.

The group is cut into the largest parts for which joining is substituting. These are found as they come about
and kept, as anything that EXISTS looks for; the operators above them are evaluated when the test is decided,
top down, each with the values of the solution and with what is known from the operators around it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Expression, Pattern, Variable
from etalis_py.compiler.algebra.correlate import Outside
from etalis_py.compiler.algebra.operators import JOIN, Operator, Side
from etalis_py.compiler.algebra.scope import certain_variables, is_open
from etalis_py.compiler.plan.age import Age, age_bound
from etalis_py.compiler.plan.plan import (
    ExistsPlan,
    ExtendPlan,
    FilterPlan,
    Pair,
    PartPlan,
    PlanNode,
    ProjectPlan,
    Schema,
    UnionPlan,
)

__all__ = ["Asking", "PlanBuilder"]


class PlanBuilder(Protocol):
    """What else the plan of a query is built with."""

    def name(self, kind: str) -> str:
        """A new name."""

    def node(self, pattern: Pattern, window: int | None) -> PlanNode:
        """The plan of a part."""

    def tests(self, expression: Expression | None, schema: Schema, depth: int) -> tuple[ExistsPlan, ...]:
        """The plans of the EXISTS of an expression."""


@dataclass(slots=True)
class Asking:
    """Builds the plan of one group.

    ``substituted`` are the variables of the solution tested that it speaks of; ``depth`` is that of the tests
    within. ``found`` are the tests that it is made of: parts, and the EXISTS of its operators.
    """

    builder: PlanBuilder
    outside: Outside
    substituted: tuple[Variable, ...]
    ends: frozenset[Variable]
    """Of those tested, the variables that hold the end of the solution itself."""
    depth: int
    found: list[ExistsPlan] = field(default_factory=list)
    is_timed: bool = False
    """Operators above ask for the interval of what is planned."""
    hidden: frozenset[Variable] = frozenset()
    """Variables of the solution tested that a sub-SELECT around does not show: those here are others."""

    def node(self, pattern: Pattern, needed: frozenset[Variable], age: Age | None = None) -> PlanNode:
        """The plan of ``pattern``, of whose columns the operators above want to know ``needed``.

        What is older than ``age`` does not matter there.
        """
        if self._is_part(pattern):
            return self._part(pattern, needed, age)
        if not self.is_timed and _asks_for_times(pattern):
            return replace(self, is_timed=True).node(pattern, needed, age)
        match pattern:
            case algebra.Filter(condition=condition):
                return self._filter(pattern, needed | algebra.expression_variables(condition), age)
            case algebra.Extend(variable=variable, expression=expression):
                below = self.node(pattern.pattern, needed | algebra.expression_variables(expression), age)
                tests = self._tests(expression, below.schema)
                return self._above(ExtendPlan, "bind", pattern, variable, expression, below, tests)
            case algebra.Union(left=left, right=right):
                sides = self.node(left, needed, age), self.node(right, needed, age)
                return self._above(UnionPlan, "union", pattern, *sides)
            case algebra.Minus():
                return self._minus(pattern, needed, age)
            case algebra.Closure():
                return self._part(pattern, needed, age)
            case algebra.Distinct() | algebra.OrderBy():  # whether there is a row does not depend on them
                return self.node(pattern.pattern, needed, age)
            case algebra.Project():
                return self._project(pattern, needed, age)
            case algebra.Pair():
                return self._pair(pattern, needed, age)
            case _:
                raise AssertionError(f"joining with {type(pattern).__name__} is substituting")

    def _is_part(self, pattern: Pattern) -> bool:
        """Whether solutions are kept, and not made when they are asked for.

        Sides that have nothing in common are kept apart: nobody needs all their pairs.
        """
        apart = False
        if isinstance(pattern, algebra.Filter | algebra.Extend):
            apart = not self._is_part(pattern.pattern)
        elif isinstance(pattern, algebra.Pair) and pattern.operator is JOIN:
            left, right = pattern.left, pattern.right
            together = certain_variables(left) & certain_variables(right)
            apart = not together or not (self._is_part(left) and self._is_part(right))
            apart = apart and not (is_open(left) or is_open(right))
        return not apart and self.outside.is_joined(pattern)

    # ---- parts --------------------------------------------------------------------------------------------

    def _part(self, pattern: Pattern, needed: frozenset[Variable], age: Age | None) -> PartPlan:
        path = pattern if isinstance(pattern, algebra.Closure) and pattern.zero else None
        if path is not None:
            needed |= frozenset(algebra.variables(path))
        below = self.builder.node(pattern, None)
        columns = [each for each in below.schema.columns if each in needed or each in self.substituted]
        keys = self.outside.certain.intersection(self.substituted) & below.schema.certain
        join = tuple(each for each in columns if each in keys)
        others = tuple(each for each in columns if each not in keys)
        exists = algebra.Exists(pattern, span=pattern.span)
        part = ExistsPlan(
            self.builder.name("part"), exists, below, join, others,
            is_part=True, is_timed=self.is_timed, depth=self.depth, age=age,
        )  # fmt: skip
        self.found.append(part)
        schema = self._schema((*join, *others), below.schema.certain)
        name = self.builder.name("asked")
        at_instant = self.outside.at_instant
        return PartPlan(name, schema, None, False, True, pattern.span, part.name, path, at_instant)

    # ---- operators ----------------------------------------------------------------------------------------

    def _schema(self, columns: tuple[Variable, ...], certain: frozenset[Variable]) -> Schema:
        """Columns of which those that are substituted have that value, if there is one."""
        sure = certain | self.outside.certain.intersection(self.substituted)
        return Schema(columns, sure.intersection(columns))

    def _above(
        self, kind: Callable[..., PlanNode], label: str, pattern: Pattern, *details: object
    ) -> PlanNode:
        inputs = [each for each in details if isinstance(each, _NODES)]
        columns = dict.fromkeys(column for each in inputs for column in each.schema.columns)
        if isinstance(pattern, algebra.Extend):
            columns[pattern.variable] = None
        schema = self._schema(tuple(columns), certain_variables(pattern))
        return kind(self.builder.name(label), schema, None, False, True, pattern.span, *details)

    def _tests(self, expression: Expression | None, schema: Schema) -> tuple[ExistsPlan, ...]:
        """The tests of an expression, which also sees what is substituted."""
        columns = tuple(dict.fromkeys((*schema.columns, *self.substituted)))
        seen = self._schema(columns, schema.certain)
        tests = tuple(
            _not_found_by(self.hidden, each) for each in self.builder.tests(expression, seen, self.depth)
        )
        self.found += tests
        return tests

    def _filter(self, pattern: algebra.Filter, needed: frozenset[Variable], age: Age | None) -> PlanNode:
        age = _narrower(age, age_bound(pattern.condition, self.ends)) if self.depth == 1 else None
        inner = pattern.pattern
        own: list[Expression] = []
        rest: list[Expression] = []
        for part in algebra.conjuncts(pattern.condition):
            settled = self._is_part(inner) and not self.outside.unsettled(part, inner)
            (own if settled else rest).append(part)
        if own:
            inner = algebra.Filter(algebra.conjoin(own), inner, span=pattern.span)
        below = self.node(inner, needed, age)
        condition = algebra.conjoin(rest)
        tests = self._tests(condition, below.schema)
        return self._above(FilterPlan, "filter", pattern, condition, below, tests)

    def _project(self, pattern: algebra.Project, needed: frozenset[Variable], age: Age | None) -> PlanNode:
        shown = pattern.variables
        inside = replace(
            self,
            outside=self.outside.showing(shown),
            substituted=tuple(each for each in self.substituted if each in shown),
            hidden=self.hidden.union(self.substituted).difference(shown),
        )
        below = inside.node(pattern.pattern, needed.intersection(shown), age)
        columns = tuple(each for each in shown if each in below.schema or each in self.substituted)
        schema = self._schema(columns, below.schema.certain)
        return ProjectPlan(self.builder.name("project"), schema, None, False, True, pattern.span, below)

    def _minus(self, pattern: algebra.Minus, needed: frozenset[Variable], age: Age | None) -> PlanNode:
        right = self.node(pattern.right, frozenset(algebra.variables(pattern.left)))
        left = self.node(pattern.left, needed | frozenset(algebra.variables(pattern.right)), age)
        exists = algebra.Exists(pattern.right, span=pattern.span)
        common = tuple(
            each
            for each in right.schema.columns
            if each in left.schema and each not in pattern.ignored and not self._is_substituted(each)
        )
        test = ExistsPlan(
            self.builder.name("minus"), exists, right, (), common, substituted=self.substituted, is_minus=True
        )
        absent = algebra.Apply("!", (exists,), span=pattern.span)
        return self._above(FilterPlan, "minus", pattern.left, absent, left, (test,))

    def _is_substituted(self, variable: Variable) -> bool:
        """Whether the variable is always another's value."""
        return variable in self.substituted and variable in self.outside.certain

    def _pair(self, pattern: algebra.Pair, needed: frozenset[Variable], age: Age | None) -> Pair:
        operator, condition = pattern.operator, pattern.condition
        if condition is not None:
            needed |= algebra.expression_variables(condition)
        ages = self._ages(operator, age)
        first, second = pattern.left, pattern.right
        left = self.node(first, needed | frozenset(algebra.variables(second)), ages[0])
        right = self.node(second, needed | frozenset(algebra.variables(first)), ages[1])
        if operator is JOIN and not is_open(second) and self._is_keyed(right, left):
            left, right = right, left
        columns = tuple(dict.fromkeys((*left.schema.columns, *right.schema.columns)))
        both = self._schema(columns, left.schema.certain | right.schema.certain)
        tests = self._tests(condition, both)
        certain = left.schema.certain & right.schema.certain
        common = [each for each in left.schema.columns if each in right.schema]
        return Pair(
            self.builder.name(operator.word.lower()), self._schema(columns, certain_variables(pattern)),
            None, False, True, pattern.span, operator, left, right, condition,
            tuple(each for each in common if each in certain),
            tuple(each for each in common if each not in certain), tests,
        )  # fmt: skip

    def _is_keyed(self, right: PlanNode, left: PlanNode) -> bool:
        """Whether the right side alone is found by what is substituted."""
        return any(map(self._is_substituted, right.schema.columns)) and not any(
            map(self._is_substituted, left.schema.columns)
        )

    @staticmethod
    def _ages(operator: Operator, age: Age | None) -> tuple[Age | None, Age | None]:
        """What is too old for the pairs is too old for the sides that each has, by its start; ..."""
        if operator.optional is None:
            own = age if age is not None and age.of_start else None
            return own, own
        return (None, age) if operator.optional is Side.LEFT else (age, None)


_NODES = (FilterPlan, ExtendPlan, Pair, PartPlan, ProjectPlan, UnionPlan)


def _asks_for_times(pattern: Pattern) -> bool:
    """Whether the operator on top does more with the intervals of its inputs than to join them."""
    match pattern:
        case algebra.Filter(condition=expression) | algebra.Extend(expression=expression):
            return algebra.uses_time(expression)
        case algebra.Pair(operator=operator):
            return operator is not JOIN
        case algebra.Union() | algebra.Project() | algebra.Distinct() | algebra.OrderBy() | algebra.Closure():
            return False
        case _:
            return True


def _not_found_by(hidden: frozenset[Variable], test: ExistsPlan) -> ExistsPlan:
    """``test`` without ``hidden`` variables as keys: of the solution tested a key of that name is another."""
    if not hidden:
        return test
    within = tuple(_not_found_by(hidden, each) for each in test.tests)
    join = tuple(each for each in test.join if each not in hidden)
    others = tuple(each for each in test.join if each in hidden)
    return replace(test, join=join, shared=(*test.shared, *others), tests=within)


def _narrower(one: Age | None, other: Age | None) -> Age | None:
    found = [each for each in (one, other) if each is not None]
    return min(found, key=lambda each: each.width, default=None)
