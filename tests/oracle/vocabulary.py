"""The few terms of random examples: few, so that joins find partners.

Each term is there as it is written in a query and in its encoded form.
"""

from __future__ import annotations

from fractions import Fraction

from etalis_py.terms import Encoded, ntriples
from etalis_py.vocabulary import (
    RDF_TYPE,
    RDFS,
    XSD_BOOLEAN,
    XSD_DATETIME,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_INTEGER,
    XSD_STRING,
)

__all__ = [
    "BACKGROUNDS",
    "CLASSES",
    "ENTITIES",
    "LITERALS",
    "MADE",
    "PREDICATES",
    "PROLOGUE",
    "SECOND",
    "VARIABLES",
    "written",
]

SECOND = 1_000_000

PROLOGUE = "PREFIX : <urn:>\n"
ENTITIES = ("urn:a", "urn:b", "urn:c")
PREDICATES = ("urn:p", "urn:q", "urn:r")
MADE = ("urn:d", "urn:e")
"""Predicates that only CONSTRUCT queries give."""

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


BACKGROUNDS: tuple[frozenset[tuple[str, str, Encoded]], ...] = (
    frozenset(
        {
            ("urn:a", "urn:p", "urn:b"),
            ("urn:b", "urn:p", (2, XSD_INTEGER)),
            ("urn:c", "urn:q", "urn:c"),
        }
    ),
    frozenset({("urn:C", RDFS + "subClassOf", "urn:D"), ("urn:a", RDF_TYPE, "urn:C")}),
    frozenset(
        {
            ("urn:p", RDFS + "subPropertyOf", "urn:q"),
            ("urn:q", RDFS + "domain", "urn:C"),
            ("urn:r", RDFS + "range", "urn:D"),
            ("urn:b", "urn:p", "urn:c"),
        }
    ),
    frozenset(
        {
            ("urn:C", RDFS + "subClassOf", "urn:D"),
            ("urn:D", RDFS + "subClassOf", "urn:C"),
            ("urn:d", RDFS + "subPropertyOf", "urn:p"),
            ("urn:p", RDFS + "subPropertyOf", "urn:r"),
            ("urn:r", RDFS + "domain", "urn:D"),
            ("urn:q", RDFS + "range", "urn:C"),
            ("urn:c", "urn:r", "urn:a"),
            ("urn:c", "urn:q", (1, XSD_INTEGER)),
        }
    ),
)
"""What may be known besides the stream: plain facts, and small ontologies with a cycle and all six rules."""
