"""The few terms of random examples: few, so that joins find partners.

Each term is there as it is written in a query and in its encoded form.
"""

from __future__ import annotations

from fractions import Fraction

from etalis_py.core.terms import Encoded, ntriples
from etalis_py.core.vocabulary import (
    DEFAULT_STREAM,
    RDF_TYPE,
    XSD_BOOLEAN,
    XSD_DATE,
    XSD_DATETIME,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_INTEGER,
    XSD_STRING,
)

__all__ = [
    "CLASSES",
    "DERIVED",
    "ENTITIES",
    "GRAPHS",
    "LITERALS",
    "MADE",
    "PREDICATES",
    "PROLOGUE",
    "SECOND",
    "STREAMS",
    "VARIABLES",
    "written",
]

SECOND = 1_000_000

PROLOGUE = "PREFIX : <urn:>\n"
ENTITIES = ("urn:a", "urn:b", "urn:c")
PREDICATES = ("urn:p", "urn:q", "urn:r")
MADE = ("urn:d", "urn:e")
"""Predicates that only CONSTRUCT queries give."""

GRAPHS = ("urn:g", "urn:h")
STREAMS = (DEFAULT_STREAM, "urn:a", "urn:s")
DERIVED = ("urn:o", "urn:s")
"""Streams that CONSTRUCT queries add to."""

CLASSES = ("urn:C", "urn:D")
LITERALS: tuple[Encoded, ...] = (
    (1, XSD_INTEGER),
    (2, XSD_INTEGER),
    (3, XSD_INTEGER),
    (1, "01", XSD_INTEGER),
    (Fraction(3, 2), XSD_DECIMAL),
    (2.0, XSD_DOUBLE),
    ("s", XSD_STRING),
    ("hi", "@en"),
    (True, XSD_BOOLEAN),
    ("abc", XSD_INTEGER),
    ("2020-05-01", XSD_DATE),
    ("2020-05-01Z", XSD_DATE),
    ("2020-05-02Z", XSD_DATE),
    (4 * SECOND, XSD_DATETIME),
)
VARIABLES = ("x", "y", "z")


def written(term: Encoded) -> str:
    """The term as a query writes it; a variable or blank node as it is."""
    if isinstance(term, str) and not term.startswith("http"):
        return f":{term[4:]}" if term.startswith("urn:") else term
    if isinstance(term, tuple) and term[-1] in (XSD_INTEGER, XSD_BOOLEAN) and not isinstance(term[0], str):
        return term[1] if len(term) == 3 else str(term[0]).lower()
    return "a" if term == RDF_TYPE else ntriples(term)
