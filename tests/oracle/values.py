"""Values of literals: SPARQL 1.1, section 17.3, for the datatypes that random tests use.

Durations compare as XML Schema says where that is certain; with a year-month part against a day-time part it
is a fault (docs/architecture.md#times-and-durations), for ``=`` too, and so are two dates one of which lacks
the zone that decides.
Two literals of different known value spaces differ, and so do a literal with a language and any other; an
ill-typed one is equal to itself, and else a fault.
"""

from __future__ import annotations

import operator
from datetime import datetime
from fractions import Fraction
from typing import Any, Literal, TypeAlias, cast

from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import (
    XSD_BOOLEAN,
    XSD_DATE,
    XSD_DATETIME,
    XSD_DAYTIMEDURATION,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_DURATION,
    XSD_INTEGER,
    XSD_STRING,
)

__all__ = [
    "NUMBERS",
    "ExpressionError",
    "arithmetic",
    "date_span",
    "effective_boolean",
    "equal",
    "less",
    "negated",
]

_RANKS = {XSD_INTEGER: 0, XSD_DECIMAL: 1, XSD_DOUBLE: 2}
NUMBERS = frozenset(_RANKS)
_TYPES = {rank: datatype for datatype, rank in _RANKS.items()}
_SPACES = {
    **dict.fromkeys(_RANKS, "number"),
    XSD_STRING: "string",
    XSD_BOOLEAN: "boolean",
    XSD_DATE: "date",
    XSD_DATETIME: "time",
    XSD_DURATION: "duration",
    XSD_DAYTIMEDURATION: "duration",
}
_PLACES = 10**18
"""A quotient of decimals that does not end is rounded to 18 places."""

Number: TypeAlias = "int | Fraction | float"
Space: TypeAlias = Literal["IRI", "number", "string", "language", "boolean", "date", "time", "duration"]


class ExpressionError(Exception):
    """What SPARQL calls an error in an expression."""


def _space(term: Encoded) -> Space:
    if isinstance(term, str):
        return "IRI"
    if term[-1].startswith("@"):
        return "language"
    space = _SPACES.get(term[-1])
    if space is None or (isinstance(term[0], str) and space not in ("string", "date")):
        raise ExpressionError(f"no value known: {term!r}")
    return cast("Space", space)


def effective_boolean(term: Encoded) -> bool:
    """SPARQL 1.1, section 17.2.2; an ill-typed number or truth value is false."""
    if not isinstance(term, str) and term[-1] in (*_RANKS, XSD_BOOLEAN) and isinstance(term[0], str):
        return False
    if _space(term) not in ("boolean", "number", "string", "language"):
        raise ExpressionError(f"no truth value: {term!r}")
    return bool(term[0])


def equal(left: Encoded, right: Encoded) -> bool:
    """The operator ``=``."""
    if left == right or isinstance(left, str) or isinstance(right, str):
        return left == right
    if left[-1].startswith("@") or right[-1].startswith("@") or _space(left) != _space(right):
        return False
    if _space(left) == "date":
        return _dates(left, right) == 0
    one, other = _promoted(left, right)
    if one != other and _space(left) == "duration":
        less(left, right)  # a fault where nobody can say
    return bool(one == other)


def _promoted(left: Encoded, right: Encoded) -> tuple[Any, Any]:
    """The two native values; both as doubles where one is a double."""
    if XSD_DOUBLE in (left[-1], right[-1]):
        return float(cast("Number", left[0])), float(cast("Number", right[0]))
    return left[0], right[0]


def less(left: Encoded, right: Encoded) -> bool:
    """The operator ``<``."""
    space = _space(left)
    if space != _space(right) or space in ("IRI", "language"):
        raise ExpressionError(f"no order: {left!r}, {right!r}")
    if space == "date":
        return _dates(left, right) < 0
    if space != "duration":
        one, other = _promoted(left, right)
        return bool(operator.lt(one, other))
    (months, rest), (other_months, other_rest) = _duration(left), _duration(right)
    if months == other_months:
        return rest < other_rest
    if rest == other_rest:
        return months < other_months
    if (months < other_months) != (rest < other_rest):
        raise ExpressionError("how long is a month?")
    return months < other_months


def _dates(left: Encoded, right: Encoded) -> int:
    """Less than, equal to or greater than 0 as the first date is before, at or after the other.

    XML Schema, part 2, section 3.2.7.4: a date without a zone may be in any from +14:00 to -14:00.
    """
    (earliest, latest), (other_earliest, other_latest) = date_span(left), date_span(right)
    zoned = [earliest == latest, other_earliest == other_latest]
    if latest < other_earliest or (not any(zoned) and earliest < other_earliest):
        return -1
    if other_latest < earliest or (not any(zoned) and other_earliest < earliest):
        return 1
    if zoned[0] != zoned[1]:
        raise ExpressionError(f"in which zone? {left!r}, {right!r}")
    return 0


def date_span(term: Encoded) -> tuple[datetime, datetime]:
    """The earliest and the latest time at which a date may begin."""
    text = cast("str", term[0])
    if len(text) == len("2020-05-01"):
        return datetime.fromisoformat(f"{text}T00:00+14:00"), datetime.fromisoformat(f"{text}T00:00-14:00")
    begin = datetime.fromisoformat(f"{text[:10]}T00:00{text[10:].replace('Z', '+00:00')}")
    return begin, begin


def _duration(term: Encoded) -> tuple[int, int]:
    return cast("tuple[int, int]", term[0])


def arithmetic(sign: str, left: Encoded, right: Encoded) -> Encoded:
    """``+``, ``-``, ``*`` and ``/`` of numbers, times and durations (these without months)."""
    match _space(left), sign, _space(right):
        case "number", _, "number":
            return _numbers(sign, left, right)
        case "time", "-", "time":
            return (0, _native(left) - _native(right)), XSD_DAYTIMEDURATION
        case "time", "+" | "-", "duration":
            rest = _duration(right)[1]
            return _native(left) + (rest if sign == "+" else -rest), XSD_DATETIME
        case "duration", "+", "time":
            return arithmetic("+", right, left)
        case "duration", "+" | "-", "duration":
            rest = _duration(right)[1]
            total = _duration(left)[1] + (rest if sign == "+" else -rest)
            return (0, total), left[-1] if left[-1] == right[-1] else XSD_DURATION
        case "duration", "*", "number":
            return (0, round(_duration(left)[1] * Fraction(_native(right)))), left[-1]
        case "number", "*", "duration":
            return arithmetic("*", right, left)
        case "duration", "/", "number" if right[0]:
            return (0, round(_duration(left)[1] / Fraction(_native(right)))), left[-1]
        case "duration", "/", "duration" if _duration(right)[1]:
            return _quotient(_duration(left)[1], _duration(right)[1], 1)
        case _:
            raise ExpressionError(f"no {sign} of {left!r} and {right!r}")


def _native(term: Encoded) -> Any:
    return term[0]


def _numbers(sign: str, left: Encoded, right: Encoded) -> Encoded:
    rank = max(_RANKS[left[-1]], _RANKS[right[-1]])
    one, other = (cast("Number", each[0]) for each in (left, right))
    if rank == 2:
        one, other = float(one), float(other)
    match sign:
        case "+":
            result: Number = one + other
        case "-":
            result = one - other
        case "*":
            result = one * other
        case _:
            return _quotient(one, other, rank)
    return result, _TYPES[rank]


def _quotient(one: Number, other: Number, rank: int) -> Encoded:
    if rank == 2:  # random tests divide no double by zero
        return one / other, XSD_DOUBLE
    if other == 0:
        raise ExpressionError("division by zero")
    exact = Fraction(one) / Fraction(other)
    return Fraction(round(exact * _PLACES), _PLACES), XSD_DECIMAL


def negated(term: Encoded) -> Encoded:
    """Unary minus."""
    if _space(term) == "duration":
        return (0, -_duration(term)[1]), term[-1]
    return arithmetic("-", (0, XSD_INTEGER), term)
