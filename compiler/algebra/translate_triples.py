"""Triples of patterns and templates: collections, property lists and paths become triple patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.datasets import ActiveGraph
from etalis_py.compiler.algebra.path_steps import repeated_step
from etalis_py.compiler.algebra.translate_expressions import ExpressionTranslator
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span
from etalis_py.core.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST

__all__ = ["TripleTranslator"]


class TripleTranslator:
    """Translates the triples of one query; blank nodes become variables named ``_:...``.

    ``graph`` is what they are matched with; the walk through the patterns sets it.
    """

    def __init__(self, text: QueryText, expressions: ExpressionTranslator) -> None:
        self._text = text
        self._expressions = expressions
        self._fresh = 0
        self.graph = ActiveGraph()

    def patterns(self, subjects: tuple[syntax.SubjectTriples, ...]) -> Iterator[algebra.Pattern]:
        """The patterns to be joined: one for each triple, more for a path."""
        for triples in subjects:
            subject, more = self._node(triples.subject)
            yield from more
            yield from self._properties(subject, triples.properties, triples.subject.span)

    def template(
        self, subjects: tuple[syntax.SubjectTriples, ...], stream: algebra.Constant | None = None
    ) -> tuple[algebra.TriplePattern, ...]:
        """The triples of a CONSTRUCT template, which go to ``stream``."""
        matched, self.graph = self.graph, ActiveGraph(place=None if stream is None else algebra.Place(stream))
        found = tuple(self.patterns(subjects))
        self.graph = matched
        return tuple(each for each in found if isinstance(each, algebra.TriplePattern))

    @property
    def _is_windowed(self) -> bool:
        """Whether triples are matched with what windows on streams hold."""
        place = self.graph.place
        return bool(self.graph.windows) or (place is not None and place.extent is not None)

    def _refuse_repeated(self, times: str, span: Span) -> None:
        """A path of any length needs one stream to walk in; one of no step also the nodes of that stream."""
        if self.graph.place is None:
            return
        hint, where = "write the steps out", "one element"
        if not self.graph.is_element:
            hint, where = "write the steps out, or name the stream: STREAM <iri> { ... }", "STREAM ?stream"
            if not self.graph.variables:
                hint, where = "write +, and UNION for the walk of no step", "STREAM"
                if times == "+" or self.graph.place.extent is not None:
                    return
        raise self._text.error("EP213", f"a path with {times} cannot stand in {where}", span, hint=hint)

    def _properties(
        self,
        subject: algebra.TermPattern,
        properties: tuple[syntax.PropertyObjects, ...],
        before: Span | None = None,
    ) -> Iterator[algebra.Pattern]:
        """A triple's span begins at its verb, that of the first one at ``before``, its subject."""
        for each in properties:
            for syntax_object in each.objects:
                target, more = self._node(syntax_object)
                span = (before or each.verb.span).to(syntax_object.span)
                yield self._verb(subject, each.verb, target, span)
                yield from more
                before = None

    def _node(self, node: syntax.GraphNode) -> tuple[algebra.TermPattern, list[algebra.Pattern]]:
        """The term that stands for ``node``, and the triples that come with it."""
        match node:
            case syntax.Variable(name=name):
                return algebra.Variable(name, span=node.span), []
            case syntax.BlankNode(label=label):
                return (self.hidden(node.span) if label is None else self._named(label, node.span)), []
            case syntax.IriRef() | syntax.PrefixedName() | syntax.Literal():
                return self._expressions.constant(node), []
            case syntax.BlankNodePropertyList(properties=properties):
                subject = self.hidden(node.span)
                return subject, list(self._properties(subject, properties))
            case syntax.Collection(items=items):
                return self._collection(items, node.span)
            case _:
                assert_never(node)

    def _collection(
        self, items: tuple[syntax.GraphNode, ...], span: Span
    ) -> tuple[algebra.TermPattern, list[algebra.Pattern]]:
        nil = algebra.Constant(RDF_NIL, span=span)
        cells = [self.hidden(span) for _ in items]
        triples: list[algebra.Pattern] = []
        for position, item in enumerate(items):
            value, more = self._node(item)
            rest = cells[position + 1] if position + 1 < len(cells) else nil
            first, tail = algebra.Constant(RDF_FIRST, span=span), algebra.Constant(RDF_REST, span=span)
            triples.append(self.matched(cells[position], first, value, item.span))
            triples.append(self.matched(cells[position], tail, rest, item.span))
            triples.extend(more)
        return (cells[0] if cells else nil), triples

    def _named(self, label: str, span: Span) -> algebra.Variable:
        return algebra.Variable(f"_:{label}", span=span)

    def hidden(self, span: Span) -> algebra.Variable:
        """A new variable that the query cannot name."""
        self._fresh += 1
        return algebra.Variable(f"_: {self._fresh}", span=span)  # the space keeps it apart from labels

    def _triple(
        self,
        subject: algebra.TermPattern,
        predicate: algebra.TermPattern,
        target: algebra.TermPattern,
        span: Span,
    ) -> algebra.TriplePattern:
        graph = self.graph
        return algebra.TriplePattern(
            subject, predicate, target, graph.name, graph.sources, graph.place, graph.background_only,
            span=span,
        )  # fmt: skip

    def matched(
        self,
        subject: algebra.TermPattern,
        predicate: algebra.TermPattern,
        target: algebra.TermPattern,
        span: Span,
    ) -> algebra.Pattern:
        """A triple where patterns are matched now.

        With several FROM STREAM what any of them has, once; with windows in the default graph what they hold
        or the background has.
        """
        triple = self._triple(subject, predicate, target, span)
        places = [
            algebra.Place(algebra.Constant(stream, span=span), background=number == 0, span=span)
            for number, stream in enumerate(self.graph.streams)
        ]
        found = [replace(triple, place=place) for place in places] or [triple]
        found += [replace(triple, place=place, background_only=False) for place in self.graph.windows]
        return found[0] if len(found) == 1 else algebra.Distinct(algebra.united(found, span), span=span)

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
                return self.matched(subject, algebra.Variable(name, span=verb.span), target, span)
            case syntax.IriRef() | syntax.PrefixedName():
                return self.matched(subject, self._expressions.constant(verb), target, span)
            case syntax.InversePath(path=path):
                return self._verb(target, path, subject, span)
            case syntax.SequencePath(steps=steps):
                return self._sequence(subject, steps, target, span)
            case syntax.AlternativePath(choices=choices):
                return algebra.united([self._verb(subject, choice, target, span) for choice in choices], span)
            case syntax.RepeatedPath(path=path, times=times):
                self._refuse_repeated(times, span)
                first, last = self.hidden(span), self.hidden(span)
                zero, many = times != "+", times != "?"
                if many and self._is_windowed:
                    path, stays = repeated_step(path)
                    zero = zero or stays
                step = self._verb(first, path, last, span)
                graph = self.graph
                return algebra.Closure(
                    step, first, last, subject, target, zero, many, graph.name, graph.sources, span=span
                )
            case syntax.NegatedPropertySet():
                return self._negated(subject, verb, target, span)
            case _:
                assert_never(verb)

    def _sequence(
        self,
        subject: algebra.TermPattern,
        steps: tuple[syntax.Path, ...],
        target: algebra.TermPattern,
        span: Span,
    ) -> algebra.Pattern:
        nodes = [subject, *(self.hidden(span) for _ in steps[1:]), target]
        joined = self._verb(nodes[0], steps[0], nodes[1], span)
        for position, step in enumerate(steps[1:], start=1):
            following = self._verb(nodes[position], step, nodes[position + 1], span)
            joined = algebra.Pair(operators.JOIN, joined, following, span=span)
        return joined

    def _negated(
        self,
        subject: algebra.TermPattern,
        path: syntax.NegatedPropertySet,
        target: algebra.TermPattern,
        span: Span,
    ) -> algebra.Pattern:
        """``!(a|^b)``: any predicate but ``a``, or backwards any but ``b`` (SPARQL 1.1, section 18.2.2.2)."""
        inverses = [each.path for each in path.members if isinstance(each, syntax.InversePath)]
        backwards = [each for each in inverses if isinstance(each, (syntax.IriRef, syntax.PrefixedName))]
        forwards = [each for each in path.members if not isinstance(each, syntax.InversePath)]
        ways: list[algebra.Pattern] = []
        if forwards or not backwards:
            ways.append(self._none_of(subject, forwards, target, span))
        if backwards:
            ways.append(self._none_of(target, backwards, subject, span))
        return algebra.united(ways, span)

    def _none_of(
        self,
        subject: algebra.TermPattern,
        refused: Sequence[syntax.Iri],
        target: algebra.TermPattern,
        span: Span,
    ) -> algebra.Pattern:
        predicate = self.hidden(span)
        triple = self.matched(subject, predicate, target, span)
        if not refused:
            return triple
        iris = [algebra.Constant(self._expressions.iri(each), span=each.span) for each in refused]
        test = algebra.Apply("in", (predicate, *iris), span=span)
        return algebra.Filter(algebra.Apply("!", (test,), span=span), triple, span=span)
