"""The one printer of the algebra: a tree of operators, named as in the EP-SPARQL paper and SPARQL 1.1."""

from __future__ import annotations

from typing_extensions import assert_never

from etalis_py.compiler import algebra
from etalis_py.compiler.readable import Node, Readable, draw_tree

__all__ = ["algebra_text"]

_PAIRS = {
    algebra.Join: "Join",
    algebra.SeqJoin: "SeqJoin",
    algebra.EqualsJoin: "EqJoin",
    algebra.Union: "Union",
    algebra.Optional: "LeftJoin",
    algebra.OptionalSeq: "SeqRightJoin",
    algebra.EqualsOptional: "EqLeftJoin",
}


def algebra_text(query: algebra.Query, readable: Readable) -> str:
    """The algebra of one query, without an end of line after it."""
    pattern = _node(query.pattern, readable)
    match query:
        case algebra.SelectQuery():
            return draw_tree(pattern)
        case algebra.ConstructQuery(template=template):
            triples = " . ".join(map(readable.triple, template))
            return draw_tree(Node(f"Construct {{ {triples} }}", pattern))
        case _:
            assert_never(query)


def _node(pattern: algebra.Pattern, readable: Readable) -> Node:
    match pattern:
        case algebra.Unit():
            return Node("Unit")
        case algebra.TriplePattern():
            return Node(f"Triple {readable.triple(pattern)}")
        case algebra.Filter():
            return Node(f"Filter {readable.expression(pattern.condition)}", _node(pattern.pattern, readable))
        case algebra.Extend():
            bound = f"{readable.variable(pattern.variable)} := {readable.expression(pattern.expression)}"
            return Node(f"Extend {bound}", _node(pattern.pattern, readable))
        case algebra.Project():
            return Node(f"Project {readable.variables(pattern.variables)}", _node(pattern.pattern, readable))
        case algebra.Distinct():
            return Node("Distinct", _node(pattern.pattern, readable))
        case _:
            return _pair(pattern, readable)


def _pair(pattern: algebra.BinaryPattern, readable: Readable) -> Node:
    name = _PAIRS[type(pattern)]
    condition = getattr(pattern, "condition", None)
    if condition is not None:
        name += f" if {readable.expression(condition)}"
    return Node(name, _node(pattern.left, readable), _node(pattern.right, readable))
