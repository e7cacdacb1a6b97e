"""Push each conjunct of a filter down to the lowest pattern that fixes its variables.

    Filter p(a) && q(a, b) (A SEQ B)    becomes    Filter q(a, b) ((Filter p(a) A) SEQ B)

A filter never moves into the optional side of an operator, where it would turn a pair that is dropped
into an "else alone" answer; nor one with a time function, which speaks of the interval of its own group.
"""

from __future__ import annotations

from dataclasses import replace

from etalis_py.compiler import algebra
from etalis_py.compiler.algebra import Expression, Pattern
from etalis_py.compiler.passes.rebuild import map_inputs
from etalis_py.compiler.scope import keeps_value

__all__ = ["push_filters"]


def push_filters(pattern: Pattern) -> Pattern:
    """The pass; applies everywhere in ``pattern``."""
    if not isinstance(pattern, algebra.Filter):
        return map_inputs(pattern, push_filters)
    inner = pattern.pattern
    staying = []
    for part in algebra.conjuncts(pattern.condition):
        pushed = _push(part, inner)
        if pushed is None:
            staying.append(part)
        else:
            inner = pushed
    inner = push_filters(inner)
    if not staying:
        return inner
    return algebra.Filter(algebra.conjoin(staying), inner, span=pattern.span)


def _push(part: Expression, pattern: Pattern) -> Pattern | None:
    """``pattern`` with ``part`` filtered somewhere below its top, or None where it must stay above."""
    match pattern:
        case algebra.Join() | algebra.SeqJoin() | algebra.EqualsJoin():
            return _push_left(part, pattern) or _push_right(part, pattern)
        case algebra.Optional() | algebra.EqualsOptional() | algebra.Minus():
            return _push_left(part, pattern)
        case algebra.OptionalSeq():
            return _push_right(part, pattern)
        case algebra.Union() if not algebra.uses_time(part):
            left, right = _filter(part, pattern.left), _filter(part, pattern.right)
            return replace(pattern, left=left, right=right)
        case algebra.Filter():  # two that may not sink must not take turns in sinking below each other
            below = _push(part, pattern.pattern)
            return None if below is None else replace(pattern, pattern=below)
        case algebra.Extend() if pattern.variable not in algebra.expression_variables(part):
            return replace(pattern, pattern=_filter(part, pattern.pattern))
        case algebra.Distinct():
            return replace(pattern, pattern=_filter(part, pattern.pattern))
        case algebra.Project() if algebra.expression_variables(part) <= frozenset(pattern.variables):
            return replace(pattern, pattern=_filter(part, pattern.pattern))
    return None


def _push_left(part: Expression, pattern: algebra.BinaryPattern) -> Pattern | None:
    if not keeps_value(part, pattern.left, pattern.right):
        return None
    return replace(pattern, left=_filter(part, pattern.left))


def _push_right(part: Expression, pattern: algebra.BinaryPattern) -> Pattern | None:
    if not keeps_value(part, pattern.right, pattern.left):
        return None
    return replace(pattern, right=_filter(part, pattern.right))


def _filter(part: Expression, pattern: Pattern) -> Pattern:
    return algebra.Filter(part, pattern, span=part.span)
