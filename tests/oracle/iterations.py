"""What filters and measures see of iterations: step conditions, and aggregates over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import XSD_INTEGER
from tests.oracle.aggregates import aggregated
from tests.oracle.columns import in_scope
from tests.oracle.solutions import Solution
from tests.oracle.triples import is_hidden
from tests.oracle.values import ExpressionError

__all__ = ["conditions", "counted", "is_step_condition", "over"]


def is_step_condition(expression: syntax.Expression, group: syntax.Group) -> bool:
    """Whether a filter speaks of what its own group does not bind, or of other iterations."""
    own = in_scope(group)
    return any(_is_outside(each, own) for each in walk(expression))


def _is_outside(node: syntax.Node, own: Sequence[str]) -> bool:
    match node:
        case syntax.Variable(name=name):
            return name not in own
        case syntax.BuiltInCall(name="PREV") | syntax.Aggregate():
            return True
        case _:
            return False


def conditions(group: syntax.Group) -> Iterator[syntax.Expression]:
    """The expressions of a group's own filters."""
    return (each.expression for each in group.elements if isinstance(each, syntax.Filter))


def counted(iterations: Sequence[Solution], *, distinct: bool) -> Encoded:
    """``COUNT(*)``"""
    shown = {
        frozenset((name, value) for name, value in each.mapping.items() if not is_hidden(name))
        for each in iterations
    }
    return len(shown if distinct else iterations), XSD_INTEGER


def over(aggregate: syntax.Aggregate, values: Sequence[Encoded | None]) -> Encoded:
    """An aggregate of the values that the iterations give, in their order; None is an error."""
    match aggregate.name:
        case "FIRST" | "LAST" as name:
            value = (values[0] if name == "FIRST" else values[-1]) if values else None
            if value is None:
                raise ExpressionError("no value")
            return value
        case "LIST":
            return aggregated(replace(aggregate, name="GROUP_CONCAT"), values)
        case _:
            return aggregated(aggregate, values)
