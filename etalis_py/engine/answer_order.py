"""The order in which answers are given, for answers that come from more than one engine.

An engine gives answers by end, start, query and bindings, the last in Prolog's standard order of terms
(``take_answers`` in ``rules/engine/instant.pl``). This is the same order for terms in their encoded form.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, TypeAlias

from etalis_py.core.literals import LiteralValue
from etalis_py.core.terms import Encoded
from etalis_py.engine.matches import Match

__all__ = ["row_order", "term_order"]

_Key: TypeAlias = "tuple[Any, ...]"
"""Keys compare as the terms do; where two differ in kind they differ in a number before anything else."""

# Prolog's standard order: numbers, strings, atoms, compound terms by arity, name and arguments.
_NUMBER, _STRING, _ATOM, _COMPOUND = range(4)
_UNBOUND = "$unbound"


def row_order(match: Match) -> _Key:
    """The key by which answers of one query that have one interval are sorted.

    >>> rows = [Match("q", 1, 1, ("x",), (term,)) for term in ("urn:b", None, "urn:a")]
    >>> [match.values for match in sorted(rows, key=row_order)]
    [(None,), ('urn:a',), ('urn:b',)]
    """
    if match.encoded_triples is None:
        return tuple(map(term_order, match.values))
    return tuple(tuple(map(term_order, triple)) for triple in match.encoded_triples)


def term_order(term: Encoded | None) -> _Key:
    """The key of one term: IRIs and blank nodes are atoms, literals ``Value^^Type`` or ``Text@Language``."""
    if term is None:
        return _ATOM, _UNBOUND
    if isinstance(term, str):
        return _ATOM, term
    kind = term[-1]
    if kind[0] == "@":
        return _COMPOUND, "@", (_STRING, term[0]), kind[1:]
    value = _value_order(term[0])
    if len(term) == 3:
        value = (_COMPOUND, "lexical", value, term[1])
    return _COMPOUND, "^^", value, kind


def _value_order(value: LiteralValue) -> _Key:
    match value:
        case str():
            return _STRING, value
        case bool():
            return _ATOM, "true" if value else "false"
        case tuple():
            return _COMPOUND, "duration", *value
        case float():
            return _NUMBER, *_float_order(value)
        case int() | Fraction():
            return _NUMBER, value, 1, 0


def _float_order(value: float) -> _Key:
    """Not-a-number is the lowest; of equal values a float comes before an integer, -0.0 before 0.0."""
    if math.isnan(value):
        return -math.inf, 0, 0
    return value, 1 if math.isinf(value) and value < 0 else 0, math.copysign(1.0, value)
