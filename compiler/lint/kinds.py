"""Of what kind the value of an expression is, as far as the query alone tells: a number, a time, an IRI.

A set of kinds is all that a value can be; None is no knowledge. What has no value (an error, an unbound
variable) is of no kind. Comparisons are those of ``rules/sparql/values.pl``: values of one kind have an
order, a number and a string are different, and which comes first is an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Expression, Variable
from etalis_py.core.literals import is_ill_typed
from etalis_py.core.vocabulary import (
    INTEGER_RANGES,
    XSD,
    XSD_BOOLEAN,
    XSD_DATETIME,
    XSD_DATETIMESTAMP,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_DURATION_TYPES,
    XSD_FLOAT,
    XSD_STRING,
)

__all__ = [
    "DURATION",
    "ZONED",
    "Kinds",
    "kind_words",
    "kinds_of",
    "kinds_of_constant",
    "kinds_of_subject",
    "outcome",
]

Kinds: TypeAlias = "frozenset[str] | None"

NUMBER: Final = "a number"
STRING: Final = "a string"
TEXT: Final = "a text with a language"
BOOLEAN: Final = "a boolean"
TIME: Final = "a time"
DURATION: Final = "a duration"
IRI: Final = "an IRI"
BLANK: Final = "a blank node"
_RESOURCE: Final = frozenset({IRI, BLANK})

_ZONED_TYPES: Final = ("date", "time", "gYear", "gYearMonth", "gMonthDay", "gMonth", "gDay")
_CLASSES: Final = {
    **dict.fromkeys((*INTEGER_RANGES, XSD_DECIMAL, XSD_DOUBLE, XSD_FLOAT), NUMBER),
    **dict.fromkeys(XSD_DURATION_TYPES, DURATION),
    XSD_STRING: STRING,
    XSD_BOOLEAN: BOOLEAN,
    XSD_DATETIME: TIME,
    XSD_DATETIMESTAMP: TIME,
    **{XSD + name: f"an xsd:{name}" for name in _ZONED_TYPES},
}
ZONED: Final = frozenset(_CLASSES[XSD + name] for name in _ZONED_TYPES)
"""Values that have an order if both have a zone, or neither."""
_ORDERED: Final = frozenset(_CLASSES.values())
_VALUES: Final[Mapping[frozenset[str], str]] = {
    frozenset({TIME}): "GETSTARTTIME GETENDTIME NOW",
    frozenset({DURATION}): "GETDURATION TIMEZONE length",
    frozenset({NUMBER}): "ABS ROUND CEIL FLOOR RAND STRLEN YEAR MONTH DAY HOURS MINUTES SECONDS",
    frozenset({STRING}): "STR LANG ENCODE_FOR_URI TZ STRUUID MD5 SHA1 SHA256 SHA384 SHA512",
    frozenset({STRING, TEXT}): "UCASE LCASE SUBSTR STRBEFORE STRAFTER REPLACE CONCAT",
    frozenset(
        {BOOLEAN}
    ): "CONTAINS STRSTARTS STRENDS REGEX LANGMATCHES BOUND SAMETERM ISIRI ISBLANK ISLITERAL "
    "ISNUMERIC && || ! = != < > <= >= in",
    frozenset({IRI}): "IRI UUID DATATYPE",
    frozenset({TEXT}): "STRLANG",
    frozenset({BLANK}): "BNODE",
}
_FUNCTIONS: Final = {name: kinds for kinds, names in _VALUES.items() for name in names.split()}


def kinds_of_subject() -> frozenset[str]:
    """What stands for a subject, a predicate or a graph."""
    return _RESOURCE


def kinds_of_constant(value: object) -> Kinds:
    """The kind of an encoded term; None for one whose datatype is not known, or that is ill-formed."""
    if isinstance(value, str):
        return frozenset({BLANK if value.startswith("_:") else IRI})
    if not isinstance(value, tuple) or is_ill_typed(value):
        return None
    datatype = str(value[-1])
    if datatype.startswith("@"):
        return frozenset({TEXT})
    return frozenset({_CLASSES[datatype]}) if datatype in _CLASSES else None


def kinds_of(expression: Expression, seen: Mapping[Variable, Kinds]) -> Kinds:
    """The kinds of an expression that sees these variables."""
    match expression:
        case algebra.Variable():
            return seen.get(expression)
        case algebra.Constant(value=value):
            return kinds_of_constant(value)
        case algebra.Exists():
            return frozenset({BOOLEAN})
        case algebra.Apply(function=function, arguments=arguments):
            return _of_call(function, arguments, seen)
        case _:
            assert_never(expression)


def _of_call(function: str, arguments: Sequence[Expression], seen: Mapping[Variable, Kinds]) -> Kinds:
    if function in _FUNCTIONS:
        return _FUNCTIONS[function]
    if function in _CLASSES:  # a cast
        return frozenset({_CLASSES[function]})
    match function:
        case "IF":
            return _any_of(arguments[1:], seen)
        case "COALESCE":
            return _any_of(arguments, seen)
        case "+" | "-" | "*" | "/":
            left, right = (kinds_of(each, seen) for each in arguments)
            return _of_arithmetic(function, left, right)
        case "negate" | "plus":
            return kinds_of(arguments[0], seen)
        case _:
            return None


def _any_of(expressions: Sequence[Expression], seen: Mapping[Variable, Kinds]) -> Kinds:
    found: set[str] = set()
    for each in expressions:
        kinds = kinds_of(each, seen)
        if kinds is None:
            return None
        found |= kinds
    return frozenset(found)


def _of_arithmetic(operator: str, left: Kinds, right: Kinds) -> Kinds:
    if left is None or right is None or len(left) > 1 or len(right) > 1:
        return None
    match operator, *left, *right:
        case _, "a number", "a number":
            return frozenset({NUMBER})
        case "-", "a time", "a time":
            return frozenset({DURATION})
        case (("+" | "-"), "a time", "a duration"):
            return frozenset({TIME})
        case (("+" | "-"), "a duration", "a duration"):
            return frozenset({DURATION})
        case _:
            return None


def outcome(operator: str, left: Kinds, right: Kinds) -> str | None:
    """What a comparison of such values always is: ``error``, ``false`` or ``true``; None if that depends."""
    if left is None or right is None or not left or not right:
        return None
    shared = left & right
    if operator in ("=", "!="):
        return None if shared else "false" if operator == "=" else "true"
    return None if shared & _ORDERED else "error"


def kind_words(kinds: frozenset[str]) -> str:
    """The kinds in words."""
    if kinds >= _RESOURCE:
        return " or ".join(["a resource", *sorted(kinds - _RESOURCE)])
    return " or ".join(sorted(kinds))
