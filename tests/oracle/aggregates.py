"""The value of an aggregate over the solutions of a group (SPARQL 1.1, section 18.5.1), from scratch."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from etalis_py.compiler.parse import syntax
from etalis_py.core.terms import Encoded, lexical_form
from etalis_py.core.vocabulary import XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER, XSD_STRING
from tests.oracle.orders import sort_key, standard_key
from tests.oracle.values import NUMBERS, ExpressionError, arithmetic

__all__ = ["aggregated"]


def aggregated(aggregate: syntax.Aggregate, values: Sequence[Encoded | None]) -> Encoded:
    """The aggregate of ``values``, in their order, each once if it is DISTINCT; None is an error.

    Of equal values MIN and MAX are the first in the standard order of terms.

    Raises:
        ExpressionError: there is no value.
    """
    if aggregate.distinct:
        values = list(dict.fromkeys(values))
    known = [each for each in values if each is not None]
    if aggregate.name == "COUNT":
        return len(known), XSD_INTEGER
    if aggregate.name == "SAMPLE":
        return _first(known)
    if len(known) < len(values):
        raise ExpressionError("an error among the values")
    match aggregate.name:
        case "SUM":
            return _sum(known)
        case "AVG":
            return arithmetic("/", _sum(known), (len(known), XSD_INTEGER)) if known else (0, XSD_INTEGER)
        case "MIN":
            return _first(sorted(sorted(known, key=standard_key), key=sort_key))
        case "MAX":
            return _first(sorted(sorted(known, key=standard_key), key=sort_key, reverse=True))
        case "GROUP_CONCAT":
            separator = " " if aggregate.separator is None else aggregate.separator
            return separator.join(map(_text, known)), XSD_STRING


def _first(values: Sequence[Encoded]) -> Encoded:
    if not values:
        raise ExpressionError("no value")
    return values[0]


def _sum(values: Sequence[Encoded]) -> Encoded:
    """The exact sum; rounded once, where it is a double."""
    total = Fraction(0)
    kinds = {each[-1] for each in values if not isinstance(each, str)}
    for each in values:
        if isinstance(each, str) or each[-1] not in NUMBERS or isinstance(each[0], str | tuple):
            raise ExpressionError("no number")
        total += Fraction(each[0])
    if XSD_DOUBLE in kinds:
        return float(total), XSD_DOUBLE
    return (total, XSD_DECIMAL) if XSD_DECIMAL in kinds else (int(total), XSD_INTEGER)


def _text(term: Encoded) -> str:
    """STR."""
    if isinstance(term, str) and term.startswith("_:"):
        raise ExpressionError("a blank node has no text")
    return lexical_form(term)[0]
