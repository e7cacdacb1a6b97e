"""Variables for the aggregates of expressions: of a SELECT with groups, of the iterations of a REPEAT."""

from __future__ import annotations

from collections.abc import Callable

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.translate_expressions import ExpressionTranslator
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.spans import Span

__all__ = ["AggregateNames"]


class AggregateNames:
    """Gives each aggregate a variable, and each argument that is an expression one as well.

    ``hidden`` makes a variable that the query cannot name.
    """

    def __init__(self, expressions: ExpressionTranslator, hidden: Callable[[Span], algebra.Variable]) -> None:
        self._expressions = expressions
        self._hidden = hidden
        self._named: dict[syntax.Aggregate, algebra.Aggregate] = {}
        self.arguments: list[tuple[algebra.Variable, algebra.Expression]] = []
        """What the aggregated pattern has to be extended by."""

    @property
    def aggregates(self) -> tuple[algebra.Aggregate, ...]:
        """All that were named."""
        return tuple(self._named.values())

    def named(self, aggregate: syntax.Aggregate, wanted: algebra.Variable | None = None) -> algebra.Variable:
        """The variable of an aggregate, if possible the one ``wanted``; equal ones are computed once."""
        if aggregate not in self._named:
            argument = None if aggregate.argument is None else self._argument(aggregate.argument)
            separator = " " if aggregate.separator is None else aggregate.separator
            variable = wanted or self._hidden(aggregate.span)
            self._named[aggregate] = algebra.Aggregate(
                variable, aggregate.name, argument, aggregate.distinct, separator, span=aggregate.span
            )
        return self._named[aggregate].variable

    def _argument(self, expression: syntax.Expression) -> algebra.Variable:
        if isinstance(expression, syntax.Variable):
            return algebra.Variable(expression.name, span=expression.span)
        with self._expressions.aggregates(None):
            value = self._expressions.translate(expression)
        variable = self._hidden(expression.span)
        self.arguments.append((variable, value))
        return variable
