"""The functions an expression may call, and the Prolog predicate that computes each.

Every predicate takes RDF terms, gives its value as last argument and fails where SPARQL says "error"
(SPARQL 1.1, section 17; casts 17.5). The library is ``rules/sparql/values.pl`` and ``rules/functions*.pl``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from etalis_py.compiler.parse.names import PROLOG_NAMESPACE
from etalis_py.core.value_class import value_class
from etalis_py.core.vocabulary import XSD

__all__ = [
    "ARITHMETIC",
    "FUNCTIONS",
    "PROLOG_NAMESPACE",
    "TIMESTAMP",
    "TIME_FUNCTIONS",
    "WINDOW_FUNCTIONS",
    "FunctionSignature",
]

TIMESTAMP: Final = "http://larkc.eu/csparql/sparql/jena/ext#timestamp"
"""Of C-SPARQL: when a triple came last."""
WINDOW_FUNCTIONS: Final = frozenset({"GETWINDOWSTART", "GETWINDOWEND"})
"""Of a window: its name; in the algebra also its width, and of steps their period and first closing."""
TIME_FUNCTIONS: Final = WINDOW_FUNCTIONS | {"GETDURATION", "GETSTARTTIME", "GETENDTIME"}


@value_class
class FunctionSignature:
    """A Prolog predicate and how many arguments it takes before its value."""

    predicate: str
    least: int
    most: int
    variadic: bool = False
    """All arguments are handed over as one list."""


def _signature(predicate: str, least: int, most: int | None = None) -> FunctionSignature:
    return FunctionSignature(predicate, least, least if most is None else most)


ARITHMETIC = MappingProxyType(
    {
        "+": _signature("add", 2),
        "-": _signature("subtract", 2),
        "*": _signature("multiply", 2),
        "/": _signature("divide", 2),
        "negate": _signature("unary_minus", 1),
        "plus": _signature("unary_plus", 1),
        "length": _signature("f_length", 2),
    }
)
"""Operators whose value is a number, a time or a duration; ``length`` is that from one time to another."""

_BUILT_INS = {
    "STR": 1, "LANG": 1, "DATATYPE": 1, "IRI": 2, "ABS": 1, "ROUND": 1, "CEIL": 1, "FLOOR": 1,
    "RAND": 0, "STRLEN": 1, "UCASE": 1, "LCASE": 1, "ENCODE_FOR_URI": 1, "CONTAINS": 2,
    "STRSTARTS": 2, "STRENDS": 2, "STRBEFORE": 2, "STRAFTER": 2, "YEAR": 1, "MONTH": 1, "DAY": 1,
    "HOURS": 1, "MINUTES": 1, "SECONDS": 1, "TIMEZONE": 1, "TZ": 1, "UUID": 0, "STRUUID": 0,
    "NOW": 0, "MD5": 1, "SHA1": 1, "SHA256": 1, "SHA384": 1, "SHA512": 1, "STRLANG": 2, "STRDT": 2,
    "ISIRI": 1, "ISBLANK": 1, "ISLITERAL": 1, "ISNUMERIC": 1, "LANGMATCHES": 2,
}  # fmt: skip

_CASTS = (
    "string", "boolean", "decimal", "double", "float", "integer", "nonPositiveInteger", "negativeInteger",
    "nonNegativeInteger", "positiveInteger", "long", "int", "short", "byte", "unsignedLong", "unsignedInt",
    "unsignedShort", "unsignedByte", "dateTime", "dateTimeStamp", "date", "time", "gYear", "gYearMonth",
    "gMonthDay", "gMonth", "gDay", "duration", "dayTimeDuration", "yearMonthDuration",
)  # fmt: skip

FUNCTIONS = MappingProxyType(
    {name: _signature(f"f_{name.lower()}", arity) for name, arity in _BUILT_INS.items()}
    | {
        "SUBSTR": _signature("f_substr", 2, 3),
        "REGEX": _signature("f_regex", 2, 3),
        "REPLACE": _signature("f_replace", 3, 4),
        "CONCAT": FunctionSignature("f_concat", 0, 255, variadic=True),
        "BNODE": _signature("f_bnode", 0, 2),
    }
    | {XSD + name: _signature(f"cast_{name.lower()}", 1) for name in _CASTS}
)
"""Built-ins by name and casts by IRI.

``IRI`` takes the query's base as its first argument. ``BNODE`` with a label takes what stands for the
solution before it; without that, every call gives another blank node.
"""
