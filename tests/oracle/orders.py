"""Orders of terms and solutions: ORDER BY (SPARQL 1.1, section 15.1), and what decides among equals."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from fractions import Fraction
from typing import Any

from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import (
    XSD_BOOLEAN,
    XSD_DATE,
    XSD_DATETIME,
    XSD_DAYTIMEDURATION,
    XSD_DURATION,
    XSD_STRING,
)
from etalis_py.engine.answer_order import term_order
from tests.oracle.solutions import Solution
from tests.oracle.values import NUMBERS, date_span

__all__ = ["Descending", "sort_key", "standard_key", "time_key"]

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MONTH = 2_629_746_000_000
"""Microseconds of a mean month: SPARQL leaves the order open where months meet days."""


class Descending:
    """A key that sorts the other way round."""

    def __init__(self, key: tuple[Any, ...]) -> None:
        self.key = key

    def __lt__(self, other: Descending) -> bool:
        return other.key < self.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Descending) and self.key == other.key

    __hash__ = None  # type: ignore[assignment]


def sort_key(term: Encoded | None) -> tuple[Any, ...]:
    """Unbound, blank nodes, IRIs, literals by value space and value; ill-typed ones last."""
    if term is None:
        return (0,)
    if isinstance(term, str):
        return (1 if term.startswith("_:") else 2), term
    value, kind = term[0], term[-1]
    if kind.startswith("@"):
        return 5, value, kind
    if kind in NUMBERS and not isinstance(value, str):
        assert isinstance(value, int | float | Fraction)
        return 3, Fraction(value)
    if kind == XSD_STRING:
        return 4, value
    if kind == XSD_BOOLEAN and isinstance(value, bool):
        return 6, value
    if kind == XSD_DATETIME and isinstance(value, int):
        return 7, value, 1
    if kind == XSD_DATE:
        earliest, latest = date_span(term)
        middle = earliest + (latest - earliest) / 2
        return 7, (middle - _EPOCH) // timedelta(microseconds=1), 0, earliest == latest
    if kind in (XSD_DURATION, XSD_DAYTIMEDURATION) and isinstance(value, tuple):
        return 8, value[0] * _MONTH + value[1], value[0]
    return 9, kind, value


def standard_key(term: Encoded | None) -> tuple[Any, ...]:
    """An order in which only equal terms are equal."""
    return term_order(term)


def time_key(solution: Solution) -> tuple[int, int, int]:
    """By end, then by start; what has no time comes first."""
    if solution.interval is None:
        return 0, 0, 0
    start, end = solution.interval
    return 1, end, start
