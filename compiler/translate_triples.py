"""Triples of patterns and templates: collections, property lists and paths become triple patterns."""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import assert_never

from etalis_py.compiler import algebra, syntax
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span
from etalis_py.compiler.translate_expressions import ExpressionTranslator
from etalis_py.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST

__all__ = ["TripleTranslator"]


class TripleTranslator:
    """Translates the triples of one query; blank nodes become variables named ``_:...``."""

    def __init__(self, query_text: QueryText, expressions: ExpressionTranslator) -> None:
        self._text = query_text
        self._expressions = expressions
        self._fresh = 0

    def patterns(self, subjects: tuple[syntax.SubjectTriples, ...]) -> Iterator[algebra.Pattern]:
        """The patterns to be joined: one for each triple, more for a path."""
        for triples in subjects:
            subject, more = self._node(triples.subject)
            yield from more
            yield from self._properties(subject, triples.properties)

    def template(self, subjects: tuple[syntax.SubjectTriples, ...]) -> tuple[algebra.TriplePattern, ...]:
        """The triples of a CONSTRUCT template."""
        found = tuple(self.patterns(subjects))
        return tuple(each for each in found if isinstance(each, algebra.TriplePattern))

    def _properties(
        self, subject: algebra.TermPattern, properties: tuple[syntax.PropertyObjects, ...]
    ) -> Iterator[algebra.Pattern]:
        for each in properties:
            for syntax_object in each.objects:
                target, more = self._node(syntax_object)
                yield self._verb(subject, each.verb, target, each.verb.span.to(syntax_object.span))
                yield from more

    def _node(self, node: syntax.GraphNode) -> tuple[algebra.TermPattern, list[algebra.Pattern]]:
        """The term that stands for ``node``, and the triples that come with it."""
        match node:
            case syntax.Variable(name=name):
                return algebra.Variable(name, span=node.span), []
            case syntax.BlankNode(label=label):
                return (self._blank(node.span) if label is None else self._named(label, node.span)), []
            case syntax.IriRef() | syntax.PrefixedName() | syntax.Literal():
                return self._expressions.constant(node), []
            case syntax.BlankNodePropertyList(properties=properties):
                subject = self._blank(node.span)
                return subject, list(self._properties(subject, properties))
            case syntax.Collection(items=items):
                return self._collection(items, node.span)
            case _:
                assert_never(node)

    def _collection(
        self, items: tuple[syntax.GraphNode, ...], span: Span
    ) -> tuple[algebra.TermPattern, list[algebra.Pattern]]:
        nil = algebra.Constant(RDF_NIL, span=span)
        cells = [self._blank(span) for _ in items]
        triples: list[algebra.Pattern] = []
        for position, item in enumerate(items):
            value, more = self._node(item)
            rest = cells[position + 1] if position + 1 < len(cells) else nil
            first, tail = algebra.Constant(RDF_FIRST, span=span), algebra.Constant(RDF_REST, span=span)
            triples.append(algebra.TriplePattern(cells[position], first, value, span=item.span))
            triples.append(algebra.TriplePattern(cells[position], tail, rest, span=item.span))
            triples.extend(more)
        return (cells[0] if cells else nil), triples

    def _named(self, label: str, span: Span) -> algebra.Variable:
        return algebra.Variable(f"_:{label}", span=span)

    def _blank(self, span: Span) -> algebra.Variable:
        self._fresh += 1
        return algebra.Variable(f"_: {self._fresh}", span=span)  # the space keeps it apart from labels

    def _verb(
        self,
        subject: algebra.TermPattern,
        verb: syntax.Variable | syntax.Path,
        target: algebra.TermPattern,
        span: Span,
    ) -> algebra.Pattern:
        """One triple, or what a path is an abbreviation of (SPARQL 1.1, section 18.2.2.3)."""
        match verb:
            case syntax.Variable(name=name):
                return algebra.TriplePattern(
                    subject, algebra.Variable(name, span=verb.span), target, span=span
                )
            case syntax.IriRef() | syntax.PrefixedName():
                return algebra.TriplePattern(subject, self._expressions.constant(verb), target, span=span)
            case syntax.InversePath(path=path):
                return self._verb(target, path, subject, span)
            case syntax.SequencePath(steps=steps):
                return self._sequence(subject, steps, target, span)
            case syntax.AlternativePath(choices=choices):
                first, *others = (self._verb(subject, choice, target, span) for choice in choices)
                for other in others:
                    first = algebra.Union(first, other, span=span)
                return first
            case syntax.RepeatedPath(times=times):
                raise self._text.unsupported(f"a property path with {times!r}", verb.span)
            case syntax.NegatedPropertySet():
                raise self._text.unsupported("a negated property set", verb.span)
            case _:
                assert_never(verb)

    def _sequence(
        self,
        subject: algebra.TermPattern,
        steps: tuple[syntax.Path, ...],
        target: algebra.TermPattern,
        span: Span,
    ) -> algebra.Pattern:
        nodes = [subject, *(self._blank(span) for _ in steps[1:]), target]
        joined = self._verb(nodes[0], steps[0], nodes[1], span)
        for position, step in enumerate(steps[1:], start=1):
            following = self._verb(nodes[position], step, nodes[position + 1], span)
            joined = algebra.Join(joined, following, span=span)
        return joined
