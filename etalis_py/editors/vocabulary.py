"""The classes and properties of background files, with what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from etalis_py.core.vocabulary import RDF_TYPE, RDFS
from etalis_py.ontologies.formats import PROLOG, find_sources
from etalis_py.ontologies.triples import read_triples

__all__ = ["Term", "Vocabulary", "vocabulary_of"]

_CLASS_TYPES: Final = frozenset({f"{RDFS}Class", "http://www.w3.org/2002/07/owl#Class"})
_SUBCLASS: Final = f"{RDFS}subClassOf"
_SUBPROPERTY: Final = f"{RDFS}subPropertyOf"
_BETWEEN_CLASSES: Final = frozenset({_SUBCLASS, "http://www.w3.org/2002/07/owl#equivalentClass"})
_OF_PROPERTIES: Final = frozenset({_SUBPROPERTY, f"{RDFS}domain", f"{RDFS}range"})
_TO_CLASSES: Final = frozenset({f"{RDFS}domain", f"{RDFS}range"})
_LABELS: Final = frozenset({f"{RDFS}label", "http://www.w3.org/2004/02/skos/core#prefLabel"})
_COMMENTS: Final = frozenset({f"{RDFS}comment", "http://www.w3.org/2004/02/skos/core#definition"})


@dataclass(slots=True)
class Term:
    """A class, a property, or both; ``supers`` are the classes or properties directly above it."""

    iri: str
    is_class: bool = False
    is_property: bool = False
    label: str | None = None
    comment: str | None = None
    supers: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """What it is, in words."""
        if self.is_class:
            return "class and property" if self.is_property else "class"
        return "property"


class Vocabulary:
    """What is known of the names in some files."""

    def __init__(self) -> None:
        self._terms: dict[str, Term] = {}

    def get(self, iri: str) -> Term | None:
        """What is known of a class or property."""
        found = self._terms.get(iri)
        return found if found is not None and (found.is_class or found.is_property) else None

    @property
    def terms(self) -> list[Term]:
        """All classes and properties, by their IRIs."""
        return [term for _, term in sorted(self._terms.items()) if term.is_class or term.is_property]

    def learn(self, subject: Any, predicate: Any, value: Any) -> None:
        """Take over what a triple says of names."""
        verb = predicate.value
        self.learn_property(verb)
        if verb == RDF_TYPE:
            self._learn_type(subject, value)
        if _is_iri(subject):
            term = self._term(subject.value)
            term.is_class = term.is_class or verb in _BETWEEN_CLASSES
            term.is_property = term.is_property or verb in _OF_PROPERTIES
            if verb in (_SUBCLASS, _SUBPROPERTY) and _is_iri(value):
                term.supers.append(value.value)
            if verb in _LABELS:
                term.label = _preferred(term.label, value)
            if verb in _COMMENTS:
                term.comment = _preferred(term.comment, value)
        if _is_iri(value):
            term = self._term(value.value)
            term.is_class = term.is_class or verb in _BETWEEN_CLASSES or verb in _TO_CLASSES
            term.is_property = term.is_property or verb == _SUBPROPERTY

    def learn_property(self, iri: str) -> None:
        """Take over that a name is used as a property."""
        self._term(iri).is_property = True

    def _learn_type(self, subject: Any, kind: Any) -> None:
        if not _is_iri(kind):
            return
        self._term(kind.value).is_class = True
        if _is_iri(subject):
            term = self._term(subject.value)
            term.is_class = term.is_class or kind.value in _CLASS_TYPES
            term.is_property = term.is_property or kind.value.endswith("Property")

    def _term(self, iri: str) -> Term:
        return self._terms.setdefault(iri, Term(iri))


def vocabulary_of(files: Sequence[str]) -> Vocabulary:
    """The classes and properties of background files; Prolog files are passed over.

    Raises:
        DataError: EP421 to EP430, a file cannot be read.
    """
    vocabulary = Vocabulary()
    for source in find_sources(files):
        if source.format != PROLOG:
            for subject, predicate, value, _ in read_triples(source):
                vocabulary.learn(subject, predicate, value)
    return vocabulary


def _is_iri(term: Any) -> bool:
    return type(term).__name__ == "NamedNode"


def _preferred(known: str | None, value: Any) -> str:
    """The text of a literal, if it is English or the first."""
    language = getattr(value, "language", None)
    text = str(value.value)
    return text if known is None or language in ("en", "en-GB", "en-US") else known
