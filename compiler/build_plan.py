"""From the algebra to the binary plan: names, columns, join variables and window bounds.

A window bound goes down into every input that is part of each solution; never into an optional side,
where a solution that is too old still decides that there was a match.
"""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import assert_never

from etalis_py.compiler import algebra
from etalis_py.compiler.plan import (
    ConstructPlan,
    DistinctPlan,
    ExtendPlan,
    FilterPlan,
    Pair,
    PairOperator,
    PlanNode,
    ProjectPlan,
    QueryPlan,
    Scan,
    Schema,
    SelectPlan,
    UnionPlan,
    UnitPlan,
)
from etalis_py.compiler.scope import certain_variables
from etalis_py.compiler.window import duration_bound, narrower

__all__ = ["BackgroundTest", "build_plan"]

BackgroundTest = Callable[[algebra.TriplePattern], bool]
"""Whether a triple of the background could match a pattern."""

_PAIRS = {
    algebra.Join: PairOperator.JOIN,
    algebra.SeqJoin: PairOperator.SEQ,
    algebra.EqualsJoin: PairOperator.EQUALS,
    algebra.Optional: PairOperator.OPTIONAL,
    algebra.OptionalSeq: PairOperator.OPTIONALSEQ,
    algebra.EqualsOptional: PairOperator.EQUALSOPTIONAL,
}


def build_plan(query: algebra.Query, number: int, background: BackgroundTest) -> QueryPlan:
    """The plan of ``query``; ``number`` keeps the names of an engine's queries apart."""
    root = _Builder(number, background).node(query.pattern, None)
    match query:
        case algebra.SelectQuery():
            return SelectPlan(number, root, query.span)
        case algebra.ConstructQuery(template=template):
            return ConstructPlan(number, root, template, query.span)
        case _:
            assert_never(query)


class _Builder:
    def __init__(self, number: int, background: BackgroundTest) -> None:
        self._prefix = f"q{number}"
        self._background = background
        self._count = 0

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{self._prefix}_{kind}_{self._count}"

    def node(self, pattern: algebra.Pattern, window: int | None) -> PlanNode:
        """The plan of ``pattern``, whose solutions of ``window`` or longer do not matter."""
        schema = Schema(algebra.variables(pattern), certain_variables(pattern))
        span = pattern.span
        match pattern:
            case algebra.Unit():
                return UnitPlan(self._name("unit"), schema, window, False, True, span)
            case algebra.TriplePattern():
                timeless = self._background(pattern)
                return Scan(self._name("pattern"), schema, window, True, timeless, span, pattern)
            case algebra.Union():
                left, right = self.node(pattern.left, window), self.node(pattern.right, window)
                eventful, timeless = left.eventful or right.eventful, left.timeless or right.timeless
                name = self._name("union")
                return UnionPlan(name, schema, window, eventful, timeless, span, left, right)
            case algebra.Filter():
                window = narrower(window, duration_bound(pattern.condition))
                below = self.node(pattern.pattern, window)
                name = self._name("filter")
                return FilterPlan(
                    name, schema, window, below.eventful, below.timeless, span, pattern.condition, below
                )
            case algebra.Extend():
                below = self.node(pattern.pattern, window)
                return ExtendPlan(
                    self._name("bind"), schema, window, below.eventful, below.timeless, span,
                    pattern.variable, pattern.expression, below,
                )  # fmt: skip
            case algebra.Project():
                below = self.node(pattern.pattern, window)
                name = self._name("project")
                return ProjectPlan(name, schema, window, below.eventful, below.timeless, span, below)
            case algebra.Distinct():
                below = self.node(pattern.pattern, window)
                name = self._name("distinct")
                return DistinctPlan(name, schema, window, below.eventful, below.timeless, span, below)
            case _:
                return self._pair(pattern, schema, window)

    def _pair(self, pattern: algebra.PairPattern, schema: Schema, window: int | None) -> Pair:
        operator = _PAIRS[type(pattern)]
        optional_left = operator is PairOperator.OPTIONALSEQ
        optional_right = operator is PairOperator.OPTIONAL
        left = self.node(pattern.left, None if optional_left else window)
        right = self.node(pattern.right, None if optional_right else window)
        eventful, timeless = _origins(operator, left, right)
        both = [each for each in left.schema.columns if each in right.schema]
        certain = left.schema.certain & right.schema.certain
        return Pair(
            self._name(operator.value.lower()), schema, window, eventful, timeless, pattern.span,
            operator, left, right, getattr(pattern, "condition", None),
            tuple(each for each in both if each in certain),
            tuple(each for each in both if each not in certain),
        )  # fmt: skip


def _origins(operator: PairOperator, left: PlanNode, right: PlanNode) -> tuple[bool, bool]:
    """Whether the stream, and whether background alone, can give solutions of a pair."""
    match operator:
        case PairOperator.JOIN:
            mixed = (left.eventful and right.timeless) or (left.timeless and right.eventful)
            return (left.eventful and right.eventful) or mixed, left.timeless and right.timeless
        case PairOperator.SEQ | PairOperator.EQUALS:
            return left.eventful and right.eventful, False
        case PairOperator.OPTIONAL | PairOperator.EQUALSOPTIONAL:
            return left.eventful, left.timeless
        case PairOperator.OPTIONALSEQ:
            return right.eventful, right.timeless
        case _:
            assert_never(operator)
