"""Bounds that contradict each other: ``getDURATION() < 1h && getDURATION() > 2h``, ``?v > 5 && ?v < 3``.

All filters that hold for a solution and for the parts that it always has are looked at together. Bounds are
constants; time functions mean the interval of the group they stand in, so bounds on them meet only there. But
a part is never longer than the whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, TypeAlias

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Apply, Constant, Expression, Pattern, Variable, conjuncts
from etalis_py.compiler.algebra.window import is_duration
from etalis_py.compiler.lint.findings import Finding, Subject
from etalis_py.compiler.lint.kinds import kinds_of_constant
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["contradictory_bounds"]

_MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}
_Number: TypeAlias = "int | float | Fraction | str"
_HINT: Final = "no answer can satisfy both; leave one out, or reverse one"


@value_class
class _Bound:
    """``value`` is the least or the greatest value; ``strict``: it is not itself a value."""

    value: _Number
    strict: bool
    span: Span


@dataclass(slots=True)
class _Range:
    """What is known of one value: its kind, and its bounds."""

    kind: str
    least: _Bound | None = None
    greatest: _Bound | None = None

    def add(self, operator: str, bound: _Bound) -> _Bound | None:
        """Take in a bound; returns another one that it contradicts."""
        if operator in (">", ">=", "=") and _is_tighter(bound, self.least, upwards=True):
            self.least = bound
        if operator in ("<", "<=", "=") and _is_tighter(bound, self.greatest, upwards=False):
            self.greatest = bound
        if self.least is None or self.greatest is None or not _crossed(self.least, self.greatest):
            return None
        return self.greatest if self.least is bound else self.least


def _is_tighter(bound: _Bound, known: _Bound | None, *, upwards: bool) -> bool:
    if known is None:
        return True
    if bound.value == known.value:
        return bound.strict and not known.strict
    return bound.value > known.value if upwards else bound.value < known.value  # type: ignore[operator]


def _crossed(least: _Bound, greatest: _Bound) -> bool:
    if least.value == greatest.value:
        return least.strict or greatest.strict
    return bool(least.value > greatest.value)  # type: ignore[operator]


@dataclass(slots=True)
class _Region:
    """Patterns that each solution has, up to where another scope begins."""

    top: Pattern
    ranges: dict[object, _Range] = field(default_factory=dict)


def contradictory_bounds(subject: Subject) -> Iterator[Finding]:
    """EW05: bounds of which no value satisfies all."""
    todo = [(pattern, _Region(pattern)) for pattern in _tops(subject)]
    for top, region in todo:
        yield from _region(top, region, subject)


def _tops(subject: Subject) -> list[Pattern]:
    """Where regions begin: the query, and what a solution need not have, or has with other variables."""
    required: set[int] = set()
    tops = []
    for pattern, _ in subject.scopes.patterns:
        if id(pattern) not in required:
            tops.append(pattern)
        required |= {id(each) for each in pattern.required}
    return tops


def _region(top: Pattern, region: _Region, subject: Subject) -> Iterator[Finding]:
    todo: list[tuple[Pattern, object, _Bound | None]] = [(top, top, None)]
    while todo:
        pattern, group, longest = todo.pop()
        if isinstance(pattern, algebra.Filter):
            for part in conjuncts(pattern.condition):
                yield from _taken_in(part, region, id(group), longest, subject)
            length = region.ranges.get((id(group), "length"))
            longest = _shorter(longest, None if length is None else length.greatest)
        keeps_group = isinstance(pattern, (algebra.Filter, algebra.Extend))
        todo += ((each, group if keeps_group else each, longest) for each in reversed(pattern.required))


def _shorter(one: _Bound | None, other: _Bound | None) -> _Bound | None:
    if one is None or other is None:
        return one or other
    return other if _is_tighter(other, one, upwards=False) else one


def _taken_in(
    part: Expression, region: _Region, group: int, longest: _Bound | None, subject: Subject
) -> Iterator[Finding]:
    if not isinstance(part, Apply) or part.function not in _MIRRORED:
        return
    left, right = part.arguments
    if _times_reversed(part.function, left, right):
        message = f"{subject.written(part.span)} is never true: nothing ends before it starts"
        yield Finding("EW05", message, part.span)
        return
    operator = part.function
    if isinstance(left, Constant):
        left, right, operator = right, left, _MIRRORED[operator]
    key, known = _key(left, group), _value(right)
    if key is None or known is None:
        return
    kind, value = known
    bound = _Bound(value, operator in ("<", ">"), part.span)
    is_length = key == (group, "length")
    values = region.ranges.setdefault(key, _Range(kind))
    if values.kind != kind or (is_length and kind != "a duration"):
        return
    if is_length and values.least is None:
        values.least = _Bound(0, strict=False, span=part.span)
    other = values.add(operator, bound)
    if other is not None:
        del region.ranges[key]
        yield _contradiction(part.span, other.span, subject)
    elif is_length and longest is not None and values.least is not None:
        if _crossed(values.least, longest):
            yield _contradiction(values.least.span, longest.span, subject)
    else:
        yield from _start_after_end(region, group, part.span, subject)


def _contradiction(span: Span, other: Span, subject: Subject) -> Finding:
    if span == other:
        return Finding("EW05", f"{subject.written(span)} is never true: no duration is below zero", span)
    message = f"{subject.written(span)} contradicts {subject.written(other)}"
    line = subject.query.text.line_of(other)
    if line != subject.query.text.line_of(span):
        message += f" (line {line})"
    return Finding("EW05", message, span, _HINT)


def _start_after_end(region: _Region, group: int, span: Span, subject: Subject) -> Iterator[Finding]:
    """A start that is at least this late, and an end that is at most that."""
    start, end = region.ranges.get((group, "start")), region.ranges.get((group, "end"))
    if start is None or end is None or start.least is None or end.greatest is None:
        return
    if _crossed(start.least, end.greatest) and span in (start.least.span, end.greatest.span):
        other = end.greatest.span if span == start.least.span else start.least.span
        yield _contradiction(span, other, subject)


def _times_reversed(operator: str, left: Expression, right: Expression) -> bool:
    times = [each.function for each in (left, right) if isinstance(each, Apply)]
    return (operator, *times) in ((">", "GETSTARTTIME", "GETENDTIME"), ("<", "GETENDTIME", "GETSTARTTIME"))


def _is_nan(value: int | float | Fraction) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _key(expression: Expression, group: int) -> object:
    """What names the value that is bounded; None for what is no such value."""
    if isinstance(expression, Variable):
        return expression
    if not isinstance(expression, Apply):
        return None
    if is_duration(expression):
        return (group, "length")
    what = {"GETSTARTTIME": "start", "GETENDTIME": "end"}.get(expression.function)
    return None if what is None else (group, what)


def _value(expression: Expression) -> tuple[str, _Number] | None:
    """Kind and value of a constant that has an order."""
    if not isinstance(expression, Constant) or not isinstance(expression.value, tuple):
        return None
    kinds = kinds_of_constant(expression.value)
    native = expression.value[0]
    if kinds is None:
        return None
    (kind,) = kinds
    match kind, native:
        case "a duration", (0, int() as microseconds):
            return kind, microseconds
        case (("a number" | "a time"), (int() | float() | Fraction())) if not _is_nan(native):
            return kind, native
        case "a string", str():
            return kind, native
        case _:
            return None
