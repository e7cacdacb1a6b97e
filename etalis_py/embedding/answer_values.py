"""The values of answers as Prolog gives them, as encoded terms (`etalis_py.core.terms.Encoded`)."""

from __future__ import annotations

from typing import Any

from etalis_py.core.vocabulary import XSD_DOUBLE, XSD_INTEGER

__all__ = ["encoded", "encoded_value"]


def encoded(value: Any) -> Any:
    """The encoded term (`etalis_py.core.terms.Encoded`, None if unbound) for what ``encode_term/2`` gives.

    It gives lists for tuples: of a tuple that janus-swi 1.5.3 makes, Python never gets the items back, and a
    long stream of answers would fill the memory.
    """
    if value.__class__ is not list:
        return value
    if value[0].__class__ is list:
        return (tuple(value[0]), *value[1:])
    return tuple(value)


def encoded_value(value: Any) -> Any:
    """The encoded term, or triples, for a value of an answer (``rules/engine/answers.pl``): a number is a
    usual literal.
    """
    if value.__class__ is int:
        return (value, XSD_INTEGER)
    if value.__class__ is float:
        return (value, XSD_DOUBLE)
    if value.__class__ is list and value[-1].__class__ is list:  # the last item of a term is its type
        return tuple((s, p, encoded(o)) for s, p, o in value)
    return encoded(value)
