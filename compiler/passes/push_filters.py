"""Push each conjunct of a filter down to the lowest pattern that fixes its variables.

    Filter p(a) && q(a, b) (A SEQ B)    becomes    Filter q(a, b) ((Filter p(a) A) SEQ B)

A filter never moves into the optional side of an operator, where it would turn a pair that is dropped
into an "else alone" answer; nor one with a time function, which speaks of the interval of its own group;
nor into braces where, under a policy, it would choose; nor into what NEXT, NOT and REPEAT choose from.
"""

from __future__ import annotations

from dataclasses import replace

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Expression, Pattern, map_children
from etalis_py.compiler.algebra.operators import Side
from etalis_py.compiler.algebra.scope import keeps_value

__all__ = ["push_filters"]


def push_filters(pattern: Pattern) -> Pattern:
    """The pass; applies everywhere in ``pattern``."""
    if not isinstance(pattern, algebra.Filter):
        return map_children(pattern, push_filters)
    inner = pattern.pattern
    parts: dict[tuple[str, ...], list[Expression]] = {}
    for part in algebra.conjuncts(pattern.condition):
        parts.setdefault(_ways(part, inner), []).append(part)
    staying = parts.pop((), [])
    for ways, sinking in parts.items():
        inner = _sunk(sinking, inner, ways)
    inner = push_filters(inner)
    if not staying:
        return inner
    return algebra.Filter(algebra.conjoin(staying), inner, span=pattern.span)


def _ways(part: Expression, pattern: Pattern) -> tuple[str, ...]:
    """The inputs of ``pattern`` on which ``part`` can be tested instead; none where it must stay above."""
    match pattern:
        case algebra.Pair(operator=operator):
            fitting = (
                (side.value,)
                for side in Side
                if operator.has(side)
                and not (operator.next_only and side is Side.RIGHT)
                and keeps_value(part, pattern.side(side), pattern.side(side.other))
            )
            return next(fitting, ())
        case algebra.Gap(left=first, right=last):
            if first is None:
                return ("right",) if keeps_value(part, last, algebra.Unit()) else ()
            return ("left",) if keeps_value(part, first, last) else ()
        case algebra.Absence(left=first):
            return ("left",) if keeps_value(part, first, algebra.Unit()) else ()
        case algebra.Minus(left=left, right=right):
            return ("left",) if keeps_value(part, left, right) else ()
        case algebra.Union():
            return () if algebra.uses_time(part) else ("left", "right")
        case algebra.Filter():  # two that may not sink must not take turns in sinking below each other
            return _ways(part, pattern.pattern)
        case algebra.Extend():
            return () if pattern.variable in algebra.expression_variables(part) else ("pattern",)
        case algebra.Distinct():
            return ("pattern",)
        case algebra.Snapshot(pattern=alive, newest=None):
            return ("pattern",) if keeps_value(part, alive, algebra.Unit()) else ()
        case algebra.Project(closed=closed, variables=shown):
            return () if closed or not algebra.expression_variables(part) <= {*shown} else ("pattern",)
        case _:  # of REPEAT and of the newest, too: filters from outside judge, and do not choose
            return ()


def _sunk(parts: list[Expression], pattern: Pattern, ways: tuple[str, ...]) -> Pattern:
    """``pattern`` with ``parts`` tested on these of its inputs; a filter between lets them through."""
    if isinstance(pattern, algebra.Filter):
        return replace(pattern, pattern=_sunk(parts, pattern.pattern, ways))
    inputs: dict[str, Pattern] = {way: getattr(pattern, way) for way in ways}
    return replace(pattern, **{way: _filtered(parts, below) for way, below in inputs.items()})  # type: ignore[arg-type]


def _filtered(parts: list[Expression], pattern: Pattern) -> Pattern:
    if isinstance(pattern, algebra.Filter):
        return replace(pattern, condition=algebra.conjoin([*algebra.conjuncts(pattern.condition), *parts]))
    condition = algebra.conjoin(parts)
    return algebra.Filter(condition, pattern, span=condition.span)
