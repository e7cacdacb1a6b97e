"""EXISTS and the solution that it is tested for: where joining with what is stored is substituting.

SPARQL 1.1, section 18.6 evaluates the group with the values of the solution in the place of its variables.
For a variable that the group always binds, joining with the solution comes to the same, and a filter on the
whole group that speaks of others may become a condition of the join. Else the group is evaluated for the
solution (``build_asked.py``).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.algebra import Constant, Expression, Pattern, Variable
from etalis_py.compiler.algebra.scope import certain_variables, is_open
from etalis_py.core.value_class import value_class

__all__ = ["Outside", "joined"]


def joined(pattern: Pattern, outside: Outside) -> tuple[Pattern, Expression | None] | None:
    """The group ``pattern`` and the condition with which joining is substituting; None where it never is."""
    lifting = _Lifting(pattern, outside)
    try:
        found = lifting.node(pattern, at_top=True)
    except _NotLiftedError:
        return None
    if not outside.is_joined(found):
        return None
    return found, algebra.conjoin(lifting.lifted) if lifting.lifted else None


class _NotLiftedError(Exception):
    """A filter speaks of the solution tested and cannot be taken out of the group."""


@value_class
class Outside:
    """The variables of the solution tested, and those of them that it always binds.

    ``at_instant``: the run has one instant, where a path of no step leads from the nodes of the graph only,
    but from any term that is substituted (SPARQL 1.1, section 18.4).
    """

    known: frozenset[Variable]
    certain: frozenset[Variable]
    at_instant: bool

    def showing(self, variables: Collection[Variable]) -> Outside:
        """What a sub-SELECT that shows ``variables`` sees: others are its own (section 18.2.1)."""
        return Outside(
            self.known.intersection(variables), self.certain.intersection(variables), self.at_instant
        )

    def unsettled(self, expression: Expression, pattern: Pattern) -> frozenset[Variable]:
        """The variables from outside for which ``expression`` may not see a value on ``pattern`` alone."""
        return (algebra.expression_variables(expression) & self.known) - certain_variables(pattern)

    def is_joined(self, pattern: Pattern, beside: frozenset[Variable] = frozenset()) -> bool:
        """Whether joining with ``pattern`` is substituting in it; ``beside`` it these variables are bound."""
        match pattern:
            case algebra.Project(variables=shown):
                return _groups(pattern.pattern) or self.showing(shown).is_joined(pattern.pattern)
            case algebra.Distinct() | algebra.OrderBy():
                return self.is_joined(pattern.pattern)
            case algebra.Closure():
                return self._is_walked(pattern, beside)
            case algebra.Filter(condition=expression) | algebra.Extend(expression=expression):
                below = pattern.pattern
                return not self.unsettled(expression, below) and self.is_joined(below, beside)
            case algebra.Pair(operator=operators.JOIN, left=left, right=right):
                return self.is_joined(left, beside | _bound_by(right)) and self.is_joined(
                    right, beside | _bound_by(left)
                )
            case algebra.Union(left=left, right=right):
                return self.is_joined(left, beside) and self.is_joined(right, beside)
            case algebra.Pair(operator=operator, left=left, right=right):
                if operator.optional is not None:
                    return self._is_optional(pattern, operator.optional)
                return self.is_joined(left) and self.is_joined(right)
            case algebra.Minus(left=left, right=right):
                return self._is_subtracted(pattern) and self.is_joined(left) and self.is_joined(right)
            case _:  # what chooses, counts or cuts rows looks at all of them
                return True

    def _is_walked(self, path: algebra.Closure, beside: frozenset[Variable]) -> bool:
        """A path of no step stays at what is substituted; else the patterns beside it say where."""
        ends = (path.subject, path.object)
        if not is_open(path) or any(isinstance(each, Constant) for each in ends):
            return True
        if not self.known.intersection(ends):
            return True
        return not self.at_instant and not beside.isdisjoint(ends)

    def _is_optional(self, pattern: algebra.Pair, optional: operators.Side) -> bool:
        sides = (pattern.left, pattern.right)
        if self._knows_alone(pattern.side(optional), pattern.side(optional.other)):
            return False
        if not all(map(self.is_joined, sides)):
            return False
        both = algebra.Pair(operators.JOIN, *sides)
        return pattern.condition is None or not self.unsettled(pattern.condition, both)

    def _is_subtracted(self, pattern: algebra.Minus) -> bool:
        """What is substituted is not a variable in common, and without one nothing is subtracted."""
        right = frozenset(algebra.variables(pattern.right))
        if right.isdisjoint(self.known):
            return True
        common = certain_variables(pattern.left) & certain_variables(pattern.right)
        return not self._knows_alone(pattern.right, pattern.left) and bool(common - self.known)

    def _knows_alone(self, side: Pattern, beside: Pattern) -> bool:
        """Whether ``side`` has a variable from outside that may be unbound ``beside`` it."""
        alone = frozenset(algebra.variables(side)) - certain_variables(beside)
        return not alone.isdisjoint(self.known)


def _groups(pattern: Pattern) -> bool:
    """Whether a sub-SELECT has aggregates."""
    match pattern:
        case algebra.Group():
            return True
        case algebra.Filter() | algebra.Extend() | algebra.OrderBy():
            return _groups(pattern.pattern)
        case algebra.Pair(operator=operators.JOIN):
            return _groups(pattern.left) or _groups(pattern.right)
        case _:
            return False


def _bound_by(pattern: Pattern) -> frozenset[Variable]:
    return frozenset() if is_open(pattern) else certain_variables(pattern)


class _Lifting:
    """Takes filters out of the pattern of one EXISTS."""

    def __init__(self, pattern: Pattern, outside: Outside) -> None:
        self._inside = frozenset(algebra.variables(pattern))
        self._outside = outside
        self.lifted: list[Expression] = []

    def node(self, pattern: Pattern, *, at_top: bool) -> Pattern:
        """``pattern`` without the filters that are lifted."""
        if isinstance(pattern, algebra.Filter):
            return self._filter(pattern, at_top=at_top)
        if isinstance(pattern, algebra.Pair) and pattern.operator.optional is None:
            return algebra.map_children(pattern, lambda side: self.node(side, at_top=False))
        return pattern

    def _filter(self, pattern: algebra.Filter, *, at_top: bool) -> Pattern:
        inner = self.node(pattern.pattern, at_top=at_top)
        staying = []
        for part in algebra.conjuncts(pattern.condition):
            if not self._outside.unsettled(part, pattern.pattern):
                staying.append(part)
            elif at_top or self._keeps_meaning(part, pattern.pattern):
                self.lifted.append(part)
            else:
                raise _NotLiftedError
        if not staying:
            return inner
        return replace(pattern, condition=algebra.conjoin(staying), pattern=inner)

    def _keeps_meaning(self, part: Expression, pattern: Pattern) -> bool:
        """Whether ``part`` means the same on the tested solution paired with one of the whole group."""
        sure = certain_variables(pattern) | self._outside.certain
        return not algebra.uses_time(part) and all(
            each in sure or each not in self._inside for each in algebra.expression_variables(part)
        )
