"""Window bounds: what a filter says about the duration of a solution.

``getDURATION() < d``, ``getENDTIME() - getSTARTTIME() <= d`` and their mirror images bound a group's
duration, and so that of every solution it is made of. So do ``?last - ?first < d`` and
``?last < ?first + d`` where BIND gave them the end of the last part of a SEQ and the start of its first. The
filter itself stays where it is.
"""

from __future__ import annotations

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Apply, Constant, Expression, Pattern, Variable, conjuncts
from etalis_py.compiler.algebra.operators import Side
from etalis_py.core.vocabulary import XSD_DURATION_TYPES

__all__ = ["day_time_microseconds", "duration_bound", "is_duration", "narrower"]


def duration_bound(condition: Expression, pattern: Pattern) -> int | None:
    """How many microseconds the solutions of ``pattern`` stay below that satisfy ``condition``; None: any.

    A bound with months says nothing: comparing it with a day-time duration is an error value.
    """
    bound = None
    for part in conjuncts(condition):
        bound = narrower(bound, _bound_of(part, pattern))
    return bound


def narrower(first: int | None, second: int | None) -> int | None:
    """The smaller of two bounds, where None is no bound."""
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)


def _bound_of(part: Expression, pattern: Pattern) -> int | None:
    if not isinstance(part, Apply) or part.function not in ("<", ">", "<=", ">="):
        return None
    left, right = part.arguments if part.function.startswith("<") else part.arguments[::-1]
    inclusive = int(part.function.endswith("="))
    if is_duration(left):
        limit = day_time_microseconds(right)
        return None if limit is None else limit + inclusive
    if isinstance(left, Apply) and left.function == "-":
        (end, start), length = left.arguments, right
    elif isinstance(right, Apply) and right.function == "+":
        end, (start, length) = left, right.arguments
    else:
        return None
    limit = day_time_microseconds(length)
    is_length = _is_time(end, "GETENDTIME", pattern) and _is_time(start, "GETSTARTTIME", pattern)
    return limit + inclusive if limit is not None and is_length else None


def _is_time(expression: Expression, function: str, pattern: Pattern) -> bool:
    """Whether the value is when the solutions of ``pattern`` start, or end, as ``function`` says."""
    if isinstance(expression, Apply):
        return expression.function == function
    if not isinstance(expression, Variable):
        return False
    todo = [pattern]
    while todo:
        current = todo.pop()
        if isinstance(current, algebra.Extend) and current.variable == expression:
            called = current.expression
            if isinstance(called, Apply) and called.function == function:
                return True
        todo += _with_same_time(current, function)
    return False


def _with_same_time(pattern: Pattern, function: str) -> tuple[Pattern, ...]:
    """The parts that each solution of ``pattern`` has, and that start or end when it does."""
    match pattern:
        case algebra.Filter() | algebra.Extend() | algebra.Distinct() | algebra.Skip():
            return (pattern.pattern,)
        case algebra.Gap(left=first, right=last):
            return (first or last,) if function == "GETSTARTTIME" else (last,)
        case algebra.Absence(left=first):
            return (first,) if function == "GETSTARTTIME" else ()
        case algebra.Repeat(left=before, then=after):
            end = before if function == "GETSTARTTIME" else after
            return () if end is None else (end,)
        case algebra.Pair(operator=operator):
            same = operator.begins if function == "GETSTARTTIME" else operator.ends
            return tuple(pattern.side(each) for each in Side if operator.has(each) and same(each))
        case algebra.Minus():
            return (pattern.left,)
        case _:
            return ()


def is_duration(expression: Expression) -> bool:
    """Whether the value is the length of a solution."""
    match expression:
        case Apply(function="GETDURATION"):
            return True
        case Apply(function="-", arguments=(Apply(function="GETENDTIME"), Apply(function="GETSTARTTIME"))):
            return True
        case Variable() | Constant() | Apply() | algebra.Exists():
            return False
        case _:
            assert_never(expression)


def day_time_microseconds(expression: Expression) -> int | None:
    """The length of a duration without months; None for any other expression."""
    if not isinstance(expression, Constant) or not isinstance(expression.value, tuple):
        return None
    native, datatype = expression.value[0], expression.value[-1]
    if datatype not in XSD_DURATION_TYPES or not isinstance(native, tuple):
        return None
    months, microseconds = native
    return microseconds if months == 0 else None
