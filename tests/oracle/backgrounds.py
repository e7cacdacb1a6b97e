"""What may be known besides the stream: facts and small ontologies, the same ones in every run."""

from __future__ import annotations

from random import Random

from etalis_py.core.vocabulary import (
    RDF_TYPE,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_SUBCLASSOF,
    RDFS_SUBPROPERTYOF,
    XSD_INTEGER,
)
from tests.oracle.solutions import Triple

__all__ = ["BACKGROUNDS"]

_FACTS: tuple[Triple, ...] = (
    ("urn:a", "urn:p", "urn:b"),
    ("urn:b", "urn:p", (2, XSD_INTEGER)),
    ("urn:b", "urn:q", "urn:c"),
    ("urn:c", "urn:q", "urn:c"),
    ("urn:c", "urn:r", "urn:a"),
    ("urn:c", "urn:r", (1, XSD_INTEGER)),
    ("urn:a", RDF_TYPE, "urn:C"),
    ("urn:C", "urn:r", "urn:D"),
)
_SCHEMA: tuple[Triple, ...] = (
    ("urn:C", RDFS_SUBCLASSOF, "urn:D"),
    ("urn:D", RDFS_SUBCLASSOF, "urn:C"),
    ("urn:D", RDFS_SUBCLASSOF, "urn:E"),
    ("urn:p", RDFS_SUBPROPERTYOF, "urn:q"),
    ("urn:q", RDFS_SUBPROPERTYOF, "urn:r"),
    ("urn:q", RDFS_SUBPROPERTYOF, "urn:p"),
    ("urn:d", RDFS_SUBPROPERTYOF, "urn:p"),
    ("urn:p", RDFS_DOMAIN, "urn:C"),
    ("urn:q", RDFS_DOMAIN, "urn:D"),
    ("urn:e", RDFS_DOMAIN, "urn:D"),
    ("urn:q", RDFS_RANGE, "urn:C"),
    ("urn:r", RDFS_RANGE, "urn:D"),
)
_ODD: tuple[Triple, ...] = (
    ("urn:r", RDFS_SUBPROPERTYOF, RDF_TYPE),
    (RDF_TYPE, RDFS_SUBPROPERTYOF, "urn:p"),
    (RDF_TYPE, RDFS_DOMAIN, "urn:D"),
    (RDF_TYPE, RDFS_RANGE, "urn:C"),
    ("urn:r", RDFS_SUBPROPERTYOF, RDFS_SUBCLASSOF),
)
"""What RDFS allows though hardly anybody says it."""


def _background(number: int) -> frozenset[Triple]:
    """The higher the number, the more triples."""
    random = Random(number)
    facts, schema = random.sample(_FACTS, 1 + number // 8), random.sample(_SCHEMA, number // 5)
    return frozenset((*facts, *schema, *(random.sample(_ODD, 1) if number % 4 == 3 else ())))


BACKGROUNDS = tuple(_background(number) for number in range(32))
