"""Move what speaks of the optional side alone out of an operator's condition into that side.

    A OPTIONAL B if (p(b) && q(a, b))    becomes    A OPTIONAL (Filter p(b) B) if q(a, b)

Time functions in a condition speak of the optional side's interval, so they may move as well; there they
become window bounds. EXISTS stays: it tests the pair, at its end.
"""

from __future__ import annotations

from dataclasses import replace

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Expression, Pattern
from etalis_py.compiler.algebra.scope import certain_variables
from etalis_py.compiler.passes.rebuild import map_inputs

__all__ = ["settle_conditions"]


def settle_conditions(pattern: Pattern) -> Pattern:
    """The pass; applies everywhere in ``pattern``."""
    pattern = map_inputs(pattern, settle_conditions)
    match pattern:
        case algebra.Optional(condition=condition) | algebra.EqualsOptional(condition=condition) if condition:
            side, rest = _split(condition, pattern.right, pattern.left)
            return replace(pattern, right=side, condition=rest)
        case algebra.OptionalSeq(condition=condition) if condition:
            side, rest = _split(condition, pattern.left, pattern.right)
            return replace(pattern, left=side, condition=rest)
    return pattern


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
