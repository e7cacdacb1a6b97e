"""What both evaluators of expressions have in common: comparisons, three-valued logic and the time functions.

An error is None as a truth (SPARQL 1.1, section 17.2), and an exception as a value.
"""

from __future__ import annotations

from collections.abc import Sequence

from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import XSD_DATETIME, XSD_DURATION
from tests.oracle.solutions import Interval
from tests.oracle.values import ExpressionError, equal, less

__all__ = ["all_true", "certain", "compare", "opposite", "time_of"]


def compare(operator: str, left: Encoded, right: Encoded) -> bool:
    """Whether a comparison holds; any other operator is sameTerm. Raises ExpressionError."""
    match operator:
        case "=":
            return equal(left, right)
        case "!=":
            return not equal(left, right)
        case "<":
            return less(left, right)
        case ">":
            return less(right, left)
        case "<=":
            return less(left, right) or equal(left, right)
        case ">=":
            return less(right, left) or equal(left, right)
        case _:
            return left == right


def all_true(truths: Sequence[bool | None]) -> bool | None:
    """``&&``: false wins over an error, an error over true."""
    return False if False in truths else None if None in truths else True


def opposite(truth: bool | None) -> bool | None:
    """``!``."""
    return None if truth is None else not truth


def certain(truth: bool | None) -> bool:
    """The truth as a value. Raises ExpressionError."""
    if truth is None:
        raise ExpressionError("no truth value")
    return truth


def time_of(function: str, interval: Interval | None) -> Encoded:
    """The value of a time function, its name in capitals. Raises ExpressionError."""
    if interval is None:
        raise ExpressionError("background has no time")
    start, end = interval
    if function == "GETDURATION":
        return (0, end - start), XSD_DURATION
    return (start if function == "GETSTARTTIME" else end), XSD_DATETIME
