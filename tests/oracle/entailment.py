"""RDFS entailment of the oracle: rdfs2, 3, 5, 7, 9 and 11, applied until nothing new comes.

The ontology is the background's. A triple of the stream entails what it gives together with the ontology,
with its own interval; schema triples of the stream are triples like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from etalis_py.vocabulary import (
    RDF_TYPE,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_SUBCLASSOF,
    RDFS_SUBPROPERTYOF,
)
from tests.oracle.solutions import Occurrence, Triple

__all__ = ["background_closure", "stream_closure"]


def background_closure(background: Iterable[Triple]) -> frozenset[Triple]:
    """All that the background entails."""
    known = set(background)
    while True:
        new = {
            made for triple in known for made in (*_instances(triple, known), *_schema(triple, known))
        } - known
        if not new:
            return frozenset(known)
        known |= new


def stream_closure(stream: Iterable[Occurrence], ontology: frozenset[Triple]) -> frozenset[Occurrence]:
    """The stream with what each occurrence entails; ``ontology`` is closed already."""
    known = set(stream)
    while True:
        entailed = ((made, interval) for triple, interval in known for made in _instances(triple, ontology))
        new = set(entailed) - known
        if not new:
            return frozenset(known)
        known |= new


def _instances(triple: Triple, ontology: Iterable[Triple]) -> Iterator[Triple]:
    """rdfs2, rdfs3, rdfs7 and rdfs9. What would have a literal as subject is no triple."""
    subject, predicate, value = triple
    for about, relation, other in ontology:
        if about == predicate and relation == RDFS_DOMAIN:
            yield subject, RDF_TYPE, other
        elif about == predicate and relation == RDFS_RANGE and isinstance(value, str):
            yield value, RDF_TYPE, other
        elif about == predicate and relation == RDFS_SUBPROPERTYOF:
            yield subject, other, value
        elif predicate == RDF_TYPE and about == value and relation == RDFS_SUBCLASSOF:
            yield subject, RDF_TYPE, other


def _schema(triple: Triple, ontology: Iterable[Triple]) -> Iterator[Triple]:
    """rdfs5 and rdfs11."""
    subject, predicate, value = triple
    if predicate in (RDFS_SUBCLASSOF, RDFS_SUBPROPERTYOF):
        for about, relation, other in ontology:
            if relation == predicate and about == value:
                yield subject, predicate, other
