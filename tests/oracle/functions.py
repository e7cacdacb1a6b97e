"""Functions of the user's in random examples: those the engine is given, and the oracle's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

from rdflib import URIRef

from etalis_py import vectorised
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER
from tests.oracle.values import ExpressionError

__all__ = ["FUNCTIONS", "called"]


def _successor(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return value + 1


@vectorised
def _letters(values: Sequence[object]) -> Sequence[object]:
    return [URIRef(f"{each}{each[4:]}") if isinstance(each, URIRef) else None for each in values]


FUNCTIONS: Mapping[str, Callable[..., object]] = MappingProxyType(
    {"urn:next": _successor, "urn:twice": _letters}
)


def called(function: str, arguments: Sequence[Encoded]) -> Encoded:
    """The value of a call, on encoded terms throughout."""
    match function, arguments:
        case "urn:next", [(int() | Fraction() | float() as value, *_, kind)] if kind in (
            XSD_INTEGER,
            XSD_DECIMAL,
            XSD_DOUBLE,
        ) and not isinstance(value, bool):
            return value + 1, kind
        case "urn:twice", [str() as iri] if not iri.startswith("_:"):
            return f"{iri}{iri[4:]}"
        case _:
            raise ExpressionError(f"no value of {function} for {arguments}")
