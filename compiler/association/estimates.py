"""How many solutions a pattern has, as far as the rates of its triple patterns tell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Expression, Pattern
from etalis_py.compiler.algebra.operators import JOIN, SEQ
from etalis_py.compiler.algebra.scope import certain_variables
from etalis_py.compiler.algebra.window import duration_bound
from etalis_py.compiler.association.association import Condition, Estimate, Extent, combined
from etalis_py.compiler.association.event_rates import PatternRate

__all__ = ["conditions_of", "estimate", "seconds"]

_PASSES: Final = {"=": 0.1, "!=": 0.9, "<": 1 / 3, "<=": 1 / 3, ">": 1 / 3, ">=": 1 / 3}
"""The share that a comparison lets pass (Selinger et al., SIGMOD 1979, table 1)."""
_OTHERS_PASS: Final = 0.5

_LONGEST: Final = 10**21
"""Microseconds."""


def estimate(pattern: Pattern, rate: PatternRate, extent: Extent) -> Estimate | None:
    """The estimate for ``pattern``; None where the rate of a part is not known.

    What is not a chain of SEQ or a join counts as one event, of the rate that its solutions have.
    """
    match pattern:
        case algebra.Unit() | algebra.Table() | algebra.Lookup():
            return Estimate(1.0, 0, 1.0, {})
        case algebra.TriplePattern():
            return rate(pattern)
        case algebra.Filter():
            return _filtered(pattern, rate, extent)
        case algebra.Pair(operator=operator):
            if operator.kept is not None:
                return _alone(pattern, pattern.side(operator.kept), rate, extent)
            sides = [estimate(each, rate, extent) for each in (pattern.left, pattern.right)]
            known = [each for each in sides if each is not None]
            return _paired(pattern, known, extent) if len(known) == 2 else None
        case algebra.Union():
            left, right = (estimate(each, rate, extent) for each in (pattern.left, pattern.right))
            if left is None or right is None:
                return None
            return _as_event(left.rate(extent) + right.rate(extent), pattern, left, right)
        case algebra.Minus():
            return _alone(pattern, pattern.left, rate, extent)
        case _:
            if pattern.IS_TIMED or not algebra.children(pattern):
                return None
            return _alone(pattern, algebra.children(pattern)[0], rate, extent)


def _paired(pattern: algebra.Pair, sides: list[Estimate], extent: Extent) -> Estimate:
    """Pairs of both sides: no more than of a join or a SEQ, and of one end no more than of a side."""
    if pattern.operator in (JOIN, SEQ):
        return combined(sides, pattern.operator is SEQ)
    if pattern.operator.same_end:
        return _as_event(min(each.rate(extent) for each in sides), pattern, *sides)
    together = combined(sides, pattern.operator.earlier is not None)
    return _as_event(together.rate(extent), pattern, *sides)


def _filtered(pattern: algebra.Filter, rate: PatternRate, extent: Extent) -> Estimate | None:
    bound = duration_bound(pattern.condition, pattern.pattern)
    own = extent if bound is None else Extent(_narrower(extent.window, bound), extent.horizon)
    inner = estimate(pattern.pattern, rate, own)
    if inner is None:
        return None
    if own != extent:  # its events are nearer to each other than those around them
        inner = _as_event(inner.rate(own), pattern, inner)
    passes = 1.0
    for part in algebra.conjuncts(pattern.condition):
        passes *= 1.0 if duration_bound(part, pattern.pattern) is not None else _passes(part)
    return Estimate(inner.density * passes, inner.events, inner.orders, inner.values)


def _narrower(window: float | None, bound: int) -> float:
    return seconds(bound) if window is None else min(window, seconds(bound))


def _alone(pattern: Pattern, kept: Pattern, rate: PatternRate, extent: Extent) -> Estimate | None:
    """As often as one of its inputs."""
    inner = estimate(kept, rate, extent)
    return None if inner is None else _as_event(inner.rate(extent), pattern, inner)


def _as_event(rate: float, pattern: Pattern, *inputs: Estimate) -> Estimate:
    certain = certain_variables(pattern)
    values: dict[algebra.Variable, float] = {}
    for each in inputs:
        for variable, count in each.values.items():
            if variable in certain:
                values[variable] = max(count, values.get(variable, 1.0))
    return Estimate(rate, 1, 1.0, values)


def conditions_of(parts: Iterable[Expression]) -> tuple[Condition, ...]:
    """The filters that can be tested on a part of a chain: those that do not speak of its interval."""
    return tuple(
        Condition(algebra.expression_variables(part), _passes(part))
        for part in parts
        if not algebra.uses_time(part)
    )


def _passes(part: Expression) -> float:
    """The share of solutions for which a condition is true."""
    if isinstance(part, algebra.Apply):
        return _PASSES.get(part.function, _OTHERS_PASS)
    return _OTHERS_PASS


def seconds(microseconds: int) -> float:
    """A length of time in seconds: some time, and not beyond what can be calculated with."""
    return min(max(microseconds, 1), _LONGEST) / 1_000_000
