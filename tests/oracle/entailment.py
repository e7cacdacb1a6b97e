"""RDFS entailment of the oracle: rdfs2, 3, 5, 7, 9 and 11, applied until nothing new comes.

Then what the background says of its classes and properties (``axioms.py``), with what is above them.

The ontology is the background's. A triple of the stream entails what it gives together with the ontology,
with its own interval; schema triples of the stream are triples like any other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from etalis_py.core.vocabulary import (
    RDF_TYPE,
    RDFS,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_SUBCLASSOF,
    RDFS_SUBPROPERTYOF,
)
from tests.oracle.axioms import EFFECTIVE, is_member_property, vocabulary
from tests.oracle.solutions import Occurrence, Triple

__all__ = ["Closure"]

_TRANSITIVE = {
    (RDF_TYPE, RDFS_SUBCLASSOF),
    (RDFS_SUBCLASSOF, RDFS_SUBCLASSOF),
    (RDFS_SUBPROPERTYOF, RDFS_SUBPROPERTYOF),
}


@dataclass(frozen=True, slots=True)
class Closure:
    """``triples`` is all that the background holds, ``ontology`` what of it the stream is read with."""

    triples: frozenset[Triple]
    ontology: frozenset[Triple]

    @classmethod
    def of(cls, background: Collection[Triple]) -> Closure:
        """All that the background entails; where there is none, not even the axioms hold."""
        return cls.with_axioms(background) if background else cls(frozenset(), frozenset())

    @classmethod
    def with_axioms(cls, background: Collection[Triple]) -> Closure:
        """The same, also of no triples."""
        known, ontology = set(background), {*background, *EFFECTIVE}
        while True:
            made = {
                new for triple in known for new in (*_instances(triple, ontology), *_schema(triple, ontology))
            }
            if made <= known:
                break
            known |= made
            ontology |= made
        known = ontology | vocabulary(ontology)
        while True:
            made = {new for triple in known for new in _above(triple, ontology)}
            if made <= known:
                return cls(frozenset(known), frozenset(ontology))
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


def _instances(triple: Triple, ontology: Collection[Triple]) -> Iterator[Triple]:
    """rdfs2, rdfs3, rdfs7 and rdfs9. What would have a literal as subject is no triple."""
    subject, predicate, value = triple
    if ontology and is_member_property(predicate):
        yield subject, RDFS + "member", value
    for about, relation, other in ontology:
        if about == predicate and relation == RDFS_DOMAIN:
            yield subject, RDF_TYPE, other
        elif about == predicate and relation == RDFS_RANGE and isinstance(value, str):
            yield value, RDF_TYPE, other
        elif about == predicate and relation == RDFS_SUBPROPERTYOF:
            yield subject, other, value
        elif predicate == RDF_TYPE and about == value and relation == RDFS_SUBCLASSOF:
            yield subject, RDF_TYPE, other


def _above(triple: Triple, ontology: Iterable[Triple]) -> Iterator[Triple]:
    """rdfs5, rdfs7, rdfs9 and rdfs11 of what is said of the vocabulary."""
    subject, predicate, value = triple
    for about, relation, other in ontology:
        if about == predicate and relation == RDFS_SUBPROPERTYOF:
            yield subject, other, value
        elif about == value and (predicate, relation) in _TRANSITIVE:
            yield subject, predicate, other


def _schema(triple: Triple, ontology: Iterable[Triple]) -> Iterator[Triple]:
    """rdfs5 and rdfs11."""
    subject, predicate, value = triple
    if predicate in (RDFS_SUBCLASSOF, RDFS_SUBPROPERTYOF):
        for about, relation, other in ontology:
            if relation == predicate and about == value:
                yield subject, predicate, other
