"""Bracket chains of SEQ, and of joins, as somebody chooses who knows what each order costs.

    (A SEQ B) SEQ C    becomes    A SEQ (B SEQ C)

SEQ is associative, a join commutative as well: compatible, each earlier than the next, and the interval goes
from the first start to the last end, however it is bracketed. So it is across groups, unless something
between two operators speaks of the group: a filter with a time function or EXISTS, BIND, DISTINCT and the
like. Other filters are lifted out of the way and pushed down again into the new tree.

A join that background may take part in stays as written: that is searched in the order of the query. Is not
for queries under a selection policy: which partner is taken depends on who pairs with whom first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias, TypeGuard

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.algebra import Expression, Pattern, Variable, children, map_children
from etalis_py.compiler.algebra.operators import SEQ, Operator, Side
from etalis_py.compiler.algebra.scope import is_open, keeps_value
from etalis_py.compiler.algebra.window import duration_bound, narrower
from etalis_py.compiler.association.association import LARGEST_JOIN, LARGEST_SEQUENCE, Tree
from etalis_py.compiler.passes.push_filters import push_filters
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["ChainPattern", "Chooser", "associate"]


@value_class
class ChainPattern:
    """Operands of SEQ or of a join as a query has them: ``written`` is how it brackets them.

    ``conditions`` are the filters on the chain and on parts of it that can be tested on any part that has
    their variables. Solutions of ``window`` microseconds or longer do not matter.
    """

    in_sequence: bool
    operands: tuple[Pattern, ...]
    written: Tree
    conditions: tuple[Expression, ...]
    window: int | None
    span: Span


Chooser: TypeAlias = Callable[[ChainPattern], Tree]
"""Says how a chain of three operands or more is to be bracketed; the operands of SEQ stay in their order."""


def associate(
    pattern: Pattern, choose: Chooser, background: Callable[[algebra.TriplePattern], bool]
) -> Pattern:
    """The pass; applies everywhere in ``pattern``. ``background`` says what background may match."""
    return _Associator(choose, background).walk(pattern, None)


class _Associator:
    def __init__(self, choose: Chooser, background: Callable[[algebra.TriplePattern], bool]) -> None:
        self._choose = choose
        self._background = background

    def walk(self, pattern: Pattern, window: int | None, above: tuple[Expression, ...] = ()) -> Pattern:
        """``pattern``, which has a window bound and stands directly below filters ``above``."""
        match pattern:
            case algebra.Pair(operator=operators.SEQ | operators.JOIN):
                return self._chain(pattern, window, above)
            case algebra.Filter(condition=condition):
                bound = narrower(window, duration_bound(condition, pattern.pattern))
                inner = self.walk(pattern.pattern, bound, (*above, *algebra.conjuncts(condition)))
                return pattern if inner == pattern.pattern else push_filters(replace(pattern, pattern=inner))
            case algebra.Pair(operator=operator):
                left, right = (window if operator.keeps_window(side) else None for side in Side)
                return self._sides(pattern, left, right)
            case algebra.Minus():
                return self._sides(pattern, window, None)
            case (
                algebra.Union()
                | algebra.Closure()
                | algebra.Extend()
                | algebra.Project()
                | algebra.Distinct()
            ):
                return map_children(pattern, lambda below: self.walk(below, window))
            case _:
                return map_children(pattern, lambda below: self.walk(below, None))

    def _sides(self, pattern: algebra.Pair | algebra.Minus, left: int | None, right: int | None) -> Pattern:
        return replace(pattern, left=self.walk(pattern.left, left), right=self.walk(pattern.right, right))

    def _chain(self, pattern: algebra.Pair, window: int | None, above: tuple[Expression, ...]) -> Pattern:
        links = _Links(pattern.operator)
        written = links.flatten(pattern, frozenset())
        walked = [self.walk(each, window) for each in links.operands]
        if self._may_choose(links):
            conditions = (*links.lifted, *above)
            operands, in_sequence = tuple(links.operands), links.kind is SEQ
            chain = ChainPattern(in_sequence, operands, written, conditions, window, pattern.span)
            chosen = self._choose(chain)
            if chosen != written:
                return _in_order(pattern, links.filtered(_built(chosen, walked, links.kind)))
        return links.as_written(pattern, iter(walked))

    def _may_choose(self, links: _Links) -> bool:
        count = len(links.operands)
        if links.kind is SEQ:
            return 3 <= count <= LARGEST_SEQUENCE
        return 3 <= count <= LARGEST_JOIN and not any(map(self._may_be_timeless, links.operands))

    def _may_be_timeless(self, pattern: Pattern) -> bool:
        """Whether background alone may have solutions of ``pattern``; rather too often than too rarely."""
        match pattern:
            case algebra.TriplePattern():
                named = not pattern.eventful or bool(pattern.sources)
                return named or self._background(pattern)
            case algebra.Pair(operator=operator):
                if operator.needs_times and operator.kept is None:
                    return False
                return any(self._may_be_timeless(pattern.side(each)) for each in Side)
            case algebra.Group():
                return True
            case _ if pattern.IS_TIMED:
                return False
            case _:
                below = children(pattern)
                return not below or is_open(pattern) or any(map(self._may_be_timeless, below))


class _Links:
    """The operators of one chain: its ``operands``, and the filters between them."""

    def __init__(self, kind: Operator) -> None:
        self.kind = kind
        self.operands: list[Pattern] = []
        self._between: list[algebra.Filter] = []

    @property
    def lifted(self) -> list[Expression]:
        """The conditions of the filters between the operators."""
        return [part for each in self._between for part in algebra.conjuncts(each.condition)]

    def _is_link(self, pattern: Pattern) -> TypeGuard[algebra.Pair]:
        return isinstance(pattern, algebra.Pair) and pattern.operator is self.kind

    def flatten(self, pattern: Pattern, outside: frozenset[Variable]) -> Tree:
        """Collect the operands below; ``outside`` are the variables of the rest of the chain."""
        if self._is_link(pattern):
            left, right = (frozenset(algebra.variables(each)) for each in (pattern.left, pattern.right))
            first = self.flatten(pattern.left, outside | right)
            return (first, self.flatten(pattern.right, outside | left))
        if isinstance(pattern, algebra.Filter) and self._is_between(pattern, outside):
            self._between.append(pattern)
            return self.flatten(pattern.pattern, outside)
        self.operands.append(pattern)
        return len(self.operands) - 1

    def _is_between(self, pattern: algebra.Filter, outside: frozenset[Variable]) -> bool:
        """Whether a filter on a part of the chain means the same on the whole of it."""
        inner: Pattern = pattern
        parts: list[Expression] = []
        while isinstance(inner, algebra.Filter):
            parts += algebra.conjuncts(inner.condition)
            inner = inner.pattern
        beside = algebra.Table(tuple(outside), ())
        return self._is_link(inner) and all(keeps_value(each, inner, beside) for each in parts)

    def filtered(self, pattern: Pattern) -> Pattern:
        """``pattern`` with the lifted filters, each as low as it can be."""
        if not self._between:
            return pattern
        condition = algebra.conjoin(self.lifted)
        return push_filters(algebra.Filter(condition, pattern, span=condition.span))

    def as_written(self, pattern: Pattern, operands: Iterator[Pattern]) -> Pattern:
        """``pattern`` with its operands replaced, one after the other."""
        if self._is_link(pattern):
            left = self.as_written(pattern.left, operands)
            return replace(pattern, left=left, right=self.as_written(pattern.right, operands))
        if isinstance(pattern, algebra.Filter) and any(each is pattern for each in self._between):
            return replace(pattern, pattern=self.as_written(pattern.pattern, operands))
        return next(operands)


def _built(tree: Tree, operands: list[Pattern], kind: Operator) -> Pattern:
    if isinstance(tree, int):
        return operands[tree]
    left, right = (_built(each, operands, kind) for each in tree)
    start, end = min(left.span.start, right.span.start), max(left.span.end, right.span.end)
    return algebra.Pair(kind, left, right, span=Span(start, end))


def _in_order(before: Pattern, after: Pattern) -> Pattern:
    """``after`` with the columns of ``before``: their order decides among rows that ORDER BY leaves equal."""
    columns = algebra.variables(before)
    if algebra.variables(after) == columns:
        return after
    return algebra.Project(after, columns, span=before.span)
