"""The tree builder's part for terms, property paths and triples (grammar.lark, "Triples" and "Terms")."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal as OneOf
from typing import cast

from lark import Token

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.escapes import unescape_local, unescape_string
from etalis_py.compiler.parse.tree_base import Children, nodes, span_of

__all__ = ["TermBuilder"]

_DATATYPES = {"INTEGER": "integer", "DECIMAL": "decimal", "DOUBLE": "double"}


class TermBuilder:
    """Terms, paths and triples."""

    def iri_ref(self, children: Children) -> syntax.IriRef:
        """``<text>``."""
        return syntax.IriRef(str(children[0])[1:-1], span=span_of(children))

    def bare_name(self, children: Children) -> syntax.IriRef:
        """A word that stands for the IRI which it is, relative to the base."""
        return syntax.IriRef(str(children[0]), span=span_of(children))

    def prefixed_name(self, children: Children) -> syntax.PrefixedName:
        """``prefix:local`` or ``prefix:``."""
        prefix, _, local = str(children[0]).partition(":")
        return syntax.PrefixedName(prefix, unescape_local(local), span=span_of(children))

    def goal_name(self, children: Children) -> syntax.PrefixedName:
        """``prolog:name`` before a bracket."""
        return self.prefixed_name(children)

    def a(self, children: Children) -> syntax.IriRef:
        """The keyword ``a``."""
        return syntax.IriRef(syntax.RDF_TYPE, span=span_of(children))

    def variable(self, children: Children) -> syntax.Variable:
        """``?name`` or ``$name``."""
        return syntax.Variable(str(children[0])[1:], span=span_of(children))

    def blank_node(self, children: Children) -> syntax.BlankNode:
        """``_:label`` or ``[]``."""
        token = cast("Token", children[0])
        label = None if token.type == "ANON" else str(token)[2:]
        return syntax.BlankNode(label, span=span_of(children))

    def rdf_literal(self, children: Children) -> syntax.Literal:
        """A string, maybe with ``@language`` or ``^^`` and its datatype."""
        text, datatype, language = unescape_string(str(children[0])), None, None
        if len(children) == 2:
            language = str(children[1])[1:]
        elif len(children) == 3:
            datatype = cast("syntax.Iri", children[2])
        return syntax.Literal(text, datatype, language, span=span_of(children))

    def number(self, children: Children) -> syntax.Literal:
        """An integer, decimal or double; the sign is part of the lexical form."""
        token, span = cast("Token", children[0]), span_of(children)
        datatype = syntax.IriRef(syntax.XSD + _DATATYPES[token.type.removeprefix("SIGNED_")], span=span)
        return syntax.Literal(str(token), datatype, span=span)

    signed_number = number

    def boolean(self, children: Children) -> syntax.Literal:
        """``true`` or ``false``, in small letters whatever the query wrote."""
        span = span_of(children)
        return syntax.Literal(
            str(children[0]).lower(), syntax.IriRef(syntax.XSD + "boolean", span=span), span=span
        )

    def nil(self, children: Children) -> syntax.Collection:
        """``()``."""
        return syntax.Collection((), span=span_of(children))

    # ---- Paths ---------------------------------------------------------------------------------------

    def path_alternative(self, children: Children) -> syntax.AlternativePath:
        """``a | b``."""
        return syntax.AlternativePath(_paths(children), span=span_of(children))

    def path_sequence(self, children: Children) -> syntax.SequencePath:
        """``a / b``."""
        return syntax.SequencePath(_paths(children), span=span_of(children))

    def path_inverse(self, children: Children) -> syntax.InversePath:
        """``^a``, also as a member of ``!(...)``."""
        return syntax.InversePath(_paths(children)[0], span=span_of(children))

    path_one_inverse = path_inverse

    def path_repeated(self, children: Children) -> syntax.RepeatedPath:
        """``a*``, ``a+`` or ``a?``."""
        times = cast('OneOf["*", "+", "?"]', str(children[1]))
        return syntax.RepeatedPath(_paths(children)[0], times, span=span_of(children))

    def path_bracketted(self, children: Children) -> syntax.Path:
        """``( path )``: the path, with the span of the parentheses."""
        return replace(_paths(children)[0], span=span_of(children))

    def path_negated(self, children: Children) -> syntax.NegatedPropertySet:
        """``!a`` or ``!(a | ^b)``."""
        members = cast("tuple[syntax.Iri | syntax.InversePath, ...]", _paths(children))
        return syntax.NegatedPropertySet(members, span=span_of(children))

    # ---- Triples -------------------------------------------------------------------------------------

    def collection(self, children: Children) -> syntax.Collection:
        """``(a b)``."""
        return syntax.Collection(_graph_nodes(children), span=span_of(children))

    def blank_node_properties(self, children: Children) -> syntax.BlankNodePropertyList:
        """``[ :p :a ]``."""
        properties = nodes(children, syntax.PropertyObjects)
        return syntax.BlankNodePropertyList(properties, span=span_of(children))

    def property_objects(self, children: Children) -> syntax.PropertyObjects:
        """A verb and its objects."""
        verb = cast("syntax.Variable | syntax.Path", children[0])
        return syntax.PropertyObjects(verb, _graph_nodes(children[1:]), span=span_of(children))

    def subject_triples(self, children: Children) -> syntax.SubjectTriples:
        """A subject and its properties; a ``;`` at the end belongs to the span."""
        subject = cast("syntax.GraphNode", children[0])
        properties = nodes(children, syntax.PropertyObjects)
        return syntax.SubjectTriples(subject, properties, span=span_of(children))


def _paths(children: Children) -> tuple[syntax.Path, ...]:
    return cast("tuple[syntax.Path, ...]", nodes(children, syntax.Node))


def _graph_nodes(children: Children) -> tuple[syntax.GraphNode, ...]:
    return cast("tuple[syntax.GraphNode, ...]", nodes(children, syntax.Node))
