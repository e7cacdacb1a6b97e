"""Rows of encoded terms in a form that JSON has."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

__all__ = ["from_json_form", "json_form"]


def json_form(value: Any) -> Any:
    """Lists for tuples, and what JSON does not have (an exact decimal) as an object.

    >>> json_form(("urn:a", (Fraction(1, 2), "urn:type")))
    ['urn:a', [{'numerator': 1, 'denominator': 2}, 'urn:type']]
    """
    if isinstance(value, (tuple, list)):
        return [json_form(each) for each in value]
    if isinstance(value, Fraction):
        return {"numerator": value.numerator, "denominator": value.denominator}
    return value


def from_json_form(value: Any) -> Any:
    """What `json_form` was given; of lists it makes tuples.

    >>> from_json_form(["urn:a", [{"numerator": 1, "denominator": 2}, "urn:type"]])
    ('urn:a', (Fraction(1, 2), 'urn:type'))
    """
    if isinstance(value, list):
        return tuple(map(from_json_form, value))
    if isinstance(value, dict):
        return Fraction(value["numerator"], value["denominator"])
    return value
