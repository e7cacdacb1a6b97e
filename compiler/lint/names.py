"""Classes and properties that the background does not know, but has under nearly the same name."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Constant
from etalis_py.compiler.explain.readable import readable_for
from etalis_py.compiler.lint.findings import Finding, Subject
from etalis_py.compiler.spans import Span
from etalis_py.core.vocabulary import RDF_TYPE

__all__ = ["asked_names", "unknown_names"]


def unknown_names(subject: Subject) -> Iterator[Finding]:
    """EW10: a class or property that is not in the background, which has a similar one."""
    readable = readable_for(subject.query)
    for iri, is_class, span in asked_names(subject):
        near = subject.vocabulary.near(iri, is_class=is_class)
        if near is not None:
            what = "class" if is_class else "property"
            message = f"the background has no {what} {readable.iri(iri)}"
            yield Finding("EW10", message, span, f"did you mean {readable.iri(near)}?")


def asked_names(subject: Subject) -> Iterator[tuple[str, bool, Span]]:
    """The classes (True) and properties (False) of patterns that stream or background may match."""
    for pattern, _ in subject.scopes.patterns:
        if not isinstance(pattern, algebra.TriplePattern) or not isinstance(pattern.predicate, Constant):
            continue
        if pattern.graph is not None or pattern.sources is not None:
            continue
        is_class = pattern.predicate.value == RDF_TYPE
        term = pattern.object if is_class else pattern.predicate
        if isinstance(term, Constant) and isinstance(term.value, str):
            yield term.value, is_class, term.span
