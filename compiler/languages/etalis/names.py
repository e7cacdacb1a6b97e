"""What terms of Prolog are in RDF, and which triples an event is.

An event without arguments is ``:stream :e true``, one of one argument ``:stream :e ?x``, of two ``?x :e ?y``;
one of more is a node of its own with a triple ``:e_1 ?x``, ``:e_2 ?y`` for each. An atom is an IRI: in the
namespace of the file, or as it stands where it has a colon. Numbers and strings are literals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from etalis_py.compiler.languages.etalis.terms import Atom, Compound, Number, Term, Text, Variable
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.spans import Span
from etalis_py.core.vocabulary import RDF_NIL, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER

__all__ = ["NAMESPACE", "Names"]

NAMESPACE: Final = "urn:etalis:"
"""Of names, where no ``:- prefix('', 'iri').`` says another."""
_SAFE: Final = "-._~!$&()*+,;=@/?'"


class Names:
    """The names of a file; ``prefixes`` are those that it declares.

    With ``has_nodes`` an event of two arguments is a node of its own, too, so that the first may be a number.
    """

    def __init__(self, prefixes: dict[str, str], *, has_nodes: bool = False) -> None:
        self._prefixes = prefixes
        self.has_nodes = has_nodes

    def iri(self, name: str, span: Span) -> syntax.IriRef:
        """What an atom stands for."""
        return syntax.IriRef(self.expanded(name), span=span)

    def expanded(self, name: str) -> str:
        """The same as text."""
        if name == "[]":
            return RDF_NIL
        if ":" in name:
            return quote(name, safe=f"{_SAFE}:#%")
        return self._prefixes.get("", NAMESPACE) + quote(name, safe=_SAFE)

    def value(self, term: Term) -> syntax.IriRef | syntax.Variable | syntax.Literal:
        """An argument of an event, or an operand.

        Raises:
            Fault: EP124, it is no term of RDF; EP125, no such prefix.
        """
        match term:
            case Variable(name=name):
                return variable(name, term.span)
            case Atom(name="true" | "false" as name):
                return syntax.Literal(name, syntax.IriRef(XSD_BOOLEAN, span=term.span), span=term.span)
            case Atom(name=name):
                return self.iri(name, term.span)
            case Number(text=text):
                kind = XSD_DOUBLE if "e" in text.lower() else XSD_DECIMAL if "." in text else XSD_INTEGER
                return syntax.Literal(text, syntax.IriRef(kind, span=term.span), span=term.span)
            case Text(text=text):
                return syntax.Literal(text, span=term.span)
            case Compound(functor=":", arguments=(Atom(name=prefix), Atom(name=local))):
                if prefix not in self._prefixes:
                    hint = f"write :- prefix({prefix}, 'http://...')."
                    raise Fault("EP125", f"the prefix {prefix} is not declared", term.span, hint)
                return syntax.IriRef(self._prefixes[prefix] + local, span=term.span)
            case _:
                hint = "give its parts as arguments of the event: p(Name, X, Y) for p(Name, point(X, Y))"
                raise Fault("EP124", "a term with structure is no value of an event", term.span, hint)

    def triples(
        self, event: Atom | Compound, node: syntax.Variable | syntax.BlankNode
    ) -> tuple[syntax.SubjectTriples, ...]:
        """The triples of an event; ``node`` is what one of more than two arguments is.

        Raises:
            Fault: EP124, an argument is no term of RDF, or the first of two is a number or a string.
        """
        span = event.span
        name = event.name if isinstance(event, Atom) else event.functor
        arguments: Sequence[Term] = () if isinstance(event, Atom) else event.arguments
        match arguments:
            case ():
                yes = syntax.Literal("true", syntax.IriRef(XSD_BOOLEAN, span=span), span=span)
                return (_triple(self.iri("stream", span), self.iri(name, span), yes),)
            case (only,):
                return (_triple(self.iri("stream", span), self.iri(name, span), self.value(only)),)
            case (subject, target) if not self.has_nodes:
                if isinstance(subject, Number | Text):
                    hint = "turn them round, or write :- set_etalis_flag(events_of_two, nodes)."
                    message = f"the first argument of {name}/2 is a subject, so it is a name"
                    raise Fault("EP124", message, subject.span, hint)
                return (_triple(self.value(subject), self.iri(name, span), self.value(target)),)
            case _:
                properties = tuple(
                    syntax.PropertyObjects(self.iri(f"{name}_{place}", span), (self.value(each),), span=span)
                    for place, each in enumerate(arguments, start=1)
                )
                return (syntax.SubjectTriples(node, properties, span=span),)


def variable(name: str, span: Span) -> syntax.Variable:
    """The variable of EP-SPARQL; ``_`` is another one at each place."""
    return syntax.Variable(f"_:any {span.start}" if name == "_" else name, span=span)


def _triple(
    subject: syntax.GraphNode, predicate: syntax.IriRef, target: syntax.GraphNode
) -> syntax.SubjectTriples:
    properties = syntax.PropertyObjects(predicate, (target,), span=predicate.span)
    return syntax.SubjectTriples(subject, (properties,), span=predicate.span)
