"""Move what speaks of the optional side alone out of an operator's condition into that side.

    A OPTIONAL B if (p(b) && q(a, b))    becomes    A OPTIONAL (Filter p(b) B) if q(a, b)

Time functions in a condition speak of the optional side's interval, so they may move as well; there they
become window bounds. EXISTS stays: it tests the pair, at its end.
"""

from __future__ import annotations

from dataclasses import replace

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Expression, Pattern, map_children
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.algebra.scope import certain_variables

__all__ = ["settle_conditions"]


def settle_conditions(pattern: Pattern) -> Pattern:
    """The pass; applies everywhere in ``pattern``."""
    pattern = map_children(pattern, settle_conditions)
    if not isinstance(pattern, algebra.Pair) or pattern.condition is None:
        return pattern
    if pattern.operator.optional is Side.LEFT:
        optional, rest = _split(pattern.condition, pattern.left, pattern.right)
        return replace(pattern, left=optional, condition=rest)
    optional, rest = _split(pattern.condition, pattern.right, pattern.left)
    return replace(pattern, right=optional, condition=rest)


def _split(condition: Expression, optional: Pattern, other: Pattern) -> tuple[Pattern, Expression | None]:
    own: list[Expression] = []
    mixed: list[Expression] = []
    for part in algebra.conjuncts(condition):
        moves = not algebra.existence_tests(part) and _speaks_of(part, optional, other)
        (own if moves else mixed).append(part)
    if own:
        optional = algebra.Filter(algebra.conjoin(own), optional, span=condition.span)
    return optional, (algebra.conjoin(mixed) if mixed else None)


def _speaks_of(part: Expression, optional: Pattern, other: Pattern) -> bool:
    certain, outside = certain_variables(optional), algebra.variables(other)
    return all(each in certain or each not in outside for each in algebra.expression_variables(part))
