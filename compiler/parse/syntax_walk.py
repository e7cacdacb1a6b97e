"""Going through a syntax tree without recursion."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any, Final, cast

from typing_extensions import assert_never

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.syntax import Aggregate, Exists, Node

__all__ = [
    "DEEPEST",
    "MOST_BRACES",
    "SPLIT",
    "WIDEST",
    "check_depth",
    "check_width",
    "children",
    "walk",
    "walk_expression",
]

DEEPEST: Final = 200
"""Nodes from the query to its deepest leaf: of what is nested, not of what stands side by side."""

WIDEST: Final = 5000
"""Operators of a query, all in all. The plan is binary, so those that stand side by side are a chain."""

MOST_BRACES: Final = 2 * WIDEST
"""Opening braces of a query. With more it has too many operators, as a rule, and is not parsed to the end."""

SPLIT: Final = "split the query: other queries can match what a CONSTRUCT makes; put values in VALUES"
"""What to do about it."""

_CALLS_OF_OPERATOR: Final = 12
"""How many calls deep a stage goes for one operator of a chain, at most."""


def children(node: Node) -> list[Node]:
    """The nodes right below a node, in the order of its fields."""
    found: list[Node] = []
    for name in _field_names(type(node)):  # type: ignore[arg-type]  # a class is hashable
        value: Any = getattr(node, name)
        if isinstance(value, Node):
            found.append(value)
        elif isinstance(value, tuple):
            found += [each for each in value if isinstance(each, Node)]
    return found


@cache
def _field_names(kind: type[Node]) -> tuple[str, ...]:
    """The fields that may hold nodes."""
    return tuple(field.name for field in fields(kind) if field.type not in ("Span", "str", "bool"))


def walk(node: Node) -> Iterator[Node]:
    """The node and all that is below it, each before its children."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack += reversed(children(current))


def walk_expression(expression: Node, *, into_aggregates: bool = True) -> Iterator[Node]:
    """The nodes of an expression, but not what is inside the group of an EXISTS.

    Without ``into_aggregates`` an aggregate is given, and not what is inside.
    """
    stack = [expression]
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, Exists) or (isinstance(current, Aggregate) and not into_aggregates):
            continue
        stack += reversed(children(current))


def check_depth(node: Node) -> None:
    """Refuse a tree that is nested too deeply for the later stages.

    ``a + b + c`` and ``{a} SEQ {b} SEQ {c}`` are not nested, though their nodes are.

    Raises:
        Fault: EP107, at the outermost node that is too deep.
    """
    level, depth = [node], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            hint = "split the query, or give names to parts of it with BIND"
            raise Fault("EP107", f"nested more than {DEEPEST} levels deep", level[0].span, hint)
        level = [child for current in level for child in _inside(current)]


def _inside(node: Node) -> Iterator[Node]:
    """What is nested in a node: in a chain, what is in any of its operands."""
    while isinstance(node, syntax.Arithmetic | syntax.Combination):
        yield node.right
        node = node.left
    yield from children(node)


def check_width(query: Node) -> None:
    """Refuse a query with more operators than the later stages can go through; make room for the others.

    Those stages are recursive, an operator a level: a query with a thousand raises Python's limit of
    recursion, for good. Without the limit here that could end in a stack overflow.

    Raises:
        Fault: EP107, at the first operator that is too many.
    """
    count = 0
    for node in walk(query):
        count += _operators(cast("syntax.AnyNode", node))
        if count > WIDEST:
            raise Fault("EP107", f"more than {WIDEST} operators in one query", node.span, SPLIT)
    needed = _CALLS_OF_OPERATOR * count
    if needed > sys.getrecursionlimit():
        sys.setrecursionlimit(needed)


def _operators(node: syntax.AnyNode) -> int:
    """How many levels of the plan come from a node itself."""
    match node:
        case syntax.PropertyObjects(objects=objects):
            return len(objects)
        case syntax.Collection(items=items):
            return 2 * len(items)
        case syntax.SequencePath(steps=parts) | syntax.AlternativePath(choices=parts):
            return len(parts) - 1
        case syntax.Describe(subjects=subjects):
            return len(subjects or ())
        case syntax.Modifiers(group_by=keys, order_by=conditions):
            return len(keys) + len(conditions)
        case (
            syntax.Bind() | syntax.GoalPattern() | syntax.InlineData() | syntax.ExpressionAs()
            | syntax.Arithmetic() | syntax.Combination() | syntax.OptionalPattern() | syntax.MinusPattern()
            | syntax.GraphPattern() | syntax.StreamPattern() | syntax.WindowPattern() | syntax.EventPattern()
            | syntax.EventChain() | syntax.ChosenEvent()
            | syntax.Repeat() | syntax.Negated() | syntax.Timer() | syntax.Within() | syntax.Skip()
            | syntax.Exists() | syntax.Aggregate() | syntax.Select()
        ):  # fmt: skip
            return 1
        case (
            syntax.IriRef() | syntax.PrefixedName() | syntax.Variable() | syntax.BlankNode() |
            syntax.Literal() | syntax.InversePath() | syntax.RepeatedPath() |
            syntax.NegatedPropertySet() | syntax.BlankNodePropertyList() |
            syntax.SubjectTriples() | syntax.TriplesBlock() | syntax.Or() | syntax.And() |
            syntax.Comparison() | syntax.Membership() | syntax.Unary() | syntax.BuiltInCall() |
            syntax.FunctionCall() | syntax.Group() | syntax.Filter() | syntax.DataRow() |
            syntax.ServicePattern() | syntax.MatchPattern() | syntax.EventName() | syntax.FilteredEvent() |
            syntax.EventDeclaration() | syntax.Selection() | syntax.Duration() | syntax.RangeWindow() |
            syntax.RowsWindow() | syntax.PastWindow() | syntax.OrderCondition() |
            syntax.BaseDeclaration() | syntax.PrefixDeclaration() | syntax.Pragma() |
            syntax.Prologue() | syntax.DatasetClause() | syntax.StreamWindow() | syntax.Registration() |
            syntax.TimeExtent() | syntax.CountExtent() | syntax.Landmark() | syntax.PastExtent() |
            syntax.NowExtent() | syntax.Length() | syntax.AggregateClause() | syntax.Construct() |
            syntax.Ask() | syntax.Query()
        ):  # fmt: skip
            return 0
        case _:
            assert_never(node)
