"""Window bounds: what a filter says about the duration of a solution.

``getDURATION() < d``, ``getENDTIME() - getSTARTTIME() <= d`` and their mirror images bound a group's
duration, and so that of every solution it is made of. The filter itself stays where it is.
"""

from __future__ import annotations

from etalis_py.compiler.algebra import Apply, Constant, Expression, conjuncts
from etalis_py.vocabulary import XSD_DURATION_TYPES

__all__ = ["day_time_microseconds", "duration_bound", "narrower"]


def duration_bound(condition: Expression) -> int | None:
    """The number of microseconds that the duration stays below, or None if ``condition`` gives no bound.

    A bound with months says nothing: comparing it with a day-time duration is an error value.
    """
    bound = None
    for part in conjuncts(condition):
        bound = narrower(bound, _bound_of(part))
    return bound


def narrower(first: int | None, second: int | None) -> int | None:
    """The smaller of two bounds, where None is no bound."""
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)


def _bound_of(part: Expression) -> int | None:
    match part:
        case Apply(function="<", arguments=(left, right)) | Apply(function=">", arguments=(right, left)):
            inclusive = 0
        case Apply(function="<=", arguments=(left, right)) | Apply(function=">=", arguments=(right, left)):
            inclusive = 1
        case _:
            return None
    limit = day_time_microseconds(right)
    if limit is None or not _is_duration(left):
        return None
    return limit + inclusive


def _is_duration(expression: Expression) -> bool:
    match expression:
        case Apply(function="GETDURATION"):
            return True
        case Apply(function="-", arguments=(Apply(function="GETENDTIME"), Apply(function="GETSTARTTIME"))):
            return True
        case _:
            return False


def day_time_microseconds(expression: Expression) -> int | None:
    """The length of a duration without months; None for any other expression."""
    if not isinstance(expression, Constant) or not isinstance(expression.value, tuple):
        return None
    native, datatype = expression.value[0], expression.value[-1]
    if datatype not in XSD_DURATION_TYPES or not isinstance(native, tuple):
        return None
    months, microseconds = native
    return microseconds if months == 0 else None
