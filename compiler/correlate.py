"""EXISTS and the solution that it is tested for: filters inside that speak of variables outside.

SPARQL 1.1, section 18.6 evaluates the group with the solution's values substituted. Joining with the solution
comes to the same for variables that the group binds; a filter that speaks of others is taken out of the group
and becomes the condition of the test. Where that would change what it means, the query is refused.
"""

from __future__ import annotations

from dataclasses import replace

from etalis_py.compiler import algebra
from etalis_py.compiler.algebra import Expression, Pattern, Variable
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.scope import certain_variables

__all__ = ["correlate"]


def correlate(expression: Expression, outside: Pattern, text: QueryText) -> Expression:
    """``expression``, which is evaluated on solutions of ``outside``, with the tests of its EXISTS settled.

    Raises:
        CompileError: EP208, a variable of ``outside`` is used where it cannot be handed in.
    """
    if not algebra.existence_tests(expression):
        return expression
    visible = _Outside(frozenset(algebra.variables(outside)), certain_variables(outside))
    return _settled(expression, visible, text)


class _Outside:
    """The variables of the solution tested, and those of them that it always binds."""

    def __init__(self, known: frozenset[Variable], certain: frozenset[Variable]) -> None:
        self.known = known
        self.certain = certain


def _settled(expression: Expression, outside: _Outside, text: QueryText) -> Expression:
    match expression:
        case algebra.Exists(pattern=pattern):
            return _Lifting(pattern, outside, text).test(expression)
        case algebra.Apply(arguments=arguments):
            return replace(expression, arguments=tuple(_settled(each, outside, text) for each in arguments))
        case _:
            return expression


class _Lifting:
    """Takes filters out of the pattern of one EXISTS."""

    def __init__(self, pattern: Pattern, outside: _Outside, text: QueryText) -> None:
        self._pattern = pattern
        self._inside = frozenset(algebra.variables(pattern))
        self._outside = outside
        self._text = text
        self._lifted: list[Expression] = []

    def test(self, exists: algebra.Exists) -> algebra.Exists:
        before = [] if exists.condition is None else [self._handed_on(exists.condition, self._pattern)]
        pattern = self._node(self._pattern, at_top=True)
        conditions = [*before, *self._lifted]
        return replace(exists, pattern=pattern, condition=algebra.conjoin(conditions) if conditions else None)

    def _handed_on(self, expression: Expression, pattern: Pattern) -> Expression:
        """``expression`` on solutions of ``pattern``: an EXISTS in it sees what is outside of this one."""
        known = self._outside.known | frozenset(algebra.variables(pattern))
        certain = self._outside.certain | certain_variables(pattern)
        return _settled(expression, _Outside(known, certain), self._text)

    def _node(self, pattern: Pattern, *, at_top: bool) -> Pattern:
        match pattern:
            case algebra.Filter():
                return self._filter(pattern, at_top=at_top)
            case algebra.Join() | algebra.SeqJoin() | algebra.EqualsJoin():
                left, right = self._node(pattern.left, at_top=False), self._node(pattern.right, at_top=False)
                return replace(pattern, left=left, right=right)
            case algebra.Extend():
                self._refuse_foreign(pattern.expression, pattern.pattern)
                return replace(pattern, pattern=self._node(pattern.pattern, at_top=False))
            case _:
                self._check(pattern)
                return pattern

    def _filter(self, pattern: algebra.Filter, *, at_top: bool) -> Pattern:
        inner = self._node(pattern.pattern, at_top=at_top)
        staying = []
        for part in algebra.conjuncts(self._handed_on(pattern.condition, pattern.pattern)):
            foreign = self._foreign(part, pattern.pattern)
            if not foreign:
                staying.append(part)
            elif self._keeps_meaning(part, foreign, pattern.pattern, at_top=at_top):
                self._lifted.append(part)
            else:
                self._refuse(foreign, part)
        if not staying:
            return inner
        return replace(pattern, condition=algebra.conjoin(staying), pattern=inner)

    def _foreign(self, expression: Expression, pattern: Pattern) -> frozenset[Variable]:
        """Variables of the solution tested that ``pattern``, where the expression stands, does not have."""
        own = frozenset(algebra.variables(pattern))
        return (algebra.expression_variables(expression) & self._outside.known) - own

    def _keeps_meaning(
        self, part: Expression, foreign: frozenset[Variable], pattern: Pattern, *, at_top: bool
    ) -> bool:
        """Whether ``part`` means the same on the tested solution paired with one of the whole group."""
        if at_top:
            return True
        certain = certain_variables(pattern)
        return not algebra.uses_time(part) and all(
            each in certain or each not in self._inside or (each in foreign and each in self._outside.certain)
            for each in algebra.expression_variables(part)
        )

    # ---- where nothing can be handed in -------------------------------------------------------------------

    def _check(self, pattern: Pattern) -> None:
        """Refuse variables from outside in a part from which no filter can be taken."""
        match pattern:
            case algebra.Filter(condition=condition, pattern=inner):
                self._refuse_foreign(condition, inner)
                self._check(inner)
            case algebra.Extend(expression=expression, pattern=inner):
                self._refuse_foreign(expression, inner)
                self._check(inner)
            case algebra.Project() | algebra.Group():
                return  # a sub-SELECT has variables of its own (SPARQL 1.1, section 18.2.1)
            case (
                algebra.Distinct(pattern=inner)
                | algebra.OrderBy(pattern=inner)
                | algebra.Slice(pattern=inner)
            ):
                self._check(inner)
            case algebra.Optional() | algebra.EqualsOptional() | algebra.OptionalSeq():
                both = algebra.Join(pattern.left, pattern.right)
                sides = (pattern.left, pattern.right)
                kept, optional = sides[::-1] if isinstance(pattern, algebra.OptionalSeq) else sides
                self._refuse_alone(optional, kept)
                if pattern.condition is not None:
                    self._refuse_foreign(pattern.condition, both)
                self._check(both)
            case algebra.Minus():
                self._refuse_alone(pattern.right, pattern.left)
                self._check(pattern.left)
                self._check(pattern.right)
            case algebra.Join() | algebra.SeqJoin() | algebra.EqualsJoin() | algebra.Union():
                self._check(pattern.left)
                self._check(pattern.right)
            case _:
                return

    def _refuse_alone(self, side: Pattern, beside: Pattern) -> None:
        """Refuse a variable from outside that only ``side`` has for sure: it decides what matches."""
        alone = frozenset(algebra.variables(side)) - certain_variables(beside)
        if alone & self._outside.known:
            self._refuse(alone & self._outside.known, side)

    def _refuse_foreign(self, expression: Expression, pattern: Pattern) -> None:
        foreign = self._foreign(self._handed_on(expression, pattern), pattern)
        if foreign:
            self._refuse(foreign, expression)

    def _refuse(self, foreign: frozenset[Variable], place: Expression | Pattern) -> None:
        names = ", ".join(sorted(f"?{each.name}" for each in foreign))
        raise self._text.error(
            "EP208",
            f"{names} of the group outside cannot be used here, within a part of EXISTS",
            place.span,
            hint="move the FILTER to the group of EXISTS itself, or bind the variable there by a pattern",
        )
