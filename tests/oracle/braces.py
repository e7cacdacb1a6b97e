"""Which braces a filter and an operator stand in, by their places in the text.

The compiler marks braces in the algebra; here the text is asked, so that the two can disagree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Expression, Minus, Pair, Pattern, map_children
from etalis_py.compiler.algebra.scope import keeps_value
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.compiler.spans import Span

__all__ = ["Braces"]

_Sides = TypeVar("_Sides", Minus, Pair)


@dataclass(frozen=True, slots=True)
class Braces:
    """The braces of a query, each by its place."""

    groups: tuple[Span, ...]

    @staticmethod
    def of(query: syntax.Query) -> Braces:
        """Those of the groups of ``query``."""
        return Braces(tuple(each.span for each in walk(query) if isinstance(each, syntax.Group)))

    def around(self, node: algebra.Node) -> Span:
        """The innermost braces around ``node``."""
        span = node.span
        holding = (each for each in self.groups if each.start <= span.start and span.end <= each.end)
        return min(holding, key=lambda each: each.end - each.start)

    def repeated_below(self, pattern: Pattern) -> Pattern:
        """``pattern`` with each part of a filter also on those sides in its braces that it speaks of alone.

        What a part refuses there it would refuse above: this changes what is chosen, and nothing else.
        """
        pattern = map_children(pattern, self.repeated_below)
        if not isinstance(pattern, algebra.Filter):
            return pattern
        inner = pattern.pattern
        for part in algebra.conjuncts(pattern.condition):
            inner = self._below(part, inner, self.around(pattern))
        return replace(pattern, pattern=inner)

    def _below(self, part: Expression, pattern: Pattern, braces: Span) -> Pattern:
        if self.around(pattern) != braces:
            return pattern
        match pattern:
            case algebra.Filter():
                return replace(pattern, pattern=self._below(part, pattern.pattern, braces))
            case algebra.Extend() if pattern.variable not in algebra.expression_variables(part):
                return replace(pattern, pattern=self._on(part, pattern.pattern, braces))
            case algebra.Union() if not algebra.uses_time(part):
                left, right = (self._on(part, side, braces) for side in (pattern.left, pattern.right))
                return replace(pattern, left=left, right=right)
            case algebra.Minus():
                return self._on_left(part, pattern, braces)
            case algebra.Pair(operator=operator):
                if operator.word != "OPTIONALSEQ":
                    pattern = self._on_left(part, pattern, braces)
                if operator.word in ("OPTIONAL", "EQUALSOPTIONAL"):
                    return pattern
                return self._on_right(part, pattern, braces)
            case _:
                return pattern

    def _on_left(self, part: Expression, pattern: _Sides, braces: Span) -> _Sides:
        alone = keeps_value(part, pattern.left, pattern.right)
        return replace(pattern, left=self._on(part, pattern.left, braces)) if alone else pattern

    def _on_right(self, part: Expression, pattern: _Sides, braces: Span) -> _Sides:
        alone = keeps_value(part, pattern.right, pattern.left)
        return replace(pattern, right=self._on(part, pattern.right, braces)) if alone else pattern

    def _on(self, part: Expression, pattern: Pattern, braces: Span) -> Pattern:
        """``part`` judges ``pattern``, a side, and what is below it, up to other braces."""
        if self.around(pattern) != braces:
            return pattern
        return algebra.Filter(part, self._below(part, pattern, braces), span=part.span)
