"""The tree builder's part for graph patterns (grammar.lark, "Graph patterns")."""

from __future__ import annotations

from typing import cast

from lark import Token

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax import Combination, Group, OptionalPattern
from etalis_py.compiler.parse.tree_base import Child, Children, Part, has, nodes, span_of

__all__ = ["PatternBuilder"]


class PatternBuilder:
    """Groups, their elements, and the chains of combinators in them."""

    def group(self, children: Children) -> Group:
        """``{ ... }``."""
        return Group(_elements(children[1:-1]), span=span_of(children))

    def where_clause(self, children: Children) -> Group:
        """``WHERE {..}``; with an implied group around ``WHERE {..} SEQ {..} FILTER(..)``."""
        written = children[1:] if isinstance(children[0], Token) else children
        if len(written) == 1:
            return cast("Group", written[0])
        return Group(_elements(written), implied=True, span=span_of(written))

    def optional(self, children: Children) -> OptionalPattern:
        """``OPTIONAL {..}``."""
        return OptionalPattern(cast("Group", children[-1]), span=span_of(children))

    def minus(self, children: Children) -> syntax.MinusPattern:
        """``MINUS {..}``."""
        return syntax.MinusPattern(cast("Group", children[-1]), span=span_of(children))

    def graph(self, children: Children) -> syntax.GraphPattern:
        """``GRAPH name {..}``."""
        name = cast("syntax.Variable | syntax.Iri", children[-2])
        return syntax.GraphPattern(name, cast("Group", children[-1]), span=span_of(children))

    def stream(self, children: Children) -> syntax.StreamPattern:
        """``STREAM name {..}``."""
        name = cast("syntax.Variable | syntax.Iri", children[-2])
        return syntax.StreamPattern(name, cast("Group", children[-1]), span=span_of(children))

    def event(self, children: Children) -> syntax.EventPattern:
        """``EVENT {..}``, ``EVENT stream {..}``."""
        stream = None if isinstance(children[-2], Token) else children[-2]
        return syntax.EventPattern(
            cast("syntax.Variable | syntax.Iri | None", stream),
            cast("Group", children[-1]),
            span=span_of(children),
        )

    def service(self, children: Children) -> syntax.ServicePattern:
        """``SERVICE SILENT endpoint {..}``."""
        endpoint = cast("syntax.Variable | syntax.Iri", children[-2])
        group, silent = cast("Group", children[-1]), has(children, "SILENT")
        return syntax.ServicePattern(endpoint, group, silent, span=span_of(children))

    def filter(self, children: Children) -> syntax.Filter:
        """``FILTER expression``."""
        return syntax.Filter(cast("syntax.Expression", children[-1]), span=span_of(children))

    def bind(self, children: Children) -> syntax.Bind:
        """``BIND(expression AS ?variable)``."""
        expression, variable = nodes(children, syntax.Node)
        return syntax.Bind(
            cast("syntax.Expression", expression), cast("syntax.Variable", variable), span=span_of(children)
        )

    def inline_data(self, children: Children) -> syntax.InlineData:
        """``VALUES (?x ?y) { (1 2) }``."""
        variables = nodes(children, syntax.Variable)
        return syntax.InlineData(variables, nodes(children, syntax.DataRow), span=span_of(children))

    def data_row(self, children: Children) -> syntax.DataRow:
        """``(1 UNDEF)``, or a value that stands alone where there is one variable."""
        values = tuple(
            None if isinstance(child, Part) else child for child in children if not _is_mark(child)
        )
        return syntax.DataRow(
            cast("tuple[syntax.IriRef | syntax.PrefixedName | syntax.Literal | None, ...]", values),
            span=span_of(children),
        )

    one_value = data_row

    def undef(self, children: Children) -> Part:
        """``UNDEF``."""
        return Part("undef", None, span_of(children))


def _is_mark(child: Child) -> bool:
    return isinstance(child, Token)


def _elements(children: Children) -> tuple[syntax.GroupElement, ...]:
    """The elements of a group: triples gathered into blocks, combinators applied to their neighbours."""
    elements: list[syntax.GroupElement] = []
    triples: list[syntax.SubjectTriples] = []
    operator: str | None = None
    for child in children:
        if isinstance(child, syntax.SubjectTriples):
            triples.append(child)
            continue
        if isinstance(child, Token):
            if child.type != "DOT":
                operator = child.upper()
            continue
        _close_block(triples, elements)
        element = cast("syntax.GroupElement", child)
        if operator is not None:
            left = _take_chain(elements)
            right = cast("Group", element)
            element = Combination(operator, left, right, span=left.span.to(right.span))
            operator = None
        elements.append(element)
    _close_block(triples, elements)
    return tuple(elements)


def _close_block(triples: list[syntax.SubjectTriples], elements: list[syntax.GroupElement]) -> None:
    """Triples that end here become one block of the group."""
    if triples:
        elements.append(syntax.TriplesBlock(tuple(triples), span=span_of(triples)))
        triples.clear()


def _take_chain(elements: list[syntax.GroupElement]) -> Group | Combination:
    """Take the left side of a combinator off the elements: a group or chain, with the OPTIONALs after it.

    The grammar sees to it that there is one.
    """
    optionals: list[OptionalPattern] = []
    while isinstance(last := elements.pop(), OptionalPattern):
        optionals.append(last)
    left = cast("Group | Combination", last)
    for optional in reversed(optionals):
        left = Combination("OPTIONAL", left, optional.group, span=left.span.to(optional.span))
    return left
