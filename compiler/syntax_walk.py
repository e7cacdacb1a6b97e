"""Going through a syntax tree without recursion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from etalis_py.compiler.faults import Fault
from etalis_py.compiler.syntax import Aggregate, Exists, Node

__all__ = ["DEEPEST", "check_depth", "children", "walk", "walk_expression"]

DEEPEST = 200
"""Nodes from the query to its deepest leaf. The later stages are recursive, with a few calls a node."""


def children(node: Node) -> Iterator[Node]:
    """The nodes right below a node, in the order of its fields."""
    for field in fields(node):
        value: Any = getattr(node, field.name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from (each for each in value if isinstance(each, Node))


def walk(node: Node) -> Iterator[Node]:
    """The node and all that is below it, each before its children."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(tuple(children(current))))


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
        stack.extend(reversed(tuple(children(current))))


def check_depth(node: Node) -> None:
    """Refuse a tree that the later stages could not go through.

    Raises:
        Fault: EP107, at the outermost node that is too deep.
    """
    level, depth = [node], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            hint = "split the query, or give parts of it a name with BIND"
            raise Fault("EP107", f"nested more than {DEEPEST} levels deep", level[0].span, hint)
        level = [child for current in level for child in children(current)]
