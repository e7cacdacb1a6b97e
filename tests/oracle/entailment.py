"""RDFS entailment of the oracle: rdfs2, 3, 5, 7, 9 and 11, applied until nothing new comes.

The ontology is the background's. A triple of the stream entails what it gives together with the ontology,
with its own interval; schema triples of the stream are triples like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from etalis_py.vocabulary import (
    RDF_TYPE,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_SUBCLASSOF,
    RDFS_SUBPROPERTYOF,
)
from tests.oracle.solutions import Occurrence, Triple

__all__ = ["Closure"]


@dataclass(frozen=True, slots=True)
class Closure:
    """``triples`` is all that the background holds, ``ontology`` what of it the stream is read with."""

    triples: frozenset[Triple]
    ontology: frozenset[Triple]

    @classmethod
    def of(cls, background: Iterable[Triple]) -> Closure:
        """All that the background entails."""
        known = set(background)
        while True:
            made = {new for triple in known for new in (*_instances(triple, known), *_schema(triple, known))}
            if made <= known:
                return cls(frozenset(known), frozenset(known))
            known |= made

    def entailed(self, stream: Iterable[Occurrence]) -> frozenset[Occurrence]:
        """The stream with what each occurrence entails."""
        known = set(stream)
        while True:
            made = {
                (new, interval) for triple, interval in known for new in _instances(triple, self.ontology)
            }
            if made <= known:
                return frozenset(known)
            known |= made


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
